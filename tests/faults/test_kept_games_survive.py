"""A server that is killed at any moment loses no move that was acknowledged or shown, and plays none twice."""

import os
import random
import signal
import threading
import time
from pathlib import Path
from typing import Any

import grpc
import pytest

from clerestory.cli.embedded import embedded_child
from clerestory.v1.games_pb2_grpc import GameServiceStub
from tests.faults.players import Player, Watcher

PLAYERS, WATCHERS = 4, 1  # games at a time: of people who play as fast as they can, and of bots that are watched
LONGEST = 0.25  # seconds that a server lives, once it answers


def everybody(seed: int, *, forced: bool = False) -> list[Player]:
    """Return people who play and who watch; `forced` if the server plays only legal actions."""
    return [
        *(Player(random.Random(seed + number), takes_back=0.05, forced=forced) for number in range(PLAYERS)),
        *(Watcher(random.Random(seed - 1 - number)) for number in range(WATCHERS)),
    ]


def survive(path: Path, kills: int, everybody: list[Player], luck: random.Random) -> int:
    """Kill a server a number of times, and return the number of entries received; all are compared after each kill."""
    for _ in range(kills + 1):
        with (
            embedded_child("--store", str(path), "--workers", "1") as child,
            grpc.insecure_channel(child.target) as channel,
        ):
            stub: Any = GameServiceStub(channel)
            for one in everybody:
                one.compare(stub)
            threads = [threading.Thread(target=one.live, args=(stub,), daemon=True) for one in everybody]
            for thread in threads:
                thread.start()
            time.sleep(luck.random() * LONGEST)
            os.kill(child.process, signal.SIGKILL)
            for thread in threads:
                thread.join()
    assert [fault for one in everybody for fault in one.faults] == []
    return sum(one.total for one in everybody)


@pytest.mark.parametrize("kills", [12, pytest.param(30, marks=pytest.mark.slow)])
def test_kills(tmp_path: Path, kills: int) -> None:
    people, luck = everybody(1), random.Random(1)
    for _ in range(10):  # a slow server plays little in one life
        if survive(tmp_path / "games.sqlite", kills, people, luck) > 100 * kills / 30:
            return
    raise AssertionError("hardly anything was played")


def test_what_the_server_plays_by_itself_is_neither_lost_nor_doubled(tmp_path: Path) -> None:
    """A kill may come between an action and the only legal ones after it, or between these."""
    people, luck = everybody(3, forced=True), random.Random(3)
    for _ in range(10):  # as above
        survive(tmp_path / "games.sqlite", 10, people, luck)
        if any(one.played for one in people):
            return
    raise AssertionError("the server played nothing by itself")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 22))
def test_a_thousand_kills(tmp_path: Path, seed: int) -> None:
    """Fifty kills in each of twenty files, so that each part ends in time even on a slow machine."""
    people = everybody(1000 * seed, forced=seed % 2 == 0)
    assert survive(tmp_path / "games.sqlite", 50, people, random.Random(seed)) > 100

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


def survive(path: Path, kills: int, seed: int) -> int:
    """Kill a server a number of times, and return the number of entries received; all are compared after each kill."""
    luck = random.Random(seed)
    everybody = [
        *(Player(random.Random(seed + number), takes_back=0.05) for number in range(PLAYERS)),
        *(Watcher(random.Random(seed - 1 - number)) for number in range(WATCHERS)),
    ]
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


def test_thirty_kills(tmp_path: Path) -> None:
    assert survive(tmp_path / "games.sqlite", 30, seed=1) > 100


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 22))
def test_a_thousand_kills(tmp_path: Path, seed: int) -> None:
    """Fifty kills in each of twenty files, so that each part ends in time even on a slow machine."""
    assert survive(tmp_path / "games.sqlite", 50, seed=1000 * seed) > 100

"""A server that is killed at any moment loses no move that was acknowledged or shown, and plays none twice."""

import os
import random
import signal
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import grpc
import pytest

from clerestory.cli.embedded import embedded_child
from clerestory.v1 import games_pb2 as games
from clerestory.v1.games_pb2_grpc import GameServiceStub

PERSON = games.SeatPlan(kind=games.SEAT_KIND_PERSON)
BOT = games.SeatPlan(kind=games.SEAT_KIND_BOT, bot=games.Bot(level=1))
PLAYERS, WATCHERS = 4, 1  # games at a time: of people who play as fast as they can, and of bots that are watched
LONGEST = 0.25  # seconds that a server lives, once it answers


@dataclass
class Player:
    """Plays games, one after the other, and keeps the answers."""

    luck: random.Random
    made: Any = None
    request_id: str = ""
    told: dict[int, str] = field(default_factory=dict)  # action by version, of what was acknowledged or shown
    pending: tuple[int, str] | None = None  # what was asked for and not answered
    total: int = 0

    def live(self, stub: Any) -> None:
        """Go on until the server is gone."""
        with suppress(grpc.RpcError):
            while True:
                self.go_on(stub)

    def go_on(self, stub: Any) -> None:
        """Play a game to its end."""
        if self.made is None:
            self.begin(stub, [PERSON, PERSON])
        tokens = [one.token for one in self.made.seat_tokens]
        seen = stub.GetGame(games.GetGameRequest(game_id=self.made.game.game_id, tokens=tokens))
        while seen.game.status != games.GAME_STATUS_OVER:
            if self.pending is None:
                actions = next(view.actions for view in seen.views if view.actions)
                self.pending = seen.game.version, self.luck.choice(actions).action.text
            version, action = self.pending
            seen = stub.PlayAction(
                games.PlayActionRequest(game_id=self.made.game.game_id, tokens=tokens, version=version, action=action)
            )
            self.pending = None
            self.tell(seen.entries)
        self.compare(stub)
        self.made, self.told = None, {}

    def begin(self, stub: Any, seats: list[games.SeatPlan]) -> None:
        """Create a game; repeat the request if it was not answered."""
        self.request_id = self.request_id or str(UUID(int=self.luck.getrandbits(128)))
        request = games.CreateGameRequest(game="duel", seats=seats, request_id=self.request_id)
        self.made, self.request_id = stub.CreateGame(request), ""

    def tell(self, entries: Any) -> None:
        """Store the entries received."""
        self.told |= {entry.version: entry.applied.action.text for entry in entries}
        self.total += len(entries)

    def compare(self, stub: Any) -> None:
        """Compare the stored games with the answers."""
        if self.made is None:
            return
        tokens = [self.made.owner_token]
        kept = stub.GetGame(
            games.GetGameRequest(game_id=self.made.game.game_id, tokens=tokens, entries_from_ply=1)
        ).entries
        assert [entry.version for entry in kept] == list(range(1, len(kept) + 1))
        texts = {entry.version: entry.applied.action.text for entry in kept}
        assert {version: texts.get(version) for version in self.told} == self.told
        if self.pending is None and self.told:
            assert max(texts) == max(self.told), "something was played that nobody asked for"


class Watcher(Player):
    """Watches a game of bots."""

    def go_on(self, stub: Any) -> None:
        """Watch a game to its end."""
        if self.made is None:
            self.begin(stub, [BOT, BOT])
        request = games.WatchGameRequest(
            game_id=self.made.game.game_id, tokens=[self.made.owner_token], from_version=max(self.told, default=0)
        )
        for state in stub.WatchGame(request):
            self.tell(state.entries)
        self.pending = None
        self.compare(stub)
        self.made, self.told = None, {}

    def compare(self, stub: Any) -> None:
        """Compare what is kept with what was shown; bots go on meanwhile."""
        self.pending = 0, ""
        super().compare(stub)


def survive(path: Path, kills: int, seed: int) -> int:
    """Kill a server a number of times, and return the number of entries received; all are compared after each kill."""
    luck = random.Random(seed)
    everybody = [
        *(Player(random.Random(seed + number)) for number in range(PLAYERS)),
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
    return sum(one.total for one in everybody)


def test_thirty_kills(tmp_path: Path) -> None:
    assert survive(tmp_path / "games.sqlite", 30, seed=1) > 100


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 22))
def test_a_thousand_kills(tmp_path: Path, seed: int) -> None:
    """Fifty kills in each of twenty files, so that each part ends in time even on a slow machine."""
    assert survive(tmp_path / "games.sqlite", 50, seed=1000 * seed) > 100

"""People at a fleet of servers: they call any of them, and an onlooker always the same one."""

import threading
import time
from dataclasses import dataclass, field
from random import Random
from typing import Any

import grpc
from google.protobuf.duration_pb2 import Duration

from clerestory.v1 import games_pb2 as games
from tests.faults.players import PERSON, Player, log_of
from tests.faults.wires import grpc_ending

DEADLINE = 4.0  # seconds of a call
STREAM = 20.0  # seconds for which one stream is watched
PACE = 0.3  # seconds that a person thinks at most
PAUSE = 0.1  # seconds before another server is asked
TIME = 100  # seconds that a person has for a move: more than faults take, less than the date of a server is wrong
BOT = games.SeatPlan(kind=games.SEAT_KIND_BOT, bot=games.Bot(time_budget=Duration(nanos=300_000_000)))
UNARY = ("CreateGame", "GetGame", "PlayAction", "TakeBack", "GetRecord")
# How calls may end while something fails. A caller tries again.
MEANT = {"STORE_FAILED", "DISK_FULL", "FINISHING"}
AWAY = {"unavailable", "cancelled", "deadline_exceeded"}


class LeaveError(Exception):
    """It is time to leave."""


class RefusedError(Exception):
    """A call was refused as none should be."""


@dataclass
class Seen:
    """What callers have met: the number of their calls, and faults in words, of which there should be none."""

    calls: int = 0
    faults: list[str] = field(default_factory=list)

    def failed(self, name: str, error: Any) -> bool:
        """Note how a call ended; return whether calls may end so while something fails."""
        ending = grpc_ending(error)
        meant = ending.reason in MEANT or (not ending.reason and ending.code in AWAY)
        if not meant:
            self.faults.append(f"{name}: {ending}")
        return meant


class Anywhere:
    """A stub that calls one of the servers, and another one if that fails, until one answers."""

    def __init__(self, stubs: list[Any], seen: Seen, leaving: threading.Event, luck: Random) -> None:
        self._stubs, self._seen, self._leaving, self._luck = stubs, seen, leaving, luck

    def __getattr__(self, name: str) -> Any:
        if name not in UNARY:
            raise AttributeError(name)
        return lambda request: self._call(name, request)

    def _call(self, name: str, request: Any) -> Any:
        while not self._leaving.is_set():
            for stub in self._luck.sample(self._stubs, len(self._stubs)):
                self._seen.calls += 1
                try:
                    return getattr(stub, name)(request, timeout=DEADLINE)
                except grpc.RpcError as error:
                    if not self._seen.failed(name, error):
                        raise RefusedError from None
                time.sleep(PAUSE)
        raise LeaveError

    def WatchGame(self, request: Any) -> Any:  # noqa: N802  # as gRPC calls it
        """Return a stream of one of the servers."""
        return self._luck.choice(self._stubs).WatchGame(request, timeout=STREAM)


@dataclass
class Person(Player):
    """Plays against a bot or another person, at any server.

    Attributes:
        seats: of its games.
        seen: what it meets.
        leaving: set when it is to leave.
        books: of all its games, by id: the owner's token, and what was acknowledged.
    """

    seats: tuple[games.SeatPlan, ...] = (PERSON, BOT)
    time_per_move: int = TIME
    seen: Seen = field(default_factory=Seen)
    leaving: threading.Event = field(default_factory=threading.Event)
    books: dict[str, tuple[str, dict[int, str]]] = field(default_factory=dict)

    def live(self, stub: Any) -> None:
        """Go on until told to leave."""
        while not self.leaving.is_set():
            try:
                self.go_on(stub)
            except LeaveError:
                return
            except grpc.RpcError as error:  # of a stream
                if error.code() != grpc.StatusCode.DEADLINE_EXCEEDED:
                    self.seen.failed(type(self).__name__, error)
                time.sleep(PAUSE)
            except RefusedError:
                self.made, self.pending = None, None
            except AssertionError as error:
                self.seen.faults.append(f"{type(self).__name__}: {error}")
                self.made, self.pending = None, None

    def go_on(self, stub: Any) -> None:
        """Play a game to its end."""
        if self.made is None:
            self.begin(stub, list(self.seats))
        tokens = [one.token for one in self.made.seat_tokens]
        look = games.GetGameRequest(game_id=self.made.game.game_id, tokens=tokens)
        now = stub.GetGame(look)
        while now.game.status != games.GAME_STATUS_OVER:
            self.leaving.wait(self.luck.uniform(0, PACE))
            if self.pending is None and not any(view.actions for view in now.views):
                now = stub.GetGame(look)
            else:
                self.pending = self.pending or self.choose(now, tokens)
                now = self.send(stub)
                self.pending = None
                self.tell(now.entries)
        self.finish(stub)

    def begin(self, stub: Any, seats: list[games.SeatPlan]) -> None:
        """Create a game, and a book for it."""
        super().begin(stub, seats)
        self.told = {}
        self.books[self.made.game.game_id] = self.made.owner_token, self.told

    def tell(self, entries: Any) -> None:
        """Store the entries received."""
        assert not any(entry.played_on for entry in entries), "the server moved for a person who had time"
        for entry in entries:
            known = self.told.setdefault(entry.version, entry.applied.action.text)
            assert known == entry.applied.action.text, f"version {entry.version} was told in two ways"
        self.total += len(entries)

    def compare(self, stub: Any) -> None:
        """Compare the stored game with what it was told."""
        wrong = compare(stub, self.made.game.game_id, self.made.owner_token, self.told)
        assert not wrong, wrong


class Onlooker(Person):
    """Watches games of bots at one server, and resumes when that is there again."""

    def go_on(self, stub: Any) -> None:
        """Watch a game to its end: each entry comes once, and in order."""
        if self.made is None:
            self.begin(stub, [BOT, BOT])
        since, tokens = max(self.told, default=0), [self.made.owner_token]
        request = games.WatchGameRequest(game_id=self.made.game.game_id, tokens=tokens, from_version=since)
        for state in stub.WatchGame(request):
            versions = [entry.version for entry in state.entries]
            following = 1 + max(self.told, default=0)
            assert versions == list(range(following, following + len(versions))), "a stream left something out"
            self.tell(state.entries)
            if self.leaving.is_set():
                return
        if state.game.status == games.GAME_STATUS_OVER:
            self.finish(stub)


def compare(stub: Any, game_id: str, token: str, told: dict[int, str]) -> str:
    """Return what is wrong with a stored game, given what somebody was told of it; "" for nothing."""
    kept = log_of(stub, game_id, token)
    if [entry.version for entry in kept] != list(range(1, len(kept) + 1)):
        return f"the log of {game_id} has gaps"
    texts = {entry.version: entry.applied.action.text for entry in kept}
    wrong = {version for version, text in told.items() if texts.get(version) != text}
    return f"{game_id}: acknowledged entries {wrong} are not stored, or others are" if wrong else ""

"""People and onlookers that play as fast as possible at failing servers, and compare everything they received."""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any
from uuid import UUID

import grpc
from google.protobuf.duration_pb2 import Duration

from clerestory.engine import read_records
from clerestory.v1 import games_pb2 as games
from loadtest.faults.wires import grpc_ending
from loadtest.faults.world import PERSON

DEADLINE = 4.0  # deadline of a call, seconds; an unanswered call is repeated
STREAM = 20.0  # maximum duration of a watched stream, seconds
PAUSE = 0.1  # seconds before another server is called
AVOIDED = 20.0  # seconds for which a server that failed is called last
TIME = 100  # seconds per move of a person: longer than faults, shorter than the clock error of a server
BOT = games.SeatPlan(kind=games.SEAT_KIND_BOT, bot=games.Bot(time_budget=Duration(nanos=300_000_000)))
UNARY = ("CreateGame", "GetGame", "PlayAction", "TakeBack", "GetRecord")
# How calls may end during a fault.
MEANT = {"STORE_FAILED", "DISK_FULL", "FINISHING"}
AWAY = {"unavailable", "cancelled", "deadline_exceeded"}


class LeaveError(Exception):
    """Signals that it is time to leave."""


class RefusedError(Exception):
    """A call was rejected that must never be."""


@dataclass
class Seen:
    """What callers have observed: the number of their calls, and errors as text; none are expected."""

    calls: int = 0
    faults: list[str] = field(default_factory=list)

    def failed(self, name: str, error: Any) -> bool:
        """Record how a call ended; return whether calls may end so during a fault."""
        ending = grpc_ending(error)
        meant = ending.reason in MEANT or (not ending.reason and ending.code in AWAY)
        if not meant:
            self.faults.append(f"{name}: {ending}")
        return meant


class Anywhere:
    """A stub that calls one of the servers, and another one if that fails, until one answers."""

    def __init__(self, stubs: Sequence[Any], seen: Seen, leaving: threading.Event, luck: Random) -> None:
        self._stubs, self._seen, self._leaving, self._luck = stubs, seen, leaving, luck
        self._failed: tuple[Any, float] = None, 0.0  # the server that failed last, and until when it is avoided

    def __getattr__(self, name: str) -> Any:
        if name not in UNARY:
            raise AttributeError(name)
        return lambda request: self._call(name, request)

    def _call(self, name: str, request: Any) -> Any:
        while not self._leaving.is_set():
            for stub in self._in_order():
                self._seen.calls += 1
                try:
                    return getattr(stub, name)(request, timeout=DEADLINE)
                except grpc.RpcError as error:
                    if not self._seen.failed(name, error):
                        raise RefusedError from None
                self._failed = stub, time.monotonic() + AVOIDED
                time.sleep(PAUSE)
        raise LeaveError

    def _in_order(self) -> list[Any]:
        """Return the servers in random order, but last the one that has just failed."""
        failed, until = self._failed
        avoided = failed if time.monotonic() < until else None
        return sorted(self._luck.sample(self._stubs, len(self._stubs)), key=lambda stub: stub is avoided)

    def WatchGame(self, request: Any) -> Any:  # noqa: N802  # gRPC's name
        return self._luck.choice(self._stubs).WatchGame(request, timeout=STREAM)


@dataclass
class Player:
    """Plays games, one after the other, alone or against a bot."""

    luck: Random
    seats: tuple[games.SeatPlan, ...] = (PERSON, PERSON)
    takes_back: float = 0.0  # probability of taking a move back instead of making one
    forced: bool = False  # whether the server plays an only legal action
    pace: float = 0.0  # maximum thinking time, seconds
    seen: Seen = field(default_factory=Seen)
    leaving: threading.Event = field(default_factory=threading.Event)
    made: Any = None  # its game; None between two games
    request_id: str = ""
    pending: Any = None  # unanswered request
    told: dict[int, str] = field(default_factory=dict)  # actions by version, "" for other entries
    books: dict[str, tuple[str, dict[int, str]]] = field(default_factory=dict)  # owners' tokens, and received entries
    total: int = 0  # number of entries received
    played: int = 0  # number of those that the server played as the only legal action
    secrets: set[str] = field(default_factory=set)  # its tokens

    def live(self, stub: Any) -> None:
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
            self.begin(stub)
        tokens = [one.token for one in self.made.seat_tokens]
        look = games.GetGameRequest(game_id=self.made.game.game_id, tokens=tokens)
        now = stub.GetGame(look)
        while self.pending or now.game.status != games.GAME_STATUS_OVER:  # the last move is also requested again
            self.leaving.wait(self.luck.uniform(0, self.pace))
            if self.pending is None and not any(view.actions for view in now.views):
                now = stub.GetGame(look)
            else:
                self.pending = self.pending or self.choose(now, tokens)
                plays = isinstance(self.pending, games.PlayActionRequest)
                now = stub.PlayAction(self.pending) if plays else stub.TakeBack(self.pending)
                self.pending = None
                self.tell(now.entries)
        self.finish(stub)

    def choose(self, now: Any, tokens: list[str]) -> Any:
        fields = {"game_id": self.made.game.game_id, "tokens": tokens, "version": now.game.version}
        if now.game.ply > 1 and self.luck.random() < self.takes_back:
            return games.TakeBackRequest(**fields, ply=now.game.ply - 1)
        actions = next(view.actions for view in now.views if view.actions)
        assert len(actions) > 1 or not self.forced, "the server did not play what is the only legal action"
        return games.PlayActionRequest(**fields, action=self.luck.choice(actions).action.text)

    def begin(self, stub: Any) -> None:
        """Create a game and a record of it; repeat the request if it was not answered."""
        self.request_id = self.request_id or str(UUID(int=self.luck.getrandbits(128)))
        options = games.GameOptions(take_backs=games.TAKE_BACKS_ALL, play_forced=self.forced)
        options.time_per_move.FromSeconds(TIME)
        request = games.CreateGameRequest(game="duel", seats=self.seats, request_id=self.request_id, options=options)
        self.made, self.request_id, self.told = stub.CreateGame(request), "", {}
        self.secrets |= {self.made.owner_token, *(one.token for one in self.made.seat_tokens)}
        self.books[self.made.game.game_id] = self.made.owner_token, self.told

    def tell(self, entries: Any) -> None:
        """Store the entries received."""
        assert not any(entry.played_on for entry in entries), "the server moved for a person who had time"
        for entry in entries:
            known = self.told.setdefault(entry.version, entry.applied.action.text)
            assert known == entry.applied.action.text, f"version {entry.version} was told in two ways"
        self.total += len(entries)
        self.played += sum(entry.forced for entry in entries)

    def finish(self, stub: Any) -> None:
        """Compare a finished game with the received entries, and replay it by the rules."""
        game_id, token = self.made.game.game_id, self.made.owner_token
        if wrong := compare(stub, game_id, token, self.told):
            raise AssertionError(wrong)
        if self.told and all(seat == PERSON for seat in self.seats):
            last = log_of(stub, game_id, token)[-1].version
            assert last == max(self.told), "something was played that nobody asked for"
        request = games.GetRecordRequest(game_id=game_id, tokens=[token])
        (record,) = read_records(stub.GetRecord(request).record.splitlines())
        assert record.state.over, "the record of a game that is over is not"
        self.made = None


@dataclass
class Onlooker(Player):
    """Watches games of bots at one server, and resumes when the server is back."""

    seats: tuple[games.SeatPlan, ...] = (BOT, BOT)

    def go_on(self, stub: Any) -> None:
        """Watch a game to its end: each entry comes once, and in order."""
        if self.made is None:
            self.begin(stub)
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


class Everybody:
    """Players at any of several servers, and onlookers at the first, each in a separate thread until they leave."""

    def __init__(self, stubs: Sequence[Any], players: list[Player], onlookers: list[Onlooker]) -> None:
        self.seen, self.leaving = Seen(), threading.Event()
        self._stubs, self.players, self.onlookers = stubs, players, onlookers
        self.all = [*players, *onlookers]
        self._threads = []
        for one in self.all:
            one.seen, one.leaving = self.seen, self.leaving
            near = stubs[:1] if isinstance(one, Onlooker) else stubs
            stub = Anywhere(near, self.seen, self.leaving, Random(one.luck.random()))
            self._threads.append(threading.Thread(target=one.live, args=(stub,)))
        for thread in self._threads:
            thread.start()

    @property
    def playing(self) -> set[str]:
        return {made.game.game_id for one in self.players if (made := one.made) is not None}

    def shown(self) -> list[tuple[Onlooker, int]]:
        """Return the watchers of running games, and how much of them they have seen."""
        return [(one, one.total) for one in self.onlookers if one.made is not None]

    def leave(self) -> None:
        self.leaving.set()
        for thread in self._threads:
            thread.join()

    def audit(self) -> list[str]:
        """Return observed errors, and differences between games at any server and the entries received."""
        found = []
        for stub in self._stubs:
            anywhere = Anywhere([stub], self.seen, threading.Event(), Random(0))
            books = [book for one in self.all for book in one.books.items()]
            found += [compare(anywhere, game_id, token, told) for game_id, (token, told) in books]
        return [*self.seen.faults, *(fault for fault in found if fault)]


def log_of(stub: Any, game_id: str, token: str) -> list[Any]:
    """Return all entries of a game, including undone ones."""
    entries: list[Any] = []
    now = stub.GetGame(games.GetGameRequest(game_id=game_id, tokens=[token])).game.version
    stream = stub.WatchGame(games.WatchGameRequest(game_id=game_id, tokens=[token], from_version=0))
    while not entries or entries[-1].version < now:  # a long log comes in parts
        entries += next(stream).entries
    stream.cancel()
    return entries


def compare(stub: Any, game_id: str, token: str, told: dict[int, str]) -> str:
    """Return the error of a stored game, given the entries that a player received; "" for none."""
    kept = log_of(stub, game_id, token)
    if [entry.version for entry in kept] != list(range(1, len(kept) + 1)):
        return f"the log of {game_id} has gaps"
    texts = {entry.version: entry.applied.action.text for entry in kept}
    wrong = {version for version, text in told.items() if texts.get(version) != text}
    return f"{game_id}: acknowledged entries {wrong} are not stored, or others are" if wrong else ""

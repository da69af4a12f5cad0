"""Two servers that share the games of one PostgreSQL, while all of it fails; and the books balanced after each fault.

`python -m tests.faults.fleet --seconds 3600` runs in pieces, each with a database of its own, and prints the figures
of all. Pieces that the file of figures has already are not run again, so an hour can be run in parts.
"""

import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import psycopg

from tests.faults.fleet_callers import BOT, Anywhere, Neighbour, Onlooker, Person, Seen, compare
from tests.faults.fleet_faults import KILLS, KINDS, OTHERS
from tests.faults.fleet_servers import Fleet, two_servers, until
from tests.faults.judge import leaks, traces
from tests.faults.pieces import command, sums
from tests.faults.players import PERSON

PIECE = 300.0  # seconds
LIMIT = 15.0  # seconds from the last fault until every game of people moves again
BOTS = 60.0  # seconds until games of bots only move
STILL = 25.0  # seconds that a game may be due at most: LIMIT, and what a person gets after an outage
BURST = 8.0  # seconds of faults one upon another
ALONE = 0.35  # the share of faults that come alone, and are measured
MANY = 16  # faults of a burst at most
DUELISTS, BOTTED, WATCHERS = 2, 4, 2  # games at a time: of two people, of a person and a bot, of bots that are watched
SESSIONS = 9  # connections that a server has to the database at most
OWN, THREADS = 16, 12  # descriptors and threads that a server opens when it is first used: connections, pools
REMEMBERED = 40  # latest events, told with a game that stands still
QUIET = 30.0  # seconds until all that callers held is given back


@dataclass
class Tally:
    """What came of a piece.

    Attributes:
        kills: SIGKILLs.
        others: other faults.
        done: how many of each kind.
        alone: how many of each kind came alone, and in seconds how long it took each time until all games of people
            moved again: since its beginning, or since its end where it stops games at all servers.
        bursts: the same of faults one upon another, since the last of them.
        endings: how calls without an answer ended, by kind of fault.
        longest: seconds of the longest call, by kind of fault.
        entries: that players and watchers were told of.
        over: games that were played to their ends and replayed by the rules.
        faults: in words; there should be none.
    """

    seed: int
    seconds: float = 0.0
    kills: int = 0
    others: int = 0
    done: dict[str, int] = field(default_factory=dict)
    alone: dict[str, list[float]] = field(default_factory=dict)
    bursts: list[float] = field(default_factory=list)
    endings: dict[str, dict[str, int]] = field(default_factory=dict)
    longest: dict[str, float] = field(default_factory=dict)
    calls: int = 0
    entries: int = 0
    over: int = 0
    faults: list[str] = field(default_factory=list)


class Round:
    """Faults, and the wait until the games go on."""

    def __init__(self, fleet: Fleet, everybody: "Everybody", luck: Random) -> None:
        self._fleet, self._everybody, self._luck = fleet, everybody, luck
        self._done: Counter[str] = Counter()
        self._events: deque[str] = deque(maxlen=REMEMBERED)

    def count(self, tally: Tally) -> None:
        """Add up what failed."""
        tally.done = dict(self._done)
        tally.kills = sum(self._done[kind] for kind in KILLS)
        tally.others = sum(self._done[kind] for kind in OTHERS)

    @contextmanager
    def _under(self, name: str) -> Iterator[None]:
        """Let something fail for the duration of the `with`."""
        with KINDS[name].run(self._fleet, self._luck) as number:
            self._done[name] += number
            self._events.append(f"{datetime.now(UTC):%H:%M:%S.%f} {name}")
            yield
        self._events.append(f"{datetime.now(UTC):%H:%M:%S.%f} end of {name}")

    def alone(self, name: str, tally: Tally) -> None:
        """Let one thing fail, and measure how long games stand still."""
        kind, seen = KINDS[name], self._everybody.seen
        seen.phase = name
        before = self._standing()
        began = time.monotonic()
        with self._under(name):
            if kind.everywhere:
                time.sleep(self._luck.uniform(0.0, kind.longest))
            elif kind.longest:
                tally.alone.setdefault(name, []).append(self._wait(began, before, name))
        if kind.everywhere or not kind.longest:
            began = time.monotonic() if kind.everywhere else began
            tally.alone.setdefault(name, []).append(self._wait(began, before, name))
        self._settle(name)

    def burst(self, names: list[str], tally: Tally) -> None:
        """Let many things fail, one upon another."""
        self._everybody.seen.phase = "burst"
        events = sorted((self._luck.uniform(0.0, BURST), name) for name in names)
        began = time.monotonic()
        with ExitStack() as stack:
            for at, name in events:
                time.sleep(max(0.0, began + at - time.monotonic()))
                if KINDS[name].everywhere and self._luck.random() < 0.5:
                    with self._under(name):
                        time.sleep(self._luck.uniform(0.0, min(1.0, KINDS[name].longest)))
                else:
                    stack.enter_context(self._under(name))
        self._fleet.mend()
        ended = time.monotonic()
        tally.bursts.append(self._wait(ended, self._standing(), "+".join(sorted(names))))
        self._settle("a burst")

    def _settle(self, name: str) -> None:
        """Wait until watchers have caught up and no game stands still."""
        faults = self._everybody.seen.faults
        shown = self._everybody.shown()
        if not until(LIMIT, lambda: all(one.total > since for one, since in shown)):
            faults.append(f"watchers have not caught up after {name}")
        late = self._fleet.ask(
            "SELECT id FROM game WHERE NOT bots_only AND due < (extract(epoch FROM clock_timestamp()) - %s) * 1000",
            STILL,
        )
        if late:
            faults.append(f"{len(late)} games stand still after {name}: {late[:3]}")
        most = SESSIONS * len(self._fleet.replicas)
        if not until(LIMIT, lambda: self._fleet.sessions() <= most):
            faults.append(f"{self._fleet.sessions()} connections to the database after {name}")
        self._everybody.seen.phase = ""

    def _standing(self) -> dict[str, Any]:
        """Return the games of people, as they stand now."""
        while True:
            try:
                return {game: now for game, now in self._fleet.progress().items() if not now[1]}
            except psycopg.Error:
                time.sleep(0.05)

    def _wait(self, began: float, before: dict[str, Any], name: str) -> float:
        """Return how many seconds after a moment every game of people has moved: its second seat has, or it is over."""
        left = set(before)

        def moved() -> bool:
            played = self._everybody.playing
            now = self._standing()
            for game in [*left]:
                if game not in now or (now[game][2] > before[game][2]) or (game not in played and now[game][0] is None):
                    left.discard(game)
            return not left

        if not until(began + LIMIT - time.monotonic(), moved):
            now = self._standing()
            told = [f"{game}: {before[game]}, {now.get(game)}" for game in left]
            for replica in self._fleet.replicas:
                replica.signal(signal.SIGUSR1)  # it tells what it is doing
            self._everybody.seen.faults.append(
                f"{len(left)} games have not moved {LIMIT:g} s after {name}: {told[:3]} {[*self._events]}"
            )
        return time.monotonic() - began


class Everybody:
    """Whoever takes part in a piece."""

    def __init__(self, fleet: Fleet, seed: int) -> None:
        self._fleet, self.seen, self.leaving = fleet, Seen(), threading.Event()
        players = [self._person(seed, n, (PERSON, PERSON), 0.05) for n in range(DUELISTS)]
        players += [self._person(seed, DUELISTS + n, (PERSON, BOT), 0.0) for n in range(BOTTED)]
        watchers: list[Onlooker] = [Onlooker(Random(f"{seed} watcher {n}")) for n in range(WATCHERS)]
        watchers += [Neighbour(Random(f"{seed} neighbour {n}"), whose=one) for n, one in enumerate(players[1:])]
        self.players, self.watchers, self.all = players, watchers, (*players, *watchers)
        stubs = [replica.stub for replica in fleet.replicas]
        self._threads = []
        for one in self.all:
            one.seen, one.leaving = self.seen, self.leaving
            near = stubs[:1] if isinstance(one, Onlooker) else stubs
            stub = Anywhere(near, self.seen, self.leaving, Random(one.luck.random()))
            self._threads.append(threading.Thread(target=one.live, args=(stub,)))
        for thread in self._threads:
            thread.start()

    def _person(self, seed: int, number: int, seats: tuple[Any, ...], takes_back: float) -> Person:
        return Person(Random(f"{seed} player {number}"), takes_back=takes_back, seats=seats)

    @property
    def playing(self) -> set[str]:
        """The games of people who are there."""
        return {made.game.game_id for one in self.players if (made := one.made) is not None}

    def shown(self) -> list[tuple[Onlooker, int]]:
        """Return who watches a game that goes on, and how much of it they have seen."""
        return [(one, one.total) for one in self.watchers if one.made is not None]

    def leave(self) -> None:
        """Let all go."""
        self.leaving.set()
        for thread in self._threads:
            thread.join()

    def audit(self, seed: int) -> list[str]:
        """Compare all games with all that anybody was told of them, at every server."""
        found = []
        for number, replica in enumerate(self._fleet.replicas):
            stub = Anywhere([replica.stub], self.seen, threading.Event(), Random(f"{seed} audit {number}"))
            books = [book for one in self.all for book in one.books.items()]
            found += [compare(stub, game_id, token, told) for game_id, (token, told) in books]
        return [fault for fault in found if fault] + self._games_made()

    def _games_made(self) -> list[str]:
        """Compare the number of games with that of requests for one."""
        named = {game_id for one in self.all for game_id in one.books}
        pending = sum(bool(one.request_id) for one in self.all)
        stored = {game_id for (game_id,) in self._fleet.ask("SELECT id FROM game")}
        lost, more = named - stored, len(stored - named) - pending
        return [f"{len(lost)} games are lost"] * bool(lost) + [f"{more} games were made twice"] * (more > 0)


def fly(folder: Path, seed: int, seconds: float = PIECE) -> Tally:
    """Run a piece of about that many seconds, and return what came of it."""
    tally, began = Tally(seed), time.monotonic()
    with two_servers(folder, ("text", "json")[seed % 2]) as fleet:
        fresh = [replica.held() for replica in fleet.replicas]
        everybody = Everybody(fleet, seed)
        try:
            fail(fleet, everybody, tally, began + seconds)
            tally.faults += stand_still(fleet)
        finally:
            everybody.leave()
        tally.faults += everybody.audit(seed) + not_given_back(fleet, fresh)
        secrets = fleet.secrets().union(*(one.secrets for one in everybody.all))
    settle(tally, everybody)
    for replica in fleet.replicas:
        tally.faults += replica.faults + leaks(replica.output(), secrets) + traces(replica.output())
    tally.seconds = time.monotonic() - began
    return tally


def fail(fleet: Fleet, everybody: Everybody, tally: Tally, ends: float) -> None:
    """Let one thing fail, or many one upon another: once, and again until a time is over."""
    luck = Random(tally.seed)
    rounds = Round(fleet, everybody, luck)
    until(BOTS, lambda: len(fleet.progress()) >= len(everybody.players) + WATCHERS)
    while True:
        if luck.random() < ALONE:
            rounds.alone(luck.choice(list(KINDS)), tally)
        else:
            names = [luck.choice(list(luck.choice((KILLS, OTHERS, OTHERS)))) for _ in range(luck.randint(4, MANY))]
            rounds.burst(names, tally)
        if time.monotonic() > ends:
            break
    rounds.count(tally)


def settle(tally: Tally, everybody: Everybody) -> None:
    """Add up what callers have met."""
    seen = everybody.seen
    tally.faults += seen.faults
    tally.endings = {phase: dict(found) for phase, found in seen.endings.items()}
    tally.longest, tally.calls = seen.longest, seen.calls
    tally.entries = sum(one.total for one in everybody.all)
    tally.over = sum(one.over for one in everybody.all)


def stand_still(fleet: Fleet) -> list[str]:
    """Return what is wrong with games of bots once nothing fails any more."""
    before = {game: now for game, now in fleet.progress().items() if now[1]}
    moved = until(BOTS, lambda: all(fleet.progress().get(game) != now for game, now in before.items()))
    return [] if moved else ["games of bots stand still"]


def not_given_back(fleet: Fleet, fresh: list[tuple[int, int]]) -> list[str]:
    """Return what servers hold too much once all callers have left, given what they held at first."""
    found = []
    for replica, (descriptors, threads) in zip(fleet.replicas, fresh, strict=True):
        if not until(QUIET, lambda: replica.held()[0] <= descriptors + OWN):  # noqa: B023
            found.append(f"{replica.held()[0]} descriptors, {descriptors} at first")
        if replica.held()[1] > threads + THREADS:
            found.append(f"{replica.held()[1]} threads, {threads} at first")
    return found


def table(done: list[dict[str, Any]]) -> str:
    """Return the figures of pieces together, as two tables of Markdown."""
    rows = [*sums(done, SUMS), ""]
    for name, kind in KINDS.items():
        times = [time for one in done for time in one["alone"].get(name, ())]
        ends = sum((Counter(one["endings"].get(name, {})) for one in done), Counter[str]())
        number = sum(one["done"].get(name, 0) for one in done)
        rows.append(f"| {kind.what} | {number} | {figures(times)} | {dict(ends.most_common(4))} |")
    rows.append(f"| Many at once | | {figures([time for one in done for time in one['bursts']])} | |")
    return "\n".join(rows)


def figures(times: list[float]) -> str:
    """Return the median and the longest of times, and how many there are."""
    return f"{median(times):.1f}; {max(times):.1f} s of {len(times)}" if times else ""


SUMS = ("seconds", "kills", "others", "calls", "entries", "over")


if __name__ == "__main__":
    command(fly, PIECE, "build/fleet.jsonl", table)

"""Two servers that share the games of one PostgreSQL while everything fails; the games are audited after each fault.

`python -m loadtest.faults.fleet --seconds 3600` runs in pieces, each with a separate database, and prints for how long
games stood still. `--alone 'kill one' --alone 'pause one'` only uses these kinds of faults, one after the other.
"""

import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import psycopg
import typer

from loadtest.faults.fleet_servers import OURS, Fleet, Replica, two_servers, until
from loadtest.faults.judge import leaks, traces
from loadtest.faults.players import BOT, Everybody, Onlooker, Player
from loadtest.faults.postgres import FAST, IMMEDIATE
from loadtest.faults.world import PERSON

LEAP = 120  # error of a server's clock, seconds
HEARTBEATS = f"{OURS} AND (query LIKE 'LISTEN%' OR query LIKE '%INSERT INTO server %')"


Fault = Callable[[Fleet, Random], AbstractContextManager[int]]  # begins; yields its number of faults


@dataclass(frozen=True)
class Kind:
    """A kind of faults."""

    what: str  # text of the table in docs/hosting.md
    run: Fault
    longest: float = 0.0  # maximum duration, seconds; 0 for an instantaneous one
    everywhere: bool = False  # whether it stops games at all servers as long as it lasts; otherwise others take over


@contextmanager
def during(begin: Callable[[], object], end: Callable[[], object] = lambda: None, number: int = 1) -> Iterator[int]:
    """Begin a number of faults, and end them."""
    begin()
    yield number
    end()


def signal_all(replicas: Sequence[Replica], number: int) -> None:
    for replica in replicas:
        replica.signal(number)


def kill(number: int) -> Fault:
    """Kill one server, or both."""

    def run(fleet: Fleet, luck: Random) -> AbstractContextManager[int]:
        replicas = luck.sample(fleet.replicas, number)
        return during(partial(signal_all, replicas, signal.SIGKILL), number=number)

    return run


def pause(fleet: Fleet, luck: Random) -> AbstractContextManager[int]:
    replica = luck.choice(fleet.replicas)
    return during(lambda: replica.signal(signal.SIGSTOP), lambda: replica.signal(signal.SIGCONT))


def switch(name: str, *numbers: int) -> Fault:
    """Silence some networks, so that nothing arrives and nothing is closed, or drop the answers to COMMIT."""

    def run(fleet: Fleet, luck: Random) -> AbstractContextManager[int]:
        proxies = luck.sample(fleet.proxies, luck.choice(numbers))

        def turn(on: bool) -> None:
            for proxy in proxies:
                setattr(proxy, name, on)

        return during(partial(turn, True), partial(turn, False))

    return run


def forget(fleet: Fleet, luck: Random) -> AbstractContextManager[int]:
    """Let a firewall forget connections: nothing arrives on them; new ones work."""
    proxy = luck.choice(fleet.proxies)
    return during(proxy.forget, proxy.stale.clear)  # otherwise the database would not learn that they are closed


def restart(how: int) -> Fault:
    return lambda fleet, _: during(lambda: fleet.cluster.stop(how), fleet.cluster.start)


def end_sessions(which: str) -> Fault:
    @contextmanager
    def run(fleet: Fleet, _: Random) -> Iterator[int]:
        ended: list[object] = []
        with suppress(psycopg.Error):  # the database may be down
            ended = fleet.ask(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {which}")
        yield bool(ended)

    return run


@contextmanager
def fill_disk(fleet: Fleet, _: Random) -> Iterator[int]:
    """Let the database report a full disk (53100) for every write to games."""
    done = 0
    with suppress(psycopg.Error):
        fleet.ask("INSERT INTO full_disk DEFAULT VALUES")
        done = 1
    yield done
    with suppress(psycopg.Error):
        fleet.ask("DELETE FROM full_disk")


def set_clock(fleet: Fleet, luck: Random) -> AbstractContextManager[int]:
    return during(partial(luck.choice(fleet.replicas).set_clock, luck.choice((-LEAP, 0, LEAP))))


KILLS = {
    "kill one": Kind("A server dies (SIGKILL)", kill(1)),
    "kill both": Kind("Both servers die", kill(2), everywhere=True),
}
OTHERS = {
    "pause one": Kind("A server is suspended (SIGSTOP)", pause, 12.0),
    "restart fast": Kind("PostgreSQL restarts", restart(FAST), 2.0, everywhere=True),
    "restart immediate": Kind("PostgreSQL crashes and restarts", restart(IMMEDIATE), 2.0, everywhere=True),
    "end sessions": Kind("Connections to the database are ended", end_sessions(f"{OURS} AND random() < 0.5")),
    "end heartbeats": Kind("The connections that listen are ended", end_sessions(HEARTBEATS)),
    "silence one": Kind("A server's network to the database falls silent", switch("silent", 1), 14.0),
    "silence both": Kind("The network to the database falls silent", switch("silent", 2), 12.0, everywhere=True),
    "forget": Kind("A firewall forgets a server's connections", forget, 14.0),
    "lost commits": Kind("Answers to COMMIT are lost", switch("losing", 1, 2), 2.0, everywhere=True),
    "full disk": Kind("The disk of the database is full", fill_disk, 3.0, everywhere=True),
    "clock": Kind("The date of a server jumps by two minutes", set_clock),
}
KINDS = KILLS | OTHERS


PIECE = 300.0  # seconds
LIMIT = 120.0  # seconds from the last fault until every game moves again; about ten on a quiet machine
BURST = 8.0  # seconds of overlapping faults
ALONE = 0.35  # share of faults that come alone, and are measured
MOST = 16  # maximum faults of a burst
DUELISTS, BOTTED, WATCHERS = 2, 4, 2  # concurrent games: of two people, of a person and a bot, of watched bots
PACE = 0.3  # maximum thinking time of a person, seconds
SESSIONS = 9  # maximum connections of a server to the database
OWN, THREADS = 16, 12  # descriptors and threads that a server opens on first use: connections, pools


@dataclass
class Tally:
    """The results of a piece."""

    done: Counter[str] = field(default_factory=Counter)  # number of faults by kind
    # For how many seconds games of people stood still, by kind of a fault that came alone: since its beginning, or
    # since its end where it stops games at all servers; by "" for many faults at once.
    still: dict[str, list[float]] = field(default_factory=dict)
    calls: int = 0
    entries: int = 0  # received by players and watchers
    faults: list[str] = field(default_factory=list)

    def number(self, kinds: Any) -> int:
        return sum(self.done[kind] for kind in kinds)


class Round:
    """Faults, and the wait until the games continue."""

    def __init__(self, fleet: Fleet, everybody: Everybody, luck: Random, tally: Tally) -> None:
        self._fleet, self._everybody, self._luck, self._tally = fleet, everybody, luck, tally

    @contextmanager
    def _under(self, name: str) -> Iterator[None]:
        """Apply a fault for the duration of the block."""
        with KINDS[name].run(self._fleet, self._luck) as number:
            self._tally.done[name] += number
            yield

    def alone(self, name: str) -> None:
        """Apply one fault, and measure how long games stand still."""
        kind, before, began = KINDS[name], self._standing(), time.monotonic()
        with self._under(name):
            if kind.everywhere:
                time.sleep(self._luck.uniform(0.0, kind.longest))
            else:
                self._wait(name, began, before)
        if kind.everywhere:
            self._wait(name, time.monotonic(), before)
        self._settle(name)

    def burst(self, names: list[str]) -> None:
        """Apply many overlapping faults."""
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
        self._wait("", time.monotonic(), self._standing())
        self._settle("a burst")

    def _settle(self, name: str) -> None:
        """Wait until watchers have caught up, and servers have no more connections than allowed."""
        shown = self._everybody.shown()
        if not until(LIMIT, lambda: all(one.total > since for one, since in shown)):
            self._everybody.seen.faults.append(f"watchers have not caught up after {name}")
        if not until(LIMIT, lambda: self._fleet.sessions() <= SESSIONS * len(self._fleet.replicas)):
            self._everybody.seen.faults.append(f"{self._fleet.sessions()} connections to the database after {name}")

    def _standing(self) -> dict[str, Any]:
        while True:
            try:
                return {game: now for game, now in self._fleet.progress().items() if not now[1]}
            except psycopg.Error:
                time.sleep(0.05)

    def _wait(self, name: str, began: float, before: dict[str, Any]) -> None:
        """Wait until every game of people has continued (its second seat has moved), or ended; record the time."""
        left = set(before)

        def moved() -> bool:
            playing, now = self._everybody.playing, self._standing()
            for game in [*left]:
                if game not in now or now[game][2] > before[game][2] or (game not in playing and now[game][0] is None):
                    left.discard(game)
            return not left

        if not until(LIMIT, moved):
            now = self._standing()
            told = [f"{game}: {before[game]}, {now.get(game)}" for game in left]
            self._everybody.seen.faults.append(
                f"{len(left)} games have not moved after {name or 'a burst'}: {told[:3]}"
            )
        self._tally.still.setdefault(name, []).append(time.monotonic() - began)


def everybody_at(fleet: Fleet, seed: int) -> Everybody:
    duelists = [Player(Random(f"{seed} duelist {n}"), takes_back=0.05, pace=PACE) for n in range(DUELISTS)]
    botted = [Player(Random(f"{seed} player {n}"), seats=(PERSON, BOT), pace=PACE) for n in range(BOTTED)]
    onlookers = [Onlooker(Random(f"{seed} watcher {n}")) for n in range(WATCHERS)]
    return Everybody([replica.stub for replica in fleet.replicas], [*duelists, *botted], onlookers)


def games_made(fleet: Fleet, everybody: Everybody) -> list[str]:
    """Compare the stored games with those that were requested."""
    named = {game_id for one in everybody.all for game_id in one.books}
    pending = sum(bool(one.request_id) for one in everybody.all)
    stored = {game_id for (game_id,) in fleet.ask("SELECT id FROM game")}
    lost = [f"games are lost: {named - stored}"] if named - stored else []
    return lost + ([f"games were made twice: {stored - named}"] if len(stored - named) > pending else [])


def fly(folder: Path, seed: int, seconds: float = PIECE, alone: Sequence[str] = ()) -> Tally:
    """Run a piece of about `seconds` seconds, and return its results.

    Args:
        folder: folder for the servers' output.
        seed: seed of all random choices.
        seconds: duration of the faults.
        alone: kinds of faults to use, one after the other; none for all kinds, including bursts.
    """
    tally, ends = Tally(), time.monotonic() + seconds
    with two_servers(folder, ("text", "json")[seed % 2]) as fleet:
        fresh = [replica.held() for replica in fleet.replicas]
        everybody = everybody_at(fleet, seed)
        try:
            fail(fleet, everybody, Random(seed), tally, ends, alone)
            tally.faults += stand_still(fleet)
        finally:
            everybody.leave()
        tally.faults += everybody.audit() + games_made(fleet, everybody)
        tally.faults += not_given_back(fleet.replicas, fresh)
        secrets = fleet.secrets().union(*(one.secrets for one in everybody.all))
    tally.calls = everybody.seen.calls
    tally.entries = sum(one.total for one in everybody.all)
    for replica in fleet.replicas:
        tally.faults += replica.faults + leaks(replica.output(), secrets) + traces(replica.output())
    return tally


def fail(fleet: Fleet, everybody: Everybody, luck: Random, tally: Tally, ends: float, alone: Sequence[str]) -> None:
    """Apply one fault, or a burst: once, and again until the time is over."""
    round_ = Round(fleet, everybody, luck, tally)
    until(LIMIT, lambda: len(fleet.progress()) >= len(everybody.players) + WATCHERS)
    while True:
        if alone or luck.random() < ALONE:
            round_.alone(luck.choice(alone or list(KINDS)))
        else:
            round_.burst(
                [luck.choice(list(luck.choice((KILLS, OTHERS, OTHERS)))) for _ in range(luck.randint(4, MOST))]
            )
        if time.monotonic() > ends:
            break


def stand_still(fleet: Fleet) -> list[str]:
    """Return errors about games of bots that stand still without faults."""
    before = {game: now for game, now in fleet.progress().items() if now[1]}
    moved = until(LIMIT, lambda: all(fleet.progress().get(game) != now for game, now in before.items()))
    return [] if moved else ["games of bots stand still"]


def not_given_back(replicas: list[Replica], fresh: list[tuple[int, int]]) -> list[str]:
    """Return the resources that servers still hold after all callers have left, beyond their initial ones."""
    found = []
    for replica, (descriptors, threads) in zip(replicas, fresh, strict=True):
        if not until(LIMIT, lambda: replica.held()[0] <= descriptors + OWN):  # noqa: B023
            found.append(f"{replica.held()[0]} descriptors, {descriptors} at first")
        if replica.held()[1] > threads + THREADS:
            found.append(f"{replica.held()[1]} threads, {threads} at first")
    return found


def main(
    seconds: Annotated[float, typer.Option(help="Of all pieces together.")] = 3600.0,
    seed: int = 0,
    alone: Annotated[list[str], typer.Option(help="Kind of the faults, which then come one after the other.")] = [],  # noqa: B006
) -> None:
    """Run pieces, and print their figures; exit with 1 for a fault."""
    if unknown := {*alone} - {*KINDS}:
        raise typer.BadParameter(f"no kinds of faults: {sorted(unknown)}; there are {', '.join(KINDS)}")
    done = []
    for piece in range(seed, seed + max(1, round(seconds / PIECE))):
        with TemporaryDirectory(prefix="fleet-") as folder:
            done.append(fly(Path(folder), piece, alone=alone))
        times = {name: [round(time, 1) for time in sorted(found)] for name, found in done[-1].still.items() if name}
        typer.echo("\n  ".join([f"piece {piece}: {len(done[-1].faults)} faults, {times}", *done[-1].faults[:20]]))
    typer.echo(table(done))
    raise typer.Exit(any(one.faults for one in done))


def table(done: list[Tally]) -> str:
    """Return the figures of all pieces, as a Markdown table; the last row is for bursts."""
    kills, others = (sum(one.number(kinds) for one in done) for kinds in (KILLS, OTHERS))
    rows = [f"{kills} SIGKILLs, {others} other faults, {sum(one.calls for one in done)} calls", "", "|||", "|---|---|"]
    for name in (*KINDS, ""):
        times = [time for one in done for time in one.still.get(name, ())]
        figures = f"{median(times):.1f}; {max(times):.1f} s" if times else ""
        rows.append(f"| {KINDS[name].what if name else 'all of it at once'} | {figures} |")
    return "\n".join(rows)


if __name__ == "__main__":
    typer.run(main)

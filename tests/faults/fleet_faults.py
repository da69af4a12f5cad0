"""What fails in a fleet, by name: each begins, and ends what it began."""

import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from random import Random

import psycopg

from tests.faults.fleet_servers import OURS, Fleet
from tests.postgres import FAST, IMMEDIATE

LEAP = 120  # seconds that the date of a server is wrong
HEARTBEATS = f"{OURS} AND (query LIKE 'LISTEN%' OR query LIKE '%INSERT INTO server %')"


@dataclass(frozen=True)
class Kind:
    """A kind of faults.

    Attributes:
        what: of the table in docs/hosting.md.
        run: begins one for the duration of a `with`; yields how many faults it is.
        longest: seconds that one lasts at most; 0 for one that is over at once.
        everywhere: it stops games at all servers as long as it lasts, else others take over.
    """

    what: str
    run: Callable[[Fleet, Random], AbstractContextManager[int]]
    longest: float = 0.0
    everywhere: bool = False


def kill(servers: int) -> Callable[[Fleet, Random], AbstractContextManager[int]]:
    """Return the death of so many servers."""

    @contextmanager
    def run(fleet: Fleet, luck: Random) -> Iterator[int]:
        for replica in luck.sample(fleet.replicas, servers):
            replica.signal(signal.SIGKILL)
        yield servers

    return run


@contextmanager
def pause_one(fleet: Fleet, luck: Random) -> Iterator[int]:
    """A server stands still, as on a machine that is suspended."""
    replica = luck.choice(fleet.replicas)
    replica.signal(signal.SIGSTOP)
    yield 1
    replica.signal(signal.SIGCONT)


def silence(servers: int) -> Callable[[Fleet, Random], AbstractContextManager[int]]:
    """Return a silence: nothing arrives any more between so many servers and the database, and nothing is closed."""

    @contextmanager
    def run(fleet: Fleet, luck: Random) -> Iterator[int]:
        proxies = luck.sample(fleet.proxies, servers)
        for proxy in proxies:
            proxy.silent = True
        yield 1
        for proxy in proxies:
            proxy.silent = False

    return run


@contextmanager
def forget(fleet: Fleet, luck: Random) -> Iterator[int]:
    """A firewall forgets the connections of a server: nothing arrives on them; new ones work."""
    proxy = luck.choice(fleet.proxies)
    proxy.forget()
    yield 1
    proxy.stale.clear()  # else the database would not learn that they are closed


@contextmanager
def lose_answers(fleet: Fleet, luck: Random) -> Iterator[int]:
    """The answers to COMMIT are lost, with the connections."""
    proxies = luck.sample(fleet.proxies, luck.randint(1, 2))
    for proxy in proxies:
        proxy.losing = True
    yield 1
    for proxy in proxies:
        proxy.losing = False


def restart(how: int) -> Callable[[Fleet, Random], AbstractContextManager[int]]:
    """Return a restart of the database, stopped in a way."""

    @contextmanager
    def run(fleet: Fleet, luck: Random) -> Iterator[int]:
        fleet.cluster.stop(how)
        yield 1
        fleet.cluster.start()

    return run


def end_sessions(which: str) -> Callable[[Fleet, Random], AbstractContextManager[int]]:
    """Return a fault that ends sessions in the database, given a condition in SQL."""

    @contextmanager
    def run(fleet: Fleet, luck: Random) -> Iterator[int]:
        ended: list[object] = []
        with suppress(psycopg.Error):  # it is away itself
            ended = fleet.ask(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {which}")
        yield bool(ended)

    return run


@contextmanager
def fill_disk(fleet: Fleet, luck: Random) -> Iterator[int]:
    """The database has no space: it says so (53100) to whatever would be stored of games."""
    done = 0
    with suppress(psycopg.Error):
        fleet.ask("INSERT INTO full_disk DEFAULT VALUES")
        done = 1
    yield done
    with suppress(psycopg.Error):
        fleet.ask("DELETE FROM full_disk")


@contextmanager
def step_clock(fleet: Fleet, luck: Random) -> Iterator[int]:
    """The date of a server jumps, and stays wrong."""
    luck.choice(fleet.replicas).set_clock(luck.choice((-LEAP, 0, LEAP)))
    yield 1


KILLS = {
    "kill one": Kind("A server dies (SIGKILL)", kill(1)),
    "kill both": Kind("Both servers die", kill(2), everywhere=True),
}
OTHERS = {
    "pause one": Kind("A server is suspended (SIGSTOP)", pause_one, longest=12.0),
    "restart fast": Kind("PostgreSQL restarts", restart(FAST), longest=2.0, everywhere=True),
    "restart immediate": Kind("PostgreSQL crashes and restarts", restart(IMMEDIATE), longest=2.0, everywhere=True),
    "end sessions": Kind("Connections to the database are ended", end_sessions(f"{OURS} AND random() < 0.5")),
    "end heartbeats": Kind("The connections that listen are ended", end_sessions(HEARTBEATS)),
    "silence one": Kind("A server's network to the database falls silent", silence(1), longest=14.0),
    "silence both": Kind("The network to the database falls silent", silence(2), longest=12.0, everywhere=True),
    "forget": Kind("A firewall forgets a server's connections", forget, longest=14.0),
    "lost commits": Kind("Answers to COMMIT are lost", lose_answers, longest=2.0, everywhere=True),
    "full disk": Kind("The disk of the database is full", fill_disk, longest=3.0, everywhere=True),
    "clock": Kind("The date of a server jumps by two minutes", step_clock),
}
KINDS = KILLS | OTHERS

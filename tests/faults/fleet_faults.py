"""The faults of a fleet, by name: each begins, and ends what it began."""

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from random import Random

import psycopg

from tests.faults.fleet_servers import OURS, Fleet, Replica
from tests.postgres import FAST, IMMEDIATE
from tests.server.games.proxy import Proxy

LEAP = 120  # error of a server's clock, seconds
HEARTBEATS = f"{OURS} AND (query LIKE 'LISTEN%' OR query LIKE '%INSERT INTO server %')"


@dataclass(frozen=True)
class Kind:
    """A kind of faults."""

    what: str  # text of the table in docs/hosting.md
    run: Callable[[Fleet, Random], AbstractContextManager[int]]  # begins one; yields its number of faults
    longest: float = 0.0  # maximum duration, seconds; 0 for an instantaneous one
    everywhere: bool = False  # whether it stops games at all servers as long as it lasts; otherwise others take over


@contextmanager
def during(begin: Callable[[], object], end: Callable[[], object] = lambda: None, number: int = 1) -> Iterator[int]:
    """Begin a number of faults, and end them."""
    begin()
    yield number
    end()


def kill(replicas: Sequence[Replica]) -> AbstractContextManager[int]:
    return during(lambda: [replica.signal(signal.SIGKILL) for replica in replicas], number=len(replicas))


def pause(replica: Replica) -> AbstractContextManager[int]:
    return during(lambda: replica.signal(signal.SIGSTOP), lambda: replica.signal(signal.SIGCONT))


def switch(proxies: Sequence[Proxy], name: str) -> AbstractContextManager[int]:
    """Silence networks, so that nothing arrives and nothing is closed, or drop the answers to COMMIT."""
    return during(*(lambda on=on: [setattr(proxy, name, on) for proxy in proxies] for on in (True, False)))


def forget(proxy: Proxy) -> AbstractContextManager[int]:
    """Let a firewall forget connections: nothing arrives on them; new ones work."""
    return during(proxy.forget, proxy.stale.clear)  # otherwise the database would not learn that they are closed


def restart(fleet: Fleet, how: int) -> AbstractContextManager[int]:
    return during(lambda: fleet.cluster.stop(how), fleet.cluster.start)


@contextmanager
def end_sessions(fleet: Fleet, which: str) -> Iterator[int]:
    ended: list[object] = []
    with suppress(psycopg.Error):  # the database may be down
        ended = fleet.ask(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {which}")
    yield bool(ended)


@contextmanager
def fill_disk(fleet: Fleet) -> Iterator[int]:
    """Let the database report a full disk (53100) for every write to games."""
    done = 0
    with suppress(psycopg.Error):
        fleet.ask("INSERT INTO full_disk DEFAULT VALUES")
        done = 1
    yield done
    with suppress(psycopg.Error):
        fleet.ask("DELETE FROM full_disk")


KILLS = {
    "kill one": Kind("A server dies (SIGKILL)", lambda fleet, luck: kill([luck.choice(fleet.replicas)])),
    "kill both": Kind("Both servers die", lambda fleet, _: kill(fleet.replicas), everywhere=True),
}
OTHERS = {
    "pause one": Kind(
        "A server is suspended (SIGSTOP)", lambda fleet, luck: pause(luck.choice(fleet.replicas)), longest=12.0
    ),
    "restart fast": Kind("PostgreSQL restarts", lambda fleet, _: restart(fleet, FAST), longest=2.0, everywhere=True),
    "restart immediate": Kind(
        "PostgreSQL crashes and restarts", lambda fleet, _: restart(fleet, IMMEDIATE), longest=2.0, everywhere=True
    ),
    "end sessions": Kind(
        "Connections to the database are ended", lambda fleet, _: end_sessions(fleet, f"{OURS} AND random() < 0.5")
    ),
    "end heartbeats": Kind("The connections that listen are ended", lambda fleet, _: end_sessions(fleet, HEARTBEATS)),
    "silence one": Kind(
        "A server's network to the database falls silent",
        lambda fleet, luck: switch([luck.choice(fleet.proxies)], "silent"),
        longest=14.0,
    ),
    "silence both": Kind(
        "The network to the database falls silent",
        lambda fleet, _: switch(fleet.proxies, "silent"),
        longest=12.0,
        everywhere=True,
    ),
    "forget": Kind(
        "A firewall forgets a server's connections",
        lambda fleet, luck: forget(luck.choice(fleet.proxies)),
        longest=14.0,
    ),
    "lost commits": Kind(
        "Answers to COMMIT are lost",
        lambda fleet, luck: switch(luck.sample(fleet.proxies, luck.randint(1, 2)), "losing"),
        longest=2.0,
        everywhere=True,
    ),
    "full disk": Kind(
        "The disk of the database is full", lambda fleet, _: fill_disk(fleet), longest=3.0, everywhere=True
    ),
    "clock": Kind(
        "The date of a server jumps by two minutes",
        lambda fleet, luck: during(partial(luck.choice(fleet.replicas).set_clock, luck.choice((-LEAP, 0, LEAP)))),
    ),
}
KINDS = KILLS | OTHERS

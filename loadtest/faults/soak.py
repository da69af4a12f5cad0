"""All kinds of callers on a server that is killed again and again: nothing is lost, nothing leaks."""

import http.client
import signal
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import grpc
import psutil
from google.protobuf.duration_pb2 import Duration

from clerestory.v1 import advisor_pb2, annotation_pb2
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceStub
from clerestory.v1.annotation_pb2_grpc import AnnotationServiceStub
from loadtest.faults.fleet import not_given_back
from loadtest.faults.fleet_servers import Replica
from loadtest.faults.fuzz import Fuzzer
from loadtest.faults.judge import dead_services, leaks, stored_secrets, traces
from loadtest.faults.players import AWAY, Everybody, Onlooker, Player
from loadtest.faults.wires import grpc_ending
from loadtest.faults.world import Kept, position, toy_record
from loadtest.server import free_port

PLAYERS, WATCHERS = 4, 2
BRIEF, LONG = 0.3, 6.0  # maximum lifetimes of a server, seconds, in turns
MUTATED = 20  # minimum mutated calls during which all callers continue after the last kill
PACE = 0.05  # seconds between two calls of a caller
MIB = 1 << 20
MEMORY, WARM, REST = 256 * MIB, 64 * MIB, 100_000_000  # bytes of trees, of warm trees, and of everything else
OPTIONS = ("--workers", "2", "--max-time", "1", "--memory", str(MEMORY), "--warm-bytes", str(WARM), "--grace", "2")


@dataclass
class Tally:
    """The results of a soak."""

    kills: int = 0
    entries: int = 0  # received by players and watchers; each is in its log exactly once
    forced: int = 0  # entries that the server played as the only legal actions
    mutated: int = 0  # calls of the stranger
    rss: int = 0  # peak memory in bytes
    faults: list[str] = field(default_factory=list)


def ask(channel: grpc.Channel, luck: Random) -> None:
    """Ask for a move."""
    stub: Any = AdvisorServiceStub(channel)
    stub.RecommendMove(advisor_pb2.RecommendMoveRequest(position=position(luck), time_budget=Duration(nanos=10**8)))


def hint(channel: grpc.Channel, luck: Random) -> None:
    """Ask for a hint that improves, and leave at some time."""
    stub: Any = AdvisorServiceStub(channel)
    question = advisor_pb2.RecommendMoveRequest(position=position(luck), time_budget=Duration(seconds=1))
    stream = stub.Analyze(advisor_pb2.AnalyzeRequest(question=question, background=True))
    for _ in zip(stream, range(luck.randrange(1, 4)), strict=False):
        pass
    stream.cancel()


def review(channel: grpc.Channel, luck: Random) -> None:
    """Ask for a review; some callers do not wait for it."""
    stub: Any = AnnotationServiceStub(channel)
    request = annotation_pb2.AnnotateGameRequest(record=toy_record(), iterations=50, seed=luck.randrange(3))
    stream = stub.AnnotateGame(request)
    for _ in stream:
        if luck.random() < 0.1:
            stream.cancel()
            break


class Crowd:
    """Callers that ask for advice, and a stranger that sends mutated calls, until they leave."""

    def __init__(self, replica: Replica, page: str, seed: int) -> None:
        self._server: Any = SimpleNamespace(target=replica.target, page=page)
        self._seed, self._leaving = seed, threading.Event()
        self.mutated = 0
        self.secrets: set[str] = set()
        self.faults: list[str] = []
        works: list[tuple[Any, tuple[Any, ...]]] = [
            (self._repeat, (one, replica.channel)) for one in (ask, hint, review)
        ]
        self._threads = [threading.Thread(target=work, args=args) for work, args in [*works, (self._send_mutated, ())]]
        for thread in self._threads:
            thread.start()

    def _repeat(self, call: Callable[[grpc.Channel, Random], None], channel: grpc.Channel) -> None:
        luck = Random(f"{self._seed} {call.__name__}")
        while not self._leaving.wait(PACE):
            try:
                call(channel, luck)
            except grpc.RpcError as error:
                ending = grpc_ending(error)
                if ending.reason not in ("BUSY", "OUT_OF_TIME") and ending.code not in AWAY:
                    self.faults.append(f"{call.__name__}: {ending}")

    def _send_mutated(self) -> None:
        """Send mutated calls across restarts of the server, about the games of earlier servers."""
        kept: list[Kept] = []
        while not self._leaving.wait(PACE):
            with (
                closing(Fuzzer(self._server, self._seed)) as fuzzer,
                suppress(grpc.RpcError, OSError, http.client.HTTPException),
            ):
                fuzzer.world.kept = kept
                while not self._leaving.is_set():
                    fuzzer.step(self.mutated)
                    self.mutated += 1
            self.secrets |= fuzzer.world.secrets
            self.faults += [end for end in fuzzer.figures.ends if end.endswith(" INTERNAL") or " http 500" in end]

    def leave(self) -> None:
        self._leaving.set()
        for thread in self._threads:
            thread.join()


def soak(folder: Path, seed: int, kills: int) -> Tally:
    """Kill a server `kills` times with all callers on it, then shut it down, and return the results."""
    tally, page, store = Tally(), f"127.0.0.1:{free_port()}", folder / "games"
    options = (*OPTIONS, "--web", page, "--log-format", ("text", "json")[seed % 2])
    replica = Replica(0, folder, str(store), *options)
    try:
        replica.wait()
        secrets = come_and_go(replica, page, seed, tally, kills)
        kill(replica)
        fresh = replica.held()
        secrets |= come_and_go(replica, page, seed + 1000, tally, 0)
        tally.faults += not_given_back([replica], [fresh])
        tally.faults += dead_services(replica.channel, ())
    finally:
        replica.end()
    output = replica.output()
    tally.faults += replica.faults + leaks(output, secrets | stored_secrets(store)) + traces(output)
    if tally.rss > MEMORY + WARM + REST:
        tally.faults.append(f"the server took {tally.rss} bytes of memory")
    return tally


def come_and_go(replica: Replica, page: str, seed: int, tally: Tally, kills: int) -> set[str]:
    """Kill a server with all callers on it, let them continue for a while, and audit; return their secrets."""
    luck = Random(seed)
    players = [Player(Random(f"{seed} player {n}"), takes_back=0.05, forced=n % 2 == 1) for n in range(PLAYERS)]
    onlookers = [Onlooker(Random(f"{seed} watcher {n}")) for n in range(WATCHERS)]
    everybody, crowd = Everybody([replica.stub], players, onlookers), Crowd(replica, page, seed)
    try:
        for _ in range(kills):
            time.sleep(luck.random() * luck.choice((BRIEF, LONG)))
            kill(replica)
        while crowd.mutated < MUTATED or not any(one.played for one in players):  # the test fails by its timeout
            time.sleep(0.1)
        tally.rss = max(tally.rss, psutil.Process(replica.pid).memory_info().rss)
    finally:
        everybody.leave()
        crowd.leave()
    tally.kills += kills
    tally.mutated += crowd.mutated
    tally.entries += sum(one.total for one in everybody.all)
    tally.forced += sum(one.played for one in players)
    tally.faults += everybody.audit() + crowd.faults
    return crowd.secrets.union(*(one.secrets for one in everybody.all))


def kill(replica: Replica) -> None:
    """Kill a server, and wait until the next one answers."""
    pid = replica.pid
    replica.signal(signal.SIGKILL)
    while replica.pid == pid:
        time.sleep(PACE)
    replica.wait()

"""Everybody at once on a server that is killed again and again, and the books balanced at the end."""

import http.client
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import grpc
from google.protobuf.duration_pb2 import Duration

from clerestory.v1 import advisor_pb2, annotation_pb2
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceStub
from clerestory.v1.annotation_pb2_grpc import AnnotationServiceStub
from clerestory.v1.games_pb2_grpc import GameServiceStub
from tests.faults import wires
from tests.faults.fuzz import Fuzzer
from tests.faults.judge import dead_services, leaks, stored_secrets, traces
from tests.faults.players import GONE, Player, Watcher
from tests.faults.watched import Watched, watched_server
from tests.faults.world import Kept, position, toy_record

PLAYERS, WATCHERS = 4, 2
BRIEF, LONG = 0.3, 6.0  # seconds that a server lives at most, by turns
CALM = 4.0  # seconds of everybody at once before the last end, twice
MUTATED = 20  # calls of the stranger at least, for which the last everybody at once goes on
PACE = 0.05  # seconds between two calls of a caller
OWN = 6  # descriptors that a server opens when it is first called, such as those of the journal of its store
PATIENCE = 300.0  # seconds until all that callers held is given back
MIB = 1 << 20
MEMORY, WARM, REST = 256 * MIB, 64 * MIB, 100_000_000  # bytes of trees, of warm trees, and of all else
OPTIONS = ("--workers", "2", "--max-time", "1", "--memory", str(MEMORY), "--warm-bytes", str(WARM), "--grace", "2")


@dataclass
class Tally:
    """What came of a soak.

    Attributes:
        entries: that players and watchers were told of, each of which is in its log exactly once.
        forced: entries that the server played by itself, as the only legal actions.
        over: games that were played to their ends and replayed by the rules.
        mutated: calls of the stranger.
        rss: most bytes of memory.
        faults: in words; there should be none.
    """

    kills: int = 0
    entries: int = 0
    forced: int = 0
    over: int = 0
    reviews: int = 0
    mutated: int = 0
    rss: int = 0
    faults: list[str] = field(default_factory=list)


# -- who takes part --------------------------------------------------------------------------------


def ask(channel: grpc.Channel, tally: Tally, luck: Random) -> None:
    """Ask for a move."""
    stub: Any = AdvisorServiceStub(channel)
    stub.RecommendMove(advisor_pb2.RecommendMoveRequest(position=position(luck), time_budget=Duration(nanos=10**8)))


def hint(channel: grpc.Channel, tally: Tally, luck: Random) -> None:
    """Ask for a hint that sharpens, and leave at some time."""
    stub: Any = AdvisorServiceStub(channel)
    question = advisor_pb2.RecommendMoveRequest(position=position(luck), time_budget=Duration(seconds=1))
    stream = stub.Analyze(advisor_pb2.AnalyzeRequest(question=question, background=True))
    for _ in zip(stream, range(luck.randrange(1, 4)), strict=False):
        pass
    stream.cancel()


def review(channel: grpc.Channel, tally: Tally, luck: Random) -> None:
    """Ask for a review, for which some do not wait."""
    stub: Any = AnnotationServiceStub(channel)
    request = annotation_pb2.AnnotateGameRequest(record=toy_record(), iterations=50, seed=luck.randrange(3))
    stream = stub.AnnotateGame(request)
    for part in stream:
        tally.reviews += part.HasField("review")
        if luck.random() < 0.1:
            stream.cancel()
            break


CROWD = (ask, hint, review)
Caller = Callable[[grpc.Channel, Tally, Random], None]


def live(caller: Caller, channel: grpc.Channel, tally: Tally, luck: Random) -> None:
    """Let a caller go on until the server is gone, refused now and then."""
    with suppress(ValueError):  # we have closed the channel
        while True:
            try:
                caller(channel, tally, luck)
            except grpc.RpcError as error:
                if error.code() in GONE:
                    return
                ending = wires.grpc_ending(error)
                if ending.reason not in ("BUSY", "OUT_OF_TIME"):
                    tally.faults.append(f"{caller.__name__}: {ending}")
                    return
            time.sleep(PACE)


class Stranger:
    """Sends mutated calls, life after life of the server."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self.made = 0
        self.lives = False
        self.faults: list[str] = []
        self.secrets: set[str] = set()
        self._kept: list[Kept] = []

    def live(self, server: Watched, leaving: threading.Event) -> None:
        """Go on until the server is gone, or until told to leave, with the games of earlier lives."""
        self.lives = True
        with closing(Fuzzer(server, self._seed)) as fuzzer, suppress(grpc.RpcError, OSError, http.client.HTTPException):
            fuzzer.world.kept = self._kept
            while not leaving.is_set():
                fuzzer.step(self.made)
                self.made += 1
        self.secrets |= fuzzer.world.secrets
        self.faults += [end for end in fuzzer.figures.ends if end.endswith(" INTERNAL") or " http 500" in end]
        self.lives = False


class Everybody:
    """Whoever takes part in a soak."""

    def __init__(self, seed: int) -> None:
        self._luck, self.tally, self.stranger = Random(seed), Tally(), Stranger(seed)
        players = [Player(Random(f"{seed} player {i}"), takes_back=0.05, forced=i % 2 == 1) for i in range(PLAYERS)]
        self.players = [*players, *(Watcher(Random(f"{seed} watcher {i}")) for i in range(WATCHERS))]

    @contextmanager
    def on(self, server: Watched) -> Iterator[None]:
        """Balance the books, then let everybody call a server for the duration of the `with`, or until it is gone."""
        leaving = threading.Event()
        with grpc.insecure_channel(server.target, wires.CLIENT) as channel:
            stub: Any = GameServiceStub(channel)
            for one in self.players:
                one.compare(stub)
            threads = [threading.Thread(target=one.live, args=(stub,)) for one in self.players]
            threads += [threading.Thread(target=self.stranger.live, args=(server, leaving))]
            crowd = [(one, channel, self.tally, Random(self._luck.random())) for one in CROWD]
            threads += [threading.Thread(target=live, args=one) for one in crowd]
            for thread in threads:
                thread.start()
            yield
            leaving.set()
        for thread in threads:
            thread.join()

    def note(self, server: Watched) -> None:
        """Note how much memory a server has."""
        self.tally.rss = max(self.tally.rss, server.process.memory_info().rss)

    def count(self, server: Watched) -> None:
        """Add up what players and the stranger did, and what the server has said."""
        tally = self.tally
        tally.entries = sum(one.total for one in self.players)
        tally.forced = sum(one.played for one in self.players)
        tally.over = sum(one.over for one in self.players)
        tally.mutated = self.stranger.made
        tally.faults += [*self.stranger.faults, *(fault for one in self.players for fault in one.faults)]
        secrets = self.stranger.secrets.union(*(one.secrets for one in self.players))
        output = server.output()
        tally.faults += leaks(output, secrets | stored_secrets(server.folder / "games")) + traces(output)
        if tally.rss > MEMORY + WARM + REST:
            tally.faults.append(f"the server took {tally.rss} bytes of memory")


# -- the soak --------------------------------------------------------------------------------------


def soak(folder: Path, seed: int, kills: int) -> Tally:
    """Kill so many servers, let the last one end in order, and return what came of it."""
    everybody, luck = Everybody(seed), Random(seed)
    tally, options = everybody.tally, (*OPTIONS, "--log-format", ("text", "json")[seed % 2])
    while tally.kills < kills:
        with watched_server(folder, *options) as server, everybody.on(server):
            time.sleep(luck.random() * luck.choice((BRIEF, LONG)))
            everybody.note(server)
            os.kill(server.process.pid, signal.SIGKILL)
            tally.kills += 1
    with watched_server(folder, *options) as server:
        tally.faults += calm(everybody, server)
    if server.child.returncode:
        tally.faults.append(f"the server ended with {server.child.returncode}")
    everybody.count(server)
    return tally


def calm(everybody: Everybody, server: Watched) -> list[str]:
    """Let everybody come and go twice: what they held is given back, and the second time costs no more."""
    descriptors = server.process.num_fds() + OWN
    threads = [come_and_go(everybody, server, descriptors) for _ in range(2)]
    faults = []
    if server.process.num_fds() > descriptors:
        faults.append(f"{server.process.num_fds()} descriptors, {descriptors} at first")
    if threads[1] > threads[0] + 2:
        faults.append(f"threads are not given back: {threads}")
    with grpc.insecure_channel(server.target, wires.CLIENT) as channel:
        return faults + dead_services(channel, ())


def come_and_go(everybody: Everybody, server: Watched, descriptors: int) -> int:
    """Let everybody call a server for a while; return its threads once it has so few descriptors, or much later."""
    with everybody.on(server):
        time.sleep(CALM)
        while everybody.stranger.made < MUTATED and everybody.stranger.lives:  # who comes late on a slow machine
            time.sleep(0.1)
        everybody.note(server)
    ends = time.monotonic() + PATIENCE
    while server.process.num_fds() > descriptors and time.monotonic() < ends:
        time.sleep(0.1)
    return server.process.num_threads()

"""Everybody at once on a server that is killed again and again, and the books balanced at the end.

`python -m tests.faults.soak --seconds 3600` runs in pieces, each with a store of its own, and prints a line of figures
for each. Pieces that the file of figures has already are not run again, so an hour can be run in parts.
"""

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

from clerestory.percentiles import percentile
from clerestory.v1 import advisor_pb2, annotation_pb2, games_pb2
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceStub
from clerestory.v1.annotation_pb2_grpc import AnnotationServiceStub
from clerestory.v1.games_pb2_grpc import GameServiceStub
from tests.faults import wires
from tests.faults.fuzz import Fuzzer
from tests.faults.judge import dead_services, leaks, stored_secrets, traces
from tests.faults.pieces import command, sums
from tests.faults.players import GONE, PERSON, Player, Watcher
from tests.faults.probe import echoing, probed
from tests.faults.watched import Watched, watched_server
from tests.faults.world import Kept, position, toy_record

PLAYERS, WATCHERS = 4, 2
PIECE = 120.0  # seconds
BRIEF, LONG = 0.3, 6.0  # seconds that a server lives at most, by turns
CALM = 4.0  # seconds of everybody at once before the last end, twice
MUTATED = 20  # calls of the stranger at least, for which the last everybody at once goes on
BUDGET = 0.1  # seconds of a search that is asked for
PACE = 0.05  # seconds between two calls of a caller who measures
OWN = 6  # descriptors that a server opens when it is first called, such as those of the journal of its store
BOUND = 0.05  # seconds that 99 of 100 looks take, or searches are late, beyond the machine's part:
STEPS = 10  # times as long as 99 of 100 echoes take, because a call waits for the calls of a dozen others as well
ENOUGH = 200  # calls that tell a percentile
PATIENCE = 60.0  # seconds until all that callers held is given back
MIB = 1 << 20
MEMORY, WARM, REST = 256 * MIB, 64 * MIB, 100_000_000  # bytes of trees, of warm trees, and of all else
OPTIONS = ("--workers", "2", "--max-time", "1", "--memory", str(MEMORY), "--warm-bytes", str(WARM), "--grace", "2")


@dataclass
class Tally:
    """What came of a piece.

    Attributes:
        entries: that players and watchers were told of, each of which is in its log exactly once.
        over: games that were played to their ends and replayed by the rules.
        mutated: mutated calls.
        internal: calls that failed inside the server.
        looks: seconds that looking at a game took.
        lates: seconds by which searches were late.
        echoes: seconds that a call of a server took that only echoes.
        lag: the longest seconds of processor time of a step of the event loop, with everybody at once.
        rss: most bytes of memory.
        faults: in words; there should be none.
    """

    seed: int
    seconds: float = 0.0
    kills: int = 0
    entries: int = 0
    over: int = 0
    reviews: int = 0
    mutated: int = 0
    internal: int = 0
    looks: list[float] = field(default_factory=list)
    lates: list[float] = field(default_factory=list)
    echoes: list[float] = field(default_factory=list)
    lag: float = 0.0
    rss: int = 0
    faults: list[str] = field(default_factory=list)


# -- who takes part --------------------------------------------------------------------------------


def asks(channel: grpc.Channel, tally: Tally, luck: Random) -> None:
    """Ask for moves, and measure by how much the answers are late."""
    stub: Any = AdvisorServiceStub(channel)
    while True:
        budget = Duration(nanos=int(1e9 * BUDGET))
        began = time.monotonic()
        stub.RecommendMove(advisor_pb2.RecommendMoveRequest(position=position(luck), time_budget=budget), timeout=10)
        tally.lates.append(time.monotonic() - began - BUDGET)
        time.sleep(PACE)


def hints(channel: grpc.Channel, tally: Tally, luck: Random) -> None:
    """Ask for a hint that sharpens, and leave at some time."""
    stub: Any = AdvisorServiceStub(channel)
    while True:
        question = advisor_pb2.RecommendMoveRequest(position=position(luck), time_budget=Duration(seconds=1))
        stream = stub.Analyze(advisor_pb2.AnalyzeRequest(question=question, background=True))
        for _ in zip(stream, range(luck.randrange(1, 4)), strict=False):
            pass
        stream.cancel()
        time.sleep(PACE)


def looks(channel: grpc.Channel, tally: Tally, luck: Random) -> None:
    """Look at a game of one's own, and measure how long that takes."""
    stub: Any = GameServiceStub(channel)
    made = stub.CreateGame(games_pb2.CreateGameRequest(game="toy", seats=[PERSON, PERSON]))
    while True:
        began = time.monotonic()
        request = games_pb2.GetGameRequest(game_id=made.game.game_id, tokens=[made.owner_token])
        stub.GetGame(request, timeout=10)
        tally.looks.append(time.monotonic() - began)
        time.sleep(PACE)


def reviews(channel: grpc.Channel, tally: Tally, luck: Random) -> None:
    """Ask for reviews, of which some are not waited for."""
    stub: Any = AnnotationServiceStub(channel)
    while True:
        request = annotation_pb2.AnnotateGameRequest(record=toy_record(), iterations=50, seed=luck.randrange(3))
        stream = stub.AnnotateGame(request)
        for part in stream:
            tally.reviews += part.HasField("review")
            if luck.random() < 0.1:
                stream.cancel()
                break
        time.sleep(PACE)


CROWD = (asks, hints, looks, reviews)
Caller = Callable[[grpc.Channel, Tally, Random], None]


def lives(caller: Caller, channel: grpc.Channel, tally: Tally, luck: Random) -> None:
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


class Stranger:
    """Sends mutated calls, life after life of the server."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self.made = self.internal = 0
        self.lives = False
        self.secrets: set[str] = set()
        self._kept: list[Kept] = []

    def live(self, server: Watched, leaving: threading.Event) -> None:
        """Go on until the server is gone, or until told to leave, with the games of earlier lives."""
        self.lives = True
        with closing(Fuzzer(server, self._seed)) as fuzzer, suppress(grpc.RpcError, OSError, http.client.HTTPException):
            fuzzer.world.kept = self._kept
            while not leaving.is_set():
                luck = Random(f"{self._seed}:{self.made}")
                fuzzer.world.keep_up(self.made, luck)
                fuzzer.make(fuzzer.mutated(self.made, luck))
                self.made += 1
        self.secrets |= fuzzer.world.secrets
        self.internal += fuzzer.figures.internal
        self.lives = False


class Everybody:
    """Whoever takes part in a piece, beside calls of a server at this address that only echoes."""

    def __init__(self, seed: int, echo: str) -> None:
        self._echo = echo
        self._luck, self.tally, self.stranger = Random(seed), Tally(seed), Stranger(seed)
        players = [Player(Random(f"{seed} player {i}"), takes_back=0.05) for i in range(PLAYERS)]
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
            threads += [threading.Thread(target=lives, args=one) for one in crowd]
            for thread in threads:
                thread.start()
            with probed(self._echo, self.tally.echoes):
                yield
            leaving.set()
        for thread in threads:
            thread.join()

    def count(self, server: Watched) -> None:
        """Add up what players and the stranger did, and what the server has said."""
        self.tally.entries = sum(one.total for one in self.players)
        self.tally.over = sum(one.over for one in self.players)
        self.tally.mutated, self.tally.internal = self.stranger.made, self.stranger.internal
        self.tally.faults += [fault for one in self.players for fault in one.faults]
        secrets = self.stranger.secrets.union(*(one.secrets for one in self.players))
        output = server.output()
        self.tally.faults += leaks(output, secrets | stored_secrets(server.folder / "games")) + traces(output)
        self.tally.faults += waits(self.tally)


# -- pieces ----------------------------------------------------------------------------------------


def soak(folder: Path, seed: int, seconds: float = PIECE) -> Tally:
    """Run a piece of about that many seconds, and return what came of it."""
    with echoing() as echo:
        everybody, luck, began = Everybody(seed, echo), Random(seed), time.monotonic()
        options = (*OPTIONS, "--log-format", ("text", "json")[seed % 2])
        while time.monotonic() < began + seconds - 2 * CALM:
            with watched_server(folder, *options) as server, everybody.on(server):
                time.sleep(luck.random() * luck.choice((BRIEF, LONG)))
                note(everybody.tally, server)
                os.kill(server.process.pid, signal.SIGKILL)
                everybody.tally.kills += 1
        with watched_server(folder, *options) as server:
            calm(everybody, server)
    if server.child.returncode:
        everybody.tally.faults.append(f"the server ended with {server.child.returncode}")
    everybody.count(server)
    everybody.tally.seconds = time.monotonic() - began
    return everybody.tally


def note(tally: Tally, server: Watched) -> None:
    """Note how much memory a server has, and how long its loop was held."""
    tally.rss = max(tally.rss, server.process.memory_info().rss)
    tally.lag = max([tally.lag, *(delay.own for delay in server.delays())])


def calm(everybody: Everybody, server: Watched) -> None:
    """Let everybody come and go twice: what they held is given back, and the second time costs no more."""
    faults, rest = everybody.tally.faults, Held(server)
    first, second = (come_and_go(everybody, server, rest.descriptors + OWN) for _ in range(2))
    if max(first.descriptors, second.descriptors) > rest.descriptors + OWN:
        faults.append(f"descriptors are not given back: {rest}; {first}; {second}; {server.process.net_connections()}")
    if second.threads > first.threads + 2:
        faults.append(f"threads are not given back: {rest}; {first}; {second}")
    if everybody.tally.rss > MEMORY + WARM + REST:
        faults.append(f"the server took {everybody.tally.rss} bytes of memory")
    with grpc.insecure_channel(server.target, wires.CLIENT) as channel:
        faults += dead_services(channel, ())


def come_and_go(everybody: Everybody, server: Watched, descriptors: int) -> "Held":
    """Let everybody call a server for a while; return what it holds once it has so few descriptors, or much later."""
    with everybody.on(server):
        time.sleep(CALM)
        while everybody.stranger.made < MUTATED and everybody.stranger.lives:  # who comes late on a slow machine
            time.sleep(0.1)
        note(everybody.tally, server)
    ends = time.monotonic() + PATIENCE
    while (held := Held(server)).descriptors > descriptors and time.monotonic() < ends:
        time.sleep(0.1)
    return held


def waits(tally: Tally) -> list[str]:
    """Return a sentence for each kind of call that takes longer than it may, beside what its machine takes."""
    machine = percentile(tally.echoes, 99)
    return [
        f"p99 of {name} is {percentile(times, 99):.3f} s, of echoes {machine:.3f} s"
        for name, times in (("looks", tally.looks), ("lates", tally.lates))
        if len(times) >= ENOUGH and percentile(times, 99) > BOUND + STEPS * machine
    ]


class Held:
    """What a server holds."""

    def __init__(self, server: Watched) -> None:
        self.descriptors, self.threads = server.process.num_fds(), server.process.num_threads()
        self.rss = server.process.memory_info().rss

    def __repr__(self) -> str:
        return f"{self.descriptors} descriptors, {self.threads} threads, {self.rss} bytes"


def table(done: list[dict[str, Any]]) -> str:
    """Return the figures of pieces together, as a table of Markdown."""
    rows = []
    for name in ("looks", "lates", "echoes"):
        times = [time for one in done for time in one[name]]
        rows.append((f"p99 of {name}, ms", f"{1000 * percentile(times, 99):.1f}"))
    rows += [("loop held, ms", f"{1000 * max(one['lag'] for one in done):.0f}")]
    rows += [("memory, MB", f"{max(one['rss'] for one in done) / 1e6:.0f}")]
    return "\n".join([*sums(done, SUMS), *(f"| {name} | {value} |" for name, value in rows)])


SUMS = ("seconds", "kills", "entries", "over", "reviews", "mutated", "internal")


if __name__ == "__main__":
    command(soak, PIECE, "build/soak.jsonl", table)

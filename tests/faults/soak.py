"""All kinds of callers on a server that is killed repeatedly, with an audit at the end.

`python -m tests.faults.soak --seconds 720 --quiet 300` kills nothing: all callers connect, and leave after the given
time. It prints the server's resident memory in MB: fresh; at the start, after a while with all callers; the maximum;
when the callers left; and after the quiet time.
"""

import asyncio
import http.client
import json
import signal
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Annotated, Any

import grpc
import psutil
import typer
from google.protobuf.duration_pb2 import Duration

from clerestory.v1 import advisor_pb2, annotation_pb2
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceStub
from clerestory.v1.annotation_pb2_grpc import AnnotationServiceStub
from clerestory.v1.games_pb2_grpc import GameServiceStub
from loadtest.server import free_port, own_server
from tests.faults.fleet import not_given_back
from tests.faults.fleet_servers import Replica
from tests.faults.fuzz import Fuzzer
from tests.faults.judge import dead_services, leaks, stored_secrets, traces
from tests.faults.players import AWAY, Everybody, Onlooker, Player
from tests.faults.strangers import Deeds, strangers
from tests.faults.wires import grpc_ending
from tests.faults.world import Kept, position, toy_record

PLAYERS, WATCHERS = 4, 2
BRIEF, LONG = 0.3, 6.0  # maximum lifetimes of a server, seconds, in turns
MUTATED = 20  # minimum mutated calls during which all callers continue after the last kill
PACE = 0.05  # seconds between two calls of a caller
STREAMS, PAUSE = 32, 2.0  # calls per connection of a stranger, and seconds until it aborts all
ELSEWHERE = "127.0.0.9"  # the strangers' address
UNFINISHED = "/clerestory.v1.AdvisorService/Analyze"  # the method that strangers call
WARM_UP = 60.0  # seconds in which everything is used for the first time
MIB = 1 << 20
MEMORY, WARM, REST = 256 * MIB, 64 * MIB, 100_000_000  # bytes of trees, of warm trees, and of everything else
SMALL = ("--warm-bytes", "0", "--max-tree-bytes", str(MIB))  # games of bots continue when all callers have left
OPTIONS = ("--workers", "2", "--max-time", "1", "--memory", str(MEMORY), "--warm-bytes", str(WARM), "--grace", "2")


@dataclass
class Tally:
    """The results of a soak."""

    kills: int = 0
    entries: int = 0  # received by players and watchers; each is in its log exactly once
    forced: int = 0  # entries that the server played as the only legal actions
    over: int = 0  # games that were played to their ends and replayed by the rules
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

    def __init__(self, replica: Any, page: str, seed: int) -> None:
        self._server: Any = SimpleNamespace(target=replica.target, page=page)
        self._seed, self._leaving = seed, threading.Event()
        self.mutated = 0
        self.secrets: set[str] = set()
        self.faults: list[str] = []
        works = [(self._repeat, (one, replica.channel)) for one in (ask, hint, review)]
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
    tally.over += sum(one.over for one in everybody.all)
    tally.faults += everybody.audit() + crowd.faults
    return crowd.secrets.union(*(one.secrets for one in everybody.all))


def settle(folder: Path, seconds: float, quiet: float, seed: int, connections: int) -> dict[str, float]:
    """Run all callers, and strangers with unfinished requests, on a server; return its memory."""
    page, found, sizes = f"127.0.0.1:{free_port()}", dict[str, float](), list[int]()
    options = (*OPTIONS, *SMALL, "--web", page, "--store", str(folder / "games"))
    with own_server(*options) as server, grpc.insecure_channel(server.target) as channel:
        process = psutil.Process(server.pid)

        def note(name: str) -> None:
            found[name] = round(process.memory_info().rss / 1e6, 1)

        note("fresh")
        players = [Player(Random(f"{seed} player {n}"), takes_back=0.05, forced=n % 2 == 1) for n in range(PLAYERS)]
        onlookers = [Onlooker(Random(f"{seed} watcher {n}")) for n in range(WATCHERS)]
        everybody = Everybody([GameServiceStub(channel)], players, onlookers)
        crowd = Crowd(SimpleNamespace(target=server.target, channel=channel), page, seed)
        try:
            time.sleep(min(WARM_UP, seconds))
            note("start")
            ends = time.monotonic() + seconds
            while time.monotonic() < ends:
                asyncio.run(leave_unfinished(server.target, connections))
                sizes.append(process.memory_info().rss)
        finally:
            everybody.leave()
            crowd.leave()
        found["most"] = round(max(sizes) / 1e6, 1)
        note("left")
        time.sleep(quiet)
        note("afterwards")
    return found | {"calls": everybody.seen.calls, "mutated": crowd.mutated, "faults": len(crowd.faults)}


async def leave_unfinished(target: str, connections: int) -> None:
    """Begin requests on connections, leave them unfinished, and abort the connections."""
    async with strangers(target, connections, Deeds(UNFINISHED, STREAMS), ELSEWHERE):
        await asyncio.sleep(PAUSE)


def main(
    seconds: Annotated[float, typer.Option(help="For which everybody is there.")] = 720.0,
    quiet: Annotated[float, typer.Option(help="After they have left, before the last look.")] = 300.0,
    seed: Annotated[int, typer.Option(help="Of all chance.")] = 0,
    connections: Annotated[int, typer.Option(help="Of strangers, aborted again and again; 0 for no strangers.")] = 12,
) -> None:
    """Have everybody on a server for a while, and print its memory as JSON."""
    with TemporaryDirectory(prefix="soak-") as folder:
        typer.echo(json.dumps(settle(Path(folder), seconds, quiet, seed, connections)))


def kill(replica: Replica) -> None:
    """Kill a server, and wait until the next one answers."""
    pid = replica.pid
    replica.signal(signal.SIGKILL)
    while replica.pid == pid:
        time.sleep(PACE)
    replica.wait()


if __name__ == "__main__":
    typer.run(main)

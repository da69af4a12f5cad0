"""A stranger who calls every method of every service with mutated requests, and watches what that does to others.

`python -m tests.faults.fuzz --calls 100000` makes that many calls in pieces, each on a server of its own, and prints a
line of figures for each. Pieces that the file of figures has already are not made again, so a run can be continued.
"""

import time
from collections import deque
from contextlib import closing
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from random import Random
from typing import Annotated, Any

import grpc
import typer
from google.protobuf.json_format import MessageToDict, MessageToJson, SerializeToJsonError
from google.protobuf.message import DecodeError

from clerestory.door.methods import Method, methods
from tests.faults import wires
from tests.faults.judge import dead_services, errors, is_faulty, leaks, stored_secrets, traces
from tests.faults.mutations import damaged, mutate, mutated_json
from tests.faults.pieces import Out, Seed, conclude, pieces
from tests.faults.watched import Delay, Watched, watched_server
from tests.faults.wires import Ending, Metadata
from tests.faults.world import World, connect, good_request, short

HELD = 0.02  # seconds for which a call may hold the event loop
STOPPED = 0.1  # seconds for which it may stand still, beyond what it does without a call
REPEATS = 6  # of a call that seems to hold the loop: the shortest counts
REST = 0.05  # seconds after a repeated call, within which its delay is written down
ENOUGH = 10  # faults, after which no more calls are made
EACH = 100  # calls between two looks at the server
PIECE = 2_000  # calls to one server
WAYS = ("grpc", "grpc", "proto", "json", "cut")
OPTIONS = ("--workers", "1", "--max-time", "0.05", "--log-level", "info")
TOKEN = "open-sesame-open-sesame"


@dataclass(frozen=True)
class Call:
    """A mutated call.

    Attributes:
        way: one of WAYS.
    """

    number: int
    way: str
    method: Method
    payload: bytes
    metadata: Metadata

    def __str__(self) -> str:
        return f"call {self.number} {self.way} {short(self.method.path)} {self.payload[:200]!r} {self.metadata}"


@dataclass
class Figures:
    """What came of some calls.

    Attributes:
        ends: by method, code and reason.
        faults: in words; there should be none.
        worst: seconds for which a call held the event loop, in all of its repetitions.
        stood: the longest seconds for which the loop stood still in a call, by method: also where the machine did other
            things.
        firsts: seconds of processor time of the loop's longest iteration in the first call of a method each way.
        laters: the same of the later calls.
        collected: the longest seconds of garbage collection in an iteration.
        rss: most bytes of memory.
    """

    seed: int
    calls: int = 0
    ends: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    worst: float = 0.0
    stood: dict[str, float] = field(default_factory=dict)
    firsts: dict[str, float] = field(default_factory=dict)
    laters: dict[str, float] = field(default_factory=dict)
    collected: float = 0.0
    rss: int = 0

    def count(self, end: str) -> None:
        """Count the end of a call."""
        self.calls += 1
        self.ends[end] = self.ends.get(end, 0) + 1

    def note(self, call: Call, delay: Delay, *, first: bool) -> None:
        """Note that the loop was held in a call, the first of its kind or a later one."""
        method, own = short(call.method.path), self.firsts if first else self.laters
        self.stood[method] = max(self.stood.get(method, 0.0), delay.lag)
        own[method] = max(own.get(method, 0.0), delay.own)
        self.collected = max(self.collected, delay.collected)
        if first and delay.own > HELD:
            self.faults.append(f"{call}, the first of its kind, holds the loop: {delay}")

    @property
    def internal(self) -> int:
        """The number of calls that failed inside the server."""
        return sum(count for end, count in self.ends.items() if end.endswith(" INTERNAL") or " http 500" in end)


class Fuzzer:
    """Calls a server.

    Args:
        server: one that is watched.
        token: the bearer token that it requires, "" for none.
    """

    def __init__(self, server: Watched, seed: int, token: str = "") -> None:
        self._server, self.figures = server, Figures(seed)
        self._channel = grpc.insecure_channel(server.target, wires.CLIENT)
        self.world: World = connect(self._channel, token)
        self._unfinished = wires.Unfinished()
        self._recent: deque[tuple[float, Call]] = deque(maxlen=2 * EACH)
        self._firsts: dict[tuple[str, str], int] = {}  # numbers of the first calls, by way and path

    def run(self, first: int, count: int) -> None:
        """Make calls, the first with that number, unless there are enough faults."""
        for number in range(first, first + count):
            if len(self.figures.faults) >= ENOUGH:
                return
            try:
                self.step(number)
            except grpc.RpcError as error:
                self.figures.faults.append(f"before call {number}, a good call ended with {wires.grpc_ending(error)}")
        self.look()

    def step(self, number: int) -> None:
        """Make a call, and now and then good ones. Raises RpcError if those fail."""
        luck = Random(f"{self.figures.seed}:{number}")
        self.world.keep_up(number, luck)
        self.make(self.mutated(number, luck))
        if number % EACH == EACH - 1:
            self.look()

    def close(self) -> None:
        """Close every connection."""
        self._unfinished.close()
        self._channel.close()

    # -- one call ------------------------------------------------------------------------------------

    def mutated(self, number: int, luck: Random) -> Call:
        """Return a call."""
        method = luck.choice([*methods().values(), *(one for one in methods().values() if ".GameService/" in one.path)])
        message, way = good_request(self.world, method, luck), luck.choice(WAYS)
        metadata = self.metadata(luck)
        if way == "json":
            return Call(number, way, method, as_json(message, luck, self.world.texts()), metadata)
        if luck.random() < 0.7:
            for _ in range(luck.randint(1, 2)):
                mutate(message, luck, self.world.texts())
            payload = message.SerializeToString()
        else:
            payload = damaged(message.SerializeToString(), luck)
        return Call(number, way, method, payload, metadata)

    def metadata(self, luck: Random) -> Metadata:
        """Return metadata, mostly what a good call has."""
        one = luck.choice(self.world.kept)
        odd = luck.choice(
            [
                ("x-clerestory-seat", f"{one.game_id} {luck.choice(one.tokens)}"),
                ("x-clerestory-seat", luck.choice(("", " ", "x", "x y z", "y" * 8_000, f"{one.game_id} x"))),
                ("x-on-behalf-of", luck.choice(("Ann", "a" * 64, "a" * 65, "two words", ""))),
                ("x-request-id", luck.choice(("x" * 300, "7", "<script>"))),
                ("authorization", luck.choice(("Bearer", "Bearer x", "Basic eDp4", "Bearer " + "z" * 5_000))),
            ]
        )
        chosen = dict(self.world.metadata) | ({odd[0]: odd[1]} if luck.random() < 0.2 else {})
        return tuple(chosen.items())

    def make(self, call: Call) -> Ending:
        """Make a call, and judge its ending."""
        self._recent.append((time.monotonic(), call))
        self._firsts.setdefault((call.way, call.method.path), call.number)
        ending = self.send(call)
        self.figures.count(f"{short(call.method.path)} {ending.code} {ending.reason}".strip())
        if is_faulty(ending):
            self.figures.faults.append(f"{call} ended with {ending}")
        self.learn(call, ending)
        return ending

    def send(self, call: Call) -> Ending:
        """Send a call on its way."""
        match call.way:
            case "grpc":
                return wires.over_grpc(self._channel, call.method, call.payload, call.metadata)
            case "cut" if call.number % 2:
                sent = wires.begun_on_grpc(self._server.target, call.method, call.payload)
                return self._unfinished.begin(self._server.target, sent)
            case "cut":
                sent = wires.begun_on_page(self._server.page, call.method, call.payload)
                return self._unfinished.begin(self._server.page, sent)
        as_json = call.way == "json"
        return wires.over_page(self._server.page, call.method, call.payload, call.metadata, as_json=as_json)

    def learn(self, call: Call, ending: Ending) -> None:
        """Remember the secrets of an answer."""
        if ending.answer and call.way != "json":
            try:
                self.world.learn(call.method.response.FromString(ending.answer))
            except DecodeError:
                self.figures.faults.append(f"{call} got an answer that cannot be read")

    # -- what it did to the server -------------------------------------------------------------------

    def look(self) -> None:
        """Judge the server after some calls: how long its loop was held, whether it serves, its memory."""
        for call in self.suspects():
            self.figures.worst = max(self.figures.worst, self.holds(call))
        self.figures.faults += dead_services(self._channel, self.world.metadata)
        self.figures.rss = max(self.figures.rss, self._server.process.memory_info().rss)

    def suspects(self) -> list[Call]:
        """Return the calls in which the loop was held for longer than it may be."""
        found = {}
        for delay in self._server.delays():
            before = [call for began, call in self._recent if began <= delay.at]
            if before:
                call = before[-1]
                first = self._firsts[call.way, call.method.path] == call.number
                self.figures.note(call, delay, first=first)
                found |= {call.number: call} if is_long(delay) else {}
        return list(found.values())

    def holds(self, call: Call) -> float:
        """Return for how long a call holds the loop whenever it is repeated alone; longer than it may is a fault."""
        still = self.longest(None).lag
        shortest = inf
        for _ in range(REPEATS):
            delay = self.longest(call)
            shortest = min(shortest, delay.busy)
            if delay.busy <= HELD and delay.lag <= STOPPED + still:
                return delay.busy
        self.figures.faults.append(f"{call} holds the loop for {shortest:.3f} s of processor time; at last {delay}")
        return shortest

    def longest(self, call: Call | None) -> Delay:
        """Return the longest delay during a call, or during a pause as long; the longest stop is that of any."""
        self._server.delays()
        if call is not None:
            self.send(call)
        time.sleep(REST)
        delays = [Delay(0.0, 0.0, 0.0), *self._server.delays()]
        return replace(max(delays, key=lambda delay: delay.busy), lag=max(delay.lag for delay in delays))


def as_json(message: Any, luck: Random, texts: list[str]) -> bytes:
    """Return a request as JSON, mutated by its schema or as JSON."""
    if luck.random() < 0.7:
        return mutated_json(MessageToDict(message), luck)
    mutate(message, luck, texts)
    try:
        return MessageToJson(message).encode()
    except SerializeToJsonError:  # a duration that JSON has no text for
        return b"{}"


def is_long(delay: Delay) -> bool:
    """Whether a delay is a reason to repeat a call."""
    return delay.busy > HELD or delay.lag > STOPPED


# -- pieces ----------------------------------------------------------------------------------------


def fuzz(folder: Path, seed: int, count: int = PIECE) -> Figures:
    """Make calls to a server of its own, and return what came of them."""
    options = [*OPTIONS, "--log-format", ("text", "json")[seed % 2]]
    token = TOKEN if seed % 4 == 3 else ""
    if token:
        (folder / "tokens").write_text(token)
        options += ["--token-file", str(folder / "tokens")]
    with watched_server(folder, *options) as server:
        fuzzer = Fuzzer(server, seed, token)
        with closing(fuzzer):
            fuzzer.run(0, count)
    figures = fuzzer.figures
    if server.child.returncode:
        figures.faults.append(f"the server ended with {server.child.returncode}")
    secrets = fuzzer.world.secrets | stored_secrets(folder / "games") | ({token} if token else set())
    output = server.output()
    figures.faults += leaks(output, secrets) + traces(output) + errors(output)
    return figures


def main(
    calls: Annotated[int, typer.Option(help="Number of calls.")] = 100_000,
    seed: Seed = 0,
    out: Out = Path("build/fuzz.jsonl"),
) -> None:
    """Make calls in pieces, those that are not in the file yet, and print the sums of all; exit with 1 for a fault."""
    conclude(pieces(out, seed, -(-calls // PIECE), fuzz), table)


def table(done: list[dict[str, Any]]) -> str:
    """Return the figures of pieces together: a sentence, and for how long calls held the loop."""
    internal = sum(count for one in done for end, count in one["ends"].items() if end.endswith(" INTERNAL"))
    calls, faults = (sum(found) for found in zip(*((one["calls"], len(one["faults"])) for one in done), strict=True))
    held, collected, memory = (max(one[name] for one in done) for name in ("worst", "collected", "rss"))
    ends = f"{calls:,} calls, {internal} INTERNAL, {faults} faults"
    pauses = f"loop held for {1000 * held:.0f} ms at most, garbage collected for {1000 * collected:.0f} ms"
    return f"{ends}, {pauses}, {memory / 1e6:.0f} MB\n{longest(done)}"


def longest(done: list[dict[str, Any]]) -> str:
    """Return for how long calls of each method held the loop at most, as a table of Markdown; the longest first."""
    kinds = ("firsts", "laters", "stood")
    names = {name for one in done for name in one["stood"]}
    held = {name: [max(one[kind].get(name, 0.0) for one in done) for kind in kinds] for name in names}
    rows = sorted(held.items(), key=lambda row: row[1], reverse=True)
    lines = [f"| {name} | {' | '.join(f'{1000 * seconds:.0f}' for seconds in row)} |" for name, row in rows]
    return "\n".join(["| method | first call, ms | later calls, ms | by the clock, ms |", "|---|---|---|---|", *lines])


if __name__ == "__main__":
    typer.run(main)

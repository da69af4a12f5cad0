"""A stranger that sends mutated requests to every method of every service, and measures their effect on others."""

import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import grpc
import psutil
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import DecodeError

from clerestory.server.gateway.methods import Method, methods
from loadtest.faults import wires
from loadtest.faults.judge import dead_services, errors, is_faulty, leaks, stored_secrets, traces
from loadtest.faults.mutations import damaged, mutate, mutated_json
from loadtest.faults.watched import Delay, Watched, watched_server
from loadtest.faults.wires import Ending, Metadata
from loadtest.faults.world import World, connect, good_request, short

HELD = 0.02  # maximum processor time that a call may block the event loop, seconds
REPEATS = 6  # repeats of a call that seems to block the loop: the shortest counts
REST = 0.05  # seconds after a repeated call, within which its delay is recorded
ENOUGH = 10  # number of faults after which no more calls are made
EACH = 100  # calls between checks of the server
WAYS = ("grpc", "grpc", "proto", "json")
OPTIONS = ("--workers", "1", "--max-time", "0.05", "--seat-webhooks", "any", "--log-level", "info")
TOKEN = "open-sesame-open-sesame"


@dataclass(frozen=True)
class Call:
    """A mutated call."""

    number: int
    way: str  # one of WAYS
    method: Method
    payload: bytes
    metadata: Metadata

    def __str__(self) -> str:
        return f"call {self.number} {self.way} {short(self.method.path)} {self.payload[:200]!r} {self.metadata}"


@dataclass
class Figures:
    """The results of some calls."""

    ends: Counter[str] = field(default_factory=Counter)  # by method, code and reason
    faults: list[str] = field(default_factory=list)
    rss: int = 0  # peak memory in bytes


class Fuzzer:
    """Calls a server that requires a bearer token, "" for none."""

    def __init__(self, server: Watched, seed: int, token: str = "") -> None:
        self._server, self._seed, self.figures = server, seed, Figures()
        self._channel = grpc.insecure_channel(server.target, wires.CLIENT)
        self.world: World = connect(self._channel, token)
        self._recent: list[tuple[float, Call]] = []

    def run(self, count: int) -> None:
        """Make calls, unless there are enough faults."""
        for number in range(count):
            if len(self.figures.faults) >= ENOUGH:
                break
            try:
                self.step(number)
            except grpc.RpcError as error:
                self.figures.faults.append(f"before call {number}, a good call ended with {wires.grpc_ending(error)}")
            if number % EACH == EACH - 1:
                self.look()
        self.look()

    def step(self, number: int) -> None:
        """Make a call, and sometimes valid ones. Raises RpcError if those fail."""
        luck = Random(f"{self._seed}:{number}")
        self.world.keep_up(number, luck)
        self.make(self.mutated(number, luck))

    def close(self) -> None:
        self._channel.close()

    def mutated(self, number: int, luck: Random) -> Call:
        method = luck.choice([*methods().values(), *(one for one in methods().values() if ".GameService/" in one.path)])
        message, way = good_request(self.world, method, luck), luck.choice(WAYS)
        if way == "json":
            payload = mutated_json(MessageToDict(message), luck)
        elif luck.random() < 0.7:
            for _ in range(luck.randint(1, 2)):
                mutate(message, luck, self.world.texts())
            payload = message.SerializeToString()
        else:
            payload = damaged(message.SerializeToString(), luck)
        return Call(number, way, method, payload, self.metadata(luck))

    def metadata(self, luck: Random) -> Metadata:
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

    def make(self, call: Call) -> None:
        """Make a call, and check how it ended."""
        self._recent.append((time.monotonic(), call))
        ending = self.send(call)
        self.figures.ends[f"{short(call.method.path)} {ending.code} {ending.reason}".strip()] += 1
        if is_faulty(ending):
            self.figures.faults.append(f"{call} ended with {ending}")
        if ending.answer and call.way != "json":
            try:
                self.world.learn(call.method.response.FromString(ending.answer))
            except DecodeError:
                self.figures.faults.append(f"{call} got an answer that cannot be read")

    def send(self, call: Call) -> Ending:
        if call.way == "grpc":
            return wires.over_grpc(self._channel, call.method, call.payload, call.metadata)
        as_json = call.way == "json"
        return wires.over_page(self._server.page, call.method, call.payload, call.metadata, as_json=as_json)

    def look(self) -> None:
        """Check the server after some calls: blocking of its loop, its services, its memory."""
        for call in self.suspects():
            if (held := min(self.held_by(call) for _ in range(REPEATS))) > HELD:
                self.figures.faults.append(f"{call} holds the loop for {held:.3f} s of processor time")
        self.figures.faults += dead_services(self._channel, self.world.metadata)
        self.figures.rss = max(self.figures.rss, psutil.Process(self._server.child.pid).memory_info().rss)

    def suspects(self) -> list[Call]:
        """Return the recent calls during which the loop was blocked for too long."""
        found = {}
        for delay in self._server.delays():
            before = [call for began, call in self._recent if began <= delay.at]
            if delay.seconds > HELD and before:
                found[before[-1].number] = before[-1]
        self._recent.clear()
        return list(found.values())

    def held_by(self, call: Call) -> float:
        """Repeat a call alone, and return for how long it blocked the loop."""
        self._server.delays()
        self.send(call)
        time.sleep(REST)
        return max([Delay(0.0, 0.0), *self._server.delays()], key=lambda delay: delay.seconds).seconds


def fuzz(folder: Path, seed: int, count: int) -> Figures:
    """Make calls to a private server, and return the results."""
    options = [*OPTIONS, "--log-format", ("text", "json")[seed % 2]]
    token = TOKEN if seed % 4 == 3 else ""
    if token:
        (folder / "tokens").write_text(token)
        options += ["--token-file", str(folder / "tokens")]
    with watched_server(folder, *options) as server, closing(Fuzzer(server, seed, token)) as fuzzer:
        fuzzer.run(count)
    figures = fuzzer.figures
    if server.child.returncode:
        figures.faults.append(f"the server ended with {server.child.returncode}")
    secrets = fuzzer.world.secrets | stored_secrets(folder / "games") | ({token} if token else set())
    output = server.output()
    figures.faults += leaks(output, secrets) + traces(output) + errors(output)
    return figures

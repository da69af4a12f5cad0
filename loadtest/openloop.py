"""An open-loop load generator: calls arrive at their times (Poisson), regardless of earlier calls.

`python -m loadtest.openloop --capacity 10 --seconds 30` starts a private server and loads it; `--capacity 10:10,1:20`
is ten seconds at ten times the workers' capacity, then twenty at the capacity. At 1x capacity the budgets that arrive
in a second add up to one second per worker. Times count from the moment a call was due, so a lagging generator cannot
make the figures look better.
"""

import asyncio
import json
import random
from collections.abc import Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Annotated, Any

import grpc
import psutil
import typer
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status
from grpc_health.v1.health_pb2 import HealthCheckRequest
from grpc_health.v1.health_pb2_grpc import HealthStub

from clerestory.metadata import DETAILS
from clerestory.v1.advisor_pb2 import AnalyzeResponse, RecommendMoveResponse
from clerestory.v1.position_pb2 import Position
from loadtest.corpus import hint_question, move_question, positions
from loadtest.figures import CallRecord, LoadRun, after, phases, records, summary
from loadtest.server import own_server

SHORTEST, LONGEST = 0.05, 1.0  # range of a budget, seconds; its logarithm is uniformly distributed, so most are short
MEAN_BUDGET = (LONGEST - SHORTEST) / log(LONGEST / SHORTEST)
INTERVAL = 0.1  # seconds between the tables of a hint
PATIENCE = 5.0  # seconds beyond its budget after which a call counts as lost
HEALTH_EVERY, MEMORY_EVERY = 0.05, 0.25  # seconds between two samples
MOVE, HINT = "/clerestory.v1.AdvisorService/RecommendMove", "/clerestory.v1.AdvisorService/Analyze"
Phases = Sequence[tuple[float, float]]  # (capacity, seconds)


@dataclass(frozen=True, slots=True)
class Load:
    """The load to offer.

    Attributes:
        phases: multiples of the capacity, and the duration of each in seconds.
        hints: share of the calls that open a stream of hints.
        channels: number of connections among which the calls are distributed.
        seed: of all random choices.
        to_limits: whether moves run to their limits instead of ending early.
    """

    phases: Phases
    hints: float = 0.2
    channels: int = 4
    seed: int = 1
    to_limits: bool = False

    @property
    def seconds(self) -> float:
        """How long calls keep arriving, in seconds."""
        return sum(seconds for _, seconds in self.phases)


def arrivals(load: Load, workers: int) -> Iterator[CallRecord]:
    """Yield the calls of a load, in the order in which they are due."""
    luck, begin = random.Random(load.seed), 0.0
    for capacity, seconds in load.phases:
        rate, due = capacity * workers / MEAN_BUDGET, begin
        while (due := due + luck.expovariate(rate)) < begin + seconds:
            kind = "hint" if luck.random() < load.hints else "move"
            yield CallRecord(kind, capacity, due, SHORTEST * (LONGEST / SHORTEST) ** luck.random())
        begin += seconds


class LoadClient:
    """Makes calls, and records how they end."""

    def __init__(self, target: str, channels: int, corpus: Sequence[Position], *, to_limits: bool = False) -> None:
        options = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0)]
        self.channels = [grpc.aio.insecure_channel(target, options) for _ in range(channels)]
        self._moves: list[Any] = [one.unary_unary(MOVE) for one in self.channels]
        self._hints: list[Any] = [one.unary_stream(HINT) for one in self.channels]
        self._corpus = corpus
        self._to_limits = to_limits
        self._began = 0.0

    async def ready(self) -> float:
        """Connect; return the loop time at the origin of all times."""
        await asyncio.gather(*(one.channel_ready() for one in self.channels))
        self._began = asyncio.get_running_loop().time()
        return self._began

    async def call(self, number: int, seen: CallRecord) -> None:
        """Make a call that is due."""
        seen.lag = self._now() - seen.due
        position = self._corpus[number % len(self._corpus)]
        ask = self._move if seen.kind == "move" else self._hint
        try:
            await ask(number % len(self.channels), position, seen)
            seen.code = "OK"
        except grpc.aio.AioRpcError as error:
            seen.code, seen.reason = error.code().name, reason_of(error)
        seen.took = self._now() - seen.due

    async def _move(self, channel: int, position: Position, seen: CallRecord) -> None:
        question = move_question(position, seen.budget, to_limits=self._to_limits)
        answer = await self._moves[channel](question, timeout=seen.budget + PATIENCE)
        seen.iterations = RecommendMoveResponse.FromString(answer).statistics.iterations

    async def _hint(self, channel: int, position: Position, seen: CallRecord) -> None:
        question = hint_question(position, seen.budget, INTERVAL)
        last = b""
        async for table in self._hints[channel](question, timeout=seen.budget + PATIENCE):
            last = table
            if seen.first is None:
                seen.first = self._now() - seen.due
        seen.iterations = AnalyzeResponse.FromString(last).recommendation.statistics.iterations

    def _now(self) -> float:
        return asyncio.get_running_loop().time() - self._began

    async def close(self) -> None:
        """Close the connections."""
        for channel in self.channels:
            await channel.close()


def reason_of(error: grpc.aio.AioRpcError) -> str:
    """Return the reason in an error of our server, "" if there is none."""
    for key, value in error.trailing_metadata() or ():
        if key == DETAILS and isinstance(value, bytes):
            for packed in Status.FromString(value).details:
                info = ErrorInfo()
                if packed.Unpack(info):
                    return str(info.reason)
    return ""


async def offer(target: str, workers: int, corpus: Sequence[Position], load: Load, pid: int | None = None) -> LoadRun:
    """Load a server; return the records once every call has ended.

    Args:
        target: address of the server.
        workers: number of its workers.
        corpus: positions, used in turn.
        load: the load to offer.
        pid: process id of the server; None if its memory is not sampled.
    """
    loop = asyncio.get_running_loop()
    run = LoadRun(list(arrivals(load, workers)), load.seconds, workers)
    async with grpc.aio.insecure_channel(target) as watched:
        watches = [asyncio.ensure_future(watch_health(watched, run.health))]
        if pid is not None:
            watches.append(asyncio.ensure_future(watch_memory(psutil.Process(pid), run.rss)))
        caller = LoadClient(target, load.channels, corpus, to_limits=load.to_limits)
        before = machine_times()
        began = await caller.ready()
        under_way = []
        for number, seen in enumerate(run.calls):
            await asyncio.sleep(began + seen.due - loop.time())
            under_way.append(asyncio.ensure_future(caller.call(number, seen)))
        await asyncio.gather(*under_way)
        stolen, passed = (now - then for now, then in zip(machine_times(), before, strict=True))
        run.stolen = stolen / passed if passed else 0.0
        for watch in watches:
            watch.cancel()
            with suppress(asyncio.CancelledError):
                await watch
        await caller.close()
    return run


def machine_times() -> tuple[float, float]:
    """Return how long the host let other guests run instead of this machine, and the total; both in CPU seconds."""
    times = psutil.cpu_times()
    return getattr(times, "steal", 0.0), sum(times) - getattr(times, "guest", 0.0) - getattr(times, "guest_nice", 0.0)


async def watch_health(channel: grpc.aio.Channel, took: list[float]) -> None:
    """Check the server's health at fixed times, whether or not it answers, so that a stall is counted in full."""
    stub: Any = HealthStub(channel)
    due = asyncio.get_running_loop().time()
    async with asyncio.TaskGroup() as checks:
        while True:
            checks.create_task(check_health(stub, due, took))
            due += HEALTH_EVERY
            await asyncio.sleep(due - asyncio.get_running_loop().time())


async def check_health(stub: Any, due: float, took: list[float]) -> None:
    """Record the duration of a check since it was due; at the end of the load, how long it has waited."""
    least = 0.0
    try:
        await stub.Check(HealthCheckRequest(), timeout=PATIENCE)
    except grpc.aio.AioRpcError:
        least = PATIENCE  # a missing answer counts as the slowest
    finally:
        took.append(max(asyncio.get_running_loop().time() - due, least))


async def watch_memory(server: psutil.Process, sizes: list[int]) -> None:
    """Sample a server's memory until cancelled."""
    while True:
        sizes.append(server.memory_info().rss)
        await asyncio.sleep(MEMORY_EVERY)


def read_phases(text: str, seconds: float) -> Phases:
    """Parse `--capacity`: one multiple, or several `MULTIPLE:SECONDS`. Raises typer.BadParameter."""
    try:
        parts = [part.split(":") for part in text.split(",")]
        return [(float(part[0]), float(part[1]) if part[1:] else seconds) for part in parts]
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not like 2 or 10:10,1:20") from None


def main(
    capacity: Annotated[str, typer.Option(help="Multiple of the capacity, or MULTIPLE:SECONDS,...")] = "1",
    seconds: Annotated[float, typer.Option(help="Length of a phase that does not say its own.")] = 30.0,
    target: Annotated[str | None, typer.Option(help="HOST:PORT; else a server of its own is started.")] = None,
    workers: Annotated[int, typer.Option(help="Workers of the server.")] = 2,
    pid: Annotated[int | None, typer.Option(help="Process of the server at --target, to watch its memory.")] = None,
    hints: Annotated[float, typer.Option(help="Share of the calls that open a stream.")] = 0.2,
    channels: Annotated[int, typer.Option(help="Connections.")] = 4,
    seed: Annotated[int, typer.Option(help="Of all luck.")] = 1,
    serve: Annotated[str, typer.Option(help="More options for a server of its own.")] = "",
    to_limits: Annotated[
        bool, typer.Option("--to-limits", help="Have moves use up their limits instead of ending early.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="File for one JSON line a call.")] = None,
) -> None:
    """Offer a load, and print its figures as JSON."""
    load = Load(read_phases(capacity, seconds), hints, channels, seed, to_limits)
    own = own_server("--workers", str(workers), *serve.split()) if target is None else nullcontext(None)
    with own as server:
        name, process = (server.target, server.pid) if server else (target or "", pid)
        run = asyncio.run(offer(name, workers, positions(name), load, process))
    if out is not None:
        out.write_text("".join(json.dumps(row) + "\n" for row in records(run)))
    typer.echo(json.dumps(report(run, load.phases), indent=1))


def report(run: LoadRun, lengths: Phases) -> dict[str, Any]:
    """Return the figures of a run, by phase if there are several, with those of each second after the last change."""
    figures = {"workers": run.workers, "seconds": run.seconds, "stolen": round(run.stolen, 5), **summary(run)}
    if len(lengths) > 1:
        figures["phases"] = phases(run, lengths)
        figures["after_last_change"] = after(run, run.seconds - lengths[-1][1], 1.0)
    return figures


if __name__ == "__main__":
    typer.run(main)

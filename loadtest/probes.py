"""Calls at a steady pace beside a load, with their outcomes; and resumable measurements.

Each call starts when it is due, regardless of earlier calls. A server that stalls for a second therefore shows that
second in every call due during it.
"""

import asyncio
import json
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import psutil
from grpc_health.v1.health_pb2 import HealthCheckRequest
from grpc_health.v1.health_pb2_grpc import HealthStub

from clerestory.percentiles import percentile
from loadtest.corpus import move_question
from loadtest.openloop import MOVE, reason_of

OPTIONS = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0)]
EVERY = 0.1  # seconds between the calls of a probe
PATIENCE = 30.0  # seconds for an answer
MEMORY_EVERY = 0.25  # seconds between two samples of memory

Call = Callable[[int], Awaitable[object]]  # takes the number of the call


@dataclass(slots=True)
class Probe:
    """A call that is repeated.

    Attributes:
        call: makes the call.
        every: seconds between calls; 0 to call again as soon as the last one has ended.
        meant: expected seconds of an answer, which are subtracted.
        took: seconds of each answered call.
        ends: number of calls by outcome.
    """

    call: Call
    every: float = EVERY
    meant: float = 0.0
    took: list[float] = field(default_factory=list)
    ends: "Counter[str]" = field(default_factory=Counter)

    async def make(self, number: int) -> None:
        """Make a call, and record how it ended."""
        began = time.monotonic()
        try:
            await self.call(number)
            self.took.append(time.monotonic() - began - self.meant)
            self.ends["OK"] += 1
        except grpc.aio.AioRpcError as error:
            self.ends[" ".join(filter(None, (error.code().name, reason_of(error))))] += 1

    async def run(self, seconds: float) -> None:
        """Make calls for a number of seconds, and wait for the last to end."""
        number, began, made = 0, time.monotonic(), list[asyncio.Future[None]]()
        while (now := time.monotonic()) < began + seconds:
            made.append(asyncio.ensure_future(self.make(number)))
            number += 1
            await (asyncio.sleep(max(0.0, began + number * self.every - now)) if self.every else made[-1])
        await asyncio.gather(*made)

    def figures(self) -> dict[str, Any]:
        """Return how the calls ended, and what the answers took in milliseconds."""
        shares = {f"p{share}": round(1e3 * percentile(self.took, share), 1) for share in (50, 99, 100) if self.took}
        return {**self.ends, **shares}


def moves(channel: Any, corpus: Sequence[Any], budget: float) -> Probe:
    """Return a probe that asks for one move after the other, each within a time budget in seconds."""
    move: Any = channel.unary_unary(MOVE)

    async def search(number: int) -> None:
        await move(move_question(corpus[number % len(corpus)], budget, to_limits=True), timeout=PATIENCE)

    return Probe(search, every=0.0, meant=budget)


def health(channel: Any, service: str = "") -> Call:
    """Return a call that checks a server's health."""
    stub: Any = HealthStub(channel)
    return lambda _: stub.Check(HealthCheckRequest(service=service), timeout=PATIENCE)


async def run_all(probes: dict[str, Probe], seconds: float) -> dict[str, Any]:
    """Run probes together; return the figures of each."""
    await asyncio.gather(*(probe.run(seconds) for probe in probes.values()))
    return {name: probe.figures() for name, probe in probes.items()}


def used(pid: int) -> dict[str, float]:
    """Return the seconds of processor time of a process, and of its event loop alone, which is its first thread."""
    process = psutil.Process(pid)
    loop = next(one for one in process.threads() if one.id == pid)
    whole = process.cpu_times()
    return {"process": whole.user + whole.system, "loop": loop.user_time + loop.system_time}


@asynccontextmanager
async def sampled(pid: int) -> AsyncIterator[list[int]]:
    """Sample a process's resident memory during the block; yield the samples, in bytes."""
    process, sizes = psutil.Process(pid), list[int]()

    async def sample() -> None:
        while process.is_running():
            sizes.append(process.memory_info().rss)
            await asyncio.sleep(MEMORY_EVERY)

    sampling = asyncio.ensure_future(sample())
    try:
        yield sizes
    finally:
        sampling.cancel()


def resumed(out: Path | None, key: dict[str, Any], runs: int, measure: Callable[[], dict[str, Any]]) -> list[Any]:
    """Measure `runs` times, and return the results; runs that the file already contains are not repeated.

    Args:
        out: file of JSON lines; each run is appended as soon as it is done. None for no file.
        key: identifies the measurement.
        runs: number of runs.
        measure: makes one run.
    """
    lines = out.read_text().splitlines() if out is not None and out.exists() else []
    found = [one for one in map(json.loads, lines) if key.items() <= one.items()]
    while len(found) < runs:
        found.append(key | measure())
        if out is not None:
            with out.open("a") as file:
                file.write(json.dumps(found[-1]) + "\n")
    return found

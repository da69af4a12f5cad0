"""Measures the effect of a caller that ignores rejections: `python -m loadtest.ignoring --in-flight 64,600`.

One token keeps a number of calls in flight on a few connections, and retries at once when rejected. Another token asks
for moves of 300 ms, one after the other. The lateness of its answers is printed for each number in flight, starting
with 0. The first token's calls come from a separate process; both share the machine with the server.
"""

import asyncio
import json
import multiprocessing
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import grpc
import typer

from clerestory.metadata import bearer
from clerestory.percentiles import percentile
from clerestory.v1.position_pb2 import Position
from loadtest.corpus import move_question, positions
from loadtest.openloop import LONGEST, MOVE, SHORTEST
from loadtest.options import read_numbers
from loadtest.server import own_server

TOKENS = ("the-token-that-ignores", "the-token-of-another")
BUDGET = 0.3  # time budget of the other token's moves, seconds
LATE = 5.0  # milliseconds after its budget at which an answer counts as late
WARM = 3.0  # seconds of the flood before measuring starts
CONNECTIONS = 4  # connections of the flood
OPTIONS = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0)]


async def flood(target: str, corpus: Sequence[Position], in_flight: int, ends: "Counter[str]") -> None:
    """Keep calls in flight until cancelled, and count how they end."""
    channels = [grpc.aio.insecure_channel(target, OPTIONS) for _ in range(CONNECTIONS)]
    calls: list[Any] = [channel.unary_unary(MOVE) for channel in channels]

    async def ask(number: int) -> None:
        luck, move = random.Random(number), calls[number % CONNECTIONS]
        while True:
            question = move_question(luck.choice(corpus), SHORTEST * (LONGEST / SHORTEST) ** luck.random())
            try:
                await move(question, metadata=bearer(TOKENS[0]))
                ends["answered"] += 1
            except grpc.aio.AioRpcError as error:
                ends[error.code().name] += 1

    try:
        await asyncio.gather(*(ask(number) for number in range(in_flight)))
    finally:
        for channel in channels:
            await channel.close()


def flood_apart(target: str, questions: Sequence[bytes], in_flight: int, pipe: Any) -> None:
    """Flood a server until this process ends, and report each second how many calls have ended so far."""
    corpus, ends = [Position.FromString(one) for one in questions], Counter[str]()

    async def run() -> None:
        flooding = asyncio.ensure_future(flood(target, corpus, in_flight, ends))
        while not flooding.done():
            await asyncio.sleep(1.0)
            pipe.send((time.monotonic(), dict(ends)))

    asyncio.run(run())


@contextmanager
def flooding(target: str, corpus: Sequence[Position], in_flight: int) -> Iterator[Any]:
    """Flood a server from another process during the block; yield its reports."""
    here, there = multiprocessing.Pipe(duplex=False)
    questions = [position.SerializeToString() for position in corpus]
    process = multiprocessing.get_context("spawn").Process(
        target=flood_apart, args=(target, questions, in_flight, there), daemon=True
    )
    if in_flight:
        process.start()
    try:
        yield here
    finally:
        if in_flight:
            process.kill()
            process.join()


async def lateness(target: str, corpus: Sequence[Position], seconds: float) -> tuple[list[float], int]:
    """Ask for one move after another; return each answer's lateness in milliseconds, and the number of rejections."""
    late, rejected, until = list[float](), 0, time.monotonic() + seconds
    async with grpc.aio.insecure_channel(target, OPTIONS) as channel:
        move: Any = channel.unary_unary(MOVE)
        while time.monotonic() < until:
            question = move_question(corpus[len(late) % len(corpus)], BUDGET, to_limits=True)
            began = time.monotonic()
            try:
                await move(question, metadata=bearer(TOKENS[1]))
                late.append(1e3 * (time.monotonic() - began - BUDGET))
            except grpc.aio.AioRpcError:
                rejected += 1
                await asyncio.sleep(BUDGET)
    return late, rejected


def beside(target: str, corpus: Sequence[Position], in_flight: int, seconds: float) -> dict[str, Any]:
    """Return another caller's figures beside a number of calls in flight."""
    with flooding(target, corpus, in_flight) as pipe:
        time.sleep(WARM if in_flight else 0.0)
        late, rejected = asyncio.run(lateness(target, corpus, seconds))
        states = []
        while pipe.poll():
            states.append(pipe.recv())
    return {
        "in_flight": in_flight,
        "answers": len(late),
        "rejected": rejected,
        "late_share": round(sum(one > LATE for one in late) / max(len(late), 1), 4),
        **{f"late_p{p}_ms": round(percentile(late, p), 1) for p in (50, 99, 100)},
        "flood_per_s": rates(states),
    }


def rates(states: Sequence[tuple[float, dict[str, int]]]) -> dict[str, int]:
    """Return the calls per second that ended in each way, between the first and the last report."""
    if len(states) < 2:
        return {}
    (first, before), (last, after) = states[0], states[-1]
    return {end: round((number - before.get(end, 0)) / (last - first)) for end, number in after.items()}


def main(
    in_flight: Annotated[str, typer.Option(help="Calls that the first token keeps in flight, in turn.")] = "64,200,600",
    seconds: Annotated[float, typer.Option(help="Of each measurement.")] = 30.0,
    workers: Annotated[int, typer.Option(help="Of the server.")] = 2,
) -> None:
    """Measure, and print one JSON line for each number of calls in flight."""
    with tempfile.TemporaryDirectory() as folder:
        tokens = Path(folder, "tokens")
        tokens.write_text("\n".join(TOKENS))
        with own_server("--workers", str(workers)) as reader:
            corpus = positions(reader.target)
        with own_server("--workers", str(workers), "--token-file", str(tokens)) as server:
            for number in (0, *read_numbers(in_flight, int)):
                typer.echo(json.dumps(beside(server.target, corpus, number, seconds)))


if __name__ == "__main__":
    typer.run(main)

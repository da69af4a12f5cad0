"""Searches that start and end together: their total speed, and the memory of many open streams.

`python -m loadtest.crowd --moves 2,64 --seconds 3` compares the iterations per second of few and many concurrent moves;
`python -m loadtest.crowd --hints 500 --seconds 20` opens that many streams of hints and reports their memory.
"""

import asyncio
import json
from collections.abc import Sequence
from statistics import median
from typing import Annotated, Any

import psutil
import typer

from clerestory.v1.position_pb2 import Position
from loadtest.corpus import positions
from loadtest.figures import CallRecord
from loadtest.openloop import LoadClient, watch_memory
from loadtest.options import DEFAULT_GAME, read_numbers
from loadtest.server import ServerProcess, own_server

ROOM = ("--max-searches", "2048", "--min-iterations", "1")  # admits every call


def calls(kind: str, number: int, seconds: float) -> list[CallRecord]:
    """Return calls that are all due at the same time."""
    return [CallRecord(kind, 0.0, 0.0, seconds) for _ in range(number)]


async def crowd(server: ServerProcess, corpus: list[Position], asked: list[CallRecord]) -> dict[str, Any]:
    """Make all calls at the same time; return their figures."""
    sizes: list[int] = []
    watching = asyncio.ensure_future(watch_memory(psutil.Process(server.pid), sizes))
    caller = LoadClient(server.target, 8, corpus)
    await caller.ready()
    await asyncio.gather(*(caller.call(number, seen) for number, seen in enumerate(asked)))
    watching.cancel()
    await caller.close()
    budget = asked[0].budget
    firsts = [seen.first for seen in asked if seen.first is not None]
    iterations = [seen.iterations for seen in asked]
    return {
        "at_once": len(asked),
        "answered": sum(seen.answered for seen in asked),
        "iterations_per_s": round(sum(iterations) / budget),
        "least_iterations": min(iterations),
        "most_late_ms": round(max(seen.late for seen in asked), 1),
        "first_table_ms": round(1e3 * median(firsts), 1) if firsts else None,
        "rss_mib": round(max(sizes) / 2**20),
    }


def main(
    moves: Annotated[str, typer.Option(help="Numbers of moves at once, one after the other.")] = "",
    hints: Annotated[str, typer.Option(help="Numbers of streams at once.")] = "",
    seconds: Annotated[float, typer.Option(help="Budget of each.")] = 3.0,
    runs: Annotated[int, typer.Option(help="Repetitions: the medians of speed and first table, else the worst.")] = 3,
    workers: Annotated[int, typer.Option(help="Workers of the server.")] = 2,
) -> None:
    """Print the figures of each number as JSON."""
    asked_for = [
        (kind, number) for kind, text in (("move", moves), ("hint", hints)) for number in read_numbers(text, int)
    ]
    found: dict[tuple[str, int], list[dict[str, Any]]] = {one: [] for one in asked_for}
    for _ in range(runs):
        for kind, number in asked_for:
            with own_server("--workers", str(workers), *ROOM) as server:
                corpus = [
                    position for position in positions(server.target) if position.WhichOneof("game") == DEFAULT_GAME
                ]
                found[kind, number].append(asyncio.run(crowd(server, corpus[:1], calls(kind, number, seconds))))
    for (kind, number), results in found.items():
        typer.echo(json.dumps({"kind": kind, "at_once": number, **together(results)}))


def together(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the figures of several runs: medians of speed and of the first table, and the worst of the others."""
    worst = {"answered": min, "least_iterations": min, "most_late_ms": max, "rss_mib": max}
    firsts = [run["first_table_ms"] for run in runs if run["first_table_ms"] is not None]
    return {
        "iterations_per_s": median(run["iterations_per_s"] for run in runs),
        "first_table_ms": median(firsts) if firsts else None,
        **{name: of(run[name] for run in runs) for name, of in worst.items()},
    }


if __name__ == "__main__":
    typer.run(main)

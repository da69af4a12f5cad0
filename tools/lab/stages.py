"""How the time of a RecommendMove call is spent: `python -m tools.lab.stages --calls 400 --iterations 500`.

A server in another process records when a call passes each of STAGES; the client uses the same clock. It prints
medians of the time since the previous stage, which add up to about the median of a whole call.
"""

import argparse
import asyncio
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from clerestory.bench.measured_service import BenchClient
from clerestory.cli.options import DEFAULT_GAME
from clerestory.cli.positions import first_decision
from clerestory.clients.wire import duration
from clerestory.server.analysis.analysis_engine import AnalysisEngine
from clerestory.server.analysis.scheduler import Scheduler
from clerestory.server.app import start
from clerestory.server.config import Settings
from clerestory.server.rpc import service
from clerestory.server.rpc.interceptor import CallInterceptor

STAGES = (  # owner of a function, its name, the stage that ends on entry, and the stage that ends on return
    (CallInterceptor, "answer", "request transport", None),
    (service, "read_question", "identifier, decoding, a place", "reading the position"),
    (Scheduler, "submit", "limits, memory, a searcher", "admission"),
    (Scheduler, "_take_turn", "a thread wakes", None),
    (Scheduler, "_settle", "searching", None),
    (Scheduler, "_close", "end of the search reported", None),
    (Scheduler, "result", None, "the table"),
    (AnalysisEngine, "ask", None, "metrics, memory released"),
    (service, "write_recommendation", None, "the message"),
)
BACK = "answer transport"
Notes = list[tuple[str, float]]


def note_stages(calls: list[Notes]) -> None:
    """Record in this process when a call passes each stage; calls must come one at a time."""

    def note(name: str | None) -> None:
        if name == STAGES[0][2]:
            calls.append([])
        if name is not None and calls:
            calls[-1].append((name, monotonic()))

    for owner, function, before, after in STAGES:
        setattr(owner, function, noted(getattr(owner, function), note, before, after))


def noted(function: Any, note: Callable[[str | None], None], before: str | None, after: str | None) -> Any:
    """Wrap the function to record when it is entered and left."""

    @wraps(function)
    def plain(*arguments: Any, **options: Any) -> Any:
        note(before)
        found = function(*arguments, **options)
        note(after)
        return found

    @wraps(function)
    async def waiting(*arguments: Any, **options: Any) -> Any:
        note(before)
        found = await function(*arguments, **options)
        note(after)
        return found

    return waiting if asyncio.iscoroutinefunction(function) else plain


async def serve(target: str, out: Path) -> None:
    """Serve until standard input ends, then write the recorded times."""
    calls: list[Notes] = []
    note_stages(calls)
    app = await start(Settings(listen=target, workers=2))
    sys.stdout.write("serving\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    await app.finish()
    out.write_text(json.dumps(calls))


def measure(calls: int, iterations: int) -> dict[str, float]:
    """Return the median milliseconds of each stage, of whole calls, and of calls without their searches."""
    with TemporaryDirectory() as folder:
        target, out = f"unix:{folder}/socket", Path(folder, "calls")
        command = [sys.executable, "-m", "tools.lab.stages", "--serve", target, "--out", str(out)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdout.readline()
            with BenchClient(target, first_decision(DEFAULT_GAME, 2, 0)) as caller:
                measured = [ask(caller, iterations) for _ in range(calls)]
            child.stdin.close()
        return summary(measured, json.loads(out.read_text()))


def ask(caller: BenchClient, iterations: int) -> tuple[float, float, float]:
    """Return when a call was sent and answered, and the seconds that it searched."""
    sent = monotonic()
    answer = caller.ask(iterations=iterations, time_budget=duration(0.04))
    return sent, monotonic(), answer.statistics.elapsed.ToNanoseconds() / 1e9


def summary(measured: list[tuple[float, float, float]], calls: list[Notes]) -> dict[str, float]:
    """Return medians in milliseconds, by stage."""
    spent: dict[str, list[float]] = defaultdict(list)
    for (sent, received, searched), notes in zip(measured, calls, strict=True):
        last = sent
        for name, moment in [*notes, (BACK, received)]:
            spent[name].append(moment - last)
            last = moment
        spent["whole"].append(received - sent)
        spent["total without the search"].append(received - sent - searched)
    return {name: 1e3 * median(values) for name, values in spent.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=400)
    parser.add_argument("--iterations", type=int, default=500)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve:
        asyncio.run(serve(chosen.serve, chosen.out))
        return
    for name, value in measure(chosen.calls, chosen.iterations).items():
        sys.stdout.write(f"{name:32} {value:.2f} ms\n")


if __name__ == "__main__":
    main()

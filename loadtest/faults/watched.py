"""A `clerestory serve` in a separate process, which reports for how long each call blocks its event loop.

`python -m loadtest.faults.watched FILE serve ...` serves as the command does, and writes a line to FILE for each long
iteration of the loop: its processor time, which does not depend on other processes.
"""

import asyncio
import gc
import json
import re
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO

from clerestory.cli.main import main
from clerestory.clients.child import own
from loadtest.server import ANNOUNCED, end

LONG = 0.002  # minimum processor time of a recorded iteration, seconds
PAGE = re.compile(r"page at http://([^/]+)/")
OWN = re.compile(r"Exception ignored in: <bound method LoopWatch\.collect.*\nTraceback.*\n(?: .*\n)*RecursionError.*\n")
LIMIT_CORE = (resource.RLIMIT_CORE, (0, 0))


@dataclass(frozen=True)
class Delay:
    """A long iteration of the event loop."""

    at: float  # start time, on the monotonic clock, which all processes share
    seconds: float  # processor time of the loop's thread, without garbage collection, which any call may trigger


class LoopWatch:
    """Records long iterations of event loops."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._at = self._began = self._collecting = 0.0

    def begin(self) -> None:
        """Record the start of an iteration, when the loop has waited for events."""
        self._at, self._began = time.monotonic(), time.thread_time()

    def collect(self, phase: str, _: dict[str, int]) -> None:
        """Exclude a garbage collection."""
        if threading.current_thread() is not threading.main_thread():
            return
        if phase == "start":
            self._collecting = time.thread_time()
        else:
            self._began += time.thread_time() - self._collecting

    def end(self) -> None:
        if (seconds := time.thread_time() - self._began) > LONG:
            self._out.write(json.dumps(asdict(Delay(self._at, seconds))) + "\n")


def watch_loops(path: str) -> None:
    watch = LoopWatch(open(path, "a", buffering=1, encoding="utf-8"))  # noqa: PTH123, SIM115  # until the process ends
    turn, forever = asyncio.BaseEventLoop._run_once, asyncio.BaseEventLoop.run_forever  # type: ignore[attr-defined]
    gc.callbacks.append(watch.collect)

    def turned(self: Any) -> None:
        turn(self)
        watch.end()

    def watched(self: Any) -> None:
        wait = self._selector.select

        def waited(timeout: float | None = None) -> Any:
            events = wait(timeout)
            watch.begin()
            return events

        self._selector.select = waited
        forever(self)

    asyncio.BaseEventLoop._run_once = turned  # type: ignore[attr-defined]
    asyncio.BaseEventLoop.run_forever = watched  # type: ignore[method-assign]


@dataclass(frozen=True)
class Watched:
    """A running server."""

    target: str
    page: str  # HOST:PORT
    child: "subprocess.Popen[str]"
    folder: Path  # folder of its log and its delays

    def delays(self) -> list[Delay]:
        """Return the delays recorded since the last call."""
        with (self.folder / "delays").open("r+", encoding="utf-8") as file:
            delays = [Delay(**json.loads(line)) for line in file]
            file.truncate(0)
        return delays

    def output(self) -> str:
        """Return its log, without errors of the watch caused by deep recursion."""
        return OWN.sub("", (self.folder / "log").read_text(errors="replace"))


@contextmanager
def watched_server(folder: Path, *options: str) -> Iterator[Watched]:
    """Yield a server with a page, which keeps its games in `folder/games`, for the duration of the block."""
    command = [
        sys.executable,
        "-m",
        "loadtest.faults.watched",
        str(folder / "delays"),
        "serve",
        "--while-stdin",
        *options,
    ]
    command += ["--listen", "127.0.0.1:0", "--web", "127.0.0.1:0", "--store", str(folder / "games")]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    root = Path(__file__).parents[2]
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen(command, stderr=log, cwd=root, env=own(), **pipes) as child,
    ):
        try:
            assert child.stdout is not None
            target, page = ANNOUNCED.search(child.stdout.readline()), PAGE.search(child.stdout.readline())
            assert target
            assert page
            yield Watched(target[1], page[1], child, folder)
        finally:
            end(child)


if __name__ == "__main__":
    resource.setrlimit(*LIMIT_CORE)
    watch_loops(sys.argv.pop(1))
    main()

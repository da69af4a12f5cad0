"""A `clerestory serve` in a process of its own, whose event loop says how long it was held.

`python -m tests.faults.watched FILE serve ...` serves as the command does, and writes a line to FILE whenever the loop
comes later than it should. A test that sends one call at a time reads there what the call has cost everybody else.
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
from asyncio.events import Handle
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO

import psutil

from clerestory.cli.main import main
from clerestory.clients.child import own

BEAT = 0.005  # seconds between two looks at the clock
LATE = 0.01  # seconds beyond that which are written down
NOTED = 0.002  # seconds of processor time of an iteration which are written down
GRPC, PAGE = re.compile(r"serves on (\S+) with"), re.compile(r"page at (\S+)")
OWN = re.compile(r"Exception ignored in: <bound method LoopWatch\.collect.*\nTraceback.*\n(?: .*\n)*RecursionError.*\n")
END_WITHIN = 30.0  # seconds from SIGTERM
LIMIT_CORE = (resource.RLIMIT_CORE, (0, 0))


@dataclass(frozen=True)
class Delay:
    """The event loop was held: in one iteration, or between two looks at the clock.

    Attributes:
        at: when it began, on the monotonic clock, which all processes share.
        lag: seconds for which it was held.
        busy: seconds of processor time that the whole process used meanwhile, at most `lag`: on a machine that has
            other things to do, only these are the call's.
        own: seconds of processor time that the thread of the loop used in the iteration, without garbage collection,
            which comes upon any call; 0 between looks.
        collected: seconds of processor time of that collection.
        step: the longest step of the iteration by the clock, and its seconds.
    """

    at: float
    lag: float
    busy: float
    own: float = 0.0
    collected: float = 0.0
    step: str = ""


# -- inside the server -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Moment:
    """Clocks at one moment: the monotonic one, and those of the processor time of the process and of this thread."""

    clock: float
    process: float
    thread: float

    @classmethod
    def now(cls) -> "Moment":
        """Return this moment."""
        return cls(time.monotonic(), time.process_time(), time.thread_time())


class LoopWatch:
    """Writes down what holds the event loop: iterations, and whatever keeps it from looking at the clock in time."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._began = self._due = self._collecting = Moment.now()
        self._collected = 0.0
        self._longest: tuple[float, str] = (0.0, "")

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Look at the clock from now on."""
        self._due = Moment.now()
        loop.call_later(BEAT, self._look, loop)

    def woken(self) -> None:
        """Note that an iteration begins: the loop has waited for what it has to do."""
        self._began, self._collected, self._longest = Moment.now(), 0.0, (0.0, "")

    def note(self, seconds: float, handle: Handle) -> None:
        """Note a step of the iteration."""
        if seconds > self._longest[0]:
            self._longest = seconds, f"{seconds:.3f} s {handle!r}"

    def collect(self, phase: str, _: dict[str, int]) -> None:
        """Note that a garbage collection begins or ends."""
        if phase == "start":
            self._collecting = Moment.now()
        elif threading.current_thread() is threading.main_thread():
            self._collected += time.thread_time() - self._collecting.thread

    def end(self) -> None:
        """Note that the iteration has ended."""
        now = Moment.now()
        lag, own = now.clock - self._began.clock, now.thread - self._began.thread - self._collected
        if lag > LATE or own + self._collected > NOTED:
            busy = min(lag, now.process - self._began.process)
            self._write(Delay(self._began.clock, lag, busy, own, self._collected, self._longest[1]))

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        now, due = Moment.now(), self._due.clock + BEAT
        lag = now.clock - due
        if lag > LATE:
            self._write(Delay(due, lag, min(lag, now.process - self._due.process)))
        self.begin(loop)

    def _write(self, delay: Delay) -> None:
        self._out.write(json.dumps(asdict(delay)) + "\n")


def watch_loops(path: str) -> None:
    """Watch every event loop that this process runs."""
    watch = LoopWatch(open(path, "a", buffering=1, encoding="utf-8"))  # noqa: PTH123, SIM115  # until the process ends
    step, turn, forever = Handle._run, asyncio.BaseEventLoop._run_once, asyncio.BaseEventLoop.run_forever  # type: ignore[attr-defined]
    gc.callbacks.append(watch.collect)

    def timed(self: Handle) -> None:
        began = time.perf_counter()
        step(self)  # type: ignore[no-untyped-call]
        watch.note(time.perf_counter() - began, self)

    def turned(self: Any) -> None:
        turn(self)
        watch.end()

    def watched(self: Any) -> None:
        wait = self._selector.select

        def waited(timeout: float | None = None) -> Any:
            events = wait(timeout)
            watch.woken()
            return events

        self._selector.select = waited
        watch.begin(self)
        forever(self)

    Handle._run = timed  # type: ignore[method-assign]
    asyncio.BaseEventLoop._run_once = turned  # type: ignore[attr-defined]
    asyncio.BaseEventLoop.run_forever = watched  # type: ignore[method-assign]


# -- outside ---------------------------------------------------------------------------------------


@dataclass
class Watched:
    """A server that runs.

    Attributes:
        target: of its gRPC port.
        page: `HOST:PORT` of its page.
        process: that it is.
        folder: where its output and its delays are.
    """

    target: str
    page: str
    process: psutil.Process
    child: "subprocess.Popen[bytes]"
    folder: Path
    _read: int = 0

    def delays(self) -> list[Delay]:
        """Return the delays that were written down since the last call."""
        with (self.folder / "delays").open(encoding="utf-8") as file:
            file.seek(self._read)
            lines = [line for line in file if line.endswith("\n")]
        self._read += sum(map(len, lines))
        return [Delay(**json.loads(line)) for line in lines]

    def output(self) -> str:
        """Return all that it has printed and logged; not that deep recursion left the watch no frame of its own."""
        told = "".join((self.folder / name).read_text(errors="replace") for name in ("stdout", "stderr"))
        return OWN.sub("", told)


@contextmanager
def watched_server(folder: Path, *options: str) -> Iterator[Watched]:
    """Yield a server with a page, which keeps its games in `folder/games`, for the duration of the `with`.

    Args:
        folder: for its store, its output and its delays; may be that of an earlier server.
        options: of `clerestory serve`.

    Raises RuntimeError when it does not start.
    """
    files = {name: (folder / name).open("ab") for name in ("stdout", "stderr")}
    (folder / "delays").touch()
    seen = (folder / "stdout").stat().st_size
    command = [sys.executable, "-m", "tests.faults.watched", str(folder / "delays"), "serve", "--while-stdin"]
    places = ["--listen", "127.0.0.1:0", "--web", "127.0.0.1:0", "--store", str(folder / "games")]
    root = Path(__file__).parents[2]
    child = subprocess.Popen([*command, *places, *options], stdin=subprocess.PIPE, cwd=root, env=own(), **files)
    try:
        target, page = announced(child, folder / "stdout", seen)
        read = (folder / "delays").stat().st_size
        yield Watched(target, page, psutil.Process(child.pid), child, folder, read)
    finally:
        end(child)
        for file in files.values():
            file.close()


def announced(child: "subprocess.Popen[bytes]", printed: Path, seen: int) -> tuple[str, str]:
    """Return the addresses that a server prints: of gRPC, and of its page."""
    while child.poll() is None:
        text = printed.read_bytes()[seen:].decode()
        target, page = GRPC.search(text), PAGE.search(text)
        if target and page:
            return target[1], page[1].removeprefix("http://").strip("/")
        time.sleep(0.01)
    raise RuntimeError("the server did not start")


def end(child: "subprocess.Popen[bytes]") -> None:
    """Terminate a server, and kill it if it does not end."""
    assert child.stdin is not None
    child.terminate()
    try:
        child.wait(END_WITHIN)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
    child.stdin.close()


if __name__ == "__main__":
    resource.setrlimit(*LIMIT_CORE)
    watch_loops(sys.argv.pop(1))
    main()

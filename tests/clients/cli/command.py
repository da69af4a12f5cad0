"""The command `clerestory`, called in this process as the installed program calls it."""

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from clerestory.cli.main import main

COMMAND = [sys.executable, "-m", "clerestory"]  # for tests of the process itself
EXAMPLES = Path(__file__).parents[3] / "examples"
POSITIONS = EXAMPLES / "positions"
TOY_OPENING = POSITIONS / "toy-2p-round1.json"


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str = ""

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def json_lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


def run(*words: object, typed: str = "", **environment: str | None) -> Ended:
    """Call the command with standard input and changed variables (None removes one); errors fail the test."""
    runner = CliRunner(env={"COLUMNS": "160"} | environment)
    before = signal.getsignal(signal.SIGTERM)
    with pytest.MonkeyPatch.context() as patch, runner.isolation(typed) as (out, err, _):
        patch.setattr(sys, "argv", ["clerestory", *map(str, words)])
        patch.setattr(sys, "excepthook", sys.excepthook)  # typer replaces it
        try:
            code = copy_context().run(exit_code)  # the language that it speaks ends with it
        finally:
            signal.signal(signal.SIGTERM, before)
        return Ended(code, out.getvalue().decode(), err.getvalue().decode())


def exit_code() -> int:
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


def failed(why: str, code: int = 2) -> Ended:
    """How a command ends that prints nothing but one line about what is wrong."""
    return Ended(code, "", f"clerestory: {why}\n")


@contextmanager
def started(*words: object, **options: Any) -> Iterator["subprocess.Popen[str]"]:
    """Start the command as a process, which is killed at the end of the test if it has not ended before."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*COMMAND, *map(str, words)], text=True, **pipes | options) as process:
        try:
            yield process
        finally:
            process.kill()


def ended(*words: object, typed: str = "", **options: Any) -> Ended:
    done = subprocess.run(
        [*COMMAND, *map(str, words)], input=typed, capture_output=True, text=True, check=False, **options
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def announced(process: "subprocess.Popen[str]", pattern: str = r"clerestory serves on (\S+) ") -> str:
    """Wait for the line in which a process says where it serves, and return the address."""
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(pattern, line):
            return found[1]
    raise AssertionError("the process ended without an announcement")


def until(condition: Callable[[], bool]) -> None:
    """Wait for a condition; if it never holds, the test fails by its timeout."""
    while not condition():
        time.sleep(0.01)

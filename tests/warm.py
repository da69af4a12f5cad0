"""Starts the command, or a helper, without importing it anew: a process that has imported it forks for every one.

What a test starts is a process of its own as ever, with its own arguments, environment, folder, pipes and signals, and
its parent is the test. With CLERESTORY_TEST_COLD=1, or where this is not Linux, it is started from nothing instead.
"""

import atexit
import ctypes
import gc
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import threading
import traceback
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

MODULE = "clerestory"  # of `python -m`
HELPERS = "tests."  # modules of ours that import some of it, also of `python -m`
COMMANDS = (
    "main serve bench arena serving web play recommend hint annotate lesson puzzle rules show simulate tune here new"
)
IMPORTED = [f"cli.{name}" for name in COMMANDS.split()]
AT_START = ("PYTHON", "LD_", "MALLOC_", "GRPC_", "GLIBC_")  # variables that count when a process starts
SPECIAL = ("preexec_fn", "pass_fds", "start_new_session", "process_group", "shell", "executable", "user", "group")
SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER: orphans of this process's children become its own
LOCK = threading.Lock()
AT_FIRST = dict(os.environ)
IS_FORK: list[bool] = []  # in a process that it forked


class Popen(subprocess.Popen):  # type: ignore[type-arg]
    """A process; one of the command is forked from another that has imported it."""

    def __init__(self, args: Any, *more: Any, **options: Any) -> None:
        self.warm = not more and is_usual(args, options)
        super().__init__(args, *more, **options)

    def _execute_child(self, *given: Any) -> None:
        if not self.warm:
            super()._execute_child(*given)  # type: ignore[misc]
            return
        args, _, _, _, _, cwd, env = given[:7]
        pipes = given[10:16]  # of each of stdin, stdout and stderr both ends, the child's being 0, 3 and 5; or -1
        own = [number if one == -1 else one for number, one in enumerate((pipes[0], pipes[3], pipes[5]))]
        module, *arguments = list(map(str, args))[2:]
        wanted = {"module": module, "args": arguments, "cwd": os.fspath(cwd or Path.cwd())}
        wanted["env"] = dict(os.environ if env is None else env)
        self.pid = forked_here(wanted, own) if IS_FORK else forked_there(wanted, own)
        self._child_created = True
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]


def is_usual(args: Any, options: dict[str, Any]) -> bool:
    """Whether a process is of the command or a helper, without anything that only a new interpreter can give it."""
    if isinstance(args, str | bytes):
        return False
    match list(map(str, args)):
        case [sys.executable, "-m", module, *_] if module == MODULE or module.startswith(HELPERS):
            pass
        case _:
            return False
    return not any(options.get(name) for name in SPECIAL) and early(options.get("env") or os.environ) == early(AT_FIRST)


def early(environment: Any) -> dict[str, str]:
    """Return the variables that count when an interpreter starts."""
    return {name: value for name, value in environment.items() if name.startswith(AT_START)}


def forked_there(wanted: dict[str, Any], descriptors: list[int]) -> int:
    """Have a process of the command forked, which becomes a child of this one; return its number."""
    with LOCK:
        channel = parent()
        prctl(SUBREAPER, 1)
        try:
            message = json.dumps(wanted).encode()
            socket.send_fds(channel, [len(message).to_bytes(4, "big")], descriptors)
            channel.sendall(message)
            return int.from_bytes(received(channel, 4), "big")
        finally:
            prctl(SUBREAPER, 0)


def forked_here(wanted: dict[str, Any], descriptors: list[int]) -> int:
    """Fork a process of the command from one that was forked itself; return its number."""
    number = os.fork()
    if number == 0:
        become(wanted, descriptors)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        run(wanted["module"])
    return number


@cache
def parent() -> socket.socket:
    """Start the process that imports and forks, and end it with this one; return the way to it."""
    ours, theirs = socket.socketpair()
    command = [sys.executable, __file__, str(theirs.fileno())]
    process = subprocess.Popen(command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
    theirs.close()
    atexit.register(end, process, ours)
    return ours


def end(process: subprocess.Popen[bytes], channel: socket.socket) -> None:
    """End the process that imports and forks, whose forks do not need it, and the way to it."""
    channel.close()
    process.kill()
    process.wait()


def prctl(option: int, value: int) -> None:
    """Set an attribute of this process."""
    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def received(channel: socket.socket, size: int) -> bytes:
    """Receive exactly so many bytes. Raises EOFError."""
    found = b""
    while len(found) < size:
        part = channel.recv(size - len(found))
        if not part:
            raise EOFError
        found += part
    return found


def install() -> None:
    """Start the command this way from now on, if it can be."""
    if sys.platform == "linux" and not os.environ.get("CLERESTORY_TEST_COLD"):
        subprocess.Popen = Popen  # type: ignore[misc]


# -- in the process that imports and forks ---------------------------------------------------------


def main(channel: socket.socket) -> None:
    """Import, fork whenever told to, and end with the process that tells; in a fork, run the command."""
    for name in IMPORTED:
        import_module(f"{MODULE}.{name}")
    gc.freeze()
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        head, descriptors, _, _ = socket.recv_fds(channel, 4, 3)
        if not head:
            return
        wanted = json.loads(received(channel, int.from_bytes(head, "big")))
        if forked(channel):
            break
        for one in descriptors:
            os.close(one)
    channel.close()
    signal.signal(signal.SIGINT, handler)
    IS_FORK.append(True)
    install()
    become(wanted, descriptors)
    run(wanted["module"])


def run(module: str) -> NoReturn:
    """Run a command, and end without taking apart what was imported, which would cost more than most commands do."""
    code = 0
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0
    except BaseException:
        traceback.print_exc()
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    os._exit(code)


def forked(channel: socket.socket) -> bool:
    """Fork twice, so that the second child has lost its parent once its number is told; whether this is that child."""
    back, forth = os.pipe()
    first = os.fork()
    if first == 0:
        second = os.fork()
        if second:
            os.write(forth, second.to_bytes(4, "big"))
            os._exit(0)
    else:
        os.waitpid(first, 0)
        channel.sendall(os.read(back, 4))
    os.close(back)
    os.close(forth)
    return first == 0


def become(wanted: dict[str, Any], descriptors: list[int]) -> None:
    """Take on arguments, environment, folder and pipes."""
    for number, one in enumerate(descriptors):
        os.dup2(one, number)
    for one in {*descriptors} - {0, 1, 2}:
        os.close(one)
    os.environ.clear()
    os.environ.update(wanted["env"])
    os.chdir(wanted["cwd"])
    sys.argv = [wanted["module"], *wanted["args"]]
    sys.path[0] = wanted["cwd"]
    through = bool(os.environ.get("PYTHONUNBUFFERED"))
    sys.stdin = sys.__stdin__ = open(0, closefd=False)  # type: ignore[misc]  # noqa: SIM115
    sys.stdout = sys.__stdout__ = open(1, "w", closefd=False)  # type: ignore[misc]  # noqa: SIM115
    sys.stdout.reconfigure(write_through=through, line_buffering=sys.stdout.isatty())  # type: ignore[attr-defined]
    errors = {"errors": "backslashreplace", "closefd": False}
    sys.stderr = sys.__stderr__ = open(2, "w", **errors)  # type: ignore[misc,call-overload]  # noqa: SIM115
    sys.stderr.reconfigure(line_buffering=True)  # type: ignore[attr-defined]


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))

"""What a machine takes of every call: a server that only echoes, in a process of its own, called beside the others.

Its calls pass the same sockets, threads and interpreters as those of a server that has something to do. Whatever else
runs on the machine delays both.
"""

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc

from clerestory.clients.child import own

METHOD = "/probe/Echo"
PACE = 0.05  # seconds between two calls


async def serve() -> None:
    """Echo until standard input is closed."""

    async def echo(request: bytes, _: object) -> bytes:
        return request

    server = grpc.aio.server()
    handlers = {"Echo": grpc.unary_unary_rpc_method_handler(echo)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("probe", handlers),))
    print(server.add_insecure_port("127.0.0.1:0"), flush=True)
    await server.start()
    await asyncio.to_thread(sys.stdin.read)
    await server.stop(None)


@contextmanager
def echoing() -> Iterator[str]:
    """Yield the address of such a server."""
    command = [sys.executable, "-m", "tests.faults.probe"]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True, cwd=root, env=own()) as child:
        try:
            assert child.stdout is not None
            yield f"127.0.0.1:{int(child.stdout.readline())}"
        finally:
            child.terminate()


@contextmanager
def probed(target: str, times: list[float]) -> Iterator[None]:
    """Call an echoing server during the block; append the seconds that each call took."""
    over = threading.Event()

    def call() -> None:
        with grpc.insecure_channel(target) as channel:
            echo = channel.unary_unary(METHOD)
            echo(b"", wait_for_ready=True)
            while not over.wait(PACE):
                began = time.monotonic()
                echo(b"", timeout=10)
                times.append(round(time.monotonic() - began, 6))

    thread = threading.Thread(target=call)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


if __name__ == "__main__":
    asyncio.run(serve())

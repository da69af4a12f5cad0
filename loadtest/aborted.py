"""Measures what connections that are aborted with unfinished messages leave: `python -m loadtest.aborted`.

The same connections abort at a server and at a bare `grpc.aio` server with its options, which only waits for messages.
So growth of both is gRPC's, and growth of the first alone is ours. Prints one JSON line per server: the resident memory
in MB after each round, once the C library has been asked to return what is free, and the bytes that each connection of
the second half left.
"""

import asyncio
import ctypes
import json
import logging
import multiprocessing
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import grpc
import psutil
import typer

from clerestory.server.rpc.admission import channel_options
from loadtest.connections import DATA, END_HEADERS, HEADERS, PREFACE, SETTINGS, frame, heads
from loadtest.server import own_server

METHOD = "/clerestory.v1.AdvisorService/RecommendMove"
ANNOUNCED, SENT = 1000, 100  # bytes of each message
HELD = 0.2  # seconds until a connection is aborted
RESTS = 4.0  # seconds after a round, in which the server trims its memory
AT_ONCE = 100  # connections
MOST = 500  # of the port
LINGER = struct.pack("ii", 1, 0)  # close with a reset
UNFINISHED = (
    PREFACE
    + frame(SETTINGS, 0, 0)
    + frame(HEADERS, END_HEADERS, 1, heads(METHOD))
    + frame(DATA, 0, 1, struct.pack(">BI", 0, ANNOUNCED) + bytes(SENT))
)


async def abort_one(target: str) -> None:
    """Begin a message on a new connection, and abort the connection."""
    host, _, port = target.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(UNFINISHED)
    await reader.read(9)
    await asyncio.sleep(HELD)
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER)
    writer.transport.abort()


async def abort_many(target: str, count: int) -> None:
    """Abort a number of connections, AT_ONCE at a time."""
    for begin in range(0, count, AT_ONCE):
        await asyncio.gather(*(abort_one(target) for _ in range(min(AT_ONCE, count - begin))))


def serve_bare(told: Any) -> None:
    """Run a server that waits for the messages of calls, and trims its memory every second."""

    async def wait(_: object, context: Any) -> bytes:
        return bytes(await context.read())

    async def run() -> None:
        server = grpc.aio.server(options=channel_options(MOST))
        handler: Any = grpc.stream_unary_rpc_method_handler(wait)
        service, _, name = METHOD[1:].partition("/")
        server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(service, {name: handler})])
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        told.send(f"127.0.0.1:{port}")
        while True:
            await asyncio.sleep(1.0)
            ctypes.CDLL(None).malloc_trim(0)

    logging.disable()  # a line for each call
    asyncio.run(run())


@contextmanager
def bare() -> Iterator[tuple[str, int]]:
    """Yield the target and the process of a bare server."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("spawn").Process(target=serve_bare, args=(there,), daemon=True)
    process.start()
    try:
        assert process.pid is not None
        yield here.recv(), process.pid
    finally:
        process.kill()
        process.join()


@contextmanager
def ours() -> Iterator[tuple[str, int]]:
    """Yield the target and the process of a server."""
    with own_server() as server:
        yield server.target, server.pid


def growth(start: Callable[[], Any], rounds: int, count: int) -> dict[str, Any]:
    """Return the memory of a server after each round."""
    sizes = list[int]()
    with start() as (target, pid):
        for _ in range(rounds):
            asyncio.run(abort_many(target, count))
            time.sleep(RESTS)
            sizes.append(psutil.Process(pid).memory_info().rss)
    half = len(sizes) // 2
    left = (sizes[-1] - sizes[half - 1]) / (count * (len(sizes) - half)) if half else 0.0
    return {"rss_mb": [round(size / 1e6, 1) for size in sizes], "bytes_a_connection": round(left)}


def main(
    rounds: Annotated[int, typer.Option(help="Rounds of connections, at least 2.", min=2)] = 10,
    connections: Annotated[int, typer.Option(help="Connections of each round.")] = 400,
) -> None:
    """Abort connections, and print what they leave."""
    about = {"rounds": rounds, "connections": connections}
    for name, start in (("bare", bare), ("clerestory", ours)):
        typer.echo(json.dumps({"server": name, **about, **growth(start, rounds, connections)}))


if __name__ == "__main__":
    typer.run(main)

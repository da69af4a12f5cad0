#!/usr/bin/env bash
# grpcio 1.85.1 (CPython 3.11, Linux x86_64, glibc 2.36): a `grpc.aio` server keeps memory of every call that its
# client cancels while the handler waits for the next message.
#
# Expected: once a call is over, and garbage was collected, the memory in use (`mallinfo2`) is that of before, as it is
# for calls that run to their end.
# Seen: about 540 bytes stay for each cancelled call, in step with their number (6,000 calls: 3.2 MB), whether the
# handler calls `context.read()` or iterates over the requests; for calls that are not cancelled, fewer than 10 bytes.
# Python's own objects do not grow: what stays was allocated by the native part.
#
#   cancelled, context.read():   543 536 534 540 539 bytes a call
#   cancelled, async for:        540 533 541 542 542 bytes a call
#   run to their end:              6   5   2   7   2 bytes a call
#
# Known to gRPC as https://github.com/grpc/grpc/issues/43360, which names the array of operations that is not freed.
# For Clerestory see docs/operations.md, "Memory". Fails if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check grpcio==1.85.1
cat > "$folder/measure.py" <<'PYTHON'
import asyncio
import ctypes
import gc

import grpc

ROUND, ROUNDS, TOGETHER = 1000, 5, 50  # calls, rounds, calls at once


class MallInfo(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
    ]


mallinfo2 = ctypes.CDLL("libc.so.6").mallinfo2
mallinfo2.restype = MallInfo


def in_use():
    gc.collect()
    info = mallinfo2()
    return info.uordblks + info.hblkhd


class Sink(grpc.GenericRpcHandler):
    """A service that takes any number of messages, and answers once there are no more."""

    def __init__(self, iterate):
        self.iterate, self.over = iterate, 0

    def service(self, _):
        return grpc.stream_unary_rpc_method_handler(self.take)

    async def take(self, requests, context):
        try:
            if self.iterate:
                async for _ in requests:
                    pass
            else:
                while await context.read() is not grpc.aio.EOF:
                    pass
        finally:
            self.over += 1
        return b""


async def measure(iterate, cancel):
    server, sink = grpc.aio.server(), Sink(iterate)
    server.add_generic_rpc_handlers((sink,))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    kept, before, made = [], 0, 0
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        start = channel.stream_unary("/sink/take")
        for number in range(ROUNDS + 1):
            for _ in range(ROUND // TOGETHER):
                calls = [start() for _ in range(TOGETHER)]
                for call in calls:
                    await call.write(b"message")
                if cancel:
                    await asyncio.sleep(0.05)  # the handlers have taken the message, and wait for the next
                for call in calls:
                    if cancel:
                        call.cancel()
                    else:
                        await call.done_writing()
                        await call
                made += TOGETHER
                while sink.over < made:
                    await asyncio.sleep(0.01)
            await asyncio.sleep(0.3)
            now = in_use()
            if number:
                kept.append(round((now - before) / ROUND))
            before = now
    await server.stop(None)
    return kept


async def main():
    print("grpcio", grpc.__version__)
    unchanged = True
    for name, iterate, cancel in [
        ("cancelled, context.read()", False, True),
        ("cancelled, async for", True, True),
        ("run to their end", False, False),
    ]:
        kept = await measure(iterate, cancel)
        print(f"{name}: {kept} bytes a call")
        middle = sorted(kept)[len(kept) // 2]
        unchanged &= middle > 300 if cancel else middle < 100
    raise SystemExit(0 if unchanged else "the behaviour has changed")


asyncio.run(main())
PYTHON
"$folder/venv/bin/python" "$folder/measure.py"

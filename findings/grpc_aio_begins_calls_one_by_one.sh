#!/usr/bin/env bash
# grpcio 1.85.1 (CPython 3.11, Linux x86_64): a `grpc.aio` server begins calls that have all arrived one after the
# other, with several iterations of the event loop between two of them.
#
# Expected: the iteration that finds 64 calls waiting starts a task for each, as asyncio's own servers do with
# connections (`listen` accepts up to its backlog at once).
# Seen: the server asks its native part for one call, and for the next one only once the first has been handed over,
# through a thread and a socket. So calls begin at a rate that the other work of the loop sets, whatever the handlers
# cost: with iterations of 2 ms, the last of 64 empty calls begins after 0.4 s or more. Two runs:
#
#   64 calls begin within 190 iterations, 3.0 a call; at most 1 in the same iteration
#   64 calls begin within 361 iterations, 5.6 a call; at most 1 in the same iteration
#
# For Clerestory see server/hardening/newcomers.py. Fails if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check grpcio==1.85.1
cat > "$folder/measure.py" <<'PYTHON'
import asyncio
import threading
import time

import grpc

CALLS, ROUNDS = 64, 3
BUSY = 0.002  # seconds of other work in each iteration of the event loop


class Echo(grpc.GenericRpcHandler):
    """A service that answers at once, and notes the iteration in which each call began."""

    def __init__(self):
        self.iteration, self.begun = 0, []

    def service(self, _):
        return grpc.unary_unary_rpc_method_handler(self.answer)

    async def answer(self, request, _):
        self.begun.append(self.iteration)
        return request


def call_at_once(port, sent, answered):
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        ask = channel.unary_unary("/echo/answer")
        ask(b"", timeout=60)  # the connection is open
        calls = [ask.future(b"", timeout=60) for _ in range(CALLS)]
        sent.set()
        answered.extend(call.result() for call in calls)


async def measure():
    server, echo = grpc.aio.server(), Echo()
    server.add_generic_rpc_handlers((echo,))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    sent, answered = threading.Event(), []
    client = threading.Thread(target=call_at_once, args=(port, sent, answered))
    client.start()
    while not sent.is_set():
        await asyncio.sleep(0.001)
    time.sleep(1.0)  # meanwhile the calls arrive, and none begins
    first = len(echo.begun)
    while len(echo.begun) <= CALLS:
        echo.iteration += 1
        time.sleep(BUSY)
        await asyncio.sleep(0)
    while client.is_alive():
        await asyncio.sleep(0.01)
    await server.stop(None)
    begun = echo.begun[first:]
    return begun[-1], max(map(begun.count, begun))


async def main():
    print("grpcio", grpc.__version__)
    unchanged = True
    for _ in range(ROUNDS):
        iterations, together = await measure()
        print(f"{CALLS} calls begin within {iterations} iterations, {iterations / CALLS:.1f} a call;", end=" ")
        print(f"at most {together} in the same iteration")
        unchanged &= iterations >= 2 * CALLS and together <= 4
    raise SystemExit(0 if unchanged else "the behaviour has changed")


asyncio.run(main())
PYTHON
"$folder/venv/bin/python" "$folder/measure.py"

"""Kills a server that comes back on its port, under one patient and one impatient caller.

`python -m loadtest.outage --away 3,20,45` prints a row for each outage and each client. The patient caller waits as
calls do by default; the impatient one (`retries=False`) shows how long the connection itself takes to recover.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from typing import Annotated, Any, NamedTuple

import typer

from clerestory.clients import Advisor, AdvisorError, AsyncAdvisor
from loadtest.corpus import positions
from loadtest.options import read_numbers
from loadtest.server import free_port, own_server

PACE = 0.1  # seconds between the end of a call and the next one
LONG = 120.0  # time of a call in seconds, longer than an outage
BEFORE, AFTER = 1.0, 3.0  # seconds of calls before and after the outage

Ask = Callable[[], Awaitable[Any]]


class CallEnd(NamedTuple):
    """The end of a call, and its time."""

    ended: float
    answered: bool


async def keep_asking(ask: Ask) -> list[CallEnd]:
    """Make calls one after the other until cancelled; return how each ended."""
    ends: list[CallEnd] = []
    try:
        while True:
            try:
                await ask()
                ends.append(CallEnd(time.monotonic(), answered=True))
            except AdvisorError:
                ends.append(CallEnd(time.monotonic(), answered=False))
            await asyncio.sleep(PACE)
    except asyncio.CancelledError:
        return ends


async def callers(client: str, target: str, position: Any, stack: AsyncExitStack) -> list[Ask]:
    """Return functions that make a patient and an impatient call."""
    if client == "async":
        loops = [await stack.enter_async_context(AsyncAdvisor(target, retries=more)) for more in (True, False)]
        return [partial(one.recommend, position, LONG, iterations=5) for one in loops]
    ones = [stack.enter_context(Advisor(target, retries=more)) for more in (True, False)]
    return [partial(asyncio.to_thread, one.recommend, position, LONG, iterations=5) for one in ones]


async def outage(client: str, addresses: int, away: float) -> dict[str, Any]:
    """Return the figures of one outage; of two addresses, the second never has a server."""
    address = f"127.0.0.1:{free_port()}"
    async with AsyncExitStack() as stack:
        server = await asyncio.to_thread(stack.enter_context, own_server("--workers", "1", listen=address))
        position = (await asyncio.to_thread(positions, address))[0]
        target = address if addresses == 1 else f"ipv4:{address},127.0.0.1:{free_port()}"
        asks = await callers(client, target, position, stack)
        tasks = [asyncio.ensure_future(keep_asking(ask)) for ask in asks]
        await asyncio.sleep(BEFORE)
        server.process.kill()
        await asyncio.sleep(away)
        await asyncio.to_thread(stack.enter_context, own_server("--workers", "1", listen=address))
        back = time.monotonic()
        await asyncio.sleep(AFTER)
        for task in tasks:
            task.cancel()
        patient, hasty = await asyncio.gather(*tasks)
    return {"client": client, "addresses": addresses, "away_s": away} | figures(patient, hasty, back)


def figures(patient: list[CallEnd], hasty: list[CallEnd], back: float) -> dict[str, Any]:
    """Return the outcome for both callers; times are seconds since the server announced itself again."""
    failed = [call.ended - back for call in hasty if not call.answered and call.ended > back]
    return {
        "patient_failed": sum(not call.answered for call in patient),
        "patient_answered_after": round(min(call.ended - back for call in patient if call.ended > back), 2),
        "hasty_failed_for": round(max(failed, default=0.0), 2),
    }


def main(
    away: Annotated[str, typer.Option(help="How long the server is away, in seconds.")] = "3,20,45",
    client: Annotated[str, typer.Option(help="sync, async, or both after each other.")] = "both",
    addresses: Annotated[int, typer.Option(min=1, max=2, help="Of the target; 2 are balanced round robin.")] = 1,
) -> None:
    """Print a row for each outage and client."""
    for one in ("sync", "async") if client == "both" else (client,):
        for seconds in read_numbers(away, float):
            typer.echo(json.dumps(asyncio.run(outage(one, addresses, seconds))))


if __name__ == "__main__":
    typer.run(main)

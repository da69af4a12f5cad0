"""Builds long responses in chunks on the event loop, and streams them to slow readers."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from functools import partial
from typing import Any, ParamSpec, TypeVar

import grpc

from clerestory.idle_timer import IdleTimer
from clerestory.server.rpc.callers import Callers
from clerestory.service_errors import Reason, raise_error
from clerestory.turns import Turns

STALL_SECONDS = 30.0  # without progress, after which a stream is closed

P = ParamSpec("P")
T = TypeVar("T")


class Chunks:
    """Lets callers take turns at building long responses, one chunk at a time; other calls run in between.

    Args:
        callers: identifies the caller of a call.
    """

    def __init__(self, callers: Callers) -> None:
        self._callers = callers
        self._turns, self._threads = Turns(), Turns()

    def of(self, context: grpc.aio.ServicerContext[Any, Any]) -> Callable[[], Awaitable[None]]:
        """Return a function that waits until an admitted call may build the next chunk of its response."""
        return partial(self.turn, self._callers.of(context).origin)

    async def turn(self, caller: str) -> None:
        """Wait until a caller may build the next chunk of a response, about a millisecond of work.

        If the chunk then waits for something, such as the store, it does not block other calls.
        """
        async with self._turns.taken(caller):
            pass

    async def run_in_thread(
        self, context: grpc.aio.ServicerContext[Any, Any], work: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run work that takes longer than a chunk in a thread, one call at a time, and return its result."""
        return await self._threads.run_in_thread(self._callers.of(context).origin, work, *args, **kwargs)


async def write_each(answers: AsyncGenerator[T, None], write: Callable[[T], Awaitable[None]]) -> None:
    """Write messages as they are produced; close the generator if the client reads nothing for STALL_SECONDS.

    gRPC cannot end such a call, so it stays in progress and counted until the client reads or leaves. Raises
    ServiceError: SLOW_READER.
    """
    closing = list[asyncio.Task[None]]()

    def close() -> None:
        closing.append(asyncio.ensure_future(aclose(answers)))

    async with aclosing(answers):
        with IdleTimer(STALL_SECONDS, close) as timer:
            async for answer in answers:
                timer.restart()
                try:
                    await write(answer)
                finally:
                    timer.stop()
                    if closing:
                        await closing[0]
                if closing:
                    raise_error(
                        Reason.SLOW_READER, "", f"nothing of the stream was taken for {STALL_SECONDS:g} s; ask again"
                    )


async def aclose(answers: AsyncGenerator[T, None]) -> None:
    """Close a generator."""
    await answers.aclose()

"""Long answers: made in pieces on the event loop, and streamed to those who read them."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from functools import partial
from typing import Any, ParamSpec, TypeVar

import grpc

from clerestory.refusals import Reason, refuse
from clerestory.server.callers import Callers
from clerestory.turns import Turns

STALL_SECONDS = 30.0  # after which a caller that takes nothing of a stream is given up

P = ParamSpec("P")
T = TypeVar("T")


class Pieces:
    """Lets one piece of all long answers be made at a time, of each caller in turn; other calls run in between.

    Args:
        callers: identifies the caller of a call.
    """

    def __init__(self, callers: Callers) -> None:
        self._callers = callers
        self._turns, self._threads = Turns(), Turns()

    def of(self, context: grpc.aio.ServicerContext[Any, Any]) -> Callable[[], Awaitable[None]]:
        """Return what waits until an admitted call may make the next piece of its answer."""
        return partial(self.turn, self._callers.of(context).origin)

    async def turn(self, caller: str) -> None:
        """Wait until a caller may make the next piece of an answer, about a millisecond of work.

        What the piece then waits for, such as the store, keeps no other call waiting.
        """
        async with self._turns.taken(caller):
            pass

    async def aside(
        self, context: grpc.aio.ServicerContext[Any, Any], work: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Return the result of work that takes longer than a piece, in a thread; one call at a time has one."""
        return await self._threads.aside(self._callers.of(context).origin, work, *args, **kwargs)


async def write_each(answers: AsyncGenerator[T, None], write: Callable[[T], Awaitable[None]]) -> None:
    """Write answers as they come; for a caller that takes nothing no more are made, and what makes them is closed.

    Its call waits all the same until it takes the last one or leaves: gRPC cannot end it before, and so it is counted.
    Raises Refusal, SLOW_READER.
    """
    loop, closing = asyncio.get_running_loop(), list[asyncio.Task[None]]()
    async with aclosing(answers):
        async for answer in answers:
            timer = loop.call_later(STALL_SECONDS, lambda: closing.append(loop.create_task(answers.aclose())))
            try:
                await write(answer)
            finally:
                timer.cancel()
                await asyncio.gather(*closing)
            if closing:
                refuse(Reason.SLOW_READER, "", f"nothing of the stream was taken for {STALL_SECONDS:g} s; ask again")

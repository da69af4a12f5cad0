"""A fair mutex for coroutines: waiters take turns by caller."""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager
from typing import Any, ParamSpec, TypeVar

from clerestory.service_errors import ServiceError

logger = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")


class Turns:
    """A fair mutex: waiters take turns by caller.

    Each turn begins in a new iteration of the event loop. With `asyncio.sleep(0)`, a hundred waiters would instead run
    a hundred pieces of work in each iteration.
    """

    def __init__(self) -> None:
        self._taken = False
        self._waiting: dict[Hashable, deque[asyncio.Future[None]]] = {}  # by caller, in order of their turns

    @asynccontextmanager
    async def taken(self, caller: Hashable) -> AsyncIterator[None]:
        """Hold the mutex during the block. Callers take turns; each caller's waiters are served in order."""
        await self._come(caller)
        try:
            yield
        finally:
            self._end()

    async def run_in_thread(self, caller: Hashable, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function in a thread, and return its result; hold the mutex until it ends, even if cancelled."""
        await self._come(caller)
        working = asyncio.ensure_future(asyncio.to_thread(work, *args, **kwargs))
        working.add_done_callback(lambda _: self._end())
        try:
            return await asyncio.shield(working)
        except asyncio.CancelledError:
            working.add_done_callback(unheard)
            raise

    async def _come(self, caller: Hashable) -> None:
        """Wait for a turn."""
        if not self._taken:
            self._taken = True
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(caller, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # the turn had already begun
                self._end()
            raise

    def _end(self) -> None:
        """End the turn; the next one begins in the next iteration of the event loop."""
        asyncio.get_running_loop().call_soon(self._begin)

    def _begin(self) -> None:
        """Start the turn of the next waiter, and move its caller to the end of the queue."""
        while self._waiting:
            caller = next(iter(self._waiting))
            turns = self._waiting.pop(caller)
            turn = turns.popleft()
            if turns:
                self._waiting[caller] = turns
            if not turn.cancelled():
                turn.set_result(None)
                return
        self._taken = False


def unheard(work: asyncio.Future[Any]) -> None:
    """Log the error of work whose caller has left, unless it is a service error."""
    error = None if work.cancelled() else work.exception()
    if error is not None and not isinstance(error, ServiceError):
        logger.error("work in a thread failed after its caller had left", exc_info=error)

"""Turns at what one at a time may do: one for each caller, in a circle."""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager
from typing import Any, ParamSpec, TypeVar

from clerestory.refusals import Refusal

logger = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")


class Turns:
    """Turns at work of which one piece at a time is done, however many want to.

    The next turn begins only after the event loop has come round. Pieces that give way by `asyncio.sleep(0)` do so to
    each other as well: with a hundred of them, the loop would do a hundred pieces each time that it comes round.
    """

    def __init__(self) -> None:
        self._taken = False
        self._waiting: dict[Hashable, deque[asyncio.Future[None]]] = {}  # by caller; whose turn is next, first

    @asynccontextmanager
    async def taken(self, caller: Hashable) -> AsyncIterator[None]:
        """Have a turn during the block: callers have one after the other, and those of one come in their order."""
        await self._come(caller)
        try:
            yield
        finally:
            self._end()

    async def aside(self, caller: Hashable, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the result of work in a thread, during a turn: it lasts as long as the thread, though nobody waits."""
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
            if not turn.cancelled():  # it had just come
                self._end()
            raise

    def _end(self) -> None:
        """End a turn; the next begins when the event loop has come round."""
        asyncio.get_running_loop().call_soon(self._begin)

    def _begin(self) -> None:
        """Give the next turn to somebody who still waits, and let its caller's other turns come after all others'."""
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
    """Log what is wrong with work whose caller has left; that it was refused is no surprise."""
    error = None if work.cancelled() else work.exception()
    if error is not None and not isinstance(error, Refusal):
        logger.error("work in a thread failed after its caller had left", exc_info=error)

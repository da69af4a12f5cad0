"""Long answers, made in pieces on the event loop."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import grpc

from clerestory.server.callers import Callers
from clerestory.turns import Turns


class Pieces:
    """Lets one piece of all long answers be made at a time, of each caller in turn; other calls run in between.

    Args:
        callers: identifies the caller of a call.
    """

    def __init__(self, callers: Callers) -> None:
        self._callers = callers
        self._turns = Turns()

    def of(self, context: grpc.aio.ServicerContext[Any, Any]) -> Callable[[], Awaitable[None]]:
        """Return what waits until an admitted call may make the next piece of its answer."""
        return partial(self.turn, self._callers.of(context).origin)

    async def turn(self, caller: str) -> None:
        """Wait until a caller may make the next piece of an answer, about a millisecond of work.

        What the piece then waits for, such as the store, keeps no other call waiting.
        """
        async with self._turns.taken(caller):
            pass

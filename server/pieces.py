"""Long answers, made in pieces on the event loop."""

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

    async def turn(self, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        """Wait until a call may make the next piece of its answer, about a millisecond of work.

        What the piece then waits for, such as the store, keeps no other call waiting.
        """
        async with self._turns.taken(self._callers.of(context).origin):
            pass

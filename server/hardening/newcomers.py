"""Begins streams once the calls that arrive have been accepted, so that a crowd of streams delays no other call."""

import asyncio
from collections.abc import Hashable

from clerestory.turns import Turns

QUIET = 0.005  # seconds without a new call after which streams begin; gRPC takes several loop iterations a call
LONGEST = 0.02  # seconds after which the next one begins although calls keep arriving


class Newcomers:
    """Streams that are about to begin.

    gRPC hands over calls one by one in the order of their arrival, with several iterations of the event loop between
    two of them. A stream's first messages take a millisecond. So streams begin one at a time, by turns of their
    callers, and only once no call has arrived lately: a health check waits until the calls before it are accepted, not
    until they are answered.

    Attributes:
        arrived: number of calls that have arrived.
    """

    def __init__(self) -> None:
        self._turns, self._last, self.arrived = Turns(), 0.0, 0

    def note(self) -> None:
        """Count a call that has arrived."""
        self._last = asyncio.get_running_loop().time()
        self.arrived += 1

    async def turn(self, caller: Hashable) -> None:
        """Wait until a stream of a caller may begin."""
        loop = asyncio.get_running_loop()
        async with self._turns.taken(caller):
            latest = loop.time() + LONGEST
            while (wait := min(self._last + QUIET, latest) - loop.time()) > 0:
                await asyncio.sleep(wait)

"""Begins streams once the calls that arrive have been accepted, so that a crowd of streams delays no other call."""

import asyncio
from collections.abc import Hashable

from clerestory.turns import Turns

QUIET = 0.001  # seconds without a new call after which the next stream begins
LONGEST = 0.02  # seconds after which it begins although calls keep arriving


class Newcomers:
    """Streams that are about to begin.

    gRPC hands over calls in the order of their arrival, and one each time that the event loop comes round. A stream's
    first messages take it a millisecond. So streams begin one at a time, by turns of their callers, and calls that have
    arrived meanwhile come first: a health check waits until the calls before it are accepted, not until they are
    answered.

    Attributes:
        arrived: number of calls that have arrived.
    """

    def __init__(self) -> None:
        self._turns, self.arrived = Turns(), 0

    def note(self) -> None:
        """Count a call that has arrived."""
        self.arrived += 1

    async def turn(self, caller: Hashable) -> None:
        """Wait until a stream of a caller may begin."""
        loop, seen = asyncio.get_running_loop(), -1
        async with self._turns.taken(caller):
            latest = loop.time() + LONGEST
            while seen != self.arrived and loop.time() < latest:
                seen = self.arrived
                await asyncio.sleep(QUIET)

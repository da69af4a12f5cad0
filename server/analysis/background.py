"""Lets coroutines wait for background slots, which the backlog assigns."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import NoReturn

from clerestory.server.analysis.backlog import QUANTUM, Backlog, Changes, Ticket
from clerestory.service_errors import Reason, raise_error
from clerestory.spans import part

Apply = Callable[[Callable[[bool], Changes]], Changes]


class BackgroundSlots:
    """The slots of background searches.

    Args:
        places: number of slots.
        apply: calls a function that divides the slots, passing whether a worker is idle; applies the changes, and
            returns them.
    """

    def __init__(self, places: int, apply: Apply) -> None:
        self.backlog = Backlog(places)
        self._apply = apply
        self._turns: dict[Ticket, asyncio.Event] = {}  # of first-time waiters; set when they have a slot
        self._timer: asyncio.TimerHandle | None = None
        self._soon = self._finishing = False

    @property
    def waiting(self) -> int:
        """The number of searches without a slot."""
        return self.backlog.waiting

    @asynccontextmanager
    async def place(self, ticket: Ticket) -> AsyncIterator[Ticket]:
        """Wait for a slot, and hold it during the block, except for interruptions. Raises ServiceError: FINISHING."""
        try:
            with part("place"):
                await self._wait(ticket)
            yield ticket
        finally:
            self.backlog.leave(ticket)
            self.look_soon()

    async def _wait(self, ticket: Ticket) -> None:
        self.require_open()
        self.backlog.enter(ticket)
        self.look()
        if ticket.placed is not None:
            return
        self._look_later()
        turn = self._turns[ticket] = asyncio.Event()
        try:
            await turn.wait()
        finally:
            del self._turns[ticket]
        self.require_open()

    def require_open(self) -> None:
        """Raise ServiceError, FINISHING, after the shutdown has begun."""
        if self._finishing:
            raise_finishing()

    def look(self) -> None:
        """Assign free slots to waiting searches."""
        if self.backlog.waiting and self.backlog.placed < self.backlog.places:
            self._divide()

    def look_soon(self) -> None:
        """Do the same in the next round of the event loop: once, however many searches have ended in this one."""
        if self.backlog.waiting and not self._soon:
            self._soon = True
            asyncio.get_running_loop().call_soon(self._look_now)

    def _look_now(self) -> None:
        self._soon = False
        self.look()

    def _divide(self) -> None:
        now = time.monotonic()
        for ticket in self._apply(lambda idle: self.backlog.divide(now, idle=idle)).placed:
            if (turn := self._turns.get(ticket)) is not None:
                turn.set()

    def _look_later(self) -> None:
        """Reassign the slots every QUANTUM seconds while searches wait, because others can be interrupted by then."""
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(QUANTUM, self._divide_again)

    def _divide_again(self) -> None:
        self._timer = None
        if self.backlog.waiting and not self._finishing:
            self._divide()
            self._look_later()

    def finish(self) -> None:
        """Wake up all waiting searches, for shutdown."""
        self._finishing = True
        for turn in self._turns.values():
            turn.set()


def raise_finishing() -> NoReturn:
    """Raise ServiceError: FINISHING."""
    raise_error(Reason.FINISHING, "", "the server is shutting down")

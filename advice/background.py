"""Waiting for the places of the backlog, on an event loop."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import NoReturn

from clerestory.advice.backlog import QUANTUM, Backlog, Changes, Ticket
from clerestory.refusals import Reason, refuse
from clerestory.spans import part

Apply = Callable[[Callable[[bool], Changes]], Changes]


class BackgroundPlaces:
    """The places of background searches.

    Args:
        places: how many searches have one at once.
        apply: is given what divides the places, which takes whether a worker is idle; carries out the changes, and
            returns them.
    """

    def __init__(self, places: int, apply: Apply) -> None:
        self.backlog = Backlog(places)
        self._apply = apply
        self._turns: dict[Ticket, asyncio.Event] = {}  # set when it has a place, of those who wait for their first
        self._timer: asyncio.TimerHandle | None = None
        self._soon = self._finishing = False

    @property
    def waiting(self) -> int:
        """Number of searches without a place."""
        return self.backlog.waiting

    @asynccontextmanager
    async def place(self, ticket: Ticket) -> AsyncIterator[Ticket]:
        """Wait for a place, and have it during the block, but for interruptions. Raises Refusal, FINISHING."""
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
        """Raise Refusal, FINISHING, once there are no more places."""
        if self._finishing:
            refuse_finishing()

    def look(self) -> None:
        """Give free places to those who wait."""
        if self.backlog.waiting and self.backlog.placed < self.backlog.places:
            self._divide()

    def look_soon(self) -> None:
        """Do the same in the next round of the event loop: once, however many searches have ended in this one."""
        if not self._soon:
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
        """Divide the places anew every QUANTUM seconds as long as somebody waits: others may be interrupted by then."""
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(QUANTUM, self._divide_again)

    def _divide_again(self) -> None:
        self._timer = None
        if self.backlog.waiting and not self._finishing:
            self._divide()
            self._look_later()

    def finish(self) -> None:
        """Tell those who wait that there are no more places."""
        self._finishing = True
        for turn in self._turns.values():
            turn.set()


def refuse_finishing() -> NoReturn:
    """Raise Refusal, FINISHING."""
    refuse(Reason.FINISHING, "", "the server is shutting down")

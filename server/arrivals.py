"""Requests whose message is on its way: how many there are at once, and for how long."""

import asyncio
from collections import Counter
from dataclasses import dataclass
from typing import Any

import grpc

from clerestory.refusals import Reason, Refusal, refuse

MOST = 256  # requests on their way at once; each may take the 64 KiB of a message and as much again on the way
SECONDS = 5.0  # within which a message must arrive
SLOW = f"the request did not arrive within {SECONDS:g} seconds"
CROWDED = "too many requests of this caller were arriving at once, and this one had waited longest; send fewer"

Context = grpc.aio.ServicerContext[Any, Any]


@dataclass(eq=False, slots=True)
class Arrival:
    """A request whose message is on its way.

    Attributes:
        task: that waits for it.
        address: where its connection comes from.
        peer: its connection.
        until: when it must have arrived, a reading of the event loop's clock.
        ended: why it is waited for no longer; "" while it is.
    """

    task: asyncio.Task[Any]
    address: str
    peer: str
    until: float
    ended: str = ""

    def end(self, why: str) -> None:
        """Wait no longer."""
        self.ended = why
        self.task.cancel()


class Arrivals:
    """The requests on their way to a server.

    If there are too many, the longest waiting one is ended of the address, and there of the connection, that has most.
    So whoever sends requests without end makes room with those, not with the requests of others.

    Args:
        most: at once.
        seconds: within which a message must arrive.
    """

    def __init__(self, most: int = MOST, seconds: float = SECONDS) -> None:
        self._most, self._seconds = most, seconds
        self._waiting: dict[Arrival, None] = {}  # the longest waiting first
        self._of: Counter[str] = Counter()  # by address, and by connection
        self._timer: asyncio.TimerHandle | None = None

    @property
    def number(self) -> int:
        """How many there are."""
        return len(self._waiting)

    async def read(self, context: Context, address: str) -> bytes:
        """Return the message of a call. Raises Refusal: SLOW_REQUEST, UNREADABLE_REQUEST if it has none."""
        payload = await self.next(context, address)
        if payload is None:
            refuse(Reason.UNREADABLE_REQUEST, "", "the call ended before its request was sent")
        return payload

    async def next(self, context: Context, address: str) -> bytes | None:
        """Return the next message of a call, None if there is none.

        Args:
            context: of the call.
            address: where its connection comes from.

        Raises Refusal, SLOW_REQUEST.
        """
        arrival = self._begin(address, context.peer())
        try:
            payload = await context.read()
        except asyncio.CancelledError:
            if arrival.ended and not arrival.task.uncancel():
                raise Refusal(Reason.SLOW_REQUEST, [("", arrival.ended)]) from None
            raise
        finally:
            self._forget(arrival)
        return None if payload is grpc.aio.EOF else payload

    def _begin(self, address: str, peer: str) -> Arrival:
        if len(self._waiting) >= self._most:
            heaviest = max(self._waiting, key=lambda one: (self._of[one.address], self._of[one.peer]))
            self._forget(heaviest)
            heaviest.end(CROWDED)
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        arrival = Arrival(task, address, peer, loop.time() + self._seconds)
        self._waiting[arrival] = None
        self._of[address] += 1
        self._of[peer] += 1
        if self._timer is None:
            self._timer = loop.call_at(arrival.until, self._end_slow)
        return arrival

    def _forget(self, arrival: Arrival) -> None:
        """Count a request no more; one that is not counted stays so."""
        if arrival not in self._waiting:
            return
        del self._waiting[arrival]
        for key in (arrival.address, arrival.peer):
            self._of[key] -= 1
            if not self._of[key]:
                del self._of[key]

    def _end_slow(self) -> None:
        """End the requests whose time is over; come again when the next one's is."""
        loop = asyncio.get_running_loop()
        self._timer = None
        for arrival in list(self._waiting):
            if arrival.until > loop.time():
                self._timer = loop.call_at(arrival.until, self._end_slow)
                return
            self._forget(arrival)
            arrival.end(SLOW)

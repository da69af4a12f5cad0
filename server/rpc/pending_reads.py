"""Limits requests whose message has not arrived yet: how many the server reads at once, and for how long."""

import asyncio
from collections import Counter
from dataclasses import dataclass
from typing import Any

import grpc

from clerestory.counting import decrease
from clerestory.service_errors import Reason, ServiceError, raise_error

MOST = 64  # messages read at once; each may take the 64 KiB of a message, and as much again in transit
WAITING = 128  # calls that wait until the server reads their message
SECONDS = 5.0  # timeout of a message being read, and of a call that waits for its turn
PATIENCE = 0.05  # seconds that a message gets while other calls wait: most arrive with their call
SLOW = f"the request did not arrive within {SECONDS:g} seconds"
DISPLACED = "others waited for the place of this request, which had not arrived; send it as a whole"
CROWDED = "too many requests of this caller were arriving at once, and this one had waited longest; send fewer"
TOO_MANY_SLOW = "requests that arrive slowly leave no place for this one; send fewer at once"

Context = grpc.aio.ServicerContext[Any, Any]


@dataclass(eq=False, slots=True)
class PendingRead:
    """A call whose message has not arrived yet.

    Attributes:
        task: the task that waits for the message.
        address: the network of the client.
        peer: the connection.
        since: when the server began to read the message, by the event loop's clock.
        ended: why the server gave up on the message; "" while it waits.
    """

    task: asyncio.Task[Any]
    address: str
    peer: str
    since: float = 0.0
    ended: str = ""

    def end(self, why: str) -> None:
        """Stop waiting for the message."""
        self.ended = why
        self.task.cancel()


class PendingReads:
    """The calls whose messages have not arrived yet.

    The server reads a limited number of messages at once, because an incomplete message stays in memory until its call
    ends. At the limit, it drops the oldest message of the address with most of them, and within that address, of the
    connection with most. If the new call's own address has most, the new call waits its turn, and its message is not
    read. While calls wait, messages have to arrive faster. So a client that sends incomplete requests displaces its
    own, not those of others.

    Args:
        most: messages read at once.
        seconds: timeout of a message, and of a call's wait for its turn.
        patience: timeout of a message in seconds while other calls wait.
    """

    def __init__(self, most: int = MOST, seconds: float = SECONDS, patience: float = PATIENCE) -> None:
        self._most, self._seconds, self._patience = most, seconds, patience
        self._read: dict[PendingRead, None] = {}  # oldest first
        self._waiting: dict[PendingRead, asyncio.Future[None]] = {}  # oldest first
        self._of: Counter[str] = Counter()  # messages being read, by address and by connection
        self._timer: asyncio.TimerHandle | None = None

    @property
    def number(self) -> int:
        """The number of calls whose messages have not arrived."""
        return len(self._read) + len(self._waiting)

    async def read(self, context: Context, address: str) -> bytes:
        """Return the message of a unary call.

        Raises ServiceError as `next` does, or UNREADABLE_REQUEST if there is none.
        """
        payload = await self.next(context, address)
        if payload is None:
            raise_error(Reason.UNREADABLE_REQUEST, "", "the call ended before its request was sent")
        return payload

    async def next(self, context: Context, address: str) -> bytes | None:
        """Return the next message of a call; None at the end of its stream.

        Args:
            context: the context of the call.
            address: the network of the client.

        Raises ServiceError: SLOW_REQUEST, BUSY.
        """
        task = asyncio.current_task()
        assert task is not None
        arrival = PendingRead(task, address, context.peer())
        try:
            await self._begin(arrival)
            payload = await context.read()
        except asyncio.CancelledError:
            if arrival.ended and not task.uncancel():
                raise ServiceError(Reason.SLOW_REQUEST, [("", arrival.ended)]) from None
            raise
        finally:
            self._forget(arrival)
        return None if payload is grpc.aio.EOF else payload

    async def _begin(self, arrival: PendingRead) -> None:
        """Wait until the message may be read. Raises ServiceError: BUSY."""
        if len(self._read) >= self._most:
            heaviest = max(self._read, key=lambda one: (self._of[one.address], self._of[one.peer]))
            if not self._outweighs(heaviest, arrival):
                await self._turn(arrival)
                return
            self._discount(heaviest)
            heaviest.end(CROWDED)
        self._count(arrival)

    def _outweighs(self, one: PendingRead, other: PendingRead) -> bool:
        """Return whether the address or the connection of one call has more messages than another's would have."""
        key = "peer" if one.address == other.address else "address"
        return self._of[getattr(one, key)] > self._of[getattr(other, key)] + 1

    async def _turn(self, arrival: PendingRead) -> None:
        """Wait until the message may be read and has been counted. Raises ServiceError: BUSY."""
        turn = asyncio.get_running_loop().create_future()
        if len(self._waiting) < WAITING:
            self._waiting[arrival] = turn
            self._end_slow()
            await asyncio.wait((turn,), timeout=self._seconds)
        if not turn.done():
            raise ServiceError(Reason.BUSY, [("", TOO_MANY_SLOW)], self._seconds)

    def _count(self, arrival: PendingRead) -> None:
        """Count a message as being read."""
        arrival.since = asyncio.get_running_loop().time()
        self._read[arrival] = None
        self._of[arrival.address] += 1
        self._of[arrival.peer] += 1
        if self._timer is None:
            self._come_again()

    def _discount(self, arrival: PendingRead) -> None:
        """Remove a message from the counts."""
        del self._read[arrival]
        decrease(self._of, arrival.address, arrival.peer)

    def _forget(self, arrival: PendingRead) -> None:
        """Remove a message from the counts, and give its slot to the call that has waited longest."""
        self._waiting.pop(arrival, None)
        if arrival in self._read:
            self._discount(arrival)
        if self._waiting and len(self._read) < self._most:
            first = next(iter(self._waiting))
            self._waiting.pop(first).set_result(None)
            self._count(first)

    def _end_slow(self) -> None:
        """End the calls whose messages have timed out, and schedule the next check."""
        now = asyncio.get_running_loop().time()
        while self._read and (first := next(iter(self._read))).since + self._time <= now:
            why = DISPLACED if self._waiting else SLOW
            self._forget(first)
            first.end(why)
        self._come_again()

    @property
    def _time(self) -> float:
        """The timeout of a message in seconds."""
        return min(self._patience, self._seconds) if self._waiting else self._seconds

    def _come_again(self) -> None:
        """Schedule a check for when the oldest message times out."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._read:
            until = next(iter(self._read)).since + self._time
            self._timer = asyncio.get_running_loop().call_at(until, self._end_slow)

"""Requests whose message is on its way: how many there are at once, and for how long."""

import asyncio
from collections import Counter
from dataclasses import dataclass
from typing import Any

import grpc

from clerestory.counting import decrease
from clerestory.refusals import Reason, Refusal, refuse

MOST = 64  # messages read at once; each may take the 64 KiB of a message and as much again on the way
WAITING = 128  # calls that wait until their message is read
SECONDS = 5.0  # within which a message must arrive, once it is read, and for which a call waits for that at most
PATIENCE = 0.05  # seconds that a message has while other calls wait for its place: most come with their call
SLOW = f"the request did not arrive within {SECONDS:g} seconds"
DISPLACED = "others waited for the place of this request, which had not arrived; send it as a whole"
CROWDED = "too many requests of this caller were arriving at once, and this one had waited longest; send fewer"
MANY = "requests that arrive slowly leave no place for this one; send fewer at once"

Context = grpc.aio.ServicerContext[Any, Any]


@dataclass(eq=False, slots=True)
class Arrival:
    """A call whose message is on its way.

    Attributes:
        task: that waits for it.
        address: where its connection comes from.
        peer: its connection.
        since: when its message was begun to be read, by the event loop's clock.
        ended: why it is waited for no longer; "" while it is.
    """

    task: asyncio.Task[Any]
    address: str
    peer: str
    since: float = 0.0
    ended: str = ""

    def end(self, why: str) -> None:
        """Wait no longer."""
        self.ended = why
        self.task.cancel()


class Arrivals:
    """The calls whose messages are on their way to a server.

    So many messages are read at once; what is read of one that never ends stays in memory until its call has ended. If
    there are more, the longest read one is ended of the address, and there of the connection, that has most. If those
    of the new call have most themselves, it waits its turn, and nothing of its message is read before; meanwhile those
    that are read end after a short time. So whoever sends requests without end makes room with those, not with the
    requests of others.

    Args:
        most: messages read at once.
        seconds: within which a message must arrive, and a call must have its turn.
        patience: seconds within which a message must arrive while other calls wait for its place.
    """

    def __init__(self, most: int = MOST, seconds: float = SECONDS, patience: float = PATIENCE) -> None:
        self._most, self._seconds, self._patience = most, seconds, patience
        self._read: dict[Arrival, None] = {}  # the longest read first
        self._waiting: dict[Arrival, asyncio.Future[None]] = {}  # the longest waiting first
        self._of: Counter[str] = Counter()  # messages read, by address, and by connection
        self._timer: asyncio.TimerHandle | None = None

    @property
    def number(self) -> int:
        """How many there are."""
        return len(self._read) + len(self._waiting)

    async def read(self, context: Context, address: str) -> bytes:
        """Return the message of a call. Raises Refusal as `next` does, and UNREADABLE_REQUEST if it has none."""
        payload = await self.next(context, address)
        if payload is None:
            refuse(Reason.UNREADABLE_REQUEST, "", "the call ended before its request was sent")
        return payload

    async def next(self, context: Context, address: str) -> bytes | None:
        """Return the next message of a call, None if there is none.

        Args:
            context: of the call.
            address: where its connection comes from.

        Raises Refusal: SLOW_REQUEST, BUSY.
        """
        task = asyncio.current_task()
        assert task is not None
        arrival = Arrival(task, address, context.peer())
        try:
            await self._begin(arrival)
            payload = await context.read()
        except asyncio.CancelledError:
            if arrival.ended and not task.uncancel():
                raise Refusal(Reason.SLOW_REQUEST, [("", arrival.ended)]) from None
            raise
        finally:
            self._forget(arrival)
        return None if payload is grpc.aio.EOF else payload

    async def _begin(self, arrival: Arrival) -> None:
        """Return when a message may be read. Raises Refusal, BUSY."""
        if len(self._read) >= self._most:
            heaviest = max(self._read, key=lambda one: (self._of[one.address], self._of[one.peer]))
            if not self._outweighs(heaviest, arrival):
                await self._turn(arrival)
                return
            self._discount(heaviest)
            heaviest.end(CROWDED)
        self._count(arrival)

    def _outweighs(self, one: Arrival, other: Arrival) -> bool:
        """Whether more is read of one's address, or of its connection, than would be of another's."""
        key = "peer" if one.address == other.address else "address"
        return self._of[getattr(one, key)] > self._of[getattr(other, key)] + 1

    async def _turn(self, arrival: Arrival) -> None:
        """Wait until a message may be read, and has been counted. Raises Refusal, BUSY."""
        turn = asyncio.get_running_loop().create_future()
        if len(self._waiting) < WAITING:
            self._waiting[arrival] = turn
            self._end_slow()
            await asyncio.wait((turn,), timeout=self._seconds)
        if not turn.done():
            raise Refusal(Reason.BUSY, [("", MANY)], self._seconds)

    def _count(self, arrival: Arrival) -> None:
        """Count a message that is read from now on."""
        arrival.since = asyncio.get_running_loop().time()
        self._read[arrival] = None
        self._of[arrival.address] += 1
        self._of[arrival.peer] += 1
        if self._timer is None:
            self._come_again()

    def _discount(self, arrival: Arrival) -> None:
        """Count a message no more."""
        del self._read[arrival]
        decrease(self._of, arrival.address, arrival.peer)

    def _forget(self, arrival: Arrival) -> None:
        """Count a message no more, if it is counted, and give its place to the call that waits longest."""
        self._waiting.pop(arrival, None)
        if arrival in self._read:
            self._discount(arrival)
        if self._waiting and len(self._read) < self._most:
            first = next(iter(self._waiting))
            self._waiting.pop(first).set_result(None)
            self._count(first)

    def _end_slow(self) -> None:
        """End the calls whose message's time is over; come again when the next one's is."""
        now = asyncio.get_running_loop().time()
        while self._read and (first := next(iter(self._read))).since + self._time <= now:
            why = DISPLACED if self._waiting else SLOW
            self._forget(first)
            first.end(why)
        self._come_again()

    @property
    def _time(self) -> float:
        """Seconds that a message has to arrive."""
        return min(self._patience, self._seconds) if self._waiting else self._seconds

    def _come_again(self) -> None:
        """Look again when the time of the longest read message is over."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._read:
            until = next(iter(self._read)).since + self._time
            self._timer = asyncio.get_running_loop().call_at(until, self._end_slow)

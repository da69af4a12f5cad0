"""Whether a call that failed is tried again, and when: decided here for the sync and the async client alike.

gRPC's own retries end after five tries, and a call that it keeps until there is a connection ends without a word on why
there was none. So each try fails at once and says why, and the next one is made from here.
"""

import random
import time
from collections.abc import Iterator
from itertools import chain, repeat
from typing import cast

import grpc

from clerestory.clients.connection import Connection
from clerestory.clients.errors import error_of

BUSY_PAUSES = (0.1, 0.2, 0.4)  # seconds between the tries of a call that is turned away, where the server names none
AWAY_PAUSES = (0.05, 0.1, 0.2)  # the same where no server answers; the last one goes on until the deadline
JITTER = 0.2  # share by which pauses differ, so that callers who failed together come apart
BUSY = (grpc.StatusCode.RESOURCE_EXHAUSTED,)
AWAY = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)  # the latter by a server that ends
HOPELESS = ("CERTIFICATE_VERIFY_FAILED", "WRONG_VERSION_NUMBER")  # of a connection that waiting does not mend
PUSHBACK = "grpc-retry-pushback-ms"  # by which a server says when to come again, or with a negative number: never


class Tries:
    """The tries of one call.

    Args:
        connection: whether there is to be more than one, and how long a server that is away is waited for.
        seconds: until the deadline.
    """

    def __init__(self, connection: Connection, seconds: float) -> None:
        began = time.monotonic()
        self._deadline = began + seconds
        self._wait_until = self._deadline if connection.patience is None else began + connection.patience
        self._more = connection.retries
        self._busy = iter(BUSY_PAUSES)
        self._away: Iterator[float] = chain(AWAY_PAUSES, repeat(AWAY_PAUSES[-1]))

    @property
    def left(self) -> float:
        """Seconds that the next try may take."""
        return max(0.0, self._deadline - time.monotonic())

    def end(self) -> None:
        """Allow no more: a part of the answer is there."""
        self._more = False

    def pause(self, failure: grpc.RpcError) -> float:
        """Return the seconds from a failure to the next try. Raises AdvisorError where there is none."""
        call = cast(grpc.Call, failure)
        wished = self._pause(call) if self._more else None
        pause = wished if wished is None else told(call, wished)
        if pause is None or pause >= self.left:
            raise error_of(failure) from None
        return pause

    def _pause(self, call: grpc.Call) -> float | None:
        """Return a pause as we would have it, None where another try would be pointless."""
        if call.code() in BUSY:
            return next(self._busy, None)
        waits = call.code() in AWAY and time.monotonic() < self._wait_until
        return next(self._away) if waits and not hopeless(call) else None


class Rejoining(Tries):
    """The tries of a stream that is begun again where it broke off, however often, each time with all patience."""

    def __init__(self, connection: Connection, seconds: float) -> None:
        self._again = connection, seconds
        super().__init__(connection, seconds)

    def end(self) -> None:
        """Have patience again: a part of the answer is there."""
        super().__init__(*self._again)


def told(call: grpc.Call, wished: float) -> float | None:
    """Return the pause that the server names, None if it wants no other try; else about the one wished for."""
    for name, value in call.trailing_metadata() or ():
        if name == PUSHBACK:
            return int(value) / 1000 if value.isdigit() else None
    return wished * random.uniform(1 - JITTER, 1 + JITTER)


def hopeless(call: grpc.Call) -> bool:
    """Whether a connection failed for a reason that waiting does not mend."""
    return any(word in (call.details() or "") for word in HOPELESS)

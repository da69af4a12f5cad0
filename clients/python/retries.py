"""Whether and when a failed call is retried, for both the sync and the async client.

gRPC's own retries end after five attempts, and a call that waits for a connection fails without saying why there was
none. So each attempt fails at once with its reason, and this module makes the next one.
"""

import random
import time
from collections.abc import Iterator
from itertools import chain, repeat
from math import inf
from typing import cast

import grpc

from clerestory.clients.connection import Connection
from clerestory.clients.errors import error_of
from clerestory.metadata import PUSHBACK

BUSY_PAUSES = (0.1, 0.2, 0.4)  # seconds between the attempts of a rejected call, if the server names none
AWAY_PAUSES = (0.05, 0.1, 0.2)  # the same if no server answers; the last one is repeated until the deadline
JITTER = 0.2  # random variation of pauses, so that callers that failed together do not retry together
BROKEN_PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)  # the same if the connection broke in a way that could also be a bug
BUSY = (grpc.StatusCode.RESOURCE_EXHAUSTED,)
AWAY = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)  # the latter by a server that shuts down
BROKEN = (grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN)  # by a proxy that lost its server; our servers say why
HOPELESS = ("CERTIFICATE_VERIFY_FAILED", "WRONG_VERSION_NUMBER")  # connection failures that waiting does not cure


class Silent(grpc.RpcError):
    """A stream was silent for longer than the keep-alive interval of the server."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"no sign of the server for {seconds:g} s")

    def code(self) -> grpc.StatusCode:
        """Return the status code."""
        return grpc.StatusCode.UNAVAILABLE

    def details(self) -> str:
        """Return the description."""
        return str(self)

    def trailing_metadata(self) -> tuple[()]:
        """Return no metadata."""
        return ()


class RetryPolicy:
    """The attempts of one call.

    Args:
        connection: whether to retry, and how long to wait for a server that is down.
        seconds: until the deadline.

    Attributes:
        rejoins: whether the stream may resume at the last message read.
        silence: seconds without a message after which it counts as broken; None for any number.
        language: of errors for users; None for none.
    """

    rejoins = False
    silence: float | None = None

    def __init__(self, connection: Connection, seconds: float) -> None:
        self._deadline = time.monotonic() + seconds
        self._patience = inf if connection.patience is None else connection.patience
        self._wait_until = 0.0  # set at the first failure
        self._more, self._proxy = connection.retries, connection.proxy
        self.language = connection.language
        self._busy = iter(BUSY_PAUSES)
        self._broken = iter(BROKEN_PAUSES)
        self._away: Iterator[float] = chain(AWAY_PAUSES, repeat(AWAY_PAUSES[-1]))

    @property
    def left(self) -> float:
        """Seconds that the next attempt may take."""
        return max(0.0, self._deadline - time.monotonic())

    def end(self) -> None:
        """Allow no more attempts: part of the answer has arrived."""
        self._more = False

    def pause(self, failure: grpc.RpcError) -> float:
        """Return the seconds from a failure to the next attempt. Raises AdvisorError if there is none."""
        wished = self._pause(failure) if self._more else None
        pause = wished if wished is None else pause_of(cast(grpc.Call, failure), wished)
        if pause is None or pause >= self.left:
            raise error_of(failure, self._proxy) from None
        return pause

    def _pause(self, failure: grpc.RpcError) -> float | None:
        """Return our own choice of a pause, None if another attempt would be pointless."""
        call = cast(grpc.Call, failure)
        if call.code() in BUSY:
            return next(self._busy, None)
        broken = call.code() in BROKEN and not error_of(failure).reason
        if not (broken or call.code() in AWAY) or hopeless(call) or not self._may_wait():
            return None
        return next(self._broken, None) if broken else next(self._away)

    def _may_wait(self) -> bool:
        """Whether the server may be waited for, which has been down since the first failure."""
        self._wait_until = self._wait_until or time.monotonic() + self._patience
        return time.monotonic() < self._wait_until


class RejoinPolicy(RetryPolicy):
    """The attempts of a stream that is resumed where it broke off, any number of times, each with full patience."""

    rejoins = True

    def __init__(self, connection: Connection, seconds: float) -> None:
        self._again = connection, seconds
        self.silence = min(connection.silence, seconds)
        super().__init__(connection, seconds)

    def end(self) -> None:
        """Reset the patience: part of the answer has arrived."""
        super().__init__(*self._again)


def pause_of(call: grpc.Call, wished: float) -> float | None:
    """Return the pause that the server requests, None if it forbids a retry; by default about the one given.

    Its error says it once more, where something in between has dropped its metadata.
    """
    for name, value in call.trailing_metadata() or ():
        if name == PUSHBACK:
            return int(value) / 1000 if value.isdigit() else None
    if (requested := error_of(cast(grpc.RpcError, call)).retry_after) is not None:
        return requested * random.uniform(1, 1 + JITTER)
    return wished * random.uniform(1 - JITTER, 1 + JITTER)


def hopeless(call: grpc.Call) -> bool:
    """Whether a connection failed for a reason that waiting does not cure."""
    return any(word in (call.details() or "") for word in HOPELESS)

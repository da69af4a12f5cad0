"""Calls of browsers, passed on to the server as they are."""

import logging
from collections import Counter
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import grpc

from clerestory.door.errors import ConnectError, error_of, texts
from clerestory.door.methods import Method

PASSED_ON = ("authorization", "x-request-id")  # headers that go on as metadata, beside those of ours
OF_OURS = "x-clerestory-"
VIA = ("x-clerestory-via", "web")  # so that the server's log lines and metrics tell these calls apart
MAX_STREAMS = 200  # under way at once: a connection to the server has 256, and other calls need some
MAX_STREAMS_EACH = 32  # of one caller
SERVER_GONE = "the server cannot be reached"

logger = logging.getLogger(__name__)

Metadata = list[tuple[str, str]]


class Bridge:
    """Passes calls to a server.

    Args:
        channel: to the server.
        metadata: of every call, as a token that this door owes the server.
    """

    def __init__(self, channel: grpc.aio.Channel, metadata: Metadata | None = None) -> None:
        self._channel: Any = channel  # no types: messages stay bytes
        self._metadata = metadata or []
        self._streams: Counter[str] = Counter()

    async def unary(
        self, method: Method, message: bytes, headers: Mapping[str, str], timeout: float | None
    ) -> tuple[bytes, Metadata]:
        """Return the answer and its trailing metadata. Raises ConnectError."""
        call = self._channel.unary_unary(method.path)(message, timeout=timeout, metadata=self._sent(headers))
        try:
            return await call, texts(list(await call.trailing_metadata()))
        except grpc.aio.AioRpcError as error:
            raise told(error) from None
        finally:
            call.cancel()

    async def stream(
        self, method: Method, message: bytes, headers: Mapping[str, str], timeout: float | None, caller: str
    ) -> AsyncGenerator[bytes, None]:
        """Yield the parts of an answer, each fetched when the one before was taken. Raises ConnectError."""
        with self._counted(caller):
            call = self._channel.unary_stream(method.path)(message, timeout=timeout, metadata=self._sent(headers))
            try:
                async for part in call:
                    yield part
            except grpc.aio.AioRpcError as error:
                raise told(error) from None
            finally:
                call.cancel()

    def _sent(self, headers: Mapping[str, str]) -> Any:
        """Return the metadata of a call."""
        ours = [(name, value) for name, value in headers.items() if name.startswith(OF_OURS) and name != VIA[0]]
        own = dict(self._metadata)
        passed = [(name, headers[name]) for name in PASSED_ON if name in headers and name not in own]
        return [*self._metadata, *passed, *ours, VIA]

    @contextmanager
    def _counted(self, caller: str) -> Iterator[None]:
        """Keep room for a stream. Raises ConnectError where there is none."""
        if self._streams[caller] >= MAX_STREAMS_EACH or self._streams.total() >= MAX_STREAMS:
            raise ConnectError("resource_exhausted", "too many streams are open; close some, or come again later")
        self._streams[caller] += 1
        try:
            yield
        finally:
            self._streams[caller] -= 1
            self._streams += Counter()  # forget those who have none


def told(error: grpc.aio.AioRpcError) -> ConnectError:
    """Return the error for the browser; one of the connection alone has no words of gRPC's in it."""
    found = error_of(error)
    if found.code == "unavailable" and not found.details:
        logger.warning("the server cannot be reached: %s", error.details())
        return ConnectError("unavailable", SERVER_GONE)
    return found

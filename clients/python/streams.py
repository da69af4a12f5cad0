"""The answers of a stream as they arrive, for both the sync and the async client."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Any, Generic, Self

import grpc

from clerestory.clients.errors import Unavailable, telling
from clerestory.clients.retries import RetryPolicy, Silent
from clerestory.clients.unary_call import Answer

Begin = Callable[[float], Any]  # begins a stream, given the seconds that it may take
CLOSED = "the advisor is closed"


class Closable:
    """A context manager that calls `close` at the end of a `with`."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release what it holds."""
        raise NotImplementedError


class Stream(Closable, Generic[Answer]):
    """The answers of a stream, to be read once; `close()`, the end of a `with`, or dropping it ends it."""

    def __init__(self, stream: Any, begin: Begin, read: Callable[[Any], Answer | None], tries: RetryPolicy) -> None:
        self._stream, self._begin, self._read, self._tries = stream, begin, read, tries
        self._closed = threading.Event()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Answer:
        with telling(self._tries.language):
            return self._next()

    def _next(self) -> Answer:
        """Return the next answer. Raises AdvisorError."""
        while True:
            try:
                update = self._following()
            except grpc.RpcError as failure:
                if self._closed.is_set() or self._closed.wait(self._tries.pause(failure)):
                    raise StopIteration from None
                self._stream = self._begin(self._tries.left)
                if self._closed.is_set():  # by another thread, which has cancelled the stream before
                    self._stream.cancel()
            else:
                self._tries.end()
                if (answer := self._read(update)) is not None:
                    return answer

    def _following(self) -> Any:
        """Return the next message. Raises grpc.RpcError, Silent if there is none for too long."""
        if (seconds := self._tries.silence) is None:
            return next(self._stream)
        stream, silent = self._stream, threading.Event()

        def end() -> None:
            silent.set()
            stream.cancel()

        alarm = threading.Timer(seconds, end)
        alarm.daemon = True
        alarm.start()
        try:
            return next(stream)
        except grpc.RpcError:
            if silent.is_set():
                raise Silent(seconds) from None
            raise
        finally:
            alarm.cancel()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """End the search if it is still running; a waiting thread gets no further table."""
        self._closed.set()
        self._stream.cancel()


class AsyncStream(Generic[Answer]):
    """The answers of a stream, to be read once; `close()`, the end of an `async with`, or dropping it ends it."""

    def __init__(self, stream: Any, begin: Begin, read: Callable[[Any], Answer | None], tries: RetryPolicy) -> None:
        self._stream, self._begin, self._read, self._tries = stream, begin, read, tries
        self._tables = aiter(stream)
        self._closed, self._cancelled = asyncio.Event(), False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Answer:
        with telling(self._tries.language):
            return await self._after_wait()

    async def _after_wait(self) -> Answer:
        """Return the next answer. Raises AdvisorError, and CancelledError if the task that waits is cancelled."""
        if self._cancelled:
            self._rejoin()
        try:
            return await self._next()
        except asyncio.CancelledError:
            if is_cancelled():
                self._cancelled = True  # gRPC ends the call of a task that is cancelled while it waits
                raise
            if self._closed.is_set():
                raise StopAsyncIteration from None
            raise Unavailable(CLOSED) from None

    async def _next(self) -> Answer:
        """Return the next answer. Raises AdvisorError, and CancelledError if the stream or its channel was closed."""
        while True:
            try:
                update = await self._following()
            except grpc.RpcError as failure:
                if self._closed.is_set() or await self._closes_within(self._tries.pause(failure)):
                    raise StopAsyncIteration from None
                self._open()
            else:
                self._tries.end()
                if (answer := self._read(update)) is not None:
                    return answer

    async def _following(self) -> Any:
        """Return the next message. Raises grpc.RpcError, Silent if there is none for too long, and CancelledError."""
        try:
            async with asyncio.timeout(self._tries.silence):
                return await anext(self._tables)
        except TimeoutError:
            self._stream.cancel()
            raise Silent(self._tries.silence or 0.0) from None

    def _open(self) -> None:
        """Begin the stream again."""
        self._stream = self._begin(self._tries.left)
        self._tables = aiter(self._stream)

    def _rejoin(self) -> None:
        """Go on after a wait that was cancelled. Raises Unavailable, StopAsyncIteration."""
        if self._closed.is_set():
            raise StopAsyncIteration
        if not self._tries.rejoins:
            raise Unavailable("it ended when the task that waited for it was cancelled")
        self._stream.cancel()
        self._open()
        self._cancelled = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """End the search if it is still running; a waiting task gets no further table."""
        self._closed.set()
        self._stream.cancel()

    async def _closes_within(self, seconds: float) -> bool:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._closed.wait()
        return self._closed.is_set()


def is_cancelled() -> bool:
    """Whether the current task is being cancelled."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0

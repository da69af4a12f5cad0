"""The client, for programs with an asyncio event loop. Not for gevent: there, use the sync one."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import TracebackType
from typing import Any, Generic, Self

import grpc

from clerestory.clients.client import Begin, Client, streaming
from clerestory.clients.errors import Unavailable
from clerestory.clients.exchange import Answer, AsyncCalls, Exchange
from clerestory.clients.kept import AsyncKeptGames
from clerestory.clients.referee import AsyncRules
from clerestory.clients.retries import Tries
from clerestory.clients.review_wire import ReviewProgress
from clerestory.clients.teaching import AsyncLessonBook, AsyncPuzzleBook
from clerestory.clients.types import Update

CLOSED = "the advisor is closed"


class AsyncStream(Generic[Answer]):
    """The answers of a stream, to be read once; `close()`, the end of an `async with`, or dropping it ends it."""

    def __init__(self, stream: Any, begin: Begin, read: Callable[[Any], Answer | None], tries: Tries) -> None:
        self._stream, self._begin, self._read, self._tries = stream, begin, read, tries
        self._tables = aiter(stream)
        self._closed, self._cancelled = asyncio.Event(), False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Answer:
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
                update = await anext(self._tables)
            except grpc.RpcError as failure:
                if self._closed.is_set() or await self._closes_within(self._tries.pause(failure)):
                    raise StopAsyncIteration from None
                self._open()
            else:
                self._tries.end()
                if (answer := self._read(update)) is not None:
                    return answer

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


class AsyncAnalysis(AsyncStream[Update]):
    """The tables of an analysis; ending it ends the search."""


class AsyncAdvisor(AsyncCalls, Client):
    """A server's advice, to be awaited. Make it where the event loop runs; close it, or use it in an `async with`.

    Arguments and errors are those of `Client`.
    """

    _grpc = grpc.aio
    analyze = streaming(Client._analyze, AsyncAnalysis)
    annotate = streaming(Client._annotate, AsyncStream[ReviewProgress])

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection; calls under way end with an error."""
        await self._channel.close()

    @property
    def rules(self) -> AsyncRules:
        """The rules of the games, over the same connection."""
        return AsyncRules(self._call)

    @property
    def games(self) -> AsyncKeptGames:
        """The games that the server keeps, over the same connection."""
        return AsyncKeptGames(self._call, partial(self._states, AsyncStream))

    @property
    def puzzles(self) -> AsyncPuzzleBook:
        """The puzzles that the server has, over the same connection."""
        return AsyncPuzzleBook(self._call)

    @property
    def lessons(self) -> AsyncLessonBook:
        """The lessons that the server has, over the same connection."""
        return AsyncLessonBook(self._call)

    async def _call(self, exchange: Exchange[Any]) -> Any:
        """Return the message of the answer. Raises AdvisorError."""
        tries = Tries(self._dialled, exchange.seconds)
        while True:
            try:
                return await self._begin(exchange, tries.left)
            except asyncio.CancelledError:
                if is_cancelled():
                    raise
                raise Unavailable(CLOSED) from None
            except grpc.RpcError as failure:
                await asyncio.sleep(tries.pause(failure))

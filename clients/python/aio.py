"""The client, for programs with an asyncio event loop. Not for gevent: there, use the sync one."""

import asyncio
from functools import partial
from types import TracebackType
from typing import Any, Self

import grpc

from clerestory.clients.batch import async_answers
from clerestory.clients.client import Client, batching, streaming
from clerestory.clients.errors import Unavailable, telling
from clerestory.clients.hosted import AsyncHostedGames
from clerestory.clients.referee import AsyncRules
from clerestory.clients.retries import RetryPolicy
from clerestory.clients.review_wire import ReviewProgress
from clerestory.clients.streams import CLOSED, AsyncStream, is_cancelled
from clerestory.clients.teaching import AsyncLessonBook, AsyncPuzzleBook
from clerestory.clients.types import Update
from clerestory.clients.unary_call import Answer, AsyncCalls, UnaryCall, Write


class AsyncAnalysis(AsyncStream[Update]):
    """The tables of an analysis; ending it ends the search."""


class AsyncAdvisor(AsyncCalls, Client):
    """A server's advice, to be awaited. Close it, or use it in an `async with`.

    In another event loop, as of a second `asyncio.run`, it reconnects. Arguments and errors are those of `Client`.
    """

    _grpc = grpc.aio
    _loop: asyncio.AbstractEventLoop | None = None  # of the channel; None before the first call
    _closed = False
    analyze = streaming(Client._analyze, AsyncAnalysis)
    annotate = streaming(Client._annotate, AsyncStream[ReviewProgress])
    recommend_each = batching(Client._recommend_each, async_answers)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection; calls under way end with an error."""
        self._closed = True
        if self._loop is asyncio.get_running_loop():
            await self._channel.close()

    def _open_channel(self) -> None:
        """Wait for the first call: a channel belongs to the event loop in which it is made."""

    def _send(self, method: str, request: Any, seconds: float) -> Any:
        """Begin a call as the sync client does, over a channel of the running event loop."""
        if self._loop is not (loop := asyncio.get_running_loop()):
            if self._closed:
                raise Unavailable(CLOSED)
            super()._open_channel()
            self._loop = loop
        return super()._send(method, request, seconds)

    @property
    def rules(self) -> AsyncRules:
        """The rules of the games, over the same connection."""
        return AsyncRules(self._call)

    @property
    def games(self) -> AsyncHostedGames:
        """The games that the server keeps, over the same connection."""
        return AsyncHostedGames(self._call, partial(self._states, AsyncStream), self._dialled.language)

    @property
    def puzzles(self) -> AsyncPuzzleBook:
        """The puzzles that the server has, over the same connection."""
        return AsyncPuzzleBook(self._call)

    @property
    def lessons(self) -> AsyncLessonBook:
        """The lessons that the server has, over the same connection."""
        return AsyncLessonBook(self._call)

    async def _call(self, write: Write[Answer]) -> Answer:
        """Return the answer of a call. Raises AdvisorError."""
        with telling(self._dialled.language):
            call = write()
            return call.read(await self._message(call) if call.method else None)

    async def _message(self, call: UnaryCall[Any]) -> Any:
        retries = RetryPolicy(self._dialled, call.seconds)
        while True:
            try:
                return await self._begin(call, retries.left)
            except asyncio.CancelledError:
                if is_cancelled():
                    raise
                raise Unavailable(CLOSED) from None
            except grpc.RpcError as failure:
                await asyncio.sleep(retries.pause(failure))

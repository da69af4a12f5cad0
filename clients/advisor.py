"""The client, for programs without an event loop; any number of threads, or gevent, may share one."""

import threading
from collections.abc import Callable
from functools import partial
from time import sleep
from types import TracebackType
from typing import Any, Generic, Self

import grpc

from clerestory.clients.client import Begin, Client, streaming
from clerestory.clients.exchange import Answer, Exchange, SyncCalls
from clerestory.clients.kept import KeptGames
from clerestory.clients.referee import Rules
from clerestory.clients.retries import Tries
from clerestory.clients.review_wire import ReviewProgress
from clerestory.clients.teaching import LessonBook, PuzzleBook
from clerestory.clients.types import Update


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

    def __init__(self, stream: Any, begin: Begin, read: Callable[[Any], Answer | None], tries: Tries) -> None:
        self._stream, self._begin, self._read, self._tries = stream, begin, read, tries
        self._closed = threading.Event()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Answer:
        while True:
            try:
                update = next(self._stream)
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

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """End the search if it is still running; a waiting thread gets no further table."""
        self._closed.set()
        self._stream.cancel()


class Analysis(Stream[Update]):
    """The tables of an analysis; ending it ends the search."""


class Advisor(Closable, SyncCalls, Client):
    """A server's advice, for programs without an event loop. Close it, or use it in a `with`.

    Arguments and errors are those of `Client`.
    """

    _grpc = grpc
    analyze = streaming(Client._analyze, Analysis)
    annotate = streaming(Client._annotate, Stream[ReviewProgress])

    def close(self) -> None:
        """Close the connection; calls under way end with an error."""
        self._channel.close()

    @property
    def rules(self) -> Rules:
        """The rules of the games, over the same connection."""
        return Rules(self._call)

    @property
    def games(self) -> KeptGames:
        """The games that the server keeps, over the same connection."""
        return KeptGames(self._call, partial(self._states, Stream))

    @property
    def puzzles(self) -> PuzzleBook:
        """The puzzles that the server has, over the same connection."""
        return PuzzleBook(self._call)

    @property
    def lessons(self) -> LessonBook:
        """The lessons that the server has, over the same connection."""
        return LessonBook(self._call)

    def _call(self, exchange: Exchange[Any]) -> Any:
        """Return the message of the answer. Raises AdvisorError."""
        tries = Tries(self._dialled, exchange.seconds)
        while True:
            try:
                return self._begin(exchange, tries.left)
            except grpc.RpcError as failure:
                sleep(tries.pause(failure))

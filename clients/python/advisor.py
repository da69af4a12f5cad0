"""The client, for programs without an event loop; any number of threads, or gevent, may share one."""

from functools import partial
from time import sleep
from typing import Any

import grpc

from clerestory.clients.batch import answers
from clerestory.clients.client import Client, batching, streaming
from clerestory.clients.errors import telling
from clerestory.clients.hosted import HostedGames
from clerestory.clients.referee import Rules
from clerestory.clients.retries import RetryPolicy
from clerestory.clients.review_wire import ReviewProgress
from clerestory.clients.streams import Closable, Stream
from clerestory.clients.teaching import LessonBook, PuzzleBook
from clerestory.clients.types import Update
from clerestory.clients.unary_call import Answer, SyncCalls, UnaryCall, Write


class Analysis(Stream[Update]):
    """The tables of an analysis; ending it ends the search."""


class Advisor(Closable, SyncCalls, Client):
    """A server's advice, for programs without an event loop. Close it, or use it in a `with`.

    Arguments and errors are those of `Client`.
    """

    _grpc = grpc
    analyze = streaming(Client._analyze, Analysis)
    annotate = streaming(Client._annotate, Stream[ReviewProgress])
    recommend_each = batching(Client._recommend_each, answers)

    def close(self) -> None:
        """Close the connection; calls under way end with an error."""
        self._channel.close()

    @property
    def rules(self) -> Rules:
        """The rules of the games, over the same connection."""
        return Rules(self._call)

    @property
    def games(self) -> HostedGames:
        """The games that the server keeps, over the same connection."""
        return HostedGames(self._call, partial(self._states, Stream), self._dialled.language)

    @property
    def puzzles(self) -> PuzzleBook:
        """The puzzles that the server has, over the same connection."""
        return PuzzleBook(self._call)

    @property
    def lessons(self) -> LessonBook:
        """The lessons that the server has, over the same connection."""
        return LessonBook(self._call)

    def _call(self, write: Write[Answer]) -> Answer:
        """Return the answer of a call. Raises AdvisorError."""
        with telling(self._dialled.language):
            call = write()
            return call.read(self._message(call) if call.method else None)

    def _message(self, call: UnaryCall[Any]) -> Any:
        retries = RetryPolicy(self._dialled, call.seconds)
        while True:
            try:
                return self._begin(call, retries.left)
            except grpc.RpcError as failure:
                sleep(retries.pause(failure))

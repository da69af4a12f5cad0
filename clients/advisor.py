"""The client, for programs without an event loop; any number of threads, or gevent, may share one."""

import threading
from collections.abc import Callable
from functools import partial
from time import sleep
from types import TracebackType
from typing import Any, Self, Unpack

import grpc

from clerestory.clients.connection import Tls, dial
from clerestory.clients.errors import Unavailable
from clerestory.clients.referee import Rules
from clerestory.clients.retries import Tries
from clerestory.clients.types import Recommendation, Update
from clerestory.clients.wire import (
    SLACK,
    Options,
    PositionLike,
    Time,
    read_answer,
    read_update,
    write_analysis,
    write_question,
)
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceStub
from clerestory.v1.rules_pb2_grpc import RulesServiceStub

Method = Callable[..., Any]  # of a stub


class Advisor:
    """A server's advice. Close it, or use it in a `with`.

    Args:
        target: `HOST:PORT`, `unix:PATH`, or any other gRPC name of a server.
        token: that the server wants to see; plaintext to another machine is refused.
        tls: how to trust the server; True for the usual authorities, None for plaintext.
        retries: whether a call that the server turned away or never got is tried again, within its time.
        patience: seconds that a call waits for a server that is away; None: as long as it has.

    Raises BadConnection.
    """

    def __init__(
        self,
        target: str,
        token: str | None = None,
        tls: Tls | bool | None = None,
        *,
        retries: bool = True,
        patience: float | None = None,
    ) -> None:
        self._dialled = dialled = dial(target, token, tls, retries, patience)
        if dialled.credentials is None:
            self._channel = grpc.insecure_channel(dialled.target, dialled.options)
        else:
            self._channel = grpc.secure_channel(dialled.target, dialled.credentials, dialled.options)
        self._stub: Any = AdvisorServiceStub(self._channel)
        self._rules: Any = RulesServiceStub(self._channel)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; calls under way end with an error."""
        self._channel.close()

    @property
    def rules(self) -> Rules:
        """The rules of the games, by the same connection."""
        return Rules(self._ask_rules)

    def _ask_rules(self, method: str, request: Any) -> Any:
        return self._call(getattr(self._rules, method), request, SLACK)

    def recommend(self, position: PositionLike, time: Time | None = None, **options: Unpack[Options]) -> Recommendation:
        """Return the advice for a position; `time` or `iterations` is required.

        Args:
            position: a dictionary, its JSON text, a message, or an object with `to_position()`.
            time: until the answer leaves the server: "500ms", "2s", seconds, or a timedelta.
            options: see `Options`.

        Raises AdvisorError.
        """
        request, timeout = write_question(position, time, options)
        return read_answer(self._call(self._stub.RecommendMove, request, timeout))

    def analyze(
        self,
        position: PositionLike,
        time: Time | None = None,
        *,
        every: Time | None = None,
        certainty: float | None = None,
        background: bool = False,
        observer: int | None = None,
        **options: Unpack[Options],
    ) -> "Analysis":
        """Return the tables of an analysis, as they come; the last one is final. Leaving them ends the search.

        Args:
            position: as in `recommend`.
            time: as in `recommend`.
            every: time between two tables, at least 10 ms.
            certainty: end once the best line is the best with this probability, above 0.5 and below 1.
            background: let everybody else's searches go first.
            observer: use the knowledge of this seat, or of an onlooker (ONLOOKER, -1), whoever is to decide; the answer
                says what the seat to decide should play, as far as this one can tell.
            options: see `Options`.

        Raises AdvisorError, here for what cannot be sent, else where the tables are read.
        """
        request, timeout = write_analysis(
            position, time, every, certainty, background=background, observer=observer, options=options
        )
        begin = partial(self._begin, self._stub.Analyze, request)
        return Analysis(begin(timeout), begin, Tries(self._dialled, timeout))

    def _call(self, method: Method, request: Any, seconds: float) -> Any:
        """Return what a method of a stub returns, at the latest after some seconds. Raises AdvisorError."""
        tries = Tries(self._dialled, seconds)
        while True:
            try:
                return self._begin(method, request, tries.left)
            except grpc.RpcError as failure:
                sleep(tries.pause(failure))

    def _begin(self, method: Method, request: Any, seconds: float) -> Any:
        """Return an answer, or the stream of one. Raises grpc.RpcError, and Unavailable where the advisor is closed."""
        try:
            return method(request, timeout=seconds, metadata=self._dialled.metadata)
        except ValueError as failure:
            raise Unavailable(str(failure)) from None


class Analysis:
    """The tables of an analysis, to be read once; `close()`, the end of a `with`, or dropping it ends the search."""

    def __init__(self, stream: Any, begin: Callable[[float], Any], tries: Tries) -> None:
        self._stream, self._begin, self._tries = stream, begin, tries
        self._closed = threading.Event()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Update:
        while True:
            try:
                update = next(self._stream)
            except grpc.RpcError as failure:
                if self._closed.is_set() or self._closed.wait(self._tries.pause(failure)):
                    raise StopIteration from None
                self._stream = self._begin(self._tries.left)
            else:
                self._tries.end()
                return read_update(update)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """End the search, if it goes on; a thread that waits for a table gets none."""
        self._closed.set()
        self._stream.cancel()

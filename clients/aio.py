"""The client, for programs with an asyncio event loop. Not for gevent: there, use the sync one."""

from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack

import grpc

from clerestory.clients.aio_referee import AsyncRules
from clerestory.clients.connection import Tls, dial
from clerestory.clients.errors import Unavailable, error_of
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

Answer = TypeVar("Answer")


class AsyncAdvisor:
    """A server's advice. Make it where the loop runs; close it, or use it in an `async with`.

    Args:
        target: `HOST:PORT`, `unix:PATH`, or any other gRPC name of a server.
        token: that the server wants to see; plaintext to another machine is refused.
        tls: how to trust the server; True for the usual authorities, None for plaintext.
        retries: whether a call that the server turned away or never got is tried again, within its time.

    Raises BadConnection.
    """

    def __init__(
        self, target: str, token: str | None = None, tls: Tls | bool | None = None, *, retries: bool = True
    ) -> None:
        dialled = dial(target, token, tls, retries)
        if dialled.credentials is None:
            self._channel = grpc.aio.insecure_channel(dialled.target, dialled.options)
        else:
            self._channel = grpc.aio.secure_channel(dialled.target, dialled.credentials, dialled.options)
        self._metadata = dialled.metadata
        self._stub: Any = AdvisorServiceStub(self._channel)
        self._rules: Any = RulesServiceStub(self._channel)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection; calls under way are cancelled."""
        await self._channel.close()

    async def recommend(
        self, position: PositionLike, time: Time | None = None, **options: Unpack[Options]
    ) -> Recommendation:
        """Return the advice for a position; arguments and errors are those of `Advisor.recommend`."""
        request, timeout = write_question(position, time, options)
        return read_answer(await call(self._stub.RecommendMove, request, timeout=timeout, metadata=self._metadata))

    @property
    def rules(self) -> AsyncRules:
        """The rules of the games, by the same connection."""
        return AsyncRules(self._ask_rules)

    async def _ask_rules(self, method: str, request: Any) -> Any:
        return await call(getattr(self._rules, method), request, timeout=SLACK, metadata=self._metadata)

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
    ) -> "AsyncAnalysis":
        """Return the tables of an analysis, for `async for`; arguments and errors are those of `Advisor.analyze`."""
        request, timeout = write_analysis(
            position, time, every, certainty, background=background, observer=observer, options=options
        )
        try:
            return AsyncAnalysis(self._stub.Analyze(request, timeout=timeout, metadata=self._metadata))
        except grpc.aio.UsageError as failure:
            raise Unavailable(str(failure)) from None


class AsyncAnalysis:
    """The tables of an analysis, to be read once; `close()`, the end of an `async with`, or dropping it ends it."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._tables = aiter(stream)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Update:
        try:
            return read_update(await anext(self._tables))
        except grpc.RpcError as failure:
            raise error_of(failure) from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """End the search, if it goes on."""
        self._stream.cancel()


async def call(method: Callable[..., Awaitable[Answer]], request: Any, **options: Any) -> Answer:
    """Return what a method of a stub returns. Raises AdvisorError."""
    try:
        return await method(request, **options)
    except grpc.RpcError as failure:
        raise error_of(failure) from None
    except grpc.aio.UsageError as failure:
        raise Unavailable(str(failure)) from None

"""The client, for programs with an asyncio event loop. Not for gevent: there, use the sync one."""

import asyncio
from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import Any, Self, Unpack

import grpc

from clerestory.clients.aio_referee import AsyncRules
from clerestory.clients.connection import Tls, dial
from clerestory.clients.errors import Unavailable
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


class AsyncAdvisor:
    """A server's advice. Make it where the loop runs; close it, or use it in an `async with`.

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
            self._channel = grpc.aio.insecure_channel(dialled.target, dialled.options)
        else:
            self._channel = grpc.aio.secure_channel(dialled.target, dialled.credentials, dialled.options)
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
        return read_answer(await self._call(self._stub.RecommendMove, request, timeout))

    @property
    def rules(self) -> AsyncRules:
        """The rules of the games, by the same connection."""
        return AsyncRules(self._ask_rules)

    async def _ask_rules(self, method: str, request: Any) -> Any:
        return await self._call(getattr(self._rules, method), request, SLACK)

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
        begin = partial(self._begin, self._stub.Analyze, request)
        return AsyncAnalysis(begin(timeout), begin, Tries(self._dialled, timeout))

    async def _call(self, method: Method, request: Any, seconds: float) -> Any:
        """Return what a method of a stub returns, at the latest after some seconds. Raises AdvisorError."""
        tries = Tries(self._dialled, seconds)
        while True:
            try:
                return await self._begin(method, request, tries.left)
            except grpc.RpcError as failure:
                await asyncio.sleep(tries.pause(failure))

    def _begin(self, method: Method, request: Any, seconds: float) -> Any:
        """Return a call that has begun. Raises Unavailable where the advisor is closed."""
        try:
            return method(request, timeout=seconds, metadata=self._dialled.metadata)
        except grpc.aio.UsageError as failure:
            raise Unavailable(str(failure)) from None


class AsyncAnalysis:
    """The tables of an analysis, to be read once; `close()`, the end of an `async with`, or dropping it ends it."""

    def __init__(self, stream: Any, begin: Callable[[float], Any], tries: Tries) -> None:
        self._stream, self._begin, self._tries = stream, begin, tries
        self._tables = aiter(stream)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Update:
        while True:
            try:
                update = await anext(self._tables)
            except grpc.RpcError as failure:
                await asyncio.sleep(self._tries.pause(failure))
                self._stream = self._begin(self._tries.left)
                self._tables = aiter(self._stream)
            else:
                self._tries.end()
                return read_update(update)

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

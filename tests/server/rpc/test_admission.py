"""The admission of calls before their handlers: late and missing messages, crowds, repeated rejections."""

import asyncio
import gc
import json
import re
import threading
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import grpc
import pytest
from grpc._cython import cygrpc
from grpc_health.v1.health_pb2 import HealthCheckRequest
from grpc_health.v1.health_pb2_grpc import HealthStub
from grpc_reflection.v1alpha.reflection_pb2 import ServerReflectionRequest
from grpc_reflection.v1alpha.reflection_pb2_grpc import ServerReflectionStub

from clerestory.server import app
from clerestory.server.hardening import pending_reads, rate_limit
from clerestory.server.hardening.pending_reads import PendingReads
from clerestory.server.hardening.rate_limit import RateLimit
from clerestory.service_errors import Reason
from clerestory.v1.rules_pb2 import ListGamesRequest, ListGamesResponse
from clerestory.v1.rules_pb2_grpc import RulesServiceStub
from tests.packages import ROOT, sources
from tests.server.rpc.harness import (
    LoopClock,
    Served,
    assert_reason,
    full_server,
    logged,
    question,
    refusal,
    served,
    until,
)
from tests.servers import running_server

OWN = [("grpc.use_local_subchannel_pool", 1)]  # a separate connection
OTHER = (("x-on-behalf-of", "other"),)
LIST = "/clerestory.v1.RulesService/ListGames"
METHODS = [LIST, "/clerestory.v1.AdvisorService/Analyze", "/grpc.health.v1.Health/Check"]
EMPTY = ListGamesRequest().SerializeToString()
SECONDS, PATIENCE = 3600.0, 1200.0  # limits of these tests, which pass only on the clock of the event loop
SLACK = 600.0  # seconds that a slow machine may take for what must not take SECONDS
OPTION = re.compile(r'\("(grpc\.[\w.]+)", ')
CONNECTIONS, CALLS = 19, 100  # of a crowd, and calls of each
OWN_ONCE = [*OWN, ("grpc.enable_retries", 0)]
PINGS = [  # of an impatient caller in another language
    ("grpc.keepalive_time_ms", 6_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.use_local_subchannel_pool", 1),
]


async def never() -> AsyncIterator[bytes]:
    await asyncio.Event().wait()
    yield b""


def begin(server: Served, method: str, messages: Any) -> Any:
    return server.channel.stream_unary(method)(messages)


async def list_games(server: Served, **options: Any) -> ListGamesResponse:
    answer = await server.channel.unary_unary(LIST)(EMPTY, **options)
    return ListGamesResponse.FromString(answer)


@pytest.fixture
def pending(monkeypatch: pytest.MonkeyPatch) -> PendingReads:
    """The pending messages of the server; at most two are read at once."""
    made = PendingReads(2, SECONDS, PATIENCE)
    monkeypatch.setattr(app, "PendingReads", lambda: made)
    return made


async def slow_calls(pending: PendingReads, server: Served) -> list[Any]:
    """Return two calls, as many as are read at once, whose messages do not come."""
    calls = [begin(server, LIST, never()) for _ in range(2)]
    await until(lambda: pending.number == 2)
    return calls


async def waiting_call(pending: PendingReads, server: Served) -> asyncio.Future[ListGamesResponse]:
    call = asyncio.ensure_future(list_games(server))
    await until(lambda: pending.number == 3)
    return call


async def error_of_one(calls: list[Any]) -> grpc.aio.AioRpcError:
    """Return the error in which the first of some calls ends, and leave the others."""
    await until(lambda: any(call.done() for call in calls))
    [ended] = [call for call in calls if call.done()]
    for call in calls:
        call.cancel()
    return await refusal(ended)


async def test_a_message_must_arrive_in_time(
    pending: PendingReads, server: Served, clock: LoopClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its rejection is never held back."""
    monkeypatch.setattr(RateLimit, "hold", AsyncMock(side_effect=AssertionError("a refusal was held back")))
    for method in METHODS:
        call = begin(server, method, never())
        await until(lambda: pending.number == 1)
        clock.advance(SECONDS - SLACK)
        await list_games(server)
        assert not call.done()
        clock.advance(SLACK)
        assert_reason(await refusal(call), Reason.SLOW_REQUEST)


async def test_a_conversation_ends_without_requests(pending: PendingReads, server: Served, clock: LoopClock) -> None:
    stub: Any = ServerReflectionStub(server.channel)
    talk = stub.ServerReflectionInfo()
    await talk.write(ServerReflectionRequest(list_services=""))
    assert (await talk.read()).list_services_response.service
    await until(lambda: pending.number == 1)
    clock.advance(SECONDS)
    assert_reason(await refusal(talk.read()), Reason.SLOW_REQUEST)


@pytest.mark.parametrize(
    ("method", "messages", "reason"),
    [
        (LIST, [], Reason.UNREADABLE_REQUEST),
        ("/no.such/Method", never(), Reason.NO_SUCH_METHOD),
        ("/clerestory.v1.AdvisorService/RecommendMove", never(), Reason.BUSY),
        ("/clerestory.v1.AdvisorService/Analyze", never(), Reason.BUSY),
    ],
)
async def test_a_hopeless_call_is_rejected_before_its_message(method: str, messages: Any, reason: Reason) -> None:
    async with full_server() as server:
        assert_reason(await refusal(begin(server, method, messages)), reason)


async def test_the_connection_with_most_pending_messages_makes_room(pending: PendingReads, server: Served) -> None:
    async with grpc.aio.insecure_channel(server.app.address, OWN) as crowd:
        crowded = [crowd.stream_unary(LIST)(never()) for _ in range(2)]
        await until(lambda: pending.number == 2)
        assert (await list_games(server)).games
        assert_reason(await error_of_one(crowded), Reason.SLOW_REQUEST)


async def test_a_call_waits_for_other_messages_of_its_connection(pending: PendingReads, server: Served) -> None:
    come = asyncio.Event()

    async def late() -> AsyncIterator[bytes]:
        await come.wait()
        yield EMPTY

    read = [begin(server, LIST, late()) for _ in range(2)]
    await until(lambda: pending.number == 2)
    waits = await waiting_call(pending, server)
    assert not waits.done()
    come.set()
    assert [ListGamesResponse.FromString(await call) for call in read] == [await waits] * 2


async def test_a_waiting_call_displaces_a_slow_message(pending: PendingReads, server: Served, clock: LoopClock) -> None:
    slow = await slow_calls(pending, server)
    waits = await waiting_call(pending, server)
    clock.advance(PATIENCE)
    assert (await waits).games
    error = await error_of_one(slow)
    assert_reason(error, Reason.SLOW_REQUEST)
    assert pending_reads.DISPLACED in (error.details() or "")


async def test_a_call_does_not_wait_for_ever(pending: PendingReads, server: Served, clock: LoopClock) -> None:
    pending._most, pending._patience = 1, SECONDS
    slow = await slow_calls(pending, server)
    waits = await waiting_call(pending, server)
    clock.advance(SECONDS)
    assert_reason(await refusal(waits), Reason.BUSY)
    clock.advance(SECONDS)
    for call in slow:
        assert_reason(await refusal(call), Reason.SLOW_REQUEST)


async def test_few_calls_may_wait(pending: PendingReads, server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending_reads, "WAITING", 0)
    slow = await slow_calls(pending, server)
    assert_reason(await refusal(list_games(server)), Reason.BUSY)
    for call in slow:
        call.cancel()


def contexts() -> list[Any]:
    return [one for one in gc.get_objects() if type(one).__name__ == "_ServicerContext"]


@pytest.mark.parametrize("slow", [False, True], ids=["without a message", "slow"])
async def test_a_rejected_call_is_freed(pending: PendingReads, server: Served, clock: LoopClock, slow: bool) -> None:
    gc.collect()
    before = contexts()  # of other servers in this process
    gc.disable()
    try:
        call = begin(server, LIST, never() if slow else [])
        if slow:
            await until(lambda: pending.number == 1)
            clock.advance(SECONDS)
        await refusal(call)
        await until(lambda: len(contexts()) <= len(before))
    finally:
        gc.enable()


async def test_a_caller_has_no_more_calls_in_progress_than_are_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "MOST_CALLS", 4)
    async with served(max_searches=1) as server:
        watches = [server.channel.unary_stream("/grpc.health.v1.Health/Watch")(b"") for _ in range(4)]
        assert [await watch.read() for watch in watches]  # which have separate slots
        calls = [begin(server, LIST, never()) for _ in range(3)]
        await until(lambda: any(call.done() for call in calls))
        [ended] = [call for call in calls if call.done()]
        assert_reason(await refusal(ended), Reason.BUSY)
        assert (await list_games(server, metadata=OTHER)).games


async def test_repeated_rejections_are_held_back(monkeypatch: pytest.MonkeyPatch, clock: LoopClock) -> None:
    for name, value in (("BURST", 2), ("INTERVAL_S", 36_000.0), ("MAX_DELAY_S", 36_000.0)):
        monkeypatch.setattr(rate_limit, name, value)
    held, turn = list[tuple[float, float]](), RateLimit.turn

    def noted(self: RateLimit, caller: str, remaining: float | None = None) -> float:
        seconds = turn(self, caller, remaining)
        if remaining is not None:
            held.append((seconds, remaining))
        return seconds

    monkeypatch.setattr(RateLimit, "turn", noted)
    async with full_server() as server:
        refused = [asyncio.ensure_future(refusal(server.advisor.RecommendMove(question()))) for _ in range(4)]
        await until(lambda: sum(call.done() for call in refused) == 2)
        hasty = asyncio.ensure_future(refusal(server.advisor.RecommendMove(question(), timeout=3600)))
        await until(lambda: len(held) == 1)
        assert (await server.advisor.RecommendMove(question(iterations=1), metadata=OTHER)).lines
        for _ in range(2):  # refusals of the address, not of that caller
            await refusal(server.channel.unary_unary("/no.such/Method")(b""))
        assert not hasty.done()
        [(seconds, remaining)] = held
        assert 0 < seconds <= remaining / 2
        clock.advance(seconds)
        assert_reason(await hasty, Reason.BUSY)
        assert sum(call.done() for call in refused) == 2
        for call in refused:
            call.cancel()


async def test_three_rejections_of_a_caller_are_logged_and_the_others_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limit, "LOG_INTERVAL_S", 36_000.0)
    with logged("json") as log:
        async with full_server() as server:
            for _ in range(6):
                await refusal(server.advisor.RecommendMove(question()))
            monkeypatch.setattr(rate_limit, "LOG_INTERVAL_S", 0.0)
            await refusal(server.advisor.RecommendMove(question()))
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    assert [line.get("unlogged", 0) for line in lines if line.get("reason") == "BUSY"] == [0, 0, 0, 3]


def test_grpc_knows_every_option_that_is_set() -> None:
    """gRPC ignores unknown names without a word."""
    known = Path(cygrpc.__file__).read_bytes()
    names = {name for path in sources() for name in OPTION.findall((ROOT / path).read_text())}
    assert "grpc.so_reuseport" in names
    assert {name for name in names if name.encode() + b"\0" not in known} == set()


@pytest.mark.system
def test_a_quiet_call_may_be_pinged_every_six_seconds() -> None:
    """With gRPC's default of five minutes, the third ping ends the connection."""
    with running_server() as target, grpc.insecure_channel(target, PINGS) as channel:
        watching = HealthStub(channel).Watch(HealthCheckRequest(), timeout=30)
        next(watching)
        with pytest.raises(grpc.RpcError) as ended:
            next(watching)
    assert ended.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED, ended.value.details()


def call_together(target: str, made: threading.Event) -> "Counter[str]":
    """Make calls on separate connections, all before waiting for any; return how they ended."""
    channels = [grpc.insecure_channel(target, OWN_ONCE) for _ in range(CONNECTIONS)]
    stubs: list[Any] = [RulesServiceStub(channel) for channel in channels]
    for channel in channels:
        grpc.channel_ready_future(channel).result()
    calls = [stub.ListGames.future(ListGamesRequest()) for stub in stubs for _ in range(CALLS)]
    made.set()
    ends = Counter(call.code().name for call in calls)
    for channel in channels:
        channel.close()
    return ends


@pytest.mark.system
async def test_thousands_of_calls_that_come_while_the_server_is_busy_are_answered_or_rejected(server: Served) -> None:
    """None of them is dropped without a reason."""
    made = threading.Event()
    ends = asyncio.ensure_future(asyncio.to_thread(call_together, server.app.address, made))
    await asyncio.sleep(0)
    made.wait()  # here, where the server runs
    found = await ends
    assert found.total() == CONNECTIONS * CALLS
    assert set(found) <= {"OK", "RESOURCE_EXHAUSTED"}

"""What a call passes before its handler: messages that arrive late or never, crowds, refusals that repeat."""

import asyncio
import gc
import json
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from grpc_reflection.v1alpha.reflection_pb2 import ServerReflectionRequest
from grpc_reflection.v1alpha.reflection_pb2_grpc import ServerReflectionStub

from clerestory.refusals import Reason
from clerestory.server import app, arrivals, gate, pace
from clerestory.server.arrivals import Arrivals
from clerestory.v1.rules_pb2 import ListGamesRequest, ListGamesResponse
from tests.server.harness import Served, assert_reason, logged, long_question, question, refusal, served, until

OWN = [("grpc.use_local_subchannel_pool", 1)]  # a connection of its own
OTHER = (("x-on-behalf-of", "other"),)
METHODS = [
    "/clerestory.v1.RulesService/ListGames",
    "/clerestory.v1.AdvisorService/Analyze",
    "/grpc.health.v1.Health/Check",
]
EMPTY = ListGamesRequest().SerializeToString()


async def never() -> AsyncIterator[bytes]:
    """The messages of a call that never has any."""
    await asyncio.Event().wait()
    yield b""


def begun(server: Served, method: str, messages: Any) -> Any:
    """A call whose messages its caller sends as it likes."""
    return server.channel.stream_unary(method)(messages)


def limit_arrivals(monkeypatch: pytest.MonkeyPatch, **limits: Any) -> list[Arrivals]:
    """Have servers read messages within limits; return what counts the messages of each server that starts."""
    made = list[Arrivals]()

    def make() -> Arrivals:
        made.append(Arrivals(**limits))
        return made[-1]

    monkeypatch.setattr(gate, "Arrivals", make)
    return made


@pytest.mark.parametrize("method", METHODS)
async def test_a_message_that_does_not_come_in_time_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    limit_arrivals(monkeypatch, seconds=0.1)
    async with served() as server:
        assert_reason(await refusal(begun(server, method, never())), Reason.SLOW_REQUEST)


async def test_a_conversation_ends_when_no_request_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    limit_arrivals(monkeypatch, seconds=0.1)
    async with served() as server:
        stub: Any = ServerReflectionStub(server.channel)
        talk = stub.ServerReflectionInfo()
        await talk.write(ServerReflectionRequest(list_services=""))
        assert (await talk.read()).list_services_response.service
        assert_reason(await refusal(talk.read()), Reason.SLOW_REQUEST)


async def test_a_call_without_a_message_is_refused() -> None:
    async with served() as server:
        assert_reason(await refusal(begun(server, METHODS[0], [])), Reason.UNREADABLE_REQUEST)


async def test_a_method_that_there_is_not_is_refused_before_its_message() -> None:
    async with served() as server:
        assert_reason(await refusal(begun(server, "/no.such/Method", never())), Reason.NO_SUCH_METHOD)


async def test_whoever_has_most_requests_on_their_way_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    made = limit_arrivals(monkeypatch, most=4, seconds=60.0)
    async with served() as server, grpc.aio.insecure_channel(server.app.address, OWN) as crowd:
        crowded = [crowd.stream_unary(METHODS[0])(never()) for _ in range(4)]
        await until(lambda: made[0].number == 4)
        assert ListGamesResponse.FromString(await server.channel.unary_unary(METHODS[0])(EMPTY)).games
        await until(lambda: any(call.done() for call in crowded))
        [ended] = [call for call in crowded if call.done()]
        assert_reason(await refusal(ended), Reason.SLOW_REQUEST)
        for call in crowded:
            call.cancel()


async def test_a_call_waits_while_as_much_of_its_own_connection_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    made = limit_arrivals(monkeypatch, most=2, seconds=60.0, patience=60.0)
    come = asyncio.Event()

    async def late() -> AsyncIterator[bytes]:
        await come.wait()
        yield EMPTY

    async with served() as server:
        read = [begun(server, METHODS[0], late()) for _ in range(2)]
        await until(lambda: made[0].number == 2)
        waits = server.channel.unary_unary(METHODS[0])(EMPTY)
        await until(lambda: made[0].number == 3)
        assert not waits.done()
        come.set()
        assert [len(await call) for call in (*read, waits)] == [len(await waits)] * 3


async def test_a_call_that_waits_gets_the_place_of_a_message_that_does_not_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = limit_arrivals(monkeypatch, most=1, seconds=60.0, patience=0.05)
    async with served() as server:
        slow = begun(server, METHODS[0], never())
        await until(lambda: made[0].number == 1)
        assert ListGamesResponse.FromString(await server.channel.unary_unary(METHODS[0])(EMPTY)).games
        ended = await refusal(slow)
        assert_reason(ended, Reason.SLOW_REQUEST)
        assert arrivals.DISPLACED in (ended.details() or "")


async def test_a_call_whose_turn_does_not_come_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    made = limit_arrivals(monkeypatch, most=1, seconds=0.5, patience=60.0)
    async with served() as server:
        slow = [begun(server, METHODS[0], never()) for _ in range(2)]
        await until(lambda: made[0].number == 2)
        assert_reason(await refusal(server.channel.unary_unary(METHODS[0])(EMPTY)), Reason.BUSY)
        for call in slow:
            assert_reason(await refusal(call), Reason.SLOW_REQUEST)


async def test_no_more_calls_wait_for_their_turn_than_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    made = limit_arrivals(monkeypatch, most=1, seconds=60.0)
    monkeypatch.setattr(arrivals, "WAITING", 0)
    async with served() as server:
        slow = begun(server, METHODS[0], never())
        await until(lambda: made[0].number == 1)
        assert_reason(await refusal(server.channel.unary_unary(METHODS[0])(EMPTY)), Reason.BUSY)
        slow.cancel()


async def test_a_slow_request_is_refused_at_once_however_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "AT_ONCE", 0)
    monkeypatch.setattr(pace, "LONGEST", 3600.0)
    limit_arrivals(monkeypatch, seconds=0.1)
    async with served() as server:
        for _ in range(3):
            assert_reason(await refusal(begun(server, METHODS[0], never())), Reason.SLOW_REQUEST)


@pytest.mark.parametrize("messages", [[], never()], ids=["without a message", "slow"])
async def test_a_refused_call_is_freed_before_any_collection(monkeypatch: pytest.MonkeyPatch, messages: Any) -> None:
    limit_arrivals(monkeypatch, seconds=0.1)
    async with served() as server:
        gc.collect()
        gc.disable()
        try:
            await refusal(begun(server, METHODS[0], messages))
            await until(lambda: not any(type(one).__name__ == "_ServicerContext" for one in gc.get_objects()))
        finally:
            gc.enable()


async def test_a_caller_has_no_more_calls_in_progress_than_are_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "MOST_CALLS", 4)
    async with served(max_searches=1) as server:
        watches = [server.channel.unary_stream("/grpc.health.v1.Health/Watch")(b"") for _ in range(4)]
        assert [await watch.read() for watch in watches]  # which have places of their own
        calls = [begun(server, METHODS[0], never()) for _ in range(3)]
        await until(lambda: any(call.done() for call in calls))
        [ended] = [call for call in calls if call.done()]
        assert_reason(await refusal(ended), Reason.BUSY)
        other = server.channel.unary_unary(METHODS[0])(EMPTY, metadata=OTHER)
        assert ListGamesResponse.FromString(await other).games


async def test_refusals_that_repeat_are_held_back_and_those_of_others_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "AT_ONCE", 5)
    monkeypatch.setattr(pace, "EVERY", 3600.0)
    monkeypatch.setattr(pace, "LONGEST", 3600.0)
    held = list[float]()

    async def hold(seconds: float) -> None:
        """Wait only for those without a deadline: the others need not be seen to wait."""
        held.append(seconds)
        await asyncio.sleep(0 if seconds <= 60 else seconds)

    monkeypatch.setattr(pace, "asyncio", SimpleNamespace(sleep=hold))
    async with served(max_searches=1) as server:
        long = server.advisor.RecommendMove(long_question())
        await until(lambda: server.app.scheduler.admitted == 1)
        refused = [asyncio.ensure_future(refusal(server.advisor.RecommendMove(question()))) for _ in range(8)]
        await until(lambda: sum(call.done() for call in refused) == 5)
        assert_reason(await refusal(server.advisor.RecommendMove(question(), timeout=120)), Reason.BUSY)
        assert 0 < min(held) <= 60  # half of what that call had left
        assert (await server.advisor.RecommendMove(question(iterations=1), metadata=OTHER)).lines
        for _ in range(5):
            await refusal(server.channel.unary_unary("/no.such/Method")(b""))  # of the same address, not of that caller
        assert sum(call.done() for call in refused) == 5
        for call in (long, *refused):
            call.cancel()


async def test_three_refusals_of_a_caller_are_logged_and_the_others_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "LINES_EVERY", 3600.0)
    with logged("json") as log:
        async with served(max_searches=1) as server:
            long = server.advisor.RecommendMove(long_question())
            await until(lambda: server.app.scheduler.admitted == 1)
            for _ in range(6):
                await refusal(server.advisor.RecommendMove(question()))
            monkeypatch.setattr(pace, "LINES_EVERY", 0.0)
            await refusal(server.advisor.RecommendMove(question()))
            long.cancel()
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    assert [line.get("unlogged", 0) for line in lines if line.get("reason") == "BUSY"] == [0, 0, 0, 3]

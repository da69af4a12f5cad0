"""Both clients send the same requests, read the same tables, retry alike, and end unread calls."""

import asyncio
import inspect
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any

import grpc
import pytest

from clerestory.cli.positions import first_decision
from clerestory.clients import (
    Advisor,
    AsyncAdvisor,
    AsyncReferee,
    AsyncRules,
    BadRequest,
    Busy,
    Denied,
    Referee,
    Rules,
    Unavailable,
    Update,
)
from clerestory.clients.hosted import AsyncHostedGame, AsyncHostedGames, HostedGame, HostedGames
from clerestory.clients.retries import BUSY_PAUSES
from clerestory.clients.wire import MAX_MESSAGE_BYTES
from clerestory.server.rpc import admission
from tests.clients.python.fake import Scripted, serving
from tests.server.rpc.harness import until

POSITION = first_decision("toy", 2, 7).observe(0)
TIME = "3600s"  # long enough that no call times out
ATTEMPTS = 1 + len(BUSY_PAUSES)
ALL = 10**9  # tables
EXHAUSTED, UNAVAILABLE = grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAVAILABLE
CANCELLED = grpc.StatusCode.CANCELLED


def recommend(target: str, **options: Any) -> Any:
    with Advisor(target) as advisor:
        return advisor.recommend(POSITION, TIME, **options)


def recommend_in_a_loop(target: str, **options: Any) -> Any:
    async def ask() -> Any:
        async with AsyncAdvisor(target) as advisor:
            return await advisor.recommend(POSITION, TIME, **options)

    return asyncio.run(ask())


def read(target: str, number: int = ALL, **options: Any) -> list[Update]:
    with Advisor(target) as advisor:
        return list(islice(advisor.analyze(POSITION, TIME, **options), number))


def read_in_a_loop(target: str, number: int = ALL, **options: Any) -> list[Update]:
    async def ask() -> list[Update]:
        async with AsyncAdvisor(target) as advisor:
            got = []
            async for update in advisor.analyze(POSITION, TIME, **options):
                got.append(update)
                if len(got) == number:
                    break
            return got

    return asyncio.run(ask())


RECOMMEND = pytest.mark.parametrize("ask", [recommend, recommend_in_a_loop], ids=["sync", "async"])
ANALYZE = pytest.mark.parametrize("read", [read, read_in_a_loop], ids=["sync", "async"])
Ask, Read = Callable[..., Any], Callable[..., list[Update]]


@pytest.mark.parametrize(
    "pair",
    [
        (Advisor, AsyncAdvisor),
        (Rules, AsyncRules),
        (Referee, AsyncReferee),
        (HostedGames, AsyncHostedGames),
        (HostedGame, AsyncHostedGame),
    ],
)
def test_both_clients_have_the_same_methods_and_documentation(pair: tuple[type, type]) -> None:
    one, other = ({name: value for name, value in inspect.getmembers(it) if name[0] != "_"} for it in pair)
    assert one.keys() == other.keys()
    shared = {name for name, value in one.items() if inspect.isfunction(value)} - {"close"}
    assert shared
    assert all(inspect.signature(one[name]).parameters == inspect.signature(other[name]).parameters for name in shared)
    assert all(inspect.getdoc(one[name]) == inspect.getdoc(other[name]) for name in shared)


@RECOMMEND
def test_a_request_beyond_the_limit_is_not_sent(ask: Ask) -> None:
    assert admission.MAX_MESSAGE_BYTES == MAX_MESSAGE_BYTES
    servicer = Scripted()
    with serving(servicer) as target, pytest.raises(BadRequest, match="bytes; no server reads more") as caught:
        ask(target, consider=["play 4"] * 10_000)
    assert (caught.value.reason, servicer.calls) == ("UNREADABLE_REQUEST", [])


@ANALYZE
def test_tables_come_in_order_and_the_last_is_final(read: Read) -> None:
    with serving(Scripted(tables=3)) as target:
        got = read(target)
    assert [(update.sequence, update.final) for update in got] == [(1, False), (2, False), (3, True)]
    assert all(update.best == update.lines[0].action for update in got)


@ANALYZE
def test_a_stream_that_is_rejected_raises_the_error(read: Read, guarded: str) -> None:
    with pytest.raises(Denied) as caught:
        read(guarded)
    assert caught.value.reason == "MISSING_TOKEN"


@ANALYZE
def test_leaving_the_loop_ends_the_call(read: Read) -> None:
    servicer = Scripted(holds_after=2)
    with serving(servicer) as target:
        assert len(read(target, 2)) == 2
        servicer.left.wait()


@pytest.mark.parametrize("close", [True, False], ids=["closed", "dropped"])
def test_an_analysis_ends_while_the_advisor_lives_on(close: bool) -> None:
    servicer = Scripted(holds_after=1)
    with serving(servicer) as target, Advisor(target) as advisor:
        updates = advisor.analyze(POSITION, TIME)
        next(updates)
        if close:
            updates.close()
            assert list(updates) == []
        del updates
        servicer.left.wait()


@pytest.mark.parametrize("close", [True, False], ids=["closed", "dropped"])
async def test_an_async_analysis_ends_while_the_advisor_lives_on(close: bool) -> None:
    servicer = Scripted(holds_after=1)
    with serving(servicer) as target:
        async with AsyncAdvisor(target) as advisor:
            updates = advisor.analyze(POSITION, TIME)
            await anext(updates)
            if close:
                updates.close()
                assert [update async for update in updates] == []
            del updates
            await until(servicer.left.is_set)


async def test_an_async_analysis_cannot_go_on_after_its_reader_was_cancelled() -> None:
    servicer = Scripted(holds_after=0)
    with serving(servicer) as target:
        async with AsyncAdvisor(target) as advisor:
            updates = advisor.analyze(POSITION, TIME)
            reading = asyncio.ensure_future(anext(updates))
            await until(lambda: bool(servicer.calls))
            reading.cancel()
            with pytest.raises(asyncio.CancelledError):
                await reading
            for _ in range(2):
                with pytest.raises(Unavailable, match="was cancelled"):
                    await anext(updates)
            updates.close()
            assert [update async for update in updates] == []


@pytest.mark.parametrize("ask", [recommend, recommend_in_a_loop, read, read_in_a_loop])
@pytest.mark.parametrize(
    "refusals", [[(UNAVAILABLE, None)] * 6, [(CANCELLED, None)], [(EXHAUSTED, 1)] * (ATTEMPTS - 1)]
)
def test_a_rejected_call_is_tried_again(ask: Ask, refusals: Any) -> None:
    servicer = Scripted(refusals)
    with serving(servicer) as target:
        assert ask(target)
    assert len(servicer.calls) == len(refusals) + 1


@RECOMMEND
@pytest.mark.parametrize(
    ("refusals", "attempts"), [([(EXHAUSTED, 1)] * 9, ATTEMPTS), ([(EXHAUSTED, -1)] * 9, 1)], ids=["bounded", "told"]
)
def test_a_busy_server_is_asked_a_few_times_at_most(ask: Ask, refusals: Any, attempts: int) -> None:
    servicer = Scripted(refusals)
    with serving(servicer) as target, pytest.raises(Busy):
        ask(target)
    assert len(servicer.calls) == attempts


@ANALYZE
def test_a_stream_that_has_begun_is_not_tried_again(read: Read) -> None:
    servicer = Scripted(breaks_after=2)
    with serving(servicer) as target, pytest.raises(Unavailable):
        read(target)
    assert len(servicer.calls) == 1


@pytest.mark.parametrize("options", [{"patience": 0}, {"retries": False}])
def test_nothing_is_tried_again_without_patience_or_retries(options: Any) -> None:
    servicer = Scripted([(UNAVAILABLE, None)] * 2)
    with serving(servicer) as target, Advisor(target, **options) as advisor, pytest.raises(Unavailable):
        advisor.recommend(POSITION, TIME)
    assert len(servicer.calls) == 1


async def test_an_analysis_that_is_closed_before_its_next_attempt_is_not_tried_again() -> None:
    servicer = Scripted([(UNAVAILABLE, 600_000)] * 2)
    with serving(servicer) as target, Advisor(target) as advisor, ThreadPoolExecutor(1) as threads:
        updates = advisor.analyze(POSITION, TIME)
        left = threads.submit(list, updates)
        await until(servicer.left.is_set)
        updates.close()
        assert left.result() == []
    assert len(servicer.calls) == 1


def test_an_analysis_that_is_closed_during_its_next_attempt_ends() -> None:
    with serving(Scripted([(UNAVAILABLE, None)])) as target, Advisor(target) as advisor:
        updates = advisor.analyze(POSITION, TIME)
        begin = updates._begin

        def begin_late(seconds: float) -> Any:
            updates.close()
            return begin(seconds)

        updates._begin = begin_late
        assert list(updates) == []


@pytest.mark.parametrize("paused", [False, True], ids=["in the call", "in the pause after it"])
async def test_a_closed_async_analysis_is_not_tried_again(paused: bool) -> None:
    servicer = Scripted([(UNAVAILABLE, 600_000)] * 2 if paused else [], holds_after=0)

    async def read(updates: Any) -> list[Update]:
        return [update async for update in updates]

    with serving(servicer) as target:
        async with AsyncAdvisor(target) as advisor:
            updates = advisor.analyze(POSITION, TIME)
            left = asyncio.ensure_future(read(updates))
            await until(lambda: updates._stream.done() if paused else bool(servicer.calls))
            updates.close()
            assert await left == []
    assert len(servicer.calls) == 1

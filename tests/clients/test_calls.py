"""Both clients send the same requests, read the same tables, retry alike, and end searches that nobody reads."""

import asyncio
import inspect
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import grpc
import pytest

from clerestory.cli.new import first_decision
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
from clerestory.clients.client import MAX_MESSAGE_BYTES
from clerestory.clients.kept import AsyncKeptGame, AsyncKeptGames, KeptGame, KeptGames
from clerestory.clients.retries import BUSY_PAUSES
from clerestory.clients.wire import write_analysis, write_question
from clerestory.engine.toy.rules import TOY
from clerestory.refusals import Reason
from clerestory.server import transport
from clerestory.v1.rules_pb2 import AnyPosition, Turn
from tests.clients.fake import Scripted, serving

POSITION = first_decision("toy", 2, 7).observe(0)
ATTEMPTS = 1 + len(BUSY_PAUSES)
ENDLESS = 10**9
EXHAUSTED, UNAVAILABLE = grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAVAILABLE
CANCELLED = grpc.StatusCode.CANCELLED


async def recommend_async(target: str, **options: Any) -> Any:
    async with AsyncAdvisor(target) as advisor:
        return await advisor.recommend(POSITION, "50s", **options)


def recommend(target: str, **options: Any) -> Any:
    with Advisor(target) as advisor:
        return advisor.recommend(POSITION, "50s", **options)


def recommend_in_a_loop(target: str, **options: Any) -> Any:
    return asyncio.run(recommend_async(target, **options))


async def some_async(target: str, number: int, time: str = "50s") -> list[Update]:
    async with AsyncAdvisor(target) as advisor:
        got = []
        async for update in advisor.analyze(POSITION, time, every="10ms"):
            got.append(update)
            if len(got) == number:
                break
        return got


def some(target: str, number: int, time: str = "50s") -> list[Update]:
    with Advisor(target) as advisor:
        got = []
        for update in advisor.analyze(POSITION, time, every="10ms"):
            got.append(update)
            if len(got) == number:
                break
        return got


def some_in_a_loop(target: str, number: int, time: str = "50s") -> list[Update]:
    return asyncio.run(some_async(target, number, time))


RECOMMEND = pytest.mark.parametrize("ask", [recommend, recommend_in_a_loop], ids=["sync", "async"])
ANALYZE = pytest.mark.parametrize("read", [some, some_in_a_loop], ids=["sync", "async"])


@pytest.mark.parametrize(
    "pair",
    [
        (Advisor, AsyncAdvisor),
        (Rules, AsyncRules),
        (Referee, AsyncReferee),
        (KeptGames, AsyncKeptGames),
        (KeptGame, AsyncKeptGame),
    ],
)
def test_both_clients_offer_the_same_with_the_same_words(pair: tuple[type, type]) -> None:
    one, other = ({name: value for name, value in inspect.getmembers(it) if name[0] != "_"} for it in pair)
    assert one.keys() == other.keys()
    shared = {name for name, value in one.items() if inspect.isfunction(value)} - {"close"}
    assert shared
    assert all(inspect.signature(one[name]) == inspect.signature(other[name]) for name in shared)
    assert all(inspect.getdoc(one[name]) == inspect.getdoc(other[name]) for name in shared)


# -- questions -------------------------------------------------------------------------------------

OPTIONS: list[tuple[dict[str, Any], str, Any]] = [
    ({"seat": 0}, "seat", 0),
    ({"iterations": 5}, "iterations", 5),
    ({"seed": 2**64 - 1}, "seed", 2**64 - 1),
    ({"memory": 1 << 20}, "max_tree_bytes", 1 << 20),
    ({"level": 3}, "level", 3),
    ({"threads": 2}, "threads", 2),
    ({"lines": 5}, "max_lines", 5),
    ({"early_stop": False}, "early_stop", False),
    ({"consider": "play 4"}, "consider_actions", ["play 4"]),
    ({"avoid": ["fold", TOY.parse_action("play 2")]}, "avoid_actions", ["fold", "play 2"]),
    ({"avoid": TOY.parse_action("fold")}, "avoid_actions", ["fold"]),
]


@pytest.mark.parametrize(("options", "field", "value"), OPTIONS)
def test_options(options: Any, field: str, value: Any) -> None:
    assert getattr(write_question(POSITION, "1s", options).request, field) == value
    unset = dict.fromkeys(options)
    assert write_question(POSITION, "1s", unset) == write_question(POSITION, "1s", {})  # type: ignore[arg-type]


BAD_OPTIONS: list[tuple[dict[str, Any], str, str]] = [
    ({"level": -1}, "level", "BAD_LEVEL"),
    ({"threads": "two"}, "threads", "BAD_THREADS"),
    ({"memory": 1.5}, "max_tree_bytes", "BAD_MAX_TREE_BYTES"),
    ({"lines": 2**32}, "max_lines", "UNREADABLE_REQUEST"),
    ({"early_stop": "yes"}, "early_stop", "UNREADABLE_REQUEST"),
    ({"consider": 5}, "consider_actions", "BAD_CONSIDER_ACTIONS"),
    ({"avoid": [5]}, "avoid_actions", "BAD_AVOID_ACTIONS"),
]


@pytest.mark.parametrize(("options", "field", "reason"), BAD_OPTIONS)
def test_options_that_cannot_be_sent(options: Any, field: str, reason: str) -> None:
    with pytest.raises(BadRequest, match=f"^{field}: ") as caught:
        write_question(POSITION, "1s", options)
    assert caught.value.reason == reason


TABLE = Referee(lambda _: None, AnyPosition(), Turn())
UNFIT: list[tuple[Callable[[Any], Any], str, str]] = [
    (lambda a: a.analyze(POSITION, "1s", background="x"), "background", "UNREADABLE_REQUEST"),
    (lambda a: a.annotate(5), "record", "BAD_RECORD"),
    (lambda a: a.games.create("toy", ["person"], table="yes"), "table", "BAD_OPTIONS"),
    (lambda a: a.games.create("toy", [1, 2]), "seats[0]", "BAD_OPTIONS"),
    (lambda a: a.games.open("x", ["a token"]), "tokens", "UNREADABLE_REQUEST"),
    (lambda a: a.games.open("x").look(entries_from=-1), "entries_from_ply", "BAD_PLY"),
    (lambda a: a.games.open("x").play(5), "action", "BAD_ACTION"),
    (lambda a: a.games.open("x").take_back(1, decline="x"), "decline", "UNREADABLE_REQUEST"),
    (lambda a: a.games.open("x").watch(from_version="x"), "from_version", "UNREADABLE_REQUEST"),
    (lambda a: a.games.open("x").watch(from_version=-1), "from_version", "UNREADABLE_REQUEST"),
    (lambda a: a.puzzles.pose("duel", -1), "number", "NO_SUCH_PUZZLE"),
    (lambda a: a.puzzles.judge("duel", 1, 5), "actions", "BAD_ACTION"),
    (lambda a: a.lessons.follow("goal", [5]), "actions", "BAD_ACTION"),
    (lambda _: TABLE.apply(None), "actions", "BAD_ACTION"),  # type: ignore[arg-type]
    (lambda _: TABLE.apply([], draw="x"), "draw", "UNREADABLE_REQUEST"),  # type: ignore[arg-type]
    (lambda _: TABLE.plan({"mason_1": 1, "carpenter_4": -1}), "uses[1].times", "BAD_ACTION"),
]


@pytest.mark.parametrize(("call", "field", "reason"), UNFIT)
def test_what_fits_into_no_message_is_said_of_its_field_for_a_reason_of_the_service(
    call: Callable[[Any], Any], field: str, reason: str
) -> None:
    with Advisor("localhost:1", patience=0) as advisor, pytest.raises(BadRequest) as caught:
        call(advisor)
    assert [one.field for one in caught.value.violations] == [field]
    assert caught.value.reason == reason
    assert reason in Reason.__members__


@pytest.mark.parametrize("options", [{"character": 5}, {"game_id": "\ud800"}])
def test_what_is_no_text_is_said_so(options: Any) -> None:
    with pytest.raises(BadRequest, match=r" is not a text in Unicode$"):
        write_question(POSITION, "1s", options)


@pytest.mark.parametrize("time", [b"1s", [], {"seconds": 1}])
def test_what_is_no_time_is_said_so(time: Any) -> None:
    with pytest.raises(BadRequest, match=r"^time_budget: .* is not a time: "):
        write_question(POSITION, time, {})


def test_a_field_that_no_position_has_is_named_without_all_that_there_are() -> None:
    with pytest.raises(BadRequest, match=r"^position: .*strange") as caught:
        write_question({"rules_revision": 1, "toy": {"strange": 1}}, "1s", {})
    assert "Available Fields" not in str(caught.value)


def test_an_unknown_option_is_a_mistake_of_the_program() -> None:
    with pytest.raises(TypeError, match="'speed' is not one of"):
        write_question(POSITION, "1s", {"speed": 1})  # type: ignore[typeddict-unknown-key]


def test_an_analysis_says_how_often_and_how_sure() -> None:
    request, timeout = write_analysis(POSITION, "2s", "100ms", 0.95, background=True, observer=1, options={"lines": 2})
    assert request.background
    assert (request.update_interval.ToMilliseconds(), request.target_certainty) == (100, 0.95)
    assert (request.question.time_budget.ToSeconds(), request.question.max_lines) == (2, 2)
    assert (request.observer.seat, timeout > 2) == (1, True)
    for every, certainty, field in [("soon", None, "update_interval"), (None, "sure", "target_certainty")]:
        with pytest.raises(BadRequest, match=f"^{field}: "):
            write_analysis(POSITION, "2s", every, certainty, background=False, observer=None, options={})  # type: ignore
    with pytest.raises(BadRequest, match=r"^observer\.seat: ") as caught:
        write_analysis(POSITION, "2s", None, None, background=False, observer="red", options={})  # type: ignore
    assert caught.value.reason == "BAD_SEAT"


@RECOMMEND
def test_a_request_that_no_server_reads_is_not_sent(ask: Callable[..., Any]) -> None:
    assert transport.MAX_MESSAGE_BYTES == MAX_MESSAGE_BYTES
    servicer = Scripted()
    with serving(servicer) as target, pytest.raises(BadRequest, match="bytes; no server reads more") as caught:
        ask(target, consider=["play 4"] * 10_000)
    assert (caught.value.reason, servicer.calls) == ("UNREADABLE_REQUEST", [])


# -- answers ---------------------------------------------------------------------------------------


@RECOMMEND
def test_an_answer_keeps_its_message(ask: Callable[..., Any], target: str) -> None:
    got = ask(target, seed=9, iterations=100)
    assert (got.seed, got.best, got.message.seed, got.level) == (9, got.lines[0].action, 9, None)
    assert got.best.text == got.message.best.text


@ANALYZE
def test_tables_come_in_order_and_the_last_is_final(read: Callable[..., list[Update]], target: str) -> None:
    for seconds in (0.2, 2, 20):  # a busy machine may have no table before the end
        got = read(target, ENDLESS, time=f"{seconds}s")
        if len(got) > 1:
            break
    assert len(got) > 1
    assert [update.sequence for update in got] == sorted({update.sequence for update in got})
    assert [update.final for update in got] == [False] * (len(got) - 1) + [True]
    assert all(update.best == update.lines[0].action for update in got)
    assert [update.recommendation.stop_reason for update in got] == ["unspecified"] * (len(got) - 1) + ["time"]


def wait_for_room(target: str) -> None:
    """Return once a server with room for one search has admitted one, so that the previous one has ended."""
    with Advisor(target, retries=False) as advisor:
        while True:
            with suppress(Busy):
                advisor.recommend(POSITION, iterations=1)
                return


@ANALYZE
def test_leaving_the_loop_ends_the_search(read: Callable[..., list[Update]], narrow: str) -> None:
    assert len(read(narrow, 2, time="50s")) == 2
    wait_for_room(narrow)


def test_dropping_an_analysis_ends_it_while_the_advisor_lives_on(narrow: str) -> None:
    with Advisor(narrow) as advisor:
        for _ in advisor.analyze(POSITION, "50s", every="10ms"):
            break
        wait_for_room(narrow)
        with advisor.analyze(POSITION, "50s", every="10ms") as updates:
            next(updates)
            updates.close()
            assert not any(update.final for update in updates)
        wait_for_room(narrow)


def test_dropping_an_async_analysis_ends_it_while_the_advisor_lives_on(narrow: str) -> None:
    async def leave() -> None:
        async with AsyncAdvisor(narrow) as advisor:
            async for _ in advisor.analyze(POSITION, "50s", every="10ms"):
                break
            await asyncio.to_thread(wait_for_room, narrow)

    asyncio.run(leave())


@ANALYZE
def test_a_stream_that_is_refused(read: Callable[..., list[Update]], guarded: str) -> None:
    with pytest.raises(Denied) as caught:
        read(guarded, ENDLESS)
    assert caught.value.reason == "MISSING_TOKEN"


# -- retries ---------------------------------------------------------------------------------------


@RECOMMEND
@pytest.mark.parametrize(
    "refusals", [[(UNAVAILABLE, None)] * 6, [(CANCELLED, None)], [(EXHAUSTED, 10)] * (ATTEMPTS - 1)]
)
def test_a_call_turned_away_is_tried_again(ask: Callable[..., Any], refusals: Any) -> None:
    servicer = Scripted(refusals)
    with serving(servicer) as target:
        ask(target)
    assert len(servicer.calls) == len(refusals) + 1


@RECOMMEND
@pytest.mark.parametrize(
    ("refusals", "attempts"), [([(EXHAUSTED, 1)] * 9, ATTEMPTS), ([(EXHAUSTED, -1)] * 9, 1)], ids=["bounded", "told"]
)
def test_tries_end(ask: Callable[..., Any], refusals: Any, attempts: int) -> None:
    servicer = Scripted(refusals)
    with serving(servicer) as target, pytest.raises(Busy):
        ask(target)
    assert len(servicer.calls) == attempts


@RECOMMEND
def test_a_busy_server_is_asked_again_when_it_says(ask: Callable[..., Any], narrow: str) -> None:
    """It has room again within two seconds, and the call has more."""
    with Advisor(narrow, retries=False) as other, other.analyze(POSITION, "2s", every="10ms") as updates:
        next(updates)
        with pytest.raises(Busy) as caught:
            other.recommend(POSITION, iterations=5)
        assert (caught.value.reason, 0 < (caught.value.retry_after or 0) <= 2) == ("BUSY", True)
        assert ask(narrow, iterations=5).best is not None
        assert [update.final for update in updates][-1]


@ANALYZE
@pytest.mark.parametrize("refusals", [[(UNAVAILABLE, None)] * 6, [(EXHAUSTED, 10)] * (ATTEMPTS - 1)])
def test_a_stream_turned_away_is_tried_again(read: Callable[..., list[Update]], refusals: Any) -> None:
    servicer = Scripted(refusals)
    with serving(servicer) as target:
        assert [update.sequence for update in read(target, ENDLESS)] == [1, 2, 3]
    assert len(servicer.calls) == len(refusals) + 1


@ANALYZE
def test_a_stream_that_has_begun_is_not_tried_again(read: Callable[..., list[Update]]) -> None:
    servicer = Scripted(breaks_after=2)
    with serving(servicer) as target, pytest.raises(Unavailable):
        read(target, ENDLESS)
    assert len(servicer.calls) == 1


def test_a_server_is_waited_for_as_long_as_told_and_no_longer() -> None:
    servicer = Scripted([(UNAVAILABLE, None)] * 2)
    with serving(servicer) as target, Advisor(target, patience=0) as advisor, pytest.raises(Unavailable):
        advisor.recommend(POSITION, "1s")
    assert len(servicer.calls) == 1


def test_a_closed_analysis_is_not_tried_again() -> None:
    servicer = Scripted([(UNAVAILABLE, 60_000)] * 2)
    with serving(servicer) as target, Advisor(target) as advisor, ThreadPoolExecutor(1) as threads:
        updates = advisor.analyze(POSITION, "100s")
        left = threads.submit(list, updates)
        while not servicer.calls:
            time.sleep(0.01)
        updates.close()
        assert left.result() == []
    assert len(servicer.calls) == 1


def test_an_analysis_that_is_closed_while_it_begins_again_ends() -> None:
    with serving(Scripted([(UNAVAILABLE, None)])) as target, Advisor(target) as advisor:
        updates = advisor.analyze(POSITION, "100s")
        begin = updates._begin

        def begin_late(seconds: float) -> Any:
            updates.close()
            return begin(seconds)

        updates._begin = begin_late
        assert list(updates) == []


@pytest.mark.parametrize("wait", [0.0, 0.3])  # in the call, in the pause after it
async def test_a_closed_async_analysis_is_not_tried_again(wait: float) -> None:
    servicer = Scripted([(UNAVAILABLE, 60_000)] * 2)

    async def read(updates: Any) -> list[Update]:
        return [update async for update in updates]

    with serving(servicer) as target:
        async with AsyncAdvisor(target) as advisor:
            updates = advisor.analyze(POSITION, "100s")
            left = asyncio.ensure_future(read(updates))
            while not servicer.calls:
                await asyncio.sleep(0.01)
            await asyncio.sleep(wait)
            updates.close()
            assert await left == []
    assert len(servicer.calls) == 1


async def test_an_async_analysis_whose_reader_was_cancelled_has_not_come_to_its_end(target: str) -> None:
    async with AsyncAdvisor(target) as advisor:
        updates = advisor.analyze(POSITION, "100s", every="50s")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await anext(updates)
        for _ in range(2):
            with pytest.raises(Unavailable, match="was cancelled"):
                await anext(updates)
        updates.close()
        assert [update async for update in updates] == []


def test_no_retries_where_none_are_wanted() -> None:
    servicer = Scripted([(UNAVAILABLE, None)])
    with serving(servicer) as target, Advisor(target, retries=False) as advisor, pytest.raises(Unavailable):
        advisor.recommend(POSITION, "1s")
    assert len(servicer.calls) == 1

"""An analysis engine in this process: it answers its queries, and callers that leave occupy nothing."""

import asyncio
import subprocess
import sys
import time
from collections import Counter
from contextlib import AsyncExitStack, aclosing
from dataclasses import replace
from math import inf, nan
from types import SimpleNamespace
from typing import Any
from weakref import WeakSet

import pytest

from clerestory.engine import GAMES, NATURE, State
from clerestory.search.ismcts import Searcher
from clerestory.search.memory.pages import SPARES, count_spares
from clerestory.search.rates import rates_of
from clerestory.search.result import Result, StopReason
from clerestory.server.analysis import memory
from clerestory.server.analysis.analysis_engine import IDLE_SECONDS, TABLE, AnalysisEngine
from clerestory.server.analysis.answer import Answer
from clerestory.server.analysis.caller import HERE, Caller
from clerestory.server.analysis.capacity import Capacity
from clerestory.server.analysis.demand import Priority
from clerestory.server.analysis.granting import BRIEF_ITERATIONS
from clerestory.server.analysis.limits import Limits
from clerestory.server.analysis.question import Question, validate_query
from clerestory.server.analysis.scheduler import Scheduler
from clerestory.server.rpc.metrics import Metrics
from clerestory.service_errors import Reason, ServiceError
from tests.search.positions import decisions
from tests.server.rpc.harness import LoopClock, opening, until

ENDLESS = Limits(seconds=3600.0, early_stop=False)


def analysis(**limits: Any) -> AnalysisEngine:
    return AnalysisEngine(Capacity(**{"workers": 1} | limits))


def asked(**limits: Any) -> Question:
    return validate_query(opening(), Limits(**limits))


@pytest.mark.parametrize("name", GAMES)
async def test_a_brief_search_needs_no_worker_and_finds_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its tree is small enough to be made at once, and large enough not to change an answer."""
    turns, take_turn = list[object](), Scheduler._take_turn
    monkeypatch.setattr(Scheduler, "_take_turn", lambda *given: turns.append(given) or take_turn(*given))
    limits = Limits(iterations=BRIEF_ITERATIONS, seed=1)
    questions = [validate_query(position, limits) for position in decisions(GAMES[name], 2, 1)[::9]]
    async with analysis() as one:
        brief = [await one.ask(question) for question in questions]
        assert not turns
        monkeypatch.setattr("clerestory.server.analysis.granting.BRIEF_ITERATIONS", 0)
        others = [await one.ask(question) for question in questions]
    assert len(turns) >= len(questions)
    assert [replace(answer.result, elapsed=0.0) for answer in brief] == [
        replace(answer.result, elapsed=0.0) for answer in others
    ]


async def test_a_watched_question_has_growing_answers_and_a_final_one() -> None:
    answers = list[Answer]()
    async with analysis() as one:
        async for answer in one.watch(asked(seconds=3600.0, interval=0.02, early_stop=False)):
            answers.append(answer)
            if len(answers) == 3:
                one.finish()
    assert [answer.final for answer in answers] == [False] * (len(answers) - 1) + [True]
    numbers = [answer.sequence for answer in answers]
    assert numbers == sorted(set(numbers))
    assert len(answers) > 3
    searched = [answer.result.iterations for answer in answers]
    assert searched == sorted(searched)


@pytest.mark.parametrize("certainty", [None, 0.999_999_999])
async def test_a_search_is_paused_and_explained_only_for_answers_that_are_given(
    certainty: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clerestory.server.analysis.reader.LOOK", 0.01)
    seen, explained, glance = list[Result | None](), list[Result](), Scheduler.glance

    async def glanced(*given: Any) -> Result | None:
        seen.append(await glance(*given))
        return seen[-1]

    def told(_view: State, _searcher: Searcher, result: Result) -> Result:
        explained.append(result)
        return result

    monkeypatch.setattr(Scheduler, "glance", glanced)
    monkeypatch.setattr("clerestory.server.analysis.analysis_engine.explain", told)
    limits = Limits(seconds=3600.0, interval=0.3, certainty=certainty, early_stop=False)
    answers = list[Answer]()

    def looks() -> int:
        return sum(result is not None for result in seen)

    async with analysis() as one:
        async for answer in one.watch(validate_query(opening(game="cathedral"), limits)):
            answers.append(answer)
            if len(answers) >= 3 and (certainty is None or looks() > len(answers)):
                one.finish()
    assert len(explained) == len(answers)
    assert (looks() == len(answers) - 1) == (certainty is None)


async def test_a_slow_reader_of_the_final_answer_holds_no_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    made = WeakSet[Searcher]()

    class ReferencedSearcher(Searcher):
        """A search that supports weak references."""

    def new_searcher(question: Question, size: int) -> Searcher:
        made.add(searcher := ReferencedSearcher(question.root, seed=1, max_bytes=size))
        return searcher

    monkeypatch.setattr(memory, "new_searcher", new_searcher)
    async with analysis() as one:
        free = one._trees._memory.take(1 << 40)
        one._trees._memory.give_back(free)
        async with aclosing(one.watch(asked(iterations=100, interval=3600.0, early_stop=False))) as answers:
            assert (await anext(answers)).final
            assert one._trees._memory.take(1 << 40) == free
            await until(lambda: not made)


async def test_a_stream_whose_search_has_ended_slows_no_other() -> None:
    async with analysis() as one, AsyncExitStack() as stack:
        streams = [
            await stack.enter_async_context(aclosing(one.watch(validate_query(opening(), ENDLESS)))) for _ in range(3)
        ]
        for stream in streams:
            await anext(stream)
        assert one._table_time == 3 * TABLE
        for search in list(one.scheduler._searches.values())[1:]:
            one.scheduler.end(search, StopReason.TIME)
        await until(lambda: one.scheduler.admitted == 1)
        assert one._table_time == TABLE


async def test_a_search_with_a_slow_reader_gives_back_its_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader's time does not count as time taken by the server."""
    ahead = 0.0
    monkeypatch.setattr(
        "clerestory.server.analysis.reader.time", SimpleNamespace(monotonic=lambda: time.monotonic() + ahead)
    )
    told = Metrics()
    watched = asked(seconds=3600.0, interval=0.01, early_stop=False)

    def count(asker: str, answer: Answer) -> None:
        told.count_answer(asker, answer, time.monotonic() + ahead)

    async with AnalysisEngine(Capacity(workers=1), count) as one, aclosing(one.watch(watched)) as answers:
        await anext(answers)
        assert one._trees._memory._extra > 0
        one.finish()
        await until(lambda: one._trees._memory._extra == 0)
        ahead = 7200.0
        last = await anext(answers)
    assert last.final
    assert last.due > ahead
    value = told.registry.get_sample_value
    assert value("clerestory_budget_used_seconds_bucket", {"method": "", "le": "60.0"}) == 1
    assert value("clerestory_deadline_margin_seconds_bucket", {"method": "", "le": "0.0"}) == 0


async def test_a_whole_question_gets_all_its_iterations_beside_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clerestory.server.analysis.analysis_engine.TURN", 0.1)
    async with analysis() as one:
        other = asyncio.ensure_future(one.ask(validate_query(opening(), ENDLESS)))
        await until(lambda: one.scheduler.running == 1)
        plain = validate_query(opening(game="cathedral"), Limits(iterations=500, seed=1, max_tree_bytes=1 << 20))
        whole = Question(root=plain.root, limits=plain.limits, seat=plain.seat, whole=True)
        answer = await one.ask(whole)
        other.cancel()
    assert (answer.result.iterations, answer.result.seed) == (500, 1)


async def test_a_whole_question_ends_when_its_tree_can_count_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "new_searcher", lambda question, _: Searcher(question.root, seed=1, max_visits=500))
    plain = asked(iterations=2000)
    async with analysis() as one:
        answer = await one.ask(Question(root=plain.root, limits=plain.limits, seat=plain.seat, whole=True))
    assert answer.result.iterations == 500


async def test_parts_of_one_origin_find_places_and_have_their_own_trees() -> None:
    async with analysis(max_searches=4) as one:
        x, y = Caller("maker", "game:x"), Caller("maker", "game:y")
        many = [asyncio.ensure_future(one.ask(validate_query(opening(), ENDLESS), one.admit(x))) for _ in range(4)]
        await until(lambda: one.scheduler.admitted == 4)
        with pytest.raises(ServiceError) as caught:
            one.admit(x)
        assert caught.value.reason == Reason.BUSY
        answer = await one.ask(asked(iterations=400, game_id="g", early_stop=False), one.admit(y))
        assert answer.result.iterations == 400
        for task in many:
            task.cancel()
        await until(lambda: one.scheduler.admitted == 0)
        again = [await one.ask(asked(iterations=10, game_id="g"), one.admit(part)) for part in (x, y)]
    assert [answer.result.reused_iterations > 0 for answer in again] == [False, True]


REFUSED: list[tuple[Reason, str, dict[str, Any], dict[str, Any]]] = [
    (Reason.BAD_TIME_BUDGET, "seconds", {}, {}),
    (Reason.BAD_TIME_BUDGET, "seconds", {"seconds": 0.0}, {}),
    (Reason.BAD_TIME_BUDGET, "seconds", {"seconds": nan}, {}),
    (Reason.BAD_LEVEL, "level", {"iterations": 1, "level": 9}, {}),
    (Reason.BAD_UPDATE_INTERVAL, "interval", {"iterations": 1, "interval": 0.0}, {}),
    *(
        (Reason.BAD_TARGET_CERTAINTY, "certainty", {"iterations": 1, "certainty": certainty}, {})
        for certainty in (nan, inf, -inf, 5e-324, 1.0)
    ),
    (Reason.BAD_SEAT, "seat", {"iterations": 1}, {"seat": -1}),
    (Reason.BAD_SEAT, "observer", {"iterations": 1}, {"observer": NATURE - 1}),
    (Reason.BAD_CONSIDER_ACTIONS, "consider[0]", {"iterations": 1}, {"consider": ["nothing"]}),
]


@pytest.mark.parametrize(("reason", "blamed", "limits", "more"), REFUSED)
def test_a_fault_names_its_field(reason: Reason, blamed: str, limits: dict[str, Any], more: dict[str, Any]) -> None:
    with pytest.raises(ServiceError) as caught:
        validate_query(opening(), Limits(**limits), **more)
    assert caught.value.reason == reason
    assert [name for name, _ in caught.value.faults] == [blamed]
    assert str(caught.value).startswith(f"{blamed}: ")


async def test_an_engine_that_shuts_down_gives_the_reason() -> None:
    """Also after a second shutdown, as by `close`, while a worker has not yet seen the end of its search."""
    async with analysis() as one:
        asking = asyncio.ensure_future(one.ask(validate_query(opening(), ENDLESS)))
        await until(lambda: one.scheduler.running == 1)
        one.finish()
        one.finish()
        answer = await asking
        with pytest.raises(ServiceError) as caught:
            await one.ask(asked(iterations=1))
    assert caught.value.reason == Reason.FINISHING
    assert [name for name, _ in answer.remarks if name == "FINISHING"]


async def test_answers_without_a_reader_are_not_explained() -> None:
    question = asked(iterations=300, seconds=60.0, early_stop=False)
    async with analysis() as one, one.place(HERE, Priority.MOVE, 60.0) as admitted:
        read, unread = await one.ask(question), await one.ask(question, admitted()[0])
    assert (read.explained, unread.explained) == (True, False)


async def test_background_searches_begin_one_in_each_round_of_the_event_loop() -> None:
    rounds, begun = 0, list[int]()

    async def begin(number: int) -> None:
        async with one.place(Caller(str(number)), Priority.MOVE, 60.0):
            begun.append(rounds)

    async with analysis() as one:
        beginning = asyncio.gather(*map(begin, range(20)))
        while not beginning.done():
            await asyncio.sleep(0)
            rounds += 1
        await beginning
    assert len(begun) == 20
    assert max(Counter(begun).values()) <= 2  # the first turn is available at once


def test_answering_a_move_imports_no_review() -> None:
    code = "import sys, clerestory.server.rpc.service; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not [name for name in done.stdout.split() if "review" in name]


async def test_spare_memory_is_released_once_nothing_has_been_asked_for_long() -> None:
    clock = LoopClock()
    async with analysis() as engine:
        await engine.ask(asked(iterations=1000))
        await until(lambda: count_spares() > 0 or not SPARES)
        clock.advance(IDLE_SECONDS / 2)
        await engine.ask(asked(iterations=1000))
        clock.advance(IDLE_SECONDS / 2)
        await asyncio.sleep(0.01)
        await until(lambda: count_spares() > 0 or not SPARES)
        clock.advance(IDLE_SECONDS / 2)
        await until(lambda: count_spares() == 0)


async def test_rates_are_estimated_on_request_beside_a_search_that_is_otherwise_the_same() -> None:
    view, limits = opening(game="cathedral"), Limits(iterations=26_000, seed=1, early_stop=False)
    async with analysis() as one:
        plain = await one.ask(validate_query(view, limits))
        rated, again = [await one.ask(validate_query(view, replace(limits, rates=True))) for _ in range(2)]
    assert plain.rates == ()
    assert rated.lines == plain.lines
    assert [rate.good for rate in rated.rates] == [good.name for good in view.game.layout.goods]
    assert rated.rates == again.rates == rates_of(rated.question.root, 26_000, 1)
    assert {rate.good for rate in rated.rates if not rate.amount} == {"vp", "workers"}  # impossible in round 1
    assert rated.remarks == plain.remarks


async def test_a_search_too_short_for_rates_says_so() -> None:
    async with analysis() as one:
        answer = await one.ask(validate_query(opening(game="cathedral"), Limits(iterations=5000, seed=1, rates=True)))
    assert answer.rates == ()
    assert [name for name, _ in answer.remarks] == ["FEW_ITERATIONS"]


async def test_tables_of_a_stream_have_the_rates_so_far() -> None:
    question = validate_query(opening(), Limits(seconds=3600.0, interval=0.01, early_stop=False, rates=True))
    async with analysis() as one:
        answers = list[Answer]()
        async for answer in one.watch(question):
            answers.append(answer)
            if answer.rates:
                one.finish()
    assert answers[-1].final
    assert [rate.good for rate in answers[-1].rates] == ["points"]

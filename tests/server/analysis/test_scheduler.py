"""Many searches take turns; a caller that leaves frees the resources of its search."""

import asyncio
import re
import threading
import time
from collections import Counter
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import grpc
import pytest

from clerestory.search.ismcts import Searcher
from clerestory.search.result import Result
from clerestory.search.root import Root, observe
from clerestory.server.analysis import memory, policy, scheduler
from clerestory.server.analysis.active_search import ActiveSearch
from clerestory.server.analysis.analysis_engine import AnalysisEngine
from clerestory.server.analysis.answer import Answer
from clerestory.server.analysis.caller import Caller
from clerestory.server.analysis.capacity import Capacity
from clerestory.server.analysis.demand import Priority
from clerestory.server.analysis.lazy import LazySearcher
from clerestory.server.analysis.limits import Limits
from clerestory.server.analysis.question import Question, validate_query
from clerestory.service_errors import Reason, ServiceError
from clerestory.v1.advisor_pb2 import STOP_REASON_ITERATIONS, AnalyzeRequest
from tests.parts import missing
from tests.server.rpc.harness import (
    HOUR,
    Served,
    assert_reason,
    long_question,
    opening,
    question,
    refusal,
    served,
    until,
)

ENDLESS = Limits(seconds=3600.0, early_stop=False)


async def endless(analysis: AnalysisEngine, caller: Caller) -> Answer:
    return await analysis.ask(validate_query(opening(), ENDLESS), analysis.admit(caller))


async def test_a_search_that_is_left_is_stopped_in_its_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = threading.Event()

    class StoppableSearcher(Searcher):
        def stop(self) -> None:
            stopped.set()
            super().stop()

    monkeypatch.setattr(memory, "Searcher", StoppableSearcher)
    async with AnalysisEngine(Capacity(workers=1)) as analysis:
        asking = asyncio.ensure_future(endless(analysis, Caller("one")))
        await until(lambda: analysis.scheduler.running == 1)
        asking.cancel()
        await until(lambda: analysis.scheduler.admitted == 0)
    assert stopped.is_set()


def turns() -> Counter[int]:
    """Count the threads of this process by the length of their time slices, in nanoseconds."""
    found = Counter[int]()
    for file in Path("/proc/self/task").glob("*/sched"):
        with suppress(OSError):  # it may have ended meanwhile
            found.update(int(ns) for ns in re.findall(r"^se.slice +: +(\d+)$", file.read_text(), re.MULTILINE))
    return found


@pytest.mark.system
async def test_searching_threads_have_short_turns_of_the_processor() -> None:
    """A cancelled search therefore sees the cancellation soon."""
    before = turns()
    if not before:
        missing("/proc/self/sched with the slices of threads", "a kernel with CONFIG_SCHED_DEBUG, 6.12 or later")
    async with AnalysisEngine(Capacity(workers=2)):
        await until(lambda: (turns() - before)[round(1e9 * scheduler.TURN)] == 2)  # each requests it when started
    assert scheduler.TURN < policy.SLICE


async def test_searches_that_take_turns_find_what_each_finds_alone() -> None:
    questions = [question(iterations=3000, seed=seed) for seed in range(6)]
    async with served(workers=2, max_time=3600.0) as server:
        alone = [await server.advisor.RecommendMove(one) for one in questions]
        together = await asyncio.gather(*(server.advisor.RecommendMove(one) for one in questions))
    assert [answer.lines for answer in alone] == [answer.lines for answer in together]


@pytest.mark.parametrize("threads", [None, 1, 2, 3])
async def test_the_iterations_of_all_threads_are_those_asked_for(threads: int | None) -> None:
    asked = {} if threads is None else {"threads": threads}
    async with served(workers=3, max_time=3600.0) as server:
        answers = [await server.advisor.RecommendMove(question(iterations=5000, seed=1, **asked)) for _ in range(2)]
    for answer in answers:
        assert (answer.statistics.iterations, answer.statistics.stop_reason) == (5000, STOP_REASON_ITERATIONS)
        assert sum(line.visits for line in answer.lines) == 5000
        assert 1 <= answer.statistics.threads <= (threads or 1)
        assert answer.statistics.threads == 1 or not answer.reproducible
    if threads in (None, 1):
        assert answers[0].lines == answers[1].lines
        assert answers[0].reproducible


async def test_idle_workers_help_any_search(monkeypatch: pytest.MonkeyPatch) -> None:
    helping = threading.Event()

    class Watched(Searcher):
        def step(self, *args, **options):  # type: ignore[no-untyped-def]
            reason, iterations = super().step(*args, **options)
            if iterations and options.get("thread"):
                helping.set()
            return reason, iterations

    monkeypatch.setattr(memory, "Searcher", Watched)
    async with served(workers=3) as server:
        call = server.advisor.RecommendMove(long_question())
        await until(lambda: helping.is_set() and server.app.scheduler.running == 1)
        server.app.scheduler.finish()
        answer = await call
    assert answer.statistics.threads > 1
    assert not answer.reproducible
    assert sum(line.visits for line in answer.lines) == answer.statistics.iterations


async def test_a_search_without_memory_is_turned_away(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(memory, "Searcher", Mock(side_effect=MemoryError("no memory for a tree of 1 MB")))
        error = await refusal(server.advisor.RecommendMove(question(iterations=10)))
    answer = await server.advisor.RecommendMove(question(iterations=10))
    assert error.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "memory" in error.details()
    assert answer.statistics.iterations == 10


UNLUCKY = "unlucky"  # a game id


class FaultySearcher(Searcher):
    slices = 0

    def step(self, *args, **options):  # type: ignore[no-untyped-def]
        self.slices += 1
        if self.slices == 3:
            raise ArithmeticError("the search went wrong")
        return super().step(*args, **options)


def go_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every search with the seed 13 or the game id UNLUCKY fail."""
    sound = memory.new_searcher

    def make(question: Question, *given: Any) -> Searcher:
        fails = question.limits.seed == 13 or question.limits.game_id == UNLUCKY
        return FaultySearcher(question.root, seed=13) if fails else sound(question, *given)

    monkeypatch.setattr(memory, "new_searcher", make)


async def read_all(stream: Any) -> None:
    async for _ in stream:
        pass


async def test_a_search_that_goes_wrong_harms_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(workers=2) as server:
        with monkeypatch.context() as patch:
            go_wrong(patch)
            sound = [server.advisor.RecommendMove(question(iterations=5000, seed=seed)) for seed in range(3)]
            asked = [*[question(time_budget=HOUR, seed=13)] * 5, question(time_budget=HOUR, game_id=UNLUCKY)]
            stream = server.advisor.Analyze(AnalyzeRequest(question=asked[0]))
            for call in [*(server.advisor.RecommendMove(one) for one in asked), read_all(stream)]:
                assert_reason(await refusal(call), Reason.INTERNAL)
            answers = [await call for call in sound]
            assert server.app.scheduler.admitted == 0
        after = await server.advisor.RecommendMove(question(iterations=10, game_id=UNLUCKY))
    assert {answer.statistics.iterations for answer in answers} == {5000}
    assert after.statistics.reused_iterations == 0  # the tree of a failed search is not kept


async def test_a_search_rests_while_it_is_explained_even_if_nobody_waits_for_that() -> None:
    """Neither a worker nor another query may continue it: both would move memory that is being read."""
    reading, go_on = threading.Event(), threading.Event()

    def explain(result: Result) -> Result:
        reading.set()
        go_on.wait()
        return result

    root = observe(opening())
    searcher = Searcher(root, seed=1)

    def submit(analysis: AnalysisEngine, searcher: Searcher, iterations: int | None) -> ActiveSearch:
        limits, now = Limits(iterations=iterations), time.monotonic()
        asked = Question(root=root, limits=limits)
        search = ActiveSearch(asked, LazySearcher(lambda: searcher), limits, now, now + 3600.0)
        analysis.scheduler.submit(search, analysis.admit(Caller("one")))
        return search

    async with AnalysisEngine(Capacity(workers=1)) as analysis:
        search = submit(analysis, searcher, None)
        await until(lambda: search.began is not None)
        glance = asyncio.ensure_future(analysis.scheduler.glance(search, explain))
        try:
            await until(reading.is_set)
            made = searcher.iterations
            glance.cancel()
            await asyncio.wait([glance])
            other = submit(analysis, Searcher(root, seed=2), 10)
            await analysis.scheduler.result(other, None)  # so the only worker has had another turn
            assert searcher.iterations == made
            with pytest.raises(RuntimeError, match="held"):
                searcher.advance(root)
        finally:
            go_on.set()
        await until(lambda: can_advance(searcher, root))


def can_advance(searcher: Searcher, root: Root) -> bool:
    with suppress(RuntimeError):
        searcher.advance(root)
        return True
    return False


async def test_bots_wait_for_a_place_and_callers_without_a_search_do_not() -> None:
    async with served(max_searches=4) as server:
        analysis, began = server.app.analysis, list[int]()

        async def think(game: int) -> None:
            caller = Caller(f"maker {game % 5}", f"game:{game}")
            async with analysis.place(caller, Priority.MOVE, 3600.0) as admitted:
                began.append(game)
                await analysis.ask(validate_query(opening(), ENDLESS), admitted()[0])

        bots = [asyncio.ensure_future(think(game)) for game in range(100)]
        await until(lambda: server.app.scheduler.admitted == 2)
        answers = [await server.advisor.RecommendMove(question(iterations=300)) for _ in range(10)]
        assert {answer.statistics.iterations for answer in answers} == {300}
        assert began == [0, 1]
        await until(lambda: server.app.scheduler.waiting == 98)
        for task in bots[:2]:
            task.cancel()
        await until(lambda: len(began) == 4)
        for task in bots:
            task.cancel()
        await asyncio.wait(bots)
        assert server.app.scheduler.waiting == 0


async def test_a_search_that_is_in_the_way_of_a_shorter_one_goes_on_later_with_its_tree() -> None:
    async with served(max_searches=1) as server:
        analysis, scheduler = server.app.analysis, server.app.scheduler

        async def think() -> Answer:
            async with analysis.place(Caller("one"), Priority.MOVE, 3600.0) as admitted:
                return await analysis.ask(validate_query(opening(), ENDLESS), admitted()[0])

        thinking = asyncio.ensure_future(think())
        await until(lambda: scheduler.running == 1)
        [search] = scheduler._searches.values()
        await until(lambda: search.searcher.iterations > 0)
        async with analysis.place(Caller("other"), Priority.MOVE, 60.0) as admitted:
            await until(lambda: search.resting)
            made = search.searcher.iterations
            await analysis.ask(validate_query(opening(), Limits(iterations=50_000, early_stop=False)), admitted()[0])
            assert made == search.searcher.iterations
        await until(lambda: search.searcher.iterations > made)
        scheduler.finish()
        assert (await thinking).result.iterations > made


async def test_a_search_that_is_asked_for_after_its_place_was_taken_begins_once_it_has_one_again() -> None:
    async with served(max_searches=1) as server:
        analysis, short = server.app.analysis, validate_query(opening(), Limits(iterations=1000, early_stop=False))
        async with analysis.place(Caller("one"), Priority.MOVE, 3600.0) as late:
            admission = late()[0]
            async with analysis.place(Caller("other"), Priority.MOVE, 60.0) as admitted:
                asking = asyncio.ensure_future(analysis.ask(short, admission))
                await until(lambda: server.app.scheduler.admitted == 1)
                await analysis.ask(short, admitted()[0])
                assert not asking.done()
            assert (await asking).result.iterations == 1000


async def test_the_background_waits_until_a_worker_is_idle(server: Served) -> None:
    analysis = server.app.analysis
    call = asyncio.ensure_future(endless(analysis, Caller("one")))
    await until(lambda: server.app.scheduler.running == 1)
    held = AsyncExitStack()
    waiting = [
        asyncio.ensure_future(
            held.enter_async_context(analysis.place(Caller(origin, "bots"), Priority.BACKGROUND, 60.0))
        )
        for origin in ("one", "other")
    ]
    async with analysis.place(Caller("one"), Priority.MOVE, 60.0):
        assert not any(task.done() for task in waiting)
    call.cancel()
    await asyncio.gather(*waiting)
    await held.aclose()


async def test_a_search_has_no_tree_before_its_turn_and_a_worker_makes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    made, sound = list[str](), memory.new_searcher

    def make(question: Question, size: int) -> Searcher:
        made.append(threading.current_thread().name)
        return sound(question, size)

    monkeypatch.setattr(memory, "new_searcher", make)
    async with served() as server:
        calls = [server.advisor.RecommendMove(long_question()) for _ in range(3)]
        await until(lambda: len(made) == 3)
        for call in calls:
            call.cancel()
        await until(lambda: server.app.scheduler.admitted == 0)
    assert set(made) == {"search-0"}


async def test_waiting_for_a_place_ends_when_the_server_shuts_down() -> None:
    async with served(max_searches=1) as server:
        analysis = server.app.analysis
        call = asyncio.ensure_future(endless(analysis, Caller("one")))
        await until(lambda: server.app.scheduler.admitted == 1)
        place = analysis.place(Caller("one"), Priority.BACKGROUND, 60.0)
        waiting = asyncio.ensure_future(place.__aenter__())
        await asyncio.sleep(0)
        server.app.scheduler.finish()
        with pytest.raises(ServiceError) as caught:
            await waiting
        assert caught.value.reason == Reason.FINISHING
        await call

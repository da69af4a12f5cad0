"""A review by an analysis engine equals the one made search by search, and is streamed as it is made."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from clerestory.engine import Rng, State
from clerestory.figures import Rollouts
from clerestory.search.ismcts import Searcher
from clerestory.search.review import ReviewPlan, annotate
from clerestory.search.review.annotating import answered
from clerestory.search.review.course import plies_of
from clerestory.search.review.rollouts import FEWEST, estimate, paired
from clerestory.search.review.words import SHOWN, rolled
from clerestory.server.analysis import AnalysisEngine, Capacity
from clerestory.server.analysis.caller import Caller
from clerestory.server.analysis.memory import Trees
from clerestory.server.analysis.question import Question
from clerestory.server.analysis.reviewer import Reviewer
from clerestory.server.analysis.reviews import ReviewStep, ReviewTerms, review
from clerestory.service_errors import Reason, ServiceError
from tests.search.review.games import cut, random_game
from tests.server.rpc.harness import until

HOUR = 3600.0


def be_brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """End the time for an error's rollouts at once."""
    rolled_out = Reviewer.rolled_out

    async def brief(self: Reviewer, root: Any, one: Any, plan: Any, share: float, *rest: Any) -> Rollouts | None:
        return await rolled_out(self, root, one, plan, share - HOUR, *rest)

    monkeypatch.setattr(Reviewer, "rolled_out", brief)


QUICK = ReviewTerms(iterations=60, seed=3)
PLAN = ReviewPlan(iterations=60, seed=3)


@asynccontextmanager
async def reviewing(workers: int = 2) -> AsyncIterator[Reviewer]:
    async with AnalysisEngine(Capacity(workers=workers)) as analysis:
        yield Reviewer(analysis)


async def steps_of(end: State, terms: ReviewTerms, workers: int = 2) -> list[ReviewStep]:
    async with reviewing(workers) as reviewer:
        return [step async for step in review(reviewer, end, terms)]


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize(
    "end", [random_game("toy", 3, 2), cut(random_game("duel", 2, 1), 30)], ids=["over", "not over"]
)
async def test_it_is_the_review_of_one_search_after_the_other(end: State, workers: int) -> None:
    *_, last = await steps_of(end, QUICK, workers)
    assert last.review == annotate(end, PLAN)


async def test_every_ply_is_sent_once_and_the_whole_review_last() -> None:
    end = random_game("toy", 2, 1)
    *steps, last = await steps_of(end, QUICK)
    valuations = annotate(end, PLAN).valuations
    assert sorted((one for step in steps for one in step.plies), key=lambda one: one.ply) == list(valuations)
    assert [step.review for step in steps] == [None] * len(steps)
    assert (last.done, last.total) == (len(valuations), len(valuations))


async def test_a_review_in_a_given_time_begins_with_a_sketch() -> None:
    """Its plies are valued again, with as many iterations as fit."""
    end = random_game("toy", 2, 1)
    for terms in (ReviewTerms(seconds=0.001), ReviewTerms(iterations=250, sketch=True)):
        first, *_, last = await steps_of(end, terms)
        assert first.sketch
        assert last.review is not None
        assert last.review.plan.iterations == (terms.iterations or 50)
    assert not any(step.sketch for step in await steps_of(end, ReviewTerms(iterations=200, sketch=True)))


def test_a_time_becomes_iterations_by_the_speed_of_the_sketch() -> None:
    """The sketch takes a second, which leaves nine, minus a reserve of a tenth, for reviews of 200 iterations."""
    terms = ReviewTerms(seconds=10.0, most=200_000)
    assert [terms.fitting(took) for took in (1.0, 20.0, 1e-6)] == [1620, 50, 200_000]


async def test_the_worst_errors_are_played_on(monkeypatch: pytest.MonkeyPatch) -> None:
    be_brief(monkeypatch)
    end = random_game("toy", 2, 1)
    steps = await steps_of(end, replace(QUICK, deep=HOUR))
    plain, deep = annotate(end, PLAN), steps[-1].review
    worst = plain.errors()[:SHOWN]
    assert worst
    assert deep is not None
    assert deep.unrolled == 0
    assert [(step.done, step.total) for step in steps if step.deepening] == [(i, len(worst)) for i in range(len(worst))]
    assert {ply: found.pairs for ply, found in deep.rollouts.items()} == {one.ply: FEWEST for one in worst}
    assert deep.accounts == plain.accounts  # the ledger is unchanged
    roots, seeds = {ply.number: ply.root for ply in plies_of(end)}, Rng(PLAN.seed_of(worst[0].ply, 2))
    root = roots[worst[0].ply]
    assert root is not None
    pairs = [answered(paired(root, worst[0], PLAN, seeds.next())) for _ in range(FEWEST)]
    assert deep.rollouts[worst[0].ply] == estimate(pairs)
    assert rolled(deep, worst[0]).startswith("Played to the end: ")
    assert rolled(plain, worst[0]) == ""
    moves = {move["ply"]: move for move in deep.to_dict()["moves"]}
    assert moves[worst[0].ply]["rollouts"]["pairs"] == FEWEST


class SlowReviewer(Reviewer):
    """A reviewer whose rollouts end without a game, `ends` of them in time; the others take too long.

    Those wait until the time is over, or report at once that it is.
    """

    ends = 0
    waits = False

    async def answered(self, searches: Any, caller: Caller) -> Any:
        if searches.__name__ != "paired":
            return await super().answered(searches, caller)
        self.ends -= 1
        if self.ends < 0 and self.waits:
            await asyncio.Event().wait()
        if self.ends < 0:
            raise TimeoutError
        return 0.5, 0.0


@pytest.mark.parametrize(
    ("ends", "waits", "deep", "pairs"),
    [(0, True, 0.01, 0), (FEWEST - 1, False, HOUR, 0), (FEWEST, False, HOUR, FEWEST)],
)
async def test_rollouts_that_take_too_long_are_given_up(ends: int, waits: bool, deep: float, pairs: int) -> None:
    """Even a server so busy that they would never end sends the ledger, with the rollouts that were sufficient."""
    end = random_game("toy", 2, 1)
    async with AnalysisEngine(Capacity(workers=2)) as analysis:
        reviewer = SlowReviewer(analysis)
        reviewer.ends, reviewer.waits = ends, waits
        *_, last = [step async for step in review(reviewer, end, replace(QUICK, deep=deep))]
    plain = annotate(end, PLAN)
    assert last.review is not None
    found = {ply: rollouts.pairs for ply, rollouts in last.review.rollouts.items()}
    assert found == ({plain.errors()[0].ply: pairs} if pairs else {})
    assert last.review.unrolled == len(plain.errors()[:SHOWN]) - len(found)
    assert replace(last.review, rollouts={}, unrolled=0) == plain


async def test_leaving_a_review_ends_its_searches() -> None:
    async with AnalysisEngine(Capacity(workers=2)) as analysis:
        steps = review(Reviewer(analysis), random_game("duel", 2, 1), ReviewTerms(iterations=10_000_000))
        going = asyncio.ensure_future(anext(steps))
        await until(lambda: analysis.scheduler.admitted > 0)
        going.cancel()
        await asyncio.gather(going, return_exceptions=True)
        await until(lambda: analysis.scheduler.admitted == 0)


async def test_a_review_may_be_left_between_two_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clerestory.server.analysis.reviews.EVERY", 0.001)
    async with AnalysisEngine(Capacity(workers=2)) as analysis:
        steps = review(Reviewer(analysis), random_game("duel", 2, 1), ReviewTerms(iterations=2000))
        async with aclosing(steps):
            assert not (await anext(steps)).review
        await until(lambda: analysis.scheduler.admitted == 0)


async def test_reviews_that_wait_for_their_turns_open_only_a_few_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """One at a time for each caller: there is one worker, and memory for one tree."""
    opened, most = Counter[str](), Counter[str]()

    class CountedTrees(Trees):
        @asynccontextmanager
        async def open(self, question: Question, caller: Caller) -> AsyncIterator[Searcher]:
            async with super().open(question, caller) as searcher:
                opened[caller.origin] += 1
                most[caller.origin] = max(most[caller.origin], opened[caller.origin])
                try:
                    yield searcher
                finally:
                    opened[caller.origin] -= 1

    monkeypatch.setattr("clerestory.server.analysis.analysis_engine.Trees", CountedTrees)
    end = random_game("toy", 2, 1)
    async with AnalysisEngine(Capacity(workers=1, memory=1 << 26)) as analysis:
        reviewer = Reviewer(analysis)

        async def last(caller: Caller) -> Any:
            *_, step = [step async for step in review(reviewer, end, QUICK, caller)]
            return step.review

        found = await asyncio.gather(*(last(Caller(f"caller {number % 2}")) for number in range(6)))
    assert found == [annotate(end, PLAN)] * 6
    assert most == {"caller 0": 1, "caller 1": 1}


async def test_a_seat_that_the_game_does_not_have_cannot_judge() -> None:
    with pytest.raises(ServiceError) as caught:
        await steps_of(random_game("toy", 2, 1), ReviewTerms(viewer=2))
    assert (caught.value.reason, caught.value.faults[0][0]) == (Reason.BAD_SEAT, "viewer")

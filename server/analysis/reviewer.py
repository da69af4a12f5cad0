"""Runs the searches of reviews at the lowest priority, each with all its iterations."""

import asyncio
import time
from collections.abc import Generator
from contextlib import suppress
from typing import TypeVar

from clerestory.engine.core import NATURE
from clerestory.engine.rng import Rng
from clerestory.figures import Rollouts
from clerestory.search.result import Result
from clerestory.search.review.ledger import PlyValuation
from clerestory.search.review.plan import ReviewPlan
from clerestory.search.review.rollouts import FEWEST, estimate, paired
from clerestory.search.review.study import SearchTask, compared
from clerestory.search.root import Root
from clerestory.server.analysis.admission import Admission
from clerestory.server.analysis.analysis_engine import AnalysisEngine
from clerestory.server.analysis.caller import Caller
from clerestory.server.analysis.demand import Priority
from clerestory.server.analysis.limits import Limits
from clerestory.server.analysis.question import Question

T = TypeVar("T")
Searches = Generator[SearchTask, Result, T]


class Reviewer:
    """Runs the searches of reviews.

    Args:
        analysis: the analysis engine.
    """

    def __init__(self, analysis: AnalysisEngine) -> None:
        self._analysis = analysis

    @property
    def workers(self) -> int:
        """The number of plies that can be studied at once."""
        return self._analysis.workers

    def require_place(self, caller: Caller) -> None:
        """Raise ServiceError if a review would find no slot for its searches: BUSY, FINISHING."""
        self._analysis.admit(caller, Priority.BACKGROUND)

    async def answered(self, searches: Searches[T], caller: Caller) -> T:
        """Run the searches of a study, and return its result. Raises ServiceError: FINISHING."""
        try:
            task = next(searches)
            while True:
                task = searches.send(await self.search(task, caller))
        except StopIteration as end:
            value: T = end.value
            return value

    async def rolled_out(
        self, root: Root, one: PlyValuation, plan: ReviewPlan, share: float, end: float, caller: Caller
    ) -> Rollouts | None:
        """Return the result of rollouts from an error; None if too few end in time.

        Args:
            root: the position before the error.
            one: the error.
            plan: the plan of the review.
            share: time after which only the minimum number is started, by time.monotonic.
            end: time at which running rollouts are abandoned, by time.monotonic.
            caller: the caller.

        Raises ServiceError: FINISHING.
        """
        seeds, pairs = Rng(plan.seed_of(one.ply, 2)), list[tuple[float, float]]()
        with suppress(TimeoutError):
            async with asyncio.timeout(end - time.monotonic()):
                while len(pairs) < FEWEST or time.monotonic() < share:
                    pairs += await self._wave(root, one, plan, seeds, caller)
        return estimate(pairs) if len(pairs) >= FEWEST else None

    async def _wave(
        self, root: Root, one: PlyValuation, plan: ReviewPlan, seeds: Rng, caller: Caller
    ) -> list[tuple[float, float]]:
        """Return the results of as many rollouts as can run at once. Raises ServiceError: FINISHING."""
        wave = [
            asyncio.ensure_future(self.answered(paired(root, one, plan, seeds.next()), caller))
            for _ in range(max(self.workers, 2))
        ]
        try:
            return await asyncio.gather(*wave)
        finally:
            for going in wave:
                going.cancel()

    async def search(self, task: SearchTask, caller: Caller) -> Result:
        """Return the result of a search with all its iterations. Raises ServiceError: FINISHING."""
        admission = Admission(caller, Priority.BACKGROUND, time.monotonic(), None)
        return (await self._analysis.ask(question_of(task), admission)).result


def question_of(task: SearchTask) -> Question:
    """Return the query for a search task."""
    return Question(
        root=task.root,
        limits=Limits(iterations=task.iterations, seed=task.seed, max_tree_bytes=task.tree_bytes),
        seat=None if task.root.seat == NATURE else task.root.seat,
        whole=True,
        options=task.options,
        explain=lambda searcher, result: compared(searcher, task, result),
    )

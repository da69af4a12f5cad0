"""Reviews by an analyst: their searches come after all others, but each gets all its iterations."""

import asyncio
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeVar

from clerestory.advice.analyst import Admission, Analyst
from clerestory.advice.caller import Caller
from clerestory.advice.demand import Priority
from clerestory.advice.question import Question, Terms
from clerestory.engine.core import NATURE
from clerestory.engine.rng import Rng
from clerestory.review.course import Ply
from clerestory.review.ledger import PlyValuation, Shares
from clerestory.review.plan import ReviewPlan
from clerestory.review.rollouts import FEWEST, Rollouts, estimate, paired
from clerestory.review.study import SearchTask, compared, study, value_of
from clerestory.search.result import Result
from clerestory.search.root import Root

TURN = 10.0  # seconds after which a search delayed by others is submitted again

T = TypeVar("T")
Searches = Generator[SearchTask, Result, T]


class Reviewer:
    """Runs the searches of reviews.

    Args:
        analyst: who makes them.
    """

    def __init__(self, analyst: Analyst) -> None:
        self._analyst = analyst

    @property
    def workers(self) -> int:
        """Number of plies that can be studied at once."""
        return self._analyst.workers

    def require_place(self, caller: Caller) -> None:
        """Refuse a review if there is no place for a search. Raises Refusal: BUSY, FINISHING."""
        self._analyst.admit(caller, Priority.BACKGROUND)

    async def answered(self, searches: Searches[T], caller: Caller) -> T:
        """Run the searches of a study, and return its result. Raises Refusal, FINISHING."""
        try:
            task = next(searches)
            while True:
                task = searches.send(await self.search(task, caller))
        except StopIteration as end:
            value: T = end.value
            return value

    async def rolled_out(
        self, root: Root, one: PlyValuation, plan: ReviewPlan, deadline: float, caller: Caller
    ) -> Rollouts:
        """Return the result of rollouts of an error, as many as fit until a reading of time.monotonic.

        Raises Refusal, FINISHING.
        """
        seeds, pairs = Rng(plan.seed_of(one.ply, 2)), list[tuple[float, float]]()
        while len(pairs) < FEWEST or time.monotonic() < deadline:
            wave = [
                asyncio.ensure_future(self.answered(paired(root, one, plan, seeds.next()), caller))
                for _ in range(max(self.workers, 2))
            ]
            try:
                pairs += await asyncio.gather(*wave)
            finally:
                for going in wave:
                    going.cancel()
        return estimate(pairs)

    async def search(self, task: SearchTask, caller: Caller) -> Result:
        """Return the result of a search with all its iterations. Raises Refusal, FINISHING."""
        admission = Admission(caller, Priority.BACKGROUND, time.monotonic(), None)
        return (await self._analyst.ask(question_of(task), admission)).result


def question_of(task: SearchTask) -> Question:
    """Return the question that asks for a search."""
    return Question(
        root=task.root,
        terms=Terms(iterations=task.iterations, seed=task.seed, max_tree_bytes=task.tree_bytes),
        seat=None if task.root.seat == NATURE else task.root.seat,
        whole=True,
        options=task.options,
        explain=lambda searcher, result: compared(searcher, task, result),
    )


@dataclass(slots=True)
class Pass:
    """One pass over a game: what is done, and what has not been sent yet.

    Attributes:
        total: number of plies, plus the last position of a game that is not over.
        valuations: those that are done, by ply.
        final: shares of that last position; None before, and in a game that is over.
        unsent: valuations since the last `news`.
        done: how many of `total`.
    """

    total: int
    valuations: dict[int, PlyValuation] = field(default_factory=dict)
    final: Shares | None = None
    unsent: list[PlyValuation] = field(default_factory=list)
    done: int = 0

    @classmethod
    def begun(cls, total: int, known: dict[int, PlyValuation]) -> "Pass":
        """Return a pass of which some plies are known but not sent yet."""
        return cls(total, dict(known), unsent=list(known.values()), done=len(known))

    def news(self) -> list[PlyValuation]:
        """Return what was done since the last call."""
        news, self.unsent = self.unsent, []
        return news

    async def run(self, game: "ReviewTarget", plan: ReviewPlan, reviewer: Reviewer, caller: Caller) -> None:
        """Study all plies that are not known yet, as many at once as there are workers. Raises Refusal."""
        unknown = [ply for ply in game.plies if ply.number not in self.valuations]
        work: Iterator[Ply | Root] = chain(unknown, () if game.last is None else (game.last,))

        async def go_on() -> None:
            for one in work:
                await self._study(one, game, plan, reviewer, caller)
                self.done += 1

        crew = [asyncio.ensure_future(go_on()) for _ in range(reviewer.workers)]
        try:
            await asyncio.gather(*crew)
        finally:
            for one in crew:
                one.cancel()

    async def _study(
        self, one: Ply | Root, game: "ReviewTarget", plan: ReviewPlan, reviewer: Reviewer, caller: Caller
    ) -> None:
        """Study a ply, or the last position."""
        if isinstance(one, Root):
            self.final = await reviewer.answered(value_of(one, plan, game.length + 1), caller)
            return
        valuation = await reviewer.answered(study(one, plan), caller)
        self.valuations[one.number] = valuation
        self.unsent.append(valuation)


@dataclass(frozen=True, slots=True)
class ReviewTarget:
    """A game to be reviewed.

    Attributes:
        plies: those with more than one legal action or outcome.
        last: the last position of a game that is not over; else None.
        length: number of all plies.
    """

    plies: list[Ply]
    last: Root | None
    length: int

    @property
    def total(self) -> int:
        """Return the number of plies and positions of a pass."""
        return len(self.plies) + (self.last is not None)

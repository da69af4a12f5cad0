"""Reviews whole games with the analysis engine, and reports the plies as they are completed."""

import asyncio
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Protocol

from clerestory.engine.core import State
from clerestory.figures import Rollouts
from clerestory.search.review.annotation import Annotation, assemble
from clerestory.search.review.course import Ply, last_root, plies_of
from clerestory.search.review.ledger import PlyValuation, Shares
from clerestory.search.review.plan import ITERATIONS, LEAST, MOST, ReviewPlan
from clerestory.search.review.study import study, value_of
from clerestory.search.review.words import SHOWN
from clerestory.search.root import Root
from clerestory.server.analysis.caller import HERE, Caller
from clerestory.server.analysis.limits import time_fault
from clerestory.server.analysis.reviewer import Reviewer
from clerestory.service_errors import Faults, Reason, no_seat, raise_error

SKETCH = 4 * LEAST  # iterations per search of a sketch, whose speed determines those of a timed review
SPARE = 0.9  # share of the time to plan, because some searches are slower than in the sketch
SHORTEST = 1.0  # minimum time in seconds
EVERY = 0.25  # minimum seconds between two steps of a pass


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewTerms:
    """The terms of a review.

    Attributes:
        iterations: iterations per search; None for as many as fit into `seconds`, or otherwise ITERATIONS.
        seconds: time for the whole review; None for as long as the iterations take.
        most: maximum iterations per search, however many fit into `seconds`.
        deep: seconds for rollouts from the worst errors; None for no rollouts.
        seed: the seed of all random choices.
        viewer: the seat whose knowledge is used for everything; None for each seat's own knowledge.
        sketch: whether to start with a quick pass even if the terms do not need one.
    """

    iterations: int | None = None
    seconds: float | None = None
    most: int = MOST
    deep: float | None = None
    seed: int = 0
    viewer: int | None = None
    sketch: bool = False

    def check(self, faults: Faults) -> None:
        """Collect all faults of the terms, except of the viewer."""
        if self.iterations is not None and not LEAST <= self.iterations <= self.most:
            faults.add(Reason.BAD_ITERATIONS, "iterations", f"is {self.iterations}; must be {LEAST} to {self.most}")
        if self.iterations is not None and self.seconds is not None:
            faults.add(Reason.BAD_TIME_BUDGET, "seconds", "cannot be combined with iterations")
        for name, seconds in (("seconds", self.seconds), ("deep", self.deep)):
            if seconds is not None and (text := time_fault(seconds, SHORTEST)):
                faults.add(Reason.BAD_TIME_BUDGET, name, text)

    def plan(self, iterations: int) -> ReviewPlan:
        """Return the plan of a pass."""
        return ReviewPlan(iterations=iterations, seed=self.seed, viewer=self.viewer)

    def fitting(self, took: float) -> int:
        """Return the iterations per search that fit into the time left after a sketch of `took` seconds."""
        assert self.seconds is not None
        return min(max(int(SKETCH * SPARE * (self.seconds - took) / took), LEAST), self.most)


@dataclass(frozen=True, slots=True)
class ReviewStep:
    """A step of a review.

    Attributes:
        done: number of completed plies, or with `deepening` of completed errors.
        total: number of all of them.
        plies: plies completed since the previous step.
        sketch: whether it belongs to a quick pass, whose plies are valued again.
        deepening: whether errors are being rolled out.
        review: the complete review, in the last step.
    """

    done: int
    total: int
    plies: Sequence[PlyValuation] = ()
    sketch: bool = False
    deepening: bool = False
    review: Annotation | None = None


class PlyStore(Protocol):
    """Stores the plies of a review for the next one with the same plan."""

    async def known(self, plan: ReviewPlan) -> dict[int, PlyValuation]:
        """Return the stored plies."""

    async def keep(self, plan: ReviewPlan, plies: Sequence[PlyValuation]) -> None:
        """Store plies."""


class Nothing:
    """A store that keeps nothing."""

    async def known(self, plan: ReviewPlan) -> dict[int, PlyValuation]:  # noqa: ARG002
        """Return {}."""
        return {}

    async def keep(self, plan: ReviewPlan, plies: Sequence[PlyValuation]) -> None:
        """Do nothing."""


async def review(
    reviewer: Reviewer, end: State, terms: ReviewTerms, caller: Caller = HERE, store: PlyStore | None = None
) -> AsyncGenerator[ReviewStep, None]:
    """Review a game, and yield steps; the last one has the complete review.

    Args:
        reviewer: runs the searches.
        end: the last position of the game, with its history.
        terms: the terms of the review.
        caller: the caller.
        store: stores plies; None for none.

    Raises ServiceError: BAD_SEAT, FINISHING.
    """
    require_seat(end, terms.viewer)
    began, store = time.monotonic(), store or Nothing()
    game = await asyncio.to_thread(ReviewTarget.of, end, terms.viewer)
    sketch, plan = terms.plan(SKETCH), terms.plan(terms.iterations or ITERATIONS)
    if terms.seconds is not None or (terms.sketch and plan != sketch and not await store.known(plan)):
        async with aclosing(Pass(game, sketch, reviewer, caller, store).steps()) as steps:
            async for step in steps:
                yield replace(step, sketch=True)
    if terms.seconds is not None:
        plan, store = terms.plan(terms.fitting(time.monotonic() - began)), Nothing()  # a plan for this call only
    proper = Pass(game, plan, reviewer, caller, store)
    async with aclosing(proper.steps()) as steps:
        async for step in steps:
            yield step
    whole, rollouts = await asyncio.to_thread(proper.assembled), dict[int, Rollouts]()
    if terms.deep is not None:
        async with aclosing(deepened(reviewer, whole, game, terms.deep, caller, rollouts)) as steps:
            async for step in steps:
                yield step
    unrolled = 0 if terms.deep is None else len(whole.errors()[:SHOWN]) - len(rollouts)
    yield ReviewStep(game.total, game.total, review=replace(whole, rollouts=rollouts, unrolled=unrolled))


def require_seat(game: State, viewer: int | None) -> None:
    """Raise ServiceError if the game lacks the viewer's seat."""
    if viewer is not None and not 0 <= viewer < game.seats:
        raise_error(Reason.BAD_SEAT, "viewer", no_seat(viewer, game.seats))


async def deepened(
    reviewer: Reviewer,
    whole: Annotation,
    game: "ReviewTarget",
    seconds: float,
    caller: Caller,
    found: dict[int, Rollouts],
) -> AsyncGenerator[ReviewStep, None]:
    """Roll out the worst errors, each for about an equal part of the time; yield a step before each.

    Args:
        reviewer: runs the searches.
        whole: the review.
        game: the reviewed game.
        seconds: time for all rollouts; the last errors get none if the pairs of earlier ones take too long.
        caller: the caller.
        found: receives the results, by ply.
    """
    worst, began = whole.errors()[:SHOWN], time.monotonic()
    roots, end = {ply.number: ply.root for ply in game.plies}, began + seconds
    for done, one in enumerate(worst):
        yield ReviewStep(done, len(worst), deepening=True)
        root, share = roots[one.ply], began + seconds * (done + 1) / len(worst)
        assert root is not None  # every ply of a target has a root
        rollouts = await reviewer.rolled_out(root, one, whole.plan, share, end, caller)
        if rollouts is None:
            return
        found[one.ply] = rollouts


@dataclass(frozen=True, slots=True)
class ReviewTarget:
    """A game to review.

    Attributes:
        end: its last position, with its history.
        plies: plies with more than one legal action or outcome.
        last: the last position of an unfinished game, with the judge's knowledge; None if the game is over.
    """

    end: State
    plies: list[Ply]
    last: Root | None

    @classmethod
    def of(cls, end: State, viewer: int | None) -> "ReviewTarget":
        """Return the target for a game."""
        return cls(end, [ply for ply in plies_of(end, viewer) if ply.root is not None], last_root(end, viewer))

    @property
    def total(self) -> int:
        """The number of plies and positions in a pass."""
        return len(self.plies) + (self.last is not None)


@dataclass(slots=True)
class Pass:
    """One pass over a game.

    Attributes:
        valuations: valuations of the completed plies.
        final: win shares of the last position; None before, and if the game is over.
        unsent: valuations since the previous step.
        done: number of completed plies and positions.
    """

    game: ReviewTarget
    plan: ReviewPlan
    reviewer: Reviewer
    caller: Caller
    store: PlyStore
    valuations: dict[int, PlyValuation] = field(default_factory=dict)
    final: Shares | None = None
    unsent: list[PlyValuation] = field(default_factory=list)
    done: int = 0

    async def steps(self) -> AsyncGenerator[ReviewStep, None]:
        """Value all plies, and yield steps, beginning with the stored plies. Raises ServiceError: FINISHING."""
        self.valuations = dict(await self.store.known(self.plan))
        self.unsent, self.done = list(self.valuations.values()), len(self.valuations)
        work = asyncio.ensure_future(self._run())
        try:
            while self.unsent or not work.done():
                await asyncio.wait([work], timeout=EVERY)
                if news := self.unsent:
                    self.unsent = []
                    await self.store.keep(self.plan, news)
                    yield ReviewStep(self.done, self.game.total, news)
            work.result()
        finally:
            work.cancel()

    def assembled(self) -> Annotation:
        """Return the review of the game, after the pass."""
        valuations = [self.valuations[ply] for ply in sorted(self.valuations)]
        return assemble(self.game.end, self.plan, valuations, self.final)

    async def _run(self) -> None:
        """Study all plies that are not stored, as many at once as there are workers. Raises ServiceError."""
        unknown = [ply for ply in self.game.plies if ply.number not in self.valuations]
        work: Iterator[Ply | Root] = chain(unknown, () if self.game.last is None else (self.game.last,))

        async def go_on() -> None:
            for one in work:
                await self._study(one)
                self.done += 1

        crew = [asyncio.ensure_future(go_on()) for _ in range(self.reviewer.workers)]
        try:
            await asyncio.gather(*crew)
        finally:
            for one in crew:
                one.cancel()

    async def _study(self, one: Ply | Root) -> None:
        """Study a ply, or the last position."""
        if isinstance(one, Root):
            number = self.game.end.plies + 1
            self.final = await self.reviewer.answered(value_of(one, self.plan, number), self.caller)
            return
        valuation = await self.reviewer.answered(study(one, self.plan), self.caller)
        self.valuations[one.number] = valuation
        self.unsent.append(valuation)

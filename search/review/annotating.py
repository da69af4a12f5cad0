"""Reviews a game in the caller's thread, search by search."""

from collections.abc import Generator
from typing import TypeVar

from clerestory.engine.core import State
from clerestory.search.ismcts import Searcher
from clerestory.search.result import Result
from clerestory.search.review.annotation import Annotation, assemble
from clerestory.search.review.course import last_root, plies_of
from clerestory.search.review.plan import ReviewPlan
from clerestory.search.review.study import SearchTask, compared, study, value_of

T = TypeVar("T")


def annotate(end: State, plan: ReviewPlan) -> Annotation:
    """Return the review of a game.

    Args:
        end: last position of the game, with the history from the opening.
        plan: parameters of the review.

    Raises BadLimit for a search option out of its range, WrongSeat for a viewer that does not exist.
    """
    valuations = [answered(study(ply, plan)) for ply in plies_of(end, plan.viewer) if ply.root is not None]
    last = last_root(end, plan.viewer)
    final = None if last is None else answered(value_of(last, plan, end.plies + 1))
    return assemble(end, plan, valuations, final)


def answered(searches: Generator[SearchTask, Result, T]) -> T:
    """Run the searches of a study, and return the study's result."""
    try:
        task = next(searches)
        while True:
            task = searches.send(searched(task))
    except StopIteration as end:
        value: T = end.value
        return value


def searched(task: SearchTask) -> Result:
    """Return the result of a search."""
    searcher = Searcher(task.root, seed=task.seed, max_bytes=task.tree_bytes, **task.options)
    return compared(searcher, task, searcher.run(iterations=task.iterations))

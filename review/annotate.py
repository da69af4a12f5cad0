"""The review of a game in this process, on several threads; the result does not depend on their number."""

from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from threading import Event
from typing import TypeVar

from clerestory.engine.core import State
from clerestory.review.annotation import Annotation, assemble
from clerestory.review.course import Ply, last_root, plies_of
from clerestory.review.ledger import PlyValuation, Shares
from clerestory.review.plan import ReviewPlan
from clerestory.review.study import SearchTask, compared, study, value_of
from clerestory.search.ismcts import Searcher
from clerestory.search.result import Result

T = TypeVar("T")


class ReviewStopped(Exception):
    """The review was stopped before its end."""


def annotate(
    end: State, plan: ReviewPlan, *, threads: int = 1, progress: Callable[[int, int], None] | None = None
) -> Annotation:
    """Return the review of a game.

    Args:
        end: its last position, with the history from the opening.
        plan: how it is reviewed.
        threads: plies that are studied in parallel, 1 or more.
        progress: called with the number of plies done and the total, in the caller's thread; None for no reports.

    Raises BadLimit for a search option out of its range, WrongSeat for a viewer that does not exist.
    """
    plies = [ply for ply in plies_of(end, plan.viewer) if ply.root is not None]
    last = last_root(end, plan.viewer)
    stop = Event()
    with ThreadPoolExecutor(threads, "review") as pool:
        try:
            studies = [pool.submit(valued, ply, plan, stop) for ply in plies]
            closing = None if last is None else pool.submit(answered, value_of(last, plan, len(end.history) + 1), stop)
            follow([*studies, *([] if closing is None else [closing])], progress or nobody)
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    final: Shares | None = None if closing is None else closing.result()
    return assemble(end, plan, [one.result() for one in studies], final)


def follow(work: "list[Future[PlyValuation] | Future[Shares]]", progress: Callable[[int, int], None]) -> None:
    """Wait for all plies, and report progress. Raises what any of them raised."""
    progress(0, len(work))
    for done, one in enumerate(as_completed(work), 1):
        one.result()
        progress(done, len(work))


def nobody(_: int, __: int) -> None:
    """Ignore progress."""


def valued(ply: Ply, plan: ReviewPlan, stop: Event) -> PlyValuation:
    """Return the valuation of a ply. Raises ReviewStopped."""
    return answered(study(ply, plan), stop)


def answered(searches: Generator[SearchTask, Result, T], stop: Event | None = None) -> T:
    """Run the searches of a study, and return its result. Raises ReviewStopped once `stop` is set."""
    try:
        question = next(searches)
        while True:
            if stop is not None and stop.is_set():
                raise ReviewStopped
            question = searches.send(searched(question))
    except StopIteration as end:
        value: T = end.value
        return value


def searched(question: SearchTask) -> Result:
    """Return the result of a search."""
    searcher = Searcher(question.root, seed=question.seed, max_bytes=question.tree_bytes, **question.options)
    return compared(searcher, question, searcher.run(iterations=question.iterations))

"""A review deepened: rollouts of the decisions that matter."""

import time
from collections.abc import Callable
from dataclasses import replace

from clerestory.engine.core import State
from clerestory.review.annotation import Annotation
from clerestory.review.course import plies_of
from clerestory.review.ledger import PlyValuation
from clerestory.review.rollouts import roll_out
from clerestory.review.words import SHOWN


def deepen(
    end: State,
    review: Annotation,
    seconds: float,
    *,
    threads: int = 1,
    progress: Callable[[int, int], None] = lambda _, __: None,
) -> Annotation:
    """Return a review with rollouts of the decisions that matter, the dearest first, with equal parts of the time.

    Args:
        end: the last position of the game, with its history.
        review: of it.
        seconds: for all of it; each decision has a few pairs of games whatever that takes.
        threads: pairs that are played side by side.
        progress: is told how many decisions are done, of how many.
    """
    roots = {ply.number: ply.root for ply in plies_of(end, review.plan.viewer)}
    matter, began = those_that_matter(review), time.monotonic()
    rollouts = {}
    for done, one in enumerate(matter):
        progress(done, len(matter))
        root = roots[one.ply]
        if root is not None:
            deadline = began + seconds * (done + 1) / len(matter)
            rollouts[one.ply] = roll_out(root, one, review.plan, deadline, threads=threads)
    return replace(review, rollouts=rollouts)


def those_that_matter(review: Annotation) -> list[PlyValuation]:
    """Return the dearest errors, as many as are told of, the dearest first."""
    return review.errors()[:SHOWN]

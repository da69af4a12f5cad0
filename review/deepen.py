"""Adds rollouts of the most expensive errors to a review."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from clerestory.engine.core import State
from clerestory.engine.rng import Rng
from clerestory.review.annotate import answered
from clerestory.review.annotation import Annotation
from clerestory.review.course import plies_of
from clerestory.review.ledger import PlyValuation
from clerestory.review.plan import ReviewPlan
from clerestory.review.rollouts import FEWEST, Rollouts, estimate, paired
from clerestory.review.words import SHOWN
from clerestory.search.root import Root


def deepen(
    end: State,
    review: Annotation,
    seconds: float,
    *,
    threads: int = 1,
    progress: Callable[[int, int], None] = lambda _, __: None,
) -> Annotation:
    """Return a review with rollouts of the most expensive errors, the worst first, each with an equal part of the time.

    Args:
        end: the last position of the game, with its history.
        review: of the game.
        seconds: for all rollouts; each decision gets a few pairs of games even if they take longer.
        threads: pairs that are played in parallel.
        progress: called with the number of decisions done and their total.
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


def roll_out(root: Root, one: PlyValuation, plan: ReviewPlan, deadline: float, *, threads: int = 1) -> Rollouts:
    """Return the result of as many rollouts of the best action and of the one played as there is time for.

    Args:
        root: the position, with the judge's knowledge.
        one: the valuation of the decision.
        plan: of the review; its seed determines all random choices.
        deadline: a reading of time.monotonic; at least FEWEST pairs are played regardless.
        threads: pairs that are played in parallel.
    """
    seeds = Rng(plan.seed_of(one.ply, 2))
    pairs: list[tuple[float, float]] = []
    with ThreadPoolExecutor(threads, "rollouts") as pool:
        while len(pairs) < FEWEST or time.monotonic() < deadline:
            wave = [seeds.next() for _ in range(max(threads, 2))]
            pairs += pool.map(lambda seed: answered(paired(root, one, plan, seed)), wave)
    return estimate(pairs)


def those_that_matter(review: Annotation) -> list[PlyValuation]:
    """Return the most expensive errors, as many as are shown, in descending order."""
    return review.errors()[:SHOWN]

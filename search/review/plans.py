"""Groups plans into single decisions: the conversions of a round are judged together."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise

from clerestory.engine.core import NATURE
from clerestory.search.review.ledger import PlyValuation
from clerestory.sums import total


def plans(valuations: Sequence[PlyValuation], parts: Collection[str]) -> list[list[PlyValuation]]:
    """Return the valuations grouped by plan.

    Args:
        valuations: valuations in order.
        parts: first words of the actions that can be part of a plan.
    """
    found = [[one] for one in valuations[:1]]
    for before, one in pairwise(valuations):
        if goes_on(before, one, parts):
            found[-1].append(one)
        else:
            found.append([one])
    return found


def goes_on(before: PlyValuation, one: PlyValuation, parts: Collection[str]) -> bool:
    """Whether two decisions belong to the same plan."""
    same = before.seat == one.seat != NATURE and before.round == one.round
    return same and all(other.action.split()[0] in parts for other in (before, one))


def as_one(plan: Sequence[PlyValuation]) -> PlyValuation:
    """Return a plan as one decision: its most expensive one, with the total loss."""
    worst = max(plan, key=lambda one: (one.loss, -one.ply))
    change = [sum(parts) for parts in zip(*(one.change for one in plan), strict=True)]
    after = tuple(share + part for share, part in zip(worst.before, change, strict=True))
    points, stake = round(total(one.points for one in plan), 3), max(one.stake for one in plan)
    return replace(worst, after=after, points=points, stake=stake) if len(plan) > 1 else worst

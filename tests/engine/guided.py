"""Players that draw actions by weights, such as those of the guide."""

from bisect import bisect
from collections.abc import Callable
from itertools import accumulate

from clerestory.engine import Rng, State

Weigh = Callable[[State], list[float]]


def uniform(state: State) -> list[float]:
    return [1.0] * len(state.legal_codes())


def informed(state: State) -> list[float]:
    return state.weights()


def drawn(state: State, rng: Rng, weigh: Weigh) -> int:
    """Return Nature's outcome, or a legal code drawn by weights."""
    if state.turn < 0:
        return state.draw(rng).code
    weights = list(accumulate(weigh(state)))
    return state.legal_codes()[min(bisect(weights, rng.unit() * weights[-1]), len(weights) - 1)]

"""Rollouts: play on after the best action and after the one played, in the same worlds with the same luck.

The loss of an action is then estimated from results, with a correct standard error, instead of from the review's
shares. It is unbiased for the players of the rollouts, which use a short search with the shipped options. The luck of
the chance events is subtracted from each result (Zare's identity; GNU Backgammon's rollouts do the same). Its mean is
0, so this only removes noise. An event that a seat was shown in advance counts as no luck: its mean would not be 0, as
decisions depend on it. Like a study, a rollout yields searches, which its caller runs.
"""

from collections.abc import Generator, Mapping, Sequence
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from clerestory.engine.core import NATURE, State
from clerestory.engine.rng import Rng
from clerestory.engine.values.value import HAND, value_in_use, value_of
from clerestory.figures import Rollouts
from clerestory.search.result import Result
from clerestory.search.review.ledger import PlyValuation
from clerestory.search.review.plan import ReviewPlan
from clerestory.search.review.study import SearchTask
from clerestory.search.root import Root, observe_decision
from clerestory.sums import total

ITERATIONS = 30  # of a decision of the rollouts' players
TREE_BYTES = 1 << 18
FEWEST = 8  # pairs of games needed to estimate a loss

RolloutSteps = Generator[SearchTask, Result, tuple[float, float]]


def estimate(pairs: Sequence[tuple[float, float]]) -> Rollouts:
    """Return the estimate from pairs of games, each given as a loss and the best action's luck minus the other's.

    Luck is subtracted as a control variate, with a least-squares weight. If all losses are equal, the standard error is
    as if one more pair had ended differently.
    """
    count, losses, lucks = len(pairs), [loss for loss, _ in pairs], [luck for _, luck in pairs]
    loss, luck = fmean(losses), fmean(lucks)
    spread = total((one - luck) ** 2 for one in lucks)
    weight = total((a - loss) * (b - luck) for a, b in pairs) / spread if spread else 0.0
    left = total((a - loss - weight * (b - luck)) ** 2 for a, b in pairs) / (count - 2)
    error = max(sqrt(left / count), 1 / (2 * count))
    return Rollouts(count, loss - weight * luck, error, stdev(losses) / sqrt(count))


def paired(root: Root, one: PlyValuation, plan: ReviewPlan, seed: int) -> RolloutSteps:
    """Return the loss of the action played in one world, and the luck of the best action minus the other's."""
    world = root.view.determinize(seed)
    best = yield from finish(world, one.best, one.seat, plan, seed)
    played = yield from finish(world, one.action, one.seat, plan, seed)
    return best[0] - played[0], best[1] - played[1]


def finish(world: State, action: str, seat: int, plan: ReviewPlan, seed: int) -> RolloutSteps:
    """Play a world to its end; return the seat's share of the win, and its luck."""
    state, luck, nature = world.copy(), 0.0, Rng(seed)
    settings = plan.settings(state.game, state.seats)
    state.play(action)
    while not state.over:
        if state.turn == NATURE:
            luck += draw(state, seat, Rng(nature.next()))  # an independent stream for each event
        else:
            state.play((yield from choice(state, seed, settings)))
    return state.win_shares()[seat], luck


def choice(state: State, seed: int, settings: Mapping[str, Any]) -> Generator[SearchTask, Result, str | int]:
    """Return the action chosen by a player of the rollouts."""
    legal = state.legal_codes()
    if len(legal) == 1:
        return legal[0]
    result = yield SearchTask(
        root=observe_decision(state), seed=seed, iterations=ITERATIONS, options=settings, tree_bytes=TREE_BYTES
    )
    return result.best.action


def draw(state: State, seat: int, rng: Rng) -> float:
    """Play a random outcome; return its luck, 0 without a learned value or if a seat was shown the outcome."""
    outcome = state.draw(rng)
    luck, shown = 0.0, any(state.foresees(one) for one in range(state.seats))
    value, _ = value_in_use(state.game, state.seats)
    if value != HAND and len(state.legal_codes()) > 1 and not shown:
        shares = [share_after(state, code, seat, value) for code in state.legal_codes()]
        mean = total(odds * share for odds, share in zip(state.odds(), shares, strict=True))
        luck = shares[state.legal_codes().index(outcome.code)] - mean
    state.play(outcome)
    return luck


def share_after(state: State, code: int, seat: int, value: str) -> float:
    """Return a seat's share of the win after an outcome, according to a named learned value."""
    after = state.copy()
    after.play(code)
    if after.over:
        return after.win_shares()[seat]
    _, shares = value_of(state.game, value)(after)
    return shares[seat] if shares else 0.0

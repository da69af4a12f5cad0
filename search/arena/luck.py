"""Results with the luck of chance events taken out: the same mean, but less noise.

The luck of an event is the value of the position after it minus the mean value over all its outcomes, weighted by their
true probabilities. Its mean is 0 for any value function. Subtracting the luck of all events therefore keeps the mean of
the results (a martingale control variate: Zinkevich et al. 2006, AAAI, "Optimal Unbiased Estimators for Evaluating
Agent Performance"). The better the value, the less noise remains.

The odds must be true given everything that decisions can depend on. An event that a seat was shown in advance counts as
no luck. Games in which seats hold long-term secrets, such as hands of cards, would need more.
"""

from collections.abc import Callable, Sequence
from functools import partial

from clerestory.engine.core import NATURE, OVER, Game, State
from clerestory.engine.errors import BadWeights
from clerestory.engine.values.value import Valuation, value_of
from clerestory.search.arena.errors import BadMatch
from clerestory.sums import total

ShareValue = Callable[[State], Sequence[float]]  # expected win shares by seat for an onlooker's view


def luck_of_game(played: State, shares: ShareValue) -> list[float]:
    """Return each seat's luck in a finished game, in win shares; its mean over games is 0.

    Args:
        played: final state of a game, with its history.
        shares: evaluates positions; the better it is, the less noise remains.
    """
    state, total = played.origin, [0.0] * played.seats
    for action in played.history:
        if state.turn == NATURE and not any(state.foresees(seat) for seat in range(state.seats)):
            total = [before + more for before, more in zip(total, luck_of(state, action.code, shares), strict=True)]
        state.play(action.code)
    return total


def luck_of(state: State, outcome: int, shares: ShareValue) -> list[float]:
    """Return the luck of each seat in a chance event that is due, in win shares."""
    view = state.observe(NATURE)
    outcomes = view.legal_codes()
    if len(outcomes) == 1:
        return [0.0] * view.seats
    worth = [shares(after(view, code)) for code in outcomes]
    odds, actual = view.odds(), worth[outcomes.index(outcome)]
    return [
        actual[seat] - total(p * one[seat] for p, one in zip(odds, worth, strict=True)) for seat in range(view.seats)
    ]


def after(view: State, action: int) -> State:
    """Return the position after an action or outcome."""
    there = view.copy()
    there.play(action)
    return there


def shares_by(game: Game, value: str) -> ShareValue:
    """Return the win shares of a named learned value. Raises BadMatch for a value without win shares."""
    try:
        valuation = value_of(game, value)
    except BadWeights as error:
        raise BadMatch(f"luck: {error}") from None
    if valuation.weights is None:
        raise BadMatch(f"luck: {value[:80]!r} has no win shares; name a learned value")
    return partial(shares_after_decision, valuation)


def shares_after_decision(valuation: Valuation, view: State) -> Sequence[float]:
    """Return the win shares after the deciding seat's best action; most outcomes only affect what it can do."""
    if view.turn in (NATURE, OVER):
        return shares_of(valuation, view)
    seat = view.turn
    return max((shares_of(valuation, after(view, code)) for code in view.legal_codes()), key=lambda found: found[seat])


def shares_of(valuation: Valuation, view: State) -> Sequence[float]:
    """Return the win shares of a position according to a learned value."""
    shares = valuation(view)[1]
    assert shares is not None
    return shares

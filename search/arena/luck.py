"""Results with the luck of chance events taken out: the same mean, but less noise.

The luck of an event is the value of the position after it, less the mean value over all of its outcomes, weighted by
their true probabilities. Whatever the value says, that is 0 in the mean, so results less the luck of all events have
the same mean as results (a martingale control variate: Zinkevich et al. 2006, AAAI, "Optimal Unbiased Estimators for
Evaluating Agent Performance"). The better the value, the less noise remains.

That needs odds that are true given everything that decisions can depend on. An event that a seat was shown before
counts as no luck; a game in which seats hold secrets for long, such as hands of cards, would need more than this.
"""

from collections.abc import Callable, Sequence
from functools import partial

from clerestory.engine.core import NATURE, OVER, Game, State
from clerestory.engine.errors import BadWeights
from clerestory.engine.value import Valuation, value_of
from clerestory.search.arena.errors import BadMatch

ShareValue = Callable[[State], Sequence[float]]  # expected win shares by seat of a position as an onlooker sees it


def luck_of_game(played: State, shares: ShareValue) -> list[float]:
    """Return how much each seat owes to luck in a finished game, in win shares; 0 in the mean over games.

    Args:
        played: the end of a game, with its history.
        shares: what positions are worth; the better, the less noise remains.
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
    return [actual[seat] - sum(p * one[seat] for p, one in zip(odds, worth, strict=True)) for seat in range(view.seats)]


def after(view: State, action: int) -> State:
    """Return the position after an action or outcome."""
    there = view.copy()
    there.play(action)
    return there


def shares_by(game: Game, value: str) -> ShareValue:
    """Return win shares by the name of a learned value. Raises BadMatch for a value without win shares."""
    try:
        valuation = value_of(game, value)
    except BadWeights as error:
        raise BadMatch(f"luck: {error}") from None
    if valuation.weights is None:
        raise BadMatch(f"luck: {value[:80]!r} has no win shares; name a learned value")
    return partial(shares_after_decision, valuation)


def shares_after_decision(valuation: Valuation, view: State) -> Sequence[float]:
    """Return the win shares after the best action of the seat to decide; most outcomes only show in what it can do."""
    if view.turn in (NATURE, OVER):
        return shares_of(valuation, view)
    seat = view.turn
    return max((shares_of(valuation, after(view, code)) for code in view.legal_codes()), key=lambda found: found[seat])


def shares_of(valuation: Valuation, view: State) -> Sequence[float]:
    """Return the win shares of a position by a learned value."""
    shares = valuation(view)[1]
    assert shares is not None
    return shares

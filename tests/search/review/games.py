"""Games to review."""

from collections.abc import Sequence

from hypothesis import HealthCheck, settings

from clerestory.engine import GAMES, NATURE, Action, Rng, State
from clerestory.search.review.ledger import PlyValuation, Shares
from tests.laws import walk

# The same examples in every run, on any machine.
same_examples = settings(
    derandomize=True, deadline=None, database=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)


def random_game(name: str, seats: int, seed: int) -> State:
    *_, state = walk(GAMES[name], seats, seed)
    assert isinstance(state, State)
    return state


def cut(state: State, plies: int) -> State:
    begun = state.copy(history=True)
    while len(begun.history) > plies:
        begun.undo()
    return begun


def replayed(opening: State, actions: Sequence[Action]) -> State:
    state = opening.copy()
    for action in actions:
        state.play(action)
    return state


def other_world(state: State, seed: int) -> State:
    """Return a game with the same actions but other hidden cards."""
    return replayed(state.origin.observe(NATURE).determinize(seed), state.history)


def seeds(seed: int, count: int) -> list[int]:
    rng = Rng(seed)
    return [rng.below(1 << 30) for _ in range(count)]


def entry(ply: int, seat: int, before: Shares, after: Shares, source: str = "") -> PlyValuation:
    """Return the valuation of a decision, or of a chance event."""
    return PlyValuation(ply=ply, seat=seat, action="a", label="A", source=source, before=before, after=after)

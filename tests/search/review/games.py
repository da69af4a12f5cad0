"""Games to review."""

from collections.abc import Sequence

from hypothesis import HealthCheck, settings

from clerestory.engine import GAMES, NATURE, Action, Rng, State
from clerestory.search.review.ledger import PlyValuation, Shares
from tests.engine.cathedral.scenes import CUBES, QUIET, changed, fields, reach, texts
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


def lost_by_dismissal() -> State:
    """Return the end of a game that Red loses by dismissing the only mortar mixer, which Masons require."""
    luck = Rng(1)
    state = reach("builder", round_=6)
    while "place red shiring.2" not in texts(state):
        state.play(state.draw(luck) if state.turn == NATURE else "wait red")
    state.play("place red shiring.2")
    held = ["mortar_mixer", "woodworker", "mason_1", "mason_3", "mason_4"]
    state = changed(state, red={"craftsmen": held, "advantages": ["aliena", "otto", "tax_exemption"]})  # no more room
    while "dismiss mortar_mixer" not in texts(state):
        state.play(state.draw(luck) if state.turn == NATURE else quiet(state))
    spent = {"gold": 0, **dict.fromkeys(CUBES, 0)}
    points = max(player["vp"] for player in fields(state)["players"])
    red = {"stone": 5, "vp": points}  # the Masons make five points of five stones
    state = changed(state, red=spent | red, blue=spent | {"vp": points + 3})
    for text in ("dismiss mortar_mixer", "finish", "finish"):
        state.play(text)
    return state


def quiet(state: State) -> str:
    """Return an action that changes little, the first if there is none."""
    legal = texts(state)
    return next((text for name in QUIET for text in legal if text.split()[0] == name), legal[0])

"""`allocation=even`: the root's actions or outcomes take turns in the same determinizations, for comparisons."""

from typing import Any

import pytest

from clerestory.engine import GAMES, NATURE, Rng, State
from clerestory.search.ismcts import Searcher
from clerestory.search.options import shipped
from clerestory.search.result import Result
from clerestory.search.root import observe
from tests.search.positions import decisions
from tests.shipped import CASES

GUIDED = [name for name, game in GAMES.items() if game.has_guide]


def even(position: State, iterations: int, actions: list[str] | None = None, **options: Any) -> Result:
    root = observe(position, actions=actions)
    return Searcher(root, seed=5, max_bytes=1 << 22, allocation="even", **options).run(iterations=iterations)


def first_chance(name: str, seats: int) -> State:
    state = GAMES[name].new(seats, 3)
    while state.turn != NATURE or len(state.legal_codes()) < 2:
        state.play(state.draw(1) if state.turn == NATURE else state.legal_codes()[0])
    return state


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_every_outcome_and_every_action_has_its_turn(name: str, seats: int) -> None:
    chance = first_chance(name, seats)
    outcomes = len(chance.legal_codes())
    lines = even(chance, 7 * outcomes).lines
    assert [line.visits for line in lines] == [7] * outcomes
    assert sum(line.probability or 0 for line in lines) == pytest.approx(1)
    choice = next(state for state in decisions(GAMES[name], seats, 2) if len(state.legal_codes()) > 2)
    actions = [action.text for action in choice.legal_actions()]
    assert {line.visits for line in even(choice, 5 * len(actions)).lines} == {5}
    assert [line.visits for line in even(choice, 9, actions[:2]).lines] == [5, 4]


@pytest.mark.parametrize("name", GUIDED)
def test_a_round_is_played_in_one_world_with_one_luck(name: str) -> None:
    seats = min(GAMES[name].seats)
    state = first_chance(name, seats)
    lines = even(state, len(state.legal_codes()), **{**shipped(state.game, seats), "horizon": 0, "value": "hand"}).lines
    assert {line.action: line.margin for line in lines} == {
        action.text: pytest.approx(lead(state, action.code), abs=1e-5) for action in state.legal_actions()
    }


def lead(state: State, outcome: int) -> float:
    """Return the lead of seat 0 at the next decision after an outcome, in the first world of the seed."""
    rng = Rng(5)
    world = state.observe(NATURE).determinize(rng)
    world.play(outcome)
    world.play_nature(rng)
    first, *others = world.value()
    return first - max(others)


def test_slices_make_no_difference() -> None:
    state = first_chance("cathedral", 3)
    searcher = Searcher(observe(state), seed=5, max_bytes=1 << 22, allocation="even", **shipped(state.game, 3))
    for _ in range(10):
        sliced = searcher.run(iterations=13)
    assert sliced.lines == even(state, 130, **shipped(state.game, 3)).lines

"""Late positions with known exact values: with more iterations the search's choice approaches the best one."""

from typing import Any

import pytest

from clerestory.engine import GAMES, from_position
from clerestory.search.options import shipped
from tests.search.positions import last_round, search
from tools.lab.exact import MAX_NODES, WANTED, Solver, fields, lines_of, mean_regret, outcomes, record_of, solved

SOLVED = {game: lines_of(game) for game in WANTED}
AGAIN = [
    pytest.param(game, line, id=f"{game}, seed {line['seed']}")
    for game, lines in SOLVED.items()
    for line in lines[-12:]
]


@pytest.mark.parametrize(("game", "positions", "steps"), [("cathedral", 70, 7), ("duel", 40, 4)])
def test_solved_positions_cover_steps_and_player_counts(game: str, positions: int, steps: int) -> None:
    states = [from_position(line["position"]) for line in SOLVED[game]]
    assert len(states) >= positions
    assert {state.seats for state in states} == set(WANTED[game].positions) == set(states[0].game.seats)
    assert len({fields(state)["step"] for state in states}) >= steps


@pytest.mark.parametrize(("game", "line"), AGAIN)
def test_values_can_be_found_again(game: str, line: dict[str, Any]) -> None:
    assert game in line["position"]
    again = record_of(line["seed"], from_position(line["position"]))
    assert again["values"] == pytest.approx(line["values"], abs=1e-6)
    assert again["margins"] == pytest.approx(line["margins"], abs=1e-5)


@pytest.mark.parametrize("game", WANTED)
@pytest.mark.parametrize(("many", "worst"), [(2_000, 0.06), pytest.param(10_000, 0.05, marks=pytest.mark.slow)])
def test_choices_approach_the_best(game: str, many: int, worst: float) -> None:
    """Measured: see docs/benchmarks.md; tests/tools/lab/test_regret.py has closer bounds for the shipped search."""
    assert mean_regret(game, many) < min(mean_regret(game, 100), worst)


@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("game", WANTED)
def test_no_action_is_starved(game: str, every: int) -> None:
    """Without a prior floor, an action with a prior near 0, good or bad, stays untried in a quarter of positions."""
    for line in SOLVED[game][::every]:
        position = from_position(line["position"])
        result = search(position, 30_000, max_bytes=1 << 24, **shipped(GAMES[game], position.seats))
        assert [tried.action for tried in result.lines if not tried.visits] == []


def test_solver_on_a_position_solved_by_hand() -> None:
    """Seat 0 decides last, one point behind: only its 6 beats the 5 on the table for a prize of 2."""
    state = last_round(prize=2, seen=[1, 2, 5], players=[(0, 0, [3, 6]), (1, 5, [4])], moved=1)
    assert solved(state) == {"play 3": 0, "play 6": 1, "fold": 0}
    assert outcomes(state)["play 6"] == (1, 1)
    assert len(Solver(0).known) < MAX_NODES

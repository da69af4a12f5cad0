"""Late positions whose exact values are known: the search's choice comes close to the best, the closer the longer."""

import json
from functools import cache
from statistics import mean
from typing import Any

import pytest

from clerestory.engine import State, from_position
from clerestory.search import Searcher
from tests.search.exact import DATA, MAX_NODES, Solver, solved

SOLVED: list[dict[str, Any]] = [json.loads(line) for line in DATA.read_text().splitlines()]


@cache
def mean_regret(iterations: int) -> float:
    """Win share lost to the best action by the search's choice, on average over the positions and three seeds."""
    return mean(regret(line, iterations, seed) for line in SOLVED for seed in range(3))


def regret(line: dict[str, Any], iterations: int, seed: int) -> float:
    result = Searcher(from_position(line["position"]), seed=seed, max_bytes=1 << 24).run(iterations=iterations)
    lost: float = max(line["values"].values()) - line["values"][result.best.action]
    return lost


def test_there_are_fifty_of_several_steps_and_player_counts() -> None:
    positions = [line["position"]["cathedral"] for line in SOLVED]
    assert len(positions) >= 50
    assert {len(position["players"]) for position in positions} == {2, 3, 4}
    assert len({position["step"] for position in positions}) >= 4


@pytest.mark.parametrize("line", SOLVED[-12:], ids=lambda line: f"seed {line['seed']}")
def test_values_can_be_found_again(line: dict[str, Any]) -> None:
    assert solved(from_position(line["position"])) == pytest.approx(line["values"])


def test_choices_approach_the_best() -> None:
    """Measured for the plain search: see docs/benchmarks.md."""
    few, many = mean_regret(100), mean_regret(10_000)
    assert many < few
    assert many < 0.05


def test_solver_on_a_position_solved_by_hand() -> None:
    """Seat 0 decides last, one point behind: only its 6 beats the 5 on the table for a prize of 2."""
    state: State = from_position(
        {
            "rules_revision": 1,
            "toy": {
                "round": 2, "step": "play", "moved": 1, "prize": 2, "feast": False, "seen": [1, 2, 5], "deck": [],
                "players": [{"points": 0, "played": 0, "hand": [3, 6]}, {"points": 1, "played": 5, "hand": [4]}],
            },
        }
    )  # fmt: skip
    assert solved(state) == {"play 3": 0, "play 6": 1, "fold": 0}
    assert len(Solver(0).known) < MAX_NODES

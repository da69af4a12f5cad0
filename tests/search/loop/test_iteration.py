"""The compiled search equals the plain-Python one, table for table, to the last bit."""

from typing import Any

import pytest

from clerestory.engine import GAMES, State
from clerestory.engine.core import Game
from tests.search.oracle import ismcts
from tests.search.positions import decisions, search
from tests.shipped import CATHEDRAL, DUEL

TOY = GAMES["toy"]
FIRST_PLACES = 1024  # of the table; it doubles when half of them are taken
PUCT = {"selection": "puct"}


def assert_equal_tables(position: State, seed: int, iterations: int, **options: Any) -> None:
    """Sums of values by PUCT may differ in their last bits; visits may not."""
    expected = ismcts(position, seed, iterations, **options)
    columns = 2 if options.get("selection") == "puct" else 3
    lines = search(position, iterations, seed=seed, **options).lines
    table = {line.action: (line.visits, line.availability, line.win_shares)[:columns] for line in lines}
    assert table == {action: row[:columns] for action, row in expected.items()}


@pytest.mark.parametrize("options", [{}, PUCT], ids=["ucb1", "puct"])
@pytest.mark.parametrize(
    ("game", "seats", "every"),
    [(TOY, 2, 1), (TOY, 3, 1), (TOY, 4, 1), (CATHEDRAL, 2, 60), (CATHEDRAL, 3, 60), (CATHEDRAL, 4, 120), (DUEL, 2, 60)],
    ids=str,
)
def test_equal_tables(game: Game, seats: int, every: int, options: dict[str, Any]) -> None:
    for number, position in enumerate(decisions(game, seats, 1)[::every]):
        assert_equal_tables(position, number, 200 if game is TOY else 60, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"exploration": 0.0},
        {"exploration": 0.3},
        {"exploration": 2.0},
        {**PUCT, "exploration": 0.25, "growth": 0.1},
        {**PUCT, "exploration": 0.25, "growth": 1.0},
    ],
    ids=str,
)
def test_equal_tables_for_other_explorations(options: dict[str, Any]) -> None:
    assert_equal_tables(decisions(TOY, 3, 2)[0], 5, 600, **options)


def test_growing_exploration_makes_a_difference() -> None:
    position = decisions(TOY, 3, 2)[0]
    assert ismcts(position, 1, 700, 0.25, "puct", growth=0.1) != ismcts(position, 1, 700, 0.25, "puct")


def test_equal_tables_of_a_tree_that_has_grown() -> None:
    """Its table has doubled twice, so every node must be found at its new place."""
    position = decisions(DUEL, 2, 1)[70]
    assert search(position, 1500, seed=3).nodes > FIRST_PLACES
    assert_equal_tables(position, 3, 1500)

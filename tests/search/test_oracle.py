"""The compiled search equals the plain-Python one, table for table, to the last bit."""

import pytest

from clerestory.engine import GAMES
from clerestory.engine.toy.rules import TOY
from clerestory.search.ismcts import Searcher
from clerestory.search.root import observe
from tests.search.oracle import ismcts
from tests.search.positions import decisions

FIRST_PLACES = 1024  # of the table; it doubles when half of them are taken


@pytest.mark.parametrize("seats", TOY.seats)
@pytest.mark.parametrize("seed", range(4))
def test_equal_tables(seats: int, seed: int) -> None:
    for number, position in enumerate(decisions(TOY, seats, seed)):
        table = Searcher(observe(position), seed=number).run(iterations=300).lines
        expected = ismcts(position, number, 300)
        assert {line.action: (line.visits, line.availability, line.win_shares) for line in table} == expected


@pytest.mark.parametrize(("name", "seats"), [("cathedral", 2), ("cathedral", 3), ("cathedral", 4), ("duel", 2)])
def test_equal_tables_of_both_games(name: str, seats: int) -> None:
    for position in decisions(GAMES[name], seats, 1)[::60]:
        table = Searcher(observe(position), seed=3).run(iterations=60).lines
        expected = ismcts(position, 3, 60)
        assert {line.action: (line.visits, line.availability, line.win_shares) for line in table} == expected


@pytest.mark.parametrize("exploration", [0.0, 0.3, 2.0])
def test_equal_tables_for_other_explorations(exploration: float) -> None:
    position = decisions(TOY, 3, 7)[0]
    table = Searcher(observe(position), seed=5, exploration=exploration).run(iterations=500).lines
    expected = ismcts(position, 5, 500, exploration)
    assert {line.action: (line.visits, line.availability, line.win_shares) for line in table} == expected


@pytest.mark.parametrize(("name", "seats"), [("toy", 3), ("cathedral", 3), ("duel", 2)])
def test_equal_tables_with_priors(name: str, seats: int) -> None:
    for number, position in enumerate(decisions(GAMES[name], seats, 2)[:: 1 if name == "toy" else 60]):
        table = Searcher(observe(position), seed=number, selection="puct").run(iterations=200).lines
        expected = ismcts(position, number, 200, selection="puct")
        assert {line.action: (line.visits, line.availability) for line in table} == {
            action: counts[:2] for action, counts in expected.items()
        }


@pytest.mark.parametrize("growth", [0.1, 1.0])
def test_equal_tables_with_exploration_that_grows(growth: float) -> None:
    position = decisions(TOY, 3, 2)[0]
    table = Searcher(observe(position), seed=1, selection="puct", exploration=0.25, growth=growth).run(iterations=700)
    expected = ismcts(position, 1, 700, 0.25, "puct", growth=growth)
    assert expected != ismcts(position, 1, 700, 0.25, "puct")
    assert {line.action: (line.visits, line.availability) for line in table.lines} == {
        action: counts[:2] for action, counts in expected.items()
    }


def test_equal_tables_of_a_tree_that_has_grown() -> None:
    """Its table has doubled twice: every node must be found at its new place."""
    position = decisions(GAMES["cathedral"], 2, 1)[0]
    result = Searcher(observe(position), seed=3).run(iterations=6000)
    assert result.nodes > FIRST_PLACES
    expected = ismcts(position, 3, 6000)
    assert {line.action: (line.visits, line.availability, line.win_shares) for line in result.lines} == expected

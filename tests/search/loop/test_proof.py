"""Proofs at the end of a game agree with the oracle's tables, and with exact values."""

from typing import Any

import pytest

from clerestory.engine import GAMES, from_position
from clerestory.engine.toy.rules import TOY
from clerestory.search.ismcts import Searcher
from clerestory.search.options import shipped
from clerestory.search.result import Result
from clerestory.search.root import observe
from tests.laws import observers
from tests.search.oracle import ismcts
from tests.search.positions import decisions
from tools.lab.exact import lines_of

PLAIN = {"selection": "puct", "endings": "proven"}
SOLVED = [(game, line) for game in ("cathedral", "duel") for line in lines_of(game)]
KNIFE_EDGE = lines_of("cathedral")[24]  # 12 conversions decided by a point; sampling needs over 100,000 iterations


def searched(line: dict[str, Any], iterations: int, **options: Any) -> Result:
    root = observe(from_position(line["position"]))
    return Searcher(root, seed=1, max_bytes=1 << 25, **options).run(iterations=iterations)


@pytest.mark.parametrize(("game", "line"), SOLVED[::6])
def test_equal_tables(game: str, line: dict[str, Any]) -> None:
    result = searched(line, 400, **PLAIN)
    expected = ismcts(from_position(line["position"]), 1, 400, selection="puct", proofs=True)
    table = {found.action: (found.visits, found.availability) for found in result.lines}
    assert table == {action: counts[:2] for action, counts in expected.items()}
    for found in result.lines:
        assert found.win_shares == pytest.approx(expected[found.action][2])


def test_proofs_decide_a_position_that_sampling_does_not() -> None:
    """Of six lines two win the game, three lose it, and one shares it."""
    best = searched(KNIFE_EDGE, 10_000, **shipped(GAMES["cathedral"], 2)).best
    assert KNIFE_EDGE["values"][best.action] == 1


def test_proven_shares_are_exact() -> None:
    """After these iterations, a third of the positions have proven lines, whose shares have no error."""
    checked = 0
    for game, line in SOLVED:
        seats = len(line["position"][game]["players"])
        seat = from_position(line["position"]).turn
        for found in searched(line, 5_000, **shipped(GAMES[game], seats)).lines:
            if found.standard_errors[seat] == 0:
                checked += 1
                assert found.win_shares[seat] == pytest.approx(line["values"][found.action], abs=1e-6), found.action
    assert checked >= 40


@pytest.mark.parametrize("seats", TOY.seats)
def test_nothing_is_proven_where_somebody_knows_more(seats: int) -> None:
    """In `toy` every seat has a private hand, so the same play need not lead to the same end, for any observer."""
    for number, position in enumerate(decisions(TOY, seats, 3)):
        for observer in observers(position):
            root = observe(position, observer=observer)
            sampled, proven = (
                Searcher(root, seed=number, selection="puct", endings=endings).run(iterations=300).lines
                for endings in ("sampled", "proven")
            )
            assert sampled == proven

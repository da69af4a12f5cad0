"""The sums of a search stay exact, however long it searches."""

import pytest

from clerestory.engine import GAMES
from clerestory.search.ismcts import Searcher
from clerestory.search.root import observe
from tests.search.positions import decisions


@pytest.mark.parametrize("seed", range(4))
def test_the_only_outcome_is_the_mean_of_a_million_visits(seed: int) -> None:
    """By then a sum in single precision is off by a thousandth, and gives a certain outcome a standard error."""
    last = decisions(GAMES["duel"], 2, seed)[-1]
    after = last.copy()
    after.play("end")
    assert after.over
    line = Searcher(observe(last, actions=["end"]), seed=seed).run(iterations=1_000_000).best
    assert line.visits == 1_000_000
    assert line.margin == pytest.approx(after.margins()[last.turn], rel=1e-9)
    assert line.margin_error == pytest.approx(0, abs=1e-7)
    assert line.win_shares == after.returns()

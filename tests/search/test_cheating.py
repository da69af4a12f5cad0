"""The search that sees hidden cards really does see them, and plays by the same rules."""

from statistics import mean

import pytest

from clerestory.engine import GAMES
from clerestory.engine.toy.rules import TOY
from clerestory.search import Searcher
from clerestory.search.root import observe
from lab.cheating import gap, unveiled
from tests.search.positions import decisions


@pytest.mark.parametrize("name", GAMES)
def test_it_sees_what_the_search_does_not(name: str) -> None:
    """For worlds of one view the shipped search makes one table, the other more than one."""
    position = decisions(GAMES[name], 2, 11)[0]
    worlds = [position.observe(position.turn).deal(seed) for seed in range(6)]
    fair = {Searcher(observe(world), seed=3).run(iterations=300).lines for world in worlds}
    peeking = {
        Searcher(observe(unveiled(GAMES[name]).unveil(world)), seed=3).run(iterations=300).lines for world in worlds
    }
    assert len(fair) == 1
    assert len(peeking) > 1


def test_it_plays_by_the_same_rules() -> None:
    """Every position of a game has the same actions, unveiled or not."""
    for position in decisions(TOY, 3, 4):
        seen = unveiled(TOY).unveil(position)
        assert seen.legal_actions() == position.legal_actions()
        assert seen.observe(seen.turn).to_bytes() == seen.deal(1).to_bytes() == position.to_bytes()


def test_the_gap_is_that_of_paired_deals() -> None:
    outcome = gap(TOY, 3, 30, 20)
    assert (outcome.games, outcome.deals) == (30, 10)
    assert outcome.score.low < outcome.score.mean < outcome.score.high
    assert mean((outcome.a.iterations_per_move, outcome.b.iterations_per_move)) == 20

"""The scale of the reward: one for a game, so that figures of different searches can be compared."""

from typing import Any

import pytest

from clerestory.engine import GAMES
from clerestory.engine.core import Game
from clerestory.search.ismcts import Searcher
from clerestory.search.result import Result
from clerestory.search.root import observe
from tests.search.positions import decisions


def searched(game: Game, number: int, iterations: int, **options: Any) -> Result:
    position = decisions(game, 2, 1)[number]
    return Searcher(observe(position), seed=1, reward="margin", **options).run(iterations=iterations)


@pytest.mark.parametrize("name", GAMES)
def test_a_score_says_the_same_margin_everywhere(name: str) -> None:
    game = GAMES[name]
    for number in (0, 2, -1):
        for iterations in (1, 50, 400):
            line = searched(game, number, iterations).best
            assert line.score == pytest.approx(0.5 + line.margin / game.tuning.scale[2])


def test_the_scale_can_be_given() -> None:
    game = GAMES["cathedral"]
    line = searched(game, 0, 400, scale=100.0).best
    assert line.score == pytest.approx(0.5 + line.margin / 100)


def test_exploration_is_relative_to_the_scale() -> None:
    """Half the exploration with twice the scale is the same search."""
    game = GAMES["duel"]
    lines = searched(game, 4, 500, scale=16.0, exploration=0.5).lines
    same = searched(game, 4, 500, scale=32.0, exploration=0.25).lines
    assert [(line.action, line.visits, line.margin) for line in lines] == [
        (line.action, line.visits, line.margin) for line in same
    ]

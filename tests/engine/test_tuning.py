"""Tuning: every game defines how it is searched, and the search has no other source for it."""

import pytest

from clerestory.engine import GAMES
from clerestory.engine.tuning import NUM_LEVELS, ladder
from clerestory.search import Line, Searcher, observe
from tests.search.positions import decisions


@pytest.mark.parametrize("name", GAMES)
def test_every_player_count_has_a_search(name: str) -> None:
    game = GAMES[name]
    assert set(game.tuning.search) == set(game.seats)
    for seats, options in game.tuning.search.items():
        root = observe(decisions(game, seats, 1)[0])
        assert Searcher(root, seed=1, **options).run(iterations=20).iterations == 20


@pytest.mark.parametrize("name", GAMES)
def test_the_temperature_is_the_games(name: str) -> None:
    def table(**options: float) -> tuple[Line, ...]:
        root = observe(decisions(GAMES[name], 2, 1)[1])
        return Searcher(root, seed=1, horizon=0, **options).run(iterations=100).lines

    own = GAMES[name].tuning.temperature
    assert table() == table(temperature=own) != table(temperature=2 * own)


def test_every_game_has_as_many_levels() -> None:
    assert {len(game.tuning.levels) for game in GAMES.values()} == {NUM_LEVELS} == {8}
    with pytest.raises(AssertionError, match="1 levels"):
        ladder((30, 3.0))

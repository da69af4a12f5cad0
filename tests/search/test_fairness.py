"""The search sees what its seat can see, and nothing else."""

import pytest

from clerestory.engine import GAMES, State
from clerestory.search.ismcts import Searcher
from clerestory.search.result import Line
from tests.search.positions import decisions

CASES = [(name, seats) for name, game in GAMES.items() for seats in game.seats]


def table(position: State, seed: int) -> tuple[Line, ...]:
    return Searcher(position, seed=seed, max_bytes=1 << 22).run(iterations=400).lines


def some_decisions(name: str, seats: int, seed: int) -> list[State]:
    """About ten of a game's decisions, from its beginning to its end."""
    met = decisions(GAMES[name], seats, seed)
    return met[:: 1 + len(met) // 10]


@pytest.mark.parametrize(("name", "seats"), CASES)
@pytest.mark.parametrize("seed", range(3))
def test_truth_and_observation_give_one_table(name: str, seats: int, seed: int) -> None:
    for position in some_decisions(name, seats, seed):
        assert table(position, seed) == table(position.observe(position.turn), seed)


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_hidden_cards_make_no_difference(name: str, seats: int) -> None:
    for position in some_decisions(name, seats, 11):
        others = [position.observe(position.turn).deal(seed) for seed in range(4)]
        assert len({table(other, 3) for other in others}) == 1


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_there_is_something_to_hide(name: str, seats: int) -> None:
    """The test above would say nothing of positions without hidden cards: worlds do differ."""
    position = some_decisions(name, seats, 11)[0]
    assert len({position.observe(position.turn).deal(seed).to_bytes() for seed in range(9)}) > 1


def test_a_search_that_knew_the_hidden_cards_would_differ() -> None:
    """Worlds of one view, each taken for the truth: what is hidden changes what the best play is worth."""
    position = decisions(GAMES["toy"], 2, 11)[0]
    worlds = [position.observe(position.turn).deal(seed) for seed in range(9)]
    after = [world.copy() for world in worlds]
    for world in after:
        world.play(world.legal_codes()[0])
    views = {world.observe(world.turn).to_bytes() for world in after}
    assert len({table(world, 3) for world in after}) == len(views) > 1


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_history_is_not_searched(name: str, seats: int) -> None:
    game = GAMES[name]
    long = game.new(seats, 3)
    while long.turn < 0:
        long.play(long.draw(1))
    assert table(long, 1) == table(game.from_position(long.to_json()), 1)

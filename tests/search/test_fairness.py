"""The search uses what its seat can see, and nothing else."""

import itertools
from typing import Any

import pytest

from clerestory.engine import GAMES, Game, State
from clerestory.engine.value import value_in_use
from clerestory.search.ismcts import Searcher
from clerestory.search.lines import Line
from clerestory.search.options import CHOICES, PLAYOUTS, REWARDS, shipped
from clerestory.search.root import observe
from tests.search.positions import decisions

COMBINATIONS = [
    {"reward": reward, "playout": playout, "horizon": horizon, "choice": choice}
    for reward, playout, horizon, choice in itertools.product(REWARDS, PLAYOUTS, (None, 3), CHOICES)
]
for game in GAMES.values():
    COMBINATIONS += [shipped(game, n) for n in game.seats if shipped(game, n) not in COMBINATIONS]

FAR = [
    {"reward": "mix", "playout": "informed", "horizon": 40, "choice": "bound"},
    {"reward": "margin", "playout": "informed", "horizon": 40},
]
SOME = [{}, *COMBINATIONS[5::6], *FAR]  # for tests that ask more of each

CASES = [(name, seats) for name, game in GAMES.items() for seats in game.seats]


def suited(game: Game, options: dict[str, Any]) -> dict[str, Any]:
    """The options with the value replaced by one that the game ships."""
    return {**options, "value": value_in_use(game)[0]} if "value" in options else options


def table(position: State, seed: int, iterations: int = 400, **options: Any) -> tuple[Line, ...]:
    options = suited(position.game, options)
    return Searcher(observe(position), seed=seed, max_bytes=1 << 22, **options).run(iterations=iterations).lines


def some_decisions(name: str, seats: int, seed: int) -> list[State]:
    """About ten of a game's decisions, from its beginning to its end."""
    met = decisions(GAMES[name], seats, seed)
    return met[:: 1 + len(met) // 10]


@pytest.mark.parametrize(("name", "seats"), CASES)
@pytest.mark.parametrize("seed", range(3))
def test_truth_and_observation_give_one_table(name: str, seats: int, seed: int) -> None:
    for position in some_decisions(name, seats, seed):
        assert table(position, seed) == table(position.observe(position.turn), seed)


@pytest.mark.parametrize("options", COMBINATIONS, ids=lambda options: "-".join(map(str, options.values())))
@pytest.mark.parametrize("name", GAMES)
def test_truth_and_observation_give_one_table_under_every_option(name: str, options: dict[str, Any]) -> None:
    for position in some_decisions(name, min(3, max(GAMES[name].seats)), 5):
        assert table(position, 5, 100, **options) == table(position.observe(position.turn), 5, 100, **options)


@pytest.mark.parametrize("options", SOME, ids=lambda options: "-".join(map(str, options.values())) or "plain")
@pytest.mark.parametrize(("name", "seats"), CASES)
def test_permuted_cards_make_no_difference_under_options(name: str, seats: int, options: dict[str, Any]) -> None:
    for position in some_decisions(name, seats, 21):
        assert len({table(one, 9, 60, **options) for one in permuted(position)}) == 1


@pytest.mark.parametrize("options", SOME, ids=lambda options: "-".join(map(str, options.values())) or "plain")
@pytest.mark.parametrize(("name", "seats"), CASES)
def test_permuted_cards_make_no_difference_to_a_warm_tree(name: str, seats: int, options: dict[str, Any]) -> None:
    """The hidden cards are permuted before each of a seat's first decisions; the tree is kept between them."""
    met = decisions(GAMES[name], seats, 13)
    own = [position for position in met if position.turn == met[0].turn][:3]
    tables = {walk(positions, **options) for positions in zip(*map(permuted, own), strict=True)}
    assert len(tables) == 1


def permuted(position: State) -> list[State]:
    """The true position, and others that look the same to the seat to decide."""
    return [position, *(position.observe(position.turn).deal(seed) for seed in range(2))]


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_permuted_cards_make_no_difference_to_a_tree_that_makes_room(name: str, seats: int) -> None:
    """Its memory is so small that it is compacted before every decision except the first."""
    met = decisions(GAMES[name], seats, 13)
    own = [position for position in met if position.turn == met[0].turn][:4]
    options = {**shipped(GAMES[name], seats), "max_bytes": 1 << 16, "iterations": 300}
    tables = {walk(positions, **options) for positions in zip(*map(permuted, own), strict=True)}
    assert len(tables) == 1


def walk(
    positions: tuple[State, ...], max_bytes: int = 1 << 21, iterations: int = 60, **options: Any
) -> tuple[tuple[Line, ...], ...]:
    """The tables of a search that keeps its tree from one position to the next."""
    options = suited(positions[0].game, options)
    searcher = Searcher(observe(positions[0]), seed=3, max_bytes=max_bytes, **options)
    tables = [searcher.run(iterations=iterations).lines]
    for position in positions[1:]:
        searcher.advance(observe(position))
        tables.append(searcher.run(iterations=iterations).lines)
    return tuple(tables)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, *COMBINATIONS, *FAR], ids=lambda options: "-".join(map(str, options.values())))
@pytest.mark.parametrize(("name", "seats"), CASES)
def test_permuted_cards_make_no_difference_in_whole_games(name: str, seats: int, options: dict[str, Any]) -> None:
    """Every decision of two games, so every kind of phase."""
    for position in itertools.chain(*(decisions(GAMES[name], seats, seed) for seed in (31, 32))):
        assert len({table(one, 4, 40, **options) for one in permuted(position)}) == 1


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_hidden_cards_make_no_difference(name: str, seats: int) -> None:
    for position in some_decisions(name, seats, 11):
        others = [position.observe(position.turn).deal(seed) for seed in range(4)]
        assert len({table(other, 3) for other in others}) == 1


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_there_is_something_to_hide(name: str, seats: int) -> None:
    """The tests above would be pointless without hidden cards: the worlds do differ."""
    position = some_decisions(name, seats, 11)[0]
    assert len({position.observe(position.turn).deal(seed).to_bytes() for seed in range(9)}) > 1


def test_a_search_that_knew_the_hidden_cards_would_differ() -> None:
    """Worlds of one view, each searched as if known: the hidden cards change the value of best play."""
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

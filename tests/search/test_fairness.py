"""The search only uses what its seat can see."""

import itertools
from typing import Any

import pytest

from clerestory.engine import GAMES, Game, State
from clerestory.engine.values.value import value_in_use
from clerestory.search.ismcts import Searcher
from clerestory.search.lines import Line
from clerestory.search.options import CHOICES, PLAYOUTS, REWARDS, shipped
from clerestory.search.root import observe
from tests.search.positions import decisions, search, some_decisions
from tests.shipped import CASES

Options = dict[str, Any]

COMBINATIONS: list[Options] = [
    {"allocation": "even"},
    *(
        {"reward": reward, "playout": playout, "horizon": horizon, "choice": choice}
        for reward, playout, horizon, choice in itertools.product(REWARDS, PLAYOUTS, (None, 3), CHOICES)
    ),
]
for game in GAMES.values():
    COMBINATIONS += [shipped(game, n) for n in game.seats if shipped(game, n) not in COMBINATIONS]
FAR: list[Options] = [
    {"reward": "mix", "playout": "informed", "horizon": 40, "choice": "bound"},
    {"reward": "margin", "playout": "informed", "horizon": 40},
]
SOME: list[Options] = [{}, *COMBINATIONS[6::6], *FAR]

# All combinations for one number of seats of each game, some for the others.
CASES_AND_OPTIONS = [
    pytest.param(name, seats, options, id=f"{name}-{seats}-{'-'.join(map(str, options.values())) or 'plain'}")
    for name, seats in CASES
    for options in ([*COMBINATIONS, *FAR, {}] if seats == min(3, max(GAMES[name].seats)) else SOME)
]


def suited(game: Game, seats: int, options: Options) -> Options:
    return {**options, "value": value_in_use(game, seats)[0]} if "value" in options else options


def table(position: State, seed: int, iterations: int = 400, **options: Any) -> tuple[Line, ...]:
    return search(
        position, iterations, seed=seed, max_bytes=1 << 22, **suited(position.game, position.seats, options)
    ).lines


def worlds(position: State) -> list[State]:
    """Return the true position, the view of the seat to decide, and others that look the same to it."""
    view = position.observe(position.turn)
    return [position, view, *(view.determinize(seed) for seed in range(2))]


@pytest.mark.parametrize(("name", "seats", "options"), CASES_AND_OPTIONS)
def test_hidden_cards_make_no_difference(name: str, seats: int, options: Options) -> None:
    for position in some_decisions(GAMES[name], seats, 5, 5):
        assert len({table(world, 5, 80, **options) for world in worlds(position)}) == 1


@pytest.mark.parametrize(("name", "seats", "options"), [case for case in CASES_AND_OPTIONS if case.values[2] in SOME])
def test_hidden_cards_make_no_difference_to_a_warm_tree(name: str, seats: int, options: Options) -> None:
    """Other cards are dealt before each of a seat's first decisions; the tree is kept between them."""
    assert len(tables_of_warm_trees(name, seats, 3, max_bytes=1 << 21, iterations=60, **options)) == 1


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_hidden_cards_make_no_difference_to_a_tree_that_is_compacted(name: str, seats: int) -> None:
    """Its memory is so small that it is compacted before every decision except the first."""
    options = shipped(GAMES[name], seats)
    assert len(tables_of_warm_trees(name, seats, 4, max_bytes=1 << 16, iterations=300, **options)) == 1


def tables_of_warm_trees(
    name: str, seats: int, number: int, *, max_bytes: int, iterations: int, **options: Any
) -> set[tuple[tuple[Line, ...], ...]]:
    """Return the tables of searches that keep their tree over several decisions of a seat, in different worlds."""
    met, found = decisions(GAMES[name], seats, 13), set()
    own = [position for position in met if position.turn == met[0].turn][:number]
    for positions in zip(*map(worlds, own), strict=True):
        searcher = Searcher(observe(own[0]), seed=3, max_bytes=max_bytes, **suited(own[0].game, own[0].seats, options))
        tables = []
        for position in positions:
            searcher.advance(observe(position))
            tables.append(searcher.run(iterations=iterations).lines)
        found.add(tuple(tables))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, *COMBINATIONS, *FAR], ids=lambda options: "-".join(map(str, options.values())))
@pytest.mark.parametrize(("name", "seats"), CASES)
def test_hidden_cards_make_no_difference_in_whole_games(name: str, seats: int, options: Options) -> None:
    """Every decision of two games, so every kind of phase."""
    for position in itertools.chain(*(decisions(GAMES[name], seats, seed) for seed in (31, 32))):
        assert len({table(world, 4, 40, **options) for world in worlds(position)}) == 1


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_there_is_something_to_hide(name: str, seats: int) -> None:
    """The tests above would be pointless without hidden cards: the worlds do differ."""
    position = decisions(GAMES[name], seats, 5)[0]
    assert len({world.to_bytes() for world in worlds(position)}) > 2


def test_a_search_that_knew_the_hidden_cards_would_differ() -> None:
    """Worlds of one view are searched as if known: the hidden cards change the value of best play."""
    position = decisions(GAMES["toy"], 2, 11)[0]
    after = [position.observe(position.turn).determinize(seed) for seed in range(9)]
    for world in after:
        world.play(world.legal_codes()[0])
    views = {world.observe(world.turn).to_bytes() for world in after}
    assert len({table(world, 3) for world in after}) == len(views) > 1


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_history_is_not_searched(name: str, seats: int) -> None:
    long = GAMES[name].new(seats, 3)
    while long.turn < 0:
        long.play(long.draw(1))
    assert table(long, 1) == table(GAMES[name].from_position(long.to_json()), 1)

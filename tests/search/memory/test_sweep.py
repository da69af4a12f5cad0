"""A full tree gives up its least visited nodes for new ones: it continues to grow, within its memory."""

import math

import pytest

from clerestory.engine import GAMES, State
from clerestory.search.ismcts import Searcher
from clerestory.search.options import shipped
from clerestory.search.result import Result
from clerestory.search.root import observe
from tests.search.clock import Clock, timed_search
from tests.search.loop.test_sharing import assert_counts, continuations
from tests.search.positions import decisions

CASES = [(name, seats) for name in ("cathedral", "duel") for seats in GAMES[name].seats]
SMALL, LARGE = 1 << 18, 1 << 27  # bytes


def early(name: str, seats: int) -> State:
    met = decisions(GAMES[name], seats, 13)
    return next(position for position in met if len(position.legal_codes()) > 2)


def searcher(position: State, max_bytes: int = SMALL, seed: int = 3) -> Searcher:
    return Searcher(observe(position), seed=seed, max_bytes=max_bytes, **shipped(position.game, position.seats))


def shares(result: Result) -> dict[str, float]:
    return {line.action: line.visits / result.iterations for line in result.lines}


@pytest.mark.parametrize("name", ["cathedral", "duel"])
def test_a_small_tree_distinguishes_moves_as_a_large_one_does(name: str) -> None:
    """The large tree has more than ten times as many nodes in the end."""
    position = early(name, 2)
    small, large = (searcher(position, size).run(iterations=40_000) for size in (SMALL, LARGE))
    assert (small.memory_full, large.memory_full) == (True, False)
    assert small.nodes < large.nodes / 10
    assert small.best.action == large.best.action
    visited = shares(large)
    assert all(share == pytest.approx(visited[action], abs=0.1) for action, share in shares(small).items())


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_equal_seeds_find_the_same_whether_at_once_or_in_slices(name: str, seats: int) -> None:
    position = early(name, seats)
    at_once = searcher(position, 1 << 16).run(iterations=6000)
    slices = searcher(position, 1 << 16)
    for iterations in (1, 999, 4000, 1000):
        result = slices.run(iterations=iterations)
    assert at_once.memory_full
    assert (result.lines, result.nodes, result.given_up) == (at_once.lines, at_once.nodes, at_once.given_up)


def test_deadlines_of_slices_do_not_change_a_search_of_counted_iterations() -> None:
    """The table of nodes also grows in a slice that has no time for it."""
    position = early("cathedral", 2)
    at_once = searcher(position, LARGE).run(iterations=6000)
    slices = searcher(position, LARGE)
    while slices.iterations < 6000:
        result = slices.run(iterations=6000 - slices.iterations, seconds=1e-6)
    assert (result.lines, result.nodes) == (at_once.lines, at_once.nodes)


@pytest.mark.parametrize("iterations", range(1180, 1230, 8))
def test_a_table_that_had_no_time_to_grow_grows_in_the_next_run(iterations: int) -> None:
    """For some of these numbers the first run ends when the table has just become rather full."""
    clock, position = Clock(1e5), next(one for one in decisions(GAMES["cathedral"], 2, 1) if len(one.legal_codes()) > 3)
    search = timed_search(clock, position, seed=5, **shipped(position.game, position.seats))
    search.run(seconds=iterations / 1e5)
    result = search.run(seconds=0.06)
    assert (result.memory_full, result.given_up) == (False, 0)
    assert result.nodes > 3000


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize(("name", "seats"), CASES)
def test_nodes_that_are_left_have_all_of_their_visits(name: str, seats: int, threads: int) -> None:
    """Visits of later positions equal those of their lines, or the positions have been given up."""
    position, known = early(name, seats), 0
    search = searcher(position)
    result = search.run(iterations=12_000, threads=threads)
    assert result.memory_full
    assert result.tree_bytes <= SMALL
    assert_counts(result, 12_000)
    for after in continuations(position, result):
        search.advance(observe(after, observer=result.observer))
        result = search.run(deadline=-math.inf)
        assert_counts(result, result.reused_iterations + 1)
        known += result.reused_iterations > 1
    assert known > 0


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_hidden_cards_do_not_change_what_is_given_up(name: str, seats: int) -> None:
    position, tables = early(name, seats), set()
    for deal in (None, 1, 2):
        seen = position if deal is None else position.observe(position.turn).determinize(deal)
        result = searcher(seen, 1 << 16).run(iterations=6000)
        tables.add((result.lines, result.nodes, result.given_up))
    assert len(tables) == 1


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_an_iteration_takes_few_bytes(name: str, seats: int) -> None:
    result = searcher(early(name, seats), LARGE).run(iterations=20_000)
    assert result.tree_bytes < 90 * result.iterations


def test_nothing_is_given_up_while_there_is_room() -> None:
    """The whole granted memory counts, for any use."""
    position = early("cathedral", 2)
    before = searcher(position, LARGE).run(iterations=8000)
    room = searcher(position, before.tree_bytes + (1 << 14)).run(iterations=8000)
    short = searcher(position, before.tree_bytes // 2).run(iterations=8000)
    assert (room.memory_full, room.given_up, room.lines) == (False, 0, before.lines)
    assert (short.memory_full, short.given_up > 0) == (True, True)
    assert before.tree_bytes // 2 * 0.95 < short.tree_bytes <= before.tree_bytes // 2

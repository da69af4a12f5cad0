"""Compaction: a tree reused from a later root keeps what is reachable from it, and drops the rest."""

import math
from dataclasses import replace

import pytest

from clerestory.engine import GAMES, NATURE, Rng, State
from clerestory.search.ismcts import Searcher
from clerestory.search.lines import Line
from clerestory.search.options import shipped
from clerestory.search.result import Result
from clerestory.search.root import observe
from tests.search.positions import decisions

ITERATIONS = 3000
LARGE, SMALL = 1 << 26, 11 << 16  # bytes: one tree has room for all nodes, the other is more than half full


def start(name: str) -> State:
    """A decision with a choice, early in a game."""
    return next(position for position in decisions(GAMES[name], 2, 1) if len(position.legal_codes()) > 3)


def searcher(position: State, max_bytes: int) -> Searcher:
    return Searcher(observe(position), seed=5, max_bytes=max_bytes, **shipped(position.game, position.seats))


def next_decision(position: State, result: Result) -> State:
    """The seat's next decision, down the principal variation; after its end, by chance and the first legal actions."""
    later, rng, expected = position.copy(), Rng(1), list(result.best.principal_variation)
    while later.turn != position.turn or len(later.history) == len(position.history):
        if later.turn == NATURE:
            expected = []
            later.play(later.draw(rng))
        else:
            later.play(expected.pop(0) if expected else later.legal_actions()[0])
    return later


def advanced(position: State, max_bytes: int) -> Result:
    """The first iteration of a warm search after its root has moved to the seat's next decision."""
    search = searcher(position, max_bytes)
    first = search.run(iterations=ITERATIONS)
    assert not first.memory_full
    search.advance(observe(next_decision(position, first)))
    return search.run(iterations=1)


@pytest.mark.parametrize("name", ["cathedral", "duel"])
def test_what_is_kept_is_as_it_was(name: str) -> None:
    """All figures of the root's lines are equal, except those of the line taken by an iteration since then."""
    position = start(name)
    whole, compacted = (advanced(position, size) for size in (LARGE, SMALL))
    assert compacted.nodes < whole.nodes
    assert compacted.tree_bytes <= SMALL // 2 + (1 << 15)
    assert compacted.reused_iterations == whole.reused_iterations > 50
    known = {line.action: line for line in whole.lines}
    assert [(line.action, line.visits) for line in compacted.lines] == [
        (line.action, line.visits) for line in whole.lines
    ]
    same = [line for line in compacted.lines if figures(line) == figures(known[line.action])]
    assert len(same) >= len(known) - 1
    for line in same:
        assert line.principal_variation == known[line.action].principal_variation[: len(line.principal_variation)]
    assert max(len(line.principal_variation) for line in same) > 1


def figures(line: Line) -> Line:
    """The line without its principal variation, and without its loss, which the figures of the first line determine."""
    return replace(line, principal_variation=(), loss=0.0)


@pytest.mark.parametrize("seed", [3, 6])
def test_what_another_order_of_actions_leads_to_is_kept(seed: int) -> None:
    """If everything reachable fits, a search continues from a compacted tree exactly as from the whole one.

    That is, until it takes an order of actions that it had not taken, to a node that was dropped; here it takes none.
    """
    position = next(one for one in decisions(GAMES["cathedral"], 2, seed) if len(one.legal_codes()) > 3)
    found = []
    for size in (LARGE, SMALL):
        search = searcher(position, size)
        search.advance(observe(next_decision(position, search.run(iterations=ITERATIONS))))
        found.append((search.run(iterations=300), search.run(iterations=1).nodes))
    (whole, all_nodes), (compacted, kept_nodes) = found
    assert kept_nodes < all_nodes
    assert [figures(line) for line in compacted.lines] == [figures(line) for line in whole.lines]


def test_a_tree_with_room_keeps_everything() -> None:
    position = start("cathedral")
    search = searcher(position, LARGE)
    before = search.run(iterations=ITERATIONS)
    search.advance(observe(position))
    assert search.run(iterations=1).nodes >= before.nodes


def test_of_the_same_root_the_most_visited_nodes_are_kept() -> None:
    """All nodes of a full tree are below the root: half of the memory is freed, and the root keeps its statistics."""
    position = start("cathedral")
    search = searcher(position, 1 << 18)
    full = search.run(iterations=20_000)
    assert full.memory_full
    search.advance(observe(position))
    result = search.run(iterations=1)
    assert not result.memory_full
    assert 0 < result.nodes < full.nodes
    assert result.reused_iterations == 20_000
    assert sum(line.visits for line in result.lines) == 20_001
    for line in result.lines:
        before = next(other for other in full.lines if other.action == line.action)
        assert line.visits - before.visits in (0, 1)
    assert len(result.best.principal_variation) >= 3


def test_a_root_that_the_tree_never_met_gets_all_of_its_memory() -> None:
    position = start("cathedral")
    unmet = [other for other in decisions(GAMES["cathedral"], 2, 1) if other.turn == position.turn][-1]
    search = searcher(position, SMALL)
    search.run(iterations=ITERATIONS)
    search.advance(observe(unmet))
    result = search.run(iterations=1)
    assert (result.reused_iterations, result.nodes) == (0, 1)


def test_room_is_made_again_and_again() -> None:
    """Memory never exceeds its limit, is never full after a compaction, and is reproducible."""
    seen = []
    for _ in range(2):
        position = start("cathedral")
        search = searcher(position, 1 << 18)
        for _ in range(6):
            position = next_decision(position, search.run(iterations=4000))
            search.advance(observe(position))
            after = search.run(iterations=1)
            assert not after.memory_full
            assert after.tree_bytes <= 1 << 18
            seen.append((after.nodes, after.tree_bytes, after.reused_iterations))
    assert seen[:6] == seen[6:]
    assert max(reused for *_, reused in seen) > 0


@pytest.mark.parametrize(("size", "iterations"), [(SMALL, ITERATIONS), (1 << 18, 20_000)])
def test_no_time_no_room(size: int, iterations: int) -> None:
    """If the deadline has passed, a tree is not compacted, full or not, and the search continues with it."""
    position = start("cathedral")
    search = searcher(position, size)
    before = search.run(iterations=iterations)
    search.advance(observe(position))
    result = search.run(deadline=-math.inf)
    assert (result.iterations, result.reused_iterations) == (1, iterations)
    assert result.nodes >= before.nodes


def test_a_full_tree_that_does_not_know_the_root_is_cleared_in_any_case() -> None:
    position = start("cathedral")
    unmet = [other for other in decisions(GAMES["cathedral"], 2, 1) if other.turn == position.turn][-1]
    search = searcher(position, 1 << 18)
    assert search.run(iterations=20_000).memory_full
    search.advance(observe(unmet))
    result = search.run(deadline=-math.inf)
    assert (result.iterations, result.reused_iterations, result.nodes) == (1, 0, 1)
    assert sum(line.visits for line in result.lines) == 1


@pytest.mark.parametrize("iterations", range(297, 308, 2))
def test_a_tree_just_before_it_is_full_has_room_for_a_root_that_it_does_not_know(iterations: int) -> None:
    """Nothing has been refused yet, so it does not count as full."""
    position = start("cathedral")
    unmet = [other for other in decisions(GAMES["cathedral"], 2, 1) if other.turn == position.turn]
    search = searcher(position, 1 << 16)
    assert not search.run(iterations=iterations).memory_full
    search.advance(observe(next(other for other in reversed(unmet) if len(other.legal_codes()) > 8)))
    result = search.run(deadline=-math.inf)
    assert (result.iterations, result.reused_iterations, result.nodes) == (1, 0, 1)
    assert sum(line.visits for line in result.lines) == 1


def test_a_stop_leaves_a_sound_tree() -> None:
    position = start("duel")
    stopped, whole = (searcher(position, SMALL) for _ in range(2))
    for search in (stopped, whole):
        search.run(iterations=ITERATIONS)
        search.advance(observe(position))
    stopped.stop()
    assert stopped.run(seconds=100.0).iterations == 1
    assert stopped.run(iterations=499).lines == whole.run(iterations=500).lines

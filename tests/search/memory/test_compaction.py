"""Compaction: a tree reused from a later root keeps what is reachable from it, and drops the rest."""

import math

import pytest

from clerestory.engine import GAMES, NATURE, Rng, State, from_position
from clerestory.search.ismcts import Searcher
from clerestory.search.lines import Line
from clerestory.search.options import shipped
from clerestory.search.result import Result
from clerestory.search.root import observe
from tests.search.positions import decisions
from tests.shipped import CATHEDRAL
from tools.lab.exact import lines_of

ITERATIONS = 3000
LARGE, SMALL = 1 << 26, 9 << 15  # bytes: one tree has room for all nodes, the other is more than half full
MIDDLE = 11 << 15  # bytes: likewise; half of it has room for what is reachable from the next decision
FULL = 1 << 18  # bytes of a tree that 20,000 iterations fill


def start(name: str = "cathedral", seed: int = 1) -> State:
    return next(position for position in decisions(GAMES[name], 2, seed) if len(position.legal_codes()) > 3)


def unmet(choices: int = 0) -> State:
    """Return a late decision of the same seat with more than `choices` legal actions."""
    met = reversed(decisions(CATHEDRAL, 2, 1))
    return next(other for other in met if other.turn == start().turn and len(other.legal_codes()) > choices)


def searcher(position: State, max_bytes: int) -> Searcher:
    return Searcher(observe(position), seed=5, max_bytes=max_bytes, **shipped(position.game, position.seats))


def next_decision(position: State, result: Result) -> State:
    """Return the seat's next decision along the principal variation, then by chance and the first legal actions."""
    later, rng, expected = position.copy(), Rng(1), list(result.best.principal_variation)
    while later.turn != position.turn or len(later.history) == len(position.history):
        if later.turn == NATURE:
            expected = []
            later.play(later.draw(rng))
        else:
            later.play(expected.pop(0) if expected else later.legal_actions()[0])
    return later


def advanced(position: State, max_bytes: int) -> Searcher:
    search = searcher(position, max_bytes)
    first = search.run(iterations=ITERATIONS)
    assert not first.memory_full
    search.advance(observe(next_decision(position, first)))
    return search


def figures(line: Line) -> Line:
    """Return the line without its principal variation and its loss, which depends on the first line."""
    return line.changed(principal_variation=(), loss=0.0)


@pytest.mark.parametrize("name", ["cathedral", "duel"])
def test_figures_of_what_is_kept_do_not_change(name: str) -> None:
    """All figures of the root's lines are equal, except those of the line taken by an iteration since then."""
    whole, compacted = (advanced(start(name), size).run(iterations=1) for size in (LARGE, SMALL))
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


def assert_continues_alike(whole: Searcher, compacted: Searcher) -> None:
    """A search continues from a compacted tree exactly as from the whole one if everything reachable was kept."""
    (first, all_nodes), (second, kept_nodes) = (
        (search.run(iterations=200), search.run(iterations=1).nodes) for search in (whole, compacted)
    )
    assert kept_nodes < all_nodes
    assert [figures(line) for line in second.lines] == [figures(line) for line in first.lines]


@pytest.mark.parametrize("seed", [3, 6])
def test_everything_reachable_is_kept_if_it_fits(seed: int) -> None:
    assert_continues_alike(*(advanced(start(seed=seed), size) for size in (LARGE, MIDDLE)))


@pytest.mark.parametrize(("number", "iterations", "small"), [(10, 2000, 1 << 17), (24, 1000, 1 << 16)])
def test_nodes_that_another_order_of_actions_leads_to_are_kept(number: int, iterations: int, small: int) -> None:
    """Conversions of a last round lead to the same nodes in any order."""
    position = from_position(lines_of("cathedral")[number]["position"])
    searches = [searcher(position, size) for size in (LARGE, small)]
    best, _ = (search.run(iterations=iterations).best.action for search in searches)
    after = position.copy()
    after.play(best)
    assert after.turn == position.turn
    for search in searches:
        search.advance(observe(after))
    assert_continues_alike(*searches)


def test_a_full_tree_keeps_the_most_visited_nodes_of_its_root() -> None:
    """All nodes are below the root: half of the memory is freed, and the root keeps its statistics."""
    search = searcher(start(), FULL)
    full = search.run(iterations=20_000)
    assert full.memory_full
    search.advance(observe(start()))
    result = search.run(iterations=1)
    assert not result.memory_full
    assert 0 < result.nodes < full.nodes
    assert result.reused_iterations == 20_000
    assert sum(line.visits for line in result.lines) == 20_001
    for line in result.lines:
        before = next(other for other in full.lines if other.action == line.action)
        assert line.visits - before.visits in (0, 1)
    assert len(result.best.principal_variation) >= 3


def test_memory_is_freed_again_and_again_and_reproducibly() -> None:
    seen = []
    for _ in range(2):
        position = start()
        search = searcher(position, FULL)
        for _ in range(6):
            position = next_decision(position, search.run(iterations=4000))
            search.advance(observe(position))
            after = search.run(iterations=1)
            assert not after.memory_full
            assert after.tree_bytes <= FULL
            seen.append((after.nodes, after.tree_bytes, after.reused_iterations))
    assert seen[:6] == seen[6:]
    assert max(reused for *_, reused in seen) > 0


@pytest.mark.parametrize(("size", "iterations"), [(SMALL, ITERATIONS), (FULL, 20_000)])
def test_a_search_without_time_goes_on_with_the_whole_tree(size: int, iterations: int) -> None:
    search = searcher(start(), size)
    before = search.run(iterations=iterations)
    search.advance(observe(start()))
    result = search.run(deadline=-math.inf)
    assert (result.iterations, result.reused_iterations) == (1, iterations)
    assert result.nodes >= before.nodes


@pytest.mark.parametrize(
    ("size", "iterations", "full", "in_time"),
    [
        (SMALL, ITERATIONS, False, True),
        (FULL, 20_000, True, False),
        *((1 << 16, iterations, False, False) for iterations in range(599, 610, 2)),  # nearly full
    ],
)
def test_a_tree_that_does_not_know_the_root_is_cleared(size: int, iterations: int, full: bool, in_time: bool) -> None:
    search = searcher(start(), size)
    assert search.run(iterations=iterations).memory_full == full
    search.advance(observe(unmet(choices=8 if size < FULL else 0)))
    result = search.run(iterations=1) if in_time else search.run(deadline=-math.inf)
    assert (result.iterations, result.reused_iterations, result.nodes) == (1, 0, 1)
    assert sum(line.visits for line in result.lines) == 1


def test_a_reused_line_with_few_recorded_visits_has_the_widest_errors() -> None:
    """Below the root, an edge has a record from its sixteenth visit on."""
    position = start()
    search = Searcher(observe(position), seed=5, **{**shipped(CATHEDRAL, 2), "sharpness": 1.0})
    search.advance(observe(next_decision(position, search.run(iterations=ITERATIONS))))
    result = search.run(iterations=1)
    few = [line for line in result.lines if 1 < line.visits <= 16]
    many = [line for line in result.lines if line.visits > 17]
    assert min(len(few), len(many)) > 0
    for line in few:
        share = line.win_shares[result.seat]
        error = math.sqrt(share * (1 - share) / (line.visits - 1))
        assert (line.standard_errors[result.seat], line.margin_error) == (pytest.approx(error), math.inf)
    assert all(0 < line.standard_errors[result.seat] < 0.1 for line in many)
    assert all(0 < line.margin_error < 10 and sum(line.win_shares) == pytest.approx(1) for line in many)


def test_a_stop_leaves_a_sound_tree() -> None:
    stopped, whole = (searcher(start("duel"), SMALL) for _ in range(2))
    for search in (stopped, whole):
        search.run(iterations=ITERATIONS)
        search.advance(observe(start("duel")))
    stopped.stop()
    assert stopped.run(seconds=3600.0).iterations == 1
    assert stopped.run(iterations=499).lines == whole.run(iterations=500).lines

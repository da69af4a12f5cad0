"""The memory of finished trees: reused by later trees, within limits, and without traces of its content."""

import gc
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import psutil
import pytest

from clerestory.engine import game
from clerestory.engine.toy.rules import TOY
from clerestory.search.ismcts import Searcher
from clerestory.search.options import shipped
from clerestory.search.pages import SPARES, count_spares, release_spares
from clerestory.search.root import observe
from tests.search.positions import decisions

MIB = 1 << 20
ARRAYS = 3  # of a tree
START = decisions(TOY, 3, 1)[0]
CATHEDRAL = game("cathedral")
EARLY, OTHER = decisions(CATHEDRAL, 2, 1)[0], decisions(CATHEDRAL, 4, 1)[0]


def searcher(mib: int = 32) -> Searcher:
    return Searcher(observe(START), seed=1, max_bytes=mib * MIB)


def touched() -> tuple[int, int, int, int]:
    """Return the bytes of a large tree, those by which it let this process grow, those left after it, and spares."""
    process = psutil.Process(os.getpid())
    before = process.memory_info().rss
    large = Searcher(observe(OTHER), seed=1, max_bytes=512 * MIB, **shipped(CATHEDRAL, 4))
    size = large.run(iterations=300_000).tree_bytes
    grown = process.memory_info().rss - before
    del large
    return size, grown, process.memory_info().rss - before, count_spares()


@pytest.fixture(autouse=True)
def _spare_nothing() -> Iterator[None]:
    gc.collect()
    release_spares()
    yield
    release_spares()


@pytest.mark.skipif(not SPARES, reason="nothing is kept where a sanitizer watches memory")
class TestKept:
    def test_an_ended_tree_leaves_its_memory_to_the_next(self) -> None:
        searcher()
        left = count_spares()
        assert left > 0
        second = searcher()
        assert count_spares() == 0
        del second
        assert count_spares() == left

    def test_a_larger_tree_leaves_it_to_others(self) -> None:
        searcher(32)
        left = count_spares()
        larger = searcher(2048)  # no array of it is as small as one of those
        assert count_spares() == left
        del larger
        assert count_spares() > left

    def test_it_is_kept_of_few_trees_and_not_of_small_ones(self) -> None:
        crowd = [searcher() for _ in range(SPARES)]
        del crowd
        assert count_spares() == SPARES
        release_spares()
        assert count_spares() == 0
        searcher(1)
        assert count_spares() == 0

    def test_what_a_large_tree_touched_goes_back_but_for_its_beginning(self) -> None:
        """In a process of its own, as the memory of this one has other reasons to change."""
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            size, grown, kept, spares = pool.submit(touched).result()
        assert 0 < spares <= ARRAYS
        assert grown > size > 50 * MIB
        assert kept < 48 * MIB


def test_a_search_finds_the_same_in_memory_that_another_has_used() -> None:
    def search() -> object:
        result = Searcher(observe(EARLY), seed=7, max_bytes=64 * MIB, **shipped(CATHEDRAL, 2)).run(iterations=5000)
        return result.lines, result.nodes, result.tree_bytes, result.depth

    first = search()
    release_spares()
    Searcher(observe(OTHER), seed=2, max_bytes=64 * MIB, **shipped(CATHEDRAL, 4)).run(iterations=30_000)
    assert count_spares() > 0 or not SPARES
    assert search() == first

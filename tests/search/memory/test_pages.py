"""The memory of finished trees: reused by later trees, within limits, and without traces of its content."""

import gc
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import psutil
import pytest

from clerestory.engine.toy.rules import TOY
from clerestory.search.ismcts import Searcher
from clerestory.search.memory.pages import SPARES, count_spares, release_spares
from clerestory.search.options import shipped
from clerestory.search.root import observe
from tests.search.positions import decisions, search
from tests.shipped import CATHEDRAL

MIB = 1 << 20
ARRAYS = 3  # per tree
START = decisions(TOY, 3, 1)[0]
EARLY, OTHER = decisions(CATHEDRAL, 2, 1)[0], decisions(CATHEDRAL, 4, 1)[0]

# Skipped with a sanitizer, as nothing is kept then.
kept = pytest.mark.skipif(not SPARES, reason="nothing is kept where a sanitizer watches memory")


def searcher(mib: float = 32) -> Searcher:
    return Searcher(observe(START), seed=1, max_bytes=int(mib * MIB))


def test_a_search_finds_the_same_in_memory_that_another_has_used() -> None:
    def found() -> object:
        result = search(EARLY, 5000, seed=7, max_bytes=64 * MIB, **shipped(CATHEDRAL, 2))
        return result.lines, result.nodes, result.tree_bytes, result.depth

    release_spares()
    first = found()
    release_spares()
    search(OTHER, 30_000, seed=2, max_bytes=64 * MIB, **shipped(CATHEDRAL, 4))
    assert count_spares() > 0 or not SPARES
    assert found() == first
    release_spares()


@kept
def test_memory_of_few_trees_is_kept() -> None:
    crowd = [searcher() for _ in range(SPARES)]
    del crowd
    gc.collect()
    assert count_spares() == SPARES
    release_spares()


# -- in a separate process, where no other tree begins or ends ----------------------------------------


def alone(function: Callable[[], list[int]]) -> list[int]:
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(function).result()


def spares() -> list[int]:
    counts = []
    for mib in (1 / 16, 32, 2048, 32):
        one = searcher(mib)
        counts.append(count_spares())
        del one
        counts.append(count_spares())
    return counts


@kept
@pytest.mark.system
def test_a_tree_takes_the_memory_of_an_ended_one_of_its_size() -> None:
    """The smallest trees leave none, and no array of a much larger tree is as small as one that was left."""
    during_small, after_small, during, after, during_large, after_large, again, after_again = alone(spares)
    assert (during_small, after_small, during) == (0, 0, 0)
    assert 0 < after == during_large < after_large
    assert again < after_large == after_again


def touched() -> list[int]:
    """Return the bytes of a large tree, the growth of this process by it, the growth left after it, and the spares."""
    process = psutil.Process(os.getpid())
    before = process.memory_info().rss
    large = Searcher(observe(OTHER), seed=1, max_bytes=512 * MIB, **shipped(CATHEDRAL, 4))
    size = large.run(iterations=1_000_000).tree_bytes
    grown = process.memory_info().rss - before
    del large
    return [size, grown, process.memory_info().rss - before, count_spares()]


@kept
@pytest.mark.system
def test_only_the_beginning_of_what_a_large_tree_touched_is_kept() -> None:
    size, grown, left, spares = alone(touched)
    assert 0 < spares <= ARRAYS
    assert grown > size - MIB > 50 * MIB  # the kernel counts pages in batches
    assert left < 48 * MIB

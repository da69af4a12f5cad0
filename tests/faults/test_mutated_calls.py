"""Mutated calls of every method, over gRPC and through the page: no internal error, no held loop, no told secret."""

from pathlib import Path

import pytest

from clerestory.door.methods import methods
from tests.faults.fuzz import fuzz
from tests.faults.world import missing


def test_every_method_has_a_good_request() -> None:
    assert missing(methods()) == set()


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 8))])
def test_mutated_calls(tmp_path: Path, seed: int) -> None:
    """The logs of even seeds are text, those of odd ones JSON; the servers of 3 and 7 require a token."""
    figures = fuzz(tmp_path, seed, 2_000 if seed else 200)
    assert not figures.faults, "\n".join(figures.faults)
    assert figures.calls >= 200
    assert len(figures.ends) > 50

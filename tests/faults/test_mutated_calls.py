"""For any request to any method, no call fails internally, blocks the server, ends it, or leaks a secret."""

import os
from pathlib import Path

import pytest

from clerestory.server.gateway.methods import methods
from loadtest.faults.fuzz import fuzz
from loadtest.faults.world import GOOD, short

SEEDS = int(os.environ.get("CLERESTORY_FUZZ_SEEDS", "8"))


def test_every_method_has_a_good_request() -> None:
    assert {short(path) for path in methods()} <= GOOD.keys()


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, SEEDS))])
def test_mutated_calls_harm_nobody(tmp_path: Path, seed: int) -> None:
    """The logs of even seeds are text, those of odd ones JSON; every fourth server requires a token."""
    figures = fuzz(tmp_path, seed, 2_000 if seed else 200)
    assert not figures.faults, "\n".join(figures.faults)
    assert len(figures.ends) > 50
    print(f"{figures.ends.total()} calls, {figures.rss / 1e6:.0f} MB")

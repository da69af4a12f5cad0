"""Two servers and their database all fail: nothing is lost, and the games continue automatically."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from loadtest.faults.fleet import KILLS, OTHERS, fly
from loadtest.faults.postgres import installed
from tests.parts import missing


@pytest.mark.parametrize(("seed", "seconds"), [(16688, 0.0), pytest.param(1, 300.0, marks=pytest.mark.slow)])
def test_games_go_on_whatever_fails(seed: int, seconds: float) -> None:
    """The first run has one burst of sixteen faults with each of the thirteen kinds."""
    if not installed():
        missing("PostgreSQL", "apt-get install postgresql")
    with TemporaryDirectory(prefix="fleet-") as folder:  # short, as it is part of socket names
        tally = fly(Path(folder), seed, seconds)
    assert not tally.faults, "\n".join(tally.faults)
    assert tally.number(KILLS) > 0
    assert tally.number(OTHERS) > 0
    assert tally.entries > 50

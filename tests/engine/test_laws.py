"""Every game keeps every law, for every number of players."""

import pytest

from clerestory.engine import GAMES
from tests.laws import LAWS, Law

CASES = [(name, seats) for name, game in GAMES.items() for seats in game.seats]
SEEDS = [range(1), pytest.param(range(1, 10), marks=pytest.mark.slow)]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize(("name", "seats"), CASES)
@pytest.mark.parametrize("seeds", SEEDS, ids=["one game", "more games"])
def test_law(law: Law, name: str, seats: int, seeds: range) -> None:
    for seed in seeds:
        law(GAMES[name], seats, seed)

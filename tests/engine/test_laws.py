"""Every game keeps every law, for every number of players."""

import pytest

from clerestory.engine import GAMES
from tests.laws import LAWS, Law

CASES = [(name, seats) for name, game in GAMES.items() for seats in game.seats]
SEEDS = range(3)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize(("name", "seats"), CASES)
def test_law(law: Law, name: str, seats: int) -> None:
    for seed in SEEDS:
        law(GAMES[name], seats, seed)

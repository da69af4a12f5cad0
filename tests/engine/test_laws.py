"""Every game obeys every law, for every number of players; the card game also with players who complete buildings."""

from functools import partial

import pytest

from clerestory.engine import GAMES
from tests import laws
from tests.engine.guided import drawn, informed
from tests.laws import LAWS, Law
from tests.shipped import CASES, DUEL

SEEDS = [pytest.param(range(1), id="one game"), pytest.param(range(1, 10), marks=pytest.mark.slow, id="more games")]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize(("name", "seats"), CASES)
@pytest.mark.parametrize("seeds", SEEDS)
def test_law(law: Law, name: str, seats: int, seeds: range) -> None:
    for seed in seeds:
        law(GAMES[name], seats, seed)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("seeds", SEEDS)
def test_law_among_builders(law: Law, seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laws, "next_action", partial(drawn, weigh=informed))
    for seed in seeds:
        law(DUEL, 2, seed)

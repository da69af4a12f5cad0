"""The laws of every game, in games that go further than uniformly random ones: most turns build, and some win."""

import pytest

from clerestory.engine import Rng, State
from tests import laws
from tests.engine.duel.scenes import builder, drawn, informed
from tests.engine.test_laws import SEEDS
from tests.laws import LAWS, Law
from tests.shipped import DUEL


@pytest.fixture(params=[builder, informed], ids=["builder", "informed"])
def _player(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    def next_action(state: State, rng: Rng) -> int:
        return drawn(state, rng, request.param)

    monkeypatch.setattr(laws, "next_action", next_action)


@pytest.mark.usefixtures("_player")
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("seeds", SEEDS, ids=["one game", "more games"])
def test_law(law: Law, seeds: range) -> None:
    for seed in seeds:
        law(DUEL, 2, seed)


def test_builders_complete_sections_and_buildings() -> None:
    """The games above reach what they should: most have a complete section, some a complete building."""
    most = []
    for seed in range(100):
        rng = Rng(seed)
        state = DUEL.new(2, rng)
        while not state.over:
            state.play(drawn(state, rng, informed if seed % 2 else builder))
        most.append(max(state.features(seat)["sections"] for seat in range(2)))
    assert sum(sections >= 1 for sections in most) > 60
    assert sum(sections == 3 for sections in most) > 1

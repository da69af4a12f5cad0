"""Tuning: every game defines its search settings, and the search has no other source for them."""

from itertools import pairwise

import pytest

from clerestory.engine import GAMES
from clerestory.engine.tuning import LEAST_SHARPNESS, NUM_LEVELS, Sharpness, ladder
from clerestory.search import Line, Searcher, observe
from tests.search.positions import decisions


@pytest.mark.parametrize("name", GAMES)
def test_the_temperature_is_the_games(name: str) -> None:
    def table(**options: float) -> tuple[Line, ...]:
        root = observe(decisions(GAMES[name], 2, 1)[1])
        return Searcher(root, seed=1, horizon=0, **options).run(iterations=100).lines

    own = GAMES[name].tuning.temperature
    assert table() == table(temperature=own) != table(temperature=2 * own)


def test_every_game_has_as_many_levels() -> None:
    assert {len(game.tuning.levels) for game in GAMES.values()} == {NUM_LEVELS} == {8}
    with pytest.raises(AssertionError, match="1 levels"):
        ladder((30, 3.0))


def test_a_sharpness_is_the_sum_of_its_terms() -> None:
    some = Sharpness(1.5, stronger=0.2, later=0.1, both=0.06, last=0.4, first=-0.3, rounds=5)
    assert some.exponent(2_000, 1) == some.exponent(2_000, 0) == pytest.approx(1.5 - 0.3)
    assert some.exponent(6_325, 1) == pytest.approx(1.6 - 0.3, abs=1e-4)
    assert some.exponent(2_000, 3) == pytest.approx(1.7)
    assert some.exponent(6_325, 4) == pytest.approx(1.5 + 0.1 + 0.3 + 0.09, abs=1e-3)
    assert some.exponent(2_000, 5) == pytest.approx(1.5 + 0.4 + 0.4)
    assert some.exponent(1, 1) == some.exponent(400, 1) < some.exponent(401, 1)
    assert some.exponent(10**9, 1) == some.exponent(8_000, 1) > some.exponent(7_999, 1)
    assert Sharpness(0.1).exponent(2_000, 1) == LEAST_SHARPNESS
    first = Sharpness(1.5, first_seat=0.2, rounds=5)
    assert [first.lead(round_) for round_ in range(4)] == [0.2, 0.2, 0.0, 0.0]  # in the first round only


SHARPENED = [(name, seats) for name in GAMES for seats in GAMES[name].tuning.sharpness]


@pytest.mark.parametrize(("name", "seats"), SHARPENED)
def test_shares_of_a_hint_that_goes_on_do_not_jump(name: str, seats: int) -> None:
    """The exponent of shipped shares changes by less than 0.005 if the iterations increase by one per cent."""
    shipped = GAMES[name].tuning.sharpness[seats]
    for round_ in range(1, 14):
        exponents = [shipped.exponent(round(50 * 1.01**step), round_) for step in range(900)]
        assert max(abs(one - other) for one, other in pairwise(exponents)) < 0.005

"""The noise floor measured on other games."""

import pytest

from clerestory.search.review import floors
from clerestory.search.review.floors import CAUTIOUS, general_floor
from tests.shipped import CASES


@pytest.mark.parametrize(("number", "floor"), [(0, CAUTIOUS), (1, 4_000), (2, 4_000), (3, 6_500), (9, 6_500)])
def test_a_floor_holds_from_its_round_on(number: int, floor: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(floors, "measured", lambda game, seats: {1: 4_000, 3: 6_500})
    assert general_floor("duel", 2, number) == floor


def test_a_game_that_was_not_measured_has_a_cautious_one() -> None:
    assert general_floor("toy", 2, 1) == CAUTIOUS


@pytest.mark.parametrize(("name", "seats"), [case for case in CASES if case[0] != "toy"])
def test_every_round_of_a_game_that_is_shipped_was_measured(name: str, seats: int) -> None:
    assert 0 < general_floor(name, seats, 1) < CAUTIOUS

"""The plan of a new game: the names that people can have."""

import pytest

from clerestory.server.games.creation import LONGEST_NAME, check_name
from clerestory.service_errors import Faults

NAMES = [
    "",
    "Ann",
    "Ann-Marie O'Neil",
    "نیلوفر\u200cجان",
    "\U0001f469\u200d\U0001f680",
    "❤\ufe0f",
    "7",
    "한글",
    "x" * LONGEST_NAME,
]
OTHERS = ["  ", "\u3164", "\u2800", " \u115f\uffa0", "\u200d", "\u0301", "a\nb", "a\u202eb", "a\0", "\ud800", "x" * 41]


@pytest.mark.parametrize("name", [*NAMES, *OTHERS], ids=ascii)
def test_a_name_can_be_shown_and_seen(name: str) -> None:
    faults = Faults()
    check_name(name, "seats[0].", faults)
    assert [blamed for _, blamed, _ in faults.found] == ["seats[0].name"] * (name in OTHERS)

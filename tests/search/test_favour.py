"""The sentence on the seat that a game favours, present only if the advantage was measured and is clear."""

from typing import Any

import pytest

from clerestory.engine import GAMES
from clerestory.i18n.sentences import Text, format_text
from clerestory.search import measured
from clerestory.search.favour import SURE, WORTH_A_WORD, favoured
from tests.shipped import DUEL
from tools.lab.seats import line_of


def test_the_player_whom_a_game_favours_is_named_if_it_was_measured_with_these_cards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    word = favoured(DUEL, 2)
    assert word
    assert format_text(word, "duel") == "The first player wins 62% of games between equals; 50% would be even."
    table = {"catalogue": "of others", "2": {"shares": [90.0, 10.0], "error": 0.1}}
    assert favoured_by(table, monkeypatch) is None


@pytest.mark.parametrize(("game", "seats"), [("cathedral", 2), ("cathedral", 3), ("cathedral", 4), ("toy", 2)])
def test_a_game_that_favours_nobody_by_much_has_no_word(game: str, seats: int) -> None:
    assert favoured(GAMES[game], seats) is None


@pytest.mark.parametrize(
    ("shares", "error", "told"),
    [
        ([50 + WORTH_A_WORD, 50 - WORTH_A_WORD], 1.0, "favour.1"),
        ([49.9 - WORTH_A_WORD, 50.1 + WORTH_A_WORD], 1.0, "favour.2"),
        ([50 + WORTH_A_WORD, 50 - WORTH_A_WORD], 1.1 * WORTH_A_WORD / SURE, None),
        ([49.9 + WORTH_A_WORD, 50.1 - WORTH_A_WORD], 0.1, None),
    ],
)
def test_a_word_needs_a_large_and_certain_difference(
    shares: list[float], error: float, told: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    word = favoured_by({"catalogue": DUEL.catalogue, "2": {"shares": shares, "error": error}}, monkeypatch)
    assert (word and word.code) == told


def favoured_by(table: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Text | None:
    """Return the sentence for the card game with another table of measured shares."""
    monkeypatch.setattr(measured.tomllib, "loads", lambda _: {"duel": table})
    favoured.cache_clear()
    try:
        return favoured(DUEL, 2)
    finally:
        favoured.cache_clear()


@pytest.mark.parametrize(
    ("wins", "each", "line"),
    [
        ((1, 0, 1, 1), 1, "2 = { shares = [75.0, 25.0], error = 25.0 }"),
        ((1, 1, 0, 0), 2, "2 = { shares = [50.0, 50.0], error = 50.0 }"),  # fewer than four games of four deals
    ],
    ids=["one game of each deal", "two games of each deal"],
)
def test_the_line_of_a_game_is_its_shares_by_seat(wins: tuple[int, ...], each: int, line: str) -> None:
    games = [{"deal": n // each, "returns": [float(won), float(not won)]} for n, won in enumerate(wins)]
    assert line_of(games) == line

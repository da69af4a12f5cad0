"""A summary in words, in each language."""

import pytest

from clerestory.i18n.languages import LANGUAGES
from clerestory.search.review.summary import Estimate, summarize
from clerestory.search.review.summary_words import (
    COLUMNS,
    cells,
    estimate,
    group_name,
    groups,
    habit_sentence,
    level_sentence,
)
from tests.search.review.test_summary import game

SUMMARY = summarize("cathedral", [game(100_000, 300_000, level=3, errors=1)] * 2)


def test_a_habit_is_a_sentence() -> None:
    (habit,) = SUMMARY.habits
    told = "“hire a craftsman” where “send workers” was better: 2 times, 6.0% of a win per game."
    assert habit_sentence(SUMMARY, habit, "en") == told


@pytest.mark.parametrize("language", sorted(set(LANGUAGES) - {"en"}))
def test_each_language_has_its_own(language: str) -> None:
    (habit,) = SUMMARY.habits
    english = {habit_sentence(SUMMARY, habit, "en"), level_sentence(SUMMARY, "en"), *headings("en")}
    own = {habit_sentence(SUMMARY, habit, language), level_sentence(SUMMARY, language), *headings(language)}
    assert len(own) == len(english)
    assert not own & english


def headings(language: str) -> list[str]:
    tables = groups(SUMMARY, language)
    names = [group_name("cathedral", row, language) for _, rows in tables for row in rows]
    return [*(heading for heading, _ in tables), *names]


def test_figures_have_their_interval_if_there_is_one() -> None:
    assert estimate(Estimate(mean=1.25), "de") == "1,2"
    assert estimate(Estimate(mean=0.0125, low=0.0, high=0.03), "en", 100) == "1.2 (0.0 to 3.0)"
    (_, rows), _ = groups(SUMMARY, "en")
    assert cells(rows[0], "en")[:3] == ["2", "40", "2.0 (2.0 to 2.0)"]
    assert len(cells(rows[0], "en")) == len(COLUMNS)


def test_there_is_no_sentence_without_a_level() -> None:
    assert level_sentence(summarize("cathedral", [game(100_000)]), "en") == ""

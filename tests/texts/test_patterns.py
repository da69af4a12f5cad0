"""Texts by key: arguments, plural forms, and what happens when one is missing."""

import pytest

from clerestory.texts import patterns
from clerestory.texts.languages import LANGUAGES, BadLanguage, language_of
from clerestory.texts.patterns import plural, say

TEXTS = {
    "en": {"greet": "Hello {name}", "cubes": {"one": "{count} cube", "other": "{count} cubes"}, "only": "only here"},
    "he": {"cubes": {"one": "קובייה אחת", "two": "שתי קוביות", "other": "{count} קוביות"}},
    "fr": {"greet": "Bonjour {name}", "cubes": {"one": "{count} cube", "other": "{count} cubes"}},
}


@pytest.fixture(autouse=True)
def some_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "read", lambda name: TEXTS.get(name.partition("/")[0], {}))


@pytest.mark.parametrize(
    ("language", "key", "arguments", "said"),
    [
        ("fr", "greet", {"name": "Ellen"}, "Bonjour Ellen"),
        ("he", "greet", {"name": "Ellen"}, "Hello Ellen"),
        ("de", "only", {}, "only here"),
        ("de", "nowhere", {}, "nowhere"),
        ("en", "cubes", {"count": 1}, "1 cube"),
        ("de", "cubes", {"count": 0}, "0 cubes"),
        ("fr", "cubes", {"count": 0}, "0 cube"),
        ("he", "cubes", {"count": 2}, "שתי קוביות"),
        ("he", "cubes", {"count": 5}, "5 קוביות"),
    ],
)
def test_a_text_is_said_in_its_language_or_else_in_english(
    language: str, key: str, arguments: dict[str, object], said: str
) -> None:
    assert say("any", language, key, **arguments) == said


@pytest.mark.parametrize(("count", "category"), [(0, "one"), (1, "one"), (2, "other")])
def test_french_counts_none_like_one(count: int, category: str) -> None:
    assert plural("fr", count) == category


@pytest.mark.parametrize(("tag", "language"), [("it", "it"), ("it-CH", "it"), ("DE_at", "de"), ("he-IL", "he")])
def test_a_tag_is_of_a_language(tag: str, language: str) -> None:
    assert language_of(tag) == language


@pytest.mark.parametrize("tag", ["", "pt", "italian", "-it"])
def test_another_tag_is_refused_with_the_list(tag: str) -> None:
    with pytest.raises(BadLanguage, match=f"is not one of {', '.join(LANGUAGES)}"):
        language_of(tag)

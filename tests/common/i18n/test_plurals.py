"""A number never stands before a noun in the singular, in any text of any language."""

import re
from collections.abc import Iterator

import pytest

from clerestory.i18n import Pattern, patterns, say
from clerestory.i18n.files import FOLDER
from clerestory.i18n.languages import ENGLISH, LANGUAGES

DOMAINS = sorted(path.stem for path in (FOLDER / ENGLISH).glob("*.json"))
NUMBERS = {"count", "number", "cost", "cubes", "gold", "limit", "most", "price", "seals", "stone", "chips", "builders"}
COUNTED = re.compile(r"\{(\w+)\}[ \u00a0](?:de |di )?([^\W\d_]+)")  # a number, and what it counts
ALONE = re.compile(r"([^\W\d_]+) (?:אחת|אחד)(?![^\W\d_])")  # Hebrew says one after what it counts


VERBS = {"is"}  # may follow a number in the singular


def forms_of(pattern: Pattern) -> dict[str, str]:
    return pattern if isinstance(pattern, dict) else {"other": pattern}


def texts(language: str) -> Iterator[tuple[str, dict[str, str]]]:
    for domain in DOMAINS:
        yield from ((f"{domain} {key}", forms_of(text)) for key, text in patterns(domain, language).items())


def singulars(language: str) -> set[str]:
    """Return the nouns that texts have in the singular only."""
    singular = [forms["one"] for _, forms in texts(language) if "one" in forms]
    counted = {word for form in singular for _, word in COUNTED.findall(form)}
    return (counted | {word for form in singular for word in ALONE.findall(form)}) - plurals(language) - VERBS


def plurals(language: str) -> set[str]:
    """Return the words that texts have after a number in the plural."""
    return {word for _, forms in texts(language) if "one" in forms for _, word in COUNTED.findall(forms["other"])}


def misplaced(forms: dict[str, str], singular: set[str]) -> list[str]:
    """Return the singular words after a number that may be any."""
    others = (form for category, form in forms.items() if category != "one")
    return [word for form in others for name, word in COUNTED.findall(form) if name in NUMBERS and word in singular]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_number_meets_a_singular_noun(language: str) -> None:
    singular = singulars(language)
    found = {key: words for key, forms in texts(language) if (words := misplaced(forms, singular))}
    assert found == {}


@pytest.mark.parametrize(
    ("language", "text"),
    [("en", "{number} point"), ("de", "{number} Stein"), ("it", "{count} pietra"), ("fr", "{number} pierre")],
)
def test_a_number_before_a_singular_noun_would_be_found(language: str, text: str) -> None:
    assert misplaced({"other": text}, singulars(language)) != []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_good_has_its_plural_forms(language: str) -> None:
    amounts = {key: text for key, text in patterns("cathedral", language).items() if key.startswith("amount.")}
    assert len(amounts) == 6
    assert [key for key, text in amounts.items() if isinstance(text, str)] == []


def test_a_stored_text_without_a_count_is_in_the_general_form() -> None:
    assert say("cathedral", "amount.vp", "de", count=1) != say("cathedral", "amount.vp", "de", count=2)
    assert say("cathedral", "thing.stone", "de") == say("cathedral", "thing.stone", "de", count=2)

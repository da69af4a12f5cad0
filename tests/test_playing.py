"""The pages on playing have the same content in every language: sections, paragraphs, links, commands, page texts."""

import re
from pathlib import Path

import pytest

from clerestory.i18n import patterns
from clerestory.i18n.languages import ENGLISH, LANGUAGES

DOCS = Path(__file__).parents[1] / "docs"
OTHERS = [language for language in LANGUAGES if language != ENGLISH]
COMMAND_LINE = re.compile(r"^\.venv/bin/clerestory ([^#\n]*?) *(?:#.*)?$", re.MULTILINE)
KEYS = re.compile(r"^\| (`.+?) \|", re.MULTILINE)
NAMED = re.compile(r"(?<!\*)\*([^*]+)\*(?!\*)")
LINK = re.compile(r"\]\((?:\.\./)?([^)]*)\)")
CODE = re.compile(r"(?<!`)`([^`]+)`(?!`)")
TO_LANGUAGES = re.compile(r"\n\[Deutsch\].*?\n\n", re.DOTALL)  # which only the English page has
ENTRY = re.compile(r":|(?= \()")  # a longer text is identified by its beginning


def page(language: str = ENGLISH) -> str:
    folder = DOCS if language == ENGLISH else DOCS / language
    return (folder / "playing.md").read_text("utf-8")


def every_form(text: str | dict[str, str]) -> list[str]:
    return [text] if isinstance(text, str) else list(text.values())


@pytest.mark.parametrize("language", OTHERS)
def test_every_language_has_the_same_sections_paragraphs_links_keys_and_commands(language: str) -> None:
    text, english = page(language), TO_LANGUAGES.sub("\n", page())
    assert [len(section.split("\n\n")) for section in text.split("\n## ")] == [
        len(section.split("\n\n")) for section in english.split("\n## ")
    ]
    for pattern in (KEYS, LINK, CODE, COMMAND_LINE):
        assert pattern.findall(text) == pattern.findall(english)
    assert len(NAMED.findall(text)) == len(NAMED.findall(english))


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_named_is_on_the_page(language: str) -> None:
    forms = (form for text in patterns("page", language).values() for form in every_form(text))
    said = {" ".join(part.split()).casefold() for form in forms for part in (form, ENTRY.split(form)[0])}
    assert NAMED.findall(page(language))
    assert [name for name in NAMED.findall(page(language)) if " ".join(name.split()).casefold() not in said] == []

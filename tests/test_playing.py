"""The pages on playing say the same in every language: sections, paragraphs, links, commands, the page's own words."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from clerestory.cli.main import app
from clerestory.texts import patterns
from clerestory.texts.languages import ENGLISH, LANGUAGES

DOCS = Path(__file__).parents[1] / "docs"
OTHERS = [language for language in LANGUAGES if language != ENGLISH]
COMMAND = re.compile(r"^\.venv/bin/clerestory (.*)$", re.MULTILINE)
KEYS = re.compile(r"^\| (`.+?) \|", re.MULTILINE)
NAMED = re.compile(r"(?<!\*)\*([^*]+)\*(?!\*)")
LINK = re.compile(r"\]\((?:\.\./)?([^)]*)\)")
CODE = re.compile(r"(?<!`)`([^`]+)`(?!`)")
TO_LANGUAGES = re.compile(r"\n\[Deutsch\].*?\n\n", re.DOTALL)  # which only the English page has
ENTRY = re.compile(r":|(?= \()")  # what a longer text begins with is named by its beginning


def page(language: str = ENGLISH) -> str:
    folder = DOCS if language == ENGLISH else DOCS / language
    return (folder / "playing.md").read_text("utf-8")


def commands(text: str) -> list[str]:
    return [command.partition("#")[0].strip() for command in COMMAND.findall(text)]


def every_form(text: str | dict[str, str]) -> list[str]:
    return [text] if isinstance(text, str) else list(text.values())


@pytest.mark.parametrize("language", OTHERS)
def test_every_language_has_the_same_sections_keys_and_commands(language: str) -> None:
    text, english = page(language), page()
    assert text.count("\n## ") == english.count("\n## ")
    assert KEYS.findall(text) == KEYS.findall(english)
    assert commands(text) == commands(english)


@pytest.mark.parametrize("language", OTHERS)
def test_every_language_says_as_much_as_the_english_page(language: str) -> None:
    text, english = page(language), TO_LANGUAGES.sub("\n", page())
    assert [len(section.split("\n\n")) for section in text.split("\n## ")] == [
        len(section.split("\n\n")) for section in english.split("\n## ")
    ]
    assert LINK.findall(text) == LINK.findall(english)
    assert CODE.findall(text) == CODE.findall(english)
    assert len(NAMED.findall(text)) == len(NAMED.findall(english))


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_named_is_on_the_page(language: str) -> None:
    forms = (form for text in patterns("page", language).values() for form in every_form(text))
    said = {" ".join(part.split()).casefold() for form in forms for part in (form, ENTRY.split(form)[0])}
    assert NAMED.findall(page(language))
    assert [name for name in NAMED.findall(page(language)) if " ".join(name.split()).casefold() not in said] == []


@pytest.mark.parametrize("command", commands(page()))
def test_the_commands_are_understood(command: str) -> None:
    name, *options = shlex.split(command)
    shown = CliRunner().invoke(app, [name, "--help"])
    assert shown.exit_code == 0
    for option in (word for word in options if word.startswith("--")):
        assert option in shown.output

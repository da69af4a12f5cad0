"""The pages on playing say the same in every language: sections, keys, commands, and the page's own words."""

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
NAMED = re.compile(r"(?<![*\w])\*([^*]+)\*")


def page(language: str = ENGLISH) -> str:
    folder = DOCS if language == ENGLISH else DOCS / language
    return (folder / "playing.md").read_text("utf-8")


def commands(text: str) -> list[str]:
    return [command.partition("#")[0].strip() for command in COMMAND.findall(text)]


@pytest.mark.parametrize("language", OTHERS)
def test_every_language_has_the_same_sections_keys_and_commands(language: str) -> None:
    text, english = page(language), page()
    assert text.count("\n## ") == english.count("\n## ")
    assert KEYS.findall(text) == KEYS.findall(english)
    assert commands(text) == commands(english)


@pytest.mark.parametrize("language", OTHERS)
def test_what_is_named_is_on_the_page(language: str) -> None:
    said = {text.casefold() for text in patterns("page", language).values() if isinstance(text, str)}
    assert NAMED.findall(page(language))
    assert [name for name in NAMED.findall(page(language)) if " ".join(name.split()).casefold() not in said] == []


@pytest.mark.parametrize("command", commands(page()))
def test_the_commands_are_understood(command: str) -> None:
    name, *options = shlex.split(command)
    shown = CliRunner().invoke(app, [name, "--help"])
    assert shown.exit_code == 0
    for option in (word for word in options if word.startswith("--")):
        assert option in shown.output

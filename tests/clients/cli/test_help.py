"""`--help` in every language: each sentence that the commands of players declare has its own."""

from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command

from clerestory.cli import LANGUAGE_VARIABLES
from clerestory.cli.helping import LISTED
from clerestory.cli.main import app
from clerestory.i18n import patterns
from clerestory.i18n.languages import LANGUAGES
from tests.clients.cli.command import run
from tests.languages import OTHERS

PLAYERS = ("play", "recommend", "analyze", "hint", "annotate", "lesson", "puzzle", "new", "show", "rules", "replay")
ADDED = {
    "Usage:",
    "Arguments",
    "Options",
    "Show this message and exit.",
    "default",
    "required",
    "env var",
    " or more",
    " to ",
    "at most ",
}  # by click


def sentences(text: str | None) -> Iterator[str]:
    for part in (text or "").split("\n\n"):
        yield " ".join(part.split()).replace(LISTED, "{languages}")


def declared(command: Any) -> Iterator[str]:
    for text in (command.help, *(getattr(option, "help", None) for option in command.params)):
        yield from sentences(text)


def owed() -> set[str]:
    """All that help of players' commands says."""
    group = get_command(app)
    context = group.make_context("clerestory", ["play"], resilient_parsing=True)
    formatter = context.make_formatter()
    told: list[str] = []
    formatter.write_heading = told.append
    formatter.write_dl = lambda rows, *_: told.extend(about for _, about in rows)
    group.format_commands(context, formatter)  # type: ignore[attr-defined]
    commands = [group.resolve_command(context, [name])[1] for name in PLAYERS]  # type: ignore[attr-defined]
    return {*ADDED, *told, *(one for command in (group, *commands) for one in declared(command))} - {""}


def helped(*words: str, **environment: str) -> str:
    return run(*words, **dict.fromkeys(LANGUAGE_VARIABLES) | environment).out


@pytest.mark.parametrize("language", OTHERS)
def test_every_sentence_of_help_has_its_own_in_the_language(language: str) -> None:
    assert set(patterns("help", language)) == owed()


@pytest.mark.parametrize("command", ["hint", "play", "puzzle"])
def test_help_is_told_in_the_language_of_the_environment(command: str) -> None:
    texts = patterns("help", "de")
    told = helped(command, "--help", LANG="de_DE.UTF-8")
    flat = " ".join(told.split())
    assert told.startswith("Aufruf: ")
    assert not [english for english in texts if len(english) > 12 and english in flat]
    assert "[Vorgabe: " in flat
    assert f"Sprache der Texte: {LISTED}" in flat


def test_help_is_told_in_the_language_of_the_option() -> None:
    assert helped("rules", "--language", "he", "--help").startswith(str(patterns("help", "he")["Usage:"]))
    assert helped("rules", "--language=en", "--help", LANG="de").startswith("Usage:")
    assert helped("rules", "--language", "xx", "--help").startswith("Usage:")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_commands_are_listed_in_the_language(language: str) -> None:
    summary = "Play a game in the terminal against bots."
    told = helped("--help", LC_ALL=f"{language}_XX.UTF-8")
    assert f"play        {patterns('help', language).get(summary, summary)}" in told

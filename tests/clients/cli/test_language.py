"""The terminal in every language: chosen by an option or by the environment, with no English left in it."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from rich.cells import cell_len
from typer.main import get_command
from typer.models import OptionInfo

from clerestory.cli import LANGUAGE_VARIABLES
from clerestory.cli.language import LISTED, LanguageOption, language_around
from clerestory.cli.main import app
from clerestory.engine import NATURE, Record
from clerestory.i18n import patterns
from clerestory.i18n.languages import LANGUAGES
from tests.clients.cli.command import POSITIONS, run
from tests.languages import OTHERS, english_in
from tests.search.review.games import cut, random_game

# Text that no language translates: typed input, keys of sources, hashes, search options, ids, lessons.
SAME = re.compile(
    r"`[^`]*`|'bogus'|\b[A-Z]{3,}\b|\b[A-Z]+-[A-Z0-9-]+\b|\b[0-9a-f]{16}\b|\b[a-z_]+=[\w.-]+"
    r"|^│ [a-z0-9_]+ |^  (?:\?|show|peek|undo|quit|help|save [^ ]*)(?= )| {2}[a-z_]+ {2,}(?=.?[0-9])",
    re.MULTILINE,
)
MARKUP = re.compile(r"<(style|title).*?</\1>|<[^>]*>", re.DOTALL)

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


def said(*words: object, typed: str = "", **environment: str) -> str:
    done = run(*words, typed=typed, **dict.fromkeys(LANGUAGE_VARIABLES) | {"COLUMNS": "100"} | environment)
    assert done.code == 0, done.err
    return done.out


def english_left(text: str, language: str) -> dict[str, set[str]]:
    lines = SAME.sub(" ", text).splitlines()
    return {line: words for line in lines if (words := english_in(line, language))}


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A short record and a position of each game."""
    folder = tmp_path_factory.mktemp("records")
    paths = {}
    for game, seats in (("cathedral", 3), ("duel", 2)):
        end = cut(random_game(game, seats, 1), 50)
        paths[game] = folder / f"{game}.jsonl"
        paths[game].write_text("".join(f"{line}\n" for line in Record(end).lines()))
        while end.turn == NATURE:
            end.undo()
        paths[f"{game} position"] = folder / f"{game}.json"
        paths[f"{game} position"].write_text(end.observe(end.turn).to_json())
        whole = folder / f"{game}-whole.jsonl"
        whole.write_text("".join(f"{line}\n" for line in Record(random_game(game, seats, 2)).lines()))
        paths[f"{game} whole"] = whole
    return paths


# Arguments of `clerestory`, with `{...}` for files, and the typed input.
ASKED = {
    "show": (["show", "{cathedral position}"], ""),
    "show duel": (["show", "{duel position}"], ""),
    "recommend": (["recommend", "{duel position}", "--iterations", "300"], ""),
    "hint": (["hint", "{cathedral position}", "--time", "100ms"], ""),
    "analyze": (["analyze", "{cathedral position}", "--iterations", "300"], ""),
    "annotate": (["annotate", "{cathedral}", "--iterations", "50"], ""),
    "replay": (["replay", "{duel whole}"], ""),
    "replay unfinished": (["replay", "{cathedral}"], ""),
    "replay whole": (["replay", "{cathedral whole}"], ""),
    "rules": (["rules", "--game", "duel"], ""),
    "puzzle": (["puzzle", "3"], "bogus\n1\n2\n3\nshow\n"),
    "puzzle solved": (["puzzle", "5", "--game", "duel"], "show\n"),
    "lessons": (["lesson"], ""),
    "lesson": (["lesson", "workers"], "\n\n\n1\n\n2\n\nrestart\n\n\nquit\n"),
    "play": (["play", "--time", "50ms", "--seed", "3"], "help\nbogus\n0\nundo\nsave\n?\n1\nshow\npeek\n1\nquit\n"),
    "play a table": (["play", "--table", "--seed", "3", "--time", "50ms"], "?\n1\n1\n1\nundo\nquit\n"),
    "play duel on": (["play", str(POSITIONS / "duel-2p-phase4-claim.json"), "--time", "20ms"], "1\n" * 400),
    "play duel": (["play", "--game", "duel", "--seed", "3", "--time", "20ms"], "1\n" * 400),
}
QUICK = [
    ("de", "play"),
    ("he", "play duel on"),
    ("fr", "annotate"),
    ("it", "puzzle"),
    ("es", "lesson"),
    ("he", "recommend"),
]


@pytest.mark.parametrize(
    ("language", "asked"),
    [
        pytest.param(language, asked, marks=() if (language, asked) in QUICK else pytest.mark.slow)
        for language in OTHERS
        for asked in ASKED
    ],
)
def test_no_english_is_left(records: dict[str, Path], language: str, asked: str) -> None:
    words, typed = ASKED[asked]
    told = said(*(records[word[1:-1]] if word[0] == "{" else word for word in words), typed=typed, LANG=language)
    assert told.strip()
    assert english_left(told, language) == {}


@pytest.mark.parametrize("language", OTHERS)
def test_no_english_is_left_in_a_report(records: dict[str, Path], language: str, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    said("annotate", str(records["duel"]), "--iterations", "50", "--html", str(page), "--language", language)
    text = page.read_text()
    assert f'lang="{language}" dir="{"rtl" if language == "he" else "ltr"}"' in text
    shown = MARKUP.sub("\n", re.sub(r"<(style|title)>", r"<\1 >", text))
    assert english_left(shown, language) == {}
    captions = re.findall(r'aria-label="([^"]*)"|<title>([^<]*)</title>', text)
    assert english_left("\n".join("".join(caption) for caption in captions), language) == {}


def test_english_would_be_found() -> None:
    assert english_left("Choose the cards that the others may see", "de")
    assert not english_left("`help` zeigt die Befehle.", "de")


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "it_IT.UTF-8"}, "it"),
        ({"LANG": "de"}, "de"),
        ({"LC_ALL": "fr_CA@euro", "LANG": "it_IT"}, "fr"),
        ({"LC_ALL": "", "LC_MESSAGES": "es_ES.UTF-8", "LANG": "it_IT"}, "es"),
        ({"LC_ALL": "C", "LANG": "it_IT"}, "en"),
        ({"LANG": "pt_BR.UTF-8"}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
    ],
)
def test_the_environment_chooses(environment: dict[str, str], language: str) -> None:
    assert language_around(environment) == language


def test_the_option_comes_before_the_environment_and_programs_read_english(records: dict[str, Path]) -> None:
    position = str(records["duel position"])
    italian, english = (
        said("show", position, *more, LANG="de_DE") for more in (["--language", "it"], ["--language", "en"])
    )
    assert str(patterns("terminal", "it")["play.decide"]).partition(" ")[0] in italian
    assert "is to decide" in english
    labels = [one["label"] for one in json.loads(said("show", position, "--json", LANG="de_DE"))["legal"]]
    assert all(label in english for label in labels)


@pytest.mark.parametrize("language", LANGUAGES)
def test_tables_are_aligned(records: dict[str, Path], language: str) -> None:
    told = said("hint", str(records["duel position"]), "--time", "50ms", "--language", language)
    table = [line for line in told.splitlines() if line[:1] in "┏┃┡│└"]
    assert len(table) > 4
    assert len({cell_len(line) for line in table}) == 1


def test_an_action_is_typed_by_its_label() -> None:
    labels = patterns("duel", "it")
    label = str(labels["label.claim"]).replace("{line}", str(labels["line.row.1"]))
    told = said(
        "play", "--game", "duel", "--seed", "3", "--language", "it", "--time", "20ms", typed=f"{label.upper()}\nquit\n"
    )
    assert "Blu: " in told


def test_marks_of_direction_are_only_around_what_would_move(records: dict[str, Path]) -> None:
    italian = said("show", str(records["duel position"]), "--language", "it")
    assert not re.search("[\u200e\u200f\u2066-\u2069]", italian)
    hebrew = said("play", "--game", "duel", "--seed", "3", "--language", "he", typed="bogus\nquit\n")
    assert "\u2068'bogus'\u2069" in hebrew
    assert hebrew.count("\u2068") == hebrew.count("\u2069")


# -- help ------------------------------------------------------------------------------------------


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
def test_every_sentence_of_help_has_its_own_and_one_names_every_variable_that_chooses(language: str) -> None:
    assert set(patterns("help", language)) == owed()
    (about,) = (one.help for one in get_args(LanguageOption) if isinstance(one, OptionInfo))
    sentence = " ".join(sentences(about))
    for told in (sentence, str(patterns("help", language)[sentence])):
        assert [name for name in LANGUAGE_VARIABLES if name not in told] == []


@pytest.mark.parametrize("command", ["hint", "play", "puzzle"])
def test_help_is_in_the_language_of_the_environment(command: str) -> None:
    texts = patterns("help", "de")
    told = helped(command, "--help", LANG="de_DE.UTF-8")
    flat = " ".join(told.split())
    assert told.startswith("Aufruf: ")
    assert not [english for english in texts if len(english) > 12 and english in flat]
    assert "[Vorgabe: " in flat
    assert f"Sprache der Texte: {LISTED}" in flat
    assert f"play        {texts['Play a game in the terminal against bots.']}" in helped("--help", LANG="de")


def test_help_is_in_the_language_of_the_option() -> None:
    assert helped("rules", "--language", "he", "--help").startswith(str(patterns("help", "he")["Usage:"]))
    assert helped("rules", "--language=en", "--help", LANG="de").startswith("Usage:")
    assert helped("rules", "--language", "xx", "--help").startswith("Usage:")

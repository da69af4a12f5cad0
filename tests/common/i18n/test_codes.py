"""Codes of the protocol have texts in every language, and each text accepts the arguments that it receives."""

import ast
import importlib
import json
import re
from functools import cache
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

from clerestory.engine.cathedral.data.state import Step
from clerestory.engine.duel.data.state import STEP_NAMES
from clerestory.i18n import patterns
from clerestory.i18n.languages import LANGUAGES
from tools.texts import arguments

ROOT = Path(__file__).parents[3]
PROTOS = [path.stem for path in (ROOT / "proto" / "clerestory" / "v1").glob("*.proto")]
# The texts of each value of each enumeration, in the named file.
TOLD: dict[str, tuple[str, dict[str, str]]] = {
    "WarningReason": ("service", {}),  # by the name of the value, below
    "ErrorClass": ("review", {}),
    "Phrase": ("page", {}),
    "Hints": ("page", {one: f"new.hints.{one}" for one in ("never", "afterwards", "always")}),
    "TakeBacks": ("page", {one: f"new.back.{one}" for one in ("never", "fair", "all")}),
    "Onlookers": ("page", {one: f"new.watch.{one}" for one in ("none", "link", "all")}),
    "SeatKind": ("page", {"open": "new.open", "person": "new.here", "bot": "new.bot"}),
    "GameStatus": (
        "page",
        {"open": "lobby.waiting", "running": "turn.other", "over": "turn.over", "frozen": "lobby.frozen"},
    ),
    "EndReason": ("page", {"played": "end.wins", "resigned": "end.resigned", "abandoned": "end.abandoned"}),
    "TurnKind": ("page", {"seat": "turn.other", "nature": "turn.chance", "over": "turn.over"}),
}
BY_NAME = {"WarningReason": "warning", "ErrorClass": "class", "Phrase": "phrase"}
FOR_PROGRAMS = {"StopReason"}  # never shown to readers
STEPS = {"cathedral": [step.name.removeprefix("AT_").lower() for step in Step], "duel": list(STEP_NAMES)}
WHO = re.compile(r"^\| `(\w+)` \| ([^|]*)\|", re.MULTILINE)  # a row of the table of steps
SPEAKERS = ("engine", "search", "server")  # folders whose code creates texts


def enumerations() -> dict[str, list[str]]:
    """Return the values of each protocol enumeration except the unspecified one, in lower case, without its name."""
    found = {}
    for proto in PROTOS:
        for name, kind in importlib.import_module(f"clerestory.v1.{proto}_pb2").DESCRIPTOR.enum_types_by_name.items():
            first, *others = (value.name for value in kind.values)
            prefix = first.removesuffix("UNSPECIFIED")
            found[name] = [value.removeprefix(prefix).lower() for value in others]
    return found


@cache
def made() -> list[tuple[str, str, set[str]]]:
    """Return the texts that the code creates from a complete code: file, code, and names of the arguments."""
    found = []
    for path in [path for folder in SPEAKERS for path in sorted((ROOT / folder).rglob("*.py"))]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "text" and node.args:
                code = node.args[0]
                if isinstance(code, ast.Constant) and None not in (names := {word.arg for word in node.keywords}):
                    found.append((f"{path.relative_to(ROOT)}:{node.lineno}", str(code.value), set(map(str, names))))
    return found


def test_every_enumeration_of_the_protocol_is_known_here() -> None:
    assert set(enumerations()) == set(TOLD) | FOR_PROGRAMS


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", TOLD)
def test_every_value_of_the_protocol_has_a_text(name: str, language: str) -> None:
    file, known = TOLD[name]
    texts = patterns(file, language)
    assert [one for one in enumerations()[name] if known.get(one, f"{BY_NAME.get(name)}.{one}") not in texts] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_step_and_phase_has_a_text(language: str) -> None:
    texts = patterns("page", language)
    owed = {f"step.{game}.{step}" for game, steps in STEPS.items() for step in steps}
    otherwise = {"step.cathedral.cathedral.last", "step.duel.turn.second", "step.duel.turn.last"}  # their continuations
    otherwise |= {"step.cathedral.draft.crowded"}
    assert owed | otherwise == {key for key in texts if key.startswith("step.")}
    assert arguments(texts["summary.phase"]) == {"phase", "round"}
    assert arguments(texts["summary.round"]) == {"round"}


@pytest.mark.parametrize("game", ["cathedral", "duel"])
def test_every_decision_is_explained_to_a_first_player(game: str) -> None:
    told = {key.rpartition(".")[2] for key in patterns("first") if key.startswith(f"first.{game}.")}
    steps = WHO.findall((ROOT / "engine" / game / "RULES.md").read_text().split("## 3.")[0].split("## 2.")[1])
    assert told - {"goal"} == {step for step, who in steps if who.strip() not in ("nature", "")}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_that_is_made_uses_its_arguments(language: str) -> None:
    assert len(made()) > 50, "where texts are made has another form"
    for where, code, names in made():
        service, (_, game, *_) = patterns("service", language), where.split("/")
        texts = service if code in service else patterns(game, language)
        assert code in texts, where
        counted = {"count"} if isinstance(texts[code], dict) else set()  # which selects the plural form
        assert names == arguments(texts[code]) | counted, where


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", ["cathedral", "duel"])
def test_every_change_uses_its_arguments(game: str, language: str) -> None:
    texts, items = patterns(game, language), {"item", "count"}
    for key, pattern in texts.items():
        if key.startswith(("thing.", "alone.")):
            assert arguments(pattern) <= items, key
        if key.startswith("cause."):
            assert arguments(pattern) <= {"card"}, key
    service = patterns("service", language)
    assert arguments(service["change.cause"]) == {"amount", "thing", "cause"}
    assert arguments(service["change"]) == {"amount", "thing"}


SOME = {"page": "close", "first": "first.done", "learn": "learn.path", "cathedral": "amount.wood"}  # keys by file


def test_the_page_says_missing_texts_in_english(tmp_path: Path) -> None:
    """Key by key, in any of the page's files."""
    build = run_path(str(ROOT / "clients" / "web" / "build.py"))
    write, read = build["write_texts"], build["read"]

    def lacking(name: str) -> dict[str, Any]:
        found = dict(read(name))
        if name.startswith("de/"):
            found.pop(SOME.get(Path(name).stem, ""), None)
        return found

    write.__globals__.update(read=lacking, MESSAGES=tmp_path)
    write()
    german, italian = (written(tmp_path, language) for language in ("de", "it"))
    for file, key in SOME.items():
        own = f"cathedral.{key}" if file == "cathedral" else key
        assert german[own] == patterns(file)[key]
        assert italian[own] == patterns(file, "it")[key]
    assert german["menu.help"] == patterns("page", "de")["menu.help"]


def written(folder: Path, language: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for path in (folder / "texts").glob(f"*-{language}.ts"):
        keys = path.with_name(f"{path.stem.removesuffix(language)}keys.ts")
        names, texts = (json.loads(one.read_text("utf-8")[len("export default ") : -2]) for one in (keys, path))
        found |= dict(zip(names, texts, strict=True))
    return found

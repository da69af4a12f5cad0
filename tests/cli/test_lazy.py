"""What a command imports: help costs as little as that of an empty command, and a command only what it uses."""

import os
import re
import subprocess
import sys
from pkgutil import resolve_name

import pytest
from typer.testing import CliRunner

from clerestory.cli.bench import bench
from clerestory.cli.main import BAD_INPUT, FAILURES, app
from clerestory.engine import GAMES
from clerestory.engine.names import NAMES

ROOT = "clerestory"
HEAVY = {"asyncio", "google.protobuf", "grpc", "numpy", "rich.console", "uvicorn"}
COMMANDS = ["play", "recommend", "analyze", "hint", "annotate", "puzzle", "serve", "doctor", "web", "health", "new"]
COMMANDS += ["show", "rules", "replay", "simulate", "arena", "tune", "learn", "bench", "completion", "manual"]
BENCHES = ["service", "early", "value", "engine", "search", "budget"]


def imported(*arguments: str) -> set[str]:
    """Return the names of all modules that a command imports."""
    command = [sys.executable, "-X", "importtime", "-m", ROOT, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | {"COLUMNS": "80"})
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["bench", "--help"]])
def test_help_imports_the_command_line_alone(arguments: list[str]) -> None:
    modules = imported(*arguments)
    assert not modules & HEAVY
    ours = {name for name in modules if name.startswith(f"{ROOT}.")}
    assert ours <= {f"{ROOT}.{name}" for name in ("cli", "cli.main", "cli.lazy", "cli.bench")}


# What a command itself needs is imported when it runs, as is pydantic, by which typer converts options.
ENGINES = ("clerestory.engine.games", "clerestory.engine.record", "clerestory.search.ismcts", "clerestory.search.run")
GAMES_KEPT = ("clerestory.games.log", "clerestory.games.store", "clerestory.advice.demand")
NETWORK = ("clerestory.clients", "clerestory.v1", "clerestory.server.app", "clerestory.door.serve")
OTHERS = (
    "prometheus_client",
    "sqlite3",
    "structlog",
    "grpc",
    "google.protobuf",
    "numpy",
    "pydantic",
    "rich",
    "uvicorn",
)
MOST = 30  # modules of ours


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "bench"])
def test_help_of_a_command_imports_neither_games_nor_searches_nor_the_network(command: str) -> None:
    modules = imported(command, "--help")
    assert f"{ROOT}.cli.options" in modules or command in ("serve", "doctor", "web")
    assert not [name for name in modules if name.startswith((*ENGINES, *GAMES_KEPT, *NETWORK, *OTHERS))]
    assert len([name for name in modules if name.startswith(f"{ROOT}.")]) <= MOST


@pytest.mark.parametrize("words", [[name] for name in COMMANDS] + [["bench", name] for name in BENCHES])
def test_every_command_in_the_list_is_there(words: list[str]) -> None:
    done = CliRunner().invoke(app, [*words, "--help"])
    assert done.exit_code == 0, done.output
    assert f"Usage: {' '.join(['root', *words])} [OPTIONS]" in done.output


@pytest.mark.parametrize("words", [[name] for name in COMMANDS] + [["bench", name] for name in BENCHES])
def test_help_names_values_by_what_they_are(words: list[str]) -> None:
    """Not by types of Python; and says of `--game` which game each name stands for."""
    shown = CliRunner(env={"COLUMNS": "200"}).invoke(app, [*words, "--help"]).output
    assert not re.search(r"<(str|path|int|list)\b| TEXT | X  ", shown)
    assert "--game GAME" not in shown or all(f"{name} (" in " ".join(shown.split()) for name in NAMES)


@pytest.mark.parametrize("columns", ["80", "120"])
@pytest.mark.parametrize(("group", "names"), [(app, COMMANDS), (bench, BENCHES)])
def test_the_list_of_commands_is_whole_sentences(group: object, names: list[str], columns: str) -> None:
    shown = CliRunner(env={"COLUMNS": columns}).invoke(group, ["--help"]).output  # type: ignore[arg-type]
    listed = [line.split(maxsplit=1) for line in shown.splitlines() if line.startswith("  ") and line[2] not in " -"]
    assert [name for name, _ in listed if name in names] == names
    assert all(summary.endswith(".") and not summary.endswith("...") for name, summary in listed if name in names)


def test_what_people_use_first_comes_first() -> None:
    shown = CliRunner().invoke(app, ["--help"]).output
    headings = ["Play and ask", "Serve", "Positions and records", "Research", "Install"]
    assert [line.rstrip(":") for line in shown.splitlines() if line.endswith(":") and line[0] != " "][1:] == headings


def test_an_unknown_command_is_answered_with_the_one_that_was_meant() -> None:
    done = CliRunner().invoke(app, ["shwo"])
    assert done.exit_code == 2
    assert "Did you mean 'show'?" in done.output


@pytest.mark.parametrize("name", sorted(BAD_INPUT | FAILURES))
def test_every_error_that_ends_a_command_in_one_line_exists(name: str) -> None:
    found = resolve_name(name)
    assert issubclass(found, Exception)
    assert f"{found.__module__}.{found.__qualname__}" == name


def test_help_names_the_games_that_there_are() -> None:
    assert list(GAMES) == list(NAMES)

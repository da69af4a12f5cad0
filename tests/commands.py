"""The commands in the documents, and their parsers."""

import re
import runpy
import shlex
import sys
import warnings
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
from typer.core import TyperCommand

from tests.parts import missing
from tests.test_links import ROOT, tracked

BLOCK = re.compile(r"^( *)```(?:sh)?\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
OTHER = re.compile(r"^( *)```(?!sh\n)\w+\n.*?^\1```", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
UNFINISHED = re.compile(r"[Mm]issing|are required|requires an argument|expected one argument")
PROGRAM = re.compile(r"(?:\.venv/bin/)?(?:clerestory|python|make|pytest|pip|envoy|node|npm|createdb|curl|openssl) ")
PLACEHOLDERS = {
    "A": "greedy",
    "ADDRESS": "127.0.0.1",
    "B": "random",
    "BOT": "greedy",
    "DAYS": "30",
    "FILE": "examples/catalogues/duel-more-wool.toml",  # input files are replaced by this one
    "FOLDER": "folder",
    "GAME": "cathedral",
    "GAMES": "10",
    "HOST:PORT": "127.0.0.1:1",
    "K": "10",
    "N": "2",
    "NAME": "toy",
    "RUN": "folder",
    "SEATS": "2",
    "SEED": "1",
    "tools.lab.NAME": "tools.lab.regret",
}


@dataclass(frozen=True)
class Command:
    page: str
    text: str  # on one line, without its comment
    whole: bool  # in a block, so it is complete; in a sentence, arguments may be omitted

    @property
    def words(self) -> list[str]:
        """Return the program and its arguments, with placeholders filled in."""
        words = [word for word in shlex.split(self.text) if word != "..."]
        return [PLACEHOLDERS.get(word, word) for word in words]


def commands(page: Path) -> Iterator[Command]:
    """Yield the commands of a page: lines of blocks of shell, and code in sentences that begins with a program."""
    name, text = str(page.relative_to(ROOT)), page.read_text(encoding="utf-8")
    text = OTHER.sub("", text)
    for _, block in BLOCK.findall(text):
        for line in re.sub(r"\\\n *", "", block).splitlines():
            command = re.split(r" +#", line)[0].strip()
            if PROGRAM.match(command):
                yield Command(name, command, whole=True)
    for span in SPAN.findall(BLOCK.sub("", text)):
        if PROGRAM.match(span):
            yield Command(name, " ".join(span.split()), whole=False)


PAGES = [page for page in tracked("*.md") if page.name not in ("reference.md", "CHANGELOG.md")]
COMMANDS = [command for page in PAGES for command in commands(page)]


class Read(Exception):
    """A command was parsed completely, and would run next."""


def fault(command: Command, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the error of a command, "" for none; the command is parsed, not run."""
    program, *rest = command.words
    found: str = READERS[Path(program).name](rest, monkeypatch)
    return "" if not command.whole and UNFINISHED.search(found) else found


def read_by_clerestory(rest: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """Parse with this project's command line; cards are not loaded, because they would stay loaded."""
    monkeypatch.setattr("clerestory.cli.options.use_catalogue", Path.read_bytes)
    return read_by_module(["-m", "clerestory", *rest], monkeypatch)


def read_by_module(rest: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """Let a Python module parse its arguments with argparse or typer; or look for a script."""
    if rest[0] != "-m":
        return existing(rest[0])
    said, parse = TextIOWrapper(BytesIO(), write_through=True), ArgumentParser.parse_args

    def parsed(self: ArgumentParser, *arguments: Any) -> None:
        parse(self, *arguments)
        raise Read

    def refused(self: ArgumentParser, message: str) -> None:
        said.write(message)
        raise Read

    def invoked(self: TyperCommand, context: object) -> None:
        raise Read

    monkeypatch.setattr(ArgumentParser, "parse_args", parsed)
    monkeypatch.setattr(ArgumentParser, "error", refused)
    monkeypatch.setattr(TyperCommand, "invoke", invoked)
    monkeypatch.setattr(sys, "argv", [rest[1], *rest[2:]])
    monkeypatch.setattr(sys, "stderr", said)
    with warnings.catch_warnings(action="ignore"):
        try:
            runpy.run_module(rest[1], run_name="__main__")
        except Read:
            return in_text(said)
        except SystemExit as end:
            return in_text(said) or str(end.code or "")  # 0 for an option that prints and exits
        except ModuleNotFoundError as error:
            if (error.name or "").split(".")[0] in ("clerestory", "loadtest", "tests", "tools"):
                raise
            missing(str(error.name), "make .venv/.load")
    return "it has no parser"


def in_text(said: TextIOWrapper) -> str:
    return said.buffer.getvalue().decode()  # type: ignore[attr-defined, no-any-return]


def read_by_make(rest: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> str:
    text = (ROOT / "Makefile").read_text()
    names = [rf"^{re.escape(word.split('=')[0])} *\?=" if "=" in word else rf"^{word}:" for word in rest]
    names = [name.replace(".venv", r"\$\(VENV\)") for name in names]
    return "".join(f"no {name}" for name in names if not re.search(name, text, re.MULTILINE))


def read_by_pip(rest: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """Check the extras of the package."""
    extras = re.findall(r"clerestory\[(\w+)\]", " ".join(rest))
    text = (ROOT / "pyproject.toml").read_text()
    return "".join(f"no extra {name}" for name in extras if not re.search(rf"^{name} = ", text, re.MULTILINE))


def existing(*names: str) -> str:
    """Return which of the project's files named by a command do not exist."""
    return "".join(f"no {name}" for name in names if not any(ROOT.glob(name)) and not any(ROOT.glob(f"*/*/*/{name}")))


def read_by_others(rest: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """Check which of our files are given to other programs."""
    return existing(*(word for word in rest if re.fullmatch(r"[\w./*-]+\.(?:yaml|py|mjs|json)", word)))


READERS = {
    "clerestory": read_by_clerestory,
    "python": read_by_module,
    "make": read_by_make,
    "pip": read_by_pip,
    **dict.fromkeys(("pytest", "envoy", "node", "npm", "createdb", "curl", "openssl"), read_by_others),
}

"""The commands in the documents work.

Those of README, playing, hosting and clients are run, except those of READ. All others take long, or need other hosts:
they are read by the real parsers, which check every option.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest
from typer.testing import CliRunner

from clerestory.cli.embedded import embedded_server
from clerestory.cli.main import app
from tests.commands import COMMANDS, Command, commands, fault
from tests.conftest import TOKEN
from tests.test_links import ROOT

RUN_PAGES = ("README.md", "docs/playing.md", "docs/hosting.md", "docs/clients.md")

# What is run in the order of the page, in one folder: what it says, and what makes it short.
RUN: dict[str, tuple[str, Sequence[str]]] = {
    "clerestory play --seats human,level:5,level:8": ("red", ("--time", "20ms")),
    "clerestory play --game duel": ("red", ("--time", "20ms")),
    "clerestory puzzle --game cathedral": ("Puzzle", ()),
    "clerestory new --game cathedral --seats 3 --seed 7 --out position.json": ("", ()),
    "clerestory show position.json": ("round 1", ()),
    "clerestory hint position.json --time 2s --watch": ("%", ("--time", "100ms")),
    "clerestory recommend position.json --time 500ms": ("%", ("--time", "100ms")),
    "clerestory simulate --game cathedral --seats 4 --games 10 --out games.jsonl": ("games", ()),
    "clerestory replay games.jsonl --ply 120": ("round", ()),
    "clerestory annotate games.jsonl --html review.html": ("luck", ("--iterations", "50")),
    "clerestory rules --game cathedral": ("Cold winter", ()),
    "clerestory rules --language it": ("carta", ()),
}

# What goes on until it is told to end: it is started at free ports, and its page is looked at.
SERVERS = {
    "clerestory serve --web 127.0.0.1:8080",
    ".venv/bin/clerestory serve --web 127.0.0.1:8080",
    "clerestory serve --web 0.0.0.0:8080 --insecure",
    "clerestory serve --web 127.0.0.1:8080 --web-name play.example.org --web-proxy 127.0.0.1 --token-file tokens",
    "clerestory web --server 10.0.0.5:50051 --listen 127.0.0.1:8080",
    "clerestory play --web",
    ".venv/bin/clerestory play --web --game duel --seats human,level:4",
}

CURL = (
    'curl -H \'content-type: application/json\' -d \'{"game": "duel", "seats": 2}\' '
    "http://127.0.0.1:8080/clerestory.v1.RulesService/StartPosition"
)

# What is only read, and why.
READ = {
    "make demo": "it builds everything; tests/test_docs.py compares it with the README",
    "make test": "it is what runs this",
    "clerestory rules --check FILE": "tests/cli/test_catalogues.py runs it",
    "clerestory --catalogue FILE play": "tests/cli/test_catalogues.py runs it",
    "clerestory --catalogue FILE serve": "`serve` and `--catalogue` are run apart from each other",
    "clerestory serve --listen 127.0.0.1:50051": "the examples of the README run with such a server",
    "clerestory web --token-file": "tests/cli/test_web.py runs it",
    "envoy -c deploy/envoy-web.yaml": "tests/browser/test_envoy.py runs it",
    "pip install FOLDER": "it needs a package index",
    ".venv/bin/pip install 'clerestory[postgres]'": "the same",
    "make wheels WHEELS=python3.13": "the same",
    "pip download --only-binary :all: --python-version 3.13 --find-links dist --dest wheels 'clerestory[postgres]'": (
        "the same"
    ),
    "clerestory health": "tests/cli/test_health.py runs it",
    "createdb --owner clerestory clerestory": "it needs a database",
    "createdb restored": "the same",
    "clerestory store backup copy.sqlite": "tests/cli/test_store.py runs it, and those below",
    "clerestory store check --store copy.sqlite": "the same",
    "clerestory store restore copy.sqlite": "the same",
    "clerestory store migrate --to 2": "the same",
    "clerestory store check": "the same",
    "clerestory serve --listen 10.0.0.5:50051 --insecure --store 'postgresql://clerestory@db.example/clerestory'": (
        "the same"
    ),
    "clerestory play --table": "tests/cli/test_play.py runs it",
    "python clients/typescript/pack.py FOLDER": "tests/clients/test_typescript.py packs it",
    "python -m lab.page figures": "it takes minutes",
    "python -m lab.load.outage --away 3,20,45": "it takes minutes",
    "python -m tests.faults.fleet": "tests/faults/test_fleet.py runs a piece of it",
}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: f"{command.page}: {command.text[:60]}")
def test_every_option_of_a_command_is_one(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert fault(command, monkeypatch) == ""


@pytest.mark.parametrize(
    "text",
    [
        "clerestory serve --wib 127.0.0.1:8080",
        "clerestory serve --workers some",
        "clerestory serf",
        "python -m lab.load.openloop --capacitee 1",
        "python -m lab.regret table --iterations many",
        "python -m lab.regret",
        "make tset",
        "make soak SOAK_HOURS=1",
        "pip install 'clerestory[nothing]'",
        "envoy -c deploy/gone.yaml",
        "python proto/gone.py",
    ],
)
def test_a_command_that_does_not_work_is_found(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert fault(Command("page", text, whole=True), monkeypatch) != ""


@pytest.mark.parametrize("command", [one for one in COMMANDS if "--try" in one.words], ids=lambda one: one.text)
def test_an_action_that_is_tried_is_one_of_its_puzzle(command: Command) -> None:
    result = CliRunner().invoke(app, command.words[1:])
    assert result.exit_code == 0, result.exception


def test_every_command_of_the_pages_is_run_or_has_a_reason() -> None:
    listed = [*RUN, *SERVERS, CURL, *READ]
    assert len(listed) == len(set(listed))
    pages = {command.text for command in COMMANDS if command.page in RUN_PAGES}
    assert pages == {text for text in listed if text in pages or text not in READ}
    assert set(READ) <= {command.text for command in COMMANDS}


# -- running ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_commands_that_end_say_what_they_should(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order of the pages, each with the files of those before; somebody who plays says nothing."""
    monkeypatch.chdir(tmp_path)
    texts = [command.text for page in RUN_PAGES for command in commands(ROOT / page) if command.text in RUN]
    assert texts == list(RUN)
    for text in texts:
        said, shorter = RUN[text]
        result = CliRunner().invoke(app, [*Command("", text, whole=True).words[1:], *shorter])
        assert result.exit_code == 0, f"{text}: {result.output}"
        assert said in result.output, f"{text}: {result.output}"
    assert {path.name for path in tmp_path.iterdir()} == {"position.json", "games.jsonl", "review.html"}


@contextmanager
def served(text: str, server: str, folder: Path) -> Iterator[str]:
    """Start a command that serves a page, at free ports of this machine; yield the address of the page."""
    _, *words = Command("", text, whole=True).words
    words = [re.sub(r"(127\.0\.0\.1|0\.0\.0\.0):8080", "127.0.0.1:0", word) for word in words]
    words = [server if word == "10.0.0.5:50051" else word for word in words]
    if words[0] == "serve":
        words += ["--listen", "127.0.0.1:0", "--store", "memory:"]
    environment = os.environ | {"BROWSER": "true"}  # a program that does nothing
    command = [sys.executable, "-m", "clerestory", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder, env=environment) as process:
        try:
            assert process.stdout is not None
            lines = map(re.compile(r"(http://\S+)").search, process.stdout)
            yield next(found[1] for found in lines if found)
        finally:
            process.send_signal(signal.SIGTERM)
    assert process.returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("text", sorted(SERVERS))
def test_a_command_that_serves_shows_its_page(text: str, tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text(TOKEN)
    with embedded_server("--workers", "1") as server, served(text, server, tmp_path) as url, urlopen(url) as page:
        assert b"<title>" in page.read()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
def test_the_call_by_hand_gets_a_position(tmp_path: Path) -> None:
    with served("clerestory serve --web 127.0.0.1:8080", "", tmp_path) as url:
        words = [word.replace("http://127.0.0.1:8080/", url) for word in Command("", CURL, whole=True).words]
        answer = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert '"referee"' in answer

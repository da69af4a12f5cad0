"""The commands in the documents work.

Those of README, playing, hosting and clients that end or serve a page are run. All others take long, or need other
hosts: they are parsed by the real parsers, which check every option.
"""

import json
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

from clerestory.cli.main import app
from clerestory.v1.advisor_pb2 import Line, RecommendMoveResponse
from tests.clients.cli.command import EXAMPLES
from tests.commands import COMMANDS, Command, commands, fault
from tests.conftest import TOKEN
from tests.parts import require_program
from tests.test_links import ROOT

RUN_PAGES = ("README.md", "docs/playing.md", "docs/hosting.md", "docs/clients.md")
ON_PAGES = [command.text for page in RUN_PAGES for command in commands(ROOT / page)]

# Commands that end, in the order of the pages: their output, and options that shorten them.
RUN: dict[str, tuple[str, Sequence[str]]] = {
    "clerestory play --seats person,level:5,level:8": ("red", ("--time", "20ms")),
    "clerestory play --game duel": ("red", ("--time", "20ms")),
    "clerestory puzzle --game cathedral": ("Puzzle", ()),
    "clerestory new --game cathedral --seats 3 --seed 7 --out position.json": ("", ()),
    "clerestory show position.json": ("round 1", ()),
    "clerestory hint position.json --time 2s --watch": ("%", ("--time", "100ms")),
    "clerestory recommend position.json --time 500ms": ("%", ("--time", "100ms")),
    "clerestory recommend position.json --consider pass --consider 'take sand_2' --lines 1": ("%", ("--time", "100ms")),
    "clerestory simulate --game cathedral --seats 4 --games 10 --out games.jsonl": ("games", ()),
    "clerestory replay games.jsonl --brief": ("wins", ()),
    "clerestory replay games.jsonl --ply 120": ("round", ()),
    "clerestory annotate games.jsonl --html review.html": ("luck", ("--iterations", "50")),
    "clerestory rules --game cathedral": ("Cold winter", ()),
    "clerestory analyze position.json --rates --time 2s": ("%", ("--time", "100ms")),
}

# Commands that serve a page until they are stopped.
SERVE = re.compile(r"clerestory (serve --web |web --server|play --web)(?!.*postgresql)")
SERVERS = sorted({text for text in ON_PAGES if SERVE.search(text)})

CALLS = [text for text in ON_PAGES if text.startswith("curl ")]
ANSWERS = ("referee", "seat")  # the first field of each

PUSH_KEY = "openssl ecparam -name prime256v1 -genkey -noout -out push.pem"

# Scripts of loadtest need packages that only the system tests install.
READ = [
    pytest.param(command, marks=[pytest.mark.system] if "loadtest" in command.text else [], id=f"{command.page}:{text}")
    for command in COMMANDS
    for text in [command.text[:60]]
]


@pytest.mark.parametrize("command", READ)
def test_every_option_of_a_command_exists(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert fault(command, monkeypatch) == ""


@pytest.mark.parametrize(
    "text",
    [
        "clerestory serve --wib 127.0.0.1:8080",
        "clerestory serve --workers some",
        "python -m tools.lab.regret table --iterations many",
        "make tset",
        "pip install 'clerestory[nothing]'",
        "envoy -c deploy/gone.yaml",
        "python proto/gone.py",
    ],
)
def test_a_faulty_command_is_found(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert fault(Command("page", text, whole=True), monkeypatch) != ""


@pytest.mark.parametrize("command", [one for one in COMMANDS if "--try" in one.words], ids=lambda one: one.text)
def test_an_action_that_is_tried_is_one_of_its_puzzle(command: Command) -> None:
    result = CliRunner().invoke(app, command.words[1:])
    assert result.exit_code == 0, result.exception


@pytest.mark.system
def test_commands_that_end_say_what_they_should(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command uses the files of earlier ones; a player gives no input."""
    monkeypatch.chdir(tmp_path)
    assert [text for text in ON_PAGES if text in RUN] == list(RUN)
    for text, (said, shorter) in RUN.items():
        result = CliRunner().invoke(app, [*Command("", text, whole=True).words[1:], *shorter])
        assert result.exit_code == 0, f"{text}: {result.output}"
        assert said in result.output, f"{text}: {result.output}"
    assert {path.name for path in tmp_path.iterdir()} == {"position.json", "games.jsonl", "review.html"}


@contextmanager
def served(text: str, server: str, folder: Path) -> Iterator[str]:
    """Start a command that serves a page, on free ports of this machine; yield the address of the page."""
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


@pytest.mark.system
@pytest.mark.parametrize("text", SERVERS)
def test_a_command_that_serves_shows_its_page(text: str, target: str, tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text(TOKEN)
    if "push.pem" in text:
        make_push_key(tmp_path)
    with served(text, target, tmp_path) as url, urlopen(url) as page:
        assert b"<title>" in page.read()


def make_push_key(folder: Path) -> None:
    """Make a key for push messages as the documents say."""
    openssl = require_program("openssl", "apt-get install openssl")
    assert PUSH_KEY in (ROOT / "docs" / "hosting.md").read_text()
    subprocess.run([openssl, *PUSH_KEY.split()[1:]], cwd=folder, check=True)


@pytest.mark.system
def test_the_calls_by_hand_get_answers(tmp_path: Path) -> None:
    require_program("curl", "apt-get install curl")
    shutil.copy(EXAMPLES / "positions" / "cathedral-3p-round4-draft.json", tmp_path / "position.json")
    with served("clerestory serve --web 127.0.0.1:8080", "", tmp_path) as url:
        for call, field in zip(CALLS, ANSWERS, strict=True):
            line = ["sh", "-c", call.replace("http://127.0.0.1:8080/", url)]
            done = subprocess.run(line, capture_output=True, text=True, check=True, cwd=tmp_path)
            assert next(iter(json.loads(done.stdout))) == field


def test_the_answer_in_the_documents_has_fields_of_the_message() -> None:
    [shown] = re.findall(r'^{"seat".*}$', (ROOT / "docs" / "hosting.md").read_text(), re.MULTILINE)
    [line] = json.loads(shown)["lines"]
    assert {*json.loads(shown)} - {"..."} <= {*RecommendMoveResponse.DESCRIPTOR.fields_by_name}
    assert {*line} - {"..."} <= {*Line.DESCRIPTOR.fields_by_name}

"""Clients in other languages: gRPC at the port, Connect and plain `fetch` at the page."""

import json
import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from clerestory import __version__
from tests.clients.node import EXAMPLES, ROOT, installed, node
from tests.clients.python.relay import cutting
from tests.parts import missing, require_program
from tests.server.gateway.harness import address_of
from tools.lab.browser import page_server

PLAYERS = {
    "python": EXAMPLES / "grpc" / "play.py",
    "ruby": EXAMPLES / "ruby" / "play.rb",
    "node": EXAMPLES / "node" / "play.mjs",
    "connect": EXAMPLES / "connect" / "play.mjs",
    "connect-python": EXAMPLES / "connect_python" / "play.py",
    "fetch": EXAMPLES / "fetch" / "play.mjs",
}
POSITION = str(ROOT / "examples" / "positions" / "cathedral-3p-round4-draft.json")
RUBY = "apt-get install ruby-grpc protobuf-compiler protobuf-compiler-grpc"
PROTOS = sorted(map(str, (ROOT / "proto" / "clerestory" / "v1").glob("*.proto")))
PROTOC = (sys.executable, "-m", "grpc_tools.protoc", f"-I{ROOT / 'proto'}", f"-I{ROOT / 'proto' / 'third_party'}")
system = pytest.mark.system


@pytest.mark.parametrize("language", PLAYERS)
def test_an_example_is_short(language: str) -> None:
    assert len(PLAYERS[language].read_text().splitlines()) <= 60


@pytest.fixture(scope="module")
def page() -> Iterator[str]:
    with page_server("--workers", "1", "--max-time", "0.02") as (_, url):
        yield url.rstrip("/")


def assert_played(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, done.stderr
    *moves, end = done.stdout.splitlines()
    assert moves
    assert end.startswith("shares of the win: ")


def run(*command: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | variables
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=500)


@system
def test_a_client_in_python_without_ours_plays_a_game(target: str) -> None:
    assert_played(run(sys.executable, PLAYERS["python"], target, "toy", PYTHONPATH=str(ROOT / "proto")))


@system
def test_a_client_in_ruby_plays_a_game(target: str, tmp_path: Path) -> None:
    ruby, protoc, plugin = (require_program(name, RUBY) for name in ("ruby", "protoc", "grpc_ruby_plugin"))
    sources = (ROOT / "proto", ROOT / "proto" / "third_party", files("grpc_tools") / "_proto")
    folders = (*(f"-I{folder}" for folder in sources), f"--ruby_out={tmp_path}", f"--grpc_out={tmp_path}")
    subprocess.run([protoc, *folders, f"--plugin=protoc-gen-grpc={plugin}", *PROTOS], check=True)
    assert_played(run(ruby, "-I", tmp_path, PLAYERS["ruby"], target, "toy"))


@pytest.fixture(scope="module")
def in_node(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed("node", tmp_path_factory.mktemp("example"))


@system
def test_a_client_in_node_plays_a_game(in_node: Path, target: str) -> None:
    assert_played(node("play.mjs", target, "toy", folder=in_node))


@system
@pytest.mark.parametrize("method", ["recommend", "analyze"])
def test_a_client_in_node_asks_for_advice_and_shows_the_reason_of_an_error(
    in_node: Path, target: str, method: str, tmp_path: Path
) -> None:
    done = node("recommend.mjs", target, POSITION, "900", method, folder=in_node)
    assert (done.returncode, done.stderr) == (0, "")
    assert "win share" in done.stdout
    *tables, last = [line for line in done.stdout.splitlines() if line.startswith("table")] or [", final"]
    assert last.endswith(", final")
    assert not any(table.endswith(", final") for table in tables)
    position = tmp_path / "position.json"
    position.write_text(json.dumps({"rules_revision": 1, "toy": {"round": 9}}))
    done = node("recommend.mjs", target, position, "200", method, folder=in_node)
    assert (done.returncode, done.stderr.partition(":")[0]) == (1, "BAD_POSITION")
    assert "toy.round" in done.stderr


@system
def test_a_client_in_node_says_what_is_wrong_in_one_line(in_node: Path) -> None:
    done = node("recommend.mjs", "unix:/nowhere/socket", POSITION, "200", folder=in_node)
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    done = node("recommend.mjs", "localhost:1", POSITION, "soon", folder=in_node)
    assert (done.returncode, done.stderr.split(":")[0]) == (2, "usage")


@system
def test_a_client_of_connect_in_node_plays_a_game(tmp_path: Path, page: str) -> None:
    folder = installed("connect", tmp_path)
    subprocess.run([*PROTOC, "--include_imports", f"-o{folder / 'messages'}", *PROTOS], check=True)
    assert_played(node("play.mjs", page, folder / "messages", "toy", folder=folder))


@system
def test_a_client_of_connect_in_python_plays_a_game(tmp_path: Path, page: str) -> None:
    """It compresses its requests by default."""
    programs, made = tmp_path / "env" / "bin", tmp_path / "made"
    venv.create(tmp_path / "env", with_pip=True)
    plugins = ("protoc-gen-py", "protoc-gen-connectrpc")
    done = run(programs / "pip", "install", "-q", "connectrpc", *plugins)
    if done.returncode:
        missing(f"connectrpc ({done.stderr.strip()[-200:]})", "pip install, with a network")
    made.mkdir()
    making = (*(f"--plugin={programs / plugin}" for plugin in plugins), f"--py_out={made}", f"--connectrpc_out={made}")
    subprocess.run([*PROTOC, *making, *PROTOS], check=True)
    assert_played(run(programs / "python", PLAYERS["connect-python"], page, "toy", PYTHONPATH=str(made)))


@system
def test_a_client_with_fetch_plays_a_game(page: str) -> None:
    done = node(PLAYERS["fetch"], page, "toy")
    assert_played(done)
    assert done.stderr == ""


@system
def test_a_client_with_fetch_goes_on_through_connections_that_break(page: str) -> None:
    cuts = [3000, 2500, 1500, 1000, 900, 600, 100, 20]
    with cutting(address_of(page + "/"), cuts) as relay:
        done = node(PLAYERS["fetch"], relay, "toy")
    assert_played(done)
    assert cuts == []
    assert "waiting for the server" in done.stderr


@system
def test_a_client_with_fetch_shows_the_words_of_an_error(page: str) -> None:
    done = node(PLAYERS["fetch"], page, "chess")
    assert done.returncode != 0
    assert "'chess' is not one of" in done.stderr


def test_the_package_in_typescript_has_the_version_of_the_server_and_no_address() -> None:
    text = (ROOT / "clients" / "typescript" / "package.json").read_text()
    wanted = json.loads(text)["dependencies"]
    built = json.loads((ROOT / "clients" / "web" / "package.json").read_text())["dependencies"]
    assert (json.loads(text)["version"], "://" in text) == (__version__, False)
    assert wanted == {name: f"^{built[name]}" for name in wanted}  # what the page is tested with

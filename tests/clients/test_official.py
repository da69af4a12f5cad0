"""Official clients play whole games from the .proto files alone: gRPC at the port, Connect at the door."""

import os
import shutil
import subprocess
import sys
import venv
from importlib.resources import files
from pathlib import Path

import pytest

from lab.browser import page_server

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "clients" / "examples"
FILES = {
    "python": EXAMPLES / "grpc" / "play.py",
    "ruby": EXAMPLES / "ruby" / "play.rb",
    "node": EXAMPLES / "node" / "play.mjs",
    "connect": EXAMPLES / "connect" / "play.mjs",
    "connect-python": EXAMPLES / "connect_python" / "play.py",
}
PLUGIN = "grpc_ruby_plugin"
PROTOS = sorted(map(str, (ROOT / "proto" / "clerestory" / "v1").glob("*.proto")))
PROTOC = (sys.executable, "-m", "grpc_tools.protoc", f"-I{ROOT / 'proto'}", f"-I{ROOT / 'third_party'}")

pytestmark = pytest.mark.slow


def played(*command: str, **variables: str) -> None:
    """Hold a command to playing a game to its end."""
    environment = os.environ | variables
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    *moves, end = done.stdout.splitlines()
    assert moves
    assert end.startswith("shares of the win: ")


def test_python(target: str) -> None:
    played(sys.executable, str(FILES["python"]), target, "toy", PYTHONPATH=str(ROOT / "proto"))


def test_ruby(target: str, tmp_path: Path) -> None:
    if not all(map(shutil.which, ("ruby", "protoc", PLUGIN))):
        pytest.skip("there is no Ruby with gRPC: apt-get install ruby-grpc protobuf-compiler protobuf-compiler-grpc")
    plugin = f"--plugin=protoc-gen-grpc={shutil.which(PLUGIN)}"
    sources = (ROOT / "proto", ROOT / "third_party", files("grpc_tools") / "_proto")
    folders = (*(f"-I{folder}" for folder in sources), f"--ruby_out={tmp_path}", f"--grpc_out={tmp_path}")
    subprocess.run(["protoc", *folders, plugin, *PROTOS], check=True)
    played("ruby", "-I", str(tmp_path), str(FILES["ruby"]), target, "toy")


def installed(example: Path, tmp_path: Path) -> Path:
    """Return a copy of an example for Node with its packages; skips where they cannot be had."""
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("node and npm are not here: apt-get install nodejs npm")
    folder = tmp_path / "example"
    shutil.copytree(example.parent, folder, ignore=shutil.ignore_patterns("node_modules"))
    done = subprocess.run(["npm", "install", "--no-audit", "--no-fund"], cwd=folder, capture_output=True, check=False)
    if done.returncode:
        pytest.skip("npm install: the packages of the example cannot be had")
    return folder


def test_node(target: str, tmp_path: Path) -> None:
    folder = installed(FILES["node"], tmp_path)
    played("node", str(folder / "play.mjs"), target, "toy", CLERESTORY_ROOT=str(ROOT))


def test_connect_for_node(tmp_path: Path) -> None:
    folder = installed(FILES["connect"], tmp_path)
    subprocess.run([*PROTOC, "--include_imports", f"-o{folder / 'messages'}", *PROTOS], check=True)
    with page_server("--workers", "1") as (_, url):
        played("node", str(folder / "play.mjs"), url.rstrip("/"), str(folder / "messages"), "toy")


def test_connect_for_python(tmp_path: Path) -> None:
    """The client compresses its requests, as it does when nobody tells it to."""
    programs, made = tmp_path / "env" / "bin", tmp_path / "made"
    venv.create(tmp_path / "env", with_pip=True)
    plugins = ("protoc-gen-py", "protoc-gen-connectrpc")
    had = subprocess.run(
        [programs / "pip", "install", "-q", "connectrpc", *plugins], capture_output=True, text=True, check=False
    )
    if had.returncode:
        pytest.skip("pip install: connectrpc cannot be had")
    made.mkdir()
    making = (*(f"--plugin={programs / plugin}" for plugin in plugins), f"--py_out={made}", f"--connectrpc_out={made}")
    subprocess.run([*PROTOC, *making, *PROTOS], check=True)
    with page_server("--workers", "1") as (_, url):
        played(str(programs / "python"), str(FILES["connect-python"]), url.rstrip("/"), "toy", PYTHONPATH=str(made))


@pytest.mark.parametrize("language", FILES)
def test_each_is_short(language: str) -> None:
    assert len(FILES[language].read_text().splitlines()) <= 60

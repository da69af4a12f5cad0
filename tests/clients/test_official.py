"""Official clients play whole games from the .proto files alone: gRPC at the port, Connect at the door."""

import os
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from lab.browser import page_server

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "clients" / "examples"
FILES = {
    "python": EXAMPLES / "grpc" / "play.py",
    "ruby": EXAMPLES / "ruby" / "play.rb",
    "connect": EXAMPLES / "connect" / "play.mjs",
}
PLUGIN = "grpc_ruby_plugin"

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
    protos = sorted(map(str, (ROOT / "proto" / "clerestory" / "v1").glob("*.proto")))
    plugin = f"--plugin=protoc-gen-grpc={shutil.which(PLUGIN)}"
    sources = (ROOT / "proto", ROOT / "third_party", files("grpc_tools") / "_proto")
    folders = (*(f"-I{folder}" for folder in sources), f"--ruby_out={tmp_path}", f"--grpc_out={tmp_path}")
    subprocess.run(["protoc", *folders, plugin, *protos], check=True)
    played("ruby", "-I", str(tmp_path), str(FILES["ruby"]), target, "toy")


def test_connect_for_node(tmp_path: Path) -> None:
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("node and npm are not here: apt-get install nodejs npm")
    folder = tmp_path / "connect"
    shutil.copytree(FILES["connect"].parent, folder, ignore=shutil.ignore_patterns("node_modules"))
    installed = subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund"], cwd=folder, capture_output=True, check=False
    )
    if installed.returncode:
        pytest.skip("npm install: @connectrpc/connect-node cannot be had")
    roots = (f"-I{ROOT / 'proto'}", f"-I{ROOT / 'third_party'}")
    protos = sorted(map(str, (ROOT / "proto" / "clerestory" / "v1").glob("*.proto")))
    making = (sys.executable, "-m", "grpc_tools.protoc", *roots, "--include_imports", f"-o{folder / 'messages'}")
    subprocess.run([*making, *protos], check=True)
    with page_server("--workers", "1") as (_, url):
        played("node", str(folder / "play.mjs"), url.rstrip("/"), str(folder / "messages"), "toy")


@pytest.mark.parametrize("language", FILES)
def test_each_is_short(language: str) -> None:
    assert len(FILES[language].read_text().splitlines()) <= 60

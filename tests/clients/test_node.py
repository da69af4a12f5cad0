"""The example client in Node, made from the .proto files alone."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "clients" / "examples" / "node"
POSITION = str(ROOT / "examples" / "positions" / "cathedral-3p-round4-draft.json")


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"CLERESTORY_ROOT": str(ROOT)}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the example with its packages; skips where they cannot be had."""
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("node and npm are not here")
    folder = tmp_path_factory.mktemp("example") / "node"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("node_modules"))
    installed = run("npm", "install", "--no-audit", "--no-fund", cwd=folder)
    if installed.returncode != 0:
        pytest.skip(f"npm install: {installed.stderr.strip()[-200:]}")
    return folder


def test_recommend(example: Path, target: str) -> None:
    done = run("node", "recommend.mjs", target, POSITION, "200", cwd=example)
    assert (done.returncode, done.stderr) == (0, "")
    assert "win share" in done.stdout


def test_analyze(example: Path, target: str) -> None:
    for time in ("900", "9000"):  # a busy machine may have no table before the end
        done = run("node", "recommend.mjs", target, POSITION, time, "analyze", cwd=example)
        assert (done.returncode, done.stderr) == (0, "")
        tables = [line for line in done.stdout.splitlines() if line.startswith("table")]
        if len(tables) > 1:
            break
    assert len(tables) > 1
    assert [table.endswith(", final") for table in tables] == [False] * (len(tables) - 1) + [True]


def test_an_error_is_one_line(example: Path) -> None:
    done = run("node", "recommend.mjs", "unix:/nowhere/socket", POSITION, "200", cwd=example)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("method", ["recommend", "analyze"])
def test_an_error_of_the_server_begins_with_the_reason_of_its_error_info(
    example: Path, target: str, tmp_path: Path, method: str
) -> None:
    position = tmp_path / "position.json"
    position.write_text('{"rules_revision": 1, "toy": {"round": 9}}')
    done = run("node", "recommend.mjs", target, str(position), "200", method, cwd=example)
    assert (done.returncode, done.stderr.partition(":")[0]) == (1, "BAD_POSITION")
    assert "toy.round" in done.stderr


def test_wrong_usage(example: Path) -> None:
    done = run("node", "recommend.mjs", "localhost:1", POSITION, "soon", cwd=example)
    assert (done.returncode, done.stderr.split(":")[0]) == (2, "usage")

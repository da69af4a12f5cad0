"""The distributions build in isolation and work in an empty environment."""

import json
import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from tools.release import lowest
from tools.wheels import MOST

ROOT = Path(__file__).parents[1]
POSITION = ROOT / "examples" / "positions" / "cathedral-3p-round4-draft.json"

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("package")]


def run(*command: str | Path, cwd: Path) -> str:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(list(map(str, command)), cwd=cwd, env=clean, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist and the wheel that was built from it, both in isolation."""
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", out, ROOT, cwd=out)
    return out


def test_wheel_holds_modules_stubs_and_types_but_no_sources(dist: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    for wanted in ("py.typed", "engine/core.pyi", "v1/advisor_pb2.py", "v1/advisor_pb2_grpc.pyi"):
        assert f"clerestory/{wanted}" in names
    assert any(name.startswith("clerestory/engine/core.") and name.endswith(".so") for name in names)
    assert not [name for name in names if name.endswith((".c", ".h", ".pxd", ".pyx"))]
    assert wheel.stat().st_size < MOST
    assert any(name.endswith("licenses/NOTICE") for name in names)
    assert {"clerestory/page/index.html", "clerestory/page/push.js"} <= set(names)
    assert not [name for name in names if name.startswith("clerestory/clients/web/")]
    assert any(re.fullmatch(r"clerestory/page/assets/main-\w+\.js", name) for name in names)


def test_sdist_holds_the_sources_and_nothing_generated(dist: Path) -> None:
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    assert {
        "engine/core.pyx",
        "engine/core.pxd",
        "proto/clerestory/v1/advisor.proto",
        "proto/third_party/google/rpc/status.proto",
        "NOTICE",
    } <= set(names)
    assert not [name for name in names if name.endswith((".c", ".so", "_pb2.py", "counts.pxd", "loop_options.pxd"))]
    assert "clients/web/dist/index.html" in names  # building from it needs no Node
    assert not [name for name in names if "node_modules" in name]


@pytest.mark.parametrize("others", [[], lowest()], ids=["newest", "lowest"])
def test_wheel_works_in_an_empty_environment(others: list[str], dist: Path, tmp_path: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    venv.create(tmp_path / "env", with_pip=True)
    binaries = tmp_path / "env" / "bin"
    run(binaries / "python", "-m", "pip", "install", "--quiet", wheel, *others, cwd=tmp_path)
    answer = json.loads(run(binaries / "clerestory", "recommend", POSITION, "--time", "100ms", "--json", cwd=tmp_path))
    assert answer["lines"]
    said = run(binaries / "python", ROOT / "tools" / "installed.py", cwd=tmp_path)
    assert re.search(r"over gRPC: a game of \d+ plies\non the page: a game of \d+ plies\n$", said)

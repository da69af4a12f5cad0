"""The engine and the search, cross-built for aarch64, give the digests of x86-64 there.

CLERESTORY_AARCH64 names a folder with `root` (an arm64 Debian with python3 and libpython3-dev of this Python's version)
and `site` (the unpacked wheels of pydantic and its dependencies for that machine).
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from sysconfig import get_path

import pytest

import clerestory
from clerestory.engine import GAMES
from tests.parts import missing, require_program

TOP = Path(__file__).parents[2]
TRANSLATED = TOP / "build" / "cython"
MACHINE = Path(os.environ.get("CLERESTORY_AARCH64", "/nonexistent"))
PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
SUFFIX = f".cpython-{sys.version_info.major}{sys.version_info.minor}-aarch64-linux-gnu.so"
COMPILE = [sys.executable, "-m", "ziglang", "cc", "-target", "aarch64-linux-gnu.2.28", "-shared", "-fPIC", "-w"]
FLAGS = ["-O1", "-ffp-contract=off", "-fno-strict-aliasing", "-fno-sanitize=all"]
CHECK = """
import platform
from tests.search import test_same_bits as same

print(platform.machine())
for name in sorted(same.GAMES):
    same.test_searches_report_the_same_bits_on_every_machine(name)
    print(name)
"""

pytestmark = [pytest.mark.system, pytest.mark.slow]


def sources() -> Iterator[tuple[Path, Path]]:
    """Yield the translated modules of the engine and the search, with their places in the package."""
    for folder in ("engine", "search"):
        for source in sorted((TRANSLATED / folder).rglob("*.c")):
            place = source.relative_to(TRANSLATED)
            if (TOP / place).with_suffix(".pyx").is_file():
                yield source, place
    yield TRANSLATED / "common" / "_cyutility.c", Path("_cyutility.c")


def build(source: Path, place: Path, package: Path) -> None:
    include = MACHINE / "root" / "usr" / "include"
    folders = [f"-I{include / PYTHON}", *(f"-I{TOP / folder}" for folder in place.parents), "-idirafter", str(include)]
    out = package / place.with_name(place.stem + SUFFIX)
    subprocess.run([*COMPILE, *FLAGS, *folders, str(source), "-o", str(out)], check=True)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not MACHINE.is_dir():
        missing("an arm64 system", "see the head of this file: CLERESTORY_AARCH64")
    if find_spec("ziglang") is None:
        missing("zig", "pip install ziglang")
    tree = tmp_path_factory.mktemp("aarch64")
    package = tree / "clerestory"
    shutil.copytree(Path(clerestory.__file__).parent, package, ignore=shutil.ignore_patterns("*.so"))
    shutil.copytree(TOP / "tests", tree / "tests", ignore=shutil.ignore_patterns("__pycache__", "browser"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda one: build(one[0], one[1], package), sources()))
    return tree


def test_the_bits_are_those_of_x86(tree: Path) -> None:
    """This does not use pytest: the emulator first looks for folders in the other machine's root, without tests."""
    path = os.pathsep.join(map(str, (tree, MACHINE / "site", get_path("purelib"))))
    emulator = require_program("qemu-aarch64-static", "apt-get install qemu-user-static")
    emulated = [emulator, "-L", str(MACHINE / "root"), "-E", f"PYTHONPATH={path}", "-E", "PYTHONHOME=/usr"]
    python = str(MACHINE / "root" / "usr" / "bin" / PYTHON)
    found = subprocess.run([*emulated, python, "-c", CHECK], cwd=tree, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr
    assert found.stdout.split() == ["aarch64", *sorted(GAMES)]

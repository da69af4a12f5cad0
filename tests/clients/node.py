"""Node programs for tests: a test fails if Node, npm or a package is missing."""

import os
import shutil
import subprocess
from pathlib import Path
from runpy import run_path

from tests.parts import missing

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "clients" / "examples"
PATH = run_path(str(ROOT / "clients" / "web" / "build.py"))["search_path"]()  # with the Node of the virtual environment
QUIET = ("--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")


def node(*arguments: str | Path, folder: Path = ROOT, name: str = "node") -> subprocess.CompletedProcess[str]:
    """Run a program in Node, or one that is installed with it, and return its output."""
    program = shutil.which(name, path=PATH) or missing(name, "make .venv/.web")
    environment = os.environ | {"CLERESTORY_ROOT": str(ROOT), "PATH": PATH}
    command = [program, *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=500
    )


def install(folder: Path, *packages: str) -> None:
    done = node("install", *QUIET, *packages, folder=folder, name="npm")
    if done.returncode:
        missing(f"a package of {folder.name} ({done.stderr.strip()[-200:]})", "npm install, with a network")


def installed(example: str, folder: Path) -> Path:
    copy = folder / example
    shutil.copytree(EXAMPLES / example, copy, ignore=shutil.ignore_patterns("node_modules"))
    install(copy)
    return copy

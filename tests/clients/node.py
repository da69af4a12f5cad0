"""Programs of Node for tests: a test fails where Node, npm or a package is missing."""

import os
import shutil
import subprocess
from pathlib import Path

from tests.parts import missing, require_program

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "clients" / "examples"
NODE = "apt-get install nodejs npm"


def node(*arguments: str | Path, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run a program in Node, and return its output."""
    environment = os.environ | {"CLERESTORY_ROOT": str(ROOT)}
    return subprocess.run(
        [require_program("node", NODE), *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
    )


def installed(example: str, folder: Path) -> Path:
    """Copy an example into a folder, and install its packages."""
    npm = require_program("npm", NODE)
    copy = folder / example
    shutil.copytree(EXAMPLES / example, copy, ignore=shutil.ignore_patterns("node_modules"))
    install_packages(npm, copy)
    return copy


def install_packages(npm: str, folder: Path, *options: str, path: str = os.environ["PATH"]) -> None:
    """Install the packages of a folder."""
    done = subprocess.run(
        [npm, "install", "--no-audit", "--no-fund", *options],
        cwd=folder,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        missing(f"a package of {folder.name} ({done.stderr.strip()[-200:]})", "npm install, with a network")

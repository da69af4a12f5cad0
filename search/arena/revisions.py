"""Builds other revisions of this package, each commit once and in its own folder."""

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from clerestory.search.arena.errors import BadBot

FOLDER = "CLERESTORY_REVISIONS"  # environment variable
DONE = "complete"  # name of a file written at the end of a build


def settled(text: str) -> str:
    """Return a bot's text with its revision, if any, resolved to a full commit hash. Raises BadBot."""
    name, _, tail = text.partition(":")
    commit, comma, options = tail.partition(",")
    return f"revision:{named(commit)}{comma}{options}" if name == "revision" else text


def named(commit: str) -> str:
    """Return the full hash of a commit of the current repository. Raises BadBot."""
    asked = git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{commit}}")
    if asked.returncode:
        why = asked.stderr.decode().strip() or "is no commit of the repository in this folder"
        raise BadBot(f"revision:{commit[:80]}: {why}")
    return asked.stdout.decode().strip()


def git(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run git in the current folder. Raises BadBot if git is missing."""
    try:
        return subprocess.run(["git", *arguments], capture_output=True, check=False)
    except FileNotFoundError:
        raise BadBot("revision: needs git, which is not installed") from None


def built(commit: str) -> Path:
    """Build a commit unless it is built already, and return its folder; an interrupted build starts over.

    Raises BadBot, which names the log of a failed build.
    """
    commit = named(commit)
    folder = revisions() / commit
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / "lock"):
        if not (folder / DONE).exists():
            build(commit, folder)
            (folder / DONE).touch()
    return folder


def revisions() -> Path:
    """Return the folder of all revisions: $CLERESTORY_REVISIONS, else a folder in the user's cache."""
    cache_home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get(FOLDER) or cache_home / "clerestory" / "revisions")


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Wait until no other process locks a file, and lock it."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def build(commit: str, folder: Path) -> None:
    """Extract a commit and install it into its own environment. Raises BadBot."""
    source, log = folder / "source", folder / "build.log"
    sys.stderr.write(f"building revision {commit[:12]} once, which takes minutes ({log})\n")
    source.mkdir(exist_ok=True)
    up = git("rev-parse", "--show-cdup").stdout.decode().strip()  # an archive has only the current folder and below
    archive = git("-C", up, "archive", commit)
    pip = ["venv/bin/python", "-m", "pip", "--disable-pip-version-check", "install"]
    with log.open("wb") as output:
        for command in (
            ["tar", "x", "-C", "source"],
            [sys.executable, "-m", "venv", "venv"],
            [*pip, "--constraint", "source/constraints.txt", "./source"],
        ):
            done = subprocess.run(
                command, cwd=folder, input=archive.stdout, stdout=output, stderr=subprocess.STDOUT, check=False
            )
            if done.returncode:
                raise BadBot(f"revision:{commit}: the build failed at `{' '.join(command)}`; see {log}")

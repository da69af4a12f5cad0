"""The command in a process that may have few file descriptors: `python -m tests.faults.limited NUMBER serve ...`."""

import resource
import sys
from pathlib import Path

from clerestory.cli.main import main

ROOT = Path(__file__).parents[2]  # where it is to be started


def limited(descriptors: int, *words: str) -> list[str]:
    """Return the command line of a command with so many file descriptors."""
    return [sys.executable, "-m", "tests.faults.limited", str(descriptors), *words]


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]),) * 2)
    del sys.argv[1]
    main()

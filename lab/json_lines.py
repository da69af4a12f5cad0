"""Files of JSON lines, written and read by the tools."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class BadLines(Exception):
    """A file is empty, or does not contain JSON lines."""


def compact(line: dict[str, Any]) -> str:
    """Return a line of a file that is shipped: JSON without spaces."""
    return json.dumps(line, separators=(",", ":")) + "\n"


def gathered(*paths: Path) -> list[dict[str, Any]]:
    """Return the contents of files with at least one line. Raises OSError, BadLines."""
    lines = read_lines(*paths)
    if not lines:
        raise BadLines(f"{', '.join(map(str, paths))}: nothing was gathered yet")
    return lines


def read_lines(*paths: Path) -> list[dict[str, Any]]:
    """Return the objects on the lines of files, one file after the other. Raises OSError, BadLines."""
    return [line for path in paths for line in lines_of(path)]


def lines_of(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects on the lines of a file. Raises OSError, BadLines."""
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        try:
            yield json.loads(line)
        except ValueError as error:
            raise BadLines(f"{path}: line {number} is not JSON: {error}") from None

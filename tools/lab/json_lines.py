"""Files of JSON lines, written and read by the tools.

A file that is written step by step begins with a header, which describes what its lines have in common.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from clerestory.engine import GAMES
from clerestory.search.arena.bots import judges_by
from clerestory.search.arena.errors import BadMatch
from clerestory.search.arena.results import open_lines, write_line

TOOL = "gathered_by"  # field that identifies a header

JsonLines = list[dict[str, Any]]


class BadLines(Exception):
    """A file is empty, does not contain JSON lines, or contains other lines than those to add."""


def header_of(tool: str, game: str, seats: int) -> dict[str, Any]:
    """Return the header of a file with games of the shipped search."""
    rules = GAMES[game]
    return {TOOL: tool, **rules.identity(), "seats": seats, "value": judges_by("ismcts", rules, seats)}


@contextmanager
def adding_to(path: Path, header: dict[str, Any]) -> Iterator[tuple[Callable[[dict[str, Any]], None], JsonLines]]:
    """Open a file for more lines; yield a function that adds one, and the existing lines below the header.

    An incomplete last line, left by a kill, is removed. Raises BadLines for a file with another header or in use by
    another process, OSError, which names the file.
    """
    try:
        with open_lines(path, header) as (file, lines):
            yield partial(write_line, file), lines
    except BadMatch as error:
        raise BadLines(str(error)) from None
    except OSError as error:
        if error.filename or error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from None


def compact(line: dict[str, Any]) -> str:
    """Return a line of a shipped file: JSON without spaces."""
    return json.dumps(line, separators=(",", ":")) + "\n"


def gathered(*paths: Path) -> JsonLines:
    """Return the lines of files without headers, at least one. Raises OSError or BadLines."""
    lines = [line for line in read_lines(*paths) if TOOL not in line]
    if not lines:
        raise BadLines(f"{', '.join(map(str, paths))}: nothing was gathered yet")
    return lines


def read_lines(*paths: Path) -> JsonLines:
    """Return the objects on the lines of files, one file after the other. Raises OSError or BadLines."""
    return [line for path in paths for line in lines_of(path)]


def lines_of(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects on the lines of a file. Raises OSError or BadLines."""
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        try:
            yield json.loads(line)
        except ValueError as error:
            raise BadLines(f"{path}: line {number} is not JSON: {error}") from None


def play_deals(
    tool: str,
    game: str,
    deals: range,
    pairs: Iterable[tuple[str, str]],
    meet: Callable[[str, str, str, int], dict[str, Any]],
    out: Path,
) -> None:
    """Play the deals that are not in the file, and append their results one by one.

    Args:
        tool: name of the module, for the header of the file.
        game: the game.
        deals: seeds of the deals.
        pairs: names of the two players that meet.
        meet: plays a deal of the game between two players, and returns its line.
        out: the file.
    """
    meetings = list(pairs)
    with adding_to(out, header_of(tool, game, 2)) as (add, lines):
        there = {(line["a"], line["b"], line["deal"]) for line in lines}
        for deal in deals:
            for a, b in meetings:
                if (a, b, deal) not in there:
                    add(meet(game, a, b, deal))

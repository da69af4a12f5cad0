"""A file of results: JSON lines, the match first, then one line for each game; it can be gone on with after a kill.

{"arena": 1, "game": "toy", "rules_revision": 1, "catalogue": "", "seats": 2, "bots": ["greedy", "random"], ...}
{"deal": 0, "seat": 0, "returns": [1.0, 0.0], "margins": [6.0, -6.0], "values": [8.0, 2.0], "plies": 8, ...}
"""

import fcntl
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from clerestory.arena.match import Match, Played
from clerestory.search.errors import BadMatch


class Results:
    """The finished games of a match, in memory and, if wanted, in a file.

    Attributes:
        games: in the order in which they ended.
    """

    def __init__(self, file: IO[bytes] | None = None, games: Iterable[Played] = ()) -> None:
        self.games = list(games)
        self._file = file

    def add(self, played: Played) -> None:
        """Keep a game; once this returns, a kill does not lose it."""
        self.games.append(played)
        if self._file:
            write_line(self._file, played.fields())

    def of(self, match: Match) -> list[Played]:
        """Return the games of the match's deals, in order, so that sums do not depend on who ended first."""
        deals = range(match.seed, match.seed + match.deals)
        return sorted((game for game in self.games if game.deal in deals), key=lambda game: (game.deal, game.seat))


@contextmanager
def open_results(path: Path | None, match: Match) -> Iterator[Results]:
    """Open the results of a match, those in the file included; a torn last line is cut off.

    Raises BadMatch for a file that is not of this match or that another run is writing to, OSError for one that
    cannot be written.
    """
    if path is None:
        yield Results()
        return
    with open_lines(path, match.header()) as (file, lines):
        yield Results(file, read_games(lines))


@contextmanager
def open_lines(path: Path, header: dict[str, Any]) -> Iterator[tuple[IO[bytes], list[dict[str, Any]]]]:
    """Open a file of JSON lines below their header, to add lines; yield it and what is in it without the header.

    Raises BadMatch for a file with another header or that another run is writing to, OSError for one that cannot
    be written.
    """
    with path.open("a+b") as file:
        lock(file)
        file.seek(0)
        content = file.read()
        end = content.rfind(b"\n") + 1
        if not end and not line_of(header).startswith(content):
            raise BadMatch("results: the file holds something else")
        lines = read_lines(content[:end].splitlines(), header)
        file.truncate(end)  # what a kill has torn
        if not end:
            write_line(file, header)
        yield file, lines


def lock(file: IO[bytes]) -> None:
    """Keep other runs out until the file is closed or this process ends, however it does. Raises BadMatch."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BadMatch("results: another run is writing to the file") from None


def line_of(fields: dict[str, Any]) -> bytes:
    """Return a line with its end."""
    return json.dumps(fields).encode() + b"\n"


def write_line(file: IO[bytes], fields: dict[str, Any]) -> None:
    """Append a line and hand it to the system."""
    file.write(line_of(fields))
    file.flush()


def read_lines(lines: list[bytes], header: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what is below the header. Raises BadMatch for another header or for a line that makes no sense."""
    if lines and (found := read_line(1, lines[0])) != header:
        other = next((name for name in header if found.get(name) != header[name]), next(iter(header)))
        raise BadMatch(f"results: {other} is {found.get(other)!r} in the file, {header[other]!r} here")
    return [read_line(number, line) for number, line in enumerate(lines[1:], 2)]


def read_games(lines: list[dict[str, Any]]) -> list[Played]:
    """Return the games. Raises BadMatch for a line that is none."""
    games = [read_game(number, line) for number, line in enumerate(lines, 2)]
    if len({(game.deal, game.seat) for game in games}) < len(games):
        raise BadMatch("results: a game occurs twice in the file")
    return games


def read_line(number: int, line: bytes) -> dict[str, Any]:
    """Return the object on a line."""
    try:
        fields = json.loads(line)
    except ValueError:
        fields = None
    if not isinstance(fields, dict):
        raise BadMatch(f"results: line {number} is not a JSON object")
    return fields


def read_game(number: int, fields: dict[str, Any]) -> Played:
    """Return the game on a line."""
    try:
        return Played(**fields)
    except TypeError:
        raise BadMatch(f"results: line {number} is not a game") from None

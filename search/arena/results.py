"""A results file in JSON lines: the match first, then one line per game; a killed run can resume from it.

{"arena": 1, "game": "toy", "rules_revision": 1, "catalogue": "", "seats": 2, "bots": ["greedy", "random"], ...}
{"deal": 0, "seat": 0, "returns": [1.0, 0.0], "margins": [6.0, -6.0], "values": [8.0, 2.0], "plies": 8, ...}
"""

import fcntl
import json
import math
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from clerestory.search.arena.errors import BadMatch
from clerestory.search.arena.match import GameResult, Match


class Results:
    """The finished games of a match, in memory and optionally in a file.

    Attributes:
        games: finished games, in the order in which they finished.
    """

    def __init__(self, file: IO[bytes] | None = None, games: Iterable[GameResult] = ()) -> None:
        self.games = list(games)
        self._file = file

    def add(self, played: GameResult) -> None:
        """Store a game; once this returns, it survives a kill."""
        self.games.append(played)
        if self._file:
            write_line(self._file, played.fields())

    def of(self, match: Match) -> list[GameResult]:
        """Return the games of the match's deals in a fixed order, so that sums do not depend on timing."""
        deals = range(match.seed, match.seed + match.deals)
        return sorted((game for game in self.games if game.deal in deals), key=lambda game: (game.deal, game.seat))


@contextmanager
def open_results(path: Path | None, match: Match) -> Iterator[Results]:
    """Open the results of a match, including those in the file; an incomplete last line is removed.

    Raises BadMatch if the file belongs to another match or another run is writing to it, OSError if it cannot be
    written.
    """
    if path is None:
        yield Results()
        return
    with open_lines(path, match.header()) as (file, lines):
        with naming(path):
            games = read_games(lines, match.seats)
        yield Results(file, games)


@contextmanager
def open_lines(path: Path, header: dict[str, Any]) -> Iterator[tuple[IO[bytes], list[dict[str, Any]]]]:
    """Open a file of JSON lines for appending; yield it and the lines below its header.

    Raises BadMatch if the header differs or another run is writing to the file, OSError if it cannot be written.
    """
    with path.open("a+b") as file:
        lock(file)
        file.seek(0)
        content = file.read()
        end = content.rfind(b"\n") + 1
        with naming(path):
            if not end and not line_of(header).startswith(content):
                raise BadMatch("is not a file of results")
            lines = read_lines(content[:end].splitlines(), header)
        file.truncate(end)  # an incomplete line, left by a kill
        if not end:
            write_line(file, header)
        yield file, lines


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Add the file's name to errors about its content."""
    try:
        yield
    except BadMatch as error:
        raise BadMatch(f"{path}: {error}") from None


def lock(file: IO[bytes]) -> None:
    """Lock the file until it is closed or this process exits. Raises BadMatch if another run holds the lock."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BadMatch(f"{file.name}: another run is writing to it") from None


def line_of(fields: dict[str, Any]) -> bytes:
    """Return the fields as a JSON line."""
    return json.dumps(fields).encode() + b"\n"


def write_line(file: IO[bytes], fields: dict[str, Any]) -> None:
    """Append a line and flush it to the operating system."""
    file.write(line_of(fields))
    file.flush()


def read_lines(lines: list[bytes], header: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the lines below the header. Raises BadMatch for a different header or a malformed line."""
    if lines and (found := read_line(1, lines[0])) != header:
        other = next(name for name in {**header, **found} if found.get(name) != header.get(name))
        raise BadMatch(f"{other} is {found.get(other)!r} in the file, {header.get(other)!r} here; name another file")
    return [read_line(number, line) for number, line in enumerate(lines[1:], 2)]


def read_games(lines: list[dict[str, Any]], seats: int) -> list[GameResult]:
    """Return the games for a number of seats. Raises BadMatch for a line that is not such a game."""
    games = [read_game(number, line, seats) for number, line in enumerate(lines, 2)]
    if len({(game.deal, game.seat) for game in games}) < len(games):
        raise BadMatch("a game occurs twice in the file")
    return games


def read_line(number: int, line: bytes) -> dict[str, Any]:
    """Return the object on a line. Raises BadMatch."""
    try:
        fields = json.loads(line)
    except ValueError:
        fields = None
    if not isinstance(fields, dict):
        raise BadMatch(f"line {number} is not a JSON object")
    return fields


def read_game(number: int, fields: dict[str, Any], seats: int) -> GameResult:
    """Return the game on a line. Raises BadMatch."""
    try:
        played = GameResult(**fields)
    except TypeError:
        played = None
    if played is None or not can_be_counted(played, seats):
        raise BadMatch(f"line {number} is not a game")
    return played


def can_be_counted(played: GameResult, seats: int) -> bool:
    """Whether every field of a game has the right type, range and number of seats."""
    whole = [played.deal, played.seat, played.plies]
    figures = [played.returns, played.margins, played.moves, played.seconds, played.iterations]
    optional = [figure for figure in (played.values, played.luck) if figure is not None]
    return (
        all(type(number) is int and number >= 0 for number in whole)
        and played.seat < seats
        and all(are_numbers(figure, seats) for figure in [*figures, *optional])
        and all(0 <= share <= 1 for share in played.returns)
        and math.isclose(sum(played.returns), 1)
    )


def are_numbers(value: object, count: int) -> bool:
    """Whether a value read from JSON is a list of `count` finite numbers."""
    return isinstance(value, list) and len(value) == count and all(map(is_number, value))


def is_number(value: object) -> bool:
    """Whether a value read from JSON is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max

"""Files of positions and records: read, and recorded during a game, so that a ply is on disk before it is shown."""

import errno
import json
import os
import stat
from collections.abc import Callable, Iterator
from itertools import takewhile
from pathlib import Path

from clerestory.cli import locale
from clerestory.cli.options import BadOption, position_in, read_text
from clerestory.engine import BadPosition, BadRecord, Record, State, from_position, read_records
from clerestory.engine.core import read_json
from clerestory.engine.names import NAMES
from clerestory.engine.record import ending, whole_lines
from clerestory.i18n.sentences import text

OPENING = '{"record"'  # of the first line of a file of records


def read_position(written: str | bytes) -> State:
    """Return the position in the text of a file. Raises BadPosition, which lists all its faults."""
    from google.protobuf.json_format import MessageToDict

    from clerestory.engine.schemas import range_of
    from clerestory.protojson import BadJson, narrowed, parse
    from clerestory.v1.position_pb2 import Position

    read_json(written)  # which says in the user's language why it is no object
    try:
        message = parse(Position(), written)
    except BadJson as error:
        faults = [
            (path or "position", text("fault.other", what=what)) for path, what in narrowed(error.faults, range_of)
        ]
        raise BadPosition(faults) from None
    message.ClearField("schema")
    return from_position(
        MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
    )


# -- records ---------------------------------------------------------------------------------------


def recorded(path: str) -> Iterator[Record]:
    """Yield the games of a file of records; the last may be unfinished. Raises BadOption for any other file."""
    yield from replayed(path, record_lines(path))


def record_lines(path: str) -> list[str]:
    """Return the lines of a file of records, with their line ends. Raises BadOption for one that has none."""
    text = read_text(path)
    if is_position(text):
        raise BadOption(f"{path}: is a position, no record; `clerestory show` reads positions")
    lines = text.splitlines(keepends=True)
    if not lines:
        raise BadOption(f"{path}: has no game")
    if not whole_lines(lines):
        raise BadOption(f"{path}: line 1: is incomplete, and there is no line before it")
    return lines


def number_of_games(lines: list[str]) -> int:
    """Return how many records begin in the lines of a file."""
    return sum(line.startswith(OPENING) for line in lines)


def replayed(path: str, lines: list[str]) -> Iterator[Record]:
    """Yield the games of the lines of a file. Raises BadOption, which names the file and the line."""
    try:
        yield from read_records(lines, begun=True)
    except BadRecord as error:
        raise BadOption(f"{path}: {error}") from None


def is_position(text: str) -> bool:
    """Return whether a text is a JSON object, as positions are, and not the lines of a record."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(fields, dict) and any(name in fields for name in NAMES)


class Recording:
    """A record that grows with its game; earlier content of the file stays. Failed writes are retried.

    Args:
        path: of the file.
        record: the game so far.
        goes_on: the game is the last one in the file.
        warn: receives a sentence when the file cannot be written, and when it can be again.

        Raises BadOption for a file that cannot be opened, or that contains anything but records.
    """

    def __init__(self, path: Path, record: Record, warn: Callable[[str], None], *, goes_on: bool = False) -> None:
        self.path, self._seed, self._warn = path, record.seed, warn
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise BadOption(f"--record: {path}: {error.strerror}") from None
        self._is_file = stat.S_ISREG(os.fstat(self._file).st_mode)
        self._lines: list[bytes] = []  # lines in the file, from the first one that may be rewritten
        self._before: list[bytes] = []  # those of them that belong to an earlier game
        self._start = 0  # byte offset of the first of them
        if self._is_file:
            self._look(goes_on=goes_on)
        self.failed = False
        self.follow(record.state)

    def follow(self, state: State) -> None:
        """Append the plies played since the last call; remove those taken back."""
        self._keep([line.encode() + b"\n" for line in Record(state, self._seed).begun()])

    def close(self, state: State) -> None:
        """Write the last line, and close the file."""
        self._keep([line.encode() + b"\n" for line in Record(state, self._seed).lines()])
        os.close(self._file)

    def _look(self, *, goes_on: bool) -> None:
        """Read the file, and find the offset of our lines: in place of the last record, or after it."""
        text = self.path.read_bytes().decode(errors="replace")
        lines = whole_lines(text.splitlines(keepends=True))
        try:
            if not text.startswith(OPENING[: len(text)]):
                raise BadRecord(1, "is not a record")
            records = list(read_records(lines, begun=True))
        except BadRecord:
            raise BadOption(f"--record: {self.path}: contains something other than records") from None
        if goes_on and records:
            first = max(i for i, line in enumerate(lines) if "record" in json.loads(line))
            self._lines = [line.encode() for line in lines[first:]]
            del lines[first:]
        elif lines and "end" not in json.loads(lines[-1]):  # its writer was killed
            self._before = [json.dumps(ending(records[-1].state)).encode() + b"\n"]
        elif lines and not lines[-1].endswith("\n"):
            self._before = [b"\n"]
        self._start = sum(len(line.encode()) for line in lines)

    def _keep(self, lines: list[bytes]) -> None:
        """Make the file end with these lines; warn at the first failure, and once writing works again."""
        try:
            self._write([*self._before, *lines])
        except OSError as error:
            if not self.failed:
                self._warn(locale.say("play.unrecorded", why=f"{self.path}: {error.strerror}"))
            self.failed = True
            return
        if self.failed:
            self._warn(locale.say("play.recorded", path=str(self.path)))
        self.failed = False

    def _write(self, lines: list[bytes]) -> None:
        """Write the lines that differ, and sync them to disk. Raises OSError, after which half a line may be there."""
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(lines, self._lines, strict=False)))
        if self._is_file:
            end = self._start + sum(map(len, self._lines[:same]))
            os.ftruncate(self._file, end)
            os.lseek(self._file, end, os.SEEK_SET)
        elif same < len(self._lines):
            raise OSError(errno.ESPIPE, "written lines cannot be removed")
        del self._lines[same:]
        rest = b"".join(lines[same:])
        while rest:
            rest = rest[os.write(self._file, rest) :]
        if self._is_file:
            os.fsync(self._file)
        self._lines = lines


def last_game(path: str) -> Record:
    """Return the game in a file: its position, or the last of its records, which may be unfinished.

    Raises BadOption, GameError.
    """
    text = read_text(path)
    if not text.lstrip().startswith(OPENING):
        with position_in(path):
            return Record(read_position(text))
    records = list(replayed(path, text.splitlines(keepends=True)))
    if not records:
        raise BadOption(f"{path}: contains no record")
    return Record(with_history(records[-1].state), records[-1].seed)


def with_history(state: State) -> State:
    """Return a copy with its history, so that it can be undone move by move."""
    return state.copy(history=True)

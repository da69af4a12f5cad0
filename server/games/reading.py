"""Parses the rows of any store. Errors quote no secrets."""

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from clerestory.server.games.log import LATEST, Entry, EntryKind, Head
from clerestory.server.games.store import Unreadable

NO_TEXT = "its text is not UTF-8"


def head_of(text: str | bytes) -> Head:
    """Parse the head of a game. Raises Unreadable."""
    try:
        return Head.from_json(text)
    except ValidationError as error:
        [first, *_] = error.errors(include_url=False, include_context=False, include_input=False)
        field = ".".join(map(str, first["loc"]))
        raise Unreadable(f"its head is damaged: {field and f'{field}: '}{first['msg']}") from None


def entry_of(number: int, row: Sequence[Any]) -> Entry:
    """Parse entry `number` of a game from its number, kind, seat, text and moment. Raises Unreadable."""
    stored, kind, seat, text, moment = row
    if stored != number:
        raise Unreadable(f"entry {number} is missing")
    if not 0 <= moment <= LATEST:
        raise Unreadable(f"entry {number} has the time {moment}, which is out of range")
    try:
        return Entry(EntryKind(kind), seat, text, moment)
    except ValueError:
        raise Unreadable(f"entry {number} is of a kind that this version does not know: {kind[:40]!r}") from None


def entries_of(number: int, rows: Sequence[Sequence[Any]]) -> list[Entry]:
    """Parse the entries of a game, beginning with `number`. Raises Unreadable."""
    return [entry_of(number + i, row) for i, row in enumerate(rows)]

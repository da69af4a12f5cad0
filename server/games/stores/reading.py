"""What every store does with its rows: parses them, quoting no secrets in errors, and serves makers in turn."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any

from pydantic import ValidationError

from clerestory.server.games.log import LATEST, Entry, EntryKind, Head
from clerestory.server.games.store import Due, Unreadable

NO_TEXT = "its text is not UTF-8"
# Returns a due game of each maker after a given one (None: of all makers), in maker order: up to a maximum, without the
# listed games.
Read = Callable[[str | None, int, list[str]], Awaitable[list[Due]]]


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


class RoundRobin:
    """Round robin over makers: each gets one game, then the next maker is served."""

    def __init__(self) -> None:
        self._last: str | None = None  # maker of the last game taken

    async def take(self, read: Read, most: int, skip: Collection[str]) -> list[Due]:
        """Return at most `most` games, in as many rounds as necessary."""
        found: list[Due] = []
        while len(found) < most:
            got = await read(self._last, most - len(found), [*skip, *(one.game_id for one in found)])
            found += got
            if not got and self._last is None:
                break
            self._last = None
        if found:
            self._last = found[-1].maker
        return found

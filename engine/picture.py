"""Positions as tables for the terminal: how things are named there, and functions shared by the games' `show`."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from clerestory.i18n import LEFT_TO_RIGHT, say
from clerestory.i18n.languages import END_OF_ISOLATE, ENGLISH, ISOLATE, isolated

INVISIBLE = (LEFT_TO_RIGHT, ISOLATE, END_OF_ISOLATE)  # marks of direction, which take no room


def by_id(_: str, name: str) -> str:
    """Return a name as positions and actions have it."""
    return name


class Telling(NamedTuple):
    """How a picture of a game is told.

    Attributes:
        game: whose texts are said.
        language: in which.
        name: returns what a thing is called, from its kind (`card`, `colour`, `good`, `step`, `seal`) and its id.
    """

    game: str
    language: str = ENGLISH
    name: Callable[[str, str], str] = by_id

    def say(self, key: str, /, **arguments: object) -> str:
        """Return a text of the picture."""
        return say(self.game, f"picture.{key}", language=self.language, **arguments)

    def names(self, kind: str, names: Iterable[str]) -> list[str]:
        """Return what things are called; nothing for what has no name."""
        return [self.name(kind, name) for name in names if name]

    def row(self, items: Iterable[str]) -> str:
        """Return the non-empty texts, in one line."""
        return self.between.join(item for item in items if item)

    @property
    def between(self) -> str:
        """What stands between the items of a list; names have commas in them, and ids have none."""
        return ", " if self.language == ENGLISH else "; "

    @property
    def apart(self) -> str:
        """What stands between lists on a line."""
        return "; " if self.language == ENGLISH else " | "

    def lines(self, values: Iterable[tuple[str, str]]) -> Iterator[str]:
        """Yield a line for each non-empty value."""
        for key, value in values:
            if value:
                yield self.say(key, what=value)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as lines, each column as wide as its widest cell."""
    shown = [[isolated(cell) for cell in row] for row in rows]
    widths = [max(map(room, column)) for column in zip(*shown, strict=True)]
    return ["  ".join(padded(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in shown]


def padded(cell: str, width: int) -> str:
    """Return a cell with spaces up to a width."""
    return cell + " " * (width - room(cell))


def room(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    return sum(char not in INVISIBLE for char in text)

"""Positions as tables for the terminal: names of things, and functions shared by the games' `show`."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from clerestory.i18n import LEFT_TO_RIGHT, say
from clerestory.i18n.languages import END_OF_ISOLATE, ENGLISH, ISOLATE, isolated

INVISIBLE = (LEFT_TO_RIGHT, ISOLATE, END_OF_ISOLATE)  # marks of direction, which have no width


def by_id(_: str, name: str) -> str:
    """Return a name as it is in positions and actions."""
    return name


class PictureTexts(NamedTuple):
    """The texts of a picture: its language, and the names of things.

    Attributes:
        game: game whose texts are used.
        language: language of the texts.
        name: returns the display name of a thing from its kind (`card`, `colour`, `good`, `step`, `seal`) and its id.
    """

    game: str
    language: str = ENGLISH
    name: Callable[[str, str], str] = by_id

    def say(self, key: str, /, **arguments: object) -> str:
        """Return a text of the picture."""
        return say(self.game, f"picture.{key}", language=self.language, **arguments)

    def amount(self, good: str, count: int) -> str:
        """Return a number of a good, which English names by its id."""
        if self.language == ENGLISH:
            return f"{count} {good}"
        return say(self.game, f"amount.{good}", language=self.language, count=count)

    def names(self, kind: str, names: Iterable[str]) -> list[str]:
        """Return display names, without empty ones."""
        return [self.name(kind, name) for name in names if name]

    def row(self, items: Iterable[str]) -> str:
        """Return the non-empty texts on one line."""
        return self.between.join(item for item in items if item)

    @property
    def between(self) -> str:
        """The separator of list items; names can contain commas, ids cannot."""
        return ", " if self.language == ENGLISH else "; "

    @property
    def apart(self) -> str:
        """The separator of lists on a line."""
        return "; " if self.language == ENGLISH else " | "

    def lines(self, values: Iterable[tuple[str, str]]) -> Iterator[str]:
        """Yield a line for each non-empty value."""
        for key, value in values:
            if value:
                yield self.say(key, what=value)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of cells as lines, each column as wide as its widest cell."""
    shown = [[isolated(cell) for cell in row] for row in rows]
    widths = [max(map(room, column)) for column in zip(*shown, strict=True)]
    return ["  ".join(padded(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in shown]


def padded(cell: str, width: int) -> str:
    """Return a cell with spaces up to a width."""
    return cell + " " * (width - room(cell))


def room(text: str) -> int:
    """Return the width of a text in columns of a terminal."""
    return sum(char not in INVISIBLE for char in text)

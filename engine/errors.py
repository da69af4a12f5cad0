"""The errors of the checked interface of the rules.

GameError                 a ValueError: bad input, not a bug
 ├─ BadText               an action that cannot be read
 ├─ IllegalAction         a readable action that is not allowed here
 ├─ Violations            an input with faults, all of them listed
 │   ├─ BadPosition       a position that is malformed, or that no game could reach
 │   └─ BadCatalogue      card data that break the catalogue's rules
 ├─ CatalogueInUse        a catalogue other than the one this process uses
 ├─ BadWeights            a file of weights that is damaged, or not for this game
 ├─ BadRecord             a line of a record that does not follow from those before it
 └─ NotOver               a result was requested before the end
"""

from collections.abc import Sequence
from typing import NamedTuple


class Violation(NamedTuple):
    """One fault of an input: the path of the field, and what is wrong with it."""

    field: str
    description: str


class GameError(ValueError):
    """Any error of the checked interface of the rules."""


class BadText(GameError):
    """The text names no action of the game."""


class IllegalAction(GameError):
    """The action cannot be taken in this position; `legal` holds the texts of those that can."""

    def __init__(self, message: str, legal: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.legal = tuple(legal)


class Violations(GameError):
    """An input with one or more faults, all of them in `violations`."""

    def __init__(self, violations: Sequence[tuple[str, str]]) -> None:
        self.violations = tuple(Violation(*violation) for violation in violations)
        super().__init__("; ".join(f"{field}: {description}" for field, description in self.violations))


class BadPosition(Violations):
    """The position is malformed or inconsistent."""


class BadCatalogue(Violations):
    """The card catalogue is malformed or inconsistent."""


class CatalogueInUse(GameError):
    """A process can use one catalogue per game; another one needs a separate process."""


class BadWeights(GameError):
    """A file of weights is malformed, or was not learned for this game, its rules and its features."""


class BadRecord(GameError):
    """A record is broken; `line` is the number of the first wrong line, from 1."""

    def __init__(self, line: int, description: str) -> None:
        super().__init__(f"line {line}: {description}")
        self.line = line


class NotOver(GameError):
    """Returns and scores exist only at the end of a game."""

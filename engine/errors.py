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
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # imported where an error is created
    from clerestory.i18n.sentences import Argument, Text


LONGEST_QUOTED = 80  # characters of a value


class Fault(str):
    """The error text of a field, in English.

    Attributes:
        text: the same as a code with arguments.
        game: name of the game; "" if there is none.
    """

    text: "Text"
    game: str

    def in_language(self, language: str) -> str:
        """Return the text in a language."""
        from clerestory.i18n.sentences import format_text

        return format_text(self.text, self.game, language)


def fault_of(one: "Text", game: str = "") -> Fault:
    """Return the error text of a field in a game's input."""
    from clerestory.i18n.sentences import format_text

    fault = Fault(format_text(one, game))
    fault.text, fault.game = one, game
    return fault


def text(code: str, **arguments: "Argument") -> "Text":
    """Return an error text; for modules that command help imports without any texts."""
    from clerestory.i18n import sentences

    return sentences.text(code, **arguments)


def quoted(value: object) -> str:
    """Return a value's representation, short enough for a message."""
    try:
        shown = repr(value)
    except RecursionError:
        return "what is nested too deeply"
    return shown if len(shown) <= LONGEST_QUOTED else f"{shown[: LONGEST_QUOTED - 3]}..."


def named(name: str) -> str:
    """Return a name, or its beginning, in a form that an error can hold: JSON can contain half a surrogate pair."""
    return name[:LONGEST_QUOTED].encode(errors="backslashreplace").decode()


def unread(error: ValueError | RecursionError) -> str:
    """Return why JSON or TOML text could not be read, without Python terms."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return "a number has too many digits" if "integer string conversion" in str(error) else str(error)


class Violation(NamedTuple):
    """One error in an input: the path of the field, and its text."""

    field: str
    description: Fault


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
    """An input with one or more errors, all of them in `violations`.

    Args:
        faults: the paths of fields, with the error of each.
        game: name of the game.
    """

    def __init__(self, faults: Sequence[tuple[str, "Text"]], game: str = "") -> None:
        self.violations = tuple(Violation(field, fault_of(one, game)) for field, one in faults)
        super().__init__("; ".join(f"{field}: {fault}" for field, fault in self.violations))

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickling."""
        game = self.violations[0].description.game if self.violations else ""
        return type(self), ([(field, fault.text) for field, fault in self.violations], game)

    def in_language(self, language: str) -> str:
        """Return all errors in a language."""
        return "; ".join(f"{field}: {fault.in_language(language)}" for field, fault in self.violations)


class BadPosition(Violations):
    """The position is malformed or inconsistent."""


class BadCatalogue(Violations):
    """The card catalogue is malformed or inconsistent."""


class CatalogueInUse(GameError):
    """A process can only use one catalogue per game; another one needs a separate process."""


class BadWeights(GameError):
    """A file of weights is malformed, or belongs to another game, other rules or other features."""


class BadRecord(GameError):
    """A record is invalid; `line` is the number of the first wrong line, from 1."""

    def __init__(self, line: int, description: str) -> None:
        super().__init__(f"line {line}: {description}")
        self.line, self.description = line, description

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickling."""
        return type(self), (self.line, self.description)


class NotOver(GameError):
    """Returns and scores exist only at the end of a game."""

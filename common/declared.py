"""Declares values once, as dataclass fields; checks, parsers, options, help and tables follow from them."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Protocol

from clerestory.sizes import spoken_size

KEY = "declared"  # in the metadata of a field


class BadSettings(ValueError):
    """A setting is invalid; the message names it."""


class Unreachable(BadSettings):
    """The target of a setting is unreachable, possibly only for now."""


class Range(Protocol):
    """A set of allowed values; its text completes `is not ...`."""

    def holds(self, value: object) -> bool:
        """Return whether a value is allowed."""
        ...

    def read(self, text: str) -> Any:
        """Return the value that a text denotes. Raises ValueError for a text of another type."""
        ...


@dataclass(frozen=True, slots=True)
class Numbers:
    """Finite numbers in a range.

    Attributes:
        least: the minimum.
        most: the maximum.
        above: whether the minimum is excluded.
        whole: whether only integers are allowed.
    """

    least: float
    most: float = math.inf
    above: bool = False
    whole: bool = False

    def holds(self, value: object) -> bool:
        """Return whether a value is a number in the range."""
        if isinstance(value, bool) or not isinstance(value, int if self.whole else (int, float)):
            return False
        return (self.least < value if self.above else self.least <= value) and value <= self.most and value < math.inf

    def read(self, text: str) -> float:
        """Return the number that a text denotes. Raises ValueError."""
        return int(text) if self.whole else float(text)

    def __str__(self) -> str:
        kind = "a whole number" if self.whole else "a number"
        if self.most == math.inf:
            return f"{kind} above {self.least:.15g}" if self.above else f"{kind} of {self.least:.15g} or more"
        if self.above:
            return f"{kind} above {self.least:.15g} and up to {self.most:.15g}"
        return f"{kind} from {self.least:.15g} to {self.most:.15g}"


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of several words."""

    words: tuple[str, ...]

    def holds(self, value: object) -> bool:
        """Return whether a value is one of the words."""
        return isinstance(value, str) and value in self.words

    def read(self, text: str) -> str:
        """Return the text. Raises ValueError if it is not one of the words."""
        if text not in self.words:
            raise ValueError(text)
        return text

    def __str__(self) -> str:
        return f"one of {', '.join(self.words)}" if len(self.words) > 1 else f"the word {self.words[0]}"


@dataclass(frozen=True, slots=True)
class FreeText:
    """Any text, described by `words`."""

    words: str = "a text"

    def holds(self, value: object) -> bool:
        """Return whether a value is a text."""
        return isinstance(value, str)

    def read(self, text: str) -> str:
        """Return the text."""
        return text

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True, slots=True)
class Either:
    """The union of two ranges."""

    first: Range
    second: Range

    def holds(self, value: object) -> bool:
        """Return whether a value is in either range."""
        return self.first.holds(value) or self.second.holds(value)

    def read(self, text: str) -> Any:
        """Return the value that a text denotes, in the first range if possible. Raises ValueError."""
        try:
            return self.first.read(text)
        except ValueError:
            return self.second.read(text)

    def __str__(self) -> str:
        return f"{self.first} or {self.second}"


POSITIVE = Numbers(0, above=True)
NOT_NEGATIVE = Numbers(0)
COUNT = Numbers(0, above=True, whole=True)
SHARE = Numbers(0, 1)


@dataclass(frozen=True, slots=True)
class Declaration:
    """The declaration of a field.

    Attributes:
        meaning: a phrase for users, in Markdown, with the unit.
        range: the allowed values, besides a default of None; None if they are checked elsewhere.
        default: the default in words, if there is none or it depends on the machine.
        name: the name for users, if it differs from the field's.
        size: whether the value is a number of bytes.
    """

    meaning: str
    range: Range | None
    default: str
    name: str
    size: bool


def declared(
    default: Any,
    meaning: str,
    range: Range | None = None,  # noqa: A002  # the natural name
    *,
    factory: Callable[[], Any] | None = None,
    usual: str = "",
    name: str = "",
    size: bool = False,
) -> Any:
    """Return a dataclass field with a declaration.

    Args:
        default: the default; MISSING for none, or if there is a factory.
        meaning: as in Declaration, like range, name and size.
        range: the allowed values.
        factory: creates the default.
        usual: the default in words.
        name: the name of the option, if it differs from the field's.
        size: whether the value is a number of bytes.
    """
    metadata = {KEY: Declaration(meaning, range, usual, name, size)}
    if factory is not None:
        return field(default_factory=factory, metadata=metadata)
    return field(default=default, metadata=metadata)


KNOWN: dict[type, Mapping[str, Declaration]] = {}  # cache: every search needs it


def declarations(kind: type) -> Mapping[str, Declaration]:
    """Return the declarations of a dataclass by field name, in order."""
    if kind not in KNOWN:
        KNOWN[kind] = {one.name: one.metadata[KEY] for one in fields(kind) if KEY in one.metadata}
    return KNOWN[kind]


def faults(instance: Any) -> Iterator[tuple[str, str]]:
    """Yield the faults in the values of a dataclass: the name of the option, and a message."""
    for name, declaration in declarations(type(instance)).items():
        value = getattr(instance, name)
        if declaration.range is None or declaration.range.holds(value):
            continue
        if value is not None or type(instance).__dataclass_fields__[name].default is not None:
            yield declaration.name or name, f"{value!r} is not {declaration.range}"


def require_ranges(settings: Any) -> None:
    """Raise BadSettings for the first value of a dataclass that is out of range."""
    for name, fault in faults(settings):
        raise BadSettings(f"{name}: {fault}")


def in_words(value: object, declaration: Declaration) -> str:
    """Return the value of a field in words, as help shows the default of an option."""
    if declaration.default or value is None or value in ("", ()):
        return declaration.default or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value} ({spoken_size(value)})" if declaration.size and isinstance(value, int) and value else str(value)

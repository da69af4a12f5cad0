"""Values declared once, as fields of a dataclass: checks, parsers, options, help and tables follow from them."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Protocol

from clerestory.sizes import spoken_size

KEY = "declared"  # in the metadata of a field


class BadSettings(ValueError):
    """A setting is wrong; the message names it."""


class Unreachable(BadSettings):
    """What a setting names cannot be reached now, which may pass."""


class Range(Protocol):
    """Which values are allowed; its text completes `is not ...`."""

    def holds(self, value: object) -> bool:
        """Whether a value is allowed."""
        ...

    def read(self, text: str) -> Any:
        """Return the value that a text stands for. Raises ValueError for a text of another type."""
        ...


@dataclass(frozen=True, slots=True)
class Numbers:
    """Finite numbers of a range.

    Attributes:
        least: the least number.
        most: the greatest.
        above: whether the least number itself is left out.
        whole: whether only whole numbers are allowed.
    """

    least: float
    most: float = math.inf
    above: bool = False
    whole: bool = False

    def holds(self, value: object) -> bool:
        """Whether a value is a number of the range."""
        if isinstance(value, bool) or not isinstance(value, int if self.whole else (int, float)):
            return False
        return (self.least < value if self.above else self.least <= value) and value <= self.most and value < math.inf

    def read(self, text: str) -> float:
        """Return the number that a text is. Raises ValueError."""
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
    """One of some words."""

    words: tuple[str, ...]

    def holds(self, value: object) -> bool:
        """Whether a value is one of the words."""
        return isinstance(value, str) and value in self.words

    def read(self, text: str) -> str:
        """Return the text. Raises ValueError for another word."""
        if text not in self.words:
            raise ValueError(text)
        return text

    def __str__(self) -> str:
        return f"one of {', '.join(self.words)}" if len(self.words) > 1 else f"the word {self.words[0]}"


@dataclass(frozen=True, slots=True)
class FreeText:
    """Any text, described in words."""

    words: str = "a text"

    def holds(self, value: object) -> bool:
        """Whether a value is a text."""
        return isinstance(value, str)

    def read(self, text: str) -> str:
        """Return the text."""
        return text

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True, slots=True)
class Either:
    """The values of two ranges."""

    first: Range
    second: Range

    def holds(self, value: object) -> bool:
        """Whether a value is of either range."""
        return self.first.holds(value) or self.second.holds(value)

    def read(self, text: str) -> Any:
        """Return the value that a text stands for, in the first range if it can be. Raises ValueError."""
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
    """What is declared of a field.

    Attributes:
        meaning: a phrase for people, in Markdown, with its unit.
        range: the values allowed, beside None if that is the default; None where others check.
        default: the default in words, if the field has none or one that differs by machine.
        name: as users write it, if it is not the field's.
        size: whether it is a number of bytes.
    """

    meaning: str
    range: Range | None
    default: str
    name: str
    size: bool


def declared(
    default: Any,
    meaning: str,
    range: Range | None = None,  # noqa: A002  # it is one
    *,
    factory: Callable[[], Any] | None = None,
    usual: str = "",
    name: str = "",
    size: bool = False,
) -> Any:
    """Return a field of a dataclass with its declaration.

    Args:
        default: its default; MISSING for none, or if a factory makes it.
        meaning: as in Declaration, and so are range, name and size.
        range: of its values.
        factory: makes the default.
        usual: the default in words.
        name: of the option, if it differs from the field's.
        size: of bytes.
    """
    metadata = {KEY: Declaration(meaning, range, usual, name, size)}
    if factory is not None:
        return field(default_factory=factory, metadata=metadata)
    return field(default=default, metadata=metadata)


KNOWN: dict[type, Mapping[str, Declaration]] = {}  # asked for by every search


def declarations(kind: type) -> Mapping[str, Declaration]:
    """Return what is declared of the fields of a dataclass, by the name of the field, in their order."""
    if kind not in KNOWN:
        KNOWN[kind] = {one.name: one.metadata[KEY] for one in fields(kind) if KEY in one.metadata}
    return KNOWN[kind]


def faults(instance: Any) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the values of a dataclass: the name of the option, and the words."""
    for name, declaration in declarations(type(instance)).items():
        value = getattr(instance, name)
        if declaration.range is None or declaration.range.holds(value):
            continue
        if value is not None or type(instance).__dataclass_fields__[name].default is not None:
            yield declaration.name or name, f"{value!r} is not {declaration.range}"


def require_ranges(settings: Any) -> None:
    """Raise BadSettings for the first value of a dataclass that is out of its range."""
    for name, fault in faults(settings):
        raise BadSettings(f"{name}: {fault}")


def in_words(value: object, declaration: Declaration) -> str:
    """Return the value of a field in words, as the default of an option is shown."""
    if declaration.default or value is None or value in ("", ()):
        return declaration.default or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value} ({spoken_size(value)})" if declaration.size and isinstance(value, int) and value else str(value)

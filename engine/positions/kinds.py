"""The kinds of values of a position's fields: integers in the struct, readable values in JSON.

Each kind defines the pydantic type of the JSON value, the range of the numbers, and the conversion both ways.
A game can define its own kinds by implementing the five members of Kind.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Annotated, Any, Literal, NamedTuple

import pydantic

from clerestory.engine.positions.fields import Fields
from clerestory.i18n.sentences import Text, text


class FieldContext(NamedTuple):
    """The context of a value: the position's fields (while reading, the preceding ones), and its seat."""

    fields: dict[str, Any]
    seat: int
    seats: int


class Kind:
    """A kind of value. `annotation` is its JSON type; `low` and `high` bound each of its numbers in the struct.

    If it is `plain`, a value is a single number, equal in the struct and in JSON. If `empty_is_zero`, an empty list has
    no faults, and zeros in the struct.
    """

    annotation: Any
    low: int = 0
    high: int = 0
    plain: bool = False
    empty_is_zero: bool = False

    def in_range(self, raw: Sequence[int], around: FieldContext) -> bool:
        """Whether numbers of the struct are in range, a precondition of `read`."""
        return self.low <= min(raw) and max(raw) <= self.high

    def read(self, raw: Sequence[int], around: FieldContext) -> Any:
        """Return the JSON value of numbers in range."""
        raise NotImplementedError

    def write(self, value: Any, around: FieldContext) -> Sequence[int]:
        """Return the numbers of a valid JSON value."""
        raise NotImplementedError

    def faults(self, value: Any, around: FieldContext) -> Iterable[Text]:
        """Yield the errors of a JSON value of the right type."""
        return ()


class Number(Kind):
    """An integer; `first` is stored as 0 in the struct."""

    def __init__(self, low: int, high: int, first: int = 0) -> None:
        self.annotation = whole(low, high)
        self.low, self.high, self.first, self.plain = low - first, high - first, first, not first

    def read(self, raw: Sequence[int], around: FieldContext) -> int:
        return raw[0] + self.first

    def write(self, value: int, around: FieldContext) -> Sequence[int]:
        return (value - self.first,)


class Flag(Kind):
    """A boolean."""

    annotation = bool
    high = 1

    def read(self, raw: Sequence[int], around: FieldContext) -> bool:
        return bool(raw[0])

    def write(self, value: bool, around: FieldContext) -> Sequence[int]:
        return (int(value),)


class SeatFlag(Kind):
    """A boolean for each player, stored as a set of seats in the position itself."""

    annotation = bool

    def in_range(self, raw: Sequence[int], around: FieldContext) -> bool:
        return raw[0] < 1 << around.seats

    def read(self, raw: Sequence[int], around: FieldContext) -> bool:
        return bool(raw[0] >> around.seat & 1)

    def write(self, value: bool, around: FieldContext) -> Sequence[int]:
        return (value << around.seat,)


class Choice(Kind):
    """One of a few names; `low` is the number of the first."""

    def __init__(self, names: Sequence[str], low: int = 0) -> None:
        self.annotation = Literal[tuple(names)]
        self.names = tuple(names)
        self.number = {name: i for i, name in enumerate(names, low)}
        self.low, self.high = low, low + len(names) - 1

    def read(self, raw: Sequence[int], around: FieldContext) -> str:
        return self.names[raw[0] - self.low]

    def write(self, value: str, around: FieldContext) -> Sequence[int]:
        return (self.number[value],)


class Seat(Choice):
    """A player by colour. The names in `before` come first, numbered from `low` on."""

    def __init__(self, colours: Sequence[str], before: Sequence[str] = (), low: int = 0) -> None:
        super().__init__((*before, *colours), low)
        self.colours, self.others = tuple(colours), len(before)

    def in_range(self, raw: Sequence[int], around: FieldContext) -> bool:
        return self.low <= raw[0] < self.low + self.others + around.seats

    def faults(self, value: str, around: FieldContext) -> Iterable[Text]:
        here = self.number[value] < self.low + self.others + around.seats
        return () if here else strangers([value], self.colours, around.seats)


class Card(Kind):
    """A card of a list, or "" for none, which is 0 in the struct."""

    annotation = str

    def __init__(self, ids: Sequence[str]) -> None:
        self.ids = ("", *ids)
        self.number = {card: i for i, card in enumerate(self.ids)}
        self.high = len(ids)

    def read(self, raw: Sequence[int], around: FieldContext) -> str:
        return self.ids[raw[0]]

    def write(self, value: str, around: FieldContext) -> Sequence[int]:
        return (self.number[value],)

    def faults(self, value: str, around: FieldContext) -> Iterable[Text]:
        return () if value in self.number else unknown([value], self.number)


class Each(Kind):
    """A list of a fixed length whose entries have one kind."""

    def __init__(self, kind: Kind, count: int) -> None:
        self.annotation = listed(kind.annotation, count, count)
        self.kind, self.count = kind, count

    def in_range(self, raw: Sequence[int], around: FieldContext) -> bool:
        return all(self.kind.in_range((number,), around) for number in raw)

    def read(self, raw: Sequence[int], around: FieldContext) -> list[Any]:
        return [self.kind.read((number,), around) for number in raw]

    def write(self, value: list[Any], around: FieldContext) -> Sequence[int]:
        write = self.kind.write
        return [write(entry, around)[0] for entry in value]

    def faults(self, value: list[Any], around: FieldContext) -> Iterable[Text]:
        faults = self.kind.faults
        if not any(faults(entry, around) for entry in set(value)):  # nearly always the same few
            return ()
        return [fault for entry in value for fault in faults(entry, around)]


class Set(Kind):
    """Distinct items of a list, in its order; a bit mask in the struct."""

    def __init__(self, ids: Sequence[Any], annotation: Any = list[str]) -> None:
        self.annotation = annotation
        self.bits = {thing: 1 << i for i, thing in enumerate(ids)}
        self.known = frozenset(ids)
        self.high = (1 << len(ids)) - 1

    def read(self, raw: Sequence[int], around: FieldContext) -> list[Any]:
        word = raw[0]
        return [thing for thing, bit in self.bits.items() if word & bit] if word else []

    def write(self, value: list[Any], around: FieldContext) -> Sequence[int]:
        return (sum(map(self.bits.__getitem__, value)),) if value else (0,)

    def faults(self, value: list[Any], around: FieldContext) -> Iterable[Text]:
        return () if distinct(value, self.known) else unknown(value, self.bits) + repeated(value)


class Deck(Kind):
    """The coming cards, top first; empty if the order is unknown. In the struct an array, filled from its end."""

    def __init__(self, ids: Sequence[str], places: int, item: Any = str, unique: bool = True) -> None:
        self.annotation = listed(item, 0, places)
        self.ids, self.places, self.unique = ("", *ids), places, unique
        self.number = {card: i for i, card in enumerate(ids, 1)}
        self.known = frozenset(ids)
        self.high = len(ids)

    def read(self, raw: Sequence[int], around: FieldContext) -> list[str]:
        return [self.ids[number] for number in raw if number]

    def write(self, value: list[str], around: FieldContext) -> Sequence[int]:
        return [0] * (self.places - len(value)) + [*map(self.number.__getitem__, value)]

    def faults(self, value: list[str], around: FieldContext) -> Iterable[Text]:
        if distinct(value, self.known):
            return ()
        return unknown(value, self.number) + (repeated(value) if self.unique else [])


class Order(Kind):
    """A list of names, packed into one word of the struct: each name's number plus one, in `bits` bits."""

    def __init__(self, names: Sequence[str], bits: int, most: int, seated: bool = False) -> None:
        self.annotation = listed(Literal[tuple(names)], 0, most)
        self.names, self.bits, self.most, self.seated = tuple(names), bits, most, seated

    def entries(self, word: int) -> list[int]:
        """Return the number of each name plus one; 0 for a missing one."""
        return [word >> i & (1 << self.bits) - 1 for i in range(0, word.bit_length(), self.bits)]

    def in_range(self, raw: Sequence[int], around: FieldContext) -> bool:
        entries, high = self.entries(raw[0]), around.seats if self.seated else len(self.names)
        return len(entries) <= self.most and all(1 <= entry <= high for entry in entries)

    def read(self, raw: Sequence[int], around: FieldContext) -> list[str]:
        return [self.names[entry - 1] for entry in self.entries(raw[0])]

    def write(self, value: list[str], around: FieldContext) -> Sequence[int]:
        return (sum(self.names.index(name) + 1 << self.bits * i for i, name in enumerate(value)),)

    def faults(self, value: list[str], around: FieldContext) -> Iterable[Text]:
        return strangers(value, self.names, around.seats) if self.seated else ()


class Multiset(Kind):
    """At most 15 names in their order, with repeats; in the struct one word with 4 bits for the count of each."""

    empty_is_zero = True

    def __init__(self, names: Sequence[str], most: int) -> None:
        self.annotation = listed(Literal[tuple(names)], 0, most)
        self.names, self.most = tuple(names), most
        self.one = {name: 1 << 4 * i for i, name in enumerate(names)}

    def in_range(self, raw: Sequence[int], around: FieldContext) -> bool:
        return raw[0] < 1 << 4 * len(self.names) and len(self.read(raw, around)) <= self.most

    def read(self, raw: Sequence[int], around: FieldContext) -> list[str]:
        return [name for i, name in enumerate(self.names) for _ in range(raw[0] >> 4 * i & 15)]

    def write(self, value: list[str], around: FieldContext) -> Sequence[int]:
        return (sum(map(self.one.__getitem__, value)),)


class Amounts(Kind):
    """A number for each name, as an object; in the struct an array, or one word with `bits` bits per number."""

    def __init__(self, names: Sequence[str], low: int, high: int, bits: int = 0) -> None:
        self.annotation = model("Amounts", dict.fromkeys(names, whole(low, high)))
        self.names, self.low, self.high, self.bits = tuple(names), low, high, bits

    def amounts(self, raw: Sequence[int]) -> Sequence[int]:
        """Return the number of each name."""
        if not self.bits:
            return raw
        return [raw[0] >> self.bits * i & (1 << self.bits) - 1 for i in range(len(self.names))]

    def in_range(self, raw: Sequence[int], around: FieldContext) -> bool:
        return super().in_range(self.amounts(raw), around) and not (self.bits and raw[0] >> self.bits * len(self.names))

    def read(self, raw: Sequence[int], around: FieldContext) -> dict[str, int]:
        return dict(zip(self.names, self.amounts(raw), strict=True))

    def write(self, value: dict[str, int], around: FieldContext) -> Sequence[int]:
        amounts = [value[name] for name in self.names]
        return [sum(amount << self.bits * i for i, amount in enumerate(amounts))] if self.bits else amounts


# -- types of JSON values ----------------------------------------------------------------------------


def model(name: str, fields: dict[str, Any]) -> type[Fields]:
    """Return the type of an object with fields of the given types, all required."""
    required: dict[str, Any] = {field: (annotation, ...) for field, annotation in fields.items()}
    return pydantic.create_model(name, __base__=Fields, **required)


def whole(low: int, high: int) -> Any:
    """Return the type of whole numbers from low to high."""
    return Annotated[int, pydantic.Field(ge=low, le=high)]


def listed(item: Any, low: int = 0, high: int | None = None) -> Any:
    """Return the type of lists of low to high items."""
    return Annotated[list[item], pydantic.Field(min_length=low, max_length=high)]


# -- errors ------------------------------------------------------------------------------------------


def unknown(things: Sequence[Any], known: Collection[Any]) -> list[Text]:
    """Describe each unknown item."""
    if all(map(known.__contains__, things)):
        return []
    strange = [thing for thing in dict.fromkeys(things) if thing not in known]
    return [text("fault.card", value=repr(str(thing)[:80])) for thing in strange]


def distinct(things: Sequence[Any], known: frozenset[Any]) -> bool:
    """Whether all items are known and distinct."""
    return not things or (len(there := set(things)) == len(things) and there <= known)


def repeated(things: Sequence[Any]) -> list[Text]:
    """Describe each repeated item."""
    if len(set(things)) == len(things):
        return []
    counts = Counter(things).items()
    return [text("fault.repeated", value=repr(str(thing)[:80]), times=times) for thing, times in counts if times > 1]


def strangers(colours: Sequence[str], known: Sequence[str], seats: int) -> list[Text]:
    """Describe each colour that is not in the game."""
    strange = set(known[seats:]) if colours else set()
    if strange.isdisjoint(colours):
        return []
    return [
        text("fault.player", value=repr(colour), players=", ".join(known[:seats]))
        for colour in colours
        if colour in strange
    ]

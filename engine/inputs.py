"""The inputs of a learned value: plain features, and features of cards that describe their effects.

An encoder lists places: amounts of a position, and the location of each card of the catalogue, by number. A value has
weights for features. A plain place is a single feature. A card's place represents several features, its effects, so its
weights are the sums of their weights. Summed once for the cards in use, they cost no more than weights for each card
would, and a corrected card changes its weights like its effects. Names of features do not depend on cards.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin

from clerestory.engine.catalogue import PROSE, CardRow
from clerestory.engine.positions.fields import Fields

SCALE = 0.25  # of the amounts of cards
FeatureRow = tuple[tuple[int, float], ...]  # features of a place, ascending, with their amounts


@dataclass(frozen=True, slots=True)
class CardPlaces:
    """Places of an encoder for cards, one per card.

    Attributes:
        name: prefix of the features.
        shape: class of the cards, whose fields are the features.
        rows: returns the cards of a catalogue by id, in the order of the places.
        room: number of places; those beyond the cards are never listed.
        without: fields to ignore.
    """

    name: str
    shape: type[CardRow]
    rows: Callable[[Any], Mapping[str, CardRow]]
    room: int
    without: frozenset[str] = frozenset()

    def names(self) -> list[str]:
        """Return the names of the features."""
        return [f"{self.name}.{name}" for name in (*names_of(self.shape, PROSE | self.without), *self.shape.DERIVED)]

    def amounts(self, row: CardRow) -> dict[str, float]:
        """Return the non-zero amounts of a card, by feature."""
        values = {**dict(amounts_of(row, PROSE | self.without)), **row.derived()}
        known = set(self.names())
        return {f"{self.name}.{name}": value for name, value in values.items() if f"{self.name}.{name}" in known}


class Inputs(NamedTuple):
    """The inputs of a value for one seat, or for the table.

    Attributes:
        names: names of the features.
        rows: features of each place of the encoder.
        cards: features of the cards, by place and id.
    """

    names: tuple[str, ...]
    rows: tuple[FeatureRow, ...]
    cards: dict[str, FeatureRow]


def side_of(places: Sequence[str | CardPlaces], catalogue: Any) -> Inputs:
    """Return the inputs of a value, from the places of an encoder in order and the cards in use."""
    names = [name for place in places for name in ([place] if isinstance(place, str) else place.names())]
    index = {name: number for number, name in enumerate(names)}
    rows: list[FeatureRow] = []
    cards: dict[str, FeatureRow] = {}
    for place in places:
        if isinstance(place, str):
            rows.append(((index[place], 1.0),))
            continue
        found = {
            f"{place.name}.{card}": row_of(place.amounts(row), index) for card, row in place.rows(catalogue).items()
        }
        rows += [*found.values(), *[()] * (place.room - len(found))]
        cards |= found
    return Inputs(tuple(names), tuple(rows), cards)


def row_of(amounts: Mapping[str, float], index: Mapping[str, int]) -> FeatureRow:
    """Return non-zero amounts by number of feature."""
    return tuple(sorted((index[name], amount) for name, amount in amounts.items() if amount))


# -- the fields of a card as features --------------------------------------------------------------


def names_of(shape: type[Fields], without: frozenset[str] | set[str] = frozenset()) -> Iterator[str]:
    """Yield the names of all possible effects of a kind of cards, from the types of their fields."""
    for name, field in shape.model_fields.items():
        if name not in without:
            yield from names_of_type(name, field.annotation)


def names_of_type(name: str, kind: Any) -> Iterator[str]:
    """Yield the names of the features of a field of some type."""
    options = get_args(kind)
    if get_origin(kind) is Annotated:
        yield from names_of_type(name, options[0])
    elif get_origin(kind) is Literal:
        yield from (f"{name}.{option}" for option in options)
    elif get_origin(kind) is list:
        yield from (f"{name}.{option}" for option in get_args(options[0])) if is_literal(options[0]) else (name,)
    elif isinstance(kind, UnionType) or get_origin(kind) is not None:
        for option in options:
            yield from () if option is NoneType else names_of_type(name, option)
    elif issubclass(kind, Fields):
        yield from names_of_effect(name, kind)
    else:
        yield name


def is_literal(kind: Any) -> bool:
    """Return whether a type is a list of a few values."""
    return get_origin(kind) is Literal


def names_of_effect(name: str, shape: type[Fields]) -> Iterator[str]:
    """Yield the names of the features of a group of fields; if it has a `kind`, separately for each kind."""
    kind = shape.model_fields.get("kind")
    if kind is None:
        yield from (f"{name}.{inner}" for inner in names_of(shape))
        return
    for one in get_args(kind.annotation):
        yield f"{name}.{one}"
        yield from (f"{name}.{one}.{inner}" for inner in names_of(shape, {"kind"}))


def amounts_of(row: Fields, without: frozenset[str] | set[str] = frozenset()) -> Iterator[tuple[str, float]]:
    """Yield the features of a card with their amounts."""
    for name in type(row).model_fields:
        if name not in without:
            yield from amounts_in(name, getattr(row, name))


def amounts_in(name: str, value: Any) -> Iterator[tuple[str, float]]:
    """Yield the features of a field with their amounts."""
    if isinstance(value, Fields):
        kind = getattr(value, "kind", None)
        if kind is not None:
            yield f"{name}.{kind}", 1.0
        inside = name if kind is None else f"{name}.{kind}"
        yield from ((f"{inside}.{inner}", amount) for inner, amount in amounts_of(value, {"kind"}))
    elif isinstance(value, str):
        yield f"{name}.{value}", 1.0
    elif isinstance(value, list):
        yield name, float(bool(value))
        yield from ((f"{name}.{one}", 1.0) for one in value)
    elif value is not None:
        yield name, float(value) * (1.0 if isinstance(value, bool) else SCALE)

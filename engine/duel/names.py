"""What things are called in actions and positions: everything in the order of its numbers inside."""

from typing import Literal, NamedTuple, get_args

from clerestory.engine.duel.catalogue import Catalogue, Chip, Material, Numeral

Colour = Literal["red", "blue"]
Seal = Literal["0/5", "1/4", "2/3"]
Place = Literal["1.1", "1.2", "1.3", "2.1", "2.2", "2.3", "3.1", "3.2", "3.3"]
Step = Literal[
    "deal", "claim", "storm", "take_back", "conflict", "flip", "keep", "turn", "copy", "influence", "draw", "craftsman",
    "market", "aliena", "take", "regan", "alfred", "maud", "tom", "william", "bonus", "over",
]  # fmt: skip

COLOURS: tuple[str, ...] = get_args(Colour)
CHIPS: tuple[str, ...] = get_args(Chip)
MATERIALS: tuple[str, ...] = get_args(Material)
SECTIONS: tuple[str, ...] = get_args(Numeral)
SEALS: tuple[str, ...] = get_args(Seal)
PLACES: tuple[str, ...] = get_args(Place)
STEP_NAMES: tuple[str, ...] = get_args(Step)


class Thing(NamedTuple):
    """Something an action names: its id in texts, its name in labels."""

    id: str
    name: str


LINES = (
    Thing("row 1", "the first row"),
    Thing("row 2", "the second row"),
    Thing("row 3", "the third row"),
    Thing("column 1", "the first column"),
    Thing("column 2", "the second column"),
    Thing("column 3", "the third column"),
    Thing("diagonal down", "the diagonal from the upper left"),
    Thing("diagonal up", "the diagonal from the lower left"),
)


class Card(NamedTuple):
    """A card of the catalogue: its id and name, whether it is a 1x card, its copies in decks A and B."""

    id: str
    name: str
    once: bool
    copies: tuple[int, int]


class Names(NamedTuple):
    """The cards of a catalogue, in catalogue order, and what each seat's sections need."""

    cards: tuple[Card, ...]
    needs: tuple[tuple[list[str], ...], ...]


def names_of(catalogue: Catalogue) -> Names:
    """Return what positions and actions name."""
    return Names(
        tuple(Card(card, row.name, row.frame == "once", (row.a, row.b)) for card, row in catalogue.cards.items()),
        tuple(tuple(list(needs) for needs in building.needs()) for building in (catalogue.castle, catalogue.cathedral)),
    )

"""The names of things in actions and positions, in the order of their internal numbers."""

from typing import NamedTuple, get_args

from clerestory.engine.duel.data.catalogue import Chip, DuelCatalogue, Material, Numeral
from clerestory.engine.shared.actions import Named
from clerestory.engine.shared.colours import COLOURS as EVERY_COLOUR

COLOURS = EVERY_COLOUR[:2]
CHIPS: tuple[str, ...] = get_args(Chip)
MATERIALS: tuple[str, ...] = get_args(Material)
SECTIONS: tuple[str, ...] = get_args(Numeral)
SEALS = ("0/5", "1/4", "2/3")
PLACES = tuple(f"{row}.{column}" for row in (1, 2, 3) for column in (1, 2, 3))

LINES = (
    Named("row 1", "the first row"),
    Named("row 2", "the second row"),
    Named("row 3", "the third row"),
    Named("column 1", "the first column"),
    Named("column 2", "the second column"),
    Named("column 3", "the third column"),
    Named("diagonal down", "the diagonal from the upper left"),
    Named("diagonal up", "the diagonal from the lower left"),
)


class NamedCard(NamedTuple):
    """A card of the catalogue: its id and name, whether it is a 1x card, its copies in decks A and B."""

    id: str
    name: str
    once: bool
    copies: tuple[int, int]


class Names(NamedTuple):
    """The cards of a catalogue, in catalogue order, and the materials that each seat's sections need."""

    cards: tuple[NamedCard, ...]
    needs: tuple[tuple[list[str], ...], ...]


def names_of(catalogue: DuelCatalogue) -> Names:
    """Return the names used in positions and actions."""
    return Names(
        tuple(NamedCard(card, row.name, row.frame == "once", (row.a, row.b)) for card, row in catalogue.cards.items()),
        tuple(tuple(list(needs) for needs in building.needs()) for building in (catalogue.castle, catalogue.cathedral)),
    )

"""The names of things in actions and positions, in the order of their internal numbers."""

from typing import NamedTuple

from clerestory.engine.cathedral.data.catalogue import TYPES, CathedralCatalogue
from clerestory.engine.shared.actions import Named
from clerestory.engine.shared.colours import COLOURS

__all__ = ["COLOURS", "LOCATIONS", "TYPES", "Names", "names_of"]

LOCATIONS = (
    Named("archbishop", "the archbishop's seat"),
    Named("kingsbridge.1", "Kingsbridge, first card"),
    Named("kingsbridge.2", "Kingsbridge, second card"),
    Named("priory", "the Priory"),
    Named("court", "the King's court"),
    Named("shiring.1", "Shiring, first craftsman"),
    Named("shiring.2", "Shiring, second craftsman"),
    Named("castle", "the castle"),
    Named("market", "the market"),
    Named("start", "the starting player's space"),
)


class Names(NamedTuple):
    """The cards of a catalogue, in catalogue order."""

    craftsmen: tuple[Named, ...]
    resources: tuple[Named, ...]
    advantages: tuple[Named, ...]
    events: tuple[Named, ...]


def names_of(catalogue: CathedralCatalogue) -> Names:
    """Return the cards' ids and names; a craftsman's name includes the round, because names are repeated."""
    rounds = {card: f" of round {values.round}" for card, values in catalogue.craftsmen.items()}
    craftsmen = catalogue.all_craftsmen.items()
    return Names(
        tuple(Named(card, values.name + rounds.get(card, "")) for card, values in craftsmen),
        tuple(Named(card, values.name) for card, values in catalogue.resource_cards.items()),
        tuple(Named(card, values.name) for card, values in catalogue.advantage_cards.items()),
        tuple(Named(card, values.name) for card, values in catalogue.event_cards.items()),
    )

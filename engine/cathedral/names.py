"""The names of things in actions and positions, in the order of their internal numbers."""

from typing import NamedTuple

from clerestory.engine.actions import Thing
from clerestory.engine.cathedral.catalogue import TYPES, CathedralCatalogue
from clerestory.engine.colours import COLOURS

__all__ = ["COLOURS", "LOCATIONS", "TYPES", "Names", "names_of"]

LOCATIONS = (
    Thing("archbishop", "the archbishop's seat"),
    Thing("kingsbridge.1", "Kingsbridge, first card"),
    Thing("kingsbridge.2", "Kingsbridge, second card"),
    Thing("priory", "the Priory"),
    Thing("court", "the King's court"),
    Thing("shiring.1", "Shiring, first craftsman"),
    Thing("shiring.2", "Shiring, second craftsman"),
    Thing("castle", "the castle"),
    Thing("market", "the market"),
    Thing("start", "the starting player's space"),
)


class Names(NamedTuple):
    """The cards of a catalogue, in catalogue order."""

    craftsmen: tuple[Thing, ...]
    resources: tuple[Thing, ...]
    advantages: tuple[Thing, ...]
    events: tuple[Thing, ...]


def names_of(catalogue: CathedralCatalogue) -> Names:
    """Return the cards' ids and names; a craftsman's name includes the round, because names repeat."""
    rounds = {card: f" of round {values.round}" for card, values in catalogue.craftsmen.items()}
    craftsmen = catalogue.all_craftsmen.items()
    return Names(
        tuple(Thing(card, values.name + rounds.get(card, "")) for card, values in craftsmen),
        tuple(Thing(card, values.name) for card, values in catalogue.resource_cards.items()),
        tuple(Thing(card, values.name) for card, values in catalogue.advantage_cards.items()),
        tuple(Thing(card, values.name) for card, values in catalogue.event_cards.items()),
    )

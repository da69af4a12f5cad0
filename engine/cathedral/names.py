"""What things are called in actions and positions: everything in the order of its numbers inside."""

from typing import Literal, NamedTuple, get_args

from clerestory.engine.cathedral.catalogue import Catalogue

Colour = Literal["red", "blue", "green", "yellow"]
Type = Literal["sand", "wood", "stone", "metal"]
Step = Literal[
    "advantages", "craftsmen", "resources", "draft", "draw", "redraw", "builder", "waiting", "event", "protection",
    "event_choice", "archbishop", "kingsbridge", "tax", "exemption", "shiring", "maud", "market", "cathedral", "keep",
    "over",
]  # fmt: skip

COLOURS: tuple[str, ...] = get_args(Colour)
TYPES: tuple[str, ...] = get_args(Type)
STEP_NAMES: tuple[str, ...] = get_args(Step)


class Thing(NamedTuple):
    """Something an action names: its id in texts, its name in labels."""

    id: str
    name: str


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


def names_of(catalogue: Catalogue) -> Names:
    """Return the cards' ids and names; a craftsman's name says the round, as names repeat."""
    rounds = {card: f" of round {values.round}" for card, values in catalogue.craftsmen.items()}
    craftsmen = catalogue.all_craftsmen.items()
    return Names(
        tuple(Thing(card, values.name + rounds.get(card, "")) for card, values in craftsmen),
        tuple(Thing(card, values.name) for card, values in catalogue.resource_cards.items()),
        tuple(Thing(card, values.name) for card, values in catalogue.advantage_cards.items()),
        tuple(Thing(card, values.name) for card, values in catalogue.event_cards.items()),
    )

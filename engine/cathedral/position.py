"""The fields of a position of `cathedral`, read strictly. What they mean is in RULES.md."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from clerestory.engine.cathedral.accounts import account_faults
from clerestory.engine.cathedral.names import COLOURS, Colour, Names, Step, Thing, Type
from clerestory.engine.errors import BadPosition
from clerestory.engine.fields import Fields, read_fields

Builder = Colour | Literal[""]
Count = Annotated[int, Field(ge=0, le=60)]
Points = Annotated[int, Field(ge=0, le=6000)]
Signed = Annotated[int, Field(ge=-120, le=23)]
STARTING = 3  # the first craftsmen of the catalogue are everybody's
Two = Field(min_length=2, max_length=2)


class Player(Fields):
    """What a player has."""

    vp: Points
    gold: Count
    sand: Count
    wood: Count
    stone: Count
    metal: Count
    vp_priory: Count
    vp_craftsmen: Points
    vp_cards: Annotated[int, Field(ge=0, le=120)]
    vp_lost: Annotated[int, Field(ge=0, le=100)]
    workers: Count
    mill: Count
    grey: Count
    grey_next: Count
    craftsmen: list[str]
    advantages: list[str]
    resource_cards: list[str]
    fresh: list[str]
    bag: Count
    aside: Count
    passed: bool
    spared: bool
    limited: bool
    limited_next: bool
    bought: list[Literal["sand", "wood", "stone"]]


class Stock(Fields):
    """The market's cubes."""

    sand: Count
    wood: Count
    stone: Count


class Supply(Fields):
    """The general supply; below zero what is owed."""

    sand: Signed
    wood: Signed
    stone: Signed
    metal: Signed


class Use(Fields):
    """How often a free craftsman has been used."""

    craftsman: str
    times: Annotated[int, Field(ge=1, le=10)]


class Position(Fields):
    """A whole position."""

    round: Annotated[int, Field(ge=1, le=6)]
    step: Step
    to_act: Literal["nature", ""] | Colour
    starting_player: Colour
    cost: Count
    redraw_used: bool
    drawn: Builder
    free_placement: bool
    waiting: Annotated[list[Colour], Field(max_length=7)]
    archbishop: Builder
    castle: Builder
    start: Builder
    kingsbridge: Annotated[list[Builder], Two]
    priory: Annotated[list[Builder], Two]
    court: Annotated[list[Builder], Field(min_length=4, max_length=4)]
    shiring: Annotated[list[Builder], Two]
    market: Annotated[list[Builder], Field(min_length=5, max_length=5)]
    stall: Annotated[int, Field(ge=0, le=5)]
    kingsbridge_cards: Annotated[list[str], Two]
    shiring_cards: Annotated[list[str], Two]
    supply_craftsmen: list[str]
    supply_resources: list[str]
    event: str
    protection: bool
    die: Annotated[int, Field(ge=0, le=5)]
    stock: Stock
    court_metal: Count
    supply: Supply
    floor: Type | Literal[""]
    choices_left: Count
    used: list[Use]
    last_used: str
    unseen_advantages: list[str]
    unseen_events: list[str]
    advantage_deck: Annotated[list[str], Field(max_length=12)]
    event_deck: Annotated[list[str], Field(max_length=6)]
    craftsman_deck: Annotated[list[str], Field(max_length=24)]
    players: Annotated[list[Player], Field(min_length=2, max_length=4)]

    def builders(self) -> dict[str, list[str]]:
        """Return the spaces with what stands on them, in the order of the board."""
        return {
            "archbishop": [self.archbishop],
            "kingsbridge": [*self.kingsbridge],
            "priory": [*self.priory],
            "court": [*self.court],
            "shiring": [*self.shiring],
            "castle": [self.castle],
            "market": [*self.market],
            "start": [self.start],
        }


def read_position(fields: dict[str, object], names: Names) -> Position:
    """Return the position that the fields describe. Raises BadPosition, listing every fault.

    What is told from the course of the game is left to the rules' invariants.
    """
    position = read_fields(Position, fields, "cathedral", BadPosition)
    faults = [*colour_faults(position), *card_faults(position, names)]
    faults = faults or list(account_faults(position, [craftsman.id for craftsman in names.craftsmen[:STARTING]]))
    if faults:
        raise BadPosition([(f"cathedral.{field}", description) for field, description in faults])
    return position


Faults = Iterator[tuple[str, str]]


def colour_faults(position: Position) -> Faults:
    """Every colour belongs to a player."""
    single = {name: (getattr(position, name),) for name in ("to_act", "starting_player", "drawn")}
    colours: dict[str, Sequence[str]] = {**single, **position.builders(), "waiting": position.waiting}
    seated = COLOURS[: len(position.players)]
    for field, found in colours.items():
        for colour in found:
            if colour not in ("", "nature", *seated):
                yield field, f"{colour!r} does not play; the colours are {', '.join(seated)}"


def card_faults(position: Position, names: Names) -> Faults:
    """Every card is one of its kind, and in a list at most once."""
    lists: list[tuple[str, Sequence[str], Sequence[Thing]]] = [
        ("kingsbridge_cards", list(filter(None, position.kingsbridge_cards)), names.advantages),
        ("shiring_cards", list(filter(None, position.shiring_cards)), names.craftsmen),
        ("supply_craftsmen", position.supply_craftsmen, names.craftsmen),
        ("supply_resources", position.supply_resources, names.resources),
        ("event", [position.event] if position.event else [], names.events),
        ("used", [use.craftsman for use in position.used], names.craftsmen),
        ("last_used", [position.last_used] if position.last_used else [], names.craftsmen),
        ("unseen_advantages", position.unseen_advantages, names.advantages),
        ("unseen_events", position.unseen_events, names.events),
        ("advantage_deck", position.advantage_deck, names.advantages),
        ("event_deck", position.event_deck, names.events),
        ("craftsman_deck", position.craftsman_deck, names.craftsmen),
    ]
    for seat, player in enumerate(position.players):
        lists += [
            (f"players[{seat}].craftsmen", player.craftsmen, names.craftsmen),
            (f"players[{seat}].advantages", player.advantages, names.advantages),
            (f"players[{seat}].fresh", player.fresh, names.advantages),
            (f"players[{seat}].resource_cards", player.resource_cards, names.resources),
            (f"players[{seat}].bought", player.bought, [Thing(name, name) for name in player.bought]),
        ]
    for field, cards, known in lists:
        yield from list_faults(field, cards, {thing.id for thing in known})


def list_faults(field: str, cards: Sequence[str], known: set[str]) -> Faults:
    """Faults of one list."""
    for card, times in Counter(cards).items():
        if card not in known:
            yield field, f"{card[:80]!r} is not one of the cards that lie there"
        if times > 1:
            yield field, f"{card[:80]!r} is there {times} times"

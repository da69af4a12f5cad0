"""The fields of a position of `duel`, read strictly. What they mean is in RULES.md."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from clerestory.engine.duel.accounts import account_faults
from clerestory.engine.duel.catalogue import Chip, Material
from clerestory.engine.duel.names import Colour, Names, Place, Seal, Step
from clerestory.engine.errors import BadPosition
from clerestory.engine.fields import Fields, read_fields

Count = Annotated[int, Field(ge=0, le=100)]
Few = Annotated[int, Field(ge=0, le=11)]
Placed = Annotated[list[Material], Field(max_length=3)]
Seals = Annotated[list[Seal], Field(max_length=10)]
Places = Annotated[list[Place], Field(max_length=3)]


class Chips(Fields):
    """Chips with their raw side up."""

    wood: Few
    sand: Few
    stone: Few
    wool: Few
    ore: Few


class Materials(Fields):
    """Chips with their material side up."""

    beam: Few
    mortar: Few
    brick: Few
    cloth: Few
    bell: Few


class Player(Fields):
    """What a player has."""

    gold: Count
    supply: Chips
    camp: Chips
    materials: Materials
    section_1: Placed
    section_2: Placed
    section_3: Placed
    seals: Seals
    flipped: Seals
    personal_flipped: bool
    sum: Count
    cards: list[str]
    markers: Places


class Position(Fields):
    """A whole position."""

    phase: Annotated[int, Field(ge=1, le=4)]
    round: Annotated[int, Field(ge=1, le=3)]
    step: Step
    to_act: Literal[Colour, "nature", ""]
    power: Colour
    first_player: Colour
    grid: Annotated[list[str], Field(min_length=9, max_length=9)]
    turn_of: Literal[Colour, ""]
    used: Places
    card: str
    left: Few
    floor: Literal[Chip, ""]
    may_end: bool
    seals_due: Few
    built: bool
    cheap: bool
    flipping: Literal[Seal, "personal", ""]
    unseen_seals: Annotated[list[Seal], Field(max_length=4)]
    seal_order: Annotated[list[Seal], Field(max_length=4)]
    stack: Seals
    undealt: Annotated[list[str], Field(max_length=27)]
    deck: Annotated[list[str], Field(max_length=108)]
    players: Annotated[list[Player], Field(min_length=2, max_length=2)]


def read_position(fields: dict[str, object], names: Names) -> Position:
    """Return the position that the fields describe. Raises BadPosition, listing every fault.

    What is told from the course of the game is left to the rules' invariants.
    """
    position = read_fields(Position, fields, "duel", BadPosition)
    faults = [*card_faults(position, names), *repeat_faults(position), *section_faults(position, names)]
    faults = faults or [*deck_faults(position, names), *account_faults(position)]
    if faults:
        raise BadPosition([(f"duel.{field}", description) for field, description in faults])
    return position


Faults = Iterator[tuple[str, str]]


def card_faults(position: Position, names: Names) -> Faults:
    """Every card is one of the catalogue's, and what a player keeps is a 1x card."""
    known, once = {card.id for card in names.cards}, {card.id for card in names.cards if card.once}
    lists: list[tuple[str, Sequence[str], set[str]]] = [
        ("grid", list(filter(None, position.grid)), known),
        ("card", list(filter(None, [position.card])), known),
        ("undealt", position.undealt, known),
        ("deck", position.deck, known),
        *((f"players[{seat}].cards", player.cards, once) for seat, player in enumerate(position.players)),
    ]
    for field, cards, allowed in lists:
        for card in sorted(set(cards) - allowed):
            yield field, f"{card[:80]!r} is not one of the cards that lie there"


def repeat_faults(position: Position) -> Faults:
    """What is there once is named once."""
    lists: list[tuple[str, Sequence[str]]] = [("used", position.used)]
    for seat, player in enumerate(position.players):
        lists += [(f"players[{seat}].cards", player.cards), (f"players[{seat}].markers", player.markers)]
    for field, items in lists:
        for item, times in Counter(items).items():
            if times > 1:
                yield field, f"{item[:80]!r} is there {times} times"


def section_faults(position: Position, names: Names) -> Faults:
    """A section holds what it needs."""
    for seat, player in enumerate(position.players):
        sections = (player.section_1, player.section_2, player.section_3)
        for number, (placed, needs) in enumerate(zip(sections, names.needs[seat], strict=True), 1):
            for material in Counter[str](placed) - Counter(needs):
                yield f"players[{seat}].section_{number}", f"{material!r} is more than {', '.join(needs)}"


def deck_faults(position: Position, names: Names) -> Faults:
    """Of each card there are its copies in the deck of the phase."""
    deck = (position.phase - 1) % 2
    shown = Counter(filter(None, position.grid))
    for card in names.cards:
        count = position.undealt.count(card.id) + shown[card.id]
        if count > card.copies[deck]:
            where = f"undealt and in the grid; deck {'AB'[deck]} has {card.copies[deck]}"
            yield "undealt", f"{card.id!r} is there {count} times, {where}"

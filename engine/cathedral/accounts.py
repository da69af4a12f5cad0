"""What adds up in every position: cubes, cards, builders, points, gold. All that does not is named, with its field.

The core's invariants (sound.pyx) say the same and much more, but stop at the first thing wrong; this is for people
who write positions.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from clerestory.engine.cathedral.names import COLOURS

if TYPE_CHECKING:
    from clerestory.engine.cathedral.position import Player, Position

CUBES = {"sand": 23, "wood": 23, "stone": 23, "metal": 13}
BUILDERS = 3
FIRST_VP = 2
MAX_GOLD = 30

Faults = Iterator[tuple[str, str]]


def account_faults(position: "Position", starting: Sequence[str]) -> Faults:
    """Yield the path and the description of everything that does not add up.

    Args:
        position: a position with known cards and colours.
        starting: the craftsmen that every player may hold.
    """
    yield from cube_faults(position)
    yield from place_faults(position, set(starting))
    for seat, player in enumerate(position.players):
        yield from builder_faults(position, seat, player)
        yield from point_faults(seat, player)


def cube_faults(position: "Position") -> Faults:
    """Cubes of a type are held, on the market or at court, or in the supply; as many as there are (1)."""
    for kind, number in CUBES.items():
        held = sum(getattr(player, kind) for player in position.players)
        elsewhere = position.court_metal if kind == "metal" else getattr(position.stock, kind)
        total = held + elsewhere + getattr(position.supply, kind)
        if total != number:
            where = "players, court and supply" if kind == "metal" else "players, market and supply"
            yield f"supply.{kind}", f"{where} hold {total}; there are {number}"


def place_faults(position: "Position", starting: set[str]) -> Faults:
    """A card is in one place; a deck is not a place, it is the order of the unseen ones."""
    for places in (advantage_places(position), craftsman_places(position), resource_places(position)):
        home: dict[str, str] = {}
        for path, cards in places:
            for card in cards:
                if card in home and card not in starting:
                    yield path, f"{card!r} is also in {home[card]}"
                home.setdefault(card, path)
    if position.event and position.event in position.unseen_events:
        yield "unseen_events", f"{position.event!r} is the event of this round"


Places = list[tuple[str, list[str]]]


def of_players(position: "Position", name: str) -> Places:
    """Return the path and the cards of each player."""
    return [(f"players[{seat}].{name}", getattr(player, name)) for seat, player in enumerate(position.players)]


def advantage_places(position: "Position") -> Places:
    """Where an advantage card can be."""
    shown = list(filter(None, position.kingsbridge_cards))
    unseen = ("unseen_advantages", position.unseen_advantages)
    return [unseen, ("kingsbridge_cards", shown), *of_players(position, "advantages")]


def craftsman_places(position: "Position") -> Places:
    """Where a craftsman can be, if it has been turned up."""
    shown = list(filter(None, position.shiring_cards))
    supply = ("supply_craftsmen", position.supply_craftsmen)
    return [("shiring_cards", shown), supply, *of_players(position, "craftsmen")]


def resource_places(position: "Position") -> Places:
    """Where a resource card can be."""
    return [("supply_resources", position.supply_resources), *of_players(position, "resource_cards")]


def builder_faults(position: "Position", seat: int, player: "Player") -> Faults:
    """A player has three builders; Maud's stall holds none."""
    spaces = position.builders() | {"market": list(position.market[:4])}
    placed = Counter([*position.waiting, position.drawn, *(colour for found in spaces.values() for colour in found)])
    count = placed[COLOURS[seat]] + player.bag + player.aside
    if count > BUILDERS:
        where = "on the board, waiting, drawn, aside and in the bag"
        yield f"players[{seat}]", f"{count} builders of {COLOURS[seat]} {where}; there are {BUILDERS}"


def point_faults(seat: int, player: "Player") -> Faults:
    """The points are what was won less what was lost; gold has a cap."""
    total = FIRST_VP + player.vp_priory + player.vp_craftsmen + player.vp_cards - player.vp_lost
    if player.vp != total:
        yield f"players[{seat}].vp", f"is {player.vp}; {FIRST_VP} and what was won less what was lost is {total}"
    if player.gold > MAX_GOLD:
        yield f"players[{seat}].gold", f"is {player.gold}; nobody has more than {MAX_GOLD}"

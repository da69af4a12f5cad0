"""What adds up in every position: gold, chips, seals. All that does not is named, with its field.

The core's invariants (sound.pyx) say the same and much more, but stop at the first thing wrong; this is for people
who write positions.
"""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from clerestory.engine.duel.catalogue import CHIPS_OF_KIND
from clerestory.engine.duel.names import CHIPS, COLOURS, MATERIALS, SEALS

if TYPE_CHECKING:
    from clerestory.engine.duel.position import Position

GOLD = 74
SEALS_OF_KIND = (2, 4, 4)

Faults = Iterator[tuple[str, str]]


def account_faults(position: "Position") -> Faults:
    """Yield the path and the description of everything that does not add up."""
    yield from gold_faults(position)
    yield from chip_faults(position)
    yield from seal_faults(position)


def gold_faults(position: "Position") -> Faults:
    """The bank holds what the players do not (1)."""
    held = sum(player.gold for player in position.players)
    if held > GOLD:
        yield "players", f"hold {held} gold; there is {GOLD}"


def chip_faults(position: "Position") -> Faults:
    """A player's chips of a kind are in supply or camp, raw or turned, or placed (1)."""
    for seat, player in enumerate(position.players):
        placed = Counter[str]([*player.section_1, *player.section_2, *player.section_3])
        for chip, material, number in zip(CHIPS, MATERIALS, CHIPS_OF_KIND, strict=True):
            raw = getattr(player.supply, chip) + getattr(player.camp, chip)
            total = raw + getattr(player.materials, material) + placed[material]
            if total != number:
                where = f"{chip} and {material} in supply, camp, materials and sections"
                yield f"players[{seat}]", f"{COLOURS[seat]} has {total} {where}; there are {number}"


def seal_faults(position: "Position") -> Faults:
    """The neutral seals are in the stack, seen or unseen, with the players, or flipped (1)."""
    held = [seal for player in position.players for seal in (*player.seals, *player.flipped)]
    counts = Counter[str]([*position.unseen_seals, *position.stack, *held])
    for seal, number in zip(SEALS, SEALS_OF_KIND, strict=True):
        if counts[seal] != number:
            yield "stack", f"{counts[seal]} neutral seals {seal} in stack and with players; there are {number}"
    if position.seal_order and Counter(position.seal_order) != Counter(position.unseen_seals):
        yield "seal_order", f"{position.seal_order} are not the unseen seals"

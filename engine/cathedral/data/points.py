"""The sources of the points of `cathedral`, and the names of its kinds of luck."""

from collections.abc import Sequence

from clerestory.engine.cathedral.data.constants import FIRST_VP
from clerestory.engine.shared.points import Source, TieBreak

LUCK = {
    "advantage": "advantages",
    "craftsman": "craftsmen",
    "leave-out": "resource cards",
    "draw": "builders drawn",
    "event": "events",
    "roll": "tax die",
}
SOURCES: Sequence[Source] = (  # named like causes of changes; they add up to the player's VP
    Source("start", constant=FIRST_VP),
    Source("priory", ["vp_priory"]),
    Source("craftsman", ["vp_craftsmen"]),
    Source("advantage", ["vp_cards"]),
    Source("lost", ["vp_lost"], factor=-1),
)
TIE_BREAK = TieBreak("gold", last="shared")  # R11

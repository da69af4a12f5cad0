"""The sources of the points of `duel`, and the names of its kinds of luck."""

from collections.abc import Sequence

from clerestory.engine.duel.data.constants import SECTION_POINTS, SECTION_SIZE, SECTIONS
from clerestory.engine.shared.points import Source, TieBreak

LUCK = {"deal": "cards dealt", "face": "flips", "draw": "seals drawn"}
PLACED = [f"section_{number}" for number in range(1, SECTIONS + 1)]
SOURCES: Sequence[Source] = (  # D46
    Source("sections", PLACED, factor=SECTION_POINTS, full=SECTION_SIZE),
    Source("materials", PLACED),
    Source("gold", ["gold"], per=100),
)
TIE_BREAK = TieBreak("gold", last="seat")  # D46: Philip's

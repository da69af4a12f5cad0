"""The sources of the points of `duel`, and the names of its kinds of luck."""

from collections.abc import Mapping
from typing import Any

from clerestory.engine.duel.data.constants import SECTION_POINTS, SECTION_SIZE, SECTIONS

LUCK = {"deal": "cards dealt", "face": "flips", "draw": "seals drawn"}


def point_sources(fields: Mapping[str, Any]) -> list[dict[str, float]]:
    """Return the points of each player by source, from the fields of a position (D46)."""
    found = []
    for player in fields["players"]:
        placed = [len(player[f"section_{number}"]) for number in range(1, SECTIONS + 1)]
        sections = sum(number == SECTION_SIZE for number in placed)
        found.append({"sections": SECTION_POINTS * sections, "materials": sum(placed), "gold": player["gold"] / 100})
    return found


def tie_break(fields: Mapping[str, Any]) -> tuple[str, list[float]] | None:
    """Return what breaks ties in points: the gold, or Philip's seat if that is equal, too (D46)."""
    red, blue = (seat["sections"] + seat["materials"] for seat in point_sources(fields))
    gold = [player["gold"] for player in fields["players"]]
    if red != blue:
        return None
    return ("seat", []) if gold[0] == gold[1] else ("gold", gold)

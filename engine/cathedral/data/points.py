"""The sources of the points of `cathedral`, and the names of its kinds of luck."""

from collections.abc import Mapping
from typing import Any

from clerestory.engine.cathedral.data.constants import FIRST_VP

LUCK = {
    "advantage": "advantages",
    "craftsman": "craftsmen",
    "leave-out": "resource cards",
    "draw": "builders drawn",
    "event": "events",
    "roll": "tax die",
}


def point_sources(fields: Mapping[str, Any]) -> list[dict[str, float]]:
    """Return the VP of each player by source, from the fields of a position."""
    return [sources_of(player) for player in fields["players"]]


def sources_of(player: Mapping[str, Any]) -> dict[str, float]:
    """Return the VP of a player by source, named like causes of changes; they add up to the player's VP."""
    return {
        "start": FIRST_VP,
        "priory": player["vp_priory"],
        "craftsman": player["vp_craftsmen"],
        "advantage": player["vp_cards"],
        "lost": -player["vp_lost"],
    }


def tie_break(fields: Mapping[str, Any]) -> tuple[str, list[float]] | None:
    """Return what breaks ties in points: the gold; None if that is equal, too (R11)."""
    best = max(player["vp"] for player in fields["players"])
    gold = [player["gold"] for player in fields["players"] if player["vp"] == best]
    if len(gold) == 1:
        return None
    shared = gold.count(max(gold)) > 1
    return ("shared", []) if shared else ("gold", [player["gold"] for player in fields["players"]])

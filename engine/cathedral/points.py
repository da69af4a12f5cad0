"""The sources of the points of `cathedral`, and the names of its kinds of luck."""

from collections.abc import Mapping
from typing import Any

FIRST_VP = 2
LUCK = {
    "advantage": "advantages",
    "craftsman": "craftsmen",
    "leave-out": "resource cards",
    "draw": "builders drawn",
    "event": "events",
    "roll": "tax die",
}
POINTS = "Points are VP; gold breaks a tie."


def point_sources(fields: Mapping[str, Any]) -> list[dict[str, float]]:
    """Return the VP of each player by source, from the fields of a position."""
    return [
        {
            "start": FIRST_VP,
            "priory": player["vp_priory"],
            "craftsmen": player["vp_craftsmen"],
            "cards": player["vp_cards"],
            "lost": -player["vp_lost"],
        }
        for player in fields["players"]
    ]

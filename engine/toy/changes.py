"""Explains what an action of `toy` changed and why."""

from collections.abc import Sequence

from clerestory.engine.changes import Change, View

THINGS: Sequence[str] = ("points", "hand")
SCORED = "points"
ACCOUNTS: Sequence[str] = (SCORED,)


def explained(_before: View, _action: str, _after: View) -> list[Change]:
    """Return nothing: the difference shows everything."""
    return []


def cause(_before: View, _action: str, _after: View, change: Change) -> tuple[str, str]:
    """Return the prize for points, and the play of a card."""
    return ("prize" if change.thing == "points" else "play"), ""

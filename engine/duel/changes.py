"""Explains what an action of `duel` changed and why: RULES.md has the steps."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from clerestory.engine.changes import UNTOLD, Change, View
from clerestory.engine.core import Game
from clerestory.engine.duel.data.constants import SECTION_POINTS, SECTION_SIZE
from clerestory.engine.shared.colours import COLOURS

SECTION_FIELDS = ("section_1", "section_2", "section_3")
THINGS: Sequence[str] = ("gold", "supply", "camp", "materials", *SECTION_FIELDS, "seals", "cards", "markers")
SCORED = ""
ACCOUNTS: Sequence[str] = ()
CONFLICT = ("flip", "face", "stop", "keep")  # actions of a conflict
FIRST, SECOND = 1, 2  # section I gives seals, section II gold


def explained(before: View, action: str, after: View) -> list[Change]:
    """Return the points, the bonuses, the faces of a conflict and the marker of power."""
    verb, *rest = action.split()
    found = list(points(before, action, after))
    if verb == "face":
        found.append(Change(flipper(before), "sum", "", int(rest[0]), "conflict"))
    if after["power"] != before["power"]:
        found.append(Change(COLOURS.index(after["power"]), "power", "", 1, *used(before, action)))
    return found


def cause(before: View, action: str, after: View, change: Change) -> tuple[str, str]:
    """Return the cause of a change that `explained` does not cover."""
    verb = action.split()[0]
    if change.thing == "markers" and verb not in (*CONFLICT, "claim", "take-back"):
        return UNTOLD, ""  # the table is cleared
    if change.thing == "cards" and change.amount > 0:
        return "claim", ""
    if change.thing == "cards" and before["turn_of"] and not after["turn_of"]:
        return "phase", ""
    if verb in CONFLICT:
        return "conflict", ""
    if verb in ("claim", "build", "end"):
        return verb, ""
    return used(before, action)


def used(before: View, action: str) -> tuple[str, str]:
    """Return the cause: the card in use, the card whose use is continued (D48), or the bonus of a section."""
    verb, *rest = action.split()
    if verb in ("use", "play"):
        return "card", rest[0]
    if verb == "take-back":
        return "storm", ""
    if before["step"] == "turn":
        return "card", before["open_uses"][0]["card"]
    return ("card", before["card"]) if before["card"] else ("bonus", "")


def flipper(before: View) -> int:
    """Return the seat whose seal is being flipped: the one behind, or at equal sums the one to move."""
    first = COLOURS.index(before["first_player"])
    sums = [before[f"players[{seat}].sum"] for seat in (first, 1 - first)]
    if sums[0] != sums[1]:
        return first if sums[0] < sums[1] else 1 - first
    second = f"players[{1 - first}]"
    return 1 - first if before[f"{second}.flipped"] or before[f"{second}.personal_flipped"] else first


def points(before: View, action: str, after: View) -> Iterator[Change]:
    """Yield points for materials and sections, and the bonus for the first to complete a section (D43)."""
    for seat in range(before.state.seats):
        for number, section in enumerate(SECTION_FIELDS, 1):
            placed, now = (len(view[f"players[{seat}].{section}"]) for view in (before, after))
            yield Change(seat, "points", str(number), now - placed, *cause_of_points(before, action, now - placed))
            if placed < now == SECTION_SIZE:
                yield Change(seat, "points", str(number), SECTION_POINTS, "section")
                if len(before[f"players[{1 - seat}].{section}"]) < SECTION_SIZE:
                    yield from bonus(before, action, after, seat, number)


def cause_of_points(before: View, action: str, placed: int) -> tuple[str, str]:
    """Return why points for materials change: they are placed, or a card has one returned (D42)."""
    return used(before, action) if placed < 0 else ("material", "")


def bonus(before: View, action: str, after: View, seat: int, number: int) -> Iterator[Change]:
    """Yield the immediate gains of a complete section: public seals, or gold."""
    verb, *rest = action.split()
    if number == SECOND:
        gain = after[f"players[{seat}].gold"] - before[f"players[{seat}].gold"]
        yield Change(seat, "gold", "", gain + price(before, verb, len(rest) - 1), "bonus")
    held, now = (view[f"players[{seat}].seals"] for view in (before, after))
    for seal in sorted(set(now)) if number == FIRST else ():
        spent = verb == "place" and rest[-1] == seal
        yield Change(seat, "seals", seal, now.count(seal) - held.count(seal) + spent, "bonus")


def price(before: View, verb: str, size: int) -> int:
    """Return the gold that placing materials costs: that of a card, or the usual one, which a card can reduce (D5)."""
    rows = cards(before.state.game)
    if verb == "place":
        return int(rows[before["card"]]["effect"]["price"])
    if before["cheap"]:
        return next(int(row["effect"]["price"]) for row in rows.values() if kind_of(row) == "cheap_building")
    return int(rows["building"]["placing"][size - 1])


def kind_of(row: dict[str, Any]) -> str:
    """Return the kind of a card's effect, "" if it is not a card."""
    return str(row.get("effect", {}).get("kind", ""))


@cache
def cards(game: Game) -> dict[str, dict[str, Any]]:
    """Return every row of the catalogue by its id."""
    return {row["id"]: row for rows in game.cards().values() for row in rows}

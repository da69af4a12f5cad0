"""A position as a table that can be read in a terminal."""

from typing import Any

from clerestory.engine.colours import COLOURS
from clerestory.engine.picture import aligned, headline, named, words

ROWS = (
    ("VP", "vp"),
    ("gold", "gold"),
    ("sand", "sand"),
    ("wood", "wood"),
    ("stone", "stone"),
    ("metal", "metal"),
    ("workers", "workers"),
    ("at the mill", "mill"),
    ("builders in bag", "bag"),
)
HANDS = (("craftsmen", "craftsmen"), ("advantages", "advantages"), ("resource cards", "resource_cards"))


def show(fields: dict[str, Any]) -> str:
    """Return a picture of a position's fields: the course, the board, the players side by side."""
    return "\n".join([*course(fields), *board(fields), "", *table(fields["players"]), "", *hands(fields["players"])])


def course(fields: dict[str, Any]) -> list[str]:
    """Where in the game the position is."""
    rest = f"starting player {fields['starting_player']}, cost {fields['cost']}"
    details = [
        ("drawn", fields["drawn"] + (" (placed free)" if fields["free_placement"] else "")),
        ("waiting", words(fields["waiting"])),
        ("event", fields["event"]),
        ("coming event", "".join(fields["event_deck"]) if len(fields["event_deck"]) == 1 else ""),
        ("tax", str(fields["die"] or "")),
        ("stall", str(fields["stall"] or "")),
        ("blessing", "used" if fields["blessing_used"] else ""),
        ("used", ", ".join(f"{use['craftsman']} x{use['times']}" for use in fields["used"])),
    ]
    return [headline(f"round {fields['round']}", fields, rest), *named(details)]


def board(fields: dict[str, Any]) -> list[str]:
    """The cards and builders on the board."""
    lines = [
        ("supply", words([*fields["supply_resources"], *fields["supply_craftsmen"]])),
        ("kingsbridge", words(pairs(fields["kingsbridge_cards"], fields["kingsbridge"]))),
        ("shiring", words(pairs(fields["shiring_cards"], fields["shiring"]))),
        *((name, words(fields[name])) for name in ("priory", "court", "market")),
        *((name, fields[name]) for name in ("archbishop", "castle", "start")),
        ("stock", amounts(fields["stock"]) + (", metal at court" if fields["court_metal"] else "")),
        ("general supply", amounts(fields["supply"])),
    ]
    return named(lines)


def pairs(cards: list[str], builders: list[str]) -> list[str]:
    """Cards with the builder below each."""
    return [f"{card}{f' <- {builder}' if builder else ''}" for card, builder in zip(cards, builders, strict=True)]


def amounts(counts: dict[str, int]) -> str:
    """Counts by name, in one line."""
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def table(players: list[dict[str, Any]]) -> list[str]:
    """A column for each player."""
    rows = [["", *COLOURS[: len(players)]]]
    rows += [[name, *(str(player[field]) for player in players)] for name, field in ROWS]
    return aligned(rows)


def hands(players: list[dict[str, Any]]) -> list[str]:
    """The cards of each player, by kind."""
    return [
        f"{colour}: {'; '.join(f'{name} {words(player[field])}' for name, field in HANDS if player[field]) or '-'}"
        for colour, player in zip(COLOURS, players, strict=False)
    ]

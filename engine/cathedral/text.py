"""Prints a position as a readable table."""

from typing import Any

from clerestory.engine.colours import COLOURS
from clerestory.engine.picture import Telling, aligned

ROWS = ("vp", "gold", "sand", "wood", "stone", "metal", "workers", "mill", "bag")  # of the table of players
HANDS = ("craftsmen", "advantages", "resource_cards")
PLAIN = Telling("cathedral")


def show(fields: dict[str, Any], told: Telling = PLAIN) -> str:
    """Return a picture of a position's fields: the course, the board, the players side by side."""
    players = fields["players"]
    return "\n".join(
        [*course(fields, told), *board(fields, told), "", *table(players, told), "", *hands(players, told)]
    )


def course(fields: dict[str, Any], told: Telling) -> list[str]:
    """Return the round, the step and the order of play."""
    details = [
        ("drawn.free" if fields["free_placement"] else "drawn", told.row(told.names("colour", [fields["drawn"]]))),
        ("waiting", told.row(told.names("colour", fields["waiting"]))),
        ("event", told.row(told.names("card", [fields["event"]]))),
        ("coming", told.row(told.names("card", fields["event_deck"])) if len(fields["event_deck"]) == 1 else ""),
        ("tax", str(fields["die"] or "")),
        ("stall", str(fields["stall"] or "")),
        ("blessing", str(fields["blessing_used"] or "")),
        ("used", told.between.join(used(use, told) for use in fields["used"])),
    ]
    return [headline(fields, told), *told.lines(details)]


def headline(fields: dict[str, Any], told: Telling) -> str:
    """Return the round, the step and the seat to act."""
    return told.say(
        "head.acts" if fields["to_act"] else "head",
        round=fields["round"],
        step=told.name("step", fields["step"]),
        who=told.name("colour", fields["to_act"]),
        starts=told.name("colour", fields["starting_player"]),
        cost=fields["cost"],
    )


def used(use: dict[str, Any], told: Telling) -> str:
    """Return how often a craftsman has been used."""
    return told.say("times", card=told.name("card", use["craftsman"]), number=use["times"])


def board(fields: dict[str, Any], told: Telling) -> list[str]:
    """Return the cards and builders on the board."""
    stock = "stock.metal" if fields["court_metal"] else "stock"
    lines = [
        ("supply", told.row(told.names("card", [*fields["supply_resources"], *fields["supply_craftsmen"]]))),
        ("kingsbridge", told.row(pairs(fields["kingsbridge_cards"], fields["kingsbridge"], told))),
        ("shiring", told.row(pairs(fields["shiring_cards"], fields["shiring"], told))),
        *((name, told.row(told.names("colour", fields[name]))) for name in ("priory", "court", "market")),
        *((name, told.row(told.names("colour", [fields[name]]))) for name in ("archbishop", "castle", "start")),
        (stock, amounts(fields["stock"], told)),
        ("general", amounts(fields["supply"], told)),
    ]
    return list(told.lines(lines))


def pairs(cards: list[str], builders: list[str], told: Telling) -> list[str]:
    """Return cards with the builder below each."""
    return [pair(told.name("card", card), builder, told) for card, builder in zip(cards, builders, strict=True)]


def pair(card: str, builder: str, told: Telling) -> str:
    """Return a card, with the builder below it if there is one."""
    return told.say("builder", card=card, who=told.name("colour", builder)) if builder else card


def amounts(counts: dict[str, int], told: Telling) -> str:
    """Return counts by name, on one line."""
    return told.between.join(
        told.say("amount", count=count, good=told.name("good", good)) for good, count in counts.items()
    )


def table(players: list[dict[str, Any]], told: Telling) -> list[str]:
    """Return a column for each player."""
    rows = [["", *told.names("colour", COLOURS[: len(players)])]]
    rows += [[told.say(f"row.{field}"), *(str(player[field]) for player in players)] for field in ROWS]
    return aligned(rows)


def hands(players: list[dict[str, Any]], told: Telling) -> list[str]:
    """Return the cards of each player, by kind."""
    return [
        told.say("hand", who=told.name("colour", colour), what=hand(player, told) or "-")
        for colour, player in zip(COLOURS, players, strict=False)
    ]


def hand(player: dict[str, Any], told: Telling) -> str:
    """Return the cards of a player, by kind."""
    kinds = ((field, told.row(told.names("card", player[field]))) for field in HANDS)
    return told.apart.join(told.lines((f"hand.{field}", cards) for field, cards in kinds))

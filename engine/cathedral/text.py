"""Prints a position as a readable table."""

from typing import Any

from clerestory.engine.picture import PictureTexts, aligned
from clerestory.engine.shared.colours import COLOURS

ROWS = ("vp", "gold", "sand", "wood", "stone", "metal", "workers", "mill", "bag")  # of the table of players
HANDS = ("craftsmen", "advantages", "resource_cards")
PLAIN = PictureTexts("cathedral")


def show(fields: dict[str, Any], texts: PictureTexts = PLAIN) -> str:
    """Return a picture of a position's fields: the course, the board, the players side by side."""
    players = fields["players"]
    return "\n".join(
        [*course(fields, texts), *board(fields, texts), "", *table(players, texts), "", *hands(players, texts)]
    )


def course(fields: dict[str, Any], texts: PictureTexts) -> list[str]:
    """Return the round, the step and the order of play."""
    details = [
        ("drawn.free" if fields["free_placement"] else "drawn", texts.row(texts.names("colour", [fields["drawn"]]))),
        ("waiting", texts.row(texts.names("colour", fields["waiting"]))),
        ("event", texts.row(texts.names("card", [fields["event"]]))),
        ("coming", texts.row(texts.names("card", fields["event_deck"])) if len(fields["event_deck"]) == 1 else ""),
        ("tax", str(fields["die"] or "")),
        ("stall", str(fields["stall"] or "")),
        ("blessing", str(fields["blessing_used"] or "")),
        ("used", texts.between.join(used(use, texts) for use in fields["used"])),
    ]
    return [headline(fields, texts), *texts.lines(details)]


def headline(fields: dict[str, Any], texts: PictureTexts) -> str:
    """Return the round, the step and the seat to act."""
    return texts.say(
        "head.acts" if fields["to_act"] else "head",
        round=fields["round"],
        step=texts.name("step", fields["step"]),
        who=texts.name("colour", fields["to_act"]),
        starts=texts.name("colour", fields["starting_player"]),
        cost=fields["cost"],
    )


def used(use: dict[str, Any], texts: PictureTexts) -> str:
    """Return how often a craftsman has been used."""
    return texts.say("times", card=texts.name("card", use["craftsman"]), number=use["times"])


def board(fields: dict[str, Any], texts: PictureTexts) -> list[str]:
    """Return the cards and builders on the board."""
    stock = "stock.metal" if fields["court_metal"] else "stock"
    lines = [
        ("supply", texts.row(texts.names("card", [*fields["supply_resources"], *fields["supply_craftsmen"]]))),
        ("kingsbridge", texts.row(pairs(fields["kingsbridge_cards"], fields["kingsbridge"], texts))),
        ("shiring", texts.row(pairs(fields["shiring_cards"], fields["shiring"], texts))),
        *((name, texts.row(texts.names("colour", fields[name]))) for name in ("priory", "court", "market")),
        *((name, texts.row(texts.names("colour", [fields[name]]))) for name in ("archbishop", "castle", "start")),
        (stock, amounts(fields["stock"], texts)),
        ("general", amounts(fields["supply"], texts)),
    ]
    return list(texts.lines(lines))


def pairs(cards: list[str], builders: list[str], texts: PictureTexts) -> list[str]:
    """Return cards with the builder below each."""
    return [pair(texts.name("card", card), builder, texts) for card, builder in zip(cards, builders, strict=True)]


def pair(card: str, builder: str, texts: PictureTexts) -> str:
    """Return a card, with the builder below it if there is one."""
    return texts.say("builder", card=card, who=texts.name("colour", builder)) if builder else card


def amounts(counts: dict[str, int], texts: PictureTexts) -> str:
    """Return counts by name, on one line."""
    return texts.between.join(texts.amount(good, count) for good, count in counts.items())


def table(players: list[dict[str, Any]], texts: PictureTexts) -> list[str]:
    """Return a column for each player."""
    rows = [["", *texts.names("colour", COLOURS[: len(players)])]]
    rows += [[texts.say(f"row.{field}"), *(str(player[field]) for player in players)] for field in ROWS]
    return aligned(rows)


def hands(players: list[dict[str, Any]], texts: PictureTexts) -> list[str]:
    """Return the cards of each player, by kind."""
    return [
        texts.say("hand", who=texts.name("colour", colour), what=hand(player, texts) or "-")
        for colour, player in zip(COLOURS, players, strict=False)
    ]


def hand(player: dict[str, Any], texts: PictureTexts) -> str:
    """Return the cards of a player, by kind."""
    kinds = ((field, texts.row(texts.names("card", player[field]))) for field in HANDS)
    return texts.apart.join(texts.lines((f"hand.{field}", cards) for field, cards in kinds))

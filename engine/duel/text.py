"""Prints a position as a readable table."""

from itertools import zip_longest
from textwrap import wrap
from typing import Any

from clerestory.engine.duel.names import COLOURS
from clerestory.engine.picture import Telling, aligned

CARD, HOLDING = 18, 23  # characters per line of a cell, so that the grid and the table of players fit 60 columns
GOODS = ("camp", "materials", "supply")
SECTIONS = {"I": "section_1", "II": "section_2", "III": "section_3"}
PERSONAL = "personal"  # the seal that each player keeps
PLAIN = Telling("duel")


def show(fields: dict[str, Any], told: Telling = PLAIN) -> str:
    """Return a picture of a position's fields: the course, the grid, the players side by side."""
    return "\n".join([*course(fields, told), "", *grid(fields, told), "", *table(fields["players"], told)])


def course(fields: dict[str, Any], told: Telling) -> list[str]:
    """Return the phase, the round and the step."""
    details = [
        ("turn_of", told.row(told.names("colour", [fields["turn_of"]]))),
        ("card", in_use(fields, told)),
        ("open", told.row(told.names("card", [use["card"] for use in fields["open_uses"]]))),
        ("flipping", told.row(told.names("seal", [fields["flipping"]]))),
        ("built", str(fields["built"] or "")),
        ("cheap", str(fields["cheap"] or "")),
        ("unseen", told.row(told.names("seal", fields["unseen_seals"]))),
        ("below", told.row(told.names("seal", fields["stack"]))),
        ("bank", str(74 - sum(player["gold"] for player in fields["players"]))),
    ]
    return [headline(fields, told), *told.lines(details)]


def headline(fields: dict[str, Any], told: Telling) -> str:
    """Return the phase, the round, the step and the seat to act."""
    return told.say(
        "head.acts" if fields["to_act"] else "head",
        phase=fields["phase"],
        round=fields["round"],
        step=told.name("step", fields["step"]),
        who=told.name("colour", fields["to_act"]),
        first=told.name("colour", fields["first_player"]),
        power=told.name("colour", fields["power"]),
    )


def in_use(fields: dict[str, Any], told: Telling) -> str:
    """Return the card in use, and its remaining uses."""
    card = told.name("card", fields["card"])
    return told.say("left", card=card, number=fields["left"]) if fields["left"] else card


def grid(fields: dict[str, Any], told: Telling) -> list[str]:
    """Return three lines of three cards, each with the colours of its markers, and `*` if it has been used."""
    cells = []
    for place, card in enumerate(fields["grid"]):
        name = f"{place // 3 + 1}.{place % 3 + 1}"
        owners = [one for one, player in zip(COLOURS, fields["players"], strict=True) if name in player["markers"]]
        shown = (told.name("card", card) or "-") + ("*" if name in fields["used"] else "")
        marks = " ".join(told.names("colour", owners))
        cells.append(told.say("marked", card=shown, who=marks) if marks else shown)
    return columns([cells[row : row + 3] for row in (0, 3, 6)], CARD)


def columns(rows: list[list[str]], width: int) -> list[str]:
    """Return rows with aligned cells; long cells are split into lines."""
    lines = (zip_longest(*(broken(cell, width) for cell in row), fillvalue="") for row in rows)
    return aligned([line for row in lines for line in row])


def broken(cell: str, width: int) -> list[str]:
    """Return a cell split into lines of a width, between its items, and before the colours of a card."""
    kept = cell.replace(" ", "\xa0").replace(",\xa0", ", ").replace(";\xa0", "; ").replace("\xa0<-", " <-")
    return [line.replace("\xa0", " ") for line in wrap(kept, width, break_long_words=False)] or [""]


def table(players: list[dict[str, Any]], told: Telling) -> list[str]:
    """Return a column for each player."""
    rows = [["", *told.names("colour", COLOURS)], [told.say("row.gold"), *(str(player["gold"]) for player in players)]]
    rows += [[told.say(f"row.{name}"), *(amounts(player[name], told) for player in players)] for name in GOODS]
    for number, name in SECTIONS.items():
        built = (told.row(told.names("good", player[name])) or "-" for player in players)
        rows += [[told.say("row.built", number=number), *built]]
    rows += [
        [told.say("row.seals"), *(told.row(told.names("seal", [*player["seals"], PERSONAL])) for player in players)]
    ]
    if any(player["flipped"] or player["personal_flipped"] for player in players):
        rows += [[told.say("row.flipped"), *(flipped(player, told) for player in players)]]
    rows += [[told.say("row.cards"), *(told.row(told.names("card", player["cards"])) or "-" for player in players)]]
    return columns(rows, HOLDING)


def amounts(counts: dict[str, int], told: Telling) -> str:
    """Return counts by name, on one line."""
    held = ((count, told.name("good", good)) for good, count in counts.items() if count)
    return told.row(told.say("amount", count=count, good=good) for count, good in held) or "-"


def flipped(player: dict[str, Any], told: Telling) -> str:
    """Return the seals flipped, and the sum of their faces."""
    seals = [*player["flipped"], *([PERSONAL] if player["personal_flipped"] else [])]
    return told.say("sum", seals=told.row(told.names("seal", seals)) or "-", number=player["sum"])

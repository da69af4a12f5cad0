"""Prints a position as a readable table."""

from itertools import zip_longest
from textwrap import wrap
from typing import Any

from clerestory.engine.duel.data.names import COLOURS
from clerestory.engine.picture import PictureTexts, aligned

CARD, HOLDING = 18, 23  # characters per line of a cell, so that the grid and the table of players fit 60 columns
GOODS = ("camp", "materials", "supply")
SECTIONS = {"I": "section_1", "II": "section_2", "III": "section_3"}
PERSONAL = "personal"  # the seal that each player keeps
PLAIN = PictureTexts("duel")


def show(fields: dict[str, Any], texts: PictureTexts = PLAIN) -> str:
    """Return a picture of a position's fields: the course, the grid, the players side by side."""
    return "\n".join([*course(fields, texts), "", *grid(fields, texts), "", *table(fields["players"], texts)])


def course(fields: dict[str, Any], texts: PictureTexts) -> list[str]:
    """Return the phase, the round and the step."""
    details = [
        ("turn_of", texts.row(texts.names("colour", [fields["turn_of"]]))),
        ("card", in_use(fields, texts)),
        ("open", texts.row(texts.names("card", [use["card"] for use in fields["open_uses"]]))),
        ("flipping", texts.row(texts.names("seal", [fields["flipping"]]))),
        ("built", str(fields["built"] or "")),
        ("cheap", str(fields["cheap"] or "")),
        ("unseen", texts.row(texts.names("seal", fields["unseen_seals"]))),
        ("below", texts.row(texts.names("seal", fields["stack"]))),
        ("bank", str(74 - sum(player["gold"] for player in fields["players"]))),
    ]
    return [headline(fields, texts), *texts.lines(details)]


def headline(fields: dict[str, Any], texts: PictureTexts) -> str:
    """Return the phase, the round, the step and the seat to act."""
    return texts.say(
        "head.acts" if fields["to_act"] else "head",
        phase=fields["phase"],
        round=fields["round"],
        step=texts.name("step", fields["step"]),
        who=texts.name("colour", fields["to_act"]),
        first=texts.name("colour", fields["first_player"]),
        power=texts.name("colour", fields["power"]),
    )


def in_use(fields: dict[str, Any], texts: PictureTexts) -> str:
    """Return the card in use, and its remaining uses."""
    card = texts.name("card", fields["card"])
    return texts.say("left", card=card, number=fields["left"]) if fields["left"] else card


def grid(fields: dict[str, Any], texts: PictureTexts) -> list[str]:
    """Return three lines of three cards, each with the colours of its markers, and `*` if it has been used."""
    cells = []
    for place, card in enumerate(fields["grid"]):
        name = f"{place // 3 + 1}.{place % 3 + 1}"
        owners = [one for one, player in zip(COLOURS, fields["players"], strict=True) if name in player["markers"]]
        shown = (texts.name("card", card) or "-") + ("*" if name in fields["used"] else "")
        marks = " ".join(texts.names("colour", owners))
        cells.append(texts.say("marked", card=shown, who=marks) if marks else shown)
    return columns([cells[row : row + 3] for row in (0, 3, 6)], CARD)


def columns(rows: list[list[str]], width: int) -> list[str]:
    """Return rows with aligned cells; long cells are split into lines."""
    lines = (zip_longest(*(broken(cell, width) for cell in row), fillvalue="") for row in rows)
    return aligned([line for row in lines for line in row])


def broken(cell: str, width: int) -> list[str]:
    """Return a cell split into lines of a width, between its items, and before the colours of a card."""
    kept = cell.replace(" ", "\xa0").replace(",\xa0", ", ").replace(";\xa0", "; ").replace("\xa0<-", " <-")
    return [line.replace("\xa0", " ") for line in wrap(kept, width, break_long_words=False)] or [""]


def table(players: list[dict[str, Any]], texts: PictureTexts) -> list[str]:
    """Return a column for each player."""
    gold = (str(player["gold"]) for player in players)
    rows = [["", *texts.names("colour", COLOURS)], [texts.say("row.gold"), *gold]]
    rows += [[texts.say(f"row.{name}"), *(amounts(player[name], texts) for player in players)] for name in GOODS]
    for number, name in SECTIONS.items():
        built = (texts.row(texts.names("good", player[name])) or "-" for player in players)
        rows += [[texts.say("row.built", number=number), *built]]
    rows += [
        [texts.say("row.seals"), *(texts.row(texts.names("seal", [*player["seals"], PERSONAL])) for player in players)]
    ]
    if any(player["flipped"] or player["personal_flipped"] for player in players):
        rows += [[texts.say("row.flipped"), *(flipped(player, texts) for player in players)]]
    rows += [[texts.say("row.cards"), *(texts.row(texts.names("card", player["cards"])) or "-" for player in players)]]
    return columns(rows, HOLDING)


def amounts(counts: dict[str, int], texts: PictureTexts) -> str:
    """Return counts by name, on one line."""
    return texts.row(texts.amount(good, count) for good, count in counts.items() if count) or "-"


def flipped(player: dict[str, Any], texts: PictureTexts) -> str:
    """Return the seals flipped, and the sum of their faces."""
    seals = [*player["flipped"], *([PERSONAL] if player["personal_flipped"] else [])]
    return texts.say("sum", seals=texts.row(texts.names("seal", seals)) or "-", number=player["sum"])

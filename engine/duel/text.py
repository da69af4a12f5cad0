"""A position as a table that can be read in a terminal."""

from itertools import zip_longest
from textwrap import wrap
from typing import Any

from clerestory.engine.duel.names import COLOURS
from clerestory.engine.picture import aligned, headline, named, words

CARD, HOLDING = 18, 23  # characters in a line of a cell, so that the grid and the table of players fit 60 columns
SECTIONS = ("section_1", "section_2", "section_3")


def show(fields: dict[str, Any]) -> str:
    """Return a picture of a position's fields: the course, the grid, the players side by side."""
    return "\n".join([*course(fields), "", *grid(fields), "", *table(fields["players"])])


def course(fields: dict[str, Any]) -> list[str]:
    """Where in the game the position is."""
    place = f"phase {fields['phase']}, round {fields['round']}"
    rest = f"first player {fields['first_player']}, power {fields['power']}"
    details = [
        ("turn of", fields["turn_of"]),
        ("card in use", fields["card"] + (f" ({fields['left']} left)" if fields["left"] else "")),
        ("flipping", fields["flipping"]),
        ("built", "yes" if fields["built"] else ""),
        ("building is cheap", "yes" if fields["cheap"] else ""),
        ("seals unseen", words(fields["unseen_seals"])),
        ("seals below", words(fields["stack"])),
        ("bank", str(74 - sum(player["gold"] for player in fields["players"]))),
    ]
    return [headline(place, fields, rest), *named(details)]


def grid(fields: dict[str, Any]) -> list[str]:
    """Three lines of three cards, each with the colours of its markers, and `*` if it has been used."""
    cells = []
    for place, card in enumerate(fields["grid"]):
        name = f"{place // 3 + 1}.{place % 3 + 1}"
        marks = [colour for colour, player in zip(COLOURS, fields["players"], strict=True) if name in player["markers"]]
        done = "*" if name in fields["used"] else ""
        cells.append(f"{card or '-'}{done}{f' <- {chr(32).join(marks)}' if marks else ''}")
    return columns([cells[row : row + 3] for row in (0, 3, 6)], CARD)


def columns(rows: list[list[str]], width: int) -> list[str]:
    """Rows with aligned cells; long cells are broken into lines."""
    lines = (zip_longest(*(broken(cell, width) for cell in row), fillvalue="") for row in rows)
    return aligned([line for row in lines for line in row])


def broken(cell: str, width: int) -> list[str]:
    """A cell in lines of a width, broken between the items that it lists, and before the colours at a card."""
    kept = cell.replace(" ", "\xa0").replace(",\xa0", ", ").replace("\xa0<-", " <-")
    return [line.replace("\xa0", " ") for line in wrap(kept, width, break_long_words=False)] or [""]


def table(players: list[dict[str, Any]]) -> list[str]:
    """A column for each player."""
    rows = [["", *COLOURS], ["gold", *(str(player["gold"]) for player in players)]]
    rows += [[name, *(amounts(player[name]) for player in players)] for name in ("camp", "materials", "supply")]
    for number, name in zip(("I", "II", "III"), SECTIONS, strict=True):
        rows += [[f"built {number}", *(words(player[name]) or "-" for player in players)]]
    rows += [["seals", *(words([*player["seals"], "personal"]) for player in players)]]
    if any(player["flipped"] or player["personal_flipped"] for player in players):
        rows += [["flipped", *(flipped(player) for player in players)]]
    rows += [["1x cards", *(words(player["cards"]) or "-" for player in players)]]
    return columns(rows, HOLDING)


def amounts(counts: dict[str, int]) -> str:
    """Counts by name, in one line."""
    return words(f"{count} {name}" for name, count in counts.items() if count) or "-"


def flipped(player: dict[str, Any]) -> str:
    """Seals flipped, and the sum of their faces."""
    seals = [*player["flipped"], *(["personal"] if player["personal_flipped"] else [])]
    return f"{words(seals) or '-'} = {player['sum']}"

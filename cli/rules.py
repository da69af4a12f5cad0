"""`clerestory rules`: the cards of a game, each value with its source."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from clerestory.cli.options import DEFAULT_GAME, GameOption, JsonOption, chosen_game
from clerestory.cli.screen import ROOMY, screen
from clerestory.engine.catalogue import CardRows
from clerestory.engine.games import cards_of_catalogue
from clerestory.engine.value import value_in_use

FIELDS = ("list", "card", "field", "in_use", "in_file")  # of a difference
CheckOption = Annotated[
    Path | None,
    typer.Option("--check", metavar="FILE", help="Print only what differs in this catalogue; exit with 1 if anything."),
]


def rules(game: GameOption = DEFAULT_GAME, check: CheckOption = None, as_json: JsonOption = False) -> None:
    """Print the card catalogue in use, with the source of every value, or how another catalogue differs from it."""
    if check is not None:
        check_catalogue(check, as_json=as_json)
        return
    chosen = chosen_game(game)
    cards = chosen.cards()
    value, why = value_in_use(chosen)
    if as_json:
        typer.echo(json.dumps({**chosen.identity(), "value": value, "cards": cards}, indent=2))
        return
    typer.echo(f"{game}: rules revision {chosen.rules_revision}, catalogue {chosen.catalogue or '-'}")
    typer.echo(f"value: {value} ({why})")
    console = screen()
    for title, rows in cards.items():
        console.print(cards_table(title.replace("_", " "), rows, console.width))


# -- another catalogue -----------------------------------------------------------------------------


def check_catalogue(path: Path, *, as_json: bool) -> None:
    """Print how a file differs from the catalogue in use of the game that it names; exit with 1 if it does."""
    name, theirs = cards_of_catalogue(path)
    found = list(differences(chosen_game(name).cards(), theirs))
    if as_json:
        typer.echo(json.dumps({"game": name, "differences": found}, indent=2))
    elif not found:
        typer.echo(f"{name}: no card differs")
    for row in () if as_json else found:
        ours, other = (plain(row[side]) if row[side] is not None else "-" for side in ("in_use", "in_file"))
        typer.echo(f"{row['card']}  {row['field']}: {ours} in use, {other} in the file")
    raise typer.Exit(bool(found))


def differences(ours: CardRows, theirs: CardRows) -> Iterator[dict[str, Any]]:
    """Yield each value that differs: `list`, `card`, `field`, `in_use`, `in_file`; None if there is none.

    A card that only one catalogue has differs in the field `card`. Sources are not compared.
    """
    for title in ours:
        mine, other = ({row["id"]: row for row in cards[title]} for cards in (ours, theirs))
        for card in {**mine, **other}:
            if card not in mine or card not in other:
                names = (catalogue.get(card, {}).get("name") for catalogue in (mine, other))
                yield dict(zip(FIELDS, (title, card, "card", *names), strict=True))
                continue
            for field in {**mine[card], **other[card]}:
                values = mine[card].get(field), other[card].get(field)
                if field != "sources" and values[0] != values[1]:
                    yield dict(zip(FIELDS, (title, card, field, *values), strict=True))


# -- tables ----------------------------------------------------------------------------------------


def cards_table(title: str, rows: list[dict[str, Any]], width: int) -> Table:
    """Return cards with their values and sources, side by side if there is room, else below each other."""
    if width >= ROOMY:
        table = Table("id", "name", "values", "sources", title=title, title_justify="left")
        for row in rows:
            table.add_row(row["id"], row["name"], values_text(row), sources_text(row["sources"]))
        return table
    table = Table("card", "values and sources", title=title, title_justify="left", show_lines=True)
    for row in rows:
        about = Text.assemble(values_text(row), "\n", (sources_text(row["sources"]), "dim"))
        table.add_row(f"{row['id']}\n{row['name']}", about)
    return table


def values_text(row: dict[str, Any]) -> str:
    """Return a card's values on one line."""
    values = {name: value for name, value in row.items() if name not in ("id", "name", "sources")}
    return ", ".join(f"{name} {plain(value)}" for name, value in values.items())


def plain(value: Any) -> str:
    """Return a value as plain text, without brackets or quotes."""
    if isinstance(value, dict):
        return " ".join(f"{part} {name}" if isinstance(part, int) else str(part) for name, part in value.items())
    if isinstance(value, list):
        return " ".join(map(plain, value))
    return str(value).lower()


def sources_text(sources: dict[str, str]) -> str:
    """Return where the values come from, equal sources together."""
    fields: dict[str, list[str]] = {}
    for field, source in sources.items():
        fields.setdefault(source, []).append(field)
    return "; ".join(f"{', '.join(names)}: {source}" for source, names in fields.items())

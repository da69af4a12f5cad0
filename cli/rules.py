"""`clerestory rules`: the cards of a game, each value with where it comes from."""

import json
from typing import Any

import typer
from rich.table import Table
from rich.text import Text

from clerestory.cli.options import GameOption, JsonOption, chosen_game
from clerestory.cli.screen import ROOMY, screen


def rules(game: GameOption = "cathedral", as_json: JsonOption = False) -> None:
    """Print the card catalogue in use, with the source of every value."""
    chosen = chosen_game(game)
    cards = chosen.cards()
    if as_json:
        about = {"game": game, "rules_revision": chosen.rules_revision, "catalogue": chosen.catalogue}
        typer.echo(json.dumps({**about, "cards": cards}, indent=2))
        return
    typer.echo(f"{game}: rules revision {chosen.rules_revision}, catalogue {chosen.catalogue or '-'}")
    console = screen()
    for title, rows in cards.items():
        console.print(cards_table(title.replace("_", " "), rows, console.width))


def cards_table(title: str, rows: list[dict[str, Any]], width: int) -> Table:
    """Return cards with their values and sources, side by side where there is room, else below each other."""
    if width >= ROOMY:
        table = Table("id", "name", "values", "sources", title=title, title_justify="left")
        for row in rows:
            table.add_row(row["id"], row["name"], values_text(row), sources_text(row["sources"]))
        return table
    table = Table("card", "values, and where they come from", title=title, title_justify="left", show_lines=True)
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

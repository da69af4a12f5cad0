"""`clerestory rules`: the cards of a game, each value with where it comes from."""

import json
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from clerestory.cli.options import GameOption, JsonOption, chosen_game


def rules(game: GameOption = "cathedral", as_json: JsonOption = False) -> None:
    """Print the card catalogue in use, with the source of every value."""
    chosen = chosen_game(game)
    cards = chosen.cards()
    if as_json:
        about = {"game": game, "rules_revision": chosen.rules_revision, "catalogue": chosen.catalogue}
        typer.echo(json.dumps({**about, "cards": cards}, indent=2))
        return
    typer.echo(f"{game}: rules revision {chosen.rules_revision}, catalogue {chosen.catalogue or '-'}")
    console = Console()
    for title, rows in cards.items():
        table = Table("id", "name", "values", "sources", title=title.replace("_", " "), title_justify="left")
        for row in rows:
            table.add_row(row["id"], row["name"], values_text(row), sources_text(row["sources"]))
        console.print(table)


def values_text(row: dict[str, Any]) -> str:
    """Return a card's values on one line."""
    values = {name: value for name, value in row.items() if name not in ("id", "name", "sources")}
    return ", ".join(f"{name} {plain(value)}" for name, value in values.items())


def plain(value: Any) -> str:
    """Return a value without the marks of a programming language."""
    if isinstance(value, dict):
        return " ".join(f"{part} {name}" if isinstance(part, int) else str(part) for name, part in value.items())
    return str(value).lower()


def sources_text(sources: dict[str, str]) -> str:
    """Return where the values come from, equal sources together."""
    fields: dict[str, list[str]] = {}
    for field, source in sources.items():
        fields.setdefault(source, []).append(field)
    return "; ".join(f"{', '.join(names)}: {source}" for source, names in fields.items())

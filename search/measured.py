"""Measurements of games with the shipped cards, in tables by game and number of players."""

import tomllib
from importlib.resources import files
from typing import Any

from clerestory.engine.core import Game


def measured(package: str, table: str, game: Game, seats: int) -> Any:
    """Return a game's entry in a table of a package; None if it was not measured, or only with other cards."""
    tables = tomllib.loads(files(package).joinpath(table).read_text(encoding="utf-8"))
    found = tables.get(game.name, {})
    return found.get(str(seats)) if found.get("catalogue") == game.catalogue else None

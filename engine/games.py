"""The only list of games, and the door for a position of any of them."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from clerestory.engine.cathedral import points as cathedral_points
from clerestory.engine.cathedral.rules import CATHEDRAL
from clerestory.engine.core import Game, State, read_json
from clerestory.engine.duel import points as duel_points
from clerestory.engine.duel.rules import DUEL
from clerestory.engine.errors import BadCatalogue, BadPosition
from clerestory.engine.toy.rules import TOY

GAMES: dict[str, Game] = {"cathedral": CATHEDRAL, "duel": DUEL, "toy": TOY}
CATALOGUES = {"cathedral": CATHEDRAL.use_catalogue, "duel": DUEL.use_catalogue}


class Points(Protocol):
    """What a game says of its points."""

    POINTS: str

    def point_sources(self, fields: Mapping[str, Any]) -> list[dict[str, float]]:
        """Return the points of each seat by where they came from."""


POINTS: dict[str, Points] = {"cathedral": cathedral_points, "duel": duel_points}


def game(name: str) -> Game:
    """Return a game by its name. Raises KeyError, which lists the names there are."""
    if name not in GAMES:
        raise KeyError(f"{name!r}: no such game; there are {', '.join(GAMES)}")
    return GAMES[name]


def use_catalogue(path: Path | str) -> None:
    """Put the card data of a TOML file in use, for the game that its field `game` names.

    Raises BadCatalogue for a faulty file, GameError once there are positions of another catalogue of the game.
    """
    try:
        name = tomllib.loads(Path(path).read_text(encoding="utf-8")).get("game")
    except (OSError, UnicodeDecodeError) as error:
        raise BadCatalogue([("catalogue", f"cannot be read: {error}")]) from None
    except tomllib.TOMLDecodeError as error:
        raise BadCatalogue([("catalogue", f"is not TOML: {error}")]) from None
    if not isinstance(name, str) or name not in CATALOGUES:
        raise BadCatalogue([("catalogue.game", f"{name!r} is not one of {', '.join(CATALOGUES)}")])
    CATALOGUES[name](path)


def from_position(position: str | bytes | Mapping[str, Any]) -> State:
    """Return the position described by JSON text, or by the same as a dictionary, of whichever game it is.

    Raises BadPosition, which lists everything that is wrong with it.
    """
    fields = read_json(position)
    named = [name for name in GAMES if name in fields]
    if len(named) != 1:
        raise BadPosition([("position", f"must have one field named after its game: {', '.join(GAMES)}")])
    return GAMES[named[0]].from_position(fields)

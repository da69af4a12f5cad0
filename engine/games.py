"""The only list of games, and the door for a position of any of them."""

from collections.abc import Mapping
from typing import Any

from clerestory.engine.cathedral.rules import CATHEDRAL
from clerestory.engine.core import Game, State, read_json
from clerestory.engine.duel.rules import DUEL
from clerestory.engine.errors import BadPosition
from clerestory.engine.toy.rules import TOY

GAMES: dict[str, Game] = {"cathedral": CATHEDRAL, "duel": DUEL, "toy": TOY}


def game(name: str) -> Game:
    """Return a game by its name. Raises KeyError, which lists the names there are."""
    if name not in GAMES:
        raise KeyError(f"{name!r}: no such game; there are {', '.join(GAMES)}")
    return GAMES[name]


def from_position(position: str | bytes | Mapping[str, Any]) -> State:
    """Return the position described by JSON text, or by the same as a dictionary, of whichever game it is.

    Raises BadPosition, which lists everything that is wrong with it.
    """
    fields = read_json(position)
    named = [name for name in GAMES if name in fields]
    if len(named) != 1:
        raise BadPosition([("position", f"must have one field named after its game: {', '.join(GAMES)}")])
    return GAMES[named[0]].from_position(fields)

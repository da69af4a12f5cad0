"""The rules: one contract (core.pxd), one folder for each game, a checked Python surface."""

from clerestory.engine.core import NATURE, OVER, Action, Game, State
from clerestory.engine.errors import (
    BadCatalogue,
    BadPosition,
    BadText,
    GameError,
    IllegalAction,
    NotOver,
    Violation,
    Violations,
)
from clerestory.engine.games import GAMES, from_position, game
from clerestory.engine.rng import Rng

__all__ = [
    "GAMES",
    "NATURE",
    "OVER",
    "Action",
    "BadCatalogue",
    "BadPosition",
    "BadText",
    "Game",
    "GameError",
    "IllegalAction",
    "NotOver",
    "Rng",
    "State",
    "Violation",
    "Violations",
    "from_position",
    "game",
]

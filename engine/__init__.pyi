"""The rules: one contract (core.pxd), one folder per game, a checked Python interface."""

from clerestory.engine.core import NATURE, OVER, Action, Game, State
from clerestory.engine.errors import (
    BadCatalogue,
    BadPosition,
    BadRecord,
    BadText,
    CatalogueInUse,
    GameError,
    IllegalAction,
    NotOver,
    Violation,
    Violations,
)
from clerestory.engine.games import GAMES, from_position, game
from clerestory.engine.record import Record, read_records
from clerestory.engine.rng import Rng

__all__ = [
    "GAMES",
    "NATURE",
    "OVER",
    "Action",
    "BadCatalogue",
    "BadPosition",
    "BadRecord",
    "BadText",
    "CatalogueInUse",
    "Game",
    "GameError",
    "IllegalAction",
    "NotOver",
    "Record",
    "Rng",
    "State",
    "Violation",
    "Violations",
    "from_position",
    "game",
    "read_records",
]

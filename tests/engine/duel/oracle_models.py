"""The interface of the models that the stories run on, and the core behind it."""

from collections.abc import Callable
from typing import Protocol

from tests.engine import models
from tests.engine.duel.oracle_fields import from_fields
from tests.engine.duel.oracle_state import Position
from tests.shipped import DUEL


class Game(models.Game, Protocol):
    """What the tests ask of a model of the rules."""

    def table(self) -> Position: ...


NewGame = Callable[[models.Fields], Game]


class Core(models.CoreGame):
    rules = DUEL

    def table(self) -> Position:
        """The position, as the plain model lays it out."""
        return from_fields(self.position())

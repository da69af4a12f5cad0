"""The core behind the interface of the reference model."""

from tests.engine import models
from tests.engine.duel.oracle_fields import from_fields
from tests.engine.duel.oracle_state import Position
from tests.shipped import DUEL


class Core(models.CoreGame):
    rules = DUEL

    def table(self) -> Position:
        """The position, in the form of the reference model."""
        return from_fields(self.position())

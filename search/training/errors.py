"""The errors of learning.

LearnError                a ValueError
 ├─ BadPlan               a game that cannot be learned, or an invalid setting
 └─ BadData               a file that is damaged, or belongs to another game, catalogue or plan
"""

from pathlib import Path
from typing import Any


class LearnError(ValueError):
    """Any error of learning."""


class BadPlan(LearnError):
    """The game cannot be learned, or a setting is invalid; the message names it."""


class BadData(LearnError):
    """A file is damaged or belongs to something else; the message begins with its path."""

    def __init__(self, path: Path, description: str) -> None:
        super().__init__(f"{path}: {description}")
        self.path, self.description = path, description

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickling."""
        return type(self), (self.path, self.description)

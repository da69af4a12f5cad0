"""The errors of learning.

LearnError                a ValueError
 ├─ BadPlan               a game that cannot be learned, or an invalid setting
 └─ BadData               a file that is damaged, or belongs to another game, catalogue or plan
"""

from pathlib import Path


class LearnError(ValueError):
    """Any error of learning."""


class BadPlan(LearnError):
    """The game cannot be learned, or a setting is invalid; the message names it."""


class BadData(LearnError):
    """A file is damaged or belongs to something else; the message begins with its path."""

    def __init__(self, path: Path, description: str) -> None:
        super().__init__(f"{path}: {description}")
        self.path = path

"""The errors of learning.

LearnError                a ValueError
 ├─ BadPlan               something that cannot be learned, or a setting that makes no sense
 └─ BadData               a file that is damaged, or of another game, catalogue or plan than asked for
"""

from pathlib import Path


class LearnError(ValueError):
    """Any error of learning."""


class BadPlan(LearnError):
    """The game or a setting cannot be learned with; the message names it."""


class BadData(LearnError):
    """A file is damaged or belongs to something else; the message begins with its path."""

    def __init__(self, path: Path, description: str) -> None:
        super().__init__(f"{path}: {description}")
        self.path = path

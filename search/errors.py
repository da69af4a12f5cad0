"""Errors in the arguments of a search.

SearchError               a ValueError
 ├─ BadLimit              a limit or an option is out of its range, or none is given
 ├─ NothingToDecide       the game is over, or a chance event is due
 ├─ WrongSeat             another seat is to decide
 └─ HiddenFromSeat        the position lacks something that its observer knows
"""

from typing import Any


class SearchError(ValueError):
    """Any error in the arguments of a search."""


class BadLimit(SearchError):
    """A limit or an option is out of its range, or no limit is given; `field` names it."""

    def __init__(self, field: str, description: str) -> None:
        super().__init__(f"{field}: {description}")
        self.field, self.description = field, description

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickling."""
        return type(self), (self.field, self.description)


class NothingToDecide(SearchError):
    """The game is over, or a chance event is due."""


class WrongSeat(SearchError):
    """Another seat is to decide."""


class HiddenFromSeat(SearchError):
    """The position lacks something that its observer knows, so it cannot be searched for that observer."""

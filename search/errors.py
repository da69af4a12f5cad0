"""Errors in the arguments of a search.

SearchError               a ValueError
 ├─ BadBot                no bot of that name, or an option that it does not have or understand
 ├─ BadLimit              a limit or an option is out of its range, or none is given
 ├─ BadMatch              a match that cannot be played, or a file of results that is not its own
 ├─ NothingToDecide       the game is over, or a chance event is due
 ├─ WrongSeat             another seat is to decide
 └─ HiddenFromSeat        the position lacks something that its observer knows
"""


class SearchError(ValueError):
    """Any error in the arguments of a search."""


class BadBot(SearchError):
    """There is no bot of that name, or it lacks an option or does not understand its value; the message names it."""


class BadMatch(SearchError):
    """A match cannot be played as described, or a file of results is not that of the match."""


class BadLimit(SearchError):
    """A limit or an option is out of its range, or no limit is given; `field` names it."""

    def __init__(self, field: str, description: str) -> None:
        super().__init__(f"{field}: {description}")
        self.field = field


class NothingToDecide(SearchError):
    """The game is over, or a chance event is due."""


class WrongSeat(SearchError):
    """Another seat is to decide."""


class HiddenFromSeat(SearchError):
    """The position lacks something that its observer knows, so it cannot be searched for that observer."""

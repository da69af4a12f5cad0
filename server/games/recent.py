"""Adds values to bounded caches by game, which drop their oldest game."""

from collections import OrderedDict
from typing import TypeVar

MOST = 10_000

T = TypeVar("T")


def remember(games: OrderedDict[str, T], game_id: str, value: T, most: int = MOST) -> None:
    """Add a game, and remove the oldest if there are too many."""
    games[game_id] = value
    if len(games) > most:
        games.popitem(last=False)

"""Noise floors measured on other games, for games with too few steps to estimate their own (`floors.toml`)."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from clerestory.search.review.ledger import UNIT

CAUTIOUS = 25_000  # floor of an unmeasured game: only mistakes and blunders are classified


@cache
def measured(game: str, seats: int) -> Mapping[int, int]:
    """Return the floors, in millionths of a win, by the first round of each; {} if not measured."""
    tables = tomllib.loads(files(__package__).joinpath("floors.toml").read_text(encoding="utf-8"))
    rounds = tables.get(game, {}).get(str(seats), {})
    return {int(first): round(floor * UNIT / 1000) for first, floor in rounds.items()}


def general_floor(game: str, seats: int, round_number: int) -> int:
    """Return the floor of a round, in millionths of a win."""
    rounds = measured(game, seats)
    begun = [first for first in rounds if first <= round_number]
    return rounds[max(begun)] if begun else CAUTIOUS

"""Which level of play a mean loss is like, by what the levels themselves lose (`tools.review_figures levels`)."""

import tomllib
from functools import cache
from importlib.resources import files
from itertools import accumulate
from math import log

from clerestory.engine.core import Game
from clerestory.review.ledger import UNIT

FEWEST = 20  # decisions with something at stake, for which a level is told
LEAST = 1e-4  # of a win: a mean loss below it is that


@cache
def losses(game: str, seats: int) -> tuple[float, ...]:
    """Return the mean loss of a decision of each level, the weakest first, in shares of a win; () if not measured."""
    tables = tomllib.loads(files(__package__).joinpath("ranks.toml").read_text(encoding="utf-8"))
    thousandths = tables.get(game, {}).get(str(seats), [])
    return tuple(accumulate((max(loss / 1000, LEAST) for loss in thousandths), min))


def level_like(game: Game, seats: int, mean_loss: float | None, counted: int) -> int | None:
    """Return the level, 1 to 8, whose mean loss is nearest as a ratio; None for too few decisions, or no table.

    Args:
        game: whose levels.
        seats: of the game that was played.
        mean_loss: of a decision, in millionths of a win; None without decisions.
        counted: decisions that it is the mean of.
    """
    known = losses(game.name, seats)
    if mean_loss is None or counted < FEWEST or not known:
        return None
    loss = log(max(mean_loss / UNIT, LEAST))
    return min(range(len(known)), key=lambda level: abs(log(known[level]) - loss)) + 1

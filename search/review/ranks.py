"""Estimates the level of play from a mean loss and measured losses (`tools.lab.review_figures levels`)."""

from functools import cache
from itertools import accumulate
from math import log

from clerestory.engine.core import Game
from clerestory.search.measured import measured
from clerestory.search.review.ledger import UNIT
from clerestory.search.review.plan import ITERATIONS

FEWEST = 20  # decisions with something at stake needed to estimate a level
SHORTEST = ITERATIONS // 8  # iterations of a search: shorter reviews miss the small errors of strong players
LEAST = 1e-4  # share of a win: minimum mean loss


@cache
def losses(game: Game, seats: int) -> tuple[float, ...]:
    """Return each level's mean loss per decision, weakest level first, in shares of a win; () if not measured.

    Measurements with other cards do not apply.
    """
    thousandths = measured(__package__, "ranks.toml", game, seats) or []
    return tuple(accumulate((max(loss / 1000, LEAST) for loss in thousandths), min))


def level_like(game: Game, seats: int, mean_loss: float | None, counted: int, iterations: int) -> int | None:
    """Return the level, 1 to 8, with the nearest mean loss by ratio; None without enough data or without a table.

    Args:
        game: the game.
        seats: number of players.
        mean_loss: mean loss of a decision, in millionths of a win; None without decisions.
        counted: number of decisions behind the mean.
        iterations: iterations of the review's searches.
    """
    known = losses(game, seats)
    if mean_loss is None or counted < FEWEST or iterations < SHORTEST or not known:
        return None
    loss = log(max(mean_loss / UNIT, LEAST))
    return min(range(len(known)), key=lambda level: abs(log(known[level]) - loss)) + 1

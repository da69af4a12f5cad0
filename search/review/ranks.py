"""The level of play for a mean loss, from the measured losses of the levels (`tools.lab.review_figures levels`)."""

from functools import cache
from itertools import accumulate
from math import log

from clerestory.engine.core import Game
from clerestory.search.review.ledger import UNIT
from clerestory.search.review.measured import measured
from clerestory.search.review.plan import ITERATIONS

FEWEST = 20  # decisions with something at stake that are needed to estimate a level
SHORTEST = ITERATIONS // 8  # iterations of a search: shorter reviews miss the small errors of strong players
LEAST = 1e-4  # of a win: smaller mean losses count as this


@cache
def losses(game: Game, seats: int) -> tuple[float, ...]:
    """Return the mean loss of a decision of each level, the weakest first, in shares of a win; () if not measured.

    What was measured with other cards is not told of these.
    """
    thousandths = measured("ranks.toml", game, seats) or []
    return tuple(accumulate((max(loss / 1000, LEAST) for loss in thousandths), min))


def level_like(game: Game, seats: int, mean_loss: float | None, counted: int, iterations: int) -> int | None:
    """Return the level, 1 to 8, whose mean loss is nearest as a ratio; None if too little is known, or without a table.

    Args:
        game: the game.
        seats: number of players.
        mean_loss: of a decision, in millionths of a win; None without decisions.
        counted: number of decisions behind the mean.
        iterations: of the review's searches.
    """
    known = losses(game, seats)
    if mean_loss is None or counted < FEWEST or iterations < SHORTEST or not known:
        return None
    loss = log(max(mean_loss / UNIT, LEAST))
    return min(range(len(known)), key=lambda level: abs(log(known[level]) - loss)) + 1

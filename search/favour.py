"""The seat that a game favours, as measured in games between equals (`seats.toml`)."""

from functools import cache

from clerestory.engine.core import Game
from clerestory.i18n.sentences import Text, text
from clerestory.search.measured import measured

WORTH_A_WORD = 5.0  # percent above an even share at which a seat is called favoured
SURE = 3.0  # required excess over an even share, in standard errors


@cache
def favoured(game: Game, seats: int) -> Text | None:
    """Return the sentence on the seat that a game favours; None if it favours none by much, or was not measured.

    Measurements with other cards do not apply.
    """
    found = measured(__package__, "seats.toml", game, seats)
    if found is None:
        return None
    share = max(found["shares"])
    above = share - 100 / seats
    if above < max(WORTH_A_WORD, SURE * found["error"]):
        return None
    return text(f"favour.{found['shares'].index(share) + 1}", count=round(share), even=round(100 / seats))

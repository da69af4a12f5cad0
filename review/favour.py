"""Which seat a game favours, as measured in games between equals (`seats.toml`)."""

import tomllib
from functools import cache
from importlib.resources import files

from clerestory.engine.core import Game
from clerestory.texts.sentences import Text, text

WORTH_A_WORD = 5.0  # percent above an even share from which on a seat is called favoured
SURE = 3.0  # standard errors by which it must exceed an even share


@cache
def favoured(game: Game, seats: int) -> Text | None:
    """Return the sentence on the seat that a game favours; None if it favours none by much, or was not measured.

    What was measured with other cards is not told of these.
    """
    tables = tomllib.loads(files(__package__).joinpath("seats.toml").read_text(encoding="utf-8"))
    found = tables.get(game.name, {})
    measured = found.get(str(seats))
    if measured is None or found["catalogue"] != game.catalogue:
        return None
    share = max(measured["shares"])
    above = share - 100 / seats
    if above < max(WORTH_A_WORD, SURE * measured["error"]):
        return None
    return text(f"favour.{measured['shares'].index(share) + 1}", count=round(share), even=round(100 / seats))

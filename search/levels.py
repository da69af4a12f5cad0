"""Levels of play, 1 to 8: the shipped search with fewer iterations, and with human-like errors in its choice.

The odds of choosing a line fall with its expected loss in points against the best line: small errors are frequent and
large ones rare. A line that the search hardly visits is hardly ever chosen. A weak level thus plays weakly but not
absurdly. A line with a higher margin than the best one counts as losing nothing.

A level without noise follows a character's preferences only where the search is sure: it compares lower bounds.
"""

from collections.abc import Callable, Sequence

from clerestory.engine.core import Game, State
from clerestory.engine.elementary import exp
from clerestory.engine.rng import Rng
from clerestory.engine.tuning import NUM_LEVELS, Level
from clerestory.search.errors import BadLimit
from clerestory.search.lines import Line
from clerestory.search.options import WELL_VISITED
from clerestory.sums import total

Liking = Callable[[str], float]

SEEN = 0.2  # share of the most visits at which a line is equally likely to be considered


def level_of(game: Game, number: int) -> Level:
    """Return a level of a game by its number, 1 to 8. Raises BadLimit."""
    if type(number) is not int or not 1 <= number <= NUM_LEVELS:
        raise BadLimit("level", f"{number!r} is not a whole number from 1 to {NUM_LEVELS}")
    return game.tuning.levels[number - 1]


def liking_of(game: Game, character: str) -> Liking | None:
    """Return the points that a character gives up for an action, given its text; None without preferences."""
    manner = game.tuning.manners.get(character)
    return None if manner is None else manner.liking


def choose_as(character: str, view: State, lines: Sequence[Line], level: Level, seed: int) -> Line:
    """Return the line that a level chooses in a position, as a character ("" for none), otherwise as `choose_line`."""
    return choose_line(lines, level, seed, liking_of(view.game, character), view.game.tuning.scale[view.seats])


def choose_line(
    lines: Sequence[Line], level: Level, seed: int, liking: Liking | None = None, scale: float = 1.0
) -> Line:
    """Return the line that a level chooses; equal for equal arguments.

    Args:
        lines: lines of a search, best first.
        level: level of play, which sets the amount of noise.
        seed: seed of the random choice, 0 to 2**64 - 1.
        liking: returns the points that the player gives up for an action, given its text; None for no preferences.
        scale: points that correspond to 1 in the score of a line (`Tuning.scale`).
    """
    tried = [line for line in lines if line.visits]
    if len(tried) < 2:
        return lines[0]
    if not level.noise:
        return lines[0] if liking is None else favourite(lines, liking, scale)
    enough = SEEN * max(line.visits for line in tried)
    losses = [max(line.loss, 0.0) for line in tried]
    if liking is not None:
        losses = [loss - liking(line.action) for line, loss in zip(tried, losses, strict=True)]
        losses = [loss - min(losses) for loss in losses]  # makes the smallest loss 0, as without preferences
    odds = [min(line.visits / enough, 1.0) * exp(-loss / level.noise) for line, loss in zip(tried, losses, strict=True)]
    left = Rng(seed).unit() * total(odds)
    for line, share in zip(tried, odds, strict=True):
        left -= share
        if left < 0:
            return line
    return tried[-1]


def favourite(lines: Sequence[Line], liking: Liking, scale: float) -> Line:
    """Return the well visited line with the least loss of lower bound, in points, minus its liking."""
    bound, enough = lines[0].lower_bound, WELL_VISITED * max(line.visits for line in lines)
    visited = (line for line in lines if line.visits >= enough)
    return min(visited, key=lambda line: max(bound - line.lower_bound, 0.0) * scale - liking(line.action))

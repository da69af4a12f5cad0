"""Reasons in words: what the best line gains over the next one, as far as it exceeds chance."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf, sqrt
from statistics import NormalDist

from clerestory.search.lines import Line, Outlook, combined
from clerestory.search.result import Result

NAMED = 3  # features in a sentence, those that differ most
FEWEST_WORLDS = 8  # needed to estimate an error
CHANCE = 0.02  # probability that a sentence names a feature that does not differ, however many features there are
WORTH_WINNING = 0.005  # smallest difference of win shares worth mentioning
SURE = 5.0  # standard errors by which a line must lead: those of a search underestimate the true ones


class Verdict(StrEnum):
    """How the best line compares with another one, in words; `points` is the difference in points."""

    AHEAD = "{points:.1f} points better than"
    LIKELIER = "likelier to win, by fewer points, than"
    ALIKE = "about as good as"


@dataclass(frozen=True, slots=True)
class Gain:
    """The difference between two lines in one feature, over worlds in which both were played.

    Attributes:
        feature: its name.
        at_game_end: measured at the end of the game; else at the end of the current round.
        mean: over the worlds, in the feature's own unit.
        error: standard error of the mean, from the paired differences.
        worlds: number of worlds.
    """

    feature: str
    at_game_end: bool
    mean: float
    error: float
    worlds: int

    def holds(self, features: int, least: float) -> bool:
        """Whether it is worth mentioning, and larger than the largest of `features` differences would be by chance."""
        enough = self.worlds >= FEWEST_WORLDS and abs(self.mean) >= least
        return enough and abs(self.mean) > deviations(CHANCE / features, self.worlds - 1) * self.error


def gain(feature: str, worlds: int, total: float, squares: float, *, at_game_end: bool) -> Gain:
    """Return the gain from the sums of the differences and of their squares."""
    mean = total / worlds
    variance = max(squares / worlds - mean * mean, 0.0)
    return Gain(feature, at_game_end, mean, sqrt(variance / (worlds - 1)) if worlds > 1 else inf, worlds)


def deviations(chance: float, freedom: int) -> float:
    """Return the number of standard errors that a mean exceeds, on either side, with this probability.

    Student's t from the normal quantile (Abramowitz and Stegun 1964, 26.7.5), `freedom` degrees of freedom.
    """
    z = round(NormalDist().inv_cdf(1 - chance / 2), 9)  # its last places depend on the C library
    square = z * z
    first = z * (square + 1) / 4
    second = z * ((5 * square + 16) * square + 3) / 96
    third = z * (((3 * square + 19) * square + 17) * square - 15) / 384
    return z + (first + (second + third / freedom) / freedom) / freedom


def explained(result: Result, outlooks: Sequence[tuple[Outlook, ...]], gains: Sequence[Gain], least: float) -> Result:
    """Return the result with outlooks added to its first lines, in their order, and with the reason for the best line.

    Args:
        result: of the search.
        outlooks: of its first lines.
        gains: of the first line over the second.
        least: smallest difference worth mentioning, from the game's tuning; likewise below.
    """
    lines = tuple(
        replace(line, outlook=outlook) for line, outlook in zip(result.lines[: len(outlooks)], outlooks, strict=True)
    )
    compared = len(lines) > 1 and lines[0].probability is None
    return replace(
        result,
        lines=lines + result.lines[len(lines) :],
        reason=reason(lines[0], lines[1], gains, least) if compared else "",
    )


def reason(best: Line, other: Line, gains: Sequence[Gain], least: float) -> str:
    """Return the sentence that compares the best line with another; it never says that the best line is worse."""
    if not other.visits:
        return f"'{other.label}' was not tried."
    compared = verdict_on(best, other, least).format(points=lead(best, other))
    return f"'{best.label}' looks {compared} '{other.label}'{in_words(stated(gains, least))}."


def verdict_on(best: Line, other: Line, least: float) -> Verdict:
    """Return how the best line compares with another: in points, or in wins if the other has more points."""
    if is_ahead(best, other, least):
        return Verdict.AHEAD
    if is_ahead(other, best, least) and is_likelier_to_win(best, other):
        return Verdict.LIKELIER
    return Verdict.ALIKE


def lead(best: Line, other: Line) -> float:
    """Return the lead of a line in points."""
    return best.margin - other.margin


def is_ahead(best: Line, other: Line, least: float) -> bool:
    """Whether a line leads by more than its error, and by enough to be worth mentioning."""
    return lead(best, other) >= max(least, SURE * combined(best.margin_error, other.margin_error))


def is_likelier_to_win(best: Line, other: Line) -> bool:
    """Whether a line with fewer points wins more often, by more than its error and enough to be worth mentioning.

    It does if its score is higher: whatever the reward, the score depends only on the margin and the win share.
    """
    more = best.score - other.score
    return more >= max(WORTH_WINNING, SURE * combined(best.score_error, other.score_error))


def stated(gains: Sequence[Gain], least: float) -> list[Gain]:
    """Return the differences to mention, largest first: at the end of the game, else at the end of the round.

    The first feature of a game is its score. If the worlds give the best line a lower score, they do not show why the
    search prefers it, and differences at the end of the game are left out.
    """
    score = gains[0].feature if gains else ""
    sure = sorted((one for one in gains if one.holds(len(gains), least)), key=lambda one: -abs(one.mean))
    at_end = [one for one in sure if one.at_game_end]
    in_round = [one for one in sure if not one.at_game_end]
    if any(one.feature == score and one.mean < 0 for one in at_end):
        at_end = []
    return (at_end or in_round)[:NAMED]


def in_words(differences: Sequence[Gain]) -> str:
    """Return the differences as the end of a sentence: `: +1.2 vp, -3.0 gold by the end of the game`; "" for none."""
    if not differences:
        return ""
    named = ", ".join(f"{one.mean:+.1f} {one.feature.replace('_', ' ')}" for one in differences)
    return f": {named} by the end of the {'game' if differences[0].at_game_end else 'round'}"

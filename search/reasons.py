"""Reasons in words: what the best line gains over the next one, as far as it is more than chance."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import hypot, inf, sqrt
from statistics import NormalDist

from clerestory.search.result import Line, Outlook, Result

NAMED = 3  # features in a sentence, those that differ most
WORTH_NAMING = 0.15  # smallest difference that is, in the feature's own unit
FEWEST_WORLDS = 8  # from which an error can be told
CHANCE = 0.02  # of a sentence, however many features there are, to name one that does not differ
SURE = 5.0  # standard errors by which a line must be ahead: those of a search are smaller than true ones


@dataclass(frozen=True, slots=True)
class Gain:
    """What one line brings more than another in a feature, over worlds that both were played in.

    Attributes:
        feature: its name.
        at_game_end: at the end of the game; else when the present round is over.
        mean: over the worlds, in the feature's own unit.
        error: standard error of the mean, out of the differences world by world.
        worlds: how many.
    """

    feature: str
    at_game_end: bool
    mean: float
    error: float
    worlds: int

    def holds(self, features: int) -> bool:
        """Whether it is worth naming, and beyond what the largest of so many features would show by chance."""
        enough = self.worlds >= FEWEST_WORLDS and abs(self.mean) >= WORTH_NAMING
        return enough and abs(self.mean) > deviations(CHANCE / features, self.worlds - 1) * self.error


def gain(feature: str, worlds: int, total: float, squares: float, *, at_game_end: bool) -> Gain:
    """Return what the sums of the differences, and of their squares, say."""
    mean = total / worlds
    variance = max(squares / worlds - mean * mean, 0.0)
    return Gain(feature, at_game_end, mean, sqrt(variance / (worlds - 1)) if worlds > 1 else inf, worlds)


def deviations(chance: float, freedom: int) -> float:
    """Return how many standard errors a mean is off with such a chance, to either side together.

    Student's t out of the normal quantile (Abramowitz and Stegun 1964, 26.7.5), `freedom` degrees of freedom.
    """
    z = NormalDist().inv_cdf(1 - chance / 2)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3


def explained(result: Result, outlooks: Sequence[tuple[Outlook, ...]], gains: Sequence[Gain]) -> Result:
    """Return the result with the outlooks in its first lines, in their order, and with the reason for the best.

    Args:
        result: of the search.
        outlooks: of its first lines.
        gains: of the first line over the second.
    """
    lines = tuple(
        replace(line, outlook=outlook) for line, outlook in zip(result.lines[: len(outlooks)], outlooks, strict=True)
    )
    compared = len(lines) > 1 and lines[0].probability is None
    return replace(
        result,
        lines=lines + result.lines[len(lines) :],
        reason=reason(lines[0], lines[1], gains) if compared else "",
    )


def reason(best: Line, other: Line, gains: Sequence[Gain]) -> str:
    """Return the sentence that compares the best line with another; it never says that the best one is worse."""
    if not other.visits:
        return f"'{other.label}' was not tried."
    verdict = f"{lead(best, other):.1f} points better than" if is_ahead(best, other) else "about as good as"
    return f"'{best.label}' looks {verdict} '{other.label}'{in_words(stated(gains))}."


def lead(best: Line, other: Line) -> float:
    """Return by how many points a line is ahead."""
    return best.margin - other.margin


def is_ahead(best: Line, other: Line) -> bool:
    """Whether a line is ahead by more than its error, and by enough to be worth saying."""
    return lead(best, other) >= max(WORTH_NAMING, SURE * hypot(best.margin_error, other.margin_error))


def stated(gains: Sequence[Gain]) -> list[Gain]:
    """Return the differences that are said, largest first: those of the end of the game, else those of the round.

    The first feature of a game is its score. Where the worlds have less of it for the best line, they do not show why
    the search prefers it: nothing is said of the end.
    """
    score = gains[0].feature if gains else ""
    sure = sorted((one for one in gains if one.holds(len(gains))), key=lambda one: -abs(one.mean))
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

"""Reasons: what the best line gains over the next one, as far as it exceeds chance, as sentences about the trade."""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from math import isfinite

from clerestory.engine.tuning import Tuning
from clerestory.figures import Outlook
from clerestory.search.gains import Gain as Gain
from clerestory.search.gains import gain as gain
from clerestory.search.lines import Line, combined
from clerestory.search.result import Result
from clerestory.texts.sentences import Quoted, Text, said, text

NAMED = 3  # features in a sentence, those that differ most
WORTH_WINNING = 0.005  # smallest difference of win shares worth mentioning
SURE = 5.0  # standard errors by which a line must lead: those of a search underestimate the true ones


class Verdict(StrEnum):
    """How the best line compares with another one: the code of the sentence that says it."""

    AHEAD = "reason.better"
    LIKELIER = "reason.likelier"
    ALIKE = "reason.alike"


def explained(result: Result, outlooks: Sequence[tuple[Outlook, ...]], gains: Sequence[Gain], least: float) -> Result:
    """Return the result with outlooks added to its first lines, in their order, and the gains of the best line.

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
    held = holding(gains, least) if compared else ()
    return replace(result, lines=lines + result.lines[len(lines) :], gains=held, explained=compared)


def holding(gains: Sequence[Gain], least: float) -> tuple[Gain, ...]:
    """Return the gains that are worth mentioning and exceed chance."""
    return tuple(one for one in gains if one.holds(len(gains), least))


def worded(result: Result, game: str, tuning: Tuning) -> Result:
    """Return an explained result with the reason for its best line in words; `game` is the name of the game."""
    if not result.explained:
        return result
    reasons = sentences(result.lines[0], result.lines[1], result.gains, tuning)
    return replace(result, reasons=reasons, reason=in_english(reasons, game))


def in_english(reasons: Sequence[Text], game: str) -> str:
    """Return sentences in English, in one line."""
    return " ".join(said(one, game) for one in reasons)


def sentences(best: Line, other: Line, gains: Sequence[Gain], tuning: Tuning) -> tuple[Text, ...]:
    """Return one or two sentences that compare the best line with another; they never say that the best is worse."""
    pair = {"best": Quoted(best.action, best.label), "other": Quoted(other.action, other.label)}
    if not other.visits:
        return (text("reason.untried", **pair),)
    verdict = verdict_on(best, other, tuning.worth_naming)
    count = {"count": round(lead(best, other), 1)} if verdict == Verdict.AHEAD else {}
    return text(verdict, **pair, **count), *traded(stated(gains, tuning.told, scored=True))


def standing(best: Line) -> Text | None:
    """Return who leads by how much after the best line; None at a chance event, or if nothing was searched."""
    if best.probability is not None or not best.visits or not isfinite(best.margin):
        return None
    points = round(best.margin, 1)
    code = "lead.ahead" if points > 0 else "lead.behind" if points < 0 else "lead.even"
    return text(code, **({"count": abs(points)} if points else {}))


def traded(differences: Sequence[Gain]) -> tuple[Text, ...]:
    """Return the sentence on what one line gains over another and what it gives up; () for no differences."""
    more, less = ([one for one in differences if (one.mean > 0) == wanted] for wanted in (True, False))
    kind = "trade" if more and less else "more" if more else "less"
    when = "game" if differences and differences[0].at_game_end else "round"
    parts = {name: listed(some) for name, some in (("more", more), ("less", less)) if some}
    return (text(f"reason.{when}.{kind}", **parts),) if parts else ()


def listed(some: Sequence[Gain]) -> Text:
    """Return amounts as a list in words."""
    *first, last = [text(f"amount.{one.feature}", count=round(abs(one.mean), 1)) for one in some]
    if not first:
        return last
    before = first[0]
    for one in first[1:]:
        before = text("reason.list", first=before, last=one)
    return text("reason.and", first=before, last=last)


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


def stated(gains: Sequence[Gain], told: Sequence[str] = (), *, scored: bool = False) -> list[Gain]:
    """Return the differences to mention, largest first: at the end of the round, else at the end of the game.

    If the worlds give the best line a lower score in the end, they do not show why the search prefers it, and
    differences at the end of the game are left out.

    Args:
        gains: that hold.
        told: features that players count, the score first, none of which is a part of another; () for all.
        scored: it is said already by how much the score differs at the end of the game.
    """
    sure = sorted((one for one in gains if not told or one.feature in told), key=lambda one: -abs(one.mean))
    in_round = [one for one in sure if not one.at_game_end]
    at_end = [one for one in sure if one.at_game_end]
    if any(one.feature in told[:1] and one.mean < 0 for one in at_end):
        at_end = []
    if scored:
        at_end = [one for one in at_end if one.feature not in told[:1]]
    return (in_round or at_end)[:NAMED]

"""Reasons in words: what the best line gains over the next one, feature by feature."""

from collections.abc import Sequence
from dataclasses import replace

from clerestory.search.result import Line, Outlook, Result

NAMED = 3  # features in a sentence, those that differ most
WORTH_NAMING = 0.15  # smallest difference that is, in the feature's own unit


def explained(result: Result, outlooks: Sequence[tuple[Outlook, ...]]) -> Result:
    """Return the result with the outlooks in its first lines, in their order, and with the reason for the best."""
    lines = tuple(
        replace(line, outlook=outlook) for line, outlook in zip(result.lines[: len(outlooks)], outlooks, strict=True)
    )
    compared = len(lines) > 1 and lines[0].probability is None
    return replace(
        result,
        lines=lines + result.lines[len(lines) :],
        reason=reason(lines[0], lines[1]) if compared else "",
    )


def reason(best: Line, other: Line) -> str:
    """Return the sentence that compares two explained lines."""
    gain = best.margin - other.margin
    if not other.visits:
        return f"'{other.action}' was not tried."
    verdict = f"about as good as '{other.action}'"
    if abs(gain) >= WORTH_NAMING:
        verdict = f"{abs(gain):.1f} points {'better' if gain > 0 else 'worse'} than '{other.action}'"
    return f"'{best.action}' looks {verdict}{differences(best, other)}."


def differences(best: Line, other: Line) -> str:
    """Return what differs at the end of the game, and what else at the end of the round; "" for nothing."""
    pairs = list(zip(best.outlook, other.outlook, strict=True))
    at_end = {a.feature: a.at_game_end - b.at_game_end for a, b in pairs}
    in_round = {a.feature: a.at_round_end - b.at_round_end for a, b in pairs}
    parts = [(named(at_end), "by the end of the game"), (named(in_round), "by the end of the round")]
    said = [f"{words} {when}" for words, when in parts if words]
    return f": {'; '.join(said)}" if said else ""


def named(changes: dict[str, float]) -> str:
    """Return the largest changes in words: `+1.2 vp craftsmen, -3.0 gold`."""
    largest = sorted(changes.items(), key=lambda change: -abs(change[1]))[:NAMED]
    return ", ".join(
        f"{value:+.1f} {feature.replace('_', ' ')}" for feature, value in largest if abs(value) >= WORTH_NAMING
    )

"""Explains in sentences what the best line gains over the next one, as far as it exceeds chance."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import takewhile
from math import floor, isfinite
from typing import Any

from clerestory.engine.core import Game, State
from clerestory.engine.games import LIST
from clerestory.figures import Outlook
from clerestory.i18n.sentences import Argument, QuotedAction, QuotedItem, Text, format_text, text
from clerestory.search.gains import Gain as Gain
from clerestory.search.gains import gain as gain
from clerestory.search.lines import Line, combined
from clerestory.search.result import Result

NAMED = 3  # maximum number of features in a sentence
LEAST_NAMED = 0.5  # smallest difference of a feature that a player would mention
LEAST_ERROR = 0.02  # share of a win: actions that lose less are about as good as the best, in hints and reviews
WORTH_WINNING = 0.01  # smallest difference of win shares worth mentioning
SURE = 5.0  # required lead of a line in standard errors; a search underestimates its true errors


class Verdict(StrEnum):
    """The comparison of the best line with another; the value is the code of its sentence."""

    AHEAD = "reason.better"
    LIKELIER = "reason.likelier"
    LIKELIER_BEHIND = "reason.likelier.behind"
    ALIKE = "reason.alike"
    ALIKE_BEHIND = "reason.alike.behind"
    UNSURE = "reason.unsure"


def explained(result: Result, outlooks: Sequence[tuple[Outlook, ...]], gains: Sequence[Gain], least: float) -> Result:
    """Return the result with outlooks added to its first lines, in order, and the gains of the best line.

    Args:
        result: result of the search.
        outlooks: outlooks of its first lines.
        gains: gains of the first line over the second.
        least: smallest difference worth mentioning, from the game's tuning; likewise below.
    """
    lines = tuple(
        line.changed(outlook=outlook) for line, outlook in zip(result.lines[: len(outlooks)], outlooks, strict=True)
    )
    compared = len(lines) > 1 and lines[0].probability is None
    held = holding(gains, least) if compared else ()
    return replace(result, lines=lines + result.lines[len(lines) :], gains=held, explained=compared)


def holding(gains: Sequence[Gain], least: float) -> tuple[Gain, ...]:
    """Return the gains that are worth mentioning and exceed chance."""
    return tuple(one for one in gains if one.holds(len(gains), least))


def worded(result: Result, view: State) -> Result:
    """Return an explained result with the reason for its best line as text; `view` is the position searched."""
    if not result.explained:
        return result
    reasons = sentences(result.lines[0], result.lines[1], result.gains, view, result.seat)
    return replace(result, reasons=reasons, reason=in_english(reasons, view.game.name))


def in_english(reasons: Sequence[Text], game: str) -> str:
    """Return sentences in English, on one line."""
    return " ".join(format_text(one, game) for one in reasons)


def sentences(best: Line, other: Line, gains: Sequence[Gain], view: State, seat: int) -> tuple[Text, ...]:
    """Return up to three sentences that compare the best line with another; () for one plan in two orders."""
    tuning = view.game.tuning
    pair = {
        "best": named(best, view.game, other.principal_variation),
        "other": named(other, view.game, best.principal_variation),
    }
    if pair["best"] == pair["other"]:
        return ()
    if not other.visits:
        return (text("reason.untried", **pair),)
    verdict = verdict_on(best, other, seat, tuning.worth_naming)
    if verdict == Verdict.UNSURE:
        return (text(verdict, **pair),)
    count = {"count": round(lead(best, other), 1)} if verdict == Verdict.AHEAD else {}
    differences = stated(gains, tuning.explained, tuning.sources, scored=verdict == Verdict.AHEAD)
    return text(verdict, **pair, **count), *brought(best, other, view, seat), *traded(differences, view, seat)


def brought(best: Line, other: Line, view: State, seat: int) -> tuple[Text, ...]:
    """Return the sentence on what the first line's action brings that a card of the seat lacks; () for nothing."""
    shortage = LIST[view.game.name].shortage
    wanted = shortage and shortage(view, seat, best.action)
    instead = shortage and shortage(view, seat, other.action)
    if not wanted or (instead and instead.thing == wanted.thing):
        return ()
    what = text(f"amount.{wanted.thing}", count=wanted.number)
    return (text("reason.brings", what=what, who=card_named(view, wanted.card)),)


def card_named(view: State, card: str) -> Argument:
    """Return the name of a card as an argument."""
    return QuotedItem(card, rows_of_cards(view.game)[card]["name"])


def named(line: Line, game: Game, others: Sequence[str] = ()) -> Argument:
    """Return the name of a line's beginning in a sentence: its action, or the whole plan.

    Args:
        line: the line.
        game: its game.
        others: the variation to compare it with, whose cards may have the same names.
    """
    uses = planned(line.principal_variation, game)
    if not uses:
        return QuotedAction(line.action, line.label)
    if line.principal_variation[0].startswith("discard"):
        return text("plan.discard", what=listed([amount_of(item, count) for item, count in uses.items()]))
    cards = rows_of_cards(game)
    names = Counter(cards[card]["name"] for card in {*uses, *planned(others, game)})
    rows = [row for card, row in cards.items() if card in uses]
    return listed([use_of(row, uses[row["id"]], alike=names[row["name"]] > 1) for row in rows])


def planned(variation: Sequence[str], game: Game) -> Mapping[str, int]:
    """Return how often each item is used in the conversions or discards that a variation begins with; {} for none."""
    planner = LIST[game.name].planner
    if planner is None or not planner.held(variation[:1]):
        return {}
    return planner.held(tuple(takewhile(lambda action: action != "finish", variation)))


def rows_of_cards(game: Game) -> dict[str, Mapping[str, Any]]:
    """Return the catalogue rows of a game's named cards, by id, in catalogue order."""
    return {row["id"]: row for rows in game.cards().values() for row in rows if "name" in row}


def discard_of(item: str, count: int) -> Text:
    """Return the text for a number of discarded cubes of a type."""
    return text("plan.discard", what=amount_of(item, count))


def amount_of(item: str, count: int) -> Text:
    """Return the text for a number of cubes of a type."""
    return text(f"amount.{item}", count=count)


def use_of(row: Mapping[str, Any], count: int, *, alike: bool) -> Text:
    """Return how often a card is used, with its round if another card mentioned has the same name."""
    name = QuotedItem(row["id"], str(row["name"]))
    if alike and "round" in row:
        return text("plan.use.of_round", name=name, round=row["round"], count=count)
    return text("plan.use", name=name, count=count)


def standing(best: Line) -> Text | None:
    """Return which seat leads and by how much after the best line; None at a chance event, or without iterations."""
    if best.probability is not None or not best.visits or not isfinite(best.margin):
        return None
    points = round(best.margin, 1)
    code = "lead.ahead" if points > 0 else "lead.behind" if points < 0 else "lead.even"
    return text(code, **({"count": abs(points)} if points else {}))


def traded(differences: Sequence[Gain], view: State, seat: int) -> tuple[Text, ...]:
    """Return the sentence on what one line gains and gives up against another; () for no differences.

    Args:
        differences: the differences to mention.
        view: the position before the lines.
        seat: seat whose lines they are.
    """
    more, less = ([one for one in differences if (one.mean > 0) == wanted] for wanted in (True, False))
    if not differences:
        return ()
    kind = "trade" if more and less else "more" if more else "less"
    if differences[0].feature in view.game.tuning.sources:
        kind = "source"
    when = "game" if differences[0].at_game_end else "round"
    score = view.game.tuning.explained[:1]
    parts = {"more": more, "less": less}
    amounts = {name: listed([amount(one, score) for one in some]) for name, some in parts.items() if some}
    scored = any(one.feature in score for one in more)
    needs = needed(more, view, seat) if less and not scored else {}
    return (text(f"reason.{when}.{kind}{'.needs' if needs else ''}", **amounts, **needs),)


def needed(more: Sequence[Gain], view: State, seat: int) -> dict[str, Argument]:
    """Return what the seat needs the first useful gain for, as arguments; {} if there is none."""
    taker = LIST[view.game.name].taker
    if taker is None:
        return {}
    for one in more:
        if not one.at_game_end and (card := taker(view, seat, one.feature)):
            return {"who": card_named(view, card), "thing": QuotedItem(one.feature, one.feature)}
    return {}


def amount(one: Gain, score: Sequence[str]) -> Text:
    """Return the size of a difference as text: whole items, and tenths of the score."""
    size = abs(one.mean)
    return text(f"amount.{one.feature}", count=round(size, 1) if one.feature in score else floor(size + 0.5))


def listed(some: Sequence[Text]) -> Text:
    """Return texts joined as a list in words."""
    *first, last = some
    if not first:
        return last
    before = first[0]
    for one in first[1:]:
        before = text("reason.list", first=before, last=one)
    return text("reason.and", first=before, last=last)


def verdict_on(best: Line, other: Line, seat: int, least: float) -> Verdict:
    """Compare the best line of a seat with another: by points, else by wins; `least` points are worth mentioning."""
    if is_ahead(best, other, least):
        return Verdict.AHEAD
    behind = is_ahead(other, best, least)
    if is_likelier_to_win(best, other, seat):
        return Verdict.LIKELIER_BEHIND if behind else Verdict.LIKELIER
    if is_likelier_to_win(other, best, seat) or abs(winning_lead(best, other, seat)) >= LEAST_ERROR:
        return Verdict.UNSURE
    return Verdict.ALIKE_BEHIND if behind else Verdict.ALIKE


def lead(best: Line, other: Line) -> float:
    """Return the lead of a line in points."""
    return best.margin - other.margin


def is_ahead(best: Line, other: Line, least: float) -> bool:
    """Whether a line leads by more than its error, and by enough to be worth mentioning."""
    return lead(best, other) >= max(least, SURE * combined(best.margin_error, other.margin_error))


def winning_lead(best: Line, other: Line, seat: int) -> float:
    """Return the lead of a line in the seat's share of the win."""
    return best.win_shares[seat] - other.win_shares[seat]


def is_likelier_to_win(best: Line, other: Line, seat: int) -> bool:
    """Whether a line wins more often, by more than its error and enough to be worth mentioning."""
    error = combined(best.standard_errors[seat], other.standard_errors[seat])
    return winning_lead(best, other, seat) >= max(WORTH_WINNING, SURE * error)


def stated(
    gains: Sequence[Gain], explained: Sequence[str] = (), sources: Sequence[str] = (), *, scored: bool = False
) -> list[Gain]:
    """Return the differences to mention, largest first: at the end of the round, else in the score of the whole game.

    Items left at the end of the game are worth nothing besides their points. If the worlds give the best line a lower
    score there, they do not show why the search prefers it. If a sentence says the score and nothing else differs, the
    differences are those of its sources.

    Args:
        gains: gains that exceed chance.
        explained: features that players count, the score first, none part of another; () for all.
        sources: features that say where the score comes from.
        scored: whether a sentence already says that the line has a higher score at the end of the game.
    """
    sure = [one for one in gains if (not explained or one.feature in explained) and abs(one.mean) >= LEAST_NAMED]
    in_round, at_end = at_both_ends(sure)
    if [one.mean for one in in_round] == [one.mean for one in at_end]:  # the last round
        in_round = []
    if scored and all(one.mean > 0 for one in in_round):
        more = [one for one in in_round if one.feature not in explained[:1]]
        return (more or of_sources(gains, sources))[:NAMED]
    worth = [one for one in at_end if one.mean > 0 and one.feature in (explained[:1] or [one.feature]) and not scored]
    return (in_round or worth)[:NAMED]


def of_sources(gains: Sequence[Gain], sources: Sequence[str]) -> list[Gain]:
    """Return what a line gains from the sources of the score, largest first: in the round, else in the whole game."""
    in_round, at_end = at_both_ends([one for one in gains if one.feature in sources and one.mean >= LEAST_NAMED])
    return at_end if [one.mean for one in in_round] == [one.mean for one in at_end] else in_round or at_end


def at_both_ends(gains: Sequence[Gain]) -> tuple[list[Gain], list[Gain]]:
    """Return the differences at the end of the round, and at that of the game, largest first."""
    ordered = sorted(gains, key=lambda one: -abs(one.mean))
    return [one for one in ordered if not one.at_game_end], [one for one in ordered if one.at_game_end]

"""Translates between the messages of SummarizeGames and summaries of reviewed games."""

import re
from collections.abc import Iterator
from functools import partial

from clerestory.engine.core import Game
from clerestory.search.review.classes import SeatFigures
from clerestory.search.review.groups import DecisionGroup, ErrorPattern, kinds
from clerestory.search.review.ledger import UNIT
from clerestory.search.review.summary import Estimate, GameFigures, GroupSummary, Summary
from clerestory.search.review.summary_words import group_name, habit_sentence
from clerestory.server.rpc.locale import LOCALE
from clerestory.server.rpc.translate import given
from clerestory.server.rpc.translate_rules import read_game
from clerestory.service_errors import Faults, Reason
from clerestory.v1 import annotation_pb2 as api

MOST_GAMES = 100
MOST_GROUPS = 64  # of a game, and as many patterns
MOST = 1000  # decisions of a group, errors of a pattern, points of a group
MOST_PARTS = 32
LEVELS = 8
VERB = re.compile(r"[a-z][a-z-]{0,39}")


def read_summary(request: api.SummarizeGamesRequest) -> tuple[Game, list[GameFigures]]:
    """Parse a request for a summary. Raises ServiceError, which lists all faults."""
    game, faults = read_game(request.game), Faults()
    if not 1 <= len(request.games) <= MOST_GAMES:
        faults.add(Reason.BAD_FIGURES, "games", f"has {len(request.games)} entries; must have 1 to {MOST_GAMES}")
        faults.require_none()
    for i, one in enumerate(request.games):
        for field, description in game_faults(game.name, one):
            faults.add(Reason.BAD_FIGURES, f"games[{i}].{field}", description)
    faults.require_none()
    return game, [read_figures(one) for one in request.games]


def game_faults(game: str, one: api.PlayerFigures) -> Iterator[tuple[str, str]]:
    """Yield the faults of the figures of a game: field and description."""
    if one.HasField("level") and not 1 <= one.level <= LEVELS:
        yield "level", f"is {one.level}; must be 1 to {LEVELS}"
    for name, count in (("groups", len(one.groups)), ("patterns", len(one.patterns))):
        if count > MOST_GROUPS:
            yield name, f"has {count} entries; at most {MOST_GROUPS}"
    for i, group in enumerate(one.groups[:MOST_GROUPS]):
        yield from ((f"groups[{i}].{field}", problem) for field, problem in group_faults(game, group))
    for i, error in enumerate(one.patterns[:MOST_GROUPS]):
        yield from ((f"patterns[{i}].{field}", problem) for field, problem in pattern_faults(error))


def group_faults(game: str, one: api.DecisionGroup) -> Iterator[tuple[str, str]]:
    """Yield the faults of a group of decisions."""
    if one.kind not in (kinds(game) or ("",)):
        yield "kind", f"{one.kind[:40]!r} is not one of {', '.join(kinds(game)) or 'none'}"
    if one.part > MOST_PARTS:
        yield "part", f"is {one.part}; at most {MOST_PARTS}"
    if not 0 <= one.points <= MOST:
        yield "points", f"is {one.points}; must be 0 to {MOST}"
    yield from count_faults("decisions", one.decisions, one.loss)


def pattern_faults(one: api.ErrorPattern) -> Iterator[tuple[str, str]]:
    """Yield the faults of a pattern of errors."""
    for field in ("played", "best"):
        if not VERB.fullmatch(getattr(one, field)):
            yield field, f"{getattr(one, field)[:40]!r} is not the first word of an action"
    yield from count_faults("errors", one.errors, one.loss)


def count_faults(field: str, count: int, loss: int) -> Iterator[tuple[str, str]]:
    """Yield the faults of a number of decisions and of their loss."""
    if not 1 <= count <= MOST:
        yield field, f"is {count}; must be 1 to {MOST}"
    elif loss > count * UNIT:
        yield "loss", f"is {loss}; at most {UNIT} for each of {count}"


def read_figures(one: api.PlayerFigures) -> GameFigures:
    """Return the figures of a player in a game from a message."""
    return GameFigures(
        groups=tuple(
            DecisionGroup(
                part=group.part, kind=group.kind, decisions=group.decisions, loss=group.loss, points=group.points
            )
            for group in one.groups
        ),
        patterns=tuple(
            ErrorPattern(played=error.played, best=error.best, errors=error.errors, loss=error.loss)
            for error in one.patterns
        ),
        level=given(one, "level"),
    )


def write_groups(figures: SeatFigures) -> list[api.DecisionGroup]:
    """Return the decisions of a seat as messages."""
    return [
        api.DecisionGroup(part=one.part, kind=one.kind, decisions=one.decisions, loss=one.loss, points=one.points)
        for one in figures.groups
    ]


def write_pattern(one: ErrorPattern) -> api.ErrorPattern:
    """Return a pattern of errors as a message."""
    return api.ErrorPattern(played=one.played, best=one.best, errors=one.errors, loss=one.loss)


def write_summary(summary: Summary) -> api.SummarizeGamesResponse:
    """Return a summary as a message, in the locale of the call."""
    row = partial(write_group, summary.game)
    return api.SummarizeGamesResponse(
        overall=None if summary.overall is None else row(summary.overall),
        parts=map(row, summary.parts),
        kinds=map(row, summary.kinds),
        habits=[
            api.Habit(pattern=write_pattern(one), text=habit_sentence(summary, one, LOCALE.get()))
            for one in summary.habits
        ],
        level=write_estimate(summary.level),
        latest_level=write_estimate(summary.latest),
    )


def write_group(game: str, group: GroupSummary) -> api.DecisionSummary:
    """Return some decisions as a message, in the locale of the call."""
    return api.DecisionSummary(
        name=group.name,
        label=group_name(game, group, LOCALE.get()),
        games=group.games,
        decisions=group.decisions,
        mean_loss=write_estimate(group.mean_loss),
        accuracy=write_estimate(group.accuracy),
        points=write_estimate(group.points),
    )


def write_estimate(found: Estimate | None) -> api.Estimate | None:
    """Return an estimate as a message; None for None."""
    return None if found is None else api.Estimate(mean=found.mean, low=found.low, high=found.high)

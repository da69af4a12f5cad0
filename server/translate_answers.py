"""Translates results of searches into messages of AdvisorService."""

from collections.abc import Iterable
from math import isfinite

from google.protobuf.duration_pb2 import Duration

import clerestory
from clerestory.engine.core import NATURE, Game
from clerestory.search.levels import choose_line, level_of
from clerestory.search.lines import Line, Outlook
from clerestory.search.result import Result, StopReason
from clerestory.server.translate import Question
from clerestory.sizes import spoken_size
from clerestory.v1 import advisor_pb2 as api

FEW_A_LINE = 10  # iterations for each line, below which lines are hard to tell apart

NUMBERS = [  # of a line; they have the same names in the search, in the API and in the clients
    field.name for field in api.Line.DESCRIPTOR.fields if field.message_type is None and not field.is_repeated
]

Remark = tuple[str, str]  # name of a WarningReason, without its prefix, and a sentence

STOP_REASONS = {
    StopReason.TIME: api.STOP_REASON_TIME,
    StopReason.ITERATIONS: api.STOP_REASON_ITERATIONS,
    StopReason.STOPPED: api.STOP_REASON_STOPPED,
    StopReason.DECIDED: api.STOP_REASON_DECIDED,
    StopReason.CERTAIN: api.STOP_REASON_CERTAIN,
    StopReason.PAUSED: api.STOP_REASON_UNSPECIFIED,
}


def write_recommendation(
    question: Question, result: Result, *, waited: float, warnings: Iterable[Remark]
) -> api.RecommendMoveResponse:
    """Return the answer to a question, whether final or not.

    Args:
        question: the request.
        result: of its search.
        waited: seconds from the arrival of the request to the first iteration.
        warnings: name of each WarningReason, without its prefix, and a sentence.
    """
    view, limit, best = question.view, question.max_lines or len(result.lines), choose(question, result)
    return api.RecommendMoveResponse(
        seat=question.seat,
        observer=write_observer(question.observer),
        best=None if best is None else api.Action(text=best.action, label=best.label),
        lines=[write_line(line, view.game) for line in result.lines[:limit]],
        statistics=write_statistics(result, certainty=0.0 if question.chance else result.certainty, waited=waited),
        seed=result.seed,
        rules_revision=view.game.rules_revision,
        catalogue=view.game.catalogue,
        reason=result.reason,
        warnings=[write_warning(*warning) for warning in warnings],
        level=None if best is None else question.level,
        engine_version=clerestory.__version__,
        reproducible=result.reproducible,
    )


def choose(question: Question, result: Result) -> Line | None:
    """Return the line to play: the best, or the one that the level takes; None at a chance event."""
    if question.chance:
        return None
    if question.level is None:
        return result.best
    return choose_line(result.lines, level_of(question.view.game, question.level), result.seed)


def remarks(result: Result, *, finishing: bool = False) -> list[Remark]:
    """Return the warnings about a search.

    Args:
        result: of the search.
        finishing: the server ended the search because it is shutting down.
    """
    found: list[Remark] = []
    if result.memory_full:
        size = spoken_size(result.tree_bytes)
        text = f"The search filled its memory, {size}, and then only refined what it had: longer ones need more memory."
        found.append(("MEMORY_FULL", text))
    if result.iterations < FEW_A_LINE * len(result.lines):
        text = f"{result.iterations} iterations are few to tell {len(result.lines)} lines apart."
        found.append(("FEW_ITERATIONS", text))
    if finishing:
        found.append(("FINISHING", "The server is finishing, and the search ended before its limits."))
    return found


def write_warning(name: str, description: str) -> api.Warning:
    """Return a warning as a message."""
    return api.Warning(reason=api.WarningReason.Value(f"WARNING_REASON_{name}"), description=description)


def write_observer(observer: int | None) -> api.Observer | None:
    """Return the observer as a message, None if the request named none."""
    if observer is None:
        return None
    return api.Observer() if observer == NATURE else api.Observer(seat=observer)


def write_line(line: Line, game: Game) -> api.Line:
    """Return one line of a result as a message."""
    variation = [game.parse_action(text) for text in line.principal_variation]
    numbers = {name: getattr(line, name) for name in NUMBERS}
    return api.Line(
        action=api.Action(text=line.action, label=line.label),
        win_shares=line.win_shares,
        standard_errors=line.standard_errors,
        principal_variation=line.principal_variation,
        outlook=[write_outlook(outlook) for outlook in line.outlook],
        variation=[api.Action(text=action.text, label=action.label) for action in variation],
        **{name: number for name, number in numbers.items() if number is not None and isfinite(number)},
    )


def write_outlook(outlook: Outlook) -> api.Outlook:
    """Return the outlook of one feature as a message."""
    return api.Outlook(
        feature=outlook.feature,
        now=outlook.now,
        at_round_end=outlook.at_round_end,
        at_game_end=outlook.at_game_end,
    )


def write_statistics(result: Result, *, certainty: float, waited: float) -> api.SearchStatistics:
    """Return the figures of a result as a message."""
    return api.SearchStatistics(
        iterations=result.iterations,
        nodes=result.nodes,
        tree_bytes=result.tree_bytes,
        depth=result.depth,
        elapsed=duration(result.elapsed),
        stop_reason=STOP_REASONS[result.stop_reason],
        memory_full=result.memory_full,
        threads=result.threads,
        certainty=certainty,
        waited=duration(waited),
        reused_iterations=result.reused_iterations,
    )


def duration(seconds: float) -> Duration:
    """Return a number of seconds as a message."""
    message = Duration()
    message.FromNanoseconds(round(seconds * 1e9))
    return message

"""Translates requests of AdvisorService into queries, and answers of the analysis engine into messages."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from types import MappingProxyType
from typing import Any

import clerestory
from clerestory.engine.core import NATURE, Game
from clerestory.engine.messages import part_of
from clerestory.engine.tuning import level_as
from clerestory.figures import Outlook
from clerestory.i18n.languages import ENGLISH
from clerestory.i18n.sentences import Text
from clerestory.search.favour import favoured
from clerestory.search.lines import Line
from clerestory.search.rates import Rate
from clerestory.search.reasons import discard_of, rows_of_cards, standing, use_of
from clerestory.search.result import Result, StopReason
from clerestory.server.analysis.answer import Answer
from clerestory.server.analysis.caller import Caller
from clerestory.server.analysis.limits import Limits
from clerestory.server.analysis.question import Question, posed
from clerestory.server.games.rulebook import held
from clerestory.server.rpc.line_messages import TableWriter, as_part
from clerestory.server.rpc.locale import LOCALE, good_name, name_of, translated_text
from clerestory.server.rpc.translate import asked_position, duration, given, seconds_of, write_action, write_text
from clerestory.service_errors import Faults, ServiceError
from clerestory.v1 import advisor_pb2 as advisor

POSITION_OF_QUESTION = (advisor.RecommendMoveRequest.POSITION_FIELD_NUMBER,)  # path of field numbers
POSITION_OF_ANALYSIS = (advisor.AnalyzeRequest.QUESTION_FIELD_NUMBER, *POSITION_OF_QUESTION)
RECOMMENDATION = advisor.AnalyzeResponse.RECOMMENDATION_FIELD_NUMBER
RECOMMENDATION_OF_BATCH = advisor.BatchRecommendResponse.RECOMMENDATION_FIELD_NUMBER
WARNINGS = dict(advisor.WarningReason.items())  # numbers by name
STOP_REASONS = {
    StopReason.TIME: advisor.STOP_REASON_TIME,
    StopReason.ITERATIONS: advisor.STOP_REASON_ITERATIONS,
    StopReason.STOPPED: advisor.STOP_REASON_STOPPED,
    StopReason.DECIDED: advisor.STOP_REASON_DECIDED,
    StopReason.CERTAIN: advisor.STOP_REASON_CERTAIN,
    StopReason.PAUSED: advisor.STOP_REASON_UNSPECIFIED,
}


# -- queries ---------------------------------------------------------------------------------------


def read_analysis(request: advisor.AnalyzeRequest, caller: Caller, payload: bytes = b"") -> Question:
    """Parse the query in a caller's request. Raises ServiceError, which lists all faults.

    Args:
        request: the message.
        caller: the caller of the call.
        payload: the bytes that the message was parsed from; b"" if they are not known.
    """
    more: dict[str, Any] = {"certainty": request.target_certainty if request.HasField("target_certainty") else None}
    if request.HasField("update_interval"):
        more["interval"] = seconds_of(request.update_interval)
    observer = read_observer(request.observer) if request.HasField("observer") else None
    return read_question(request.question, caller, payload, "question.", observer, more)


def read_question(
    request: advisor.RecommendMoveRequest,
    caller: Caller,
    payload: bytes = b"",
    path: str = "",
    observer: int | None = None,
    more: Mapping[str, Any] = MappingProxyType({}),
) -> Question:
    """Parse the query in a request. Raises ServiceError, which lists all faults.

    Args:
        request: the message.
        caller: the caller of the call.
        payload: the bytes that the outer message was parsed from; b"" if they are not known.
        path: the field path of the request in its outer message.
        observer: the seat whose knowledge to use, NATURE for an onlooker; None for the seat to move.
        more: further limits.
    """
    faults, limits = Faults(), read_limits(request, more)
    limits.check(faults)
    try:
        received = part_of(payload, *(POSITION_OF_ANALYSIS if path else POSITION_OF_QUESTION))
        position = asked_position(caller, request.position, received)
    except ServiceError as error:
        faults.found += [(error.reason, f"{path}{field}", text) for field, text in error.faults]
        faults.require_none()
        raise
    return posed(
        position,
        limits,
        faults,
        seat=given(request, "seat"),
        observer=observer,
        consider=request.consider_actions,
        avoid=request.avoid_actions,
    )


def read_limits(request: advisor.RecommendMoveRequest, more: Mapping[str, Any]) -> Limits:
    """Return the limits of the requested search, not validated."""
    return Limits(
        seconds=seconds_of(request.time_budget) if request.HasField("time_budget") else None,
        iterations=given(request, "iterations"),
        seed=given(request, "seed"),
        max_tree_bytes=given(request, "max_tree_bytes"),
        level=level_as(request.character, given(request, "level")),
        character=request.character,
        threads=given(request, "threads"),
        early_stop=given(request, "early_stop"),
        game_id=request.game_id,
        rates=request.rates,
        **more,
    )


def read_observer(observer: advisor.Observer) -> int:
    """Return the seat whose knowledge to use, NATURE for an onlooker."""
    return int(observer.seat) if observer.HasField("seat") else NATURE


# -- answers ---------------------------------------------------------------------------------------


def write_recommendation(answer: Answer, max_lines: int = 0) -> bytes:
    """Return an answer as a serialized RecommendMoveResponse, with at most `max_lines` lines; 0 for all."""
    question, result, best = answer.question, answer.result, answer.best
    game, language = question.view.game, LOCALE.get()
    table = table_writer(game, language).write(
        result.lines, question.seat, None if best is None else best.action, most=max_lines, chance=question.chance
    )
    message = advisor.RecommendMoveResponse(
        observer=write_observer(question.observer),
        statistics=write_statistics(
            result, certainty=0.0 if question.chance else result.certainty, waited=answer.waited
        ),
        seed=result.seed,
        rules_revision=game.rules_revision,
        catalogue=game.catalogue,
        reason=in_one_line(result.reasons, result.reason, game),
        reasons=[write_text(one, game) for one in result.reasons],
        lead=None if (ahead := standing(result.best)) is None else write_kept(ahead, game, language),
        favour=write_favour(game, question.view.seats, language),
        warnings=[write_warning(*remark, game) for remark in answer.remarks],
        level=None if best is None else question.limits.level,
        engine_version=clerestory.__version__,
        reproducible=result.reproducible,
        rates=[write_rate(rate, game) for rate in answer.rates],
    )
    return table + message.SerializeToString()


def write_update(answer: Answer, max_lines: int) -> bytes:
    """Return an answer of a stream as a serialized AnalyzeResponse."""
    recommendation = as_part(RECOMMENDATION, write_recommendation(answer, max_lines))
    return recommendation + advisor.AnalyzeResponse(sequence=answer.sequence, final=answer.final).SerializeToString()


def write_batch_answer(number: int, answer: Answer, max_lines: int) -> bytes:
    """Return the answer to a query as a serialized BatchRecommendResponse."""
    recommendation = as_part(RECOMMENDATION_OF_BATCH, write_recommendation(answer, max_lines))
    return advisor.BatchRecommendResponse(number=number).SerializeToString() + recommendation


@cache
def table_writer(game: Game, language: str) -> TableWriter:  # noqa: ARG001  # its texts depend on it
    """Return the writer of a game's tables in a locale."""
    return TableWriter(ActionMessages(game), write_outlooks, partial(write_uses, game))


class ActionMessages(dict[str, bytes]):
    """The serialized messages of a game's actions by their texts, in the locale of the call, made when first needed."""

    def __init__(self, game: Game) -> None:
        self._game = game

    def __missing__(self, text: str) -> bytes:
        message = self[text] = write_action(self._game, self._game.parse_action(text)).SerializeToString()
        return message


@lru_cache(maxsize=64)
def write_favour(game: Game, seats: int, language: str) -> advisor.Text | None:  # noqa: ARG001  # its texts depend on it
    """Return which seat a game favours, cached; None if it favours none by much."""
    word = favoured(game, seats)
    return None if word is None else write_text(word, game)


def in_one_line(reasons: Sequence[Text], english: str, game: Game) -> str:
    """Join reasons in the locale of the call; return the English text if there is nothing else."""
    return (
        english if LOCALE.get() == ENGLISH or not reasons else " ".join(translated_text(one, game) for one in reasons)
    )


@lru_cache(maxsize=1024)
def write_kept(one: Text, game: Game, language: str) -> advisor.Text:  # noqa: ARG001  # its texts depend on it
    """Return a common text in the locale of the call, cached."""
    return write_text(one, game)


def write_warning(name: str, remark: Text, game: Game) -> advisor.Warning:
    """Return a warning as a message."""
    message = write_text(remark, game)
    return advisor.Warning(reason=WARNINGS[f"WARNING_REASON_{name}"], description=message.text, message=message)


def write_observer(observer: int | None) -> advisor.Observer | None:
    """Return the observer as a message; None if the request named none."""
    if observer is None:
        return None
    return advisor.Observer() if observer == NATURE else advisor.Observer(seat=observer)


def write_plan(game: Game, uses: Mapping[str, int]) -> list[advisor.PlannedUse]:
    """Return the uses of a plan as messages: how often each item is used."""
    return [advisor.PlannedUse(item=item, times=count, label=label) for item, count, label in planned(game, uses)]


def planned(game: Game, uses: Mapping[str, int]) -> Iterator[tuple[str, int, str]]:
    """Yield the uses of a plan: the item, how often it is used, and both in words."""
    names = Counter(name_of(game, item) for item in uses)
    for item, count in uses.items():
        yield item, count, in_use(game, item, count, alike=names[name_of(game, item)] > 1)


def in_use(game: Game, item: str, count: int, *, alike: bool) -> str:
    """Return one use of a plan in words, with the round of a card if another card in the plan has its name."""
    row = rows_of_cards(game).get(item)
    use = discard_of(item, count) if row is None else use_of(row, count, alike=alike)
    return translated_text(use, game)


def write_uses(game: Game, variation: Sequence[str]) -> list[bytes]:
    """Return the uses of the plan that begins a variation as serialized messages."""
    uses = held(game, variation)
    return [use.SerializeToString() for use in write_plan(game, uses)] if uses else []


def write_outlooks(line: Line) -> list[bytes]:
    """Return the outlook of each feature as a serialized message."""
    return [write_outlook(one).SerializeToString() for one in line.outlook]


def write_outlook(outlook: Outlook) -> advisor.Outlook:
    """Return the outlook of one feature as a message."""
    return advisor.Outlook(
        feature=outlook.feature,
        now=outlook.now,
        at_round_end=outlook.at_round_end,
        at_game_end=outlook.at_game_end,
    )


def write_rate(rate: Rate, game: Game) -> advisor.Rate:
    """Return an exchange rate as a message."""
    message = advisor.Rate(good=advisor.NamedItem(id=rate.good, name=good_name(game, rate.good)), amount=rate.amount)
    if rate.amount:
        message.win_share, message.win_share_error = rate.win_share, rate.win_share_error
        message.points, message.points_error = rate.margin, rate.margin_error
    return message


def write_statistics(result: Result, *, certainty: float, waited: float) -> advisor.SearchStatistics:
    """Return the statistics of a result as a message."""
    return advisor.SearchStatistics(
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
        given_up_visits=result.given_up,
    )

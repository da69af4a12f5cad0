"""Translates answers of the analysis engine into messages of AdvisorService."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import isfinite

from google.protobuf.duration_pb2 import Duration

import clerestory
from clerestory.engine.core import NATURE, Game
from clerestory.figures import Outlook
from clerestory.i18n.languages import ENGLISH
from clerestory.i18n.sentences import Argument, QuotedAction, QuotedItem, Text, said
from clerestory.search.lines import Line, is_doubtful
from clerestory.search.reasons import discard_of, rows_of_cards, standing, use_of
from clerestory.search.result import Result, StopReason
from clerestory.search.review.favour import favoured
from clerestory.server.analysis.answer import Answer
from clerestory.server.games.rulebook import held
from clerestory.server.rpc.locale import LOCALE, label_of, name_of, translated_text
from clerestory.server.rpc.translate_rules import write_action
from clerestory.v1 import advisor_pb2 as api

NAMED = 2048  # cached action messages, under 1 MB

STOP_REASONS = {
    StopReason.TIME: api.STOP_REASON_TIME,
    StopReason.ITERATIONS: api.STOP_REASON_ITERATIONS,
    StopReason.STOPPED: api.STOP_REASON_STOPPED,
    StopReason.DECIDED: api.STOP_REASON_DECIDED,
    StopReason.CERTAIN: api.STOP_REASON_CERTAIN,
    StopReason.PAUSED: api.STOP_REASON_UNSPECIFIED,
}


def write_recommendation(answer: Answer, max_lines: int = 0) -> api.RecommendMoveResponse:
    """Return an answer as a message, with at most `max_lines` lines; 0 for all."""
    question, result, best = answer.question, answer.result, answer.best
    game, limit = question.view.game, max_lines or len(result.lines)
    message = api.RecommendMoveResponse(
        seat=question.seat,
        observer=write_observer(question.observer),
        best=None if best is None else write_named(game, best.action, LOCALE.get()),
        statistics=write_statistics(
            result, certainty=0.0 if question.chance else result.certainty, waited=answer.waited
        ),
        seed=result.seed,
        rules_revision=game.rules_revision,
        catalogue=game.catalogue,
        reason=in_one_line(result.reasons, result.reason, game),
        reasons=[write_text(one, game) for one in result.reasons],
        lead=None if (ahead := standing(result.best)) is None else write_kept(ahead, game, LOCALE.get()),
        favour=write_favour(game, question.view.seats, LOCALE.get()),
        warnings=[write_warning(*remark, game) for remark in answer.remarks],
        level=None if best is None else question.terms.level,
        engine_version=clerestory.__version__,
        reproducible=result.reproducible,
    )
    for line in result.lines[:limit]:
        doubtful = not question.chance and is_doubtful(line, result.best)
        add_line(message, line, game, doubtful=doubtful)
    return message


@lru_cache(maxsize=64)
def write_favour(game: Game, seats: int, language: str) -> api.Text | None:  # noqa: ARG001  # as in write_named
    """Return which seat a game favours, cached; None if it favours none by much."""
    word = favoured(game, seats)
    return None if word is None else write_text(word, game)


def in_one_line(reasons: Sequence[Text], english: str, game: Game) -> str:
    """Join reasons in the locale of the call; return the English text if there is nothing else."""
    return (
        english if LOCALE.get() == ENGLISH or not reasons else " ".join(translated_text(one, game) for one in reasons)
    )


@lru_cache(maxsize=1024)
def write_kept(one: Text, game: Game, language: str) -> api.Text:  # noqa: ARG001  # as in write_named
    """Return a common text in the locale of the call, cached."""
    return write_text(one, game)


def write_text(one: Text, game: Game) -> api.Text:
    """Return a text about a game as a message."""
    arguments = [write_argument(name, value, game) for name, value in one.arguments]
    english = said(one, game.name)
    text = english if LOCALE.get() == ENGLISH else translated_text(one, game)
    return api.Text(code=one.code, arguments=arguments, english=english, text=text)


def write_argument(name: str, value: Argument, game: Game) -> api.TextArgument:
    """Return an argument of a text as a message."""
    if isinstance(value, Text):
        return api.TextArgument(name=name, text=write_text(value, game))
    if isinstance(value, QuotedAction):
        label = label_of(game, value.action, value.label)
        return api.TextArgument(name=name, action=api.Action(text=value.action, label=label))
    if isinstance(value, QuotedItem):
        return api.TextArgument(name=name, item=api.NamedItem(id=value.item, name=name_of(game, value.item)))
    if isinstance(value, str):
        return api.TextArgument(name=name, word=value)
    return api.TextArgument(name=name, number=value)


def read_text(message: api.Text) -> Text:
    """Return a text from its message."""
    return Text(message.code, tuple((one.name, read_argument(one)) for one in message.arguments))


def read_argument(message: api.TextArgument) -> Argument:
    """Return an argument of a text from its message."""
    kind = message.WhichOneof("value")
    if kind == "text":
        return read_text(message.text)
    if kind == "action":
        return QuotedAction(message.action.text, message.action.label)
    if kind == "item":
        return QuotedItem(message.item.id, message.item.name)
    return message.word if kind == "word" else message.number


def write_warning(name: str, remark: Text, game: Game) -> api.Warning:
    """Return a warning as a message."""
    reason = api.WarningReason.Value(f"WARNING_REASON_{name}")
    return api.Warning(reason=reason, description=translated_text(remark, game), message=write_text(remark, game))


def write_observer(observer: int | None) -> api.Observer | None:
    """Return the observer as a message; None if the request named none."""
    if observer is None:
        return None
    return api.Observer() if observer == NATURE else api.Observer(seat=observer)


def add_line(message: api.RecommendMoveResponse, line: Line, game: Game, *, doubtful: bool) -> None:
    """Add a line of a result to a response in place, because protobuf copies messages on assignment."""
    language, variation = LOCALE.get(), line.principal_variation
    added = message.lines.add(
        action=write_named(game, line.action, language),
        visits=line.visits,
        availability=line.availability,
        win_shares=line.win_shares,
        standard_errors=line.standard_errors,
        margin=line.margin,
        margin_error=line.margin_error if isfinite(line.margin_error) else None,
        score=line.score,
        lower_bound=line.lower_bound,
        loss=line.loss,
        principal_variation=variation,
        variation=[write_named(game, text, language) for text in variation],
        probability=line.probability,
        doubtful=doubtful,
    )
    if uses := held(game, variation):
        added.plan.extend(write_plan(game, uses))
    if line.outlook:
        added.outlook.extend(map(write_outlook, line.outlook))


@lru_cache(maxsize=NAMED)
def write_named(game: Game, text: str, language: str) -> api.Action:  # noqa: ARG001  # labels depend on it
    """Return an action as a message in the locale of the call, cached. Do not modify the result."""
    return write_action(game, game.parse_action(text))


def write_plan(game: Game, uses: Mapping[str, int]) -> list[api.PlannedUse]:
    """Return the uses of a plan as messages: how often each item is used."""
    names = Counter(name_of(game, item) for item in uses)
    return [write_use(game, item, count, alike=names[name_of(game, item)] > 1) for item, count in uses.items()]


def write_use(game: Game, item: str, count: int, *, alike: bool) -> api.PlannedUse:
    """Return one use of a plan as a message, with the round of a card if another card in the plan has its name."""
    row = rows_of_cards(game).get(item)
    use = discard_of(item, count) if row is None else use_of(row, count, alike=alike)
    return api.PlannedUse(item=item, times=count, label=translated_text(use, game))


def write_outlook(outlook: Outlook) -> api.Outlook:
    """Return the outlook of one feature as a message."""
    return api.Outlook(
        feature=outlook.feature,
        now=outlook.now,
        at_round_end=outlook.at_round_end,
        at_game_end=outlook.at_game_end,
    )


def write_statistics(result: Result, *, certainty: float, waited: float) -> api.SearchStatistics:
    """Return the statistics of a result as a message."""
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
        given_up_visits=result.given_up,
    )


def duration(seconds: float) -> Duration:
    """Return seconds as a Duration."""
    message = Duration()
    message.FromNanoseconds(round(seconds * 1e9))
    return message

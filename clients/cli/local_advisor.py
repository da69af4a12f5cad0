"""An advisor in this process, with the methods of a client, for commands without a server."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from math import isfinite
from typing import Any, Self, TypeVar, Unpack

from google.protobuf.json_format import MessageToJson

import clerestory
from clerestory.cli.game_files import read_position
from clerestory.clients import AdvisorError, Recommendation, Update
from clerestory.clients.errors import KINDS, FieldViolation
from clerestory.clients.types import Action, AnswerWarning, Line, Rate
from clerestory.clients.wire import FIELDS as REQUEST_FIELDS
from clerestory.clients.wire import (
    PositionLike,
    QuestionOptions,
    Time,
    apply_limits,
    position_message,
    read_time,
    set_options,
    set_watching,
)
from clerestory.engine import State
from clerestory.engine.core import Game
from clerestory.engine.errors import BadPosition
from clerestory.engine.tuning import level_as
from clerestory.search.favour import favoured
from clerestory.search.limits import LONGEST_TIME
from clerestory.search.lines import FIELDS, is_doubtful
from clerestory.search.lines import Line as SearchedLine
from clerestory.search.rates import Rate as EstimatedRate
from clerestory.search.reasons import standing
from clerestory.search.result import StopReason
from clerestory.search.review.annotation import Annotation
from clerestory.server.analysis import AnalysisEngine, Answer, Capacity, Limits, Question, validate_query
from clerestory.server.analysis.machine import MOST
from clerestory.server.analysis.reviewer import Reviewer
from clerestory.server.analysis.reviews import ReviewTerms, review
from clerestory.server.games.rulebook import held
from clerestory.server.rpc.errors import CODES, field_of
from clerestory.server.rpc.locale import good_name, label_of, translated_text
from clerestory.server.rpc.translate_advisor import in_one_line, planned, write_recommendation
from clerestory.service_errors import Reason, ServiceError, in_words
from clerestory.v1.advisor_pb2 import AnalyzeRequest, RecommendMoveRequest, RecommendMoveResponse

RECOMMEND, ANALYZE = "AdvisorService/RecommendMove", "AdvisorService/Analyze"  # whose fields errors name
ANNOTATE = "AnnotationService/AnnotateGame"
LIMITS = {  # option of a question -> limit of the search
    "memory": "max_tree_bytes",
    **{
        name: name for name in ("iterations", "seed", "level", "character", "threads", "early_stop", "game_id", "rates")
    },
}
FIGURES = ("iterations", "nodes", "tree_bytes", "depth", "threads", "memory_full", "given_up", "seed", "reproducible")
# The columns of a line that are the same in the search and in the form of a client.
COLUMNS = {one.name for one in fields(Line)} & {*FIELDS} - {"action", "margin_error"}
T = TypeVar("T")


class LocalAdvisor:
    """Advice without a server. Its answers and errors are those of an `Advisor`.

    Args:
        workers: threads that search.
    """

    def __init__(self, workers: int) -> None:
        self._runner = asyncio.Runner()
        self._analysis = AnalysisEngine(capacity_of(workers))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.run(self._analysis.close())
        self._runner.close()

    def recommend(
        self, position: State | PositionLike, time: Time | None = None, **options: Unpack[QuestionOptions]
    ) -> Recommendation:
        """Return the answer to a question. Raises AdvisorError."""
        with client_errors():
            answer = self._run(self._analysis.ask(question_of(position, time, options)))
            return recommendation(answer, options)

    @contextmanager
    def analyze(
        self,
        position: State | PositionLike,
        time: Time | None = None,
        *,
        every: Time | None = None,
        certainty: float | None = None,
        observer: int | None = None,
        **options: Unpack[QuestionOptions],
    ) -> Iterator[Iterator[Update]]:
        """Yield the tables of a question, which end with the final one. Raises AdvisorError."""
        time, options, every = apply_limits(time, options, every)
        more: dict[str, Any] = {"certainty": certainty}
        if (seconds := set_watching(AnalyzeRequest(), every, certainty, observer)) is not None:
            more["interval"] = seconds
        with client_errors(ANALYZE):
            answers = self._analysis.watch(question_of(position, time, options, observer, **more))
            try:
                yield self._updates(answers, options)
            finally:
                self._run(answers.aclose())

    def _updates(self, answers: AsyncGenerator[Answer, None], options: QuestionOptions) -> Iterator[Update]:
        while (answer := self._run(anext(answers, None))) is not None:
            yield Update(recommendation(answer, options), answer.sequence, answer.final)

    def review(self, end: State, terms: ReviewTerms, progress: Callable[[int, int], None]) -> Annotation:
        """Return the review of a game. Raises AdvisorError.

        Args:
            end: its last position, with its history.
            terms: of the review.
            progress: called with how much is done, and the total; not during a sketch.
        """
        with client_errors(ANNOTATE):
            steps, whole = review(Reviewer(self._analysis), end, terms), None
            try:
                while (step := self._run(anext(steps, None))) is not None:
                    whole = step.review
                    if not step.sketch:
                        progress(step.done, step.total)
            finally:
                self._run(steps.aclose())
        assert whole is not None  # of the last step
        return whole

    def _run(self, work: Awaitable[T]) -> T:
        async def whole() -> T:
            return await work

        try:
            return self._runner.run(whole())
        except SystemExit:  # a signal, which leaves the task as it is
            self._runner.run(cancel_others())
            raise


async def cancel_others() -> None:
    """End all other tasks of the event loop."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def capacity_of(workers: int) -> Capacity:
    """Return limits for the only user of a process: any time, all threads for one search, and a large tree."""
    return Capacity(
        workers=workers,
        max_searches=4 * max(workers, 2),  # a quarter of them for reviews, which search on every thread
        max_threads=workers,
        max_time=LONGEST_TIME,
        max_tree_bytes=MOST,
    )


def question_of(
    position: State | PositionLike,
    time: Time | None,
    options: QuestionOptions,
    observer: int | None = None,
    **more: Any,
) -> Question:
    """Return a question with the options of a client. Raises ServiceError, BadRequest."""
    request = RecommendMoveRequest()
    set_options(request, time, options)
    time, options, _ = apply_limits(time, options)
    asked = {name: getattr(request, REQUEST_FIELDS[name]) for name, value in options.items() if value is not None}
    given: dict[str, Any] = {LIMITS[name]: value for name, value in asked.items() if name in LIMITS}
    given["level"] = level_as(given.get("character", ""), given.get("level"))
    return validate_query(
        read(position),
        Limits(seconds=None if time is None else read_time(time), **given, **more),
        seat=asked.get("seat"),
        observer=observer,
        consider=request.consider_actions,
        avoid=request.avoid_actions,
    )


def read(position: State | PositionLike) -> State:
    """Return a position. Raises ServiceError, which lists everything that is wrong with it, BadRequest."""
    if isinstance(position, State):
        return position
    if not isinstance(position, str | bytes):
        position = MessageToJson(position_message(position))
    try:
        return read_position(position)
    except BadPosition as error:
        faults = [(field if field == "position" else f"position.{field}", text) for field, text in error.violations]
        raise ServiceError(Reason.BAD_POSITION, faults) from None


def recommendation(answer: Answer, options: QuestionOptions) -> Recommendation:
    """Return an answer in the form of a client, with a maximum number of lines."""
    question, result, best, most = answer.question, answer.result, answer.best, options.get("lines") or 0
    game, ahead = question.view.game, standing(answer.result.best)
    favour = favoured(game, question.view.seats)
    return Recommendation(
        **{name: getattr(result, name) for name in FIGURES},
        seat=question.seat,
        best=None if best is None else action_of(game, best.action),
        lines=tuple(line_of(answer, line) for line in result.lines[: most or None]),
        elapsed=in_nanoseconds(result.elapsed),
        waited=in_nanoseconds(answer.waited),
        certainty=0.0 if question.chance else result.certainty,
        stop_reason="unspecified" if result.stop_reason == StopReason.PAUSED else str(result.stop_reason),
        rules_revision=game.rules_revision,
        catalogue=game.catalogue,
        reason=in_one_line(result.reasons, result.reason, game),
        lead="" if ahead is None else translated_text(ahead, game),
        favour="" if favour is None else translated_text(favour, game),
        warnings=tuple(AnswerWarning(name.lower(), translated_text(remark, game)) for name, remark in answer.remarks),
        level=None if best is None else question.limits.level,
        engine_version=clerestory.__version__,
        rates=tuple(rate_of(game, rate) for rate in answer.rates),
        raw=lambda: RecommendMoveResponse.FromString(write_recommendation(answer, most)),
    )


def line_of(answer: Answer, line: SearchedLine) -> Line:
    """Return a line of an answer in the form of a client."""
    game = answer.question.view.game
    return Line(
        **{name: getattr(line, name) for name in COLUMNS},
        action=action_of(game, line.action),
        variation=tuple(action_of(game, text) for text in line.principal_variation),
        margin_error=line.margin_error if isfinite(line.margin_error) else None,
        doubtful=not answer.question.chance and is_doubtful(line, answer.result.best),
        plan=tuple(label for _, _, label in planned(game, held(game, line.principal_variation))),
    )


def rate_of(game: Game, rate: EstimatedRate) -> Rate:
    """Return an exchange rate in the form of a client."""
    figures = (rate.win_share, rate.win_share_error, rate.margin, rate.margin_error) if rate.amount else ()
    return Rate(rate.good, good_name(game, rate.good), rate.amount, *figures)


def action_of(game: Game, text: str) -> Action:
    """Return an action in the form of a client."""
    return Action(text, label_of(game, text, game.parse_action(text).label))


def in_nanoseconds(seconds: float) -> float:
    """Return a time in whole nanoseconds, as messages hold it."""
    return round(seconds * 1e9) / 1e9


@contextmanager
def client_errors(method: str = RECOMMEND) -> Iterator[None]:
    """Raise an AdvisorError for a ServiceError: the one that a client would raise, with the fields of a method."""
    try:
        yield
    except ServiceError as error:
        violations = [FieldViolation(field_of(blamed, method), text) for blamed, text in error.faults]
        kind = KINDS.get(CODES[error.reason], AdvisorError)
        raise kind(
            in_words([(one.field, one.description) for one in violations]), error.reason, violations, error.retry
        ) from None

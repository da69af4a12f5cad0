"""An advisor in this process, with the methods of a client, for commands without a server."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self, TypeVar, Unpack

from clerestory.cli.game_files import read_position
from clerestory.clients import AdvisorError, Recommendation, Update
from clerestory.clients.errors import KINDS, FieldViolation
from clerestory.clients.wire import Actions, QuestionOptions, Time, action_texts, read_answer, read_time
from clerestory.engine import State
from clerestory.engine.errors import BadPosition
from clerestory.engine.tuning import level_as
from clerestory.search.limits import LONGEST_TIME
from clerestory.search.review.annotation import Annotation
from clerestory.server.analysis import AnalysisEngine, Answer, Capacity, Question, Terms, validate_query
from clerestory.server.analysis.machine import MOST
from clerestory.server.analysis.reviewer import Reviewer
from clerestory.server.analysis.reviews import ReviewTerms, review
from clerestory.server.rpc.errors import CODES, field_of
from clerestory.server.rpc.translate_advisor import write_recommendation
from clerestory.service_errors import Reason, ServiceError

METHOD = "AdvisorService/RecommendMove"  # whose fields are named where an option is wrong
TERMS = {  # option of a question -> term of the search
    "memory": "max_tree_bytes",
    **{name: name for name in ("iterations", "seed", "level", "character", "threads", "early_stop", "game_id")},
}
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
        self, position: State | str | bytes, time: Time | None = None, **options: Unpack[QuestionOptions]
    ) -> Recommendation:
        """Return the answer to a question. Raises AdvisorError."""
        with client_errors():
            answer = self._run(self._analysis.ask(question_of(position, time, options)))
            return recommendation(answer, options)

    @contextmanager
    def analyze(
        self,
        position: State | str | bytes,
        time: Time | None = None,
        *,
        every: Time,
        certainty: float | None = None,
        observer: int | None = None,
        **options: Unpack[QuestionOptions],
    ) -> Iterator[Iterator[Update]]:
        """Yield the tables of a question, which end with the final one. Raises AdvisorError."""
        more = {"interval": read_time(every, "update_interval"), "certainty": certainty}
        with client_errors():
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
        with client_errors():
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

        return self._runner.run(whole())


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
    position: State | str | bytes, time: Time | None, options: QuestionOptions, observer: int | None = None, **more: Any
) -> Question:
    """Return a question with the options of a client. Raises ServiceError."""
    given: dict[str, Any] = {
        TERMS[name]: value for name, value in options.items() if name in TERMS and value is not None
    }
    given["level"] = level_as(given.get("character", ""), given.get("level"))
    terms = Terms(seconds=None if time is None else read_time(time), **given, **more)
    consider, avoid = texts(options.get("consider")), texts(options.get("avoid"))
    return validate_query(
        read(position), terms, seat=options.get("seat"), observer=observer, consider=consider, avoid=avoid
    )


def texts(actions: Actions | None) -> list[str]:
    """Return the texts of actions, none for None."""
    return [] if actions is None else action_texts(actions)


def read(position: State | str | bytes) -> State:
    """Return a position. Raises ServiceError, which lists everything that is wrong with it."""
    if isinstance(position, State):
        return position
    try:
        return read_position(position)
    except BadPosition as error:
        faults = [(field if field == "position" else f"position.{field}", text) for field, text in error.violations]
        raise ServiceError(Reason.BAD_POSITION, faults) from None


def recommendation(answer: Answer, options: QuestionOptions) -> Recommendation:
    """Return an answer in the form of a client, with a maximum number of lines."""
    return read_answer(write_recommendation(answer, options.get("lines") or 0))


@contextmanager
def client_errors() -> Iterator[None]:
    """Raise an AdvisorError for a ServiceError: the one that a client would raise."""
    try:
        yield
    except ServiceError as error:
        violations = [FieldViolation(field_of(blamed, METHOD), text) for blamed, text in error.faults]
        kind = KINDS.get(CODES[error.reason], AdvisorError)
        raise kind(str(error), error.reason, violations, error.retry) from None

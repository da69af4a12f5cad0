"""The handlers of AdvisorService."""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Callable, Hashable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from math import floor
from typing import Any

import grpc

from clerestory.search.ismcts import MIN_BYTES, Searcher
from clerestory.search.levels import choose_line, level_of
from clerestory.search.options import shipped
from clerestory.search.result import Result, StopReason
from clerestory.server.allowance import EXPLAINED_FROM, Allowance, Asked, Cut, allow
from clerestory.server.callers import Caller, Callers
from clerestory.server.config import Settings
from clerestory.server.errors import CallError, Reason
from clerestory.server.lead import Lead
from clerestory.server.memory import Memory, Warm
from clerestory.server.metrics import Metrics, Searched
from clerestory.server.policy import TOGETHER, Priority
from clerestory.server.scheduler import Job, Limits, Scheduler
from clerestory.server.translate import Question, read_analysis, read_question, write_answer, write_statistics
from clerestory.v1 import advisor_pb2 as api
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceServicer

SEED_BITS = 53  # of a drawn seed: every reader of JSON keeps it
EXPLAINED_LINES, EXPLAINED_WORLDS, EXPLAINED_PLIES = 5, 50, 5000  # two thousandths of a second, all in all
TABLE = 0.003  # seconds of the event loop that a stream has for each of its tables: many streams have fewer tables
CROWD = 6  # searches a worker, above which explanations would make answers late
FEW_A_LINE = 10  # iterations, below which lines are hard to tell apart
METHODS = {Priority.MOVE: "RecommendMove", Priority.HINT: "Analyze", Priority.BACKGROUND: "Analyze"}
LEAST_KEPT = 8  # trees that can be kept, whatever they have grown to
LOOK = 0.25  # seconds between two looks at the certainty of an analysis, at most

Context = grpc.aio.ServicerContext[Any, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """A call that there was a place for when it arrived.

    Attributes:
        caller: whose it is.
        priority: of its search.
        arrived: a reading of time.monotonic.
        remaining: seconds from then to its deadline; None for a call without one.
    """

    caller: Caller
    priority: Priority
    arrived: float
    remaining: float | None


@dataclass(frozen=True, slots=True)
class Consultation:
    """A question under way, and all that its answers are made of."""

    method: str
    question: Question
    allowance: Allowance
    searcher: Searcher
    job: Job


class Advisor(AdvisorServiceServicer):
    """AdvisorService over a scheduler."""

    def __init__(self, scheduler: Scheduler, settings: Settings, metrics: Metrics, callers: Callers) -> None:
        self._scheduler = scheduler
        self._callers = callers
        self._memory = Memory(settings.memory, TOGETHER * settings.max_searches)
        self._warm = Warm(settings.warm_bytes)
        self._streams = 0
        self._settings = settings
        self._metrics = metrics
        self._lead = Lead()

    async def RecommendMove(  # noqa: N802  # its name in proto/
        self, request: api.RecommendMoveRequest, context: Context
    ) -> api.RecommendMoveResponse:
        """Search until the effective deadline, and answer with what there is. Raises CallError."""
        return await self.recommend(request, self._callers.of(context), context.time_remaining())

    async def recommend(
        self, request: api.RecommendMoveRequest, caller: Caller, remaining: float | None = None
    ) -> api.RecommendMoveResponse:
        """Do as RecommendMove, for a caller in this process as well; cancelled, it frees its worker. Raises CallError.

        Args:
            request: the question.
            caller: whose it is; what runs searches for many has one caller for each, such as `Caller("game", "x7")`.
            remaining: seconds to the deadline of the call; None for no deadline.
        """
        call = self._let_in(caller, Priority.MOVE, remaining)
        question = read_question(request)
        early = question.early_stop is not False
        async with self._consult(question, call, early=early) as consultation:
            return await self._conclude(consultation)

    async def Analyze(  # type: ignore[override]  # noqa: N802  # grpc.aio takes a coroutine that writes as well
        self, request: api.AnalyzeRequest, context: Context
    ) -> None:
        """Stream tables, and count among the streams meanwhile. Raises CallError."""
        self._streams += 1
        try:
            await self._analyze(request, context)
        finally:
            self._streams -= 1

    async def _analyze(self, request: api.AnalyzeRequest, context: Context) -> None:
        """Write a table on every tick of a timer that finds the stream free, and the final one. Raises CallError."""
        priority = Priority.BACKGROUND if request.background else Priority.HINT
        call = self._let_in(self._callers.of(context), priority, context.time_remaining())
        analysis = read_analysis(request)
        question, interval = analysis.question, analysis.interval
        early = question.early_stop is True
        async with self._consult(question, call, early=early) as consultation:
            job, arrived, sequence, pace = consultation.job, call.arrived, 0, call.arrived
            while not await ended_within(job, max(next_look(arrived, interval), pace)):
                pace = time.monotonic() + TABLE * self._streams
                explain = self._explainer(consultation.searcher, interval >= EXPLAINED_FROM)
                result = await self._scheduler.glance(job, explain)
                if result is None:
                    continue
                if analysis.certainty is not None and result.certainty >= analysis.certainty:
                    self._scheduler.end(job, StopReason.CERTAIN)
                elif (ticks := floor((time.monotonic() - arrived) / interval)) > sequence:
                    sequence = ticks
                    answer = write_recommendation(consultation, result)
                    await context.write(api.AnalyzeResponse(recommendation=answer, sequence=sequence))
            answer = await self._conclude(consultation)
            last = 1 + max(sequence, floor((job.ended_at - arrived) / interval))  # what a slow reader missed counts
            await context.write(api.AnalyzeResponse(recommendation=answer, sequence=last, final=True))

    def _let_in(self, caller: Caller, priority: Priority, remaining: float | None) -> Call:
        """Turn a call away at once, before its question is read, if there is no place for it. Raises CallError."""
        call = Call(caller, priority, time.monotonic(), remaining)
        self._scheduler.require_place(caller, priority)
        return call

    @asynccontextmanager
    async def _consult(self, question: Question, call: Call, *, early: bool) -> AsyncIterator[Consultation]:
        """Have a question searched; when the block ends, for whatever reason, so does the search."""
        allowance = self._allow(question, call)
        limits = self._limits(question, allowance, call.arrived, early=early)
        with self._tree(question, call.caller, allowance) as searcher:
            job = self._scheduler.submit(
                searcher,
                limits,
                caller=call.caller,
                kind=question.kind,
                arrived=call.arrived,
                trees=allowance.threads,
                priority=call.priority,
            )
            try:
                yield Consultation(METHODS[call.priority], question, allowance, searcher, job)
            finally:
                self._scheduler.drop(job)

    @contextmanager
    def _tree(self, question: Question, caller: Caller, allowance: Allowance) -> Iterator[Searcher]:
        """Lend a search its memory, with the tree of its game's last question if one is kept; keep it for the next.

        No caller gets the tree of another: what it was searched for would show.
        """
        key = None if question.tree_key is None else (caller, question.tree_key)
        searcher, size = self._warm_tree(key, question) or self._new_tree(question, allowance)
        sound = False
        try:
            yield searcher
            sound = True
        except (CallError, asyncio.CancelledError, GeneratorExit):
            sound = True
            raise
        finally:
            self._memory.give_back(size)
            if sound and key is not None:
                self._warm.keep(key, searcher, size)

    def _warm_tree(self, key: Hashable | None, question: Question) -> tuple[Searcher, int] | None:
        """Return what is kept for a question, with its bytes, moved to its position."""
        found = None if key is None else self._warm.take(key)
        if found is None:
            return None
        searcher, size = found
        try:
            searcher.advance(question.root)
        except (ValueError, RuntimeError):  # not of this game any more, or a thread is about to leave it
            return None
        self._memory.occupy(size)
        return searcher, size

    def _new_tree(self, question: Question, allowance: Allowance) -> tuple[Searcher, int]:
        """Return a search of nothing yet, with its bytes. Raises CallError: BUSY without memory, HIDDEN_FROM_SEAT."""
        most = allowance.tree_bytes * allowance.threads
        if question.tree_key is not None:
            most = min(most, max(self._settings.warm_bytes // LEAST_KEPT, MIN_BYTES))
        size = self._memory.take(most)
        try:
            return make_searcher(question, allowance, size // allowance.threads), size
        except CallError:
            self._memory.give_back(size)
            raise

    def _allow(self, question: Question, call: Call) -> Allowance:
        asked = Asked(question.seconds, call.remaining, question.threads, question.max_tree_bytes)
        return allow(asked, self._settings)

    def _limits(self, question: Question, allowance: Allowance, arrived: float, *, early: bool) -> Limits:
        iterations = question.iterations
        if question.level is not None:
            most = level_of(question.level).iterations
            iterations = min(most, iterations or most)
        return Limits(
            deadline=arrived + allowance.seconds - self._lead.of(allowance.seconds, explained=allowance.explained),
            iterations=iterations,
            early=early and allowance.threads == 1 and question.level is None and not question.chance,
        )

    async def _conclude(self, consultation: Consultation) -> api.RecommendMoveResponse:
        """Return the final answer, and learn how long it takes to make one."""
        asked = time.monotonic()  # after the end of the search where a slow reader took his time for the tables
        explain = self._explainer(consultation.searcher, consultation.allowance.explained)
        result = await self._scheduler.result(consultation.job, explain)
        answer = write_recommendation(consultation, result)
        self._metrics.count_search(searched(consultation, answer))
        took = time.monotonic() - max(consultation.job.due, asked)
        self._lead.learn(took, explained=explain is not None)
        return answer

    def _explainer(self, searcher: Searcher, wanted: bool) -> Callable[[Result], Result] | None:
        """Return what is to be done to a result before it is sent; None for nothing, as in a crowd."""
        if not wanted or self._scheduler.admitted > CROWD * self._scheduler.workers:
            return None
        return partial(explain, searcher)


def explain(searcher: Searcher, result: Result) -> Result:
    """Return the result with its first lines explained, as far as the time of an answer goes."""
    return searcher.explain(result, lines=EXPLAINED_LINES, worlds=EXPLAINED_WORLDS, plies=EXPLAINED_PLIES)


def searched(consultation: Consultation, answer: api.RecommendMoveResponse) -> Searched:
    """Return what metrics are to know of a search whose answer is ready."""
    job, statistics = consultation.job, answer.statistics
    return Searched(
        method=consultation.method,
        waited=statistics.waited.ToNanoseconds() / 1e9,
        asked=consultation.question.seconds,
        allowed=consultation.allowance.seconds,
        used=time.monotonic() - job.arrived,
        iterations=statistics.iterations,
        ended=api.StopReason.Name(statistics.stop_reason).removeprefix("STOP_REASON_").lower(),
        warnings=tuple(
            api.WarningReason.Name(warning.reason).removeprefix("WARNING_REASON_") for warning in answer.warnings
        ),
    )


async def ended_within(job: Job, moment: float) -> bool:
    """Wait for the end of a search, until a reading of the clock at most; say whether it has come."""
    try:
        async with asyncio.timeout_at(moment):
            await job.done.wait()
    except TimeoutError:
        return False
    return True


def next_look(began: float, interval: float) -> float:
    """Return the reading of the clock at the next tick, or earlier where ticks are far apart."""
    now = time.monotonic()
    return min(now + LOOK, began + interval * (floor((now - began) / interval) + 1))


def make_searcher(question: Question, allowance: Allowance, tree_bytes: int) -> Searcher:
    """Return the search for a question. Raises CallError, BUSY, without memory."""
    seed = secrets.randbits(SEED_BITS) if question.seed is None else question.seed
    try:
        return Searcher(
            question.root,
            seed=seed,
            max_bytes=max(tree_bytes, MIN_BYTES),
            threads=allowance.threads,
            **shipped(question.view.seats),
        )
    except MemoryError:
        raise CallError(Reason.BUSY, [("", "there is no memory for another tree")], retry=1.0) from None


def write_recommendation(consultation: Consultation, result: Result) -> api.RecommendMoveResponse:
    """Return a table as a message, whether final or not."""
    question, job = consultation.question, consultation.job
    play = result.best
    if question.level is not None:
        play = choose_line(result.lines, level_of(question.level), result.seed)
    return write_answer(
        question,
        result,
        None if question.chance else play,
        statistics=write_statistics(
            result,
            certainty=0.0 if question.chance else result.certainty,
            waited=(job.began or job.arrived) - job.arrived,
        ),
        warnings=write_warnings((*consultation.allowance.cuts, *remarks(result, finishing=job.finishing))),
        reproducible=not result.reused_iterations
        and (result.threads == 1 or result.stop_reason == StopReason.ITERATIONS),
    )


def remarks(result: Result, *, finishing: bool) -> list[Cut]:
    """Return what there is to say about a search."""
    found: list[Cut] = []
    if result.memory_full:
        found.append(("MEMORY_FULL", f"The tree was full at {result.tree_bytes} bytes, and could not grow any more."))
    if result.iterations < FEW_A_LINE * len(result.lines):
        text = f"{result.iterations} iterations are few to tell {len(result.lines)} lines apart."
        found.append(("FEW_ITERATIONS", text))
    if finishing:
        found.append(("FINISHING", "The server is finishing, and the search ended before its limits."))
    return found


def write_warnings(warnings: tuple[Cut, ...]) -> list[api.Warning]:
    """Return warnings as messages."""
    return [
        api.Warning(reason=api.WarningReason.Value(f"WARNING_REASON_{name}"), description=text)
        for name, text in warnings
    ]

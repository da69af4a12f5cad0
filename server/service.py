"""The handlers of AdvisorService."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from math import floor
from typing import Any

import grpc
from structlog.contextvars import bind_contextvars

from clerestory.advice.allowance import EXPLAINED_FROM, Allowance, Cut, allow
from clerestory.advice.demand import Priority
from clerestory.advice.lead import Lead
from clerestory.advice.memory import Trees
from clerestory.advice.scheduler import Job, Scheduler
from clerestory.search.ismcts import Searcher
from clerestory.search.result import Result, StopReason
from clerestory.server.callers import Caller, Callers
from clerestory.server.config import Settings
from clerestory.server.metrics import Metrics
from clerestory.server.translate import AnalysisQuestion, Question, read_analysis, read_question
from clerestory.server.translate_answers import remarks, write_recommendation
from clerestory.v1 import advisor_pb2 as api
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceServicer

EXPLAINED_LINES, EXPLAINED_WORLDS, EXPLAINED_PLIES = 5, 50, 5000  # about two thousandths of a second in all
TABLE = 0.003  # seconds of the event loop for each table of a stream: the more streams, the fewer tables
CROWD = 6  # searches a worker, above which explanations would make answers late
LOOK = 0.25  # seconds between two checks of the certainty of an analysis, at most

PATH = "/clerestory.v1.AdvisorService/"

Context = grpc.aio.ServicerContext[Any, Any]


@dataclass(frozen=True, slots=True)
class AdmittedCall:
    """A call for which there was room when it arrived.

    Attributes:
        method: of the service.
        caller: whose it is.
        priority: of its search.
        arrived: a reading of time.monotonic.
        remaining: seconds from then to its deadline; None for a call without one.
    """

    method: str
    caller: Caller
    priority: Priority
    arrived: float
    remaining: float | None


@dataclass(frozen=True, slots=True)
class Consultation:
    """A request that is being searched, with everything needed to make its answers."""

    method: str
    question: Question
    allowance: Allowance
    searcher: Searcher
    job: Job

    def warnings(self, result: Result) -> tuple[Cut, ...]:
        """The warnings for the caller about an answer."""
        return *self.allowance.cuts, *remarks(result, finishing=self.job.finishing)


class AdvisorHandlers(AdvisorServiceServicer):
    """AdvisorService over a scheduler."""

    def __init__(self, scheduler: Scheduler, settings: Settings, metrics: Metrics, callers: Callers) -> None:
        self._scheduler = scheduler
        self._callers = callers
        self._trees = Trees(settings)
        self._streams = 0
        self._settings = settings
        self._metrics = metrics
        self._lead = Lead()

    @property
    def trees(self) -> Trees:
        """Where searches get their memory."""
        return self._trees

    @property
    def places(self) -> Mapping[str, Callable[[Context], None]]:
        """What refuses a call of a method, by its path, before its message is read: there is no place for a search."""
        priorities = {"RecommendMove": Priority.MOVE, "Analyze": Priority.HINT}
        return {f"{PATH}{name}": partial(self._require_place, priority) for name, priority in priorities.items()}

    def _require_place(self, priority: Priority, context: Context) -> None:
        caller = self._callers.player_of(context)
        bind_contextvars(caller=caller.label)  # for the log line of the call
        self._scheduler.require_place(caller, priority)

    async def RecommendMove(  # noqa: N802  # its name in proto/
        self, request: api.RecommendMoveRequest, context: Context
    ) -> api.RecommendMoveResponse:
        """Search until the effective deadline, and answer with what was found. Raises Refusal."""
        return await self.recommend(request, self._callers.player_of(context), context.time_remaining())

    async def recommend(
        self,
        request: api.RecommendMoveRequest,
        caller: Caller,
        remaining: float | None = None,
        *,
        priority: Priority = Priority.MOVE,
    ) -> api.RecommendMoveResponse:
        """Do what RecommendMove does, also for callers in this process. Cancelling frees the worker. Raises Refusal.

        Args:
            request: the question.
            caller: whose it is.
            remaining: seconds to the deadline of the call; None for no deadline.
            priority: of the search.
        """
        call = self._admit("RecommendMove", caller, priority, remaining)
        question = read_question(request)
        early = question.early_stop is not False
        async with self._consult(question, call, early=early) as consultation:
            return await self._conclude(consultation)

    async def wait_for_place(self, caller: Caller, priority: Priority) -> None:
        """Wait as `Scheduler.wait_for_place` does: `recommend`, called at once, then has the place."""
        await self._scheduler.wait_for_place(caller, priority)

    async def Analyze(  # type: ignore[override]  # noqa: N802  # grpc.aio takes a coroutine that writes as well
        self, request: api.AnalyzeRequest, context: Context
    ) -> None:
        """Stream tables until the search ends, then the final one. Raises Refusal."""
        self._streams += 1
        try:
            priority = Priority.BACKGROUND if request.background else Priority.HINT
            call = self._admit("Analyze", self._callers.player_of(context), priority, context.time_remaining())
            analysis = read_analysis(request)
            early = analysis.question.early_stop is True
            async with self._consult(analysis.question, call, early=early) as consultation:
                sequence = await self._stream(consultation, analysis, context)
                answer = await self._conclude(consultation)
                await context.write(api.AnalyzeResponse(recommendation=answer, sequence=sequence, final=True))
        finally:
            self._streams -= 1

    async def _stream(self, consultation: Consultation, analysis: AnalysisQuestion, context: Context) -> int:
        """Write a table at every tick unless the last one is still being sent; return the number of the final table."""
        job, interval, sequence = consultation.job, analysis.interval, 0
        arrived = pace = consultation.allowance.budget.arrived
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
                answer = self._answer(consultation, result)
                await context.write(api.AnalyzeResponse(recommendation=answer, sequence=sequence))
        return 1 + max(
            sequence, floor((job.ended_at - arrived) / interval)
        )  # with the tables that a slow reader missed

    def _admit(self, method: str, caller: Caller, priority: Priority, remaining: float | None) -> AdmittedCall:
        """Refuse a call, before its question is read, if there is no room for it. Raises Refusal."""
        bind_contextvars(caller=caller.label)  # for the log line of the call
        call = AdmittedCall(method, caller, priority, time.monotonic(), remaining)
        self._scheduler.require_place(caller, priority)
        return call

    @asynccontextmanager
    async def _consult(self, question: Question, call: AdmittedCall, *, early: bool) -> AsyncIterator[Consultation]:
        """Search a request during the block; the search ends with it, however it ends."""
        allowance = allow(question, self._settings, self._lead, call.arrived, call.remaining, early=early)
        with self._trees.lend(question, call.caller, allowance) as searcher:
            job = self._scheduler.submit(
                searcher, allowance, caller=call.caller, kind=question.kind, priority=call.priority
            )
            try:
                yield Consultation(call.method, question, allowance, searcher, job)
            finally:
                self._scheduler.drop(job)

    async def _conclude(self, consultation: Consultation) -> api.RecommendMoveResponse:
        """Return the final answer, and learn how long it takes to make one."""
        job, budget = consultation.job, consultation.allowance.budget
        asked = time.monotonic()  # later than the end of the search if the reader of the tables was slow
        explain = self._explainer(consultation.searcher, budget.explained)
        result = await self._scheduler.result(job, explain)
        answer = self._answer(consultation, result)
        warnings = [name for name, _ in consultation.warnings(result)]
        self._metrics.count_search(consultation.method, result, budget, waited=job.waited, warnings=warnings)
        self._lead.learn(time.monotonic() - max(job.due, asked), explained=explain is not None)
        return answer

    def _answer(self, consultation: Consultation, result: Result) -> api.RecommendMoveResponse:
        """Return a result as a message, whether final or not."""
        waited, warnings = consultation.job.waited, consultation.warnings(result)
        return write_recommendation(consultation.question, result, waited=waited, warnings=warnings)

    def _explainer(self, searcher: Searcher, wanted: bool) -> Callable[[Result], Result] | None:
        """Return a function that explains a result before it is sent; None if not requested, or on a crowded server."""
        if not wanted or self._scheduler.admitted > CROWD * self._scheduler.workers:
            return None
        return partial(explain, searcher)


def explain(searcher: Searcher, result: Result) -> Result:
    """Return the result with its first lines explained, as far as the time of an answer allows."""
    return searcher.explain(result, lines=EXPLAINED_LINES, worlds=EXPLAINED_WORLDS, plies=EXPLAINED_PLIES)


async def ended_within(job: Job, moment: float) -> bool:
    """Wait for a search to end, until a reading of the clock at most; return whether it has ended."""
    try:
        async with asyncio.timeout_at(moment):
            await job.done.wait()
    except TimeoutError:
        return False
    return True


def next_look(began: float, interval: float) -> float:
    """Return the reading of the clock at the next tick, or sooner if ticks are far apart."""
    now = time.monotonic()
    return min(now + LOOK, began + interval * (floor((now - began) / interval) + 1))

"""The analysis engine: answers queries about positions, once or as a stream, with searches on a worker pool."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from math import floor
from typing import Any, Self

from clerestory.engine.core import State
from clerestory.search.ismcts import Searcher
from clerestory.search.reasons import worded
from clerestory.search.result import Result, StopReason
from clerestory.server.analysis.allowance import EXPLAINED_FROM, Allowance, MoveOverhead, TimeBudget, allow
from clerestory.server.analysis.answer import Answer, remarks_on
from clerestory.server.analysis.background import refuse_finishing
from clerestory.server.analysis.backlog import Ticket
from clerestory.server.analysis.caller import HERE, Caller
from clerestory.server.analysis.capacity import Capacity
from clerestory.server.analysis.demand import Priority
from clerestory.server.analysis.job import Job
from clerestory.server.analysis.lazy import LazySearcher
from clerestory.server.analysis.memory import Trees
from clerestory.server.analysis.question import Question
from clerestory.server.analysis.reader import AnswerReader, ended_within, next_look
from clerestory.server.analysis.scheduler import Scheduler
from clerestory.service_errors import Reason, ServiceError, raise_error
from clerestory.turns import Turns

EXPLAINED_LINES, EXPLAINED_WORLDS, EXPLAINED_PLIES = 5, 50, 5000  # about two milliseconds in all
TABLE = 0.003  # seconds of the event loop per table of a stream: the more streams, the fewer tables each
CROWD = 6  # searches per worker above which explanations would delay answers
TURN = 10.0  # seconds after which a search with a fixed number of iterations gives up its slot
LONGEST_PAUSE = 0.25  # seconds until a rejected background search is tried again


@dataclass(frozen=True, slots=True)
class Admission:
    """A slot for a query.

    Attributes:
        caller: the caller.
        priority: priority of the search.
        arrived: when the query arrived, by time.monotonic.
        remaining: seconds from then to the call's deadline; None for no deadline.
        asker: the source of the query, for metrics: the name of a call, or `Bot`; "" for a program in this process.
        ticket: the ticket of a background search; None for a search that fails if there is no slot.
        explained: whether somebody reads the answer, so that it gets reasons if there is time.
    """

    caller: Caller
    priority: Priority
    arrived: float
    remaining: float | None
    asker: str = ""
    ticket: Ticket | None = None
    explained: bool = True


@dataclass(slots=True)
class ActiveSearch:
    """The active search of a query, with everything needed to build its answers.

    Attributes:
        sequence: number of the last answer; 0 before the first.
        pace: time before which no further answer is built, by time.monotonic.
    """

    question: Question
    allowance: Allowance
    searcher: LazySearcher
    job: Job
    asker: str = ""
    sequence: int = 0
    pace: float = 0.0

    @property
    def ticks(self) -> int:
        """The number of intervals from the arrival of the query until now, or until its search ended."""
        now = time.monotonic() if self.job.ended is None else self.job.ended_at
        return floor((now - self.allowance.budget.arrived) / self.question.terms.interval)

    def answer(self, result: Result, *, final: bool = False, **timing: Any) -> Answer:
        """Build the answer for a result."""
        return Answer(
            question=self.question,
            result=result,
            remarks=(*self.allowance.cuts, *remarks_on(result, finishing=self.job.finishing)),
            budget=self.allowance.budget,
            waited=self.job.waited,
            asker=self.asker,
            sequence=self.sequence,
            final=final,
            **timing,
        )


class AnalysisEngine:
    """Answers queries about positions, with its own worker threads. It belongs to one event loop.

    `async with` closes it on exit. Cancelling a query, or closing a stream, immediately frees its resources.

    Args:
        capacity: limits of the searches.
        answered: called with each final answer, except those of queries with `whole`.
    """

    def __init__(self, capacity: Capacity | None = None, answered: Callable[[Answer], None] = lambda _: None) -> None:
        self._capacity = capacity = capacity or Capacity()
        self.scheduler = Scheduler(capacity.workers, capacity.max_searches, capacity.min_iterations)
        self._trees = Trees(capacity, self._discard_later)
        self._lead = MoveOverhead()
        self._turns = Turns()  # of background searches to begin and to end: each takes the event loop a millisecond
        self._answered = answered
        self._watched = 0  # streamed queries

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def workers(self) -> int:
        """The number of search threads."""
        return self.scheduler.workers

    # -- admission ---------------------------------------------------------------------------------

    def admit(
        self,
        caller: Caller = HERE,
        priority: Priority = Priority.MOVE,
        remaining: float | None = None,
        asker: str = "",
    ) -> Admission:
        """Return a slot for a query, before any work is done for it. Raises ServiceError: BUSY, FINISHING.

        Args:
            caller: the caller.
            priority: priority of the search.
            remaining: seconds to the call's deadline; None for no deadline.
            asker: the source of the query, for metrics.
        """
        admission = Admission(caller, priority, time.monotonic(), remaining, asker)
        self.scheduler.require_place(caller, priority)
        return admission

    @asynccontextmanager
    async def place(
        self, caller: Caller, priority: Priority, seconds: float, asker: str = ""
    ) -> AsyncIterator[Callable[[], tuple[Admission, float]]]:
        """Wait for a background slot; yield a function that returns an admission and its time in seconds.

        Such a query waits instead of failing with BUSY. Its search may be interrupted and resumed. With
        Priority.BACKGROUND it also waits for an idle worker. Its answer has no reasons: nobody reads it.

        Args:
            caller: the caller.
            priority: priority of the search.
            seconds: time for waiting and searching.
            asker: the source of the query, for metrics.

        Raises ServiceError: FINISHING.
        """
        late, deadline = priority == Priority.BACKGROUND, time.monotonic() + seconds
        async with self.scheduler.place(caller, priority, deadline, needs_idle=late) as ticket:

            def admitted() -> tuple[Admission, float]:
                admission = Admission(caller, priority, time.monotonic(), None, asker, ticket, explained=False)
                return admission, min(self.scheduler.seconds(ticket), seconds)

            await self._turn_of(caller)
            yield admitted

    async def _turn_of(self, caller: Caller) -> None:
        """Wait until a background search of a caller may begin or end; other calls get a turn in between."""
        async with self._turns.taken(caller.origin):
            pass

    # -- queries -----------------------------------------------------------------------------------

    async def ask(self, question: Question, admission: Admission | None = None) -> Answer:
        """Return the answer to a query.

        Args:
            question: the query, as created by `validate_query`.
            admission: as returned by `admit`; None for a query of this process.

        Raises ServiceError: BUSY, FINISHING, OUT_OF_TIME.
        """
        if question.whole:
            return await self._answer_whole(question, HERE if admission is None else admission.caller)
        admission, early = admission or self.admit(), question.terms.early_stop is not False
        async with self._consult(question, admission, early=early) as consultation:
            if admission.ticket is not None:
                await consultation.job.done.wait()
                await self._turn_of(admission.caller)
            return await self._conclude(consultation, explained=admission.explained)

    async def watch(self, question: Question, admission: Admission | None = None) -> AsyncGenerator[Answer, None]:
        """Yield answers to a query every `Terms.interval` seconds during its search, and then the final one.

        A slow reader gets only the latest answer. The search ends on time and releases its tree, whatever the reader
        does. Arguments and errors are those of `ask`.
        """
        reader = AnswerReader()
        searching = asyncio.create_task(self._search(question, admission or self.admit(priority=Priority.HINT), reader))
        searching.add_done_callback(lambda _: reader.answers.put_nowait(None))
        self._watched += 1
        try:
            while (answer := await reader.next()) is not None:
                yield answer
            final = await searching
        finally:
            self._watched -= 1
            searching.cancel()
            await asyncio.gather(searching, return_exceptions=True)
        yield replace(final, due=max(final.due, reader.came))

    async def _search(self, question: Question, admission: Admission, reader: AnswerReader) -> Answer:
        """Run the search of a query, building an answer whenever the reader waits for one; return the final answer."""
        early = question.terms.early_stop is True
        async with self._consult(question, admission, early=early) as consultation:
            done = consultation.job.done
            while await reader.wants(done) and (result := await self._glance(consultation)) is not None:
                reader.give(consultation.answer(result))
            consultation.sequence = 1 + max(consultation.sequence, consultation.ticks)  # includes skipped answers
            return await self._conclude(consultation)

    async def _glance(self, consultation: ActiveSearch) -> Result | None:
        """Return the result at the next tick; None once the search has ended."""
        job, terms, arrived = consultation.job, consultation.question.terms, consultation.allowance.budget.arrived
        while not await ended_within(job, max(next_look(arrived, terms.interval), consultation.pace)):
            consultation.pace = time.monotonic() + self._table_time
            due = consultation.ticks > consultation.sequence
            if not due and terms.certainty is None:
                continue
            explainer = self._explainer(consultation, due and terms.interval >= EXPLAINED_FROM)
            result = await self.scheduler.glance(job, explainer)
            if result is None:
                continue
            if terms.certainty is not None and result.certainty >= terms.certainty:
                self.scheduler.end(job, StopReason.CERTAIN)
            elif due:
                consultation.sequence = consultation.ticks
                return result
        return None

    @property
    def _table_time(self) -> float:
        """Seconds between two tables of a stream. Streams whose search has ended do not count."""
        return TABLE * min(self._watched, self.scheduler.admitted)

    @asynccontextmanager
    async def _consult(self, question: Question, admission: Admission, *, early: bool) -> AsyncIterator[ActiveSearch]:
        """Search a query during the block; the search ends with the block."""
        arrived, remaining = admission.arrived, admission.remaining
        allowance = allow(question, self._capacity, self._lead, arrived, remaining, early=early)
        async with AsyncExitStack() as placed:
            if admission.priority == Priority.BACKGROUND and admission.ticket is None:
                ticket = await self._place_in_time(placed, admission, allowance.budget.deadline)
                admission = replace(admission, ticket=ticket)
            async with self._searching(question, admission, allowance) as consultation:
                yield consultation

    async def _place_in_time(self, placed: AsyncExitStack, admission: Admission, deadline: float) -> Ticket:
        """Return a background slot. Raises ServiceError: FINISHING, or BUSY if none is free before the deadline."""
        try:
            async with asyncio.timeout_at(deadline):
                place = self.scheduler.place(admission.caller, admission.priority, deadline)
                return await placed.enter_async_context(place)
        except TimeoutError:
            waiting = self.scheduler.waiting
            refusal = f"no worker was free in time: {waiting} searches wait"
            raise ServiceError(Reason.BUSY, [("", refusal)], retry=1.0) from None

    @asynccontextmanager
    async def _searching(
        self, question: Question, admission: Admission, allowance: Allowance
    ) -> AsyncIterator[ActiveSearch]:
        """Search during the block. Raises ServiceError: BUSY."""
        with self._trees.lend(question, admission.caller, allowance) as searcher:
            job = self._submit(question, searcher, allowance, admission)
            try:
                yield ActiveSearch(question, allowance, searcher, job, admission.asker)
            finally:
                self.scheduler.drop(job)

    def _submit(self, question: Question, searcher: LazySearcher, allowance: Allowance, admission: Admission) -> Job:
        """Submit the search of an admitted query. Raises ServiceError: BUSY."""
        return self.scheduler.submit(
            searcher,
            allowance,
            caller=admission.caller,
            kind=question.kind,
            priority=admission.priority,
            ticket=admission.ticket,
        )

    async def _conclude(self, consultation: ActiveSearch, *, explained: bool = True) -> Answer:
        """Return the final answer, explained if it is wanted and there is time."""
        asked = time.monotonic()
        explainer = self._explainer(consultation, explained and consultation.allowance.budget.explained)
        result = await self.scheduler.result(consultation.job, explainer)
        due, explained = max(consultation.job.due, asked), explainer is not None
        answer = consultation.answer(result, final=True, due=due, explained=explained)
        self._answered(answer)
        return answer

    def delivered(self, answer: Answer) -> None:
        """Record how long it took to build a final answer that is about to be sent."""
        self._lead.learn(time.monotonic() - answer.due, explained=answer.explained)

    def _explainer(self, consultation: ActiveSearch, wanted: bool) -> Callable[[Result], Result] | None:
        """Return a function that explains a result; None if explanations are unwanted or the server is overloaded."""
        if not wanted or self.scheduler.admitted > CROWD * self.workers:
            return None
        return partial(with_searcher, partial(explain, consultation.question.view), consultation.searcher)

    # -- queries that run all their iterations ---------------------------------------------------------

    async def _answer_whole(self, question: Question, caller: Caller) -> Answer:
        """Run all iterations of a query, at the lowest priority; it waits for a slot instead of failing."""
        if question.terms.iterations is None:
            raise_error(Reason.BAD_ITERATIONS, "iterations", "is required for an answer after all iterations")
        async with self._trees.open(question, caller) as searcher:
            while True:
                answer = await self._turn(question, searcher, caller)
                if answer is not None and is_whole(question, answer.result):
                    return answer

    async def _turn(self, question: Question, searcher: LazySearcher, caller: Caller) -> Answer | None:
        """Continue a search for a limited time; return None if it got no slot. Raises ServiceError: FINISHING."""
        async with self.scheduler.place(caller, Priority.BACKGROUND, time.monotonic() + TURN) as ticket:
            admission = Admission(caller, Priority.BACKGROUND, time.monotonic(), None, ticket=ticket)
            allowance = a_turn(question, searcher, admission.arrived)
            try:
                job = self._submit(question, searcher, allowance, admission)
            except ServiceError as refusal:
                await wait_for_room(refusal)
                return None
            return await self._conclude_turn(question, searcher, job, allowance)

    async def _conclude_turn(
        self, question: Question, searcher: LazySearcher, job: Job, allowance: Allowance
    ) -> Answer:
        """Return the result at the end of a turn. Raises ServiceError: FINISHING."""
        try:
            made = question.explain or partial(explain, question.view)
            result = await self.scheduler.result(job, partial(with_searcher, made, searcher))
        finally:
            self.scheduler.drop(job)
        if job.finishing:
            refuse_finishing()
        return ActiveSearch(question, allowance, searcher, job).answer(result, final=True)

    def _discard_later(self, searcher: Searcher) -> None:
        """Free a tree after the answer has been sent."""
        asyncio.get_running_loop().call_soon(self.scheduler.discard, searcher)

    # -- shutdown --------------------------------------------------------------------------------------

    def finish(self) -> None:
        """End every search with its result so far, and reject new queries."""
        self.scheduler.finish()

    async def close(self) -> None:
        """Finish, and wait for the threads to exit."""
        await self.scheduler.close()


async def wait_for_room(refusal: ServiceError) -> None:
    """Wait until a rejected background search may be retried. Re-raise the error unless it is BUSY."""
    if refusal.reason != Reason.BUSY:
        raise refusal
    await asyncio.sleep(min(refusal.retry or LONGEST_PAUSE, LONGEST_PAUSE))


def a_turn(question: Question, searcher: LazySearcher, arrived: float) -> Allowance:
    """Return the limits of one turn of a search that runs all its iterations."""
    assert question.terms.iterations is not None
    left = question.terms.iterations - searcher.iterations
    return Allowance(TimeBudget(arrived, None, TURN), left, early=False, threads=1)


def is_whole(question: Question, result: Result) -> bool:
    """Return whether a search has run all its iterations, or as many as its tree can count."""
    assert question.terms.iterations is not None
    return result.iterations >= question.terms.iterations or result.stop_reason == StopReason.ITERATIONS


def with_searcher(make: Callable[[Searcher, Result], Result], lazy: LazySearcher, result: Result) -> Result:
    """Apply a function to a result and its searcher, in another thread."""
    searcher = lazy.make()
    try:
        return make(searcher, result)
    finally:
        searcher.release()


def explain(view: State, searcher: Searcher, result: Result) -> Result:
    """Return the result with its first lines explained, within the time for answers."""
    explained = searcher.explain(result, lines=EXPLAINED_LINES, worlds=EXPLAINED_WORLDS, plies=EXPLAINED_PLIES)
    return worded(explained, view)

"""The analysis engine: answers queries about positions, once or as a stream, with searches on a worker pool."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import replace
from functools import partial
from typing import Self

from clerestory.engine.core import State
from clerestory.idle_timer import IdleTimer
from clerestory.search.ismcts import Searcher
from clerestory.search.memory.pages import release_spares
from clerestory.search.rates import RateEstimator
from clerestory.search.reasons import worded
from clerestory.search.result import Result, StopReason
from clerestory.server.analysis.active_search import ActiveSearch
from clerestory.server.analysis.admission import Admission
from clerestory.server.analysis.answer import Answer, remarks_on
from clerestory.server.analysis.background import raise_finishing
from clerestory.server.analysis.caller import HERE, Caller
from clerestory.server.analysis.capacity import Capacity
from clerestory.server.analysis.demand import Priority
from clerestory.server.analysis.granting import EXPLAINED_FROM, Cut, MoveOverhead, grant, helpers_of, is_brief
from clerestory.server.analysis.lazy import LazySearcher
from clerestory.server.analysis.limits import Limits
from clerestory.server.analysis.memory import Trees, new_searcher
from clerestory.server.analysis.question import Question
from clerestory.server.analysis.reader import AnswerReader, ended_within, next_look
from clerestory.server.analysis.scheduler import Scheduler
from clerestory.service_errors import Reason, ServiceError, raise_error
from clerestory.spans import part
from clerestory.turns import Turns

EXPLAINED_LINES = 5
EXPLAINED_WORLDS, EXPLAINED_PLIES = 250, 25_000  # shared by the lines; about two milliseconds in all
TABLE = 0.003  # seconds of the event loop per table of a stream: the more streams, the fewer tables each
CROWD = 6  # searches per worker above which explanations would delay answers
TURN = 10.0  # seconds after which a search with a fixed number of iterations gives up its slot
LONGEST_PAUSE = 0.25  # seconds until a rejected background search is tried again
IDLE_SECONDS = 120.0  # without a search, after which the memory that is kept for further trees is released
BRIEF_BYTES = 2 << 20  # of the tree of a brief search, which never runs out of memory


class AnalysisEngine:
    """Answers queries about positions, with its own worker threads. It belongs to one event loop.

    `async with` closes it on exit. Cancelling a query, or closing a stream, immediately frees its resources. No method
    blocks the event loop; those that are coroutines wait, and say for what.

    Args:
        capacity: limits of the searches.
        answered: called with the asker and each final answer, except those of queries with `whole`.
    """

    def __init__(
        self, capacity: Capacity | None = None, answered: Callable[[str, Answer], None] = lambda *_: None
    ) -> None:
        self._capacity = capacity = capacity or Capacity()
        self.scheduler = Scheduler(capacity.workers, capacity.max_searches, capacity.min_iterations)
        self._trees = Trees(capacity, self._discard_later)
        self._overhead = MoveOverhead()
        self._turns = Turns()  # of background searches to begin and to end: each takes the event loop a millisecond
        self._answered = answered
        self._watched = 0  # streamed queries
        self._idle: IdleTimer | None = None

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
        """Admit a query before any work is done for it. Does not block. Raises ServiceError: BUSY, FINISHING.

        It reserves nothing: until its search begins, other searches may take the last slot.

        Args:
            caller: the caller.
            priority: priority of the search.
            remaining: seconds to the call's deadline; None for no deadline.
            asker: the source of the query, for metrics.
        """
        self.scheduler.require_place(caller, priority)
        return Admission(caller, priority, time.monotonic(), remaining, asker)

    def in_background(self, admission: Admission) -> Admission:
        """Return an admission with background priority. Does not block. Raises ServiceError: BUSY, FINISHING."""
        self.scheduler.require_place(admission.caller, Priority.BACKGROUND)
        return replace(admission, priority=Priority.BACKGROUND)

    @asynccontextmanager
    async def place(
        self, caller: Caller, priority: Priority, seconds: float, asker: str = ""
    ) -> AsyncIterator[Callable[[], tuple[Admission, float]]]:
        """Wait for a background slot; yield a function that returns an admission and its time in seconds.

        Such a query waits instead of failing with BUSY. Its search may be interrupted and resumed. With
        Priority.BACKGROUND it also waits for an idle worker. Its answer has no reasons, as no person reads it.

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
        """Return the answer to a query. Waits until its search ends: at its limits, or once it is decided.

        Args:
            question: the query, as created by `validate_query`.
            admission: as returned by `admit`; None for a query of this process.

        Raises ServiceError: BUSY, FINISHING, OUT_OF_TIME.
        """
        if question.whole:
            return await self._answer_whole(question, HERE if admission is None else admission.caller)
        admission, early = admission or self.admit(), question.limits.early_stop is not False
        if admission.ticket is None and is_brief(question):
            return await self._answer_at_once(question, admission, early=early)
        async with self._searching(question, admission, early=early) as search:
            if admission.ticket is not None:
                await search.done.wait()
                await self._turn_of(admission.caller)
            return await self._conclude(search, admission)

    async def watch(self, question: Question, admission: Admission | None = None) -> AsyncGenerator[Answer, None]:
        """Yield answers to a query every `Limits.interval` seconds during its search, and then the final one.

        Waits for each. A slow reader gets only the latest answer. The search ends on time and releases its tree,
        whatever the reader does. Arguments and errors are those of `ask`.
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
        early = question.limits.early_stop is True
        async with self._searching(question, admission, early=early) as search:
            while await reader.wants(search.done) and (result := await self._glance(search)) is not None:
                reader.give(search.answer(result))
            search.sequence = 1 + max(search.sequence, search.ticks)  # includes skipped answers
            return await self._conclude(search, admission)

    async def _glance(self, search: ActiveSearch) -> Result | None:
        """Return the result at the next tick; None once the search has ended."""
        interval, certainty = search.limits.interval, search.limits.certainty
        while not await ended_within(search, max(next_look(search.arrived, interval), search.pace)):
            search.pace = time.monotonic() + self._table_time
            due = search.ticks > search.sequence
            if not due and certainty is None:
                continue
            explains = due and interval >= EXPLAINED_FROM and not self._crowded
            result = await self.scheduler.glance(search, self._explainer(search) if explains else None)
            if result is None:
                continue
            if certainty is not None and result.certainty >= certainty:
                self.scheduler.end(search, StopReason.CERTAIN)
            elif due:
                search.sequence = search.ticks
                return result
        return None

    @property
    def _table_time(self) -> float:
        """Seconds between two tables of a stream. Streams whose search has ended do not count."""
        return TABLE * min(self._watched, self.scheduler.admitted)

    @asynccontextmanager
    async def _searching(self, question: Question, admission: Admission, *, early: bool) -> AsyncIterator[ActiveSearch]:
        """Search a query during the block; the search ends with the block.

        Raises ServiceError: BUSY, FINISHING, OUT_OF_TIME.
        """
        limits, cuts, deadline = self._granted(question, admission, early=early)
        waits = admission.priority == Priority.BACKGROUND and admission.ticket is None
        async with self._placed(admission, deadline) if waits else nullcontext(admission) as placed:
            rates = RateEstimator.of(question.root) if limits.rates else None
            room = self._trees.occupied(rates.tree_bytes) if rates else nullcontext()
            with room, self._trees.lend(question, admission.caller, limits) as searcher:
                helpers = helpers_of(question.limits, self._capacity)
                search = ActiveSearch(question, searcher, limits, admission.arrived, deadline, cuts, helpers, rates)
                self.scheduler.submit(search, placed)
                try:
                    yield search
                finally:
                    self.scheduler.drop(search)
                    self._rest()

    def _rest(self) -> None:
        """Release spare memory later, unless there are further searches."""
        if self._idle is None:
            self._idle = IdleTimer(IDLE_SECONDS, self._shrink)
        self._idle.restart()

    def _shrink(self) -> None:
        """Release spare memory; if there are searches, which return theirs later, try again."""
        if self.scheduler.admitted:
            self._rest()
        else:
            asyncio.get_running_loop().run_in_executor(None, release_spares)

    def _granted(
        self, question: Question, admission: Admission, *, early: bool
    ) -> tuple[Limits, tuple[Cut, ...], float]:
        """Return the limits of a search, their reductions, and when it must end. Raises ServiceError: OUT_OF_TIME."""
        limits, cuts = grant(question, self._capacity, admission.remaining, early=early)
        assert limits.seconds is not None
        overhead = self._overhead.of(limits.seconds, explained=limits.seconds >= EXPLAINED_FROM)
        return limits, cuts, admission.arrived + limits.seconds - overhead

    async def _answer_at_once(self, question: Question, admission: Admission, *, early: bool) -> Answer:
        """Search in this thread, which costs the event loop no more than to hand the search over.

        Raises ServiceError: OUT_OF_TIME, BUSY for lack of memory.
        """
        limits, cuts, deadline = self._granted(question, admission, early=early)
        with part("search"):
            searcher = new_searcher(question, min(limits.max_tree_bytes or BRIEF_BYTES, BRIEF_BYTES))
            began = time.monotonic()
            result = searcher.run(deadline=deadline, iterations=limits.iterations, early=bool(limits.early_stop))
        due = min(time.monotonic(), deadline)
        if explained := self._explains(admission, limits):
            result = await self.scheduler.apart(partial(explain, question.view, searcher, result))
        remarks, waited = (*cuts, *remarks_on(result)), began - admission.arrived
        arrived, seconds = admission.arrived, limits.seconds
        answer = Answer(question, result, remarks, arrived, seconds, waited, due=due, explained=explained)
        self._answered(admission.asker, answer)
        return answer

    @asynccontextmanager
    async def _placed(self, admission: Admission, deadline: float) -> AsyncIterator[Admission]:
        """Hold a background slot during the block.

        Raises ServiceError: FINISHING, or BUSY if no slot is free before the deadline.
        """
        async with AsyncExitStack() as placed:
            try:
                async with asyncio.timeout_at(deadline):
                    place = self.scheduler.place(admission.caller, admission.priority, deadline)
                    ticket = await placed.enter_async_context(place)
            except TimeoutError:
                text = f"no worker was free in time: {self.scheduler.waiting} searches wait"
                raise ServiceError(Reason.BUSY, [("", text)], retry=1.0) from None
            yield replace(admission, ticket=ticket)

    async def _conclude(self, search: ActiveSearch, admission: Admission) -> Answer:
        """Return the final answer, explained if it is wanted and there is time."""
        asked = time.monotonic()
        explainer = self._explainer(search) if self._explains(admission, search.limits) else None
        result = await self.scheduler.result(search, explainer)
        due = max(search.due, asked)
        answer = search.answer(result, final=True, due=due, explained=explainer is not None)
        self._answered(admission.asker, answer)
        return answer

    def delivered(self, answer: Answer) -> None:
        """Record how long it took to build a final answer that is about to be sent. Does not block."""
        self._overhead.learn(time.monotonic() - answer.due, explained=answer.explained)

    def _explains(self, admission: Admission, limits: Limits) -> bool:
        """Return whether to explain a final answer: it will be read, and there is time."""
        return admission.explained and (limits.seconds or 0.0) >= EXPLAINED_FROM and not self._crowded

    @property
    def _crowded(self) -> bool:
        """Whether explanations would delay answers."""
        return self.scheduler.admitted > CROWD * self.workers

    def _explainer(self, search: ActiveSearch) -> Callable[[Result], Result]:
        """Return a function that explains a result."""
        return partial(with_searcher, partial(explain, search.question.view), search.searcher)

    # -- queries that run all their iterations ---------------------------------------------------------

    async def _answer_whole(self, question: Question, caller: Caller) -> Answer:
        """Run all iterations of a query, at the lowest priority; it waits for a slot instead of failing."""
        if question.limits.iterations is None:
            raise_error(Reason.BAD_ITERATIONS, "iterations", "is required for an answer after all iterations")
        async with self._trees.open(question, caller) as searcher:
            while True:
                answer = await self._turn(question, searcher, caller)
                if answer is not None and is_whole(question, answer.result):
                    return answer

    async def _turn(self, question: Question, searcher: LazySearcher, caller: Caller) -> Answer | None:
        """Continue a search for a limited time; return None if it got no slot. Raises ServiceError: FINISHING."""
        async with self.scheduler.place(caller, Priority.BACKGROUND, time.monotonic() + TURN) as ticket:
            search = a_turn(question, searcher)
            try:
                self.scheduler.submit(search, Admission(caller, Priority.BACKGROUND, search.arrived, None, "", ticket))
            except ServiceError as error:
                await wait_for_room(error)
                return None
            return await self._conclude_turn(search)

    async def _conclude_turn(self, search: ActiveSearch) -> Answer:
        """Return the result at the end of a turn. Raises ServiceError: FINISHING."""
        try:
            made = search.question.explain or partial(explain, search.question.view)
            result = await self.scheduler.result(search, partial(with_searcher, made, search.searcher))
        finally:
            self.scheduler.drop(search)
            self._rest()
        if search.finishing:
            raise_finishing()
        return search.answer(result, final=True)

    def _discard_later(self, searcher: Searcher) -> None:
        """Free a tree after the answer has been sent."""
        asyncio.get_running_loop().call_soon(self.scheduler.discard, searcher)

    # -- shutdown --------------------------------------------------------------------------------------

    def finish(self) -> None:
        """End every search with its result so far, and reject new queries. Does not block."""
        self.scheduler.finish()

    async def close(self) -> None:
        """Finish, and wait for the threads to exit: each ends its slice, of milliseconds."""
        await self.scheduler.close()


async def wait_for_room(error: ServiceError) -> None:
    """Wait until a rejected background search may be retried. Re-raise the error unless it is BUSY."""
    if error.reason != Reason.BUSY:
        raise error
    await asyncio.sleep(min(error.retry or LONGEST_PAUSE, LONGEST_PAUSE))


def a_turn(question: Question, searcher: LazySearcher) -> ActiveSearch:
    """Return one turn of a search that runs all its iterations."""
    assert question.limits.iterations is not None
    limits, arrived = Limits(iterations=question.limits.iterations - searcher.iterations, threads=1), time.monotonic()
    return ActiveSearch(question, searcher, limits, arrived, arrived + TURN)


def is_whole(question: Question, result: Result) -> bool:
    """Return whether a search has run all its iterations, or as many as its tree can count."""
    assert question.limits.iterations is not None
    return result.iterations >= question.limits.iterations or result.stop_reason == StopReason.ITERATIONS


def with_searcher(make: Callable[[Searcher, Result], Result], lazy: LazySearcher, result: Result) -> Result:
    """Apply a function to a result and its searcher, in another thread."""
    searcher = lazy.make()
    try:
        return make(searcher, result)
    finally:
        searcher.release()


def explain(view: State, searcher: Searcher, result: Result) -> Result:
    """Return the result with its first lines explained, within the time for answers."""
    return worded(searcher.explain(result, **explanation(len(result.lines))), view)


def explanation(lines: int) -> dict[str, int]:
    """Return the limits for explaining a result with a number of lines: the fewer lines, the more worlds for each."""
    lines = min(lines, EXPLAINED_LINES)
    return {"lines": lines, "worlds": EXPLAINED_WORLDS // lines, "plies": EXPLAINED_PLIES // lines}

"""Runs the worker pool: threads search admitted searches in slices, in the order that the policy decides."""

import asyncio
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, suppress
from math import ceil, inf

from clerestory.search.ismcts import Searcher
from clerestory.search.result import Result, StopReason
from clerestory.search.turns import Worker
from clerestory.server.analysis.allowance import Allowance
from clerestory.server.analysis.background import BackgroundSlots
from clerestory.server.analysis.backlog import QUANTUM, Changes, Ticket
from clerestory.server.analysis.caller import Caller
from clerestory.server.analysis.demand import Demand, NoRoom, Priority, TreeTask
from clerestory.server.analysis.job import Job
from clerestory.server.analysis.lazy import LazySearcher, let_go
from clerestory.server.analysis.policy import SLICE, Policy
from clerestory.service_errors import Reason, ServiceError
from clerestory.spans import part

NICENESS = 10  # niceness of the worker threads relative to the process, so that answering comes first
TURN = 0.001  # time slice of the workers in the system: longer slices make them wait longer, even to be stopped
MOST_WAITING = 1024  # waiting background searches beyond which new ones are rejected


class Scheduler:
    """A fixed pool of threads that search admitted searches in turn. Call its methods from the event loop.

    Args:
        workers: number of threads.
        max_searches: maximum searches of one caller; twice as many for all callers.
        min_iterations: guaranteed iterations per search, at measured speeds.
    """

    def __init__(self, workers: int, max_searches: int, min_iterations: int) -> None:
        self._policy = Policy(workers, max_searches, min_iterations)
        self._jobs: dict[int, Job] = {}  # by id of their demands
        self._turn = threading.Condition()
        self._background = BackgroundSlots(max(max_searches // 2, 1), self._apply)
        self._closed = False
        self._answers = ThreadPoolExecutor(workers, "answer")
        self._threads = [
            threading.Thread(target=self._work, args=(Worker(TURN, NICENESS),), name=f"search-{i}", daemon=True)
            for i in range(workers)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def workers(self) -> int:
        """The number of threads."""
        return len(self._threads)

    @property
    def running(self) -> int:
        """The number of searches that a thread is working on."""
        return self._count(lambda job: not job.resting)

    @property
    def admitted(self) -> int:
        """The number of searches that have not ended."""
        return len(self._jobs)

    @property
    def waiting(self) -> int:
        """The number of searches that have not begun or are interrupted."""
        return self._background.waiting + self._count(lambda job: job.began is None)

    def _count(self, holds: Callable[[Job], bool]) -> int:
        with self._turn:
            return sum(map(holds, self._jobs.values()))

    # -- the lifecycle of a search ---------------------------------------------------------------------

    def require_place(self, caller: Caller, priority: Priority) -> None:
        """Raise ServiceError for a call that cannot be admitted, before any work is done for it: BUSY, FINISHING."""
        full = self._full(caller, priority)
        if full is not None:
            raise ServiceError(Reason.BUSY, [("", str(full))], retry=full.retry)

    def place(
        self, caller: Caller, priority: Priority, deadline: float, *, needs_idle: bool = False
    ) -> AbstractAsyncContextManager[Ticket]:
        """Wait for a background slot, and hold it during the block.

        Args:
            caller: the caller.
            priority: priority of the search.
            deadline: end of its time, by time.monotonic; it may get the slot later.
            needs_idle: whether to wait for an idle worker as well.

        Raises ServiceError: FINISHING.
        """
        return self._background.place(Ticket(caller.origin, caller.part, deadline, priority, needs_idle))

    def _apply(self, divide: Callable[[bool], Changes]) -> Changes:
        """Interrupt and resume searches according to a new assignment of slots, and return the changes."""
        now = time.monotonic()
        with self._turn:
            changes = divide(self._policy.idle)
            for job in going_on(changes.interrupted):
                self._policy.interrupt(job.trees, now)
            for job in going_on(changes.placed):
                self._policy.resume(job.trees, now)
                self._turn.notify(len(job.trees))
        return changes

    def seconds(self, ticket: Ticket) -> float:
        """Return the time of a search that has a slot and begins; the more others wait, the less."""
        return self._background.backlog.seconds(ticket, time.monotonic())

    def _full(self, caller: Caller, priority: Priority) -> NoRoom | None:
        """Return why a search has no slot; None if it has one or may wait. Raises ServiceError: FINISHING."""
        self._background.require_open()
        if priority == Priority.BACKGROUND:
            waiting = self._background.waiting
            text = f"no room for one more search: {waiting} wait in the background"
            return NoRoom(text, QUANTUM) if waiting >= MOST_WAITING else None
        try:  # without the lock, which a descheduled worker may hold; `submit` checks again
            self._policy.require_place(caller.origin, caller.part, priority, time.monotonic())
        except NoRoom as full:
            return full
        return None

    def submit(
        self,
        searcher: LazySearcher,
        allowance: Allowance,
        *,
        caller: Caller,
        kind: Hashable,
        priority: Priority = Priority.MOVE,
        ticket: Ticket | None = None,
    ) -> Job:
        """Admit a search, which the caller must `drop` in any case. Raises ServiceError: BUSY.

        Args:
            searcher: the search.
            allowance: its limits.
            caller: the caller.
            kind: searches of one kind are about equally fast.
            priority: priority of the search.
            ticket: its background ticket; None for a search that fails if there is no slot.
        """
        iterations, threads, deadline = allowance.iterations, allowance.threads, allowance.budget.deadline
        most = inf if iterations is None else ceil(iterations / threads)
        demand = Demand(
            kind,
            deadline,
            most,
            threads,
            priority,
            caller.origin,
            caller.part,
            allowance.helpers,
            waits=ticket is not None,
        )
        job = Job(searcher, allowance, asyncio.get_running_loop())
        searcher.allow(iterations)
        with part("admission") as span:
            span.note(priority=priority.name, threads=threads, seconds=allowance.budget.seconds)
            self._admit(job, demand, ticket)
        job.timer = job.loop.call_at(deadline, self.end, job, StopReason.TIME)
        job.span = part("search")
        return job

    def _admit(self, job: Job, demand: Demand, ticket: Ticket | None) -> None:
        """Admit a job, unless another search has taken its slot. Raises ServiceError: BUSY."""
        with self._turn:
            try:
                job.trees = self._policy.admit(demand, time.monotonic())
            except NoRoom as full:
                raise ServiceError(Reason.BUSY, [("", str(full))], retry=full.retry) from None
            self._jobs[id(demand)] = job
            if ticket is not None:
                ticket.job = job
                if ticket.placed is None:
                    self._policy.interrupt(job.trees, time.monotonic())
            self._turn.notify(len(job.trees))

    def discard(self, searcher: Searcher) -> None:
        """Free a searcher in another thread, after its answer has been sent."""
        with suppress(RuntimeError):  # the pool has been shut down
            self._answers.submit(let_go, searcher)

    def end(self, job: Job, reason: StopReason) -> None:
        """End a search with its result so far; one that has ended is left unchanged."""
        with self._turn:
            self._end(job, reason)

    def drop(self, job: Job) -> None:
        """Immediately free the resources of a search."""
        self.end(job, StopReason.STOPPED)
        job.span.note(stop_reason=str(job.ended), waited=job.waited)
        job.span.end()

    def _end(self, job: Job, reason: StopReason) -> None:
        if job.ended is None:
            job.ended, job.ended_at = reason, time.monotonic()
            job.searcher.stop()
            for tree in job.trees:
                if not tree.helps:  # helpers are removed with the last of the other threads
                    self._policy.leave(tree, time.monotonic())
            self._tell(job)

    def _tell(self, job: Job) -> None:
        """Notify the event loop that a search is paused, or has ended."""
        if not job.resting:
            return
        if job.rested is not None:
            job.loop.call_soon_threadsafe(job.rested)
            job.rested = None
        if job.ended is not None and self._jobs.pop(id(job.trees[0].demand), None) is not None:
            job.loop.call_soon_threadsafe(self._close, job)

    def _close(self, job: Job) -> None:
        """Signal that a search has ended; called by the event loop."""
        job.close()
        self._background.look_soon()  # a background search may wait for an idle worker

    # -- results ---------------------------------------------------------------------------------------

    async def result(self, job: Job, make: Callable[[Result], Result] | None) -> Result:
        """Wait for the end of a search, and return its result, with at least one iteration.

        `make` runs in another thread, because explanations take time. Without it, the result is read here, which takes
        no longer than a thread switch. Raises the exception of the search.
        """
        await job.done.wait()
        if job.failure is not None:
            raise job.failure
        if make is None and job.searcher.iterations:
            found = conclude(job)
        else:
            found = await self._made(job, lambda: conclude(job) if make is None else make(conclude(job)))
        job.span.note(iterations=found.iterations, depth=found.depth)
        return found

    async def glance(self, job: Job, make: Callable[[Result], Result] | None) -> Result | None:
        """Pause a search, and return its result so far; None before it has begun, or once it has ended."""
        await self._hold(job)
        try:
            searcher = job.searcher.made
            if job.ended is not None or searcher is None or not searcher.iterations:
                return None
            if make is None:
                return searcher.result()
            return await self._made(job, lambda: make(searcher.result()))
        except BaseException:  # another thread may still read the tree, which no worker may change meanwhile
            self.end(job, StopReason.STOPPED)
            raise
        finally:
            self._let_go(job)

    async def _made(self, job: Job, make: Callable[[], Result]) -> Result:
        """Compute a result in another thread; the tree is held until then, even if the caller is cancelled."""
        held = job.searcher.hold()
        making = self._answers.submit(make)
        if held is not None:
            making.add_done_callback(lambda _: held.release())
        return await asyncio.wrap_future(making)

    async def _hold(self, job: Job) -> None:
        rests = asyncio.Event()
        with self._turn:
            for tree in job.trees:
                tree.held = True
            if job.resting:
                return
            job.rested = rests.set
        await rests.wait()

    def _let_go(self, job: Job) -> None:
        with self._turn:
            for tree in job.trees:
                tree.held = False
            self._turn.notify(len(job.trees))

    # -- worker threads --------------------------------------------------------------------------------

    def _work(self, worker: Worker) -> None:
        with self._turn:
            while not self._closed:
                tree = self._policy.pick(time.monotonic())
                if tree is None:
                    self._turn.wait()
                else:
                    self._take_turn(worker, self._jobs[id(tree.demand)], tree)

    def _take_turn(self, worker: Worker, job: Job, tree: TreeTask) -> None:
        """Search a thread of a job for a slice, without the lock."""
        began, threads = time.monotonic(), self._policy.threads(tree.demand)
        if job.began is None:
            job.began = began
        held = job.searcher.hold()  # until its step has begun, the search appears to be paused
        self._turn.release()
        try:
            reason, iterations = self._step(worker, job, tree, threads)
        except Exception as error:  # a failing search must not stop this thread from serving others
            job.failure = error
            reason, iterations = StopReason.STOPPED, 0
        finally:
            self._turn.acquire()
            if held is not None:
                held.release()
        now = time.monotonic()
        self._policy.put_back(tree, now - began, iterations, now)
        if job.failure is not None:
            self._end(job, StopReason.STOPPED)
        self._settle(job, tree, reason, now)

    def _step(self, worker: Worker, job: Job, tree: TreeTask, threads: int) -> tuple[StopReason, int]:
        """Search for a slice, creating the tree if necessary. Return why it ended, and its iterations."""
        if job.ended is not None:
            return StopReason.STOPPED, 0
        searcher = job.searcher.make()
        try:
            if job.ended is not None:  # while the tree was unlocked, others may have ended the search
                return StopReason.STOPPED, 0
            return searcher.step(
                time.monotonic() + SLICE,
                deadline=job.allowance.budget.deadline,
                thread=tree.number,
                threads=threads,
                early=job.allowance.early,
                worker=worker,
            )
        finally:
            searcher.release()

    def _settle(self, job: Job, tree: TreeTask, reason: StopReason, now: float) -> None:
        """Remove a thread that has ended, and end its search unless other threads still have iterations to run."""
        if job.ended is None and reason not in (StopReason.PAUSED, StopReason.STOPPED):
            self._policy.leave(tree, now)
            job.over += not tree.helps
            if reason != StopReason.ITERATIONS or job.over == tree.demand.trees:
                self._end(job, reason)
                return
        self._tell(job)

    # -- shutdown --------------------------------------------------------------------------------------

    def finish(self) -> None:
        """End every search with its result so far, and reject new ones."""
        self._background.finish()
        with self._turn:
            for job in list(self._jobs.values()):
                job.finishing = job.finishing or job.ended is None
                self._end(job, StopReason.STOPPED)

    async def close(self) -> None:
        """Wait for the threads to exit."""
        self.finish()
        with self._turn:
            self._closed = True
            self._turn.notify_all()
        for thread in self._threads:
            await asyncio.to_thread(thread.join)
        await asyncio.to_thread(self._answers.shutdown)


def going_on(tickets: Iterable[Ticket]) -> Iterator[Job]:
    """Yield the searches of tickets that have begun but not ended."""
    for ticket in tickets:
        if ticket.job is not None and ticket.job.ended is None:
            yield ticket.job


def conclude(job: Job) -> Result:
    """Return the result of a search that has ended; run one iteration if there was none."""
    assert job.ended is not None
    searcher = job.searcher.make()
    try:
        if not searcher.iterations:
            job.began = time.monotonic()
            searcher.allow(1)
            searcher.step(inf, deadline=inf)
        return searcher.result(job.ended)
    finally:
        searcher.release()

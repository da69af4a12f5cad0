"""The threads that search, a slice at a time, in the order that the policy sets."""

import asyncio
import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from math import ceil, inf
from weakref import WeakValueDictionary

from clerestory.advice.allowance import Allowance
from clerestory.advice.caller import Caller
from clerestory.advice.demand import Demand, NoRoom, Priority, TreeTask
from clerestory.advice.policy import SLICE, Policy
from clerestory.refusals import Reason, Refusal, refuse
from clerestory.search.ismcts import Searcher
from clerestory.search.result import Result, StopReason
from clerestory.search.turns import Worker
from clerestory.spans import UNTRACED, Span, part

NICENESS = 10  # of the threads that search, above that of the process, so that answering goes first
TURN = 0.001  # seconds that the system lets them search at once: after longer ones they wait longer, also to be stopped


@dataclass(eq=False, slots=True)
class Job:
    """An admitted search.

    Attributes:
        allowance: what it is granted.
        began: when its first iteration began, a reading of time.monotonic; None before.
        ended: why it ended; None before.
        ended_at: when it ended, a reading of time.monotonic.
        finishing: it ended because the server is shutting down.
        failure: an exception raised by the search; None if there was none.
        done: set once it has ended and no worker searches for it.
        span: of the search, from its admission until it is dropped.
    """

    searcher: Searcher
    allowance: Allowance
    loop: asyncio.AbstractEventLoop
    trees: list[TreeTask] = field(default_factory=list)
    began: float | None = None
    ended: StopReason | None = None
    ended_at: float = 0.0
    finishing: bool = False
    failure: Exception | None = None
    done: asyncio.Event = field(default_factory=asyncio.Event)
    over: int = 0  # of its own threads, those that have ended
    rested: Callable[[], None] | None = None
    timer: asyncio.TimerHandle | None = None
    span: Span = UNTRACED

    @property
    def due(self) -> float:
        """When it ended or should have ended, whichever came first: a reading of time.monotonic."""
        return min(self.ended_at, self.allowance.budget.deadline)

    @property
    def waited(self) -> float:
        """Seconds from its arrival to its first iteration."""
        arrived = self.allowance.budget.arrived
        return (self.began or arrived) - arrived

    @property
    def resting(self) -> bool:
        """Whether no worker searches for it."""
        return not any(tree.running for tree in self.trees)

    def close(self) -> None:
        """Report that it is done; called by the event loop."""
        self.done.set()
        if self.timer is not None:
            self.timer.cancel()


class Scheduler:
    """A fixed number of threads that take turns at the admitted searches. Its methods are for the event loop.

    Args:
        workers: number of threads.
        max_searches: of one caller at once; of all together, twice as many.
        min_iterations: promised to each.
    """

    def __init__(self, workers: int, max_searches: int, min_iterations: int) -> None:
        self._policy = Policy(workers, max_searches, min_iterations)
        self._jobs: dict[int, Job] = {}  # by the identity of their demands
        self._turn = threading.Condition()
        self._queues: WeakValueDictionary[Hashable, asyncio.Lock] = WeakValueDictionary()  # of those without a place
        self._changed = asyncio.Event()  # set whenever a search ends, and then replaced
        self._finishing = False
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
        """Number of threads."""
        return len(self._threads)

    @property
    def running(self) -> int:
        """Number of searches that a thread is working on."""
        return self._count(lambda job: not job.resting)

    @property
    def admitted(self) -> int:
        """Number of searches that have not ended."""
        return len(self._jobs)

    @property
    def waiting(self) -> int:
        """Number of searches that have not begun."""
        return self._count(lambda job: job.began is None)

    def _count(self, holds: Callable[[Job], bool]) -> int:
        with self._turn:
            return sum(map(holds, self._jobs.values()))

    # -- a search, from its admission to its end ---------------------------------------------------

    def require_place(self, caller: Caller, priority: Priority) -> None:
        """Refuse a call that cannot be admitted before any work is done for it. Raises Refusal: BUSY, FINISHING."""
        full = self._full(caller, priority)
        if full is not None:
            raise Refusal(Reason.BUSY, [("", str(full))], retry=full.retry)

    async def wait_for_place(self, caller: Caller, priority: Priority) -> None:
        """Wait until there is a place for a search, and in the background until a worker is idle as well.

        The searches of one origin and priority queue, however many they are: only the first of them looks for a place.
        It has the place if it is submitted at once. Raises Refusal, FINISHING.
        """
        with part("place"):
            await self._queue_for_place(caller, priority)

    async def _queue_for_place(self, caller: Caller, priority: Priority) -> None:
        async with self._queues.setdefault((caller.origin, priority), asyncio.Lock()):
            while (full := self._full(caller, priority, idle=priority == Priority.BACKGROUND)) is not None:
                await set_within(self._changed, full.retry)

    def _full(self, caller: Caller, priority: Priority, *, idle: bool = False) -> NoRoom | None:
        """Return why a search has no place, or no worker is idle; None if it has. Raises Refusal, FINISHING."""
        if self._finishing:
            refuse(Reason.FINISHING, "", "the server is shutting down")
        try:  # without the lock, which a thread holds that the system lets wait; `submit` looks again
            self._policy.require_place(caller.origin, caller.part, priority, time.monotonic())
            if idle:
                with self._turn:
                    self._policy.require_idle(time.monotonic())
        except NoRoom as full:
            return full
        return None

    def submit(
        self,
        searcher: Searcher,
        allowance: Allowance,
        *,
        caller: Caller,
        kind: Hashable,
        priority: Priority = Priority.MOVE,
    ) -> Job:
        """Admit a search, which the caller must `drop` whatever happens. Raises Refusal, BUSY.

        Args:
            searcher: the search.
            allowance: what it is granted.
            caller: whose it is.
            kind: searches of one kind are about equally fast.
            priority: of the search.
        """
        iterations, threads, deadline = allowance.iterations, allowance.threads, allowance.budget.deadline
        most = inf if iterations is None else ceil(iterations / threads)
        demand = Demand(kind, deadline, most, threads, priority, caller.origin, caller.part, allowance.helpers)
        job = Job(searcher, allowance, asyncio.get_running_loop())
        searcher.allow(iterations)
        with part("admission") as span:
            span.note(priority=priority.name, threads=threads, seconds=allowance.budget.seconds)
            self._admit(job, demand)
        job.timer = job.loop.call_at(deadline, self.end, job, StopReason.TIME)
        job.span = part("search")
        return job

    def _admit(self, job: Job, demand: Demand) -> None:
        """Let the threads search for a job. Raises Refusal, BUSY."""
        with self._turn:
            try:
                job.trees = self._policy.admit(demand, time.monotonic())
            except NoRoom as full:
                raise Refusal(Reason.BUSY, [("", str(full))], retry=full.retry) from None
            self._jobs[id(demand)] = job
            self._turn.notify(len(job.trees))

    def end(self, job: Job, reason: StopReason) -> None:
        """End a search with what it has found; one that has ended stays as it is."""
        with self._turn:
            self._end(job, reason)

    def drop(self, job: Job) -> None:
        """Free what a search occupies, at once."""
        self.end(job, StopReason.STOPPED)
        job.span.note(stop_reason=str(job.ended), waited=job.waited)
        job.span.end()

    def _end(self, job: Job, reason: StopReason) -> None:
        if job.ended is None:
            job.ended, job.ended_at = reason, time.monotonic()
            job.searcher.stop()
            for tree in job.trees:
                if not tree.helps:  # helpers leave with the last of the others
                    self._policy.leave(tree, time.monotonic())
            self._tell(job)

    def _tell(self, job: Job) -> None:
        """Tell the event loop that a search rests, or that it has ended."""
        if not job.resting:
            return
        if job.rested is not None:
            job.loop.call_soon_threadsafe(job.rested)
            job.rested = None
        if job.ended is not None and self._jobs.pop(id(job.trees[0].demand), None) is not None:
            job.loop.call_soon_threadsafe(self._close, job)

    def _close(self, job: Job) -> None:
        """Report that a search has ended; called by the event loop."""
        job.close()
        self._wake()

    def _wake(self) -> None:
        """Let those who wait for a place look for one."""
        self._changed.set()
        self._changed = asyncio.Event()

    # -- what it found -----------------------------------------------------------------------------

    async def result(self, job: Job, make: Callable[[Result], Result] | None) -> Result:
        """Wait for the end of a search, and return its result, with at least one iteration.

        `make` runs in another thread, since explanations take time. Without it, the result is read here, which takes no
        longer than going to another thread and back. Raises what the search raised.
        """
        await job.done.wait()
        if job.failure is not None:
            raise job.failure
        if make is None:
            found = self._conclude(job)
        else:
            found = await self._made(job, lambda: make(self._conclude(job)))
        job.span.note(iterations=found.iterations, depth=found.depth)
        return found

    def _conclude(self, job: Job) -> Result:
        if not job.searcher.iterations:
            job.began = time.monotonic()
            job.searcher.allow(1)
            job.searcher.step(inf, deadline=inf)
        assert job.ended is not None
        return job.searcher.result(job.ended)

    async def glance(self, job: Job, make: Callable[[Result], Result] | None) -> Result | None:
        """Return the result of a search so far, while it is paused. None before it has begun, or once it has ended."""
        await self._hold(job)
        try:
            if job.ended is not None or job.began is None:
                return None
            if make is None:
                return job.searcher.result()
            return await self._made(job, lambda: make(job.searcher.result()))
        except BaseException:  # another thread may still read the tree, which no worker may change meanwhile
            self.end(job, StopReason.STOPPED)
            raise
        finally:
            self._let_go(job)

    async def _made(self, job: Job, make: Callable[[], Result]) -> Result:
        """Return what another thread makes of a search; the tree is held until it has, even if nobody waits for it."""
        job.searcher.hold()
        making = self._answers.submit(make)
        making.add_done_callback(lambda _: job.searcher.release())
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

    # -- the threads -------------------------------------------------------------------------------

    def _work(self, worker: Worker) -> None:
        with self._turn:
            while not self._closed:
                tree = self._policy.pick(time.monotonic())
                if tree is None:
                    self._turn.wait()
                else:
                    self._take_turn(worker, self._jobs[id(tree.demand)], tree)

    def _take_turn(self, worker: Worker, job: Job, tree: TreeTask) -> None:
        """Search in a thread of a job for a slice, without the lock."""
        began, threads = time.monotonic(), self._policy.threads(tree.demand)
        if job.began is None:
            job.began = began
        job.searcher.hold()  # until its step has begun, others may think that it rests
        self._turn.release()
        try:
            reason, iterations = job.searcher.step(
                began + SLICE,
                deadline=job.allowance.budget.deadline,
                thread=tree.number,
                threads=threads,
                early=job.allowance.early,
                worker=worker,
            )
        except Exception as error:  # one search that fails must not stop this thread from serving the others
            job.failure = error
            reason, iterations = StopReason.STOPPED, 0
        finally:
            self._turn.acquire()
            job.searcher.release()
        now = time.monotonic()
        self._policy.put_back(tree, now - began, iterations, now)
        if job.failure is not None:
            self._end(job, StopReason.STOPPED)
        self._settle(job, tree, reason, now)

    def _settle(self, job: Job, tree: TreeTask, reason: StopReason, now: float) -> None:
        """Release a thread that has ended, and end its search unless other threads still have iterations to do."""
        if job.ended is None and reason not in (StopReason.PAUSED, StopReason.STOPPED):
            self._policy.leave(tree, now)
            job.over += not tree.helps
            if reason != StopReason.ITERATIONS or job.over == tree.demand.trees:
                self._end(job, reason)
                return
        self._tell(job)

    # -- the end -----------------------------------------------------------------------------------

    def finish(self) -> None:
        """End every search with what it has found, and refuse new ones."""
        self._finishing = True
        with self._turn:
            for job in list(self._jobs.values()):
                job.finishing = job.finishing or job.ended is None
                self._end(job, StopReason.STOPPED)
        self._wake()

    async def close(self) -> None:
        """Wait for the threads to end."""
        self.finish()
        with self._turn:
            self._closed = True
            self._turn.notify_all()
        for thread in self._threads:
            await asyncio.to_thread(thread.join)
        await asyncio.to_thread(self._answers.shutdown)


async def set_within(event: asyncio.Event, seconds: float) -> None:
    """Wait for an event, so many seconds at most."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()

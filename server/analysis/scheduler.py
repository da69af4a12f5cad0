"""Runs the worker pool: threads search admitted searches in slices, in the order that the policy decides."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, suppress
from math import ceil, inf

from clerestory.search.ismcts import Searcher
from clerestory.search.rates import RateEstimator
from clerestory.search.result import Result, StopReason
from clerestory.search.turns import Worker
from clerestory.server.analysis.active_search import ActiveSearch
from clerestory.server.analysis.admission import Admission
from clerestory.server.analysis.background import BackgroundSlots
from clerestory.server.analysis.backlog import QUANTUM, Changes, Ticket
from clerestory.server.analysis.caller import Caller
from clerestory.server.analysis.demand import Demand, NoRoom, Priority, TreeTask
from clerestory.server.analysis.lazy import let_go
from clerestory.server.analysis.policy import SLICE, Policy
from clerestory.service_errors import Reason, ServiceError
from clerestory.spans import part

NICENESS = 10  # niceness of the worker threads relative to the process, so that answering comes first
TURN = 0.001  # time slice of the workers in the system: longer slices make them wait longer, even to be stopped
SMALL_TREE = 2000  # nodes of a tree that is freed in microseconds
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
        self._searches: dict[int, ActiveSearch] = {}  # by id of their demands
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
        return self._count(lambda search: not search.resting)

    @property
    def admitted(self) -> int:
        """The number of searches that have not ended."""
        return len(self._searches)

    @property
    def waiting(self) -> int:
        """The number of searches that have not begun or are interrupted."""
        return self._background.waiting + self._count(lambda search: search.began is None)

    def _count(self, holds: Callable[[ActiveSearch], bool]) -> int:
        with self._turn:
            return sum(map(holds, self._searches.values()))

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
            for search in going_on(changes.interrupted):
                self._policy.interrupt(search.trees, now)
            for search in going_on(changes.placed):
                self._policy.resume(search.trees, now)
                self._turn.notify(len(search.trees))
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

    def submit(self, search: ActiveSearch, admission: Admission) -> None:
        """Begin an admitted search, which the caller must `drop` in any case. Raises ServiceError: BUSY, FINISHING."""
        self._background.require_open()
        limits, caller = search.limits, admission.caller
        threads = limits.threads or 1
        demand = Demand(
            search.question.kind,
            search.deadline,
            inf if limits.iterations is None or search.rates is not None else ceil(limits.iterations / threads),
            threads,
            admission.priority,
            caller.origin,
            caller.part,
            search.helpers,
            waits=admission.ticket is not None,
        )
        search.searcher.allow(limits.iterations)
        with part("admission") as span:
            span.note(priority=demand.priority.name, threads=threads, seconds=search.deadline - search.arrived)
            self._begin(search, demand, admission.ticket)
        search.timer = search.loop.call_at(search.deadline, self.end, search, StopReason.TIME)
        search.span = part("search")

    def _begin(self, search: ActiveSearch, demand: Demand, ticket: Ticket | None) -> None:
        """Begin a search, unless another one has taken its slot. Raises ServiceError: BUSY."""
        with self._turn:
            try:
                search.trees = self._policy.admit(demand, time.monotonic())
            except NoRoom as full:
                raise ServiceError(Reason.BUSY, [("", str(full))], retry=full.retry) from None
            self._searches[id(demand)] = search
            if ticket is not None:
                ticket.search = search
                if ticket.placed is None:
                    self._policy.interrupt(search.trees, time.monotonic())
            self._turn.notify(len(search.trees))

    def discard(self, searcher: Searcher) -> None:
        """Free a searcher after its answer has been sent: a large one in another thread, because it takes long."""
        if searcher.nodes <= SMALL_TREE:
            return  # the caller has dropped it
        with suppress(RuntimeError):  # the pool has been shut down
            self._answers.submit(let_go, searcher)

    def end(self, search: ActiveSearch, reason: StopReason) -> None:
        """End a search with its result so far; one that has ended is left unchanged."""
        with self._turn:
            self._end(search, reason)

    def drop(self, search: ActiveSearch) -> None:
        """Immediately free the resources of a search."""
        if search.ended is None:  # otherwise without the lock, which a descheduled worker may hold
            self.end(search, StopReason.STOPPED)
        search.span.note(stop_reason=str(search.ended), waited=search.waited)
        search.span.end()

    def _end(self, search: ActiveSearch, reason: StopReason) -> None:
        if search.ended is None:
            search.ended, search.ended_at = reason, time.monotonic()
            search.searcher.stop()
            for tree in search.trees:
                if not tree.helps:  # helpers are removed with the last of the other threads
                    self._policy.leave(tree, time.monotonic())
            self._notify(search)

    def _notify(self, search: ActiveSearch) -> None:
        """Notify the event loop that a search is paused, or has ended."""
        if not search.resting:
            return
        if search.rested is not None:
            search.loop.call_soon_threadsafe(search.rested)
            search.rested = None
        if search.ended is not None and self._searches.pop(id(search.trees[0].demand), None) is not None:
            search.loop.call_soon_threadsafe(self._close, search)

    def _close(self, search: ActiveSearch) -> None:
        """Signal that a search has ended; called by the event loop."""
        search.close()
        self._background.look_soon()  # a background search may wait for an idle worker

    # -- results ---------------------------------------------------------------------------------------

    async def result(self, search: ActiveSearch, make: Callable[[Result], Result] | None) -> Result:
        """Wait for the end of a search, and return its result, with at least one iteration.

        `make` runs in another thread, because explanations take time. Without it, the result is read here, which takes
        no longer than a thread switch. Raises the exception of the search.
        """
        await search.done.wait()
        if search.failure is not None:
            raise search.failure
        if make is None and search.searcher.iterations:
            found = conclude(search)
        else:
            found = await self._made(search, lambda: conclude(search) if make is None else make(conclude(search)))
        search.span.note(iterations=found.iterations, depth=found.depth)
        return found

    async def glance(self, search: ActiveSearch, make: Callable[[Result], Result] | None) -> Result | None:
        """Pause a search, and return its result so far; None before it has begun, or once it has ended."""
        await self._hold(search)
        try:
            searcher = search.searcher.made
            if search.ended is not None or searcher is None or not searcher.iterations:
                return None
            if make is None:
                return searcher.result()
            return await self._made(search, lambda: make(searcher.result()))
        except BaseException:  # another thread may still read the tree, which no worker may change meanwhile
            self.end(search, StopReason.STOPPED)
            raise
        finally:
            self._let_go(search)

    async def _made(self, search: ActiveSearch, make: Callable[[], Result]) -> Result:
        """Compute a result in another thread; the tree is held until then, even if the caller is cancelled."""
        held = search.searcher.hold()
        making = self._answers.submit(make)
        if held is not None:
            making.add_done_callback(lambda _: held.release())
        return await asyncio.wrap_future(making)

    async def apart(self, make: Callable[[], Result]) -> Result:
        """Compute a result of a search without workers in another thread, and return it."""
        return await asyncio.wrap_future(self._answers.submit(make))

    async def _hold(self, search: ActiveSearch) -> None:
        rests = asyncio.Event()
        with self._turn:
            for tree in search.trees:
                tree.held = True
            if search.resting:
                return
            search.rested = rests.set
        await rests.wait()

    def _let_go(self, search: ActiveSearch) -> None:
        with self._turn:
            for tree in search.trees:
                tree.held = False
            self._turn.notify(len(search.trees))

    # -- worker threads --------------------------------------------------------------------------------

    def _work(self, worker: Worker) -> None:
        with self._turn:
            while not self._closed:
                tree = self._policy.pick(time.monotonic())
                if tree is None:
                    self._turn.wait()
                else:
                    self._take_turn(worker, self._searches[id(tree.demand)], tree)

    def _take_turn(self, worker: Worker, search: ActiveSearch, tree: TreeTask) -> None:
        """Search a thread of a search for a slice, without the lock."""
        began, threads = time.monotonic(), self._policy.threads(tree.demand)
        if search.began is None:
            search.began = began
        held = search.searcher.hold()  # until its step has begun, the search appears to be paused
        self._turn.release()
        try:
            reason, iterations = self._step(worker, search, tree, threads)
        except Exception as error:  # a failing search must not stop this thread from serving others
            search.failure = error
            reason, iterations = StopReason.STOPPED, 0
        finally:
            self._turn.acquire()
            if held is not None:
                held.release()
        now = time.monotonic()
        self._policy.put_back(tree, now - began, iterations, now)
        if search.failure is not None:
            self._end(search, StopReason.STOPPED)
        self._settle(search, tree, reason, now)

    def _step(self, worker: Worker, search: ActiveSearch, tree: TreeTask, threads: int) -> tuple[StopReason, int]:
        """Search for a slice, creating the tree if necessary. Return why it ended, and its iterations."""
        if search.ended is not None:
            return StopReason.STOPPED, 0
        searcher = search.searcher.make()
        try:
            if search.ended is not None:  # while the tree was unlocked, others may have ended the search
                return StopReason.STOPPED, 0
            if (rates := due_rates(search, searcher, tree)) is not None:
                rates.step(searcher.seed, search.deadline)
                return StopReason.PAUSED, 0
            reason, iterations = searcher.step(
                time.monotonic() + SLICE,
                deadline=search.deadline,
                thread=tree.number,
                threads=threads,
                early=bool(search.limits.early_stop),
                worker=worker,
            )
            if reason == StopReason.ITERATIONS and due_rates(search, searcher, tree):
                reason = StopReason.PAUSED
            return reason, iterations
        finally:
            searcher.release()

    def _settle(self, search: ActiveSearch, tree: TreeTask, reason: StopReason, now: float) -> None:
        """Remove a thread that has ended, and end its search unless other threads still have iterations to run."""
        if search.ended is None and reason not in (StopReason.PAUSED, StopReason.STOPPED):
            self._policy.leave(tree, now)
            search.over += not tree.helps
            if reason != StopReason.ITERATIONS or search.over == tree.demand.trees:
                self._end(search, reason)
                return
        self._notify(search)

    # -- shutdown --------------------------------------------------------------------------------------

    def finish(self) -> None:
        """End every search with its result so far, and reject new ones."""
        self._background.finish()
        with self._turn:
            for search in list(self._searches.values()):
                search.finishing = search.finishing or search.ended is None
                self._end(search, StopReason.STOPPED)

    async def close(self) -> None:
        """Wait for the threads to exit."""
        self.finish()
        with self._turn:
            self._closed = True
            self._turn.notify_all()
        for thread in self._threads:
            await asyncio.to_thread(thread.join)
        await asyncio.to_thread(self._answers.shutdown)


def going_on(tickets: Iterable[Ticket]) -> Iterator[ActiveSearch]:
    """Yield the searches of tickets that have begun but not ended."""
    for ticket in tickets:
        if ticket.search is not None and ticket.search.ended is None:
            yield ticket.search


def due_rates(search: ActiveSearch, searcher: Searcher, tree: TreeTask) -> RateEstimator | None:
    """Return the exchange rates that the next turn of a thread is for, always the first thread; None if it is not."""
    rates = search.rates if tree.number == 0 else None
    return rates if rates is not None and rates.owes(searcher.iterations) else None


def conclude(search: ActiveSearch) -> Result:
    """Return the result of a search that has ended; run one iteration if there was none."""
    assert search.ended is not None
    searcher = search.searcher.make()
    try:
        if not searcher.iterations:
            search.began = time.monotonic()
            searcher.allow(1)
            searcher.step(inf, deadline=inf)
        return searcher.result(search.ended)
    finally:
        searcher.release()

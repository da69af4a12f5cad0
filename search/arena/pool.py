"""Plays tasks, such as the deals of a match, in a pool of local processes or one by one in this process."""

import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager
from itertools import islice
from multiprocessing.synchronize import Event
from os import _exit
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class WorkUnit(Protocol[T]):
    """A unit of work; picklable."""

    def play(self, stopped: Callable[[], bool] = ...) -> list[T]:
        """Return the results, without games stopped midway."""
        ...

    def header(self) -> dict[str, Any]:
        """Return what must be equal on every machine: the game, its cards and the players."""
        ...


class TaskRunner(Protocol):
    """Plays tasks and yields the results of each as it finishes."""

    def __call__(self, tasks: Iterator[WorkUnit[T]], /) -> Iterator[list[T]]:
        """Yield lists in the order in which tasks finish."""
        ...


Crew = Callable[[int], AbstractContextManager[TaskRunner]]  # takes the number of workers; stops them on exit


@contextmanager
def on_processes(workers: int) -> Iterator[TaskRunner]:
    """Yield a function that plays tasks; stop the workers on exit. One worker plays in this process."""
    if workers == 1:
        yield one_by_one
        return
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=begin_worker, initargs=(stop,))

    def run(tasks: Iterator[WorkUnit[T]]) -> Iterator[list[T]]:
        return on_pool(pool, tasks, 2 * workers)

    try:
        yield run
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)


def one_by_one(tasks: Iterator[WorkUnit[T]]) -> Iterator[list[T]]:
    """Play tasks in this process."""
    return (task.play() for task in tasks)


def on_pool(pool: ProcessPoolExecutor, tasks: Iterator[WorkUnit[T]], ahead: int) -> Iterator[list[T]]:
    """Yield the results of each task as it finishes, keeping at most `ahead` tasks in flight.

    Raises ChildProcessError if the operating system killed a worker.
    """
    pending: set[Future[list[T]]] = set()
    try:
        while True:
            with uninterrupted():  # processes start when tasks are submitted
                pending.update(pool.submit(work, task) for task in islice(tasks, ahead - len(pending)))
            if not pending:
                return
            done, pending = wait(pending, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()
    except BrokenProcessPool:
        raise ChildProcessError(
            "a worker was ended from outside, as the system does when memory is short: use fewer workers"
        ) from None


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Block interrupts in this thread during the block, and permanently in processes started during it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# -- in a worker process ---------------------------------------------------------------------------


STOP: list[Event] = []  # in a worker process: the single event that signals it to stop


def begin_worker(stop: Event) -> None:
    """Exit with the parent, which handles interrupts: they are blocked in this process from the start."""
    threading.Thread(target=end_with_parent, daemon=True).start()
    STOP[:] = [stop]


def end_with_parent() -> None:
    """Wait for the parent process to exit, then exit."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        _exit(1)


def work(task: WorkUnit[T]) -> list[T]:
    """Play a task in a worker process."""
    return task.play(STOP[0].is_set)

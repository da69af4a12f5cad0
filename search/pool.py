"""Tasks of a match on a pool of processes of this machine, or one after the other in this process."""

import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import islice
from multiprocessing.synchronize import Event
from os import _exit

from clerestory.search.match import Match, Played, Task, play_task

Run = Callable[[Iterator[Task]], Iterator[list[Played]]]  # plays tasks; yields the games of each as it ends
Crew = Callable[[Match, int], AbstractContextManager[Run]]  # of a match and a number of workers, who stop in the end


@contextmanager
def on_processes(match: Match, workers: int) -> Iterator[Run]:
    """Yield the function that plays tasks, and stop its workers in the end."""
    if workers == 1:
        yield lambda tasks: (play_task(match, task) for task in tasks)
        return
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=begin_worker, initargs=(match, stop))
    try:
        yield lambda tasks: on_pool(pool, tasks, 2 * workers)
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)


def on_pool(pool: ProcessPoolExecutor, tasks: Iterator[Task], ahead: int) -> Iterator[list[Played]]:
    """Yield the games of each task as it ends, so many tasks being handed out at a time."""
    pending: set[Future[list[Played]]] = set()
    while True:
        pending.update(pool.submit(work, task) for task in islice(tasks, ahead - len(pending)))
        if not pending:
            return
        done, pending = wait(pending, return_when=FIRST_COMPLETED)
        for future in done:
            yield future.result()


# -- in a worker process ---------------------------------------------------------------------------


@dataclass
class Worker:
    """What a worker process was begun with."""

    match: Match | None = None
    stop: Event | None = None


WORKER = Worker()


def begin_worker(match: Match, stop: Event) -> None:
    """Leave interrupts to the parent, and do not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with_parent, daemon=True).start()
    WORKER.match, WORKER.stop = match, stop


def end_with_parent() -> None:
    """Wait for the end of the process that began this one, and follow it."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        _exit(1)


def work(task: Task) -> list[Played]:
    """Play a task in a worker process."""
    assert WORKER.match is not None
    assert WORKER.stop is not None
    return play_task(WORKER.match, task, WORKER.stop.is_set)

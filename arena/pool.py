"""Tasks of matches on a pool of processes of this machine, or one after the other in this process."""

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

from clerestory.arena.match import Played, Task, play_task

Run = Callable[[Iterator[Task]], Iterator[list[Played]]]  # plays tasks; yields the games of each as it ends
Crew = Callable[[int], AbstractContextManager[Run]]  # of so many workers, who stop in the end


@contextmanager
def on_processes(workers: int) -> Iterator[Run]:
    """Yield the function that plays tasks, and stop its workers in the end; one worker is this process."""
    if workers == 1:
        yield lambda tasks: map(play_task, tasks)
        return
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=begin_worker, initargs=(stop,))
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

    stop: Event | None = None


WORKER = Worker()


def begin_worker(stop: Event) -> None:
    """Leave interrupts to the parent, and do not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with_parent, daemon=True).start()
    WORKER.stop = stop


def end_with_parent() -> None:
    """Wait for the end of the process that began this one, and follow it."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        _exit(1)


def work(task: Task) -> list[Played]:
    """Play a task in a worker process."""
    assert WORKER.stop is not None
    return play_task(task, WORKER.stop.is_set)

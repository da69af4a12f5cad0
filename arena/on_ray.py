"""Tasks of matches on Ray, on a cluster or on this machine: the same games as on a pool of processes.

Ray is optional: `pip install 'clerestory[ray]'`. Every machine of a cluster needs this package, of one version, and the
catalogue, if one was chosen, at the same path.
"""

import logging
import os
import re
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from itertools import islice
from typing import Any

from clerestory.arena.match import Played, Task, play_task
from clerestory.arena.pool import Run
from clerestory.search.errors import BadMatch

PATIENCE = 10.0  # seconds for a cluster to answer


@contextmanager
def on_ray(workers: int, *, address: str | None = None) -> Iterator[Run]:
    """Yield the function that plays tasks on Ray, and stop its workers in the end.

    Args:
        workers: tasks at a time; each takes one core of the cluster.
        address: of a running cluster, as `ray.init` takes it; None starts one on this machine, for now.

    Raises BadMatch without Ray, OSError for a cluster that does not answer.
    """
    ray = load_ray()
    with session(ray, workers, address):
        play = ray.remote(num_cpus=1)(play_alike).remote
        yield lambda tasks: on_cluster(ray, play, tasks, workers)


def load_ray() -> Any:
    """Return the module. Raises BadMatch."""
    try:
        return import_module("ray")
    except ModuleNotFoundError:
        raise BadMatch("on: 'ray' is not installed: pip install 'clerestory[ray]'") from None


@contextmanager
def session(ray: Any, workers: int, address: str | None) -> Iterator[None]:
    """Be connected to Ray; a connection that is already there is used and left."""
    if ray.is_initialized():
        yield
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nobody is told of our matches unless it is asked for
    own = {"num_cpus": workers, "include_dashboard": False} if address is None else {}
    owe_answer(address)
    with same_signals():
        ray.init(address=address or "local", log_to_driver=False, logging_level=logging.ERROR, **own)
    try:
        yield
    finally:
        ray.shutdown()


def owe_answer(address: str | None) -> None:
    """Raise OSError where nobody listens; Ray itself would try for minutes."""
    found = re.fullmatch(r"(?:ray://)?(.+):(\d+)", address or "")
    if found is not None:
        try:
            socket.create_connection((found[1], int(found[2])), PATIENCE).close()
        except (OSError, OverflowError) as error:
            raise ConnectionError(f"on: no cluster at {address}: {error}") from None


@contextmanager
def same_signals() -> Iterator[None]:
    """Take back SIGTERM, which Ray makes its own when it begins."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, before)


def on_cluster(ray: Any, play: Callable[..., Any], tasks: Iterator[Task], ahead: int) -> Iterator[list[Played]]:
    """Yield the games of each task as it ends, so many tasks being handed out at a time."""
    pending: list[Any] = []
    try:
        while True:
            pending.extend(play(task, task.match.header()) for task in islice(tasks, ahead - len(pending)))
            if not pending:
                return
            (done,), pending = ray.wait(pending)
            yield games_of(ray, done)
    finally:
        for task in pending:
            ray.cancel(task, force=True)


def games_of(ray: Any, done: Any) -> list[Played]:
    """Return what a task has played, or raise what it has raised."""
    try:
        games: list[Played] = ray.get(done)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None
    return games


def play_alike(task: Task, header: dict[str, Any]) -> list[Played]:
    """Play a task, if this machine's game is that of the one that asks. Raises BadMatch."""
    if task.match.header() != header:
        raise BadMatch(f"on: a machine of the cluster has another game: {task.match.header()}, not {header}")
    return play_task(task)

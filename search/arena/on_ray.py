"""Plays tasks, such as the deals of a match, on a Ray cluster or a local Ray; games are the same as in a process pool.

Ray is optional: `pip install 'clerestory[ray]'`. Every machine of a cluster needs the same version of this package and,
if a catalogue was chosen, that catalogue at the same path.
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

from clerestory.search.arena.errors import BadMatch
from clerestory.search.arena.pool import T, TaskRunner, WorkUnit

CONNECT_TIMEOUT = 10.0  # seconds to wait for a cluster to answer


@contextmanager
def on_ray(workers: int, *, address: str | None = None) -> Iterator[TaskRunner]:
    """Yield a function that plays tasks on Ray, and stop the workers on exit.

    Args:
        workers: number of concurrent tasks; each takes one core of the cluster.
        address: address of a running cluster, for `ray.init`; None starts a local one for the duration of the block.

    Raises BadMatch if Ray is not installed, OSError if the cluster does not answer.
    """
    ray = load_ray()
    with session(ray, workers, address):
        play = ray.remote(num_cpus=1)(play_if_same).remote

        def run(tasks: Iterator[WorkUnit[T]]) -> Iterator[list[T]]:
            return on_cluster(ray, play, tasks, workers)

        yield run


def load_ray() -> Any:
    """Import Ray. Raises BadMatch if it is not installed."""
    try:
        return import_module("ray")
    except ModuleNotFoundError:
        raise BadMatch("on: 'ray' is not installed: pip install 'clerestory[ray]'") from None


@contextmanager
def session(ray: Any, workers: int, address: str | None) -> Iterator[None]:
    """Connect to Ray; use an existing connection and leave it open."""
    if ray.is_initialized():
        yield
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # no usage reports by default
    own = {"num_cpus": workers, "include_dashboard": False} if address is None else {}
    require_answer(address)
    with keep_signals():
        ray.init(address=address or "local", log_to_driver=False, logging_level=logging.ERROR, **own)
    try:
        yield
    finally:
        ray.shutdown()


def require_answer(address: str | None) -> None:
    """Raise OSError if nothing listens at the address; Ray itself would retry for minutes."""
    found = re.fullmatch(r"(?:ray://)?(.+):(\d+)", address or "")
    if found is not None:
        try:
            socket.create_connection((found[1], int(found[2])), CONNECT_TIMEOUT).close()
        except (OSError, OverflowError) as error:
            raise ConnectionError(f"on: no cluster at {address}: {error}") from None


@contextmanager
def keep_signals() -> Iterator[None]:
    """Restore the handler of SIGTERM, which Ray replaces on start."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, before)


def on_cluster(ray: Any, play: Callable[..., Any], tasks: Iterator[WorkUnit[T]], ahead: int) -> Iterator[list[T]]:
    """Yield the results of each task as it finishes, keeping at most `ahead` tasks in flight."""
    pending: list[Any] = []
    try:
        while True:
            pending.extend(play(task, task.header()) for task in islice(tasks, ahead - len(pending)))
            if not pending:
                return
            (done,), pending = ray.wait(pending)
            yield outcome_of(ray, done)
    finally:
        for task in pending:
            ray.cancel(task, force=True)


def outcome_of(ray: Any, done: Any) -> Any:
    """Return the results of a task, or raise its exception."""
    try:
        return ray.get(done)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None


def play_if_same(task: WorkUnit[T], header: dict[str, Any]) -> list[T]:
    """Play a task if this machine has the same game as the caller. Raises BadMatch otherwise."""
    if task.header() != header:
        raise BadMatch(f"on: a machine of the cluster has another game: {task.header()}, not {header}")
    return task.play()

"""The pool plays a few tasks ahead, reports a worker that died, and leaves interrupts to the parent."""

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

import pytest

from tests.search.arena.matches import MATCH, InlinePool, inline, run


@dataclass(frozen=True)
class Masked:
    def play(self, stopped: Callable[[], bool] = lambda: False) -> list[set[int]]:
        return [set(signal.pthread_sigmask(signal.SIG_BLOCK, ()))]

    def header(self) -> dict[str, Any]:
        return {}


def test_the_order_in_which_tasks_finish_changes_nothing() -> None:
    assert run(MATCH, crew=inline, workers=2) == run(MATCH)


def test_few_tasks_are_in_flight() -> None:
    taken: list[int] = []

    def tasks() -> Iterator[Masked]:
        for number in range(100):
            taken.append(number)
            yield Masked()

    with inline(2) as play:
        next(play(tasks()))
    assert len(taken) == 4


def test_workers_are_started_with_interrupts_held_back() -> None:
    """They import much before they could ignore interrupts; an interrupt meanwhile would print a traceback for each."""
    with inline(2) as play:
        masks = [mask for masks in play(iter([Masked()] * 3)) for mask in masks]
    assert [signal.SIGINT in mask for mask in masks] == [True] * 3
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


class BrokenPool(InlinePool):
    def submit(self, _: object, task: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_exception(BrokenProcessPool())
        return future


def test_a_worker_that_the_system_ended_is_reported_in_a_line() -> None:
    with inline(2, BrokenPool()) as play, pytest.raises(ChildProcessError, match="use fewer workers"):
        list(play(iter([Masked()])))


# -- processes -------------------------------------------------------------------------------------


@pytest.mark.system
def test_processes_change_nothing() -> None:
    assert run(MATCH, workers=2) == run(MATCH)

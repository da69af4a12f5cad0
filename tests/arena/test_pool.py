"""The processes of a pool: interrupts are the parent's alone."""

import signal
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from clerestory.arena.pool import on_processes


@dataclass(frozen=True)
class Masked:
    """A task that tells which signals are held back where it is played."""

    def play(self, stopped: Callable[[], bool] = lambda: False) -> list[set[int]]:
        return [set(signal.pthread_sigmask(signal.SIG_BLOCK, ()))]

    def header(self) -> dict[str, Any]:
        return {}


def test_workers_hold_back_interrupts_from_their_start() -> None:
    """Before they could ignore them they import much, and an interrupt meanwhile was a traceback of each."""
    with on_processes(2) as run:
        masks = [mask for masks in run(iter([Masked()] * 3)) for mask in masks]
    assert [signal.SIGINT in mask for mask in masks] == [True] * 3
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())

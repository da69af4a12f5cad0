"""How late a machine wakes those who sleep: callers on it wait as long, whatever a server does."""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from statistics import quantiles

NAP = 0.02  # seconds


@contextmanager
def napping(late: list[float]) -> Iterator[None]:
    """Nap beside the other threads of this process during the block; append the seconds by which each nap was too long.

    Whoever naps waits for a processor and for the interpreter, as callers of this process do for each of their steps.
    """
    over = threading.Event()

    def nap() -> None:
        while True:
            began = time.monotonic()
            if over.wait(NAP):
                return
            late.append(round(time.monotonic() - began - NAP, 6))

    thread = threading.Thread(target=nap)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def p99(times: Sequence[float]) -> float:
    """Return what 99 of 100 are below."""
    return quantiles(times, n=100)[-1]

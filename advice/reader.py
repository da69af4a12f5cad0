"""Whoever reads several answers to one question, and when there is a next one."""

import asyncio
import time
from math import floor

from clerestory.advice.answer import Answer
from clerestory.advice.job import Job

LOOK = 0.25  # seconds between two checks of the certainty of an analysis, at most


class AnswerReader:
    """Whoever takes answers to one question, each when he comes for it.

    Attributes:
        answers: that were given and not yet taken, None after the last.
        came: the reading of time.monotonic at which he came last.
    """

    def __init__(self) -> None:
        self.answers: asyncio.Queue[Answer | None] = asyncio.Queue()
        self.came = 0.0
        self._waits = asyncio.Event()

    async def next(self) -> Answer | None:
        """Wait for the next answer; return None if there is none."""
        self.came = time.monotonic()
        self._waits.set()
        return await self.answers.get()

    def give(self, answer: Answer) -> None:
        """Give the answer for which he waits."""
        self._waits.clear()
        self.answers.put_nowait(answer)

    async def wants(self, done: asyncio.Event) -> bool:
        """Wait until he waits for an answer, but not once something is done; return whether he does."""
        if not self._waits.is_set():
            either = [asyncio.ensure_future(event.wait()) for event in (self._waits, done)]
            try:
                await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for one in either:
                    one.cancel()
        return self._waits.is_set()


async def ended_within(job: Job, moment: float) -> bool:
    """Wait for a search to end, until a reading of the clock at most; return whether it has ended."""
    try:
        async with asyncio.timeout_at(moment):
            await job.done.wait()
    except TimeoutError:
        return False
    return True


def next_look(began: float, interval: float) -> float:
    """Return the reading of the clock at the next tick, or sooner if ticks are far apart."""
    now = time.monotonic()
    return min(now + LOOK, began + interval * (floor((now - began) / interval) + 1))

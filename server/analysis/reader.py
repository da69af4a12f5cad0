"""Passes the answers of a stream to its reader, each when the reader is ready for it."""

import asyncio
import time
from math import floor

from clerestory.server.analysis.active_search import ActiveSearch
from clerestory.server.analysis.answer import Answer

LOOK = 0.25  # maximum seconds between two checks of an analysis's certainty


class AnswerReader:
    """The queue between a search and the reader of its answers.

    Attributes:
        answers: answers not yet taken; None after the last.
        came: when the reader last asked for an answer, by time.monotonic.
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
        """Pass an answer to the waiting reader."""
        self._waits.clear()
        self.answers.put_nowait(answer)

    async def wants(self, done: asyncio.Event) -> bool:
        """Wait until the reader asks for an answer or `done` is set; return whether the reader asked."""
        if not self._waits.is_set():
            either = [asyncio.ensure_future(event.wait()) for event in (self._waits, done)]
            try:
                await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for one in either:
                    one.cancel()
        return self._waits.is_set()


async def ended_within(search: ActiveSearch, moment: float) -> bool:
    """Wait for a search to end, at most until the given time; return whether it has ended."""
    try:
        async with asyncio.timeout_at(moment):
            await search.done.wait()
    except TimeoutError:
        return False
    return True


def next_look(began: float, interval: float) -> float:
    """Return the time of the next tick, or an earlier one if ticks are far apart."""
    now = time.monotonic()
    return min(now + LOOK, began + interval * (floor((now - began) / interval) + 1))

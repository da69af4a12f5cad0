"""The threads that search, and the queue in front of them."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from clerestory.search.ismcts import Searcher
from clerestory.search.result import Result
from clerestory.server.errors import Reason, refuse


class Pool:
    """A fixed number of threads, one search each. Its methods belong to the event loop.

    Args:
        workers: number of threads.
        max_queue: searches that may wait for one.
    """

    def __init__(self, workers: int, max_queue: int) -> None:
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="search")
        self._free = asyncio.Semaphore(workers)
        self._max_queue = max_queue
        self._waiting = 0
        self._running: set[Searcher] = set()
        self._finishing = False

    @property
    def running(self) -> int:
        """Number of searches that occupy a thread."""
        return len(self._running)

    @property
    def waiting(self) -> int:
        """Number of searches that wait for a thread."""
        return self._waiting

    async def run(self, searcher: Searcher, *, deadline: float, iterations: int | None) -> Result:
        """Run a search as soon as a thread is free; if the caller is cancelled, so is the search.

        Args:
            searcher: not running.
            deadline: on time.monotonic(); waiting counts.
            iterations: limit, None for none.

        Raises CallError: BUSY, OUT_OF_TIME or FINISHING.
        """
        await self._wait_for_thread(deadline)
        job = asyncio.get_running_loop().run_in_executor(
            self._threads, partial(searcher.run, deadline=deadline, iterations=iterations)
        )
        self._running.add(searcher)
        job.add_done_callback(lambda _: self._release(searcher))
        try:
            return await asyncio.shield(job)
        except asyncio.CancelledError:
            searcher.stop()
            raise

    async def _wait_for_thread(self, deadline: float) -> None:
        if self._free.locked() and self._waiting >= self._max_queue:
            refuse(Reason.BUSY, "", f"{self.running} searches run and {self._waiting} wait")
        self._waiting += 1
        try:
            async with asyncio.timeout(deadline - time.monotonic()):
                await self._free.acquire()
        except TimeoutError:
            refuse(Reason.OUT_OF_TIME, "", "no thread was free within the time budget")
        finally:
            self._waiting -= 1
        if self._finishing:
            self._free.release()
            refuse(Reason.FINISHING, "", "the server is finishing")

    def _release(self, searcher: Searcher) -> None:
        self._running.discard(searcher)
        self._free.release()

    def finish(self) -> None:
        """End every running search with what it has, and refuse those that wait and those to come."""
        self._finishing = True
        for searcher in self._running:
            searcher.stop()

    async def close(self) -> None:
        """Wait for the threads to end."""
        self.finish()
        await asyncio.to_thread(self._threads.shutdown)

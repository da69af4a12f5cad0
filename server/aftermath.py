"""Gives memory back to the system once a crowd of calls has gone."""

import asyncio
import ctypes

CROWD = 256  # of its calls since memory was last given back
QUIET = 2.0  # seconds since the last of them


class Aftermath:
    """The time after a crowd of calls, when much that they took is free, but still with this process."""

    def __init__(self) -> None:
        self._calls, self._last = 0, 0.0
        self._timer: asyncio.TimerHandle | None = None

    def note(self) -> None:
        """Count a call of a crowd."""
        loop = asyncio.get_running_loop()
        self._calls, self._last = self._calls + 1, loop.time()
        if self._calls >= CROWD and self._timer is None:
            self._timer = loop.call_later(QUIET, self._look)

    def _look(self) -> None:
        loop = asyncio.get_running_loop()
        if loop.time() < self._last + QUIET:
            self._timer = loop.call_at(self._last + QUIET, self._look)
            return
        self._calls, self._timer = 0, None
        loop.run_in_executor(None, give_back)


def give_back() -> None:
    """Give the system the memory that nothing uses, where the C library can: glibc keeps it otherwise."""
    library = ctypes.CDLL(None)
    if hasattr(library, "malloc_trim"):
        library.malloc_trim(0)

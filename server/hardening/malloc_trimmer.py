"""Returns memory to the system after a burst of calls, when much of the process's memory is free but not returned."""

import asyncio
import ctypes

CROWD = 256  # calls since the last memory trim that count as a burst
QUIET = 2.0  # seconds without such a call before the trim


class MallocTrimmer:
    """Schedules a memory trim after a burst of calls."""

    def __init__(self) -> None:
        self._calls, self._last = 0, 0.0
        self._timer: asyncio.TimerHandle | None = None

    def note(self) -> None:
        """Count a call of a burst."""
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
    """Return unused heap memory to the operating system, where the C library supports it; glibc keeps it otherwise."""
    library = ctypes.CDLL(None)
    if hasattr(library, "malloc_trim"):
        library.malloc_trim(0)

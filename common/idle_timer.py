"""A timer that is restarted often and rarely expires: restarting it costs the event loop nothing."""

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Self


class IdleTimer:
    """Calls a function once it has run for some seconds without being restarted or stopped.

    `call_later` would keep each cancelled timer until its time, thousands for a stream. This keeps one, which checks
    when the timer was last restarted. The end of its `with` block stops it for good.

    Args:
        seconds: time until it expires.
        act: the function.

    Attributes:
        expired: whether it has expired since it was last restarted.
    """

    def __init__(self, seconds: float, act: Callable[[], object]) -> None:
        self._seconds, self._act = seconds, act
        self._loop = asyncio.get_running_loop()
        self._since: float | None = None  # None while it is stopped
        self._timer: asyncio.TimerHandle | None = None
        self.expired = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self.stop()
        if self._timer is not None:
            self._timer.cancel()

    def restart(self) -> None:
        """Start it, from the beginning."""
        self._since, self.expired = self._loop.time(), False
        if self._timer is None:
            self._timer = self._loop.call_at(self._since + self._seconds, self._look)

    def stop(self) -> None:
        """Stop it until it is restarted."""
        self._since = None

    def _look(self) -> None:
        self._timer = None
        if self._since is None:
            return
        if self._loop.time() < (ends := self._since + self._seconds):
            self._timer = self._loop.call_at(ends, self._look)
            return
        self._since, self.expired = None, True
        self._act()

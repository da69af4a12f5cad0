"""Manages the lifecycle of a serving process, from startup to shutdown, and logs its stages."""

import asyncio
import logging
import signal
from types import TracebackType
from typing import Self

from clerestory import __version__

logger = logging.getLogger(__name__)


class Lifecycle:
    """The lifecycle of a process: a context manager to use around everything that the process opens."""

    def __init__(self) -> None:
        self._shutdown, self._why, self._serves = asyncio.Event(), "", False

    def end(self, why: str) -> None:
        """Request shutdown; `why` is the name of a signal or a phrase."""
        self._why = self._why or why
        self._shutdown.set()

    def end_on_signals(self) -> None:
        """Request shutdown on SIGTERM and SIGINT."""
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, self.end, number.name)

    async def until_signalled(self, **facts: object) -> None:
        """Log that the process is serving, with facts; wait for a shutdown request, and log that it is draining."""
        self._serves = True
        logger.info("serving", extra={"version": __version__, **facts})
        await self._shutdown.wait()
        logger.info("draining", extra={"why": self._why})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        """Log the end, unless the process never served."""
        if self._serves:
            logger.info("ended", extra={"why": self._why if kind is None else kind.__name__})

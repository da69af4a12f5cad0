"""The life of a process that serves, as its log tells it: from when it answers until it has ended, and why."""

import asyncio
import logging
import signal
from types import TracebackType
from typing import Self

from clerestory import __version__

logger = logging.getLogger(__name__)


class Life:
    """What ends a process that serves. It is entered before, and left when all that it had open is closed."""

    def __init__(self) -> None:
        self._told, self._why, self._serves = asyncio.Event(), "", False

    def end(self, why: str) -> None:
        """Tell the process to end; `why`: the name of a signal, or words."""
        self._why = self._why or why
        self._told.set()

    def end_on_signals(self) -> None:
        """Do so on SIGTERM and SIGINT."""
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, self.end, number.name)

    async def until_told(self, **facts: object) -> None:
        """Return once the process is told to end; the log has when it begins to serve, with facts, and to drain."""
        self._serves = True
        logger.info("serving", extra={"version": __version__, **facts})
        await self._told.wait()
        logger.info("draining", extra={"why": self._why})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        """Log the end, unless the process has never served."""
        if self._serves:
            logger.info("ended", extra={"why": self._why if kind is None else kind.__name__})

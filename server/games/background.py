"""Helpers for background tasks: they log failures and continue, and never wait without a limit."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager, suppress

from clerestory.server.games.store import StoreError
from clerestory.service_errors import ServiceError

EVERY = 1.0  # seconds between two log lines about a failing store

logger = logging.getLogger(__name__)


@contextmanager
def contained(what: str) -> Iterator[None]:
    """Log any failure of the block, and continue; `what` is a noun for the log."""
    try:
        yield
    except (ServiceError, StoreError) as error:
        logger.warning("%s failed: %s", what, error)
    except Exception:
        logger.exception("%s failed", what)


class Seldom:
    """Logs at most one error a second, with the number of errors suppressed before it.

    Args:
        to: the logger.
    """

    def __init__(self, to: logging.Logger) -> None:
        self._to = to
        self._next = 0.0
        self._left_out = 0

    def error(self, text: str) -> None:
        """Log an error, or count it."""
        now = time.monotonic()
        if now < self._next:
            self._left_out += 1
            return
        more = f" ({self._left_out} more errors before)" if self._left_out else ""
        self._next, self._left_out = now + EVERY, 0
        self._to.error("%s%s", text, more)


async def bounded(work: Awaitable[object], within: float) -> None:
    """Wait for an awaitable at most `within` seconds, then cancel it."""
    with suppress(TimeoutError):
        async with asyncio.timeout(within):
            await work

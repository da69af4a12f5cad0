"""Helpers for long-running work: failures logged and contained, waits and caches bounded, long work in threads."""

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import ParamSpec, TypeVar

from clerestory.server.games.store import StoreError
from clerestory.service_errors import ServiceError

EVERY = 1.0  # seconds between two log lines about a failing store
INLINE_LIMIT = 200  # entries or plies that can be read, replayed or written in a few milliseconds
MOST = 10_000  # games in a bounded cache

P = ParamSpec("P")
T = TypeVar("T")

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


async def run_in_thread(size: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run work on `size` entries or plies, in a thread if they are many, and return its result."""
    return work(*args, **kwargs) if size <= INLINE_LIMIT else await asyncio.to_thread(work, *args, **kwargs)


def remember(games: OrderedDict[str, T], game_id: str, value: T, most: int = MOST) -> None:
    """Add a game, and remove the oldest if there are too many."""
    games[game_id] = value
    if len(games) > most:
        games.popitem(last=False)

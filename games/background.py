"""Work in the background that never ends by a failure, and waiting that always ends."""

import asyncio
import logging
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager, suppress

from clerestory.games.store import StoreError
from clerestory.refusals import Refusal

logger = logging.getLogger(__name__)


@contextmanager
def contained(what: str) -> Iterator[None]:
    """Log whatever fails, and go on; `what` is a noun."""
    try:
        yield
    except (Refusal, StoreError) as error:
        logger.warning("%s waits for the store: %s", what, error)
    except Exception:
        logger.exception("%s failed", what)


async def bounded(work: Awaitable[object], within: float) -> None:
    """Wait for something at most so many seconds, then cancel it."""
    with suppress(TimeoutError):
        async with asyncio.timeout(within):
            await work

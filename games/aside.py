"""Work that may take longer than other calls should wait: it leaves the event loop."""

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

AT_ONCE = 200  # entries or plies that are read, replayed or written in a few thousandths of a second

P = ParamSpec("P")
T = TypeVar("T")


async def aside(size: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return the result of work on so many entries or plies; if they are many, it is done in a thread."""
    return work(*args, **kwargs) if size <= AT_ONCE else await asyncio.to_thread(work, *args, **kwargs)

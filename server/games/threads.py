"""Runs long work in a thread, so that it does not block the event loop."""

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

AT_ONCE = 200  # entries or plies that can be read, replayed or written in a few milliseconds

P = ParamSpec("P")
T = TypeVar("T")


async def run_in_thread(size: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run work on `size` entries or plies, in a thread if they are many, and return its result."""
    return work(*args, **kwargs) if size <= AT_ONCE else await asyncio.to_thread(work, *args, **kwargs)

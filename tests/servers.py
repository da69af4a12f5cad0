"""Servers for tests: in a thread of the test's process, so no test waits for another process to be scheduled."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from clerestory.server.app import App, start
from clerestory.server.config import Settings


@contextmanager
def running_app(**settings: Any) -> Iterator[App]:
    """Run a server with a separate event loop in a thread, on a free port; stop it at the end.

    Args:
        settings: fields of `Settings`; by default one worker, and games in memory.
    """
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="server under test")
    thread.start()
    try:
        chosen = Settings(**{"listen": "127.0.0.1:0", "workers": 1, "store": "memory:"} | settings)
        app = asyncio.run_coroutine_threadsafe(start(chosen), loop).result()
        try:
            yield app
        finally:
            asyncio.run_coroutine_threadsafe(app.finish(), loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@contextmanager
def running_server(**settings: Any) -> Iterator[str]:
    """Like `running_app`, but yield the address for gRPC clients."""
    with running_app(**settings) as app:
        yield app.address

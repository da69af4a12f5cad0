"""Servers for tests: in a thread of the test's process, so no test waits for another process to be scheduled."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from clerestory.server.app import App, start
from clerestory.server.config import Settings
from loadtest.faults.proxy import loop_in_thread


@contextmanager
def running_app(**settings: Any) -> Iterator[App]:
    """Run a server with a separate event loop in a thread, on a free port; stop it at the end.

    Args:
        settings: fields of `Settings`; by default one worker, and games in memory.
    """
    with loop_in_thread() as run:
        app = run(start(Settings(**{"listen": "127.0.0.1:0", "workers": 1, "store": "memory:"} | settings)))
        try:
            yield app
        finally:
            run(app.finish())


@contextmanager
def running_server(**settings: Any) -> Iterator[str]:
    """Like `running_app`, but yield the address for gRPC clients."""
    with running_app(**settings) as app:
        yield app.address

"""A private server for the duration of a command: a real `clerestory serve`, with the command's catalogues."""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from clerestory.cli.options import catalogue_options
from clerestory.clients.child import Child, child_server


@contextmanager
def embedded_server(*options: str) -> Iterator[str]:
    """Yield the target of a server that runs for the duration of the `with`, and never outlives this process.

    Args:
        options: of `clerestory serve`.

    Raises Unavailable when it does not start.
    """
    with embedded_child(*options) as child:
        yield child.target


def embedded_child(*options: str) -> AbstractContextManager[Child]:
    """Like `embedded_server`, but yield the process as well."""
    return child_server([sys.executable, "-m", "clerestory", *catalogue_options()], *options)

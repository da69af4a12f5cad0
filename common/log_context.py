"""Imports structlog without optional packages that logs do not use, and exports what is bound to the current call."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["bind_contextvars", "bound_contextvars", "structlog"]


@contextmanager
def absent(*packages: str) -> Iterator[None]:
    """Let imports meanwhile find none of these packages, unless they are loaded already."""
    hidden: dict[str, Any] = {name: None for name in packages if name not in sys.modules}
    sys.modules.update(hidden)
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]


with absent("rich", "greenlet"):  # 4 MB of memory, for tracebacks in colours
    import structlog
    from structlog.contextvars import bind_contextvars, bound_contextvars

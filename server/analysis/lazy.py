"""Creates a searcher on first use, in the searching thread, because touching a tree's memory takes milliseconds."""

from collections.abc import Callable
from threading import Lock
from typing import NoReturn

from clerestory.search.ismcts import Searcher

Make = Callable[[], Searcher]


class LazySearcher:
    """A searcher that is created on first use. All methods except `make` return quickly, without waiting for creation.

    Args:
        make: creates the searcher; called once, by the first thread that needs it.
    """

    def __init__(self, make: Make) -> None:
        self._make = make
        self._made: Searcher | None = None
        self._making, self._state = Lock(), Lock()
        self._allowed: int | None = None
        self._stopped = self._closed = False

    @property
    def iterations(self) -> int:
        """The iterations run from this position."""
        return 0 if self._made is None else self._made.iterations

    @property
    def made(self) -> Searcher | None:
        """The searcher; None before its creation."""
        return self._made

    def allow(self, iterations: int | None) -> None:
        """Set how many more iterations may run; None for no limit."""
        with self._state:
            self._allowed = iterations
            if self._made is not None:
                self._made.allow(iterations)

    def stop(self) -> None:
        """Stop the current run, or otherwise the next one."""
        with self._state:
            self._stopped = True
            if self._made is not None:
                self._made.stop()

    def hold(self) -> Searcher | None:
        """Hold the searcher until its `release`, and return it; None if it does not exist yet."""
        if self._made is not None:
            self._made.hold()
        return self._made

    def make(self) -> Searcher:
        """Return the searcher, held until its `release`; create it if necessary. Raises the errors of its creation."""
        with self._making:
            searcher = self._made or self._first()
            searcher.hold()
            return searcher

    def _first(self) -> Searcher:
        searcher = self._make()
        with self._state:
            searcher.allow(self._allowed)
            if self._stopped:
                searcher.stop()
            if not self._closed:
                self._made = searcher
        return searcher

    def close(self) -> Searcher | None:
        """Release the searcher, and return it; None if there is none. A searcher that is being created is discarded."""
        with self._state:
            self._closed = True
            self._make = raise_ended  # the function may refer to this object
            searcher, self._made = self._made, None
            return searcher


def raise_ended() -> NoReturn:
    """Raise RuntimeError."""
    raise RuntimeError("the search has ended")


def let_go(_: object) -> None:
    """Drop a reference, in a thread that can afford the time to free its memory."""

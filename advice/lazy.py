"""A searcher that is made by the thread that first searches with it: to touch a tree's memory takes milliseconds."""

from collections.abc import Callable
from threading import Lock

from clerestory.search.ismcts import Searcher

Make = Callable[[], Searcher]


class LazySearcher:
    """A searcher that is not there until it is needed. Its methods but `make` are quick, and never wait for one.

    Args:
        make: returns the searcher; it is called once, by the first thread that needs it.
    """

    def __init__(self, make: Make) -> None:
        self._make = make
        self._made: Searcher | None = None
        self._making, self._state = Lock(), Lock()
        self._allowed: int | None = None
        self._stopped = self._closed = False

    @property
    def iterations(self) -> int:
        """Iterations run so far from this position."""
        return 0 if self._made is None else self._made.iterations

    @property
    def made(self) -> Searcher | None:
        """The searcher, None while there is none."""
        return self._made

    def allow(self, iterations: int | None) -> None:
        """Set how many more iterations may be run; None for any number."""
        with self._state:
            self._allowed = iterations
            if self._made is not None:
                self._made.allow(iterations)

    def stop(self) -> None:
        """End the run that is under way, or else the next one."""
        with self._state:
            self._stopped = True
            if self._made is not None:
                self._made.stop()

    def hold(self) -> Searcher | None:
        """Hold the searcher until its `release`, and return it; None if there is none."""
        if self._made is not None:
            self._made.hold()
        return self._made

    def make(self) -> Searcher:
        """Return the searcher, held until its `release`; make it if there is none. Raises what making it raises."""
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
        """Give up the searcher: return it, None if there is none; one that is being made is lost."""
        with self._state:
            self._closed = True
            searcher, self._made = self._made, None
            return searcher


def let_go(_: object) -> None:
    """Do nothing with what is given, in a thread that may take the time to free its memory."""

"""A game in memory, and who has it."""

import asyncio
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import Any

from clerestory.server.games.kept import Kept
from clerestory.server.games.viewer import Viewer


class Live:
    """A game in memory.

    Attributes:
        kept: as it is stored; a new one takes its place when something happens.
        steps: the game before and after each of the entries that were stored last, by version.
        frames: what has been made of it to be shown, forgotten when something happens.
        changed: set when something happens; another one then takes its place.
        users: those who have it.
        watching: those of them who watch it, by what is set when they have something to see.
        mover: the task that moves in it, None while nothing is due.
        found: when it was read from the store, in milliseconds since 1970; 0 for a game made since.
    """

    def __init__(self, kept: Kept, found: int = 0) -> None:
        self.kept = kept
        self.found = found
        self.steps: dict[int, Kept] = {}
        self.frames: dict[Hashable, Any] = {}
        self.changed = asyncio.Event()
        self.lock = asyncio.Lock()
        self.users = 0
        self.watching: dict[asyncio.Event, Viewer] = {}
        self.mover: asyncio.Task[bool] | None = None

    @property
    def asleep(self) -> bool:
        """Whether nobody has it, and nothing is to be done."""
        return not self.users and self.mover is None

    def at(self, version: int) -> Kept:
        """Return the game as it was at a version."""
        return self.steps.get(version) or self.kept.at(version)

    def become(self, kept: Kept) -> None:
        """Take in what is stored by now, and wake up those who wait for it."""
        step, self.steps = self.kept, {self.kept.version: self.kept}
        for entry in kept.entries[self.kept.version :]:
            step = step.copy()
            step.add(entry)
            self.steps[step.version] = step
        self.kept = kept
        self.frames.clear()
        self.wake()

    def wake(self) -> None:
        """Let those who wait look."""
        self.changed.set()
        self.changed = asyncio.Event()
        self._tell()

    @contextmanager
    def watched_by(self, viewer: Viewer) -> Iterator[asyncio.Event]:
        """Count somebody among those who watch; yield what is set whenever there is something to see."""
        news = asyncio.Event()
        self.watching[news] = viewer
        self._tell()
        try:
            yield news
        finally:
            del self.watching[news]
            self._tell()

    def _tell(self) -> None:
        for news in self.watching:
            news.set()

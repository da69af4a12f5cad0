"""A game in memory, and who uses it."""

import asyncio
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import Any

from clerestory.server.games.kept import ServerGame
from clerestory.server.games.viewer import Viewer


class Live:
    """A game in memory.

    Attributes:
        kept: its stored state; replaced on every change.
        steps: the game before and after each of the latest entries, by version.
        frames: cached messages for watchers, cleared on every change.
        changed: set on every change, and then replaced.
        users: number of current users.
        watching: the viewers who watch it, by the event that is set when there is something new for them.
        mover: the task that moves in it, or None while nothing is due.
        found: when it was loaded from the store, in milliseconds since 1970; 0 for a game created since.
    """

    def __init__(self, kept: ServerGame, found: int = 0) -> None:
        self.kept = kept
        self.found = found
        self.steps: dict[int, ServerGame] = {}
        self.frames: dict[Hashable, Any] = {}
        self.changed = asyncio.Event()
        self.lock = asyncio.Lock()
        self.users = 0
        self.watching: dict[asyncio.Event, Viewer] = {}
        self.mover: asyncio.Task[bool] | None = None

    @property
    def asleep(self) -> bool:
        """Whether nobody uses it, and nothing is due."""
        return not self.users and self.mover is None

    def at(self, version: int) -> ServerGame:
        """Return the game as it was at a version."""
        return self.steps.get(version) or self.kept.at(version)

    def become(self, kept: ServerGame) -> None:
        """Switch to the newly stored state, and wake up those who wait for it."""
        step, self.steps = self.kept, {self.kept.version: self.kept}
        for entry in kept.entries[self.kept.version :]:
            step = step.copy()
            step.add(entry)
            self.steps[step.version] = step
        self.kept = kept
        self.frames.clear()
        self.wake()

    def wake(self) -> None:
        """Wake up those who wait."""
        self.changed.set()
        self.changed = asyncio.Event()
        self._tell()

    @contextmanager
    def watched_by(self, viewer: Viewer) -> Iterator[asyncio.Event]:
        """Register a viewer; yield the event that is set whenever there is something new to see."""
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

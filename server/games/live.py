"""A game in memory, and who uses it."""

import asyncio
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import Any

from clerestory.server.games.kept import ServerGame
from clerestory.server.games.viewer import Viewer

MOST_STEPS = 64  # entries of one change that watchers are shown one by one
STEP_BYTES = 24  # of memory, of each entry of a step: three lists


class Live:
    """A game in memory.

    Attributes:
        kept: its stored state; replaced on every change.
        steps: the game before and after each of the latest entries, by version; at most MOST_STEPS of them.
        frames: cached messages for watchers, cleared on every change.
        changed: set on every change, and then replaced.
        users: number of current users.
        watching: the viewers who watch it, by the event that is set when there is something new for them.
        unsure: a write has failed, so the store may have more of it.
        touched: when the store was last told that it was asked for, in milliseconds since 1970; 0 for not yet.
    """

    def __init__(self, kept: ServerGame) -> None:
        self.kept = kept
        self.steps: dict[int, ServerGame] = {}
        self.frames: dict[Hashable, Any] = {}
        self.changed = asyncio.Event()
        self.lock = asyncio.Lock()
        self.users = 0
        self.watching: dict[asyncio.Event, Viewer] = {}
        self.unsure = False
        self.touched = 0

    @property
    def weight(self) -> int:
        """Bytes of memory, about."""
        return self.kept.weight + len(self.steps) * self.kept.version * STEP_BYTES

    def at(self, version: int) -> ServerGame:
        """Return the game as it was at a version."""
        return self.steps.get(version) or self.kept.at(version)

    def become(self, kept: ServerGame) -> None:
        """Switch to the newly stored state, and wake up those who wait for it."""
        step, self.steps = self.kept, {self.kept.version: self.kept}
        for entry in kept.entries[self.kept.version :][:MOST_STEPS]:
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

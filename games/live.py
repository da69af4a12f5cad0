"""A game in memory, and who uses it."""

import asyncio
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from clerestory.games.aside import aside
from clerestory.games.bounds import ANSWER
from clerestory.games.kept import ServerGame
from clerestory.games.viewer import Viewer, horizon
from clerestory.games.watchers import Watchers

MOST_STEPS = 64  # entries of one change that watchers are shown one by one
CHUNK = 100  # entries of one message about what happened before: some 50 KB
MOST_REACHED = 64  # earlier states that are kept while somebody watches
LEAST_HELD, MOST_HELD = 100, int(1000 * ANSWER)  # milliseconds that a turn is shown late
STEP_BYTES = 24  # of memory, of each entry of a step: three lists


class Live:
    """A game in memory.

    Attributes:
        kept: its stored state; replaced on every change.
        steps: the game before and after each of the latest entries, by version; at most MOST_STEPS of them.
        frames: cached messages about the latest version, cleared on every change, and when the last watcher leaves.
        chunks: cached messages about earlier versions, cleared when the last watcher leaves.
        late: what onlookers with a delay last saw, from which what they see next is made.
        changed: set on every change, and then replaced.
        users: number of current users.
        watchers: who watches it.
        unsure: a write has failed, so the store may have more of it.
        held: milliseconds of the turn that went by before it was shown here, if they were many: the store was slow.
        touched: when the store was last told that it was asked for, in milliseconds since 1970; 0 for not yet.
    """

    def __init__(self, kept: ServerGame) -> None:
        self.kept = kept
        self.steps: dict[int, ServerGame] = {}
        self.late: ServerGame | None = None
        self.frames: dict[Hashable, Any] = {}
        self.chunks: dict[Hashable, Any] = {}
        self.changed = asyncio.Event()
        self.lock = asyncio.Lock()
        self.watchers = Watchers()
        self._reached: dict[int, ServerGame] = {}  # earlier states, the one reached last at the end
        self._replaying = asyncio.Lock()
        self.users = 0
        self.unsure = False
        self.held = 0
        self.touched = 0

    @property
    def weight(self) -> int:
        """Bytes of memory, about."""
        late = 0 if self.late is None else self.late.weight
        return self.kept.weight + late + len(self.steps) * self.kept.version * STEP_BYTES

    def known(self, version: int) -> ServerGame | None:
        """Return the game as it was at a version, None if it would have to be replayed."""
        if version == self.kept.version:
            return self.kept
        if self.late is not None and version == self.late.version:
            return self.late
        return self.steps.get(version) or self._reached.get(version)

    def after(self, before: ServerGame, version: int) -> ServerGame:
        """Return the game as it was at a version, not far after one that the caller has."""
        return self.known(version) or self._remember(before.until(self.kept, version))

    async def reach(self, version: int) -> ServerGame:
        """Return the game as it was at any version; it is replayed once for all who want it at the same time."""
        if (known := self.known(version)) is not None:
            return known
        async with self._replaying:
            if (known := self.known(version)) is not None:
                return known
            before = self._nearest(version)
            return self._remember(await aside(version - before.version, before.until, self.kept, version))

    def _nearest(self, version: int) -> ServerGame:
        """Return the latest state that is known from before a version."""
        known = [self.late, *self._reached.values(), *islice(self.steps.values(), 1)]
        before = [one for one in known if one is not None and one.version <= version]
        return max(before, key=lambda one: one.version, default=None) or ServerGame(self.kept.head)

    def _remember(self, kept: ServerGame) -> ServerGame:
        """Keep an earlier state as long as somebody watches: others may see the same."""
        if self.watchers:
            self._reached[kept.version] = kept
            if len(self._reached) > MOST_REACHED:
                del self._reached[next(iter(self._reached))]
        return kept

    async def visible(self, viewer: Viewer) -> ServerGame:
        """Return the game as far as a viewer may see it; replayed once for all onlookers who see it late."""
        kept = await self.reach(horizon(self.kept, viewer))
        if kept.version < self.kept.version:
            self.late = kept
        return kept

    def become(self, kept: ServerGame, now: int) -> None:
        """Switch to the stored state, usually a later one, and wake up those who wait for it.

        Args:
            kept: the state.
            now: milliseconds since 1970, by the clock of the store.
        """
        if kept.since != self.kept.since:
            self.show(kept, now)
        if not kept.follows(self.kept):
            self.kept, self.late = kept, None
            self._forget()
        step, self.steps = self.kept, {self.kept.version: self.kept}
        for entry in kept.entries[self.kept.version :][:MOST_STEPS]:
            step = step.copy()
            step.add(entry)
            self.steps[step.version] = step
        self.kept = kept
        self.frames.clear()
        self.wake()

    def show(self, kept: ServerGame, now: int) -> None:
        """Note that a turn is shown, and may be played, from now on."""
        late = now - kept.since
        self.held = min(late, MOST_HELD) if late >= LEAST_HELD else 0

    def wake(self) -> None:
        """Wake up those who wait."""
        self.changed.set()
        self.changed = asyncio.Event()
        self.watchers.wake()

    @contextmanager
    def watched_by(self, viewer: Viewer) -> Iterator[asyncio.Event]:
        """Register a viewer; yield the event that is set whenever there is something new to see."""
        news = self.watchers.enter(viewer)
        try:
            yield news
        finally:
            self.watchers.leave(news)
            if not self.watchers:
                self._forget()

    def _forget(self) -> None:
        """Forget what is kept for those who watch."""
        self.frames.clear()
        self.chunks.clear()
        self._reached.clear()

"""A game in memory, with cached states and its watchers."""

import asyncio
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from clerestory.server.games.aside import aside
from clerestory.server.games.bounds import ANSWER
from clerestory.server.games.kept import ServerGame
from clerestory.server.games.viewer import Viewer, horizon
from clerestory.server.games.watchers import Watchers

MOST_STEPS = 64  # entries of one change that watchers see one by one
CHUNK = 100  # entries in one message about earlier events: about 50 KB
MOST_REACHED = 64  # earlier states kept while there are watchers
LEAST_HELD, MOST_HELD = 100, int(1000 * ANSWER)  # range of a turn's delay before it is shown, in milliseconds
STEP_BYTES = 24  # memory of each entry in a step: three lists


class Live:
    """A game in memory.

    Attributes:
        kept: its stored state; replaced on every change.
        steps: the game before and after each of the latest entries, by version; at most MOST_STEPS of them.
        frames: cached messages about the latest version, cleared on every change and when the last watcher leaves.
        chunks: cached messages about earlier versions, cleared when the last watcher leaves.
        late: the state that delayed onlookers saw last, as a basis for the next one.
        changed: set on every change, and then replaced.
        users: number of current users.
        watchers: the watchers.
        unsure: whether a write has failed, so that the store may have more entries.
        held: milliseconds of the turn that passed before it was shown here, because the store was slow; 0 if few.
        touched: when its last access was stored, in milliseconds since 1970; 0 for never.
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
        self._reached: dict[int, ServerGame] = {}  # earlier states, most recently added last
        self._replaying = asyncio.Lock()
        self.users = 0
        self.unsure = False
        self.held = 0
        self.touched = 0

    @property
    def weight(self) -> int:
        """The approximate memory in bytes."""
        late = 0 if self.late is None else self.late.weight
        return self.kept.weight + late + len(self.steps) * self.kept.version * STEP_BYTES

    def known(self, version: int) -> ServerGame | None:
        """Return the game at a version; None if it would have to be replayed."""
        if version == self.kept.version:
            return self.kept
        if self.late is not None and version == self.late.version:
            return self.late
        return self.steps.get(version) or self._reached.get(version)

    def after(self, before: ServerGame, version: int) -> ServerGame:
        """Return the game at a version shortly after a state that the caller has."""
        return self.known(version) or self._remember(before.until(self.kept, version))

    async def reach(self, version: int) -> ServerGame:
        """Return the game at any version, replayed once for all concurrent callers."""
        if (known := self.known(version)) is not None:
            return known
        async with self._replaying:
            if (known := self.known(version)) is not None:
                return known
            before = self._nearest(version)
            return self._remember(await aside(version - before.version, before.until, self.kept, version))

    def _nearest(self, version: int) -> ServerGame:
        """Return the latest known state before a version."""
        known = [self.late, *self._reached.values(), *islice(self.steps.values(), 1)]
        before = [one for one in known if one is not None and one.version <= version]
        return max(before, key=lambda one: one.version, default=None) or ServerGame(self.kept.head)

    def _remember(self, kept: ServerGame) -> ServerGame:
        """Keep an earlier state while there are watchers, because others may need it."""
        if self.watchers:
            self._reached[kept.version] = kept
            if len(self._reached) > MOST_REACHED:
                del self._reached[next(iter(self._reached))]
        return kept

    async def visible(self, viewer: Viewer) -> ServerGame:
        """Return the game as far as a viewer may see it, replayed once for all delayed onlookers."""
        kept = await self.reach(horizon(self.kept, viewer))
        if kept.version < self.kept.version:
            self.late = kept
        return kept

    def become(self, kept: ServerGame, now: int) -> None:
        """Switch to the stored state, usually a later one, and wake up waiters.

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
        """Record that a turn becomes visible and playable at this time."""
        late = now - kept.since
        self.held = min(late, MOST_HELD) if late >= LEAST_HELD else 0

    def wake(self) -> None:
        """Wake up all waiters."""
        self.changed.set()
        self.changed = asyncio.Event()
        self.watchers.wake()

    @contextmanager
    def watched_by(self, viewer: Viewer) -> Iterator[asyncio.Event]:
        """Register a viewer; yield the event that is set whenever there is news for it."""
        news = self.watchers.enter(viewer)
        try:
            yield news
        finally:
            self.watchers.leave(news)
            if not self.watchers:
                self._forget()

    def _forget(self) -> None:
        """Clear the data that is kept for watchers."""
        self.frames.clear()
        self.chunks.clear()
        self._reached.clear()

"""Counts the watchers of a game, informs them of each other, and wakes them up a few at a time."""

import asyncio
from collections import Counter
from collections.abc import Iterable

from clerestory.counting import decrease
from clerestory.server.games.viewer import Presence, Viewer, presence_of

PRESENCE_INTERVAL_S = 1.0  # minimum between two presence updates
INTERVAL_EACH_S = 0.005  # minimum per watcher
WAKES = 4  # watchers to wake up before other calls get a turn


class Watchers:
    """The watchers of a game.

    Attributes:
        number: number of presence updates so far.
    """

    def __init__(self) -> None:
        self.number = 0
        self._viewers: dict[asyncio.Event, Viewer] = {}
        self._alike: Counter[Viewer] = Counter()
        self._presence: Presence | None = None  # None after a change, until it is needed
        self._sleeping: list[asyncio.Event] = []  # waiters to wake up
        self._told = float("-inf")  # time of the last presence update
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._viewers)

    @property
    def presence(self) -> Presence:
        """The present watchers, computed once after each change."""
        if self._presence is None:
            self._presence = presence_of(self._alike)
        return self._presence

    def alike(self, viewer: Viewer) -> int:
        """Return the number of watchers with equal tokens."""
        return self._alike[viewer]

    def enter(self, viewer: Viewer) -> asyncio.Event:
        """Add a watcher; return the event that is set when there is news for it."""
        news = asyncio.Event()
        self._viewers[news] = viewer
        self._alike[viewer] += 1
        self._change()
        return news

    def leave(self, news: asyncio.Event) -> None:
        """Remove a watcher."""
        viewer = self._viewers.pop(news)
        decrease(self._alike, viewer)
        self._change()

    def _change(self) -> None:
        """Schedule a presence update, now or at the end of the interval."""
        self._presence = None
        if not self._viewers and self._timer is not None:
            self._timer.cancel()
            self._timer = None
        elif self._viewers and self._timer is None:
            interval = max(PRESENCE_INTERVAL_S, INTERVAL_EACH_S * len(self._viewers))
            self._timer = asyncio.get_running_loop().call_at(self._told + interval, self._tell)

    def _tell(self) -> None:
        self._timer = None
        self._told = asyncio.get_running_loop().time()
        self.number += 1
        self.wake()

    def wake(self) -> None:
        """Wake up all watchers, a few at a time."""
        if self._viewers:
            begin = not self._sleeping
            self._sleeping = ordered(self._sleeping, self._viewers)
            if begin:
                self._wake_some()

    def _wake_some(self) -> None:
        now, self._sleeping = self._sleeping[:WAKES], self._sleeping[WAKES:]
        for news in now:
            news.set()
        if self._sleeping:
            asyncio.get_running_loop().call_soon(self._wake_some)


def ordered(first: Iterable[asyncio.Event], others: Iterable[asyncio.Event]) -> list[asyncio.Event]:
    """Return all events once, with some of them first."""
    return [*dict.fromkeys([*first, *others])]

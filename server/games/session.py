"""A game in memory, with cached states, its watchers, who are woken up a few at a time, and their set phrases."""

import asyncio
from collections import Counter, deque
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, NamedTuple

from clerestory.counting import decrease
from clerestory.server.games.background import run_in_thread
from clerestory.server.games.bounds import ANSWER
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.viewer import Presence, Viewer, horizon, presence_of
from clerestory.service_errors import Reason, ServiceError

PRESENCE_INTERVAL_S = 1.0  # minimum between two presence updates
INTERVAL_EACH_S = 0.005  # minimum per watcher
WAKES = 4  # watchers to wake up before other calls get a turn
MOST_STEPS = 64  # entries of one change that watchers see one by one
CHUNK = 100  # entries in one message about earlier events: about 50 KB
MOST_REACHED = 64  # earlier states kept while there are watchers
LEAST_HELD, MOST_HELD = 100, int(1000 * ANSWER)  # range of a turn's delay before it is shown, in milliseconds
STEP_BYTES = 24  # memory of each entry in a step: three lists
PHRASE_BURST = 3  # phrases of a seat in a row
PHRASE_INTERVAL_MS = 5000  # milliseconds until a seat may send another one after those
KEPT_PHRASES = 32  # latest phrases, for watchers that have not read them yet


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
        self._updated = float("-inf")  # time of the last presence update
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
            self._timer = asyncio.get_running_loop().call_at(self._updated + interval, self._update_presence)

    def _update_presence(self) -> None:
        self._timer = None
        self._updated = asyncio.get_running_loop().time()
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


class SentPhrase(NamedTuple):
    """A phrase of a seat, with its number in the game, from 1."""

    number: int
    seat: int
    phrase: int


class Phrases:
    """The latest phrases of a game.

    Attributes:
        number: phrases sent so far.
    """

    def __init__(self) -> None:
        self.number = 0
        self._latest: deque[SentPhrase] = deque(maxlen=KEPT_PHRASES)
        self._sent: dict[int, tuple[int, int]] = {}  # by seat: its latest phrase, and when
        self._full: dict[int, int] = {}  # by seat: when its leaky bucket is empty, in milliseconds since 1970

    def send(self, seat: int, phrase: int, now: int) -> bool:
        """Add a phrase; return False for a repetition, which has no effect.

        Args:
            seat: the seat that sends it.
            phrase: number of the phrase.
            now: milliseconds since 1970.

        Raises ServiceError: TOO_MANY_PHRASES.
        """
        latest, sent = self._sent.get(seat, (0, 0))
        if phrase == latest and now - sent < PHRASE_INTERVAL_MS:
            return False
        empty = max(self._full.get(seat, now), now)
        wait = empty - now - (PHRASE_BURST - 1) * PHRASE_INTERVAL_MS
        if wait > 0:
            fault = f"seat {seat} has sent {PHRASE_BURST} in a row; the next is possible in {wait} ms"
            raise ServiceError(Reason.TOO_MANY_PHRASES, [("phrase", fault)], retry=wait / 1000)
        self._full[seat], self._sent[seat] = empty + PHRASE_INTERVAL_MS, (phrase, now)
        self.number += 1
        self._latest.append(SentPhrase(self.number, seat, phrase))
        return True

    def since(self, number: int) -> tuple[SentPhrase, ...]:
        """Return the phrases after a number, as far as they are kept."""
        return tuple(one for one in self._latest if one.number > number)


class GameSession:
    """A game in memory.

    Attributes:
        hosted: its stored state; replaced on every change.
        steps: while it is watched, the game before and after each of the latest entries, by version; at most
            MOST_STEPS of them.
        states: cached messages with the latest state, cleared on every change and when the last watcher leaves.
        earlier_states: those with states of earlier versions, cleared when the last watcher leaves.
        entries: those with an entry each, cleared when the last watcher leaves.
        late: the state that delayed onlookers saw last, as a basis for the next one.
        changed: set on every change, and then replaced.
        users: number of current users.
        watchers: the watchers.
        phrases: what the players have said to each other lately.
        unsure: whether a write has failed, so that the store may have more entries.
        held: milliseconds of the turn that passed before it was shown here, because the store was slow; 0 if few.
        touched: when its last access was stored, in milliseconds since 1970; 0 for never.
    """

    def __init__(self, hosted: HostedGame) -> None:
        self.hosted = hosted
        self.steps: dict[int, HostedGame] = {}
        self.late: HostedGame | None = None
        self.states: dict[Hashable, Any] = {}
        self.earlier_states: dict[Hashable, Any] = {}
        self.entries: dict[Hashable, Any] = {}
        self.changed = asyncio.Event()
        self.lock = asyncio.Lock()
        self.watchers = Watchers()
        self.phrases = Phrases()
        self._reached: dict[int, HostedGame] = {}  # earlier states, most recently added last
        self._replaying = asyncio.Lock()
        self.users = 0
        self.unsure = False
        self.held = 0
        self.touched = 0

    @property
    def weight(self) -> int:
        """The approximate memory in bytes."""
        late = 0 if self.late is None else self.late.weight
        return self.hosted.weight + late + len(self.steps) * self.hosted.version * STEP_BYTES

    def known(self, version: int) -> HostedGame | None:
        """Return the game at a version; None if it would have to be replayed."""
        if version == self.hosted.version:
            return self.hosted
        if self.late is not None and version == self.late.version:
            return self.late
        return self.steps.get(version) or self._reached.get(version)

    def after(self, before: HostedGame, version: int) -> HostedGame:
        """Return the game at a version shortly after a state that the caller has."""
        return self.known(version) or self._remember(before.until(self.hosted, version))

    async def reach(self, version: int) -> HostedGame:
        """Return the game at any version, replayed once for all concurrent callers."""
        if (known := self.known(version)) is not None:
            return known
        async with self._replaying:
            if (known := self.known(version)) is not None:
                return known
            before = self._nearest(version)
            return self._remember(await run_in_thread(version - before.version, before.until, self.hosted, version))

    def _nearest(self, version: int) -> HostedGame:
        """Return the latest known state before a version."""
        known = [self.late, *self._reached.values(), *islice(self.steps.values(), 1)]
        before = [one for one in known if one is not None and one.version <= version]
        return max(before, key=lambda one: one.version, default=None) or HostedGame(self.hosted.head)

    def _remember(self, hosted: HostedGame) -> HostedGame:
        """Keep an earlier state while there are watchers, because others may need it."""
        if self.watchers:
            self._reached[hosted.version] = hosted
            if len(self._reached) > MOST_REACHED:
                del self._reached[next(iter(self._reached))]
        return hosted

    async def visible(self, viewer: Viewer) -> HostedGame:
        """Return the game as far as a viewer may see it, replayed once for all delayed onlookers."""
        hosted = await self.reach(horizon(self.hosted, viewer))
        if hosted.version < self.hosted.version:
            self.late = hosted
        return hosted

    def become(self, hosted: HostedGame, now: int) -> None:
        """Switch to the stored state, usually a later one, and wake up waiters.

        Args:
            hosted: the state.
            now: milliseconds since 1970, by the clock of the store.
        """
        if hosted.since != self.hosted.since:
            self.show(hosted, now)
        if not hosted.follows(self.hosted):
            self.hosted, self.late = hosted, None
            self._forget()
        self.steps = self._steps_to(hosted) if self.watchers else {}
        self.hosted = hosted
        self.states.clear()
        self.wake()

    def _steps_to(self, hosted: HostedGame) -> dict[int, HostedGame]:
        """Return the game now and after each of the next entries, by version."""
        step = self.hosted
        steps = {step.version: step}
        for entry in hosted.entries[step.version :][:MOST_STEPS]:
            step = step.copy()
            step.add(entry)
            steps[step.version] = step
        return steps

    def show(self, hosted: HostedGame, now: int) -> None:
        """Record that a turn becomes visible and playable at this time."""
        late = now - hosted.since
        self.held = min(late, MOST_HELD) if late >= LEAST_HELD else 0

    def say(self, seat: int, phrase: int, now: int) -> None:
        """Send a phrase to the watchers, as in `Phrases.send`."""
        if self.phrases.send(seat, phrase, now):
            self.watchers.wake()

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
        self.steps.clear()
        self.states.clear()
        self.earlier_states.clear()
        self.entries.clear()
        self._reached.clear()

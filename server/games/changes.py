"""Applies changes to games: tries each on a copy, stores it, and only then shows it."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Protocol, TypeVar

from clerestory.server.games.cache import GameCache, typed
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.log import Onlookers
from clerestory.server.games.session import GameSession
from clerestory.server.games.store import Batch, Conflict, Key, Store, Summary
from clerestory.service_errors import ServiceError
from clerestory.spans import part

logger = logging.getLogger(__name__)

T = TypeVar("T")


class StoreListener(Protocol):
    """A callback for every stored game."""

    def __call__(self, before: HostedGame | None, hosted: HostedGame) -> None:
        """React to a game and its previous state, None for a new game. The two may be the same."""


class Changes:
    """Applies changes to games.

    Args:
        store: the store of games.
        cache: the cache of games.
        stored: called with each stored game.
        doubted: called as `stored` after a failed write, which may still have been stored.
    """

    def __init__(self, store: Store, cache: GameCache, stored: StoreListener, doubted: StoreListener) -> None:
        self._store = store
        self._cache = cache
        self._stored = stored
        self._doubted = doubted
        self._under_way: set[asyncio.Task[Any]] = set()

    async def create(self, hosted: HostedGame, keys: Sequence[Key]) -> None:
        """Store a new game. Raises ServiceError: DISK_FULL, STORE_FAILED; Conflict for an existing key."""
        await self._whole(self._create(hosted, keys))

    async def _create(self, hosted: HostedGame, keys: Sequence[Key]) -> None:
        with part("store"), typed():
            await self._store.create(hosted.head, Batch(hosted.entries, summary_of(hosted), keys))
        self._cache.add(hosted)
        self._stored(None, hosted)

    async def change(
        self, live: GameSession, act: Callable[[HostedGame], T], keys: Callable[[T], Sequence[Key]], *, owned: bool
    ) -> tuple[T, HostedGame]:
        """Change a game, as `GameManager.change` describes."""
        return await self._whole(self._change(live, act, keys, owned))

    async def _change(
        self, live: GameSession, act: Callable[[HostedGame], T], keys: Callable[[T], Sequence[Key]], owned: bool
    ) -> tuple[T, HostedGame]:
        with self._cache.use(live):  # even if the caller has left
            async with live.lock:
                return await self._carry_out(live, act, keys, owned)

    async def _carry_out(
        self, live: GameSession, act: Callable[[HostedGame], T], keys: Callable[[T], Sequence[Key]], owned: bool
    ) -> tuple[T, HostedGame]:
        while True:
            before, plan = live.hosted, live.hosted.copy()
            result = act(plan)
            if plan.version > live.hosted.version and not await self._append(live, plan, keys(result), owned):
                continue
            self._stored(before, plan)  # even for a repeated request, because its first response may have been lost
            return result, plan

    async def _append(self, live: GameSession, plan: HostedGame, keys: Sequence[Key], owned: bool) -> bool:
        """Store a change; return False if another change came first, which `act` must see."""
        before = live.hosted
        try:
            batch = Batch(plan.entries[before.version :], summary_of(plan), keys)
            with part("store") as span, typed():
                span.note(entries=len(batch.entries))
                await self._store.append(plan.head.game_id, before.version, batch, owned=owned)
        except Conflict:  # an existing key, a faster server, or a successful write that was reported as failed
            await self._cache.reload(live)
            if live.hosted is before:
                raise
            return False
        except ServiceError:
            live.unsure = True
            self._doubted(before, plan)
            raise
        live.become(plan, self._store.now())
        return True

    async def _whole(self, change: Coroutine[Any, Any, T]) -> T:
        """Run a change to completion, even if its caller leaves."""
        task = asyncio.create_task(change)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.add_done_callback(unheard)
            raise

    async def finish(self, within: float) -> None:
        """Wait for changes in progress, at most `within` seconds."""
        if self._under_way:
            await asyncio.wait(self._under_way, timeout=within)


def unheard(change: asyncio.Task[Any]) -> None:
    """Log the error of a change whose caller has left, unless it is a service error."""
    error = None if change.cancelled() else change.exception()
    if error is not None and not isinstance(error, ServiceError | Conflict):
        logger.error("a change failed after its caller had left", exc_info=error)


def summary_of(hosted: HostedGame) -> Summary:
    """Return the columns that the store uses to find games."""
    status = "over" if hosted.over else "open" if hosted.waiting else "running"
    shown = hosted.head.options.onlookers == Onlookers.ALL or (status == "open" and hosted.head.options.listed)
    due = hosted.since if hosted.mover is not None else None if hosted.deadline is None else int(hosted.deadline)
    return Summary(status, shown, due, hosted.bots_only)

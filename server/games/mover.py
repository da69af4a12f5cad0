"""Moves by the server, for its bots and for people who run out of time. Each is an ordinary search of the advisor."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from clerestory.server.errors import CallError, Reason
from clerestory.server.games.course import play_bot
from clerestory.server.games.keeper import Keeper
from clerestory.server.games.kept import ServerGame
from clerestory.server.games.live import Live
from clerestory.server.games.log import BotSettings
from clerestory.server.games.store import Conflict

LEAST_NOTICE = 10.0  # seconds that a person has after the server has reloaded a game, whatever the deadline was
SOON, LATE = 0.5, 30.0  # seconds between attempts to search or store a move, growing from the first to the second
PASSING = (Reason.BUSY, Reason.DISK_FULL, Reason.STORE_FAILED)

logger = logging.getLogger(__name__)

T = TypeVar("T")
# takes a game, a seat and how it plays; returns the text of its move
Choose = Callable[[ServerGame, int, BotSettings], Awaitable[str]]


async def move_on(choose: Choose, keeper: Keeper, live: Live) -> None:
    """Move in a game as long as the server has to."""
    pause = SOON
    while not keeper.finishing:
        kept = live.kept
        if kept.mover is None and kept.deadline is None:
            return
        try:
            await move_once(choose, keeper, live)
            pause = SOON
        except Conflict:
            return  # another server owns it now
        except CallError as error:
            if error.reason == Reason.FINISHING:
                return
            if error.reason == Reason.STALE_VERSION:
                continue
            if error.reason not in PASSING:
                logger.exception("the server could not move in game %s", kept.head.game_id)
            await either(asyncio.sleep(error.retry or pause), live)
            pause = min(2 * pause, LATE)


async def move_once(choose: Choose, keeper: Keeper, live: Live) -> None:
    """Choose and play a move, unless the game changes first. Raises CallError."""
    kept = live.kept
    seat, bot = kept.mover, None
    if seat is not None:
        bot = kept.seats[seat].bot
    elif kept.deadline is not None:
        wait = due(kept.deadline, kept.since, live.found) - keeper.now()
        if wait > 0:
            await either(asyncio.sleep(wait / 1000), live)
            return
        seat, bot = kept.turn, kept.head.options.play_on
    if seat is None or bot is None:
        return
    text = await either(choose(kept, seat, bot), live)
    if text is not None:
        await keeper.change(live, partial(play_bot, version=kept.version, text=text, moment=keeper.now()), owned=True)


def due(deadline: float, since: int, found: int) -> float:
    """Return when to move for a person: at the deadline, but not at once if it passed while the server was down."""
    return deadline if since >= found else max(deadline, found + 1000 * LEAST_NOTICE)


async def either(doing: Awaitable[T], live: Live) -> T | None:
    """Return the result of an awaitable, or cancel it and return None if the game changes first."""
    task, changed = asyncio.ensure_future(doing), asyncio.ensure_future(live.changed.wait())
    try:
        await asyncio.wait((task, changed), return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else None
    finally:
        for one in (task, changed):
            one.cancel()
        await asyncio.gather(task, changed, return_exceptions=True)

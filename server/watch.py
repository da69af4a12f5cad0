"""Streams a running game: a state after every entry, or the latest to a slow reader, so there is never a backlog."""

import asyncio
from collections.abc import Awaitable, Callable

from clerestory.games.course import stale
from clerestory.games.keeper import Keeper
from clerestory.games.kept import ServerGame
from clerestory.games.live import Live
from clerestory.games.viewer import Viewer, horizon
from clerestory.refusals import Reason, refuse
from clerestory.server.translate_games import write_presence, write_state
from clerestory.v1 import games_pb2 as games

MOST = 250  # entries of one message: some 50 KB, made in a few thousandths of a second
FEW = 16  # entries of a message that is cached
HEARTBEAT = 15.0  # seconds without a message after which a keep-alive is sent

Write = Callable[[games.WatchGameResponse], Awaitable[None]]


async def watch(keeper: Keeper, live: Live, viewer: Viewer, cursor: int | None, write: Write) -> None:
    """Write states until the game is over.

    Args:
        keeper: of the game; the stream ends when it finishes.
        live: the game.
        viewer: who watches.
        cursor: version that the viewer knows, None for none.
        write: sends a message; waits for a slow reader.

    Raises Refusal: STALE_VERSION for a version that does not exist yet, FINISHING.
    """
    latest = horizon(live.kept, viewer)
    if cursor is not None and cursor > latest:
        raise stale(cursor, latest)
    with live.watched_by(viewer) as news:
        shown = await live.reach(latest if cursor is None else cursor)
        present = write_presence(live.watching.values())
        first = games.WatchGameResponse(presence=present)
        kept = live.after(shown, min(latest, shown.version + MOST))
        first.MergeFrom(frame(live, viewer, shown, kept))
        await write(first)
        shown = kept
        while not (live.kept.over and shown.version == live.kept.version):
            if keeper.finishing:
                refuse(Reason.FINISHING, "", "the server is shutting down; resume with from_version")
            news.clear()
            there = write_presence(live.watching.values())
            step = next_step(live, viewer, shown.version)
            if step is not None:
                kept = live.after(shown, step)
                await write(frame(live, viewer, shown, kept))
                shown = kept
            elif there != present:
                await write(games.WatchGameResponse(presence=there))
                present = there
            elif not await set_within(news, HEARTBEAT):
                await write(games.WatchGameResponse())


def next_step(live: Live, viewer: Viewer, seen: int) -> int | None:
    """Return the version to show next, None while there is nothing new.

    For a reader who keeps up it is the version after the next entry, for a slow one the latest, or MOST entries on.
    """
    latest = horizon(live.kept, viewer)
    if latest <= seen:
        return None
    return seen + 1 if seen in live.steps and latest == live.kept.version else min(latest, seen + MOST)


def frame(live: Live, viewer: Viewer, shown: ServerGame, kept: ServerGame) -> games.WatchGameResponse:
    """Return a state with the entries since the one shown before; if few, it is cached for viewers who see the same."""
    key = viewer, shown.version, kept.version
    made: games.WatchGameResponse | None = live.frames.get(key)
    if made is None:
        made = write_state(shown, kept, viewer, present=kept.version == live.kept.version)
        if kept.version - shown.version <= FEW:
            live.frames[key] = made
    return made


async def set_within(event: asyncio.Event, seconds: float) -> bool:
    """Wait for an event, at most so many seconds; return whether it was set."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    return True

"""Streams a running game: a state after every entry, or the latest to a slow reader, so there is never a backlog."""

import asyncio
from collections.abc import Awaitable, Callable

from clerestory.server.errors import Reason, refuse
from clerestory.server.games.course import require_version
from clerestory.server.games.keeper import Keeper
from clerestory.server.games.live import Live
from clerestory.server.games.translate_games import write_presence, write_state
from clerestory.server.games.viewer import Viewer, horizon, visible
from clerestory.v1 import games_pb2 as games

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

    Raises CallError: STALE_VERSION for a version that does not exist yet, FINISHING.
    """
    seen = horizon(live.kept, viewer)
    if cursor is not None and cursor > seen:
        require_version(visible(live.kept, viewer), cursor)
    with live.watched_by(viewer) as news:
        present = write_presence(live.watching.values())
        first = games.WatchGameResponse(presence=present)
        first.MergeFrom(frame(live, viewer, seen if cursor is None else cursor, seen))
        await write(first)
        while not (live.kept.over and seen == live.kept.version):
            if keeper.finishing:
                refuse(Reason.FINISHING, "", "the server is shutting down; resume with from_version")
            news.clear()
            there = write_presence(live.watching.values())
            step = next_step(live, viewer, seen)
            if step is not None:
                await write(frame(live, viewer, seen, step))
                seen = step
            elif there != present:
                await write(games.WatchGameResponse(presence=there))
                present = there
            elif not await set_within(news, HEARTBEAT):
                await write(games.WatchGameResponse())


def next_step(live: Live, viewer: Viewer, seen: int) -> int | None:
    """Return the version to show next, None while there is nothing new.

    For a reader who keeps up it is the version after the next entry, for a slow one the latest.
    """
    latest = horizon(live.kept, viewer)
    if latest <= seen:
        return None
    return seen + 1 if seen in live.steps and latest == live.kept.version else latest


def frame(live: Live, viewer: Viewer, since: int, version: int) -> games.WatchGameResponse:
    """Return the state of a version with the entries since another; cached for viewers who see the same."""
    key = viewer, since, version
    if key not in live.frames:
        present = version == live.kept.version
        live.frames[key] = write_state(live.at(since), live.at(version), viewer, present=present)
    found: games.WatchGameResponse = live.frames[key]
    return found


async def set_within(event: asyncio.Event, seconds: float) -> bool:
    """Wait for an event, at most so many seconds; return whether it was set."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    return True

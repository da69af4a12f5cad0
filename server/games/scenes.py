"""Produces the stream of a running game for a watcher: every entry, or only the latest state for a slow reader."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from clerestory.idle_timer import IdleTimer
from clerestory.server.games.commands import stale
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.manager import GameManager
from clerestory.server.games.session import CHUNK, GameSession, SentPhrase
from clerestory.server.games.viewer import Presence, Viewer, horizon, require_valid
from clerestory.service_errors import Reason, raise_error

AFTER_END_MS = 300_000  # milliseconds that a stream may go on after the end of the game
HEARTBEAT = 15.0  # seconds without news after which an empty scene keeps the stream alive


@dataclass(frozen=True, slots=True)
class Scene:
    """The next update for a watcher.

    Attributes:
        before: the game as the watcher saw it last.
        hosted: the current game; None if it is unchanged.
        presence: the present watchers; None if unchanged.
        phrases: phrases sent since the previous scene.
    """

    before: HostedGame
    hosted: HostedGame | None = None
    presence: Presence | None = None
    phrases: tuple[SentPhrase, ...] = ()


async def scenes(
    manager: GameManager, live: GameSession, viewer: Viewer, cursor: int | None, *, after_end: bool = False
) -> AsyncGenerator[Scene, None]:
    """Yield the updates for a watcher, beginning with the latest version, until the game is over.

    Args:
        manager: the game manager; the stream ends when it shuts down.
        live: the game.
        viewer: the watcher.
        cursor: the version that the watcher already has, None for none.
        after_end: whether to go on for AFTER_END_MS after the end.

    Raises ServiceError: STALE_VERSION for a version that does not exist or was lost, FINISHING, WRONG_SEAT_TOKEN as
    soon as a seat of the viewer is reassigned.
    """
    holders = {seat: live.hosted.seats[seat].token for seat in viewer.seats}
    latest = horizon(live.hosted, viewer)
    if cursor is not None and cursor > latest:
        raise stale(cursor, latest)
    with live.watched_by(viewer) as news, IdleTimer(HEARTBEAT, news.set) as quiet:
        shown = await live.reach(latest if cursor is None else cursor)
        present, reported, heard = live.watchers.presence, live.watchers.number, live.phrases.number
        hosted = live.after(shown, min(latest, end_of_chunk(shown.version)))
        yield Scene(shown, hosted, present)
        shown = hosted
        while not (
            has_ended(live.hosted, manager.now() if after_end else None) and shown.version == live.hosted.version
        ):
            require_valid(live.hosted, holders)
            if not live.hosted.follows(shown):
                raise stale(shown.version, horizon(live.hosted, viewer))
            if manager.finishing:
                raise_error(Reason.FINISHING, "", "the server is shutting down; resume with from_version")
            news.clear()
            step = next_step(live, viewer, shown.version)
            if step is not None:
                before, shown = shown, live.after(shown, step)
                yield Scene(before, shown)
            elif live.watchers.number != reported:
                reported, before_that, present = live.watchers.number, present, live.watchers.presence
                if present != before_that:
                    yield Scene(shown, presence=present)
            elif live.phrases.number != heard:
                sent, heard = live.phrases.since(heard), live.phrases.number
                if not viewer.late:
                    yield Scene(shown, phrases=sent)
            elif not await set_within(news, quiet):
                yield Scene(shown)


def next_step(live: GameSession, viewer: Viewer, seen: int) -> int | None:
    """Return the version to show next; None while there is no news.

    For a reader that keeps up, it is the version after the next entry; for a slow one the latest, or the end of a
    chunk.
    """
    latest = horizon(live.hosted, viewer)
    if latest <= seen:
        return None
    return seen + 1 if seen in live.steps and latest == live.hosted.version else min(latest, end_of_chunk(seen))


def has_ended(hosted: HostedGame, now: int | None) -> bool:
    """Return whether a game is over; with a time in milliseconds since 1970, whether it has been for AFTER_END_MS."""
    return hosted.over and (now is None or now - hosted.entries[-1].moment > AFTER_END_MS)


def end_of_chunk(version: int) -> int:
    """Return the end of the chunk of entries at a version; all readers share the same chunks."""
    return (version // CHUNK + 1) * CHUNK


async def set_within(event: asyncio.Event, quiet: IdleTimer) -> bool:
    """Wait for an event, which a timer also sets; return whether it was set before that."""
    quiet.restart()
    await event.wait()
    quiet.stop()
    return not quiet.expired

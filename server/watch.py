"""Writes what a watcher of a running game is shown; what is alike for several is made once."""

from collections.abc import Awaitable, Callable

from clerestory.games.keeper import Keeper
from clerestory.games.live import Live
from clerestory.games.scenes import Scene, scenes
from clerestory.games.viewer import Viewer
from clerestory.server.pieces import write_each
from clerestory.server.spoken import SPOKEN
from clerestory.server.translate_games import write_presence, write_state
from clerestory.v1 import games_pb2 as games

FEW = 16  # entries of a message that is cached

Write = Callable[[games.WatchGameResponse], Awaitable[None]]


async def watch(keeper: Keeper, live: Live, viewer: Viewer, cursor: int | None, write: Write) -> None:
    """Write states until the game is over; `write` waits for a slow reader, the others are those of `scenes`.

    Raises Refusal: STALE_VERSION, WRONG_SEAT_TOKEN, SLOW_READER, FINISHING.
    """
    await write_each(scenes(keeper, live, viewer, cursor), lambda scene: write(message_of(scene, live, viewer)))


def message_of(scene: Scene, live: Live, viewer: Viewer) -> games.WatchGameResponse:
    """Return what a watcher is shown as a message."""
    if scene.presence is None:
        return frame(scene, live, viewer)
    message = games.WatchGameResponse(presence=write_presence(scene.presence))
    message.MergeFrom(frame(scene, live, viewer))
    return message


def frame(scene: Scene, live: Live, viewer: Viewer) -> games.WatchGameResponse:
    """Return a state with its entries; if they are few, it is cached for viewers who see the same."""
    if scene.kept is None:
        return games.WatchGameResponse()
    shown, kept = scene.before, scene.kept
    key = viewer, shown.version, kept.version, SPOKEN.get()
    made: games.WatchGameResponse | None = live.frames.get(key)
    if made is None:
        made = write_state(shown, kept, viewer, present=kept.version == live.kept.version)
        if kept.version - shown.version <= FEW:
            live.frames[key] = made
    return made

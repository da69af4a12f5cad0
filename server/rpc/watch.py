"""Streams a running game to its watchers; messages that several watchers receive are built once."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable
from contextlib import aclosing
from functools import lru_cache

from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.manager import GameManager
from clerestory.server.games.scenes import Scene, scenes
from clerestory.server.games.session import CHUNK, GameSession
from clerestory.server.games.viewer import Presence, Viewer
from clerestory.server.rpc.chunks import write_each
from clerestory.server.rpc.locale import LOCALE
from clerestory.server.rpc.translate_games import write_phrases, write_presence, write_state
from clerestory.v1 import games_pb2 as games

Write = Callable[[bytes], Awaitable[None]]
Turn = Callable[[], Awaitable[None]]
EMPTY = games.WatchGameResponse().SerializeToString()
FEW = 16  # maximum number of entries in a cached message, except for chunks
MOST_CHUNKS = 100  # cached messages about earlier versions of a game


async def watch(
    manager: GameManager,
    live: GameSession,
    viewer: Viewer,
    cursor: int | None,
    write: Write,
    turn: Turn,
    *,
    after_end: bool = False,
) -> None:
    """Stream a game's states as serialized messages until it is over; `write` waits for slow readers.

    `write` waits for a slow reader, `turn` until this watcher may be shown more. The other arguments are those of
    `scenes`. Raises ServiceError: STALE_VERSION, WRONG_SEAT_TOKEN, SLOW_READER, FINISHING.
    """
    shown = in_turns(scenes(manager, live, viewer, cursor, after_end=after_end), turn)
    await write_each(shown, lambda scene: write(message_of(scene, live, viewer)))


async def in_turns(shown: AsyncGenerator[Scene, None], turn: Turn) -> AsyncGenerator[Scene, None]:
    """Yield scenes, and look for the next one only when it is this watcher's turn.

    While a crowd watches games that never rest, all its watchers always have something to write. Without turns the
    event loop would write to all of them each time that it comes round, and gRPC gives it one new call each time.
    """
    async with aclosing(shown):
        async for scene in shown:
            yield scene
            await turn()


def message_of(scene: Scene, live: GameSession, viewer: Viewer) -> bytes:
    """Return a scene as a serialized message."""
    if scene.phrases:
        return write_phrases(scene.phrases).SerializeToString()
    if scene.presence is None:
        return frame(scene, live, viewer)
    return presence_message(scene.presence) + frame(scene, live, viewer)  # concatenation merges the two messages


@lru_cache(1024)
def presence_message(presence: Presence) -> bytes:
    """Return the presence of watchers as a serialized message."""
    return games.WatchGameResponse(presence=write_presence(presence)).SerializeToString()


def frame(scene: Scene, live: GameSession, viewer: Viewer) -> bytes:
    """Return a state with its entries, built once for all viewers who see the same.

    This holds for the entries of one change, and for those of a chunk of earlier entries.
    """
    if scene.hosted is None:
        return EMPTY
    shown, hosted = scene.before, scene.hosted
    key = viewer, shown.version, hosted.version, LOCALE.get()
    present = hosted.version == live.hosted.version
    aligned = shown.version % CHUNK == 0
    if not aligned and hosted.version - shown.version > FEW:
        return state_message(shown, hosted, viewer, present=present)
    cache: dict[Hashable, bytes] = live.frames if present or hosted.version % CHUNK else live.chunks
    made = cache.get(key)
    if made is None:
        made = cache[key] = state_message(shown, hosted, viewer, present=present)
        if len(live.chunks) > MOST_CHUNKS:
            del live.chunks[next(iter(live.chunks))]
    return made


def state_message(shown: HostedGame, hosted: HostedGame, viewer: Viewer, *, present: bool) -> bytes:
    """Return a state with the entries since `shown` as a serialized message."""
    return write_state(shown, hosted, viewer, present=present).SerializeToString()

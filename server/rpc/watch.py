"""Streams a running game to its watchers; messages that several watchers receive are built once."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable
from contextlib import aclosing
from functools import lru_cache

from clerestory.server.games.keeper import Keeper
from clerestory.server.games.kept import ServerGame
from clerestory.server.games.live import CHUNK, Live
from clerestory.server.games.scenes import Scene, scenes
from clerestory.server.games.viewer import Presence, Viewer
from clerestory.server.rpc.pieces import write_each
from clerestory.server.rpc.spoken import SPOKEN
from clerestory.server.rpc.translate_games import write_presence, write_state
from clerestory.v1 import games_pb2 as games

Write = Callable[[bytes], Awaitable[None]]
Turn = Callable[[], Awaitable[None]]
EMPTY = games.WatchGameResponse().SerializeToString()
FEW = 16  # maximum number of entries in a cached message, except for chunks
MOST_CHUNKS = 100  # cached messages about earlier versions of a game


async def watch(keeper: Keeper, live: Live, viewer: Viewer, cursor: int | None, write: Write, turn: Turn) -> None:
    """Stream a game's states as serialized messages until it is over; `write` waits for slow readers.

    `write` waits for a slow reader, `turn` until this watcher may be shown more. The other arguments are those of
    `scenes`. Raises Refusal: STALE_VERSION, WRONG_SEAT_TOKEN, SLOW_READER, FINISHING.
    """
    shown = in_turns(scenes(keeper, live, viewer, cursor), turn)
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


def message_of(scene: Scene, live: Live, viewer: Viewer) -> bytes:
    """Return a scene as a serialized message."""
    if scene.presence is None:
        return frame(scene, live, viewer)
    return presence_message(scene.presence) + frame(scene, live, viewer)  # concatenation merges the two messages


@lru_cache(1024)
def presence_message(presence: Presence) -> bytes:
    """Return the presence of watchers as a serialized message."""
    return games.WatchGameResponse(presence=write_presence(presence)).SerializeToString()


def frame(scene: Scene, live: Live, viewer: Viewer) -> bytes:
    """Return a state with its entries, built once for all viewers who see the same.

    This holds for the entries of one change, and for those of a chunk of earlier entries.
    """
    if scene.kept is None:
        return EMPTY
    shown, kept = scene.before, scene.kept
    key = viewer, shown.version, kept.version, SPOKEN.get()
    present = kept.version == live.kept.version
    aligned = shown.version % CHUNK == 0
    if not aligned and kept.version - shown.version > FEW:
        return state_message(shown, kept, viewer, present=present)
    cache: dict[Hashable, bytes] = live.frames if present or kept.version % CHUNK else live.chunks
    made = cache.get(key)
    if made is None:
        made = cache[key] = state_message(shown, kept, viewer, present=present)
        if len(live.chunks) > MOST_CHUNKS:
            del live.chunks[next(iter(live.chunks))]
    return made


def state_message(shown: ServerGame, kept: ServerGame, viewer: Viewer, *, present: bool) -> bytes:
    """Return a state with the entries since `shown` as a serialized message."""
    return write_state(shown, kept, viewer, present=present).SerializeToString()

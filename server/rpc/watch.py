"""Streams a running game to its watchers; messages that several watchers receive are built once."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable
from contextlib import aclosing
from functools import lru_cache
from itertools import islice

from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.manager import GameManager
from clerestory.server.games.scenes import Scene, scenes
from clerestory.server.games.session import CHUNK, GameSession
from clerestory.server.games.viewer import EntryView, Presence, Viewer, steps_since
from clerestory.server.rpc.chunks import write_each
from clerestory.server.rpc.locale import LOCALE
from clerestory.server.rpc.translate_games import write_entries, write_phrases, write_presence, write_state
from clerestory.v1 import games_pb2 as games

Write = Callable[[bytes], Awaitable[None]]
Turn = Callable[[], Awaitable[None]]
Sight = tuple[Viewer, str]  # who sees the same: the viewer, and the language
EMPTY = games.WatchGameResponse().SerializeToString()
MAX_EARLIER_STATES = 100  # cached states of earlier versions of a game, about 10 KB each
MAX_ENTRIES = 8192  # cached entries of a game, about 500 bytes each


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
    """Return a state with the entries since the previous scene as a serialized message.

    The state of a version is built once for all viewers who see the same, and so is each entry, however many a message
    has: a crowd that falls behind at different versions costs no more. Concatenation merges the messages.
    """
    if scene.hosted is None:
        return EMPTY
    sight = viewer, LOCALE.get()
    return state_message(scene.hosted, live, sight) + entry_messages(scene.before, scene.hosted, live, sight)


def state_message(hosted: HostedGame, live: GameSession, sight: Sight) -> bytes:
    """Return a state without entries as a serialized message."""
    present = hosted.version == live.hosted.version
    cache: dict[Hashable, bytes] = live.states if present or hosted.version % CHUNK else live.earlier_states
    key = *sight, hosted.version
    made = cache.get(key)
    if made is None:
        made = cache[key] = write_state(hosted, sight[0], present=present).SerializeToString()
        shorten(live.earlier_states, MAX_EARLIER_STATES)
    return made


def entry_messages(before: HostedGame, hosted: HostedGame, live: GameSession, sight: Sight) -> bytes:
    """Return the entries since `before` as serialized messages, concatenated."""
    keys = [(*sight, version) for version in range(before.version + 1, hosted.version + 1)]
    first = next((key[-1] for key in keys if key not in live.entries), None)
    if first is not None:
        steps = steps_since(live.after(before, first - 1), hosted, sight[0])
        live.entries.update(((*sight, step.version), entry_message(hosted, step)) for step in steps)
    message = b"".join([live.entries[key] for key in keys])
    shorten(live.entries, MAX_ENTRIES)
    return message


def entry_message(hosted: HostedGame, step: EntryView) -> bytes:
    """Return an entry as a serialized message."""
    return games.WatchGameResponse(entries=write_entries(hosted, [step])).SerializeToString()


def shorten(cache: dict[Hashable, bytes], most: int) -> None:
    """Remove the oldest messages that are too many."""
    for key in [*islice(cache, max(0, len(cache) - most))]:
        del cache[key]

"""Games that are watched: a state for every entry, fewer for a slow reader, and how a stream ends."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Hashable
from contextlib import asynccontextmanager
from typing import Any
from unittest.mock import AsyncMock, patch

import grpc
import pytest

from clerestory.server.games import commands, session
from clerestory.server.games.log import TakeBacks
from clerestory.server.games.manager import GameManager, Limits
from clerestory.server.games.stores.sqlite import SqliteStore
from clerestory.server.games.viewer import Viewer
from clerestory.server.rpc import admission
from clerestory.server.rpc import watch as watches
from clerestory.service_errors import Reason
from clerestory.v1 import games_pb2 as games
from clerestory.v1.games_pb2_grpc import GameServiceStub
from tests.clients.python.relay import muting
from tests.server.games.table import BOT, BOTH, NOW, OPEN, PERSON, Table, first, hosted, table
from tests.server.rpc.harness import assert_reason, refusal, until


async def test_every_entry_has_its_state_with_the_view_after_it(played: Table) -> None:
    watching = played.watch(1)
    begun = await watching.read()
    assert not begun.entries
    assert begun.views == (await played.look(1)).views
    states = []
    for seat, entries in ((0, 1), (1, 3)):  # with the second play come the two chance events of the next round
        await played.play_first(seat)
        states += [await watching.read() for _ in range(entries)]
    assert [len(state.entries) for state in states] == [1, 1, 1, 1]
    assert [state.game.version for state in states] == list(range(begun.game.version + 1, begun.game.version + 5))
    assert [state.entries[0].applied.drawn for state in states] == [False, False, True, True]
    for state in states:
        assert state.views == (await played.look(1, ply=state.game.ply)).views or state.views[0].actions


async def test_only_the_last_of_what_was_stored_together_asks_for_something(played: Table) -> None:
    ply = (await played.look(0)).game.ply
    version = (await played.play_first(0)).game.version
    asked = await played.call("TakeBack", tokens=played.tokens(0), version=version, ply=ply)
    streams = [played.watch(0)]
    await streams[0].read()
    streams.append(played.watch(1))
    assert len((await streams[1].read()).views[0].actions) > 0
    assert (await streams[0].read()).presence.seats == [0, 1]
    await played.call("TakeBack", tokens=played.tokens(1), version=asked.game.version, ply=ply)
    states = [[await stream.read() for _ in range(2)] for stream in streams]
    acts = [[len(state.views[0].actions) > 0 for state in some] for some in states]
    assert acts == [[False, True], [False, False]]


async def test_a_stream_ends_when_its_seat_is_given_away(played: Table) -> None:
    """It goes on while a bot has the seat."""
    watching = played.watch(0)
    seen = [await watching.read()]

    async def read_all() -> None:
        while (state := await watching.read()) != grpc.aio.EOF:
            seen.append(state)

    left = await played.call("SetSeat", tokens=played.tokens(0), seat=0, plan=BOT)
    while seen[-1].game.version < left.game.version:
        seen.append(await watching.read())
    opened = await played.call("SetSeat", tokens=played.owner, seat=0, plan=OPEN)
    await played.call("JoinGame", seat=0)
    assert_reason(await refusal(read_all()), Reason.WRONG_SEAT_TOKEN)
    assert all(state.game.version < opened.game.version for state in seen)
    assert (await played.call("WatchGame", tokens=played.owner).read()).presence.seats == []


async def test_a_stream_goes_on_from_a_version(played: Table) -> None:
    version = (await played.look(0)).game.version
    for seat in (0, 1):
        await played.play_first(seat)
    streams = [played.watch(0, from_version=version) for _ in range(2)]
    [state, other] = [await stream.read() for stream in streams]
    assert state.entries == other.entries
    assert [entry.version for entry in state.entries] == list(range(version + 1, state.game.version + 1))
    error = await refusal(played.watch(0, from_version=99).read())
    assert_reason(error, Reason.STALE_VERSION)
    assert (error.details() or "").startswith("from_version: is 99")


async def test_streams_are_counted_while_another_thread_loads_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prometheus reads their number from another thread."""
    async with watched(Viewer((0,))) as (manager, live, *_):

        class Loading(dict[Any, Any]):
            def __len__(self) -> int:
                manager.cache.games["another"] = live
                return 3

        with monkeypatch.context() as patched:
            patched.setattr(live, "watchers", Loading())
            assert manager.watchers == 3
        del manager.cache.games["another"]


async def test_a_stream_ends_with_the_game() -> None:
    async with table(BOT, BOT) as played:
        states, again = [[state async for state in played.call("WatchGame", tokens=played.owner)] for _ in range(2)]
        assert [state.game.status == games.GAME_STATUS_OVER for state in states] == [False] * (len(states) - 1) + [True]
        assert [state.game for state in again] == [states[-1].game]


async def test_a_stream_ends_when_the_server_does(played: Table) -> None:
    watching = played.watch(0)
    await watching.read()
    finishing = asyncio.ensure_future(played.app.finish())
    assert_reason(await refusal(watching.read()), Reason.FINISHING)
    await finishing


async def test_watchers_are_notified_of_arrivals_and_departures(monkeypatch: pytest.MonkeyPatch, played: Table) -> None:
    monkeypatch.setattr(session, "PRESENCE_INTERVAL_S", 0.0)
    watching = played.watch(0)
    assert (await watching.read()).presence == games.Presence(seats=[0])
    second = played.watch(1)
    assert (await second.read()).presence == games.Presence(seats=[0, 1])
    assert await watching.read() == games.WatchGameResponse(presence=games.Presence(seats=[0, 1]))
    twice = played.watch(1)  # another tab
    await twice.read()
    second.cancel()
    owner = played.call("WatchGame", tokens=played.owner)
    assert (await owner.read()).presence == games.Presence(seats=[0, 1], onlookers=1)
    assert (await watching.read()).presence == games.Presence(seats=[0, 1], onlookers=1)
    twice.cancel()
    assert (await watching.read()).presence == games.Presence(seats=[0], onlookers=1)
    for stream in (watching, owner):
        stream.cancel()
    await until(lambda: played.app.manager.watchers == 0)


@pytest.mark.system
async def test_a_watcher_whose_machine_is_silent_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if a proxy still accepts the data: gRPC itself notices, after a timeout."""
    sooner = [(name, value // 20 if name.endswith("_ms") else value) for name, value in admission.OPTIONS]
    monkeypatch.setattr(admission, "OPTIONS", sooner)
    async with table(PERSON, PERSON) as played:
        port = int(played.app.address.rpartition(":")[2])
        with muting(("127.0.0.1", port)) as (target, mute):
            async with grpc.aio.insecure_channel(target) as channel:
                watching = Table(GameServiceStub(channel), played.app, played.made).watch(0)
                await watching.read()
                mute.set()
                await until(lambda: not played.app.manager.watchers)


async def test_nothing_for_long_is_a_sign_of_life(monkeypatch: pytest.MonkeyPatch, played: Table) -> None:
    monkeypatch.setattr("clerestory.server.games.scenes.HEARTBEAT", 0.01)
    watching = played.watch(0)
    await watching.read()
    assert await watching.read() == games.WatchGameResponse()


class Reader:
    """Reads a state whenever it has room."""

    def __init__(self) -> None:
        self.states: list[games.WatchGameResponse] = []
        self.room = asyncio.Semaphore(0)
        self.offered = asyncio.Event()

    async def write(self, state: bytes) -> None:
        self.offered.set()
        await self.room.acquire()
        self.states.append(games.WatchGameResponse.FromString(state))

    async def read(self, count: int) -> list[games.WatchGameResponse]:
        """Read `count` more states; return all."""
        count += len(self.states)
        while len(self.states) < count:
            self.room.release()
            await asyncio.sleep(0)
        return self.states


async def at_once() -> None:
    """Wait for no turn."""


@asynccontextmanager
async def watched(viewer: Viewer, **options: Any) -> AsyncIterator[tuple[GameManager, Any, Reader]]:
    """Yield a game of two people without a server, and a reader that was offered its first state."""
    manager, reader = GameManager(SqliteStore("memory:"), Limits(10, 10), AsyncMock()), Reader()
    await manager.create(hosted(**options), [])
    async with manager.lend("game") as live:
        task = asyncio.create_task(watches.watch(manager, live, viewer, None, reader.write, at_once))
        await reader.offered.wait()
        yield manager, live, reader
        task.cancel()
    await manager.close()


async def play(manager: GameManager, live: Any) -> None:
    await manager.change(live, lambda game: commands.play(game, BOTH, game.version, first(game), NOW))


async def test_a_slow_reader_gets_the_latest_with_all_that_happened() -> None:
    async with watched(Viewer((0,))) as (manager, live, reader):
        begun = live.hosted.version
        for _ in range(3):  # while the first state is still on its way
            await play(manager, live)
        states = await reader.read(2)
        assert [state.game.version for state in states] == [begun, live.hosted.version]
        assert [entry.version for entry in states[1].entries] == list(range(begun + 1, live.hosted.version + 1))


async def test_viewers_who_see_the_same_share_a_message() -> None:
    with patch.object(watches, "write_state", wraps=watches.write_state) as made:
        async with watched(Viewer((0,))) as (manager, live, _):
            others = [Reader() for _ in range(3)]
            tasks = [
                asyncio.create_task(watches.watch(manager, live, Viewer((seat,)), None, reader.write, at_once))
                for seat, reader in zip((0, 0, 1), others, strict=True)
            ]
            for reader in others:
                await reader.offered.wait()
            for task in tasks:
                task.cancel()
    assert sorted(call.args[1].seats for call in made.call_args_list) == [(0,), (1,)]


async def test_readers_who_fall_behind_at_different_versions_share_each_entry() -> None:
    async with watched(Viewer((0,))) as (manager, live, reader):
        begun, others, tasks = live.hosted.version, list[Reader](), list[asyncio.Task[None]]()
        with patch.object(watches, "entry_message", wraps=watches.entry_message) as made:
            for _ in range(4):
                await play(manager, live)
                others.append(Reader())
                late = watches.watch(manager, live, Viewer((0,)), begun, others[-1].write, at_once)
                tasks.append(asyncio.create_task(late))
                await others[-1].offered.wait()
            await asyncio.gather(*(other.read(1) for other in (reader, *others)))
            await until(lambda: made.call_count == live.hosted.version - begun)
            for task in tasks:
                task.cancel()
        written = [call.args[1].version for call in made.call_args_list]
        assert written == list(range(begun + 1, live.hosted.version + 1))


def test_cached_messages_are_bounded() -> None:
    cache: dict[Hashable, bytes] = {("sight", number): b"" for number in range(5)}
    watches.shorten(cache, 2)
    assert [*cache] == [("sight", 3), ("sight", 4)]


async def test_onlookers_watch_a_game_late() -> None:
    async with watched(Viewer(), delay_plies=2, take_backs=TakeBacks.ALL) as (manager, live, reader):
        await reader.read(1)
        await play(manager, live)
        assert [state.game.ply for state in await reader.read(1)] == [0, 1]


async def test_a_watcher_waits_for_its_turn_after_each_state() -> None:
    """While a crowd watches, the event loop writes one message each time that it comes round."""
    order: list[object] = []

    async def always() -> AsyncGenerator[Any, None]:
        for number in range(3):
            yield number

    turn = AsyncMock(side_effect=lambda: order.append("turn"))
    async for number in watches.in_turns(always(), turn):
        order.extend([number])
    assert order == [0, "turn", 1, "turn", 2, "turn"]

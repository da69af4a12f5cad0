"""Games that are watched: a state for every entry, fewer for a slow reader, and how a stream ends."""

import asyncio
from typing import Any

import grpc
import pytest

from clerestory.games import course
from clerestory.games.keeper import Keeper, Limits
from clerestory.games.mover import either
from clerestory.games.sqlite import SqliteStore
from clerestory.games.viewer import Viewer
from clerestory.refusals import Reason, Refusal
from clerestory.server import transport
from clerestory.server import watch as watches
from clerestory.v1 import games_pb2 as games
from clerestory.v1.games_pb2_grpc import GameServiceStub
from tests.clients.relay import muting
from tests.games.table import BOT, OPEN, PERSON, Table, first_action, kept, table
from tests.server.harness import assert_reason, refusal, until


async def test_every_entry_has_its_state_with_the_view_after_it() -> None:
    async with table(PERSON, PERSON) as played:
        watching = played.watch(1)
        first = await watching.read()
        assert not first.entries
        assert first.views == (await played.look(1)).views
        for seat in (0, 1):
            await played.play_first(seat)
        states = [await watching.read() for _ in range(4)]  # two plays, and the two chance events of the next round
        assert [len(state.entries) for state in states] == [1, 1, 1, 1]
        assert [state.game.version for state in states] == list(range(first.game.version + 1, first.game.version + 5))
        assert [state.entries[0].applied.drawn for state in states] == [False, False, True, True]
        for state in states:
            assert state.views == (await played.look(1, ply=state.game.ply)).views or state.views[0].actions


async def test_only_the_last_of_what_was_stored_together_asks_for_something() -> None:
    async with table(PERSON, PERSON) as played:
        before = await played.look(0)
        after = await played.play_first(0)
        request = {"game_id": played.game_id, "ply": before.game.ply}
        asked = games.TakeBackRequest(**request, tokens=played.tokens(0), version=after.game.version)
        version = (await played.stub.TakeBack(asked)).game.version
        streams = [played.watch(0)]
        await streams[0].read()
        streams.append(played.watch(1))
        assert len((await streams[1].read()).views[0].actions) > 0
        assert (await streams[0].read()).presence.seats == [0, 1]
        agreed = games.TakeBackRequest(**request, tokens=played.tokens(1), version=version)
        await played.stub.TakeBack(agreed)
        states = [[await stream.read() for _ in range(2)] for stream in streams]
        assert [[len(state.views[0].actions) > 0 for state in some] for some in states] == [
            [False, True],
            [False, False],
        ]


async def test_a_stream_ends_when_its_seat_is_given_away() -> None:
    async with table(PERSON, PERSON) as played:
        watching = played.watch(0)
        seen = [await watching.read()]

        async def read_all() -> None:
            while (state := await watching.read()) != grpc.aio.EOF:
                seen.append(state)

        owner = [played.made.owner_token]
        opened = await played.stub.SetSeat(
            games.SetSeatRequest(game_id=played.game_id, tokens=owner, seat=0, plan=OPEN)
        )
        await played.stub.JoinGame(games.JoinGameRequest(game_id=played.game_id, seat=0))
        assert_reason(await refusal(read_all()), Reason.WRONG_SEAT_TOKEN)
        assert all(state.game.version < opened.game.version for state in seen)
        looking = games.WatchGameRequest(game_id=played.game_id, tokens=owner)
        assert (await played.stub.WatchGame(looking).read()).presence.seats == []


async def test_a_stream_goes_on_while_a_bot_has_its_seat() -> None:
    async with table(PERSON, PERSON) as played:
        watching = played.watch(0)
        await watching.read()
        request = games.SetSeatRequest(game_id=played.game_id, tokens=played.tokens(0), seat=0, plan=BOT)
        version = (await played.stub.SetSeat(request)).game.version
        while (await watching.read()).game.version < version:
            pass


async def test_a_stream_goes_on_from_a_version() -> None:
    async with table(PERSON, PERSON) as played:
        version = (await played.look(0)).game.version
        for seat in (0, 1):
            await played.play_first(seat)
        first = await played.watch(0, from_version=version).read()
        assert [entry.version for entry in first.entries] == list(range(version + 1, first.game.version + 1))
        error = await refusal(played.watch(0, from_version=99).read())
        assert_reason(error, Reason.STALE_VERSION)
        assert (error.details() or "").startswith("from_version: is 99")


async def test_streams_are_counted_while_another_thread_loads_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prometheus asks for their number from a thread of its own."""
    async with table(PERSON, PERSON) as played:
        keeper = played.app.keeper
        [live] = keeper.cache.games.values()

        class Loading(dict[Any, Any]):
            def __len__(self) -> int:
                keeper.cache.games["another"] = live
                return 3

        with monkeypatch.context() as patched:
            patched.setattr(live, "watching", Loading())
            assert keeper.watchers == 3
        del keeper.cache.games["another"]


async def test_a_stream_ends_with_the_game() -> None:
    async with table(BOT, BOT) as played:
        request = games.WatchGameRequest(game_id=played.game_id, tokens=[played.made.owner_token])
        states = [state async for state in played.stub.WatchGame(request)]
        assert [state.game.status == games.GAME_STATUS_OVER for state in states] == [False] * (len(states) - 1) + [True]
        [again] = [state async for state in played.stub.WatchGame(request)]
        assert again.game == states[-1].game


async def test_a_stream_ends_when_the_server_does() -> None:
    async with table(PERSON, PERSON) as played:
        watching = played.watch(0)
        await watching.read()
        finishing = asyncio.ensure_future(played.app.finish())
        assert_reason(await refusal(watching.read()), Reason.FINISHING)
        await finishing


async def test_who_watches_is_told_when_somebody_comes_or_leaves() -> None:
    async with table(PERSON, PERSON) as played:
        first = played.watch(0)
        assert (await first.read()).presence == games.Presence(seats=[0])
        second = played.watch(1)
        assert (await second.read()).presence == games.Presence(seats=[0, 1])
        assert await first.read() == games.WatchGameResponse(presence=games.Presence(seats=[0, 1]))
        twice = played.watch(1)  # another tab
        await twice.read()
        second.cancel()
        owner = played.stub.WatchGame(games.WatchGameRequest(game_id=played.game_id, tokens=[played.made.owner_token]))
        assert (await owner.read()).presence == games.Presence(seats=[0, 1], onlookers=1)
        assert (await first.read()).presence == games.Presence(seats=[0, 1], onlookers=1)
        twice.cancel()
        assert (await first.read()).presence == games.Presence(seats=[0], onlookers=1)


async def test_a_bot_thinks_on_when_somebody_comes() -> None:
    """Otherwise its search would restart with every visitor."""
    keeper = Keeper(SqliteStore("memory:"), Limits(10, 10), idle)
    await keeper.create(kept(), [])
    async with keeper.lend("game") as live:
        thinking = asyncio.ensure_future(asyncio.sleep(0.01, "done"))
        chosen = asyncio.ensure_future(either(thinking, live))
        await asyncio.sleep(0)
        with live.watched_by(Viewer((0,))):
            assert await chosen == "done"
    await keeper.close()


async def test_a_watcher_that_leaves_is_not_kept() -> None:
    async with table(PERSON, PERSON) as played:
        watching = played.watch(0)
        await watching.read()
        assert played.app.keeper.watchers == 1
        watching.cancel()
        while played.app.keeper.watchers:
            await asyncio.sleep(0.002)


async def test_a_watcher_whose_machine_is_silent_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though something in between takes what is sent to it."""
    sooner = [(name, value // 20 if name.endswith("_ms") else value) for name, value in transport.OPTIONS]
    monkeypatch.setattr(transport, "OPTIONS", sooner)
    async with asyncio.timeout(40), table(PERSON, PERSON) as played:  # gRPC itself waits for a minute
        port = int(played.app.address.rpartition(":")[2])
        with muting(("127.0.0.1", port)) as (target, mute):
            async with grpc.aio.insecure_channel(target) as channel:
                watching = Table(GameServiceStub(channel), played.app, played.made).watch(0)
                await watching.read()
                mute.set()
                await until(lambda: not played.app.keeper.watchers)


async def test_nothing_for_long_is_a_sign_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clerestory.games.scenes.HEARTBEAT", 0.01)
    async with table(PERSON, PERSON) as played:
        watching = played.watch(0)
        await watching.read()
        assert await watching.read() == games.WatchGameResponse()


# -- a reader of our own ---------------------------------------------------------------------------


class Reader:
    """Reads a state on request."""

    def __init__(self) -> None:
        self.states: list[games.WatchGameResponse] = []
        self.room = asyncio.Semaphore(0)
        self.offered = asyncio.Event()

    async def write(self, state: games.WatchGameResponse) -> None:
        self.offered.set()
        await self.room.acquire()
        self.states.append(state)


async def idle(*_: Any) -> None:
    """Disable the mover."""


async def watched(viewer: Viewer, **options: Any) -> tuple[Keeper, Any, Reader, "asyncio.Task[None]"]:
    keeper = Keeper(SqliteStore("memory:"), Limits(10, 10), idle)
    await keeper.create(kept(**options), [])
    async with keeper.lend("game") as live:
        reader = Reader()
        task = asyncio.create_task(watches.watch(keeper, live, viewer, None, reader.write))
        await reader.offered.wait()
        return keeper, live, reader, task


async def play(keeper: Keeper, live: Any, text: str | None = None) -> None:
    text = text or live.kept.position.legal_actions()[0].text
    await keeper.change(live, lambda game: course.play(game, Viewer((0, 1)), game.version, text, 5))


async def test_a_slow_reader_gets_the_latest_with_all_that_happened() -> None:
    keeper, live, reader, task = await watched(Viewer((0,)))
    first = live.kept.version
    for _ in range(3):  # while the first state is still on its way
        await play(keeper, live)
    reader.room.release()
    reader.room.release()
    while len(reader.states) < 2:
        await asyncio.sleep(0)
    assert [state.game.version for state in reader.states] == [first, live.kept.version]
    assert [entry.version for entry in reader.states[1].entries] == list(range(first + 1, live.kept.version + 1))
    task.cancel()
    await keeper.close()


async def test_those_who_look_alike_share_what_is_made_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Viewer] = []
    write = watches.write_state
    monkeypatch.setattr(
        watches, "write_state", lambda *arguments, **more: (made.append(arguments[2]), write(*arguments, **more))[1]
    )
    keeper, live, reader, task = await watched(Viewer((0,)))
    tasks = [
        asyncio.create_task(watches.watch(keeper, live, viewer, None, reader.write))
        for viewer in (Viewer((0,)), Viewer((0,)), Viewer((1,)))
    ]
    await until(lambda: len(made) > 1)
    await asyncio.sleep(0.01)  # in which more could be made
    assert sorted(viewer.seats for viewer in made) == [(0,), (1,)]
    for one in (task, *tasks):
        one.cancel()
    await keeper.close()


async def test_onlookers_see_a_game_late() -> None:
    keeper, live, reader, task = await watched(Viewer(), delay_plies=2)
    reader.room.release()
    await play(keeper, live)
    reader.room.release()
    while len(reader.states) < 2:
        await asyncio.sleep(0)
    assert [state.game.ply for state in reader.states] == [0, 1]
    task.cancel()
    await keeper.close()


async def test_a_version_that_is_yet_to_come_is_refused() -> None:
    keeper, live, reader, task = await watched(Viewer((0,)))
    with pytest.raises(Refusal) as caught:
        await watches.watch(keeper, live, Viewer((0,)), 99, reader.write)
    assert caught.value.reason == Reason.STALE_VERSION
    task.cancel()
    await keeper.close()


async def test_two_people_with_one_seat_see_the_same() -> None:
    async with table(PERSON, BOT) as played:
        seen = await played.look(0)
        streams = [played.watch(0, from_version=seen.game.version) for _ in range(2)]
        firsts = [await stream.read() for stream in streams]
        await played.play(first_action(seen), seen.game.version, 0)
        assert firsts[0] == firsts[1]
        assert await streams[0].read() == await streams[1].read()

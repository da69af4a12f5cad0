"""Nothing is shown before it is stored, and games survive their server."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration

from clerestory.games import cache
from clerestory.games.store import StoreError, StoreFull
from clerestory.refusals import Reason
from clerestory.v1 import games_pb2 as games
from clerestory.v1.games_pb2_grpc import GameServiceStub
from tests.games.table import BOT, PERSON, Table, first_action, kept, play_out, seated, table
from tests.server.harness import assert_reason, refusal, served, until

# -- storing ---------------------------------------------------------------------------------------


def slow_store(played: Table, monkeypatch: pytest.MonkeyPatch) -> tuple[asyncio.Event, asyncio.Event]:
    """Make the store wait before it writes; return two events: it has begun, it may continue."""
    reached, gate = asyncio.Event(), asyncio.Event()
    append = played.app.keeper.store.append

    async def slow(*arguments: Any, **more: Any) -> None:
        reached.set()
        await gate.wait()
        await append(*arguments)

    monkeypatch.setattr(played.app.keeper.store, "append", slow)
    return reached, gate


@pytest.mark.parametrize(
    ("failure", "reason"), [(StoreFull("full"), Reason.DISK_FULL), (StoreError("broken"), Reason.STORE_FAILED)]
)
async def test_what_cannot_be_stored_has_not_happened(
    failure: StoreError, reason: Reason, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: Any, **__: Any) -> None:
        raise failure

    async with table() as played:
        seen = await played.look(0)
        with monkeypatch.context() as broken:
            broken.setattr(played.app.keeper.store, "append", fail)
            assert_reason(await refusal(played.play(first_action(seen), seen.game.version, 0)), reason)
        assert await played.look(0) == seen
        await played.play(first_action(seen), seen.game.version, 0)


async def test_nobody_is_told_before_it_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    async with table() as played:
        seen = await played.look(0)
        watching = played.watch(1)
        await watching.read()
        reached, gate = slow_store(played, monkeypatch)
        playing = asyncio.ensure_future(played.play(first_action(seen), seen.game.version, 0))
        telling = asyncio.ensure_future(watching.read())
        await reached.wait()
        assert await played.look(0) == seen
        assert not playing.done()
        assert not telling.done()
        gate.set()
        assert (await playing).game.version == (await telling).game.version == seen.game.version + 1


async def test_a_move_whose_caller_leaves_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    async with table() as played:
        seen = await played.look(0)
        reached, gate = slow_store(played, monkeypatch)
        playing = asyncio.ensure_future(played.play(first_action(seen), seen.game.version, 0))
        await reached.wait()
        playing.cancel()
        await asyncio.sleep(0.05)
        gate.set()
        answer = await played.play(first_action(seen), seen.game.version, 0)
        assert answer.game.version == seen.game.version + 1


async def test_a_move_whose_caller_leaves_is_shown_however_short_memory_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who comes while it is being stored gets the game that it changes, not another one without it."""
    monkeypatch.setattr(cache, "IDLE_BYTES", 0)
    async with table() as played:
        seen = await played.look(0)
        reached, gate = slow_store(played, monkeypatch)
        playing = asyncio.ensure_future(played.play(first_action(seen), seen.game.version, 0))
        await reached.wait()
        live = played.app.keeper.cache.games[played.game_id]
        users = live.users
        playing.cancel()
        await until(lambda: live.users < users)
        watching = played.watch(1)
        assert (await watching.read()).game.version == seen.game.version
        gate.set()
        assert (await watching.read()).game.version == seen.game.version + 1
        watching.cancel()


# -- restarts --------------------------------------------------------------------------------------


async def test_a_game_goes_on_after_a_restart(tmp_path: Path) -> None:
    settings = {"store": str(tmp_path / "games.sqlite")}
    async with table(PERSON, BOT, game="duel", settings=settings) as played:
        await played.play_first(0)
        before = await played.look(0)
    async with served(**settings) as server:
        stub = GameServiceStub(server.channel)
        again = Table(stub, server.app, played.made)
        seen = await again.look(0, entries_from_ply=1)
        assert seen.game.version >= before.game.version
        last = await play_out(again)
        assert last.game.status == games.GAME_STATUS_OVER


async def test_bots_go_on_by_themselves_after_a_restart(tmp_path: Path) -> None:
    settings = {"store": str(tmp_path / "games.sqlite")}
    slow = games.SeatPlan(kind=games.SEAT_KIND_BOT, bot=games.Bot(time_budget=Duration(nanos=20_000_000)))
    async with table(slow, slow, game="cathedral", settings=settings) as played:
        version = played.made.game.version
    async with served(**settings) as server:
        stub = GameServiceStub(server.channel)
        request = games.WatchGameRequest(game_id=played.game_id, tokens=[played.made.owner_token], from_version=version)
        async for state in stub.WatchGame(request):
            if state.game.version > version + 3:
                break
        assert state.game.status == games.GAME_STATUS_RUNNING


async def test_games_in_which_nothing_is_due_are_not_read_at_the_start(tmp_path: Path) -> None:
    settings = {"store": str(tmp_path / "games.sqlite")}
    async with table(PERSON, PERSON, settings=settings) as played:
        for _ in range(20):
            await seated(played.stub, played.app, PERSON, PERSON)
    async with served(**settings) as server:
        again = Table(GameServiceStub(server.channel), server.app, played.made)
        await again.look(0)
        assert server.app.keeper.in_memory == 1
        assert server.app.keeper.unfinished == 21


async def test_games_of_other_rules_are_frozen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"store": str(tmp_path / "games.sqlite")}
    async with table(PERSON, BOT, game="toy", settings=settings) as played:
        pass
    monkeypatch.setattr("clerestory.games.kept.GAMES", {})
    async with served(**settings) as server:
        again = Table(GameServiceStub(server.channel), server.app, played.made)
        seen = await again.look(0, entries_from_ply=1)
        assert seen.game.status == games.GAME_STATUS_FROZEN
        assert not seen.views
        assert [entry.applied.action.label for entry in seen.entries] == [""] * seen.game.ply
        assert_reason(await refusal(again.play("fold", seen.game.version, 0)), Reason.FROZEN)
        request = games.GetRecordRequest(game_id=again.game_id, tokens=again.tokens())
        assert_reason(await refusal(again.stub.GetRecord(request)), Reason.FROZEN)


@pytest.mark.parametrize("seats", [(PERSON, PERSON), (PERSON, BOT)])
async def test_games_that_nobody_looks_at_are_unloaded(
    seats: tuple[games.SeatPlan, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also those in which the server has to move if their player does not."""
    monkeypatch.setattr(cache, "IDLE_BYTES", 3 * kept().weight)
    options = games.GameOptions(time_per_move=Duration(seconds=29 * 24 * 3600))
    async with table(*seats, options=options) as played:
        others = [await seated(played.stub, played.app, *seats, options=options) for _ in range(6)]
        assert played.app.keeper.in_memory <= 4
        for one in (played, *others):
            await one.play_first(0)
        await until(lambda: played.app.keeper.in_memory <= 4)

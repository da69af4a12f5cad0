"""A store that fails or is silent stops the games, and nothing else; they go on when it is back."""

import asyncio
import gc
import sqlite3
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub

from clerestory.games import background, cache, due, keeper
from clerestory.games.store import StoreError, Unreadable
from clerestory.refusals import Reason
from clerestory.server.app import GAMES, SERVICES
from clerestory.v1 import games_pb2 as games
from clerestory.v1.games_pb2_grpc import GameServiceStub
from tests.games.damage import overwrite, root_of, spoil
from tests.games.table import BOT, PERSON, Table, first_action, seated, table
from tests.server.harness import Served, assert_reason, refusal, served, until

ENOUGH = 120.0  # seconds that a test may take


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at the store more often than a server does."""
    monkeypatch.setattr(due, "LOOK", 0.05)
    monkeypatch.setattr(due, "SOONEST", 0.01)
    monkeypatch.setattr(keeper, "HEALTH", 0.02)


async def broken(*_: Any, **__: Any) -> Any:
    raise StoreError("broken")


async def silent(*_: Any, **__: Any) -> Any:
    await asyncio.Event().wait()


def break_store(server: Served, patch: pytest.MonkeyPatch, how: Any) -> None:
    """Let every call of a store end, or not end, in the same way."""
    for name in ("create", "append", "load", "later", "select", "find", "due", "tally", "touch", "own", "close"):
        patch.setattr(server.app.keeper.store, name, how)


async def health(server: Served, service: str) -> Any:
    answer = await HealthStub(server.channel).Check(HealthCheckRequest(service=service))
    return answer.status


# -- health ----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("hurried")
async def test_the_health_of_games_is_that_of_their_store(monkeypatch: pytest.MonkeyPatch) -> None:
    async with served() as server:
        watching = HealthStub(server.channel).Watch(HealthCheckRequest(service=GAMES))
        assert (await watching.read()).status == HealthCheckResponse.SERVING
        with monkeypatch.context() as patch:
            break_store(server, patch, broken)
            assert (await watching.read()).status == HealthCheckResponse.NOT_SERVING
            for service in {"", *SERVICES} - {GAMES}:
                assert await health(server, service) == HealthCheckResponse.SERVING
        assert (await watching.read()).status == HealthCheckResponse.SERVING
        watching.cancel()


@pytest.mark.usefixtures("hurried")
async def test_games_on_a_damaged_file_are_not_served(tmp_path: Path) -> None:
    """Though what is left of it can be read: reads do not take back what a write has found."""
    file = tmp_path / "games.sqlite"
    async with served(store=str(file)):
        pass
    damaged = root_of(file, "key")
    async with served(store=str(file)) as server:
        store: Any = server.app.keeper.store
        overwrite(file, *damaged)
        await store._ask(lambda connection: connection.execute("PRAGMA shrink_memory").fetchall())
        asked = games.CreateGameRequest(game="toy", seats=[PERSON, PERSON])
        assert_reason(await refusal(GameServiceStub(server.channel).CreateGame(asked)), Reason.STORE_FAILED)
        watching = HealthStub(server.channel).Watch(HealthCheckRequest(service=GAMES))
        async for answer in watching:
            if answer.status == HealthCheckResponse.NOT_SERVING:
                break
        await store.due(0, 1, bots_only=False)
        assert not server.app.keeper.healthy
        assert await health(server, "") == HealthCheckResponse.SERVING
        watching.cancel()


@pytest.mark.usefixtures("hurried")
async def test_one_look_that_fails_is_no_dead_store(monkeypatch: pytest.MonkeyPatch) -> None:
    async with served() as server:
        find, failed = server.app.keeper.store.due, []

        async def once(*arguments: Any, **more: Any) -> Any:
            if len(failed) < due.MISSED - 1:
                failed.append(arguments)
                raise StoreError("broken")
            return await find(*arguments, **more)

        monkeypatch.setattr(server.app.keeper.store, "due", once)
        while len(failed) < due.MISSED - 1:
            assert server.app.keeper.healthy
            await asyncio.sleep(0.01)


@pytest.mark.usefixtures("hurried")
async def test_a_store_that_fails_fills_no_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither by calls nor by movers: what is left out is counted."""

    def told() -> list[str]:
        return [record.getMessage() for record in caplog.records if record.name == cache.logger.name]

    class Noted(background.Seldom):
        def error(self, text: str) -> None:
            before.append(len(told()))
            super().error(text)

    seconds, before = [0.0], list[int]()  # lines that there were before each error
    monkeypatch.setattr(background, "time", SimpleNamespace(monotonic=lambda: seconds[0]))
    monkeypatch.setattr(cache, "failures", Noted(cache.logger))
    async with table(BOT, BOT) as played:
        server: Any = played
        unread = games.GetGameRequest(game_id=played.game_id[::-1])
        with monkeypatch.context() as patch:
            break_store(server, patch, broken)
            for _ in range(20):
                await refusal(played.stub.GetGame(unread))
            assert len(told()) == 1
            seconds[0] = background.EVERY
            await refusal(played.stub.GetGame(unread))
            left_out = before.count(1) - 1
            assert told()[1].endswith(f" ({left_out} more errors before)")
            assert left_out >= 19


# -- the end ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [broken, silent])
@pytest.mark.usefixtures("hurried")
async def test_a_server_ends_whatever_its_store_does(how: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    async with asyncio.timeout(ENOUGH), table(BOT, BOT, settings={"grace": 0.5}) as played:
        server: Any = played
        break_store(server, monkeypatch, how)
        calls = [asyncio.ensure_future(played.look()), asyncio.ensure_future(seated(played.stub, None, PERSON, PERSON))]
        await asyncio.sleep(0.2)
        await played.app.finish()
        await asyncio.gather(*calls, return_exceptions=True)
        assert all(task.done() for task in played.app.keeper._due._tasks)


async def test_calls_without_an_end_leave_the_store_its_part_of_the_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is one deadline for the whole shutdown."""
    closings, begun = [], []
    async with asyncio.timeout(ENOUGH), table(PERSON, PERSON, settings={"grace": 4.0}) as played:
        server: Any = played

        async def create(*_: Any, **__: Any) -> None:
            begun.append(server)
            await silent()

        async def close(within: float) -> None:
            closings.append(within)
            await silent()

        break_store(server, monkeypatch, silent)
        monkeypatch.setattr(server.app.keeper.store, "create", create)
        monkeypatch.setattr(server.app.keeper.store, "close", close)
        calls = [asyncio.ensure_future(seated(played.stub, None, PERSON, PERSON)) for _ in range(3)]
        await until(lambda: len(begun) == 3)
        await played.app.finish()
        await asyncio.gather(*calls, return_exceptions=True)
    assert closings[0] <= 1.0


# -- games go on -----------------------------------------------------------------------------------


@pytest.mark.usefixtures("hurried")
async def test_bots_go_on_when_the_store_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    async with table(PERSON, BOT, game="duel") as played:
        server: Any = played
        with monkeypatch.context() as patch:
            for name in ("append", "due"):
                patch.setattr(server.app.keeper.store, name, broken)
            made = await seated(played.stub, played.app, BOT, BOT, game="toy")
            await until(lambda: not played.app.keeper.healthy)
        request = games.WatchGameRequest(game_id=made.game_id, tokens=[made.made.owner_token])
        async with asyncio.timeout(ENOUGH):
            assert [state async for state in made.stub.WatchGame(request)][-1].game.status == games.GAME_STATUS_OVER


@pytest.mark.usefixtures("hurried")
async def test_a_bot_moves_although_the_answer_to_a_move_was_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """The move was stored; the store said that it was not, and so did the call."""
    async with table(PERSON, BOT, game="duel") as played:
        append = played.app.keeper.store.append

        async def lost(*arguments: Any, **more: Any) -> None:
            await append(*arguments, **more)
            raise StoreError("the answer was lost")

        seen = await played.look(0)
        with monkeypatch.context() as patch:
            patch.setattr(played.app.keeper.store, "append", lost)
            refused = await refusal(played.play(first_action(seen), seen.game.version, 0))
            assert_reason(refused, Reason.STORE_FAILED)
        again = await played.play(first_action(seen), seen.game.version, 0)
        assert again.game.version > seen.game.version
        async with asyncio.timeout(ENOUGH):
            async for state in played.watch(0):
                if state.views[0].actions and state.game.version > again.game.version:
                    break


@pytest.mark.parametrize("settings", [{}, {"store": "database"}], ids=["memory", "database"])
async def test_watchers_see_a_move_that_was_reported_as_failed(
    settings: dict[str, str], request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though nobody asks for the game again."""
    settings = {name: request.getfixturevalue(value) for name, value in settings.items()}
    async with table(PERSON, PERSON, game="duel", settings=settings) as played:
        append = played.app.keeper.store.append

        async def lost(*arguments: Any, **more: Any) -> None:
            await append(*arguments, **more)
            raise StoreError("the answer was lost")

        watching = played.watch(1)
        seen = await watching.read()
        shown = await played.look(0)
        with monkeypatch.context() as patch:
            patch.setattr(played.app.keeper.store, "append", lost)
            refused = await refusal(played.play(first_action(shown), seen.game.version, 0))
            assert_reason(refused, Reason.STORE_FAILED)
        async with asyncio.timeout(ENOUGH):
            assert (await watching.read()).game.version > seen.game.version
        watching.cancel()


async def test_bots_move_though_the_clock_was_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """There are more games than places, so most of them wait in the store."""
    async with asyncio.timeout(ENOUGH), table(BOT, BOT, settings={"max_bot_games": 1}) as played:
        others = [await seated(played.stub, played.app, BOT, BOT) for _ in range(3)]
        store: Any = played.app.keeper.store
        now = store.now
        monkeypatch.setattr(store, "now", lambda: now() - 3_600_000)
        for one in (played, *others):
            await ended(one)


async def test_what_a_player_waits_for_costs_the_next_one_no_time() -> None:
    async with table(PERSON, PERSON, game="duel") as played:
        shown, keeper = await played.look(0), played.app.keeper
        live = keeper.cache.games[played.game_id]
        async with live.lock:
            playing = asyncio.ensure_future(played.play(first_action(shown), shown.game.version, 0))
            await until(lambda: live.users > 0)
            await asyncio.sleep(0.1)
            waited = keeper.now()
        await playing
        assert live.kept.since >= waited


# -- games that cannot be read ---------------------------------------------------------------------


@pytest.mark.usefixtures("hurried")
async def test_a_game_that_cannot_be_read_stops_no_other(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Rows of a kind, and of an order, that this server does not know."""
    path = tmp_path / "games.sqlite"
    slow = games.SeatPlan(kind=games.SEAT_KIND_BOT, bot=games.Bot(level=1))
    async with served(store=str(path), max_bot_games=1) as server:
        stub = GameServiceStub(server.channel)
        made = [await seated(stub, server.app, slow, slow, game="cathedral") for _ in range(4)]
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE game SET due = 0, status = 'running'")
        for one, kind in zip(made, ("sung", "played"), strict=False):
            connection.execute("INSERT INTO entry VALUES (?, 999, ?, 0, 'gibberish', 0)", (one.game_id, kind))
    connection.close()
    async with asyncio.timeout(ENOUGH), served(store=str(path), max_bot_games=1) as server:
        stub = GameServiceStub(server.channel)
        for one in made[2:]:
            request = games.WatchGameRequest(game_id=one.game_id, tokens=[one.made.owner_token])
            assert [state async for state in stub.WatchGame(request)][-1].game.status == games.GAME_STATUS_OVER
        for one in made[:2]:
            request = games.GetGameRequest(game_id=one.game_id, tokens=[one.made.owner_token])
            seen = await stub.GetGame(request)
            assert (seen.game.status, bool(seen.game.frozen_reason)) == (games.GAME_STATUS_FROZEN, True)
            asked = games.PlayActionRequest(game_id=one.game_id, tokens=[one.made.owner_token], action="pass")
            assert_reason(await refusal(stub.PlayAction(asked)), Reason.FROZEN)
            assert sum(one.game_id in line for line in caplog.messages) == 1
            assert "gibberish" not in caplog.text


async def test_rows_that_are_no_text_stop_no_other_game(name: str) -> None:
    """Looks find what is due, games are made, and whoever lists games is told of the one that cannot be read."""
    async with served(store=name) as server:
        stub, store, moving = GameServiceStub(server.channel), server.app.keeper.store, server.app.keeper._due
        odd, unreadable = [await seated(stub, server.app, PERSON, PERSON) for _ in range(2)]
        await spoil(store, "game", "maker", f"id = '{odd.game_id}'", also="due = 0,")
        await spoil(store, "entry", "text", f"game = '{unreadable.game_id}'")
        server.app.keeper.cache.drop([unreadable.game_id])
        assert await moving._look(moving._lanes) is None
        made = await seated(stub, server.app, PERSON, PERSON)
        tokens = [one.made.owner_token for one in (odd, unreadable, made)]
        listed = (await stub.ListGames(games.GameServiceListGamesRequest(tokens=tokens))).games
        assert len(listed) == 3
        [frozen] = (one for one in listed if one.status == games.GAME_STATUS_FROZEN)
        assert frozen.frozen_reason == "this server cannot read the game: its text is not UTF-8"


async def test_a_look_that_fails_for_one_kind_of_games_finds_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    async with served() as server:
        asked: list[bool] = []

        async def fail(*_: Any, bots_only: bool, **__: Any) -> Any:
            asked.append(bots_only)
            raise StoreError("broken")

        moving = server.app.keeper._due
        monkeypatch.setattr(server.app.keeper.store, "due", fail)
        assert isinstance(await moving._look(moving._lanes), StoreError)
        assert {*asked} == {False, True}


async def test_what_fails_in_one_game_stops_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here the choice of a move."""
    async with table(BOT, BOT) as played:
        broken_id = played.game_id
        mover: Any = played.app.keeper._due._mover
        choose = mover._choose

        async def fail(kept: Any, *more: Any) -> str:
            if kept.head.game_id == broken_id:
                raise ZeroDivisionError
            return str(await choose(kept, *more))

        monkeypatch.setattr(mover, "_choose", fail)
        others = [await seated(played.stub, played.app, BOT, BOT) for _ in range(3)]
        async with asyncio.timeout(ENOUGH):
            for one in others:
                request = games.WatchGameRequest(game_id=one.game_id, tokens=[one.made.owner_token])
                assert [state async for state in one.stub.WatchGame(request)][-1].game.status == games.GAME_STATUS_OVER


@pytest.mark.parametrize("what", ["is over", "cannot be stored"])
async def test_a_game_that_is_always_due_hides_no_other_of_its_maker(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its row says that it is due longest, and there is one place."""
    async with asyncio.timeout(ENOUGH), table(BOT, BOT, settings={"max_bot_games": 1}) as played:
        store: Any = played.app.keeper.store
        append = store.append

        async def fail(game_id: str, *arguments: Any, **more: Any) -> None:
            if game_id == played.game_id:
                raise StoreError("broken")
            await append(game_id, *arguments, **more)

        if what == "is over":
            await ended(played)
        else:
            monkeypatch.setattr(store, "append", fail)
        await store._ask(lambda connection: connection.execute("UPDATE game SET due = 0").rowcount)
        others = [await seated(played.stub, played.app, BOT, BOT) for _ in range(3)]
        for one in others:
            await ended(one)


async def ended(played: Table) -> None:
    """Wait for the end of a game."""
    request = games.WatchGameRequest(game_id=played.game_id, tokens=[played.made.owner_token])
    assert [state async for state in played.stub.WatchGame(request)][-1].game.status == games.GAME_STATUS_OVER


async def test_a_game_that_cannot_be_read_is_no_surprise_once_who_asked_for_it_has_left() -> None:
    reached, gate, said = asyncio.Event(), asyncio.Event(), []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: said.append(context["message"]))

    async def load(_: str) -> None:
        reached.set()
        await gate.wait()
        raise Unreadable("damaged")

    games_in_memory = cache.GameCache(cast(Any, SimpleNamespace(load=load)))

    async def ask() -> None:
        async with games_in_memory.lend(f"{'a' * 21}A"):
            pass

    asking = asyncio.ensure_future(ask())
    await reached.wait()
    asking.cancel()
    with suppress(asyncio.CancelledError):
        await asking
    gate.set()
    await until(lambda: bool(games_in_memory.aside))
    await asyncio.sleep(0.01)  # the task has ended
    gc.collect()
    assert said == []


@pytest.mark.parametrize("error", [StoreError("broken"), ValueError("a fault")])
async def test_a_change_that_fails_once_its_caller_has_left_is_told_if_it_is_a_fault(
    error: Exception, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    reached, gate, said = asyncio.Event(), asyncio.Event(), []

    async def append(*_: Any, **__: Any) -> None:
        reached.set()
        await gate.wait()
        raise error

    async with table(PERSON, PERSON) as played:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: said.append(context["message"]))
        shown, keeper = await played.look(0), played.app.keeper
        monkeypatch.setattr(keeper.store, "append", append)
        playing = asyncio.ensure_future(played.play(first_action(shown), shown.game.version, 0))
        await reached.wait()
        playing.cancel()
        await until(lambda: keeper.cache.games[played.game_id].users == 1)  # the change
        gate.set()
        await until(lambda: not keeper._changes._under_way)
        await asyncio.sleep(0.01)  # the task has ended
        gc.collect()
    told = [one for one in caplog.messages if "after its caller had left" in one]
    assert (said, len(told)) == ([], isinstance(error, ValueError))

"""Nothing is shown before it is stored, and a change that was begun is carried out."""

import asyncio
import gc
from typing import Any

import pytest

from clerestory.server.games import cache, commands
from clerestory.server.games.store import StoreError, StoreFull
from clerestory.service_errors import Reason, ServiceError
from tests.server.games.simulated import Database, Server, on_simulated_time
from tests.server.games.table import BOTH, NOW, PERSON, Table, first_action, table
from tests.server.rpc.harness import assert_reason, refusal, until


class HeldStore:
    """Holds the writes of a server's store until `go_on` is set, and then lets them fail if an error is given."""

    def __init__(self, played: Table, monkeypatch: pytest.MonkeyPatch, error: Exception | None = None) -> None:
        self.reached, self.go_on = asyncio.Event(), asyncio.Event()
        append = played.app.manager.store.append

        async def held(*arguments: Any, **more: Any) -> None:
            self.reached.set()
            await self.go_on.wait()
            if error is not None:
                raise error
            await append(*arguments, **more)

        monkeypatch.setattr(played.app.manager.store, "append", held)


@pytest.mark.parametrize(
    ("failure", "reason"), [(StoreFull("full"), Reason.DISK_FULL), (StoreError("broken"), Reason.STORE_FAILED)]
)
async def test_a_move_that_cannot_be_stored_has_no_effect(
    played: Table, failure: StoreError, reason: Reason, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = await played.look(0)
    with monkeypatch.context() as broken:
        HeldStore(played, broken, failure).go_on.set()
        assert_reason(await refusal(played.play(first_action(seen), seen.game.version, 0)), reason)
    assert await played.look(0) == seen
    await played.play(first_action(seen), seen.game.version, 0)


async def test_nothing_is_sent_before_it_is_stored(played: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = await played.look(0)
    watching = played.watch(1)
    await watching.read()
    held = HeldStore(played, monkeypatch)
    playing = asyncio.ensure_future(played.play(first_action(seen), seen.game.version, 0))
    telling = asyncio.ensure_future(watching.read())
    await held.reached.wait()
    assert await played.look(0) == seen
    assert (playing.done(), telling.done()) == (False, False)
    held.go_on.set()
    assert (await playing).game.version == (await telling).game.version == seen.game.version + 1


async def test_a_move_whose_caller_leaves_is_played_and_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """However short memory is: who comes while it is being stored gets the game that it changes."""
    monkeypatch.setattr(cache, "IDLE_BYTES", 0)
    async with table() as played:
        seen = await played.look(0)
        held = HeldStore(played, monkeypatch)
        playing = asyncio.ensure_future(played.play(first_action(seen), seen.game.version, 0))
        await held.reached.wait()
        live = played.app.manager.cache.games[played.game_id]
        users = live.users
        playing.cancel()
        await until(lambda: live.users < users)
        watching = played.watch(1)
        assert (await watching.read()).game.version == seen.game.version
        held.go_on.set()
        assert (await watching.read()).game.version == seen.game.version + 1
        watching.cancel()
        again = await played.play(first_action(seen), seen.game.version, 0)
        assert again.game.version == seen.game.version + 1


@pytest.mark.parametrize("error", [StoreError("broken"), ValueError("a fault")])
async def test_a_fault_of_a_change_whose_caller_has_left_is_logged(
    error: Exception, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    unexpected: list[str] = []
    async with table(PERSON, PERSON) as played:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: unexpected.append(context["message"]))
        shown, manager = await played.look(0), played.app.manager
        held = HeldStore(played, monkeypatch, error)
        playing = asyncio.ensure_future(played.play(first_action(shown), shown.game.version, 0))
        await held.reached.wait()
        playing.cancel()
        await until(lambda: manager.cache.games[played.game_id].users == 1)  # the change
        held.go_on.set()
        await until(lambda: not manager._changes._under_way)
        for _ in range(3):  # the task ends
            await asyncio.sleep(0)
        gc.collect()
    logged = [line for line in caplog.messages if "after its caller had left" in line]
    assert (unexpected, len(logged)) == ([], isinstance(error, ValueError))


@on_simulated_time
async def test_a_stored_move_is_shown_though_its_answer_was_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Watchers see it, even if the game is not requested again."""
    server = Server(Database(), 1, shared=False)
    version = (await server.create()).version
    append = server.store.append

    async def lost(*arguments: Any, **more: Any) -> None:
        await append(*arguments, **more)
        raise StoreError("the answer was lost")

    async with server.manager.lend("game") as live:
        changed = live.changed
        with monkeypatch.context() as patch:
            patch.setattr(server.store, "append", lost)
            with pytest.raises(ServiceError) as caught:
                await server.play()
        assert caught.value.reason == Reason.STORE_FAILED
        await changed.wait()
        assert live.hosted.entries == server.database.rows["game"].entries
        assert live.hosted.version == version + 1


async def two_servers() -> tuple[Database, Server, Server]:
    """Return two servers that both know a game with some moves."""
    database = Database()
    first, second = Server(database, 1), Server(database, 2)
    await first.create()
    for server in (first, second, first):
        await server.play()
    return database, first, second


@on_simulated_time
async def test_a_game_goes_on_from_what_the_store_has_not_lost() -> None:
    database, first, second = await two_servers()
    entries = database.rows["game"].entries
    async with first.manager.lend("game") as live:
        known = live.hosted
        del entries[-2:]
        with pytest.raises(ServiceError, match=f"has version {len(entries)}"):
            await first.manager.change(live, lambda game: commands.play(game, BOTH, known.version, "fold", NOW))
        assert not live.hosted.follows(known)
    for server in (second, first, second):
        await server.play()
        async with first.manager.lend("game") as one, second.manager.lend("game") as other:
            assert one.hosted.entries == other.hosted.entries == entries


@on_simulated_time
async def test_a_game_that_another_server_deletes_is_gone() -> None:
    database, first, second = await two_servers()
    del database.rows["game"]
    for server in (first, second):
        with pytest.raises(ServiceError) as caught:
            await server.play()
        assert (caught.value.reason, server.manager.in_memory) == (Reason.NO_SUCH_GAME, 0)

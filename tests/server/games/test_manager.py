"""Games survive their server; old ones are deleted, and idle ones are unloaded."""

import asyncio
from pathlib import Path
from unittest.mock import AsyncMock, Mock, call

import pytest
from google.protobuf.duration_pb2 import Duration

from clerestory.server.games import cache
from clerestory.server.games import manager as manager
from clerestory.server.games.bots import Bots
from clerestory.server.games.store import StoreError
from clerestory.service_errors import Reason
from clerestory.v1 import games_pb2 as games
from tests.server.games.simulated import Database, Server, clock, on_simulated_time
from tests.server.games.table import BOT, PERSON, Table, hosted, seated, table
from tests.server.rpc.harness import assert_reason, refusal, served, until

HOUR = 3_600_000  # milliseconds


class FakeClock:
    """Replaces the clock of a server's store; the test advances it."""

    def __init__(self, played: Table, monkeypatch: pytest.MonkeyPatch) -> None:
        self.moment = played.app.manager.now()
        monkeypatch.setattr(played.app.manager.store, "now", lambda: self.moment)

    def advance(self, hours: float) -> None:
        self.moment += int(hours * HOUR)


async def test_a_game_of_bots_goes_on_after_a_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"store": str(tmp_path / "games.sqlite")}
    with monkeypatch.context() as patch:
        patch.setattr(Bots, "choose", lambda *_: asyncio.Event().wait())
        async with table(PERSON, PERSON, settings=settings) as played:
            for _ in range(20):
                await seated(played.stub, played.app, PERSON, PERSON)
            await played.play_first()
            for seat in (0, 1):
                await played.call("SetSeat", tokens=played.tokens(seat), seat=seat, plan=BOT)
            before = await played.look()
    async with served(**settings) as server:
        again = played.at(server)
        assert (await again.look()).game.version >= before.game.version
        assert server.app.manager.in_memory == 1, "no game is read in which nothing is due"
        await again.ended()
        await until(lambda: server.app.manager.unfinished == 20)


@pytest.mark.parametrize("seats", [(PERSON, PERSON), (PERSON, BOT)], ids=["people", "bot"])
async def test_idle_games_are_unloaded(seats: tuple[games.SeatPlan, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those in which the server has to move if their player does not."""
    monkeypatch.setattr(cache, "IDLE_BYTES", 3 * hosted().weight)
    options = games.GameOptions(time_per_move=Duration(seconds=29 * 24 * 3600))
    async with table(*seats, options=options) as played:
        others = [await seated(played.stub, played.app, *seats, options=options) for _ in range(6)]
        assert played.app.manager.in_memory <= 4
        for one in (played, *others):
            await one.play_first(0)
        await until(lambda: played.app.manager.in_memory <= 4)


async def test_a_game_is_deleted_once_nobody_has_asked_for_it_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """The store does not record every request for a game, so a game lives an hour longer."""
    async with table(PERSON, PERSON, settings={"game_retention_days": 1.0}) as played:
        now, keeping = FakeClock(played, monkeypatch), played.app.manager
        watched = await seated(played.stub, played.app, PERSON, PERSON)
        watching = watched.watch(0)
        await watching.read()
        for hours in (0, 0.9, 23.9):
            now.advance(hours)
            await keeping._delete()
            await played.look(0)
            await keeping._tell_touched()
        now.advance(25.1)
        await keeping._delete()
        assert_reason(await refusal(played.look(0)), Reason.NO_SUCH_GAME)
        assert (await watched.look(0)).game.status == games.GAME_STATUS_RUNNING
        assert keeping.unfinished == 1
        watching.cancel()


async def test_a_game_that_is_requested_while_others_are_deleted_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manager, "DELETE_BATCH", 1)
    async with table(PERSON, PERSON, settings={"game_retention_days": 1.0}) as played:
        other = await seated(played.stub, played.app, PERSON, PERSON)
        FakeClock(played, monkeypatch).advance(26)
        store, deleted, delete = played.app.manager.store, list[str](), played.app.manager.store.delete_untouched

        async def deleting(before: int, most: int) -> list[str]:
            found = await delete(before, most)
            deleted.extend(found)
            for one in (played, other):
                if one.game_id not in deleted:
                    await one.look(0)
            return found

        monkeypatch.setattr(store, "delete_untouched", deleting)
        await played.app.manager._delete()
        assert len(deleted) == 1


@on_simulated_time
async def test_old_games_and_request_ids_are_deleted_every_hour() -> None:
    """And more of them at once where there were more than are deleted at a time."""
    server, calls = Server(Database(), 1), Mock()
    calls.forget_requests.side_effect = [manager.NAME_DELETE_BATCH, 0, 0, 0]
    server.manager._forget_after = 1.0
    server.store.delete_untouched = AsyncMock(side_effect=lambda *_: calls.delete_untouched(clock() // 3600) and [])
    server.store.forget_requests = AsyncMock(side_effect=lambda *_: calls.forget_requests(clock() // 3600))
    await asyncio.sleep(2 * 3600 + 60)
    hourly = [
        call.delete_untouched(1.0),
        call.forget_requests(1.0),
        call.delete_untouched(2.0),
        call.forget_requests(2.0),
    ]
    assert calls.mock_calls == [call.forget_requests(0.0)] * 2 + hourly


async def test_requests_for_games_are_recorded_once_the_store_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the latest when it is closed."""
    touch = AsyncMock(side_effect=[StoreError("it is away"), None])
    async with table(PERSON, PERSON) as played:
        monkeypatch.setattr(played.app.manager.store, "touch", touch)
        await played.look(0)
        with pytest.raises(StoreError):
            await played.app.manager._tell_touched()
    assert touch.call_args.args[0] == [played.game_id]

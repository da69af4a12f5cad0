"""Games survive their server; old ones are deleted, and those that nobody looks at are unloaded."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration

from clerestory.games import cache, keeper
from clerestory.games.bots import Bots
from clerestory.games.store import StoreError
from clerestory.refusals import Reason
from clerestory.v1 import games_pb2 as games
from tests.games.simulated import Database, Server, clock, on_simulated_time
from tests.games.table import BOT, PERSON, Table, kept, seated, table
from tests.server.harness import assert_reason, refusal, served, until

HOUR = 3_600_000  # milliseconds


class FakeClock:
    """The clock of a server's store, which moves when it is told to."""

    def __init__(self, played: Table, monkeypatch: pytest.MonkeyPatch) -> None:
        self.moment = played.app.keeper.now()
        monkeypatch.setattr(played.app.keeper.store, "now", lambda: self.moment)

    def advance(self, hours: float) -> None:
        self.moment += int(hours * HOUR)


# -- restarts --------------------------------------------------------------------------------------


async def test_a_game_goes_on_by_itself_after_a_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
        assert server.app.keeper.in_memory == 1, "no game is read in which nothing is due"
        await again.ended()
        await until(lambda: server.app.keeper.unfinished == 20)


# -- memory ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [(PERSON, PERSON), (PERSON, BOT)], ids=["people", "bot"])
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


# -- deleting --------------------------------------------------------------------------------------


async def test_a_game_is_deleted_once_nobody_has_asked_for_it_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """The store is not told of every request for a game, so a game lives an hour longer."""
    async with table(PERSON, PERSON, settings={"forget_games_after": 1.0}) as played:
        now, keeping = FakeClock(played, monkeypatch), played.app.keeper
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


async def test_a_game_that_is_asked_for_while_others_are_deleted_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeper, "AT_ONCE", 1)
    async with table(PERSON, PERSON, settings={"forget_games_after": 1.0}) as played:
        other = await seated(played.stub, played.app, PERSON, PERSON)
        FakeClock(played, monkeypatch).advance(26)
        store, deleted = played.app.keeper.store, list[str]()
        delete = store.delete_untouched

        async def deleting(before: int, most: int) -> list[str]:
            found = await delete(before, most)
            deleted.extend(found)
            for one in (played, other):
                if one.game_id not in deleted:
                    await one.look(0)
            return found

        monkeypatch.setattr(store, "delete_untouched", deleting)
        await played.app.keeper._delete()
        assert len(deleted) == 1


@on_simulated_time
async def test_old_games_and_request_ids_are_deleted_every_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[str, float]] = []

    async def deleting(*_: Any) -> list[str]:
        calls.append(("games", clock() // 3600))
        return []

    async def forgetting(*_: Any) -> int:
        calls.append(("requests", clock() // 3600))
        return keeper.MANY_NAMES if len(calls) == 1 else 0

    server = Server(Database(), 1)
    server.keeper._forget_after = 1.0
    monkeypatch.setattr(server.store, "delete_untouched", deleting, raising=False)
    monkeypatch.setattr(server.store, "forget_requests", forgetting)
    await asyncio.sleep(2 * 3600 + 60)
    first = [("requests", 0.0)] * 2  # there were more than are deleted at once
    assert calls == [*first, ("games", 1.0), ("requests", 1.0), ("games", 2.0), ("requests", 2.0)]


async def test_the_store_is_told_of_requests_for_games_once_it_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the latest when it is closed."""
    told: list[str] = []

    async def failing(*_: object) -> None:
        raise StoreError("it is away")

    async def noted(game_ids: list[str], _: int) -> None:
        told.extend(game_ids)

    async with table(PERSON, PERSON) as played:
        store = played.app.keeper.store
        monkeypatch.setattr(store, "touch", failing)
        await played.look(0)
        with pytest.raises(StoreError):
            await played.app.keeper._tell_touched()
        monkeypatch.setattr(store, "touch", noted)
    assert told == [played.game_id]


async def test_a_game_that_was_deleted_meanwhile_does_not_exist() -> None:
    async with table(PERSON, PERSON) as played:
        seen = await played.look(0, 1)
        assert await played.app.keeper.store.delete_untouched(1 << 60, 9) == [played.game_id]
        action = next(view.actions[0].action.text for view in seen.views if view.actions)
        assert_reason(await refusal(played.play(action, seen.game.version, 0, 1)), Reason.NO_SUCH_GAME)
        assert_reason(await refusal(played.look(0)), Reason.NO_SUCH_GAME)

"""What a caller may store is bounded, counted in memory, and may be forgotten in time."""

import asyncio
from typing import Any, cast

import pytest
from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo

from clerestory.games import due, keeper, quota
from clerestory.games.quota import MINUTE, Limits, Quota, TokenBucket
from clerestory.games.store import StoreError, Tally
from clerestory.games.tokens import Mint
from clerestory.refusals import Reason, Refusal
from clerestory.server.callers import ON_BEHALF
from clerestory.v1 import games_pb2 as games
from clerestory.v1.games_pb2_grpc import GameServiceStub
from tests.games.table import BOT, PERSON, Table, play_out, seated, table
from tests.server.harness import Served, assert_reason, details, refusal, served, until

REQUEST = games.CreateGameRequest(game="toy", seats=[PERSON] * 2)


def create(server: Served, name: str = "") -> Any:
    return GameServiceStub(server.channel).CreateGame(REQUEST, metadata=((ON_BEHALF, name),) if name else ())


async def abandon(server: Served, made: games.CreateGameResponse) -> None:
    request = games.EndGameRequest(
        game_id=made.game.game_id, tokens=[made.owner_token], reason=games.END_REASON_ABANDONED
    )
    await GameServiceStub(server.channel).EndGame(request)


async def test_a_caller_that_makes_and_abandons_games_too_fast_is_told_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quota, "MINUTE", 86_400.0)  # however long the calls take here
    async with served(max_games_a_minute=20) as server:
        for _ in range(20):
            await abandon(server, await create(server))
        refused = await refusal(create(server))
        assert_reason(refused, Reason.TOO_MANY_GAMES)
        assert details(refused, ErrorInfo).metadata == {"limit": "max_games_a_minute", "most": "20"}
        assert Duration(seconds=0) != details(refused, RetryInfo).retry_delay
        await create(server, "another")


def test_a_caller_makes_so_many_games_a_minute() -> None:
    """On a clock of the test's own: all at once or one by one, then at the rate alone."""
    pace = TokenBucket(60, 0.0)
    waits = [pace.wait(60, number / 150) for number in range(150)]
    assert waits.count(0.0) in (60, 61)
    assert 0 < waits[-1] <= 1
    assert not pace.full(60, 1.0)
    assert pace.full(60, 1.0 + MINUTE)
    assert [pace.wait(60, 1.0 + 10 * MINUTE) for _ in range(61)].count(0.0) == 60


async def test_finished_games_count_by_what_they_take() -> None:
    async with served(max_bytes_each=10_000) as server:
        for _ in range(100):
            made = asyncio.ensure_future(create(server))
            await asyncio.wait([made])
            if made.exception() is not None:
                break
            await abandon(server, made.result())
        assert_reason(made.exception(), Reason.TOO_MANY_GAMES)
        assert details(made.exception(), ErrorInfo).metadata["limit"] == "max_bytes_each"
        assert server.app.keeper.unfinished == 0
        await create(server, "another")


async def test_what_a_caller_has_is_known_after_a_restart(tmp_path: Any) -> None:
    settings = {"store": str(tmp_path / "games.sqlite"), "max_bytes_each": 1_000}
    async with served(**settings | {"max_bytes_each": 100_000}) as server:
        for _ in range(3):
            await create(server)
    async with served(**settings) as server:
        assert_reason(await refusal(create(server)), Reason.TOO_MANY_GAMES)


async def test_a_new_game_costs_the_same_however_many_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """The store is counted once, and not for every game."""
    async with served() as server:
        await create(server)
        asked: list[str] = []
        store = server.app.keeper.store
        for name in ("tally", "select", "load"):
            monkeypatch.setattr(store, name, lambda *_, name=name, **__: asked.append(name))
        for _ in range(20):
            await create(server)
        assert asked == []
        assert server.app.keeper.unfinished == 21


async def test_games_that_cannot_be_stored_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: Any, **__: Any) -> None:
        raise OSError("broken")

    async with served(max_games=1) as server:
        with monkeypatch.context() as broken:
            broken.setattr(server.app.keeper.store, "create", fail)
            await refusal(create(server))
        await create(server)
        assert server.app.keeper.unfinished == 1


async def test_games_made_at_once_do_not_pass_the_limit() -> None:
    async with served(max_games=5) as server:
        made = await asyncio.gather(*(create(server) for _ in range(40)), return_exceptions=True)
        assert sum(not isinstance(one, Exception) for one in made) == 5


async def test_a_count_of_the_store_keeps_the_room_of_a_game_that_is_being_stored() -> None:
    class Empty:
        async def tally(self) -> dict[str, Tally]:
            return {}

    counted: Any = Quota(cast(Any, Empty()), Limits(games=1, each=1))
    async with counted.room("maker"):
        await counted.read()
        assert counted.unfinished == 1
        with pytest.raises(Refusal):
            async with counted.room("maker"):
                pass
    assert counted.unfinished == 0


# -- games of all servers --------------------------------------------------------------------------


async def test_the_number_of_games_is_that_of_the_store(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever server has ended them."""
    monkeypatch.setattr(keeper, "COUNTED", 0.05)
    async with served(store=database) as first, served(store=database) as second:
        made = [await create(first) for _ in range(3)]
        await until(lambda: first.app.keeper.unfinished == second.app.keeper.unfinished == 3)
        for one in made:
            await abandon(second, one)
        await until(lambda: first.app.keeper.unfinished == second.app.keeper.unfinished == 0)


# -- forgetting ------------------------------------------------------------------------------------


async def test_games_that_nobody_asks_for_are_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeper, "TIDIED", 0.05)
    monkeypatch.setattr(keeper, "NOTED", 0)
    async with table(PERSON, PERSON, settings={"forget_games_after": 1e-6}) as played:
        watched = await seated(played.stub, played.app, PERSON, PERSON)
        watching = watched.watch(0)
        await watching.read()
        while await played.app.keeper.store.load(played.game_id) is not None:
            await asyncio.sleep(0.05)
        assert_reason(await refusal(played.look(0)), Reason.NO_SUCH_GAME)
        assert (await watched.look(0)).game.status == games.GAME_STATUS_RUNNING
        await until(lambda: played.app.keeper.unfinished == 1)
        watching.cancel()


async def test_no_game_is_deleted_before_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also not a game in memory, of which it is not noted every time that it was asked for."""
    async with table(PERSON, PERSON, settings={"forget_games_after": 1.0}) as played:
        begun = played.app.keeper.now()
        hours = [0.0]
        monkeypatch.setattr(played.app.keeper.store, "now", lambda: begun + int(hours[-1] * 3_600_000))
        for later in (0, 0.9, 24.8):
            hours.append(later)
            await played.app.keeper._delete()
            await played.look(0)
            await played.app.keeper._tell_touched()
        hours.append(49.9)
        await played.app.keeper._delete()
        assert_reason(await refusal(played.look(0)), Reason.NO_SUCH_GAME)


async def test_a_game_that_is_asked_for_while_others_are_deleted_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeper, "AT_ONCE", 1)
    async with table(PERSON, PERSON, settings={"forget_games_after": 1.0}) as played:
        other = await seated(played.stub, played.app, PERSON, PERSON)
        store, tomorrow = played.app.keeper.store, played.app.keeper.now() + 26 * 3_600_000
        monkeypatch.setattr(store, "now", lambda: tomorrow)
        delete, deleted = store.delete_untouched, list[str]()

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


async def test_that_a_game_was_asked_for_is_told_once_the_store_answers_at_the_latest_when_it_is_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
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


async def test_names_of_requests_are_forgotten_while_the_server_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeper, "TIDIED", 0.05)
    async with table(PERSON, PERSON, request_id="the-name-of-a-request") as played:
        store = played.app.keeper.store
        name = Mint(store.secret, "create the-name-of-a-request").digest
        assert name in await store.find([name])
        monkeypatch.setattr(keeper, "DAY", -1000)
        while await store.find([name]):
            await asyncio.sleep(0.05)
        assert (await played.look(0)).game.game_id == played.game_id


async def test_a_game_that_was_deleted_meanwhile_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """A move in it is refused as one in any game that does not exist."""
    async with table(PERSON, PERSON) as played:
        seen = await played.look(0, 1)
        assert await played.app.keeper.store.delete_untouched(1 << 60, 9) == [played.game_id]
        action = next(view.actions[0].action.text for view in seen.views if view.actions)
        assert_reason(await refusal(played.play(action, seen.game.version, 0, 1)), Reason.NO_SUCH_GAME)
        assert_reason(await refusal(played.look(0)), Reason.NO_SUCH_GAME)


# -- games of bots only ----------------------------------------------------------------------------


async def test_games_of_bots_only_take_turns() -> None:
    """However many there are, all of them end, and only so many have a mover at a time."""
    async with table(BOT, BOT, settings={"max_bot_games": 1}) as played:
        others = [await seated(played.stub, played.app, BOT, BOT) for _ in range(5)]
        most = 0
        while played.app.keeper.unfinished:
            most = max(most, len(played.app.keeper._due.moving))
            await asyncio.sleep(0.001)
        assert most == 1
        for one in (played, *others):
            request = games.GetGameRequest(game_id=one.game_id, tokens=[one.made.owner_token])
            assert (await one.stub.GetGame(request)).game.status == games.GAME_STATUS_OVER


async def test_a_game_with_a_person_does_not_wait_for_those_of_bots_only(monkeypatch: pytest.MonkeyPatch) -> None:
    async with table(PERSON, BOT, game="duel", settings={"max_bot_games": 1}) as played:
        slow = games.SeatPlan(kind=games.SEAT_KIND_BOT, bot=games.Bot(time_budget=Duration(seconds=60)))
        for _ in range(3):
            await seated(played.stub, played.app, slow, slow, game="duel")
        assert (await play_out(Table(played.stub, played.app, played.made))).game.status == games.GAME_STATUS_OVER


async def test_the_games_of_one_maker_leave_movers_for_those_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many are due, and however long their bots think."""
    monkeypatch.setattr(due, "MOVERS", 4)
    slow = games.SeatPlan(kind=games.SEAT_KIND_BOT, bot=games.Bot(time_budget=Duration(seconds=60)))
    async with table(slow, PERSON, game="duel") as played:
        for _ in range(30):
            await seated(played.stub, played.app, slow, PERSON, game="duel")
        await until(lambda: len(played.app.keeper._due.moving) == 2)
        request = games.CreateGameRequest(game="duel", seats=[PERSON, BOT])
        made = await played.stub.CreateGame(request, metadata=((ON_BEHALF, "another"),))
        assert (await play_out(Table(played.stub, played.app, made))).game.status == games.GAME_STATUS_OVER
        assert played.app.keeper.unfinished == 31

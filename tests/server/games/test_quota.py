"""Quotas on the games of a caller are counted in memory."""

import asyncio
from typing import Any
from unittest.mock import AsyncMock

import grpc
import pytest
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo

from clerestory.server.games import manager as manager
from clerestory.server.games import quota
from clerestory.server.games.quota import MINUTE, Limits, Quota, TokenBucket
from clerestory.server.games.store import StoreError
from clerestory.server.rpc.callers import ON_BEHALF
from clerestory.service_errors import Reason, ServiceError
from clerestory.v1 import games_pb2 as games
from clerestory.v1.games_pb2_grpc import GameServiceStub
from tests.server.games.simulated import Database, Server, on_simulated_time
from tests.server.games.table import PERSON, Table
from tests.server.rpc.harness import Served, assert_reason, details, refusal, served, until


async def create(server: Served, name: str = "") -> Table:
    stub, request = GameServiceStub(server.channel), games.CreateGameRequest(game="toy", seats=[PERSON] * 2)
    made = await stub.CreateGame(request, metadata=((ON_BEHALF, name),) if name else ())
    return Table(stub, server.app, made)


async def abandon(played: Table) -> None:
    await played.call("EndGame", tokens=played.owner, reason=games.END_REASON_ABANDONED)


async def test_a_caller_that_creates_games_too_fast_has_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quota, "MINUTE", 86_400.0)  # however long the calls take here
    async with served(max_games_a_minute=20) as server:
        for _ in range(20):
            await abandon(await create(server))
        error = await refusal(create(server))
        assert_reason(error, Reason.TOO_MANY_GAMES)
        assert details(error, ErrorInfo).metadata == {"limit": "max_games_a_minute", "most": "20"}
        assert details(error, RetryInfo).retry_delay.ToNanoseconds() > 0
        await create(server, "another")


def test_a_caller_makes_so_many_games_a_minute() -> None:
    """All at once or one by one, then at the rate alone."""
    pace = TokenBucket(60, 0.0)
    waits = [pace.wait(60, number / 150) for number in range(150)]
    assert waits.count(0.0) in (60, 61)
    assert 0 < waits[-1] <= 1
    assert not pace.full(60, 1.0)
    assert pace.full(60, 1.0 + MINUTE)
    assert [pace.wait(60, 1.0 + 10 * MINUTE) for _ in range(61)].count(0.0) == 60


async def test_finished_games_count_by_their_bytes_also_after_a_restart(tmp_path: Any) -> None:
    settings = {"store": str(tmp_path / "games.sqlite"), "max_bytes_each": 10_000}
    async with served(**settings) as server:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            for _ in range(100):  # a few games reach the limit of bytes
                await abandon(await create(server))
        error = caught.value
        assert_reason(error, Reason.TOO_MANY_GAMES)
        assert details(error, ErrorInfo).metadata["limit"] == "max_bytes_each"
        assert server.app.manager.unfinished == 0
        await create(server, "another")
    async with served(**settings) as server:
        assert_reason(await refusal(create(server)), Reason.TOO_MANY_GAMES)


async def test_the_store_is_not_counted_for_every_game(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    await create(server)
    for name in ("tally", "select", "load"):
        monkeypatch.setattr(server.app.manager.store, name, None)
    for _ in range(20):
        await create(server)
    assert server.app.manager.unfinished == 21


@on_simulated_time
async def test_games_that_cannot_be_stored_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(Database(), 1)
    with monkeypatch.context() as broken:
        broken.setattr(server.store, "create", AsyncMock(side_effect=StoreError("broken")))
        with pytest.raises(ServiceError):
            await server.create()
    assert server.manager.unfinished == 0
    await server.create()
    assert server.manager.unfinished == 1


async def test_games_made_at_once_do_not_pass_the_limit_and_one_that_ends_makes_room() -> None:
    async with served(max_games=5) as server:
        made = await asyncio.gather(*(create(server) for _ in range(40)), return_exceptions=True)
        stored = [one for one in made if isinstance(one, Table)]
        assert len(stored) == 5
        await abandon(stored[0])
        await create(server)
        assert_reason(await refusal(create(server)), Reason.TOO_MANY_GAMES)


async def test_a_count_of_the_store_keeps_the_room_of_a_game_that_is_being_stored() -> None:
    counted = Quota(AsyncMock(tally=AsyncMock(return_value={})), Limits(games=1, each=1))
    async with counted.room("maker"):
        await counted.read()
        assert counted.unfinished == 1
        with pytest.raises(ServiceError):
            async with counted.room("maker"):
                pass
    assert counted.unfinished == 0


@pytest.mark.system
async def test_limits_count_the_games_of_all_servers(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever server has made or ended them."""
    monkeypatch.setattr(manager, "STORE_COUNT_INTERVAL_S", 0.05)
    settings = {"store": database, "max_games": 3}
    async with served(**settings) as first, served(**settings) as second:
        made = [await create(server) for server in (first, first, second)]
        await until(lambda: first.app.manager.unfinished == second.app.manager.unfinished == 3)
        assert_reason(await refusal(create(first)), Reason.TOO_MANY_GAMES)
        for one in made:
            await abandon(one.at(second))
        await until(lambda: first.app.manager.unfinished == second.app.manager.unfinished == 0)

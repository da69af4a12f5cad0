"""The server moves in every game that is due, whatever its store, its clock or another game does."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any
from unittest.mock import AsyncMock, patch

import pytest
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub

from clerestory.server.app import GAMES, SERVICES
from clerestory.server.games import due
from clerestory.server.games import manager as manager
from clerestory.server.games.due import MISSED, SCAN_INTERVAL_S
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.store import StoreError
from clerestory.service_errors import Reason, ServiceError
from tests.server.games import simulated
from tests.server.games.simulated import BOT_GAMES, STARTED, Database, Server, SimulatedStore, clock, on_simulated_time
from tests.server.rpc.harness import served

MANY = 1000  # tries
ServerOf = Callable[..., Server]


@pytest.fixture
def server_of(monkeypatch: pytest.MonkeyPatch) -> ServerOf:
    """Return a function that makes a server; `choose` replaces its searches."""

    def made(choose: Any = None, *, shared: bool = False) -> Server:
        if choose is not None:
            monkeypatch.setattr(Server, "choose", choose)
        return Server(Database(), 1, shared=shared)

    return made


async def first_legal(_: Server, hosted: HostedGame, *__: Any) -> str:
    return hosted.position.legal_actions()[0].text


async def never(*_: Any) -> str:
    await asyncio.sleep(1e6)
    return ""


broken = AsyncMock(side_effect=StoreError("broken"))


class RefusedWrites:
    """Rejects every write; hangs after MANY tries, so that a mover without pauses ends, too."""

    def __init__(self) -> None:
        self.tries = 0

    async def __call__(self, *_: Any, **__: Any) -> None:
        self.tries += 1
        if self.tries >= MANY:
            await never()
        raise StoreError("broken")


async def moved(server: Server, game_id: str) -> None:
    """Wait until no bot has to move in a game."""
    while server.database.rows[game_id].summary.due is not None:
        await asyncio.sleep(0.1)


@on_simulated_time
async def test_a_bot_moves_at_once(server_of: ServerOf) -> None:
    server = server_of(first_legal)
    await asyncio.sleep(0.5)  # after the first look
    await server.create(seats="bb")
    await server.until_over("game")
    assert clock() < SCAN_INTERVAL_S


@on_simulated_time
async def test_a_bot_with_a_person_does_not_wait_for_bots_among_themselves(server_of: ServerOf) -> None:
    async def choose(server: Server, hosted: HostedGame, *more: Any) -> str:
        return await (never if hosted.bots_only else first_legal)(server, hosted, *more)

    server = server_of(choose)
    for number in range(2 * BOT_GAMES):
        await server.create(f"bots {number}", "bb")
    await server.create("person", "bp")
    await moved(server, "person")
    assert len(server.manager._due.moving) == BOT_GAMES


@on_simulated_time
async def test_games_of_bots_among_themselves_take_turns(server_of: ServerOf) -> None:
    moves: list[str] = []

    async def choose(server: Server, hosted: HostedGame, *more: Any) -> str:
        moves.append(hosted.head.game_id)
        await asyncio.sleep(1.0)
        return await first_legal(server, hosted, *more)

    server, ids = server_of(choose), [f"{number}" for number in range(BOT_GAMES + 1)]
    for game_id in ids:
        await server.create(game_id, "bb")
    await server.until_over(*ids)
    assert max(moves.index(game_id) for game_id in ids) < len(moves) - max(
        moves[::-1].index(game_id) for game_id in ids
    )


@on_simulated_time
async def test_makers_leave_each_other_movers(server_of: ServerOf, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many are due, and however long their bots think."""

    async def choose(server: Server, hosted: HostedGame, *more: Any) -> str:
        return await (never if hosted.head.maker == "many" else first_legal)(server, hosted, *more)

    monkeypatch.setattr(due, "MAX_TASKS", 4)
    server = server_of(choose)
    for number in range(30):
        await server.create(f"{number}", "bp", maker="many")
    assert len(server.manager._due.moving) == 2
    await server.create("other", "bp", maker="another")
    await moved(server, "other")


@on_simulated_time
async def test_a_rejected_search_is_tried_again_when_the_rejection_says(server_of: ServerOf) -> None:
    tries: list[float] = []

    async def choose(server: Server, hosted: HostedGame, *more: Any) -> str:
        tries.append(clock())
        if len(tries) < 3:
            raise ServiceError(Reason.BUSY, [("", "full")], retry=0.25)
        return await first_legal(server, hosted, *more)

    server = server_of(choose)
    await server.create(seats="bp")
    await moved(server, "game")
    assert [round(later - earlier, 2) for earlier, later in pairwise(tries)] == [0.25, 0.25]


@on_simulated_time
async def test_a_move_that_was_not_stored_is_not_searched_again(
    server_of: ServerOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[int] = []

    async def choose(server: Server, hosted: HostedGame, *more: Any) -> str:
        searched.append(hosted.version)
        return await first_legal(server, hosted, *more)

    server, refuse = server_of(choose), RefusedWrites()
    with monkeypatch.context() as patch:
        patch.setattr(server.store, "append", refuse)
        await server.create(seats="bb")
        await asyncio.sleep(10 * SCAN_INTERVAL_S)
        assert 3 < refuse.tries < MANY
        assert server.manager.overdue(bots_only=True) == 1
    await server.until_over("game")
    assert sorted(set(searched)) == searched
    assert server.manager.overdue(bots_only=True) == 0


@on_simulated_time
async def test_bots_move_though_the_clock_was_set_back(server_of: ServerOf, monkeypatch: pytest.MonkeyPatch) -> None:
    """There are more games than movers, so most of them wait in the store."""
    server = server_of()
    ids = [f"{number}" for number in range(3 * BOT_GAMES)]
    for game_id in ids:
        await server.create(game_id, "bb")
    monkeypatch.setattr(simulated, "STARTED", STARTED - 3_600_000)
    await server.until_over(*ids)
    assert clock() < 600, "they have waited until the clock was where it had been"
    assert server.database.wrong == []


@pytest.mark.parametrize("what", ["choosing a move", "storing it", "reading it", "its row"])
@on_simulated_time
async def test_a_failure_in_one_game_stops_no_other_of_its_maker(
    what: str, server_of: ServerOf, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The games that fail are due longest, and others need their movers."""

    async def choose(server: Server, hosted: HostedGame, *more: Any) -> str:
        if what == "choosing a move" and hosted.head.game_id in bad:
            raise ZeroDivisionError
        return await first_legal(server, hosted, *more)

    async def fail(game_id: str, *arguments: Any, **more: Any) -> None:
        if what == "storing it" and game_id in bad:
            await refuse()
        await append(game_id, *arguments, **more)

    refuse = RefusedWrites()
    server, bad = server_of(choose), [f"bad {number}" for number in range(BOT_GAMES)]
    append, server.store._old = server.store.append, True
    monkeypatch.setattr(server.store, "append", fail)
    for game_id in bad:
        await server.create(game_id, "bb")
        row = server.database.rows[game_id]
        if what == "reading it":
            row.new = True
        if what == "its row":
            await server.until_over(game_id)
            row.summary = replace(row.summary, status="running", due=0)
    good = [f"{number}" for number in range(2 * BOT_GAMES)]
    for game_id in good:
        await server.create(game_id, "bb")
    await server.until_over(*good)
    assert refuse.tries < MANY
    assert max(sum(game_id in line for line in caplog.messages) for game_id in bad) <= 1


@on_simulated_time
async def test_a_look_that_fails_for_one_kind_of_games_looks_for_the_other(server_of: ServerOf) -> None:
    server = server_of()
    server.store.due, moving = AsyncMock(side_effect=StoreError("broken")), server.manager._due
    assert isinstance(await moving._look(moving._pools), StoreError)
    assert {call.kwargs["bots_only"] for call in server.store.due.call_args_list} == {False, True}


@on_simulated_time
async def test_no_server_searches_in_a_game_that_another_owns() -> None:
    """Though a person has played at it, and the turn is a bot's."""
    with patch.object(Server, "choose", autospec=True, side_effect=first_legal) as choose:
        database = Database()
        owner, other = Server(database, 1), Server(database, 2)
        await owner.create(seats="pb")
        for server in (owner, other):
            await server.play()
            await moved(server, "game")
    assert {call.args[0].number for call in choose.call_args_list} == {owner.number}
    assert database.wrong == []


@on_simulated_time
async def test_a_game_that_a_scan_has_taken_over_is_not_taken_over_again() -> None:
    database = Database()
    first, second = Server(database, 1), Server(database, 2)
    await first.create(seats="bp")
    first.kill()
    with patch.object(second.store, "own", wraps=second.store.own) as own:
        await moved(second, "game")
    assert (database.rows["game"].owner, own.call_count) == (second.number, 0)
    assert database.wrong == []


@on_simulated_time
async def test_a_game_of_a_later_version_is_released_to_other_servers(server_of: ServerOf) -> None:
    database = Database()
    Server(database, 1, old=True)
    newer = Server(database, 2)
    await newer.create(seats="bp")
    row = database.rows["game"]
    row.new, row.owner, newer.store.dead = True, 0, True
    await asyncio.sleep(5 * SCAN_INTERVAL_S)
    assert (row.owner, database.released) == (0, {(1, "game"): 1})


@pytest.mark.parametrize(("failures", "reports"), [(MISSED - 1, []), (MISSED, [False, True])])
@on_simulated_time
async def test_the_store_counts_as_dead_after_failed_looks(
    failures: int, reports: list[bool], server_of: ServerOf
) -> None:
    server, reported, looks, find = server_of(), AsyncMock(), list[bool](), SimulatedStore.due

    async def failing(*arguments: Any, bots_only: bool, **more: Any) -> Any:
        looks.append(bots_only)
        if looks.count(False) <= failures:
            raise StoreError("broken")
        return await find(server.store, *arguments, bots_only=bots_only, **more)

    server.store.due = failing
    server.tasks.append(asyncio.create_task(server.manager._watch_health(reported)))
    await asyncio.sleep((failures + 3) * SCAN_INTERVAL_S)
    assert [call.args[0] for call in reported.call_args_list] == reports
    server.store.alive = False
    assert not server.manager.healthy


async def test_the_health_of_the_game_service_is_that_of_its_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(due, "SCAN_INTERVAL_S", 0.05)
    monkeypatch.setattr(due, "MIN_SCAN_INTERVAL_S", 0.01)
    monkeypatch.setattr(manager, "HEALTH_CHECK_INTERVAL_S", 0.02)
    async with served() as server:
        health: Any = HealthStub(server.channel)
        watching = health.Watch(HealthCheckRequest(service=GAMES))
        assert (await watching.read()).status == HealthCheckResponse.SERVING
        with monkeypatch.context() as patch:
            patch.setattr(server.app.manager.store, "due", broken)
            assert (await watching.read()).status == HealthCheckResponse.NOT_SERVING
            for service in {"", *SERVICES} - {GAMES}:
                answer = await health.Check(HealthCheckRequest(service=service))
                assert answer.status == HealthCheckResponse.SERVING, service
        assert (await watching.read()).status == HealthCheckResponse.SERVING
        watching.cancel()


@pytest.mark.parametrize("how", [broken, never])
@on_simulated_time
async def test_a_manager_closes_in_time_whatever_its_store_does(
    how: Any, server_of: ServerOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = server_of(first_legal)
    await server.create(seats="bb")
    await server.create("other")
    for name in ("create", "append", "load", "later", "due", "tally", "touch", "own", "close"):
        monkeypatch.setattr(server.store, name, how)
    playing = asyncio.create_task(server.play("other"))
    await asyncio.sleep(SCAN_INTERVAL_S)
    began = clock()
    await server.manager.close(4.0)
    assert clock() - began < 4.5
    assert all(task.done() for task in [*server.manager._tasks, *server.manager._due._tasks])
    playing.cancel()
    await asyncio.gather(playing, return_exceptions=True)

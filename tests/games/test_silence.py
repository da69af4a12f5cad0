"""A database that is silent, locked, slow or away stops what needs it, no more, and only as long as it is."""

import asyncio
import gc
import struct
import time
from collections.abc import Iterator
from typing import Any

import grpc
import pytest

from clerestory.games import heartbeat, postgres_link
from clerestory.games import postgres as stores
from clerestory.games.opening import open_store
from clerestory.games.store import Batch, News, StoreError
from clerestory.refusals import Reason
from clerestory.server.app import start
from clerestory.server.config import Settings
from clerestory.v1 import games_pb2 as games
from clerestory.v1.games_pb2_grpc import GameServiceStub
from tests.games.proxy import proxied
from tests.games.table import BOT, OPEN, PERSON, Table, seated
from tests.games.test_store import RUNNING, entries, named
from tests.server.harness import assert_reason, refusal, served, until

EXECUTE, ENDS = b"E", (b"S", b"Q")  # messages of the protocol: execute; sync, and a query of its own

SLOW = "SELECT pg_sleep(60)"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most is noticed within a second or two, as it would be within ten."""
    for module, name, seconds in (
        (heartbeat, "BEAT", 0.2),
        (heartbeat, "REPLY", 1.0),
        (heartbeat, "PAUSE", 0.1),
        (postgres_link, "WORK", 1.0),
        (postgres_link, "PATIENCE", 1.0),
        (postgres_link, "LOCKED", 0.5),
    ):
        monkeypatch.setattr(module, name, seconds)


@pytest.fixture
def outside(database: str) -> Iterator[Any]:
    """A session of somebody else, in a transaction."""
    import psycopg

    with psycopg.connect(database) as connection:
        yield connection
        connection.rollback()


def active(outside: Any, query: str) -> int:
    """Return in how many sessions of the database a query runs now."""
    running = "SELECT count(*) FROM pg_stat_activity WHERE query = %s AND state = 'active'"
    return int(outside.execute(running, (query,)).fetchone()[0])


async def test_silence_is_noticed_and_ends(database: str) -> None:
    async with proxied(database) as proxy:
        store = await open_store(proxy.address)
        await store.create(named("a"), Batch(entries(1), RUNNING))
        proxy.silent = True
        asked = [store.load("a") for _ in range(30)]
        found = await asyncio.gather(*asked, return_exceptions=True)
        assert {type(one) for one in found} == {StoreError}
        await until(lambda: not store.alive)
        proxy.silent = False
        await until(lambda: store.alive)
        assert await store.load("a") == (named("a"), entries(1))
        await store.close()


async def test_a_store_closes_while_the_database_is_silent(database: str) -> None:
    async with proxied(database) as proxy:
        store = await open_store(proxy.address)
        proxy.silent = True
        asked = [asyncio.ensure_future(store.load("a")) for _ in range(9)]
        await asyncio.sleep(0.05)
        await store.close()
        found = await asyncio.gather(*asked, return_exceptions=True)
        assert {type(one) for one in found} == {StoreError}
        with pytest.raises(StoreError):
            await store.load("a")


async def test_what_others_store_is_heard_again_after_silence_of_old_connections(database: str) -> None:
    """As when a firewall has forgotten them: nothing is sent on them, and new ones work."""
    heard: list[News] = []
    async with proxied(database) as proxy:
        store, other = await open_store(proxy.address), await open_store(database)
        store.listen(heard.append)
        await other.create(named("a"), Batch([], RUNNING))
        await until(lambda: News("a", mine=False, due=False, maker=named("a").maker) in heard)
        proxy.forget()
        await until(lambda: News("", mine=False, due=True) in heard)
        await other.append("a", 0, Batch(entries(1), RUNNING))
        await until(lambda: heard[-1].game_id == "a")
        assert await store.load("a") == (named("a"), entries(1))
        await store.close()
        await other.close()


async def test_news_that_nobody_understands_ends_no_server(database: str, outside: Any) -> None:
    """As of a later version."""
    heard: list[News] = []
    store, other = await open_store(database), await open_store(database)
    store.listen(heard.append)
    outside.execute(f"NOTIFY {stores.CHANNEL}, 'gibberish'")
    outside.commit()
    await other.create(named("a"), Batch([], RUNNING))
    async with asyncio.timeout(30):
        await until(lambda: bool(heard))
    await asyncio.sleep((heartbeat.MISSED + 2) * heartbeat.BEAT)
    assert store.alive
    await store.close()
    await other.close()


async def test_a_heartbeat_goes_on_after_any_error(
    database: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As when no thread can be started to look up the name of the database."""
    store: Any = await open_store(database)

    async def fail(*_: Any) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(heartbeat, "connect", fail)
        patch.setattr(store._heartbeat, "_beat", fail)
        await until(lambda: not store.alive)
    await until(lambda: store.alive)
    [told] = (record for record in caplog.records if "may lose its games" in record.getMessage())
    assert told.exc_info
    await store.close()


async def test_locked_games_stop_only_themselves(database: str, outside: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_link, "WORK", 60.0)  # of the free game: a lock is not waited for as long
    monkeypatch.setattr(postgres_link, "PATIENCE", 60.0)
    async with served(store=database) as server:
        stub: Any = GameServiceStub(server.channel)
        locked = [await seated(stub, server.app, PERSON, PERSON) for _ in range(10)]
        free = await seated(stub, server.app, PERSON, PERSON)
        outside.execute("SELECT FROM game WHERE id = ANY(%s) FOR UPDATE", ([one.game_id for one in locked],))
        waiting = [asyncio.ensure_future(refusal(one.play_first(0))) for one in locked]
        while not all(task.done() for task in waiting):
            await free.look()
            assert server.app.keeper.store.alive
        for task in waiting:
            assert_reason(task.result(), Reason.STORE_FAILED)
        outside.rollback()
        for one in locked:
            await one.play_first(0)


async def test_a_server_that_stands_still_holds_a_game_no_longer_than_its_lease(database: str) -> None:
    """As when its machine is suspended in the middle of a transaction."""
    store: Any = await open_store(database)
    await store.create(named("a"), Batch([], RUNNING))
    stopped = await postgres_link.connect(postgres_link.Address.read(database))
    lease = f"SELECT clock_timestamp() < now() + interval '{stores.LEASE} s'"
    async with await postgres_link.connect(postgres_link.Address.read(database)) as clock:
        await clock.execute("BEGIN")  # `now` stays
        await stopped.execute("BEGIN")
        await stopped.execute("SELECT FROM game WHERE id = 'a' FOR UPDATE")
        while True:
            try:
                await store.append("a", 0, Batch(entries(1), RUNNING))
                break
            except StoreError:
                [(alive,)] = await (await clock.execute(lease)).fetchall()
                assert alive
    await stopped.close()
    await store.close()


async def test_the_database_never_waits_for_a_server_in_the_middle_of_a_step(database: str) -> None:
    """Between two statements of one step no limit of time applies: a suspended server would hold its game there."""
    async with proxied(database) as proxy:
        proxy.heard = {}
        async with served(store=proxy.address) as server:
            played = await seated(GameServiceStub(server.channel), server.app, PERSON, BOT)
            await played.play_first(0)
            while (await played.look()).game.version <= 2:
                await asyncio.sleep(0.05)
    steps = [step for told in proxy.heard.values() for step in steps_of(bytes(told))]
    assert max(step.count(EXECUTE) for step in steps) == 1


def steps_of(told: bytes) -> Iterator[bytes]:
    """Yield the kinds of messages of each step that the database was asked for, up to the one that ends it.

    Each message is its kind, a byte, and the bytes that follow it, whose number comes first; the very first has none.
    """
    (place,) = struct.unpack_from("!I", told)
    step = b""
    while place < len(told):
        kind, (length,) = told[place : place + 1], struct.unpack_from("!I", told, place + 1)
        place += 1 + length
        step += kind
        if kind in ENDS:
            yield step
            step = b""


async def test_a_lock_that_is_released_in_time_costs_no_call(
    database: str, outside: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_link, "LOCKED", 60.0)
    async with served(store=database) as server:
        played = await seated(GameServiceStub(server.channel), server.app, PERSON, PERSON)
        outside.execute("SELECT FROM game WHERE id = %s FOR UPDATE", (played.game_id,))
        playing = asyncio.ensure_future(played.play_first(0))
        await asyncio.sleep(0.2)
        assert not playing.done()
        outside.rollback()
        await playing


async def test_one_game_does_not_take_all_connections(
    database: str, outside: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_link, "WORK", 60.0)
    monkeypatch.setattr(postgres_link, "PATIENCE", 60.0)
    monkeypatch.setattr(postgres_link, "SESSION", "SELECT 1")  # nor does the database end what takes long
    outside.autocommit = True
    store: Any = await open_store(database)
    await store.create(named("free"), Batch([], RUNNING))
    slow = [asyncio.ensure_future(store._ask(SLOW, (), "slow")) for _ in range(20)]
    await until(lambda: active(outside, SLOW) == 1)
    assert await store.load("free") is not None
    assert not any(task.done() for task in slow)
    for task in slow:
        task.cancel()
    await asyncio.gather(*slow, return_exceptions=True)
    await store.close()


async def test_a_caller_who_has_gone_stops_its_statement(database: str, outside: Any) -> None:
    store: Any = await open_store(database)
    asked = asyncio.ensure_future(store._ask(SLOW))
    outside.autocommit = True
    await until(lambda: active(outside, SLOW) == 1)
    asked.cancel()
    await until(lambda: active(outside, SLOW) == 0)
    assert await store.load("a") is None
    await store.close()


async def test_the_first_call_after_an_outage_succeeds(database: str, outside: Any) -> None:
    """Connections that the database has ended are not used."""
    store = await open_store(database)
    await store.create(named("a"), Batch([], RUNNING))
    await asyncio.gather(*(store.load("a") for _ in range(9)))
    outside.autocommit = True
    ours = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name = 'clerestory'"
    outside.execute(ours)  # which returns once they have ended
    await asyncio.sleep(0.05)
    for _ in range(9):
        assert await store.load("a") is not None
    await store.close()


async def test_the_first_call_after_the_database_was_away_succeeds(database: str) -> None:
    """Nothing pauses for longer the longer it was away."""
    async with proxied(database) as proxy:
        store = await open_store(proxy.address)
        await store.create(named("a"), Batch([], RUNNING))
        proxy.stop()
        await until(lambda: not store.alive)
        for _ in range(20):
            with pytest.raises(StoreError):
                await store.load("a")
        proxy.away = False
        assert await store.load("a") is not None
        await until(lambda: store.alive)
        await store.close()


async def test_connections_that_got_no_answer_are_closed_at_once(database: str, outside: Any) -> None:
    """None is left to the garbage collector, which may come minutes later."""
    outside.autocommit = True
    ours = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'clerestory'"

    def sessions() -> int:
        return int(outside.execute(ours).fetchone()[0])

    async with proxied(database) as proxy, served(store=proxy.address) as server:
        tables = [await seated(GameServiceStub(server.channel), server.app, PERSON, PERSON) for _ in range(20)]
        proxy.silent = True
        gc.disable()
        try:
            for _ in range(2):
                await asyncio.gather(*(refusal(one.play("pass", 0, 0, 1)) for one in tables))
            proxy.silent = False
            await until(lambda: server.app.keeper.healthy)
            async with asyncio.timeout(20):
                while sessions() > 1 + postgres_link.CONNECTIONS:
                    await asyncio.sleep(0.05)
        finally:
            gc.enable()


async def test_moments_are_by_the_clock_of_the_database(
    database: str, outside: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = time.time
    monkeypatch.setattr(time, "time", lambda: clock() + 120)
    store = await open_store(database)
    (told,) = outside.execute("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT").fetchone()
    assert abs(store.now() - told) < 60_000
    await store.close()


async def test_a_server_answers_and_ends_while_its_database_is_silent(database: str) -> None:
    async with proxied(database) as proxy:
        app = await start(Settings(listen="127.0.0.1:0", workers=1, store=proxy.address, grace=0.1))
        async with grpc.aio.insecure_channel(app.address) as channel:
            played = await seated(GameServiceStub(channel), app, PERSON, OPEN)
            proxy.silent = True
            assert_reason(await refusal(played.look()), Reason.STORE_FAILED)
            waiting = asyncio.ensure_future(refusal(played.look()))
            await asyncio.sleep(0.05)
            await app.finish()
            await waiting


async def test_the_bots_of_a_server_that_is_cut_off_are_moved_by_another(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its watchers catch up once it is back, and nothing that it searched meanwhile is stored."""
    monkeypatch.setattr(stores, "LEASE", 1.0)
    async with proxied(database) as proxy, served(store=proxy.address) as cut_off, served(store=database) as other:
        played = await seated(GameServiceStub(cut_off.channel), cut_off.app, BOT, BOT, game="duel")
        watching = aiter(watched(played))
        states = [await anext(watching)]
        proxy.silent = True
        there = Table(GameServiceStub(other.channel), other.app, played.made)
        async for seen in watched(there):
            if seen.game.version > states[0].game.version + 5:
                break
        proxy.silent = False
        states += [state async for state in watching]
        assert states[-1].game.status == games.GAME_STATUS_OVER
        versions = [entry.version for state in states for entry in state.entries]
        assert versions == list(range(1, states[-1].game.version + 1))


def watched(played: Table) -> Any:
    """A stream of a game, for its owner."""
    request = games.WatchGameRequest(game_id=played.game_id, tokens=[played.made.owner_token], from_version=0)
    return played.stub.WatchGame(request)

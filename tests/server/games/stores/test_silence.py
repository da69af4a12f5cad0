"""A silent, locked, slow or unreachable database stops only what needs it, and only for that time."""

import asyncio
import gc
import struct
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any
from unittest.mock import AsyncMock

import pytest

from clerestory.server.games.store import Batch, News, StoreError
from clerestory.server.games.stores import heartbeat, postgres_link
from clerestory.server.games.stores import postgres as stores
from clerestory.server.games.stores.store_location import open_store
from clerestory.service_errors import Reason
from loadtest.faults.proxy import Proxy, proxied
from tests.server.games.table import BOT, PERSON, seated_at
from tests.server.games.test_store import RUNNING, entries, named
from tests.server.rpc.harness import assert_reason, refusal, served, until

pytestmark = pytest.mark.system

EXECUTE, ENDS = b"E", (b"S", b"Q")  # protocol messages: execute; sync, and a simple query
SLOW = "SELECT pg_sleep(600)"
SLOWLY = "query = %s AND state = 'active'", SLOW
OURS = "application_name = 'clerestory'"
LONG = 600.0  # seconds: longer than any test


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let silence be noticed within a few seconds, as it would be within ten."""
    for module, name, seconds in (
        (heartbeat, "BEAT", 0.5),
        (heartbeat, "REPLY", 3.0),
        (heartbeat, "PAUSE", 0.1),
        (postgres_link, "WORK", 3.0),
        (postgres_link, "PATIENCE", 3.0),
        (postgres_link, "LOCKED", 0.5),
    ):
        monkeypatch.setattr(module, name, seconds)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing but locks be waited for in vain."""
    monkeypatch.setattr(postgres_link, "WORK", LONG)
    monkeypatch.setattr(postgres_link, "PATIENCE", LONG)


@pytest.fixture
def unlimited(patient: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the database end nothing that takes long."""
    monkeypatch.setattr(postgres_link, "SESSION", "SELECT 1")


@pytest.fixture
def outside(database: str) -> Iterator[Any]:
    """A session of another client, in a transaction."""
    import psycopg

    with psycopg.connect(database) as connection:
        yield connection
        connection.rollback()


@pytest.fixture
async def store(database: str) -> AsyncIterator[Any]:
    opened = await open_store(database)
    await opened.create(named("a"), Batch(entries(1), RUNNING))
    yield opened
    await opened.close()


@pytest.fixture
async def proxy(database: str) -> AsyncIterator[Proxy]:
    async with proxied(database) as proxy:
        yield proxy


@pytest.fixture
async def behind(proxy: Proxy) -> AsyncIterator[Any]:
    """A store behind the proxy that has the game a."""
    opened = await open_store(proxy.address)
    await opened.create(named("a"), Batch(entries(1), RUNNING))
    yield opened
    await opened.close()


def sessions(outside: Any, condition: str, *values: str) -> int:
    """Return of how many sessions of the database something is so now."""
    outside.autocommit = True
    return int(outside.execute(f"SELECT count(*) FROM pg_stat_activity WHERE {condition}", values).fetchone()[0])


async def assert_failed(*asked: Any) -> None:
    """See calls fail because of the store."""
    found = await asyncio.gather(*asked, return_exceptions=True)
    assert {type(one) for one in found} == {StoreError}


async def test_silence_is_noticed_and_ends(proxy: Proxy, behind: Any) -> None:
    proxy.silent = True
    await assert_failed(*(behind.load("a") for _ in range(30)))
    await until(lambda: not behind.alive)
    proxy.silent = False
    await until(lambda: behind.alive)
    assert await behind.load("a") == (named("a"), entries(1))


async def test_notifications_arrive_again_after_old_connections_fell_silent(proxy: Proxy, database: str) -> None:
    """As when a firewall has forgotten them: nothing is sent on them, and new ones work."""
    heard: list[News] = []
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


async def test_connections_that_got_no_answer_are_closed_at_once(proxy: Proxy, outside: Any) -> None:
    """None is left to the garbage collector, which may come minutes later."""
    async with served(store=proxy.address) as server:
        tables = [await seated_at(server) for _ in range(20)]
        proxy.silent = True
        gc.disable()
        try:
            for _ in range(2):
                await asyncio.gather(*(refusal(one.play("pass", 0, 0, 1)) for one in tables))
            proxy.silent = False
            await until(lambda: server.app.manager.healthy)
            await until(lambda: sessions(outside, OURS) <= 1 + postgres_link.CONNECTIONS)
        finally:
            gc.enable()


async def test_a_store_can_be_closed_while_its_database_is_silent(proxy: Proxy) -> None:
    store = await open_store(proxy.address)
    proxy.silent = True
    waiting = [asyncio.ensure_future(store.load("a")) for _ in range(20)]
    await asyncio.sleep(0)
    await store.close(0.1)
    await assert_failed(*waiting)


async def test_unknown_news_ends_no_server(store: Any, database: str, outside: Any) -> None:
    """As of a later version."""
    heard: list[News] = []
    other = await open_store(database)
    store.listen(heard.append)
    outside.execute(f"NOTIFY {stores.CHANNEL}, 'gibberish'")
    outside.commit()
    for number in (1, 2):
        await other.append("a", number, Batch(entries(1), RUNNING))
        await until(lambda number=number: len(heard) == number)
    await other.close()


async def test_a_heartbeat_goes_on_after_any_error(
    store: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As when no thread can be started to look up the name of the database."""
    fail = AsyncMock(side_effect=RuntimeError("can't start new thread"))
    with monkeypatch.context() as patch:
        patch.setattr(heartbeat, "connect", fail)
        patch.setattr(store._heartbeat, "_beat", fail)
        await until(lambda: not store.alive)
    await until(lambda: store.alive)
    [record, *_] = [record for record in caplog.records if "may lose its games" in record.getMessage()]
    assert record.exc_info


async def test_moments_are_by_the_database(database: str, outside: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = time.time
    monkeypatch.setattr(time, "time", lambda: clock() + 3600)
    store = await open_store(database)
    (told,) = outside.execute("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT").fetchone()
    assert abs(store.now() - told) < 1_800_000
    await store.close()


@pytest.mark.usefixtures("patient")
async def test_locked_games_stop_only_themselves(database: str, outside: Any) -> None:
    async with served(store=database) as server:
        *locked, free = [await seated_at(server) for _ in range(11)]
        outside.execute("SELECT FROM game WHERE id = ANY(%s) FOR UPDATE", ([one.game_id for one in locked],))
        waiting = [asyncio.ensure_future(refusal(one.play_first(0))) for one in locked]
        while not all(task.done() for task in waiting):
            await free.look()
        for task in waiting:
            assert_reason(task.result(), Reason.STORE_FAILED)
        await until(lambda: server.app.manager.store.alive)
        outside.rollback()
        for one in locked:
            await one.play_first(0)


@pytest.mark.usefixtures("patient")
async def test_a_lock_released_in_time_costs_no_call(store: Any, outside: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_link, "LOCKED", LONG)
    outside.execute("SELECT FROM game WHERE id = 'a' FOR UPDATE")
    playing = asyncio.ensure_future(store.append("a", 1, Batch(entries(1), RUNNING)))
    await asyncio.sleep(0.2)
    assert not playing.done()
    outside.rollback()
    await playing


async def test_a_server_that_stands_still_holds_a_game_no_longer_than_its_lease(store: Any, database: str) -> None:
    """As when its machine is suspended in the middle of a transaction: the database ends it."""
    assert int(postgres_link.IDLE) < stores.LEASE
    stopped = await postgres_link.connect(postgres_link.Address.read(database))
    await stopped.execute("BEGIN")
    await stopped.execute("SELECT FROM game WHERE id = 'a' FOR UPDATE")
    while True:
        try:
            await store.append("a", 1, Batch(entries(1), RUNNING))
            break
        except StoreError:
            pass
    await stopped.close()


async def test_the_database_never_waits_for_a_server_in_the_middle_of_a_step(proxy: Proxy) -> None:
    """Between two statements of one step no limit of time applies: a suspended server would hold its game there."""
    proxy.heard = {}
    async with served(store=proxy.address) as server:
        played = await seated_at(server, PERSON, BOT)
        await played.play_first(0)
        while (await played.look()).game.version <= 2:
            await asyncio.sleep(0.05)
    steps = [step for sent in proxy.heard.values() for step in steps_of(bytes(sent))]
    assert max(step.count(EXECUTE) for step in steps) == 1


def steps_of(sent: bytes) -> Iterator[bytes]:
    """Yield the kinds of messages of each step that the database was asked for, up to the one that ends it.

    Each message is its kind, a byte, and the bytes that follow it, whose number comes first; the very first has none.
    """
    (place,) = struct.unpack_from("!I", sent)
    step = b""
    while place < len(sent):
        kind, (length,) = sent[place : place + 1], struct.unpack_from("!I", sent, place + 1)
        place += 1 + length
        step += kind
        if kind in ENDS:
            yield step
            step = b""


@pytest.mark.usefixtures("unlimited")
async def test_one_game_does_not_take_all_connections(store: Any, outside: Any) -> None:
    slow = [asyncio.ensure_future(store._ask(SLOW, (), "slow")) for _ in range(20)]
    await until(lambda: sessions(outside, *SLOWLY) == 1)
    assert await store.load("a") is not None
    assert not any(task.done() for task in slow)
    for task in slow:
        task.cancel()
    await asyncio.gather(*slow, return_exceptions=True)


@pytest.mark.usefixtures("unlimited")
async def test_a_caller_who_has_gone_stops_its_statement(store: Any, outside: Any) -> None:
    asked = asyncio.ensure_future(store._ask(SLOW))
    await until(lambda: sessions(outside, *SLOWLY) == 1)
    asked.cancel()
    await until(lambda: sessions(outside, *SLOWLY) == 0)
    assert await store.load("a") is not None


async def test_the_first_call_after_the_database_ended_all_connections_succeeds(store: Any, outside: Any) -> None:
    await asyncio.gather(*(store.load("a") for _ in range(9)))
    outside.autocommit = True
    outside.execute(f"SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE {OURS}")  # and wait for it
    await asyncio.sleep(0.05)
    for _ in range(9):
        assert await store.load("a") is not None


async def test_the_first_call_after_the_database_was_away_succeeds(proxy: Proxy, behind: Any) -> None:
    """Nothing pauses for longer the longer it was away."""
    proxy.stop()
    await until(lambda: not behind.alive)
    for _ in range(20):
        await assert_failed(behind.load("a"))
    proxy.away = False
    assert await behind.load("a") is not None
    await until(lambda: behind.alive)

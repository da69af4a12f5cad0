"""Several servers share the games of one PostgreSQL; the same laws on simulated time: `test_going_on.py`."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from unittest.mock import AsyncMock, create_autospec

import psycopg
import pytest

from clerestory.declared import BadSettings
from clerestory.server.games.manager import summary_of
from clerestory.server.games.store import Batch, Conflict, GameFilter, Key, News, Store, StoreError
from clerestory.server.games.stores import postgres
from clerestory.server.games.stores.store_location import open_store, store_location
from clerestory.service_errors import Reason
from clerestory.v1 import games_pb2 as games
from clerestory.v1.games_pb2_grpc import GameServiceStub
from loadtest.faults.postgres import Cluster
from tests.server.games.table import PERSON, hosted, seated_at
from tests.server.games.test_store import RUNNING, entries, named, target
from tests.server.rpc.harness import Served, assert_reason, served, until

pytestmark = pytest.mark.system


@pytest.fixture
async def two(database: str) -> AsyncIterator[list[Served]]:
    async with served(store=database) as first, served(store=database) as second:
        yield [first, second]


@pytest.fixture
async def stores(database: str) -> AsyncIterator[list[Any]]:
    opened = [await open_store(database) for _ in range(2)]
    yield opened
    for store in opened:
        await store.close()


async def test_a_game_is_played_at_any_server(two: list[Served]) -> None:
    """Of two moves at once one counts; a repeated move has the same answer at the other server."""
    played = await seated_at(two[0], game="duel")
    tables = [played, played.at(two[1])]
    watching = tables[1].watch(0, 1)
    shown = await watching.read()
    for number in range(20):
        seen = await tables[number % 2].look()
        assert seen.game.version == shown.game.version
        legal = next(view.actions for view in seen.views if view.actions)
        chosen = [legal[0].action.text, legal[-1].action.text]
        asked = [table.play(text, seen.game.version) for table, text in zip(tables, chosen, strict=True)]
        found = await asyncio.gather(*asked, return_exceptions=True)
        refused = [one for one in found if isinstance(one, Exception)]
        assert len(refused) == (chosen[0] != chosen[1])
        for error in refused:
            assert_reason(error, Reason.STALE_VERSION)
        [answer, *_] = [one for one in found if not isinstance(one, Exception)]
        text = chosen[found.index(answer)]
        assert [await table.play(text, seen.game.version) for table in tables] == [answer, answer]
        while shown.game.version < answer.game.version:
            shown = await watching.read()
    watching.cancel()


async def test_a_request_id_has_one_answer_wherever_it_is_used(two: list[Served]) -> None:
    request = games.CreateGameRequest(game="toy", seats=[PERSON] * 2, request_id="a-name-that-nobody-guesses")
    first, second = [await GameServiceStub(server.channel).CreateGame(request) for server in two]
    assert first == second


async def test_a_server_that_lost_a_game_is_rejected(stores: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """It was paused for longer than its lease, and does not know this."""
    monkeypatch.setattr(postgres, "LEASE", 0.0)
    first, second = stores
    await first.create(named("a"), Batch([], RUNNING))
    assert await first.own("a")
    await first.append("a", 0, Batch(entries(1), RUNNING), owned=True)
    assert await second.own("a")
    with pytest.raises(Conflict):
        await first.append("a", 1, Batch(entries(1), RUNNING), owned=True)
    await second.append("a", 1, Batch(entries(1), RUNNING), owned=True)
    await first.append("a", 2, Batch(entries(1), RUNNING))  # what a person does there is another matter


async def test_a_change_is_a_single_statement(stores: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a server that is suspended between two statements would lock the game."""
    executed = create_autospec(psycopg.AsyncCursor.execute, side_effect=psycopg.AsyncCursor.execute)
    monkeypatch.setattr(psycopg.AsyncCursor, "execute", executed)
    store = stores[0]
    await store.create(named("a"), Batch(entries(1), RUNNING, [Key("digest", 0)]))
    await store.append("a", 1, Batch(entries(2), RUNNING, [Key("another", 1)]))
    changes = [call for call in executed.call_args_list if "entry" in str(call.args[1])]
    assert len(changes) == 2
    assert len((await store.load("a"))[1]) == 3
    assert await store.find(["digest", "another"]) == {"digest": ("a", 0), "another": ("a", 1)}


async def taken(store: Store) -> list[str]:
    return [one.game_id for bots_only in (True, False) for one in await store.due(1 << 60, 9, bots_only=bots_only)]


async def test_due_games_have_one_server(database: str, stores: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = stores
    gone = await open_store(database)
    for name in ("a", "b", "c"):
        await gone.create(named(name), Batch([], summary_of(hosted(seats="bb")) if name != "c" else RUNNING))
        assert await gone.own(name)
    assert await taken(first) == []
    await gone.close()
    found = await asyncio.gather(taken(first), taken(second))
    assert sorted(found[0] + found[1]) == ["a", "b"]
    assert sorted(await taken(first) + await taken(second)) == ["a", "b"]  # each still has its own
    owner, other = (first, second) if "a" in found[0] else (second, first)
    await owner.release("a")
    assert "a" in await taken(other)
    monkeypatch.setattr(postgres, "LEASE", 0.0)
    assert sorted(await taken(second)) == ["a", "b"]


async def test_a_server_is_notified_of_its_own_late_write(stores: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Happens when the database's disk stalls during a commit; a server is not notified of its other writes."""
    store, other = stores
    heard, given_up = list[News](), AsyncMock(side_effect=StoreError("no answer"))
    store.listen(heard.append)
    await store.create(named("a"), Batch([], RUNNING))
    with monkeypatch.context() as patch:
        patch.setattr(store._pool, "run", given_up)
        with pytest.raises(StoreError):
            await store.append("a", 0, Batch(entries(1), RUNNING))
    await store._pool.run(*given_up.call_args.args)
    await until(lambda: bool(heard))
    await store.append("a", 1, Batch(entries(1), RUNNING))
    await other.append("a", 2, Batch(entries(1), RUNNING))
    await until(lambda: len(heard) > 1)
    assert heard == [News("a", mine=False, due=False)] * 2


async def test_a_game_that_is_played_again_is_not_deleted_by_another_server(stores: list[Any]) -> None:
    """The first server has not yet recorded its access in the store; bots' moves alone do not keep a game."""
    first, second = stores
    for game_id in ("played", "bots"):
        await first.create(named(game_id), Batch([], RUNNING))
        assert await first.own(game_id)
        await first.append(game_id, 0, Batch(entries(1), RUNNING), owned=game_id == "bots")
    assert await second.delete_untouched(first.now() - 60_000, 9) == ["bots"]


async def test_one_server_notifies_a_target_of_a_turn(database: str, stores: list[Any]) -> None:
    first, second = stores
    gone = await open_store(database)
    await gone.create(named("a"), Batch(entries(3), RUNNING))
    assert await gone.keep_target("a", target())
    assert await gone.claim_targets("a", 1, "holder", 2) == [target()]
    assert await first.claim_targets("a", 1, "holder", 2) == []
    assert await first.untold(claimed=True) == []
    await gone.close()
    heir = await open_store(database)
    assert [await store.untold(claimed=True) for store in (heir, first)] == [["a"], []]
    await heir.close()  # before it announced the turn
    found = await asyncio.gather(*(store.untold(claimed=True) for store in stores))
    assert sorted(found) == [[], ["a"]]
    owner, other = (first, second) if found[0] else (second, first)
    assert await other.claim_targets("a", 1, "holder", 2) == []
    assert await owner.claim_targets("a", 1, "holder", 2) == [target()]
    assert await other.claim_targets("a", 1, "holder", 3) == [target()]  # a later turn, which began there
    assert await owner.claim_targets("a", 1, "holder", 2) == []
    await owner.tell_target("a", 1, target().url, 2)
    assert await other.claim_targets("a", 1, "holder", 3) == [target(told=2)]


@pytest.mark.parametrize("ask", [open_store, store_location])
async def test_a_database_that_cannot_be_used_is_rejected_with_what_to_do(ask: Any, cluster: Cluster) -> None:
    name = cluster.create()
    with cluster.connect(name) as connection:
        connection.execute(f"CREATE ROLE {name}_player LOGIN")
        connection.execute("REVOKE CREATE ON SCHEMA public FROM public")  # as it is from PostgreSQL 15 on
    with pytest.raises(BadSettings, match=r"permission denied for schema public; let its role own the database"):
        await ask(cluster.url(name).replace("user=tests", f"user={name}_player"))
    await (await open_store(cluster.url(name))).close()
    with cluster.connect(name) as connection:
        connection.execute("UPDATE store SET version = 99")
    with pytest.raises(BadSettings, match="written by a later version of Clerestory"):
        await ask(cluster.url(name))


async def test_a_text_that_no_database_has_is_of_no_game(stores: list[Any]) -> None:
    store = stores[0]
    await store.create(named("a"), Batch(entries(1), RUNNING))
    assert await store.load("a\0") is None
    for wanted in (GameFilter(9, game="a\0"), GameFilter(9, before=(1, "a\0")), GameFilter(9, before=(1 << 80, "a"))):
        assert isinstance(await store.select(wanted), list)
    assert await store.load("a") is not None

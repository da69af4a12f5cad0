"""Several servers share the games of one PostgreSQL."""

import asyncio
import os
import signal
import subprocess
import sys
from contextlib import AsyncExitStack
from typing import Any

import grpc
import pytest
from psycopg import errors

from clerestory.cli.embedded import embedded_child
from clerestory.declared import BadSettings, Unreachable
from clerestory.engine import read_records
from clerestory.games import postgres
from clerestory.games.keeper import summary_of
from clerestory.games.opening import open_store
from clerestory.games.postgres_link import Address, why_unusable
from clerestory.games.store import Batch, Conflict, GameFilter, News, Store, StoreError
from clerestory.games.whereabouts import whereabouts
from clerestory.refusals import Reason
from clerestory.v1 import games_pb2 as games
from clerestory.v1.games_pb2_grpc import GameServiceStub
from tests.games.table import BOT, OPEN, PERSON, Table, first_action, kept, seated
from tests.games.test_store import RUNNING, entries, named
from tests.postgres import Cluster
from tests.server.harness import Served, assert_reason, refusal, served, until

SLOW = games.SeatPlan(kind=games.SEAT_KIND_BOT, bot=games.Bot())  # a second for a move


async def two(stack: AsyncExitStack, database: str) -> list[Served]:
    return [await stack.enter_async_context(served(store=database)) for _ in range(2)]


def elsewhere(played: Table, server: Served) -> Table:
    """The same game, requested from another server."""
    return Table(GameServiceStub(server.channel), server.app, played.made)


async def owns(server: Served, game_id: str) -> bool:
    """Whether a server owns a game in which one has to move."""
    store: Any = server.app.keeper.store
    while await store._ask("SELECT owner FROM game WHERE id = %s", (game_id,)) == [(None,)]:
        await asyncio.sleep(0.01)
    mine: bool = await store.own(game_id)
    return mine


async def finished(played: Table) -> games.WatchGameResponse:
    """Watch a game to its end as its owner."""
    request = games.WatchGameRequest(game_id=played.game_id, tokens=[played.made.owner_token])
    state = [state async for state in played.stub.WatchGame(request)][-1]
    assert state.game.status == games.GAME_STATUS_OVER
    return state


# -- playing ---------------------------------------------------------------------------------------


async def test_a_game_is_played_at_any_of_them(database: str) -> None:
    async with AsyncExitStack() as stack:
        first, second = await two(stack, database)
        played = await seated(GameServiceStub(first.channel), first.app, PERSON, PERSON, game="duel")
        tables = [played, elsewhere(played, second)]
        watching = tables[1].watch(0, 1)
        seen = await watching.read()
        for number in range(40):
            table = tables[number % 2]
            at = await table.look()
            assert at.game.version == seen.game.version
            answer = await table.play(first_action(at), at.game.version)
            assert await tables[1 - number % 2].play(first_action(at), at.game.version) == answer
            while seen.game.version < answer.game.version:
                seen = await watching.read()
        record = await played.stub.GetRecord(games.GetRecordRequest(game_id=played.game_id, tokens=played.tokens()))
    assert len(record.record.splitlines()) == seen.game.ply + 2


async def test_of_two_moves_at_once_one_counts(database: str) -> None:
    async with AsyncExitStack() as stack:
        servers = await two(stack, database)
        played = await seated(GameServiceStub(servers[0].channel), servers[0].app, PERSON, PERSON, game="duel")
        tables = [elsewhere(played, server) for server in servers]
        for _ in range(10):
            at = await played.look()
            legal = next(view.actions for view in at.views if view.actions)
            chosen = [legal[0].action.text, legal[-1].action.text]
            found = await asyncio.gather(
                *(table.play(text, at.game.version) for table, text in zip(tables, chosen, strict=True)),
                return_exceptions=True,
            )
            refused = [one for one in found if isinstance(one, Exception)]
            assert len(refused) == (chosen[0] != chosen[1])
            for one in refused:
                assert_reason(one, Reason.STALE_VERSION)


async def test_of_two_people_who_take_the_last_seat_one_gets_it(database: str) -> None:
    async with AsyncExitStack() as stack:
        servers = await two(stack, database)
        played = await seated(GameServiceStub(servers[0].channel), servers[0].app, PERSON, OPEN)
        request = games.JoinGameRequest(game_id=played.game_id)
        asked = [GameServiceStub(server.channel).JoinGame(request) for server in servers]
        found = await asyncio.gather(*asked, return_exceptions=True)
        (refused,) = (one for one in found if isinstance(one, Exception))
        assert_reason(refused, Reason.SEAT_TAKEN)


async def test_a_named_request_has_one_answer_wherever_it_is_made(database: str) -> None:
    async with AsyncExitStack() as stack:
        servers = await two(stack, database)
        request = games.CreateGameRequest(game="toy", seats=[PERSON] * 2, request_id="a-name-that-nobody-guesses")
        first, second = [await GameServiceStub(server.channel).CreateGame(request) for server in servers]
        assert first == second


async def test_limits_count_the_games_of_all(database: str) -> None:
    async with AsyncExitStack() as stack:
        servers = [await stack.enter_async_context(served(store=database, max_games=2)) for _ in range(2)]
        request = games.CreateGameRequest(game="toy", seats=[PERSON] * 2)
        stubs: list[Any] = [GameServiceStub(server.channel) for server in servers]
        for stub in stubs:
            await stub.CreateGame(request)
        await until(lambda: servers[0].app.keeper.unfinished == 2)  # it has heard of the other one
        assert_reason(await refusal(stubs[0].CreateGame(request)), Reason.TOO_MANY_GAMES)


# -- moving ----------------------------------------------------------------------------------------


async def test_one_server_moves_for_the_bots_and_all_see_it(database: str) -> None:
    async with AsyncExitStack() as stack:
        first, second = await two(stack, database)
        played = await seated(GameServiceStub(first.channel), first.app, BOT, BOT)
        assert not await owns(second, played.game_id)
        await finished(elsewhere(played, second))
        assert second.app.scheduler.admitted == 0
        [record] = read_records(
            (
                await played.stub.GetRecord(
                    games.GetRecordRequest(game_id=played.game_id, tokens=[played.made.owner_token])
                )
            ).record.splitlines()
        )
        assert record.state.over


async def test_a_bot_answers_who_plays_elsewhere(database: str) -> None:
    async with AsyncExitStack() as stack:
        first, second = await two(stack, database)
        played = await seated(GameServiceStub(first.channel), first.app, PERSON, BOT, game="duel")
        there = elsewhere(played, second)
        watching = there.watch(0)
        for table in (played, there, there, there):  # the first move makes the first server its owner
            seen = await watching.read()
            while not (seen.views and seen.views[0].actions):
                seen = await watching.read()
            await table.play(first_action(seen), seen.game.version, 0)
        assert not await owns(second, played.game_id)


async def test_a_server_that_ends_leaves_its_games_to_others(database: str) -> None:
    async with AsyncExitStack() as stack:
        staying = await stack.enter_async_context(served(store=database))
        async with served(store=database) as leaving:
            played = await seated(GameServiceStub(leaving.channel), leaving.app, SLOW, SLOW)
            assert not await owns(staying, played.game_id)
        await finished(elsewhere(played, staying))


async def test_the_games_of_a_server_that_is_killed_are_taken_over(database: str) -> None:
    async with served(store=database) as staying:
        with embedded_child("--store", database, "--workers", "1") as child:
            async with grpc.aio.insecure_channel(child.target) as channel:
                played = await seated(GameServiceStub(channel), None, SLOW, SLOW)
            assert not await owns(staying, played.game_id)
            os.kill(child.process, signal.SIGKILL)
        await finished(elsewhere(played, staying))


async def test_what_a_server_wants_to_store_that_lost_a_game_is_refused(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was paused for longer than its lease, and does not know this."""
    monkeypatch.setattr(postgres, "LEASE", 0.0)
    first, second = await open_store(database), await open_store(database)
    await first.create(named("a"), Batch([], RUNNING))
    assert await first.own("a")
    await first.append("a", 0, Batch(entries(1), RUNNING), owned=True)
    assert await second.own("a")
    with pytest.raises(Conflict):
        await first.append("a", 1, Batch(entries(1), RUNNING), owned=True)
    await second.append("a", 1, Batch(entries(1), RUNNING), owned=True)
    await first.append("a", 2, Batch(entries(1), RUNNING))  # what a person does there is another matter
    await first.close()
    await second.close()


async def taken(store: Store) -> list[str]:
    """Let a server take what is due."""
    return [one.game_id for bots_only in (True, False) for one in await store.due(1 << 60, 9, bots_only=bots_only)]


async def test_games_that_are_due_are_taken_once(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, gone = [await open_store(database) for _ in range(3)]
    for name in ("a", "b", "c"):
        due = summary_of(kept(seats="bb")) if name != "c" else RUNNING
        await gone.create(named(name), Batch([], due))
    await gone.close()
    found = await asyncio.gather(taken(first), taken(second))
    assert sorted(found[0] + found[1]) == ["a", "b"]
    assert sorted(await taken(first) + await taken(second)) == ["a", "b"]  # each still has its own
    monkeypatch.setattr(postgres, "LEASE", 0.0)
    assert sorted(await taken(second)) == ["a", "b"]
    await first.close()
    await second.close()


async def test_a_server_hears_of_its_own_write_that_is_stored_after_it_was_given_up(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the disk of the database stands still during a commit; of other writes of its own it hears nothing."""
    store: Any = await open_store(database)
    other, heard, gate = await open_store(database), list[News](), asyncio.Event()
    store.listen(heard.append)
    await store.create(named("a"), Batch([], RUNNING))
    run, late = store._pool.run, list[asyncio.Task[Any]]()

    async def finish(*job: Any) -> None:
        await gate.wait()
        await run(*job)

    async def give_up(*job: Any) -> None:
        late.append(asyncio.create_task(finish(*job)))
        raise StoreError("no answer")

    with monkeypatch.context() as patch:
        patch.setattr(store._pool, "run", give_up)
        with pytest.raises(StoreError):
            await store.append("a", 0, Batch(entries(1), RUNNING))
    gate.set()
    await until(lambda: bool(heard))
    await store.append("a", 1, Batch(entries(1), RUNNING))
    await other.append("a", 2, Batch(entries(1), RUNNING))
    await until(lambda: len(heard) > 1)
    await asyncio.gather(*late)
    assert heard == [News("a", mine=False, due=False)] * 2
    await store.close()
    await other.close()


async def test_a_game_that_is_played_again_is_not_deleted_by_another_server(database: str) -> None:
    """The first has not told the store yet that it was asked for; what bots do in a game is nothing to keep it for."""
    first, second = await open_store(database), await open_store(database)
    for game_id in ("played", "bots"):
        await first.create(named(game_id), Batch([], RUNNING))
        assert await first.own(game_id)
        await first.append(game_id, 0, Batch(entries(1), RUNNING), owned=game_id == "bots")
    assert await second.delete_untouched(first.now() - 60_000, 9) == ["bots"]
    await first.close()
    await second.close()


# -- opening ---------------------------------------------------------------------------------------


MALFORMED = [
    "postgresql://ann:hunter2 secret@db.example/games",
    "postgresql://ann:hunter2%zzsecret@db.example/games",
    "postgresql://ann:hunter2secret@[::1/games",
    "postgresql://ann:hunter2secret@db.example/games?no=such",
    "postgresql://ann:hunter2secret\udcff@db.example/games",
    "postgresql:/ann:hunter2secret@db.example/games",
    "POSTGRES:hunter2secret",
]
AWAY = [
    "postgresql:///games?host=/nowhere/hunter2secret",
    "postgresql://ann:hunter2secret@127.0.0.1:1/games",
    "postgresql://ann:hunter2@secret@127.0.0.1:1/games",  # the @ makes a part of the password a host
    "postgresql://ann:hunter2secret@127.0.0.1:99999999/games",
]


def assert_tells_nothing(text: str) -> None:
    assert not [part for part in ("hunter2", "secret", "ann", "db.example", "games", "nowhere") if part in text]


@pytest.mark.parametrize("name", [*MALFORMED, *AWAY])
async def test_an_address_of_no_database_is_refused_without_quoting_it(name: str) -> None:
    with pytest.raises(BadSettings) as caught:
        await open_store(name)
    [line] = str(caught.value).splitlines()
    told = line.removeprefix("store: PostgreSQL cannot be opened: ")
    assert told != line
    assert ("%" in told) == (name in MALFORMED)
    assert_tells_nothing(told)


@pytest.mark.parametrize(("address", "code"), [(MALFORMED[0], 2), (AWAY[1], 1)])
def test_an_address_of_no_database_ends_the_server_in_one_line(address: str, code: int) -> None:
    """A database that is away may be there soon: a service manager starts the server again."""
    command = [sys.executable, "-m", "clerestory", "serve", "--listen", "127.0.0.1:0"]
    environment = os.environ | {"CLERESTORY_STORE": address}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (code, "")
    [line] = done.stderr.splitlines()
    told = line.removeprefix("clerestory: store: PostgreSQL cannot be opened: ")
    assert told != line
    assert_tells_nothing(told)


@pytest.mark.parametrize(
    ("error", "passes"),
    [
        (errors.ConnectionTimeout, True),
        (errors.IdleInTransactionSessionTimeout, True),
        (errors.ReadOnlySqlTransaction, True),  # until the other server takes over
        (TimeoutError, True),
        (errors.InsufficientPrivilege, False),
        (errors.UndefinedColumn, False),
    ],
)
def test_what_may_pass_is_no_wrong_setting(error: type[Exception], passes: bool) -> None:
    address = Address.read("postgresql://db.example/games")
    assert isinstance(why_unusable(error("refused"), address), Unreachable) == passes


@pytest.mark.parametrize("ask", [open_store, whereabouts])
async def test_a_database_in_which_no_tables_can_be_made_is_refused_with_what_to_do(ask: Any, cluster: Cluster) -> None:
    name = cluster.create()
    with cluster.connect(name) as connection:
        connection.execute(f"CREATE ROLE {name}_player LOGIN")
        connection.execute("REVOKE CREATE ON SCHEMA public FROM public")  # as it is from PostgreSQL 15 on
    with pytest.raises(BadSettings, match=r"permission denied for schema public; let its role own the database"):
        await ask(cluster.url(name).replace("user=tests", f"user={name}_player"))


async def test_a_text_that_no_database_has_is_of_no_game(database: str) -> None:
    store = await open_store(database)
    await store.create(named("a"), Batch(entries(1), RUNNING))
    assert await store.load("a\0") is None
    for wanted in (GameFilter(9, game="a\0"), GameFilter(9, before=(1, "a\0")), GameFilter(9, before=(1 << 80, "a"))):
        assert isinstance(await store.select(wanted), list)
    assert await store.load("a") is not None
    await store.close()


@pytest.mark.parametrize("ask", [open_store, whereabouts])
async def test_tables_of_a_later_version_are_left_alone(ask: Any, database: str) -> None:
    store = await open_store(database)
    await store.close()
    with postgres.psycopg.connect(database) as connection:
        connection.execute("UPDATE store SET version = 99")
    with pytest.raises(BadSettings, match="written by a later version of Clerestory"):
        await ask(database)


async def test_without_its_driver_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "clerestory.games.postgres", None)
    with pytest.raises(BadSettings, match=r"pip install 'clerestory\[postgres\]'"):
        await open_store("postgresql:///games")

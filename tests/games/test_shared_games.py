"""Games that several servers share go on, whatever news is lost and whatever interrupts a takeover."""

import asyncio
import os
import signal
from functools import partial
from typing import Any

import grpc
import pytest
from google.rpc.error_details_pb2 import ErrorInfo

from clerestory.cli.embedded import embedded_child
from clerestory.games import course
from clerestory.games.postgres import PostgresStore
from clerestory.games.store import StoreError
from clerestory.refusals import Reason, Refusal
from clerestory.v1 import games_pb2 as games
from clerestory.v1.games_pb2_grpc import GameServiceStub
from tests.games.proxy import proxied
from tests.games.table import BOT, BOTH, OPEN, PERSON, Table, first, first_action, seated
from tests.games.test_postgres import SLOW, elsewhere, finished
from tests.postgres import FAST, IMMEDIATE, installed, own_cluster
from tests.server.harness import assert_reason, details, refusal, served, until

ENOUGH = 120.0  # seconds that a test may take


async def answered(played: Table, version: int) -> None:
    """Wait until the bots have moved and it is the turn of the person at seat 0; nobody watches."""
    while True:
        seen = await played.look(0)
        if seen.game.version > version and any(view.actions for view in seen.views):
            return
        await asyncio.sleep(0.1)


async def test_bots_move_without_any_news(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody hears of what other servers store."""
    monkeypatch.setattr(PostgresStore, "listen", lambda *_: None)
    async with asyncio.timeout(ENOUGH), served(store=database) as first, served(store=database) as second:
        made = [await seated(GameServiceStub(first.channel), first.app, PERSON, BOT, game="duel") for _ in range(5)]
        for played in made:  # whose owner is the first server from now on
            await answered(played, 0)
        for _ in range(2):
            versions = []
            for there in (elsewhere(played, second) for played in made):
                seen = await there.look(0)
                versions.append((await there.play(first_action(seen), seen.game.version, 0)).game.version)
            for played, version in zip(made, versions, strict=True):
                await answered(elsewhere(played, second), version)


@pytest.mark.parametrize("repeated", [True, False])
async def test_bots_move_although_the_answer_to_a_commit_is_lost(database: str, repeated: bool) -> None:
    """Whether or not the person asks again: what was stored stays, once, and has its answer."""
    async with asyncio.timeout(ENOUGH), proxied(database) as proxy, served(store=proxy.address) as server:
        played = await seated(GameServiceStub(server.channel), server.app, PERSON, BOT, game="duel")
        before = await moves_of_bot(played)
        while await moves_of_bot(played) == before:
            seen = await played.look(0)
            if not seen.views[0].actions:
                await asyncio.sleep(0.1)
                continue
            proxy.losing = True
            asked = first_action(seen), seen.game.version, 0
            assert_reason(await refusal(played.play(*asked)), Reason.STORE_FAILED)
            proxy.losing = False
            if repeated:
                assert (await played.play(*asked)).entries[0].version == seen.game.version + 1
        assert proxy.lost > 0


async def moves_of_bot(played: Table) -> int:
    """Return how many entries are the second seat's."""
    text = "SELECT count(*) FROM entry WHERE game = %s AND seat = 1"
    [(number,)] = await played.app.keeper.store._ask(text, (played.game_id,))
    return int(number)


@pytest.mark.skipif(not installed(), reason="PostgreSQL is not installed")
@pytest.mark.parametrize("how", [FAST, IMMEDIATE])
async def test_games_go_on_after_the_database_has_restarted(how: int) -> None:
    with own_cluster() as cluster:
        database = cluster.url(cluster.create())
        async with asyncio.timeout(ENOUGH), served(store=database) as first, served(store=database) as second:
            played = await seated(GameServiceStub(first.channel), first.app, PERSON, BOT, game="duel")
            bots = await seated(GameServiceStub(first.channel), first.app, BOT, BOT, game="duel")
            await answered(played, 0)
            await asyncio.to_thread(cluster.stop, how)
            assert_reason(await refusal(played.look(0)), Reason.STORE_FAILED)
            await asyncio.to_thread(cluster.start)
            there = elsewhere(played, second)
            seen = await there.look(0)  # the first call
            before = await moves_of_bot(there)
            while await moves_of_bot(there) == before:
                if seen.views[0].actions:
                    seen = await there.play(first_action(seen), seen.game.version, 0)
                else:
                    await asyncio.sleep(0.1)
                    seen = await there.look(0)
            await finished(elsewhere(bots, second))


async def played_on(server: Any) -> tuple[Table, int]:
    """Return a game, and the version that it had two moves before."""
    played = await seated(GameServiceStub(server.channel), server.app, PERSON, PERSON, game="duel")
    versions = [(await played.play_first()).game.version for _ in range(6)]
    return played, versions[-3]


async def lose(played: Table, version: int) -> None:
    """Delete the entries of a game from a version on, as a failover does to a replica that lags behind."""
    text = "DELETE FROM entry WHERE game = %s AND number >= %s RETURNING number"
    assert await played.app.keeper.store._ask(text, (played.game_id, version))


async def test_a_game_goes_on_from_what_the_database_has_not_lost(database: str) -> None:
    async with asyncio.timeout(ENOUGH), served(store=database) as first, served(store=database) as second:
        played, version = await played_on(first)
        watching = played.watch(0)
        before = await watching.read()
        await lose(played, version)
        error = await refusal(played.play("x", before.game.version))
        assert dict(details(error, ErrorInfo).metadata) == {"version": str(version)}
        assert_reason(await refusal(watching.read()), Reason.STALE_VERSION)
        for table in (elsewhere(played, second), played):
            version = (await table.play_first()).game.version
        assert (await played.look()).game.version == version


async def test_a_game_goes_on_from_what_was_played_elsewhere_in_place_of_what_was_lost(database: str) -> None:
    async with asyncio.timeout(ENOUGH), served(store=database) as first, served(store=database) as second:
        played, version = await played_on(first)
        await lose(played, version)
        there = elsewhere(played, second)
        for _ in range(4):
            await there.play_first()
        assert await played.look() == await there.look()


async def test_nothing_is_stored_after_a_gap(database: str) -> None:
    """Entries are lost after the server has looked for news, and before it stores more."""
    async with asyncio.timeout(ENOUGH), served(store=database) as server:
        played, version = await played_on(server)
        keeper = played.app.keeper
        async with keeper.lend(played.game_id) as live:
            move = partial(course.play, viewer=BOTH, version=live.kept.version, text=first(live.kept), moment=0)
            await lose(played, version)
            with pytest.raises(Refusal, match=f"has version {version}"):
                await keeper.change(live, move)
        await played.play_first()


@pytest.mark.parametrize("seat", [PERSON, OPEN])
async def test_a_game_that_one_server_deletes_is_gone_from_all(database: str, seat: games.SeatPlan) -> None:
    async with asyncio.timeout(ENOUGH), served(store=database) as first, served(store=database) as second:
        played = await seated(GameServiceStub(first.channel), first.app, PERSON, seat, game="duel")
        assert await second.app.keeper.store.delete_untouched(1 << 62, 9) == [played.game_id]
        assert_reason(await refusal(played.look()), Reason.NO_SUCH_GAME)
        assert first.app.keeper.in_memory == 0


async def test_a_takeover_that_is_interrupted_is_made_good(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first server is killed, and the second one cannot load what it has taken over, at first."""
    async with asyncio.timeout(ENOUGH), served(store=database) as staying:
        with embedded_child("--store", database, "--workers", "1") as child:
            async with grpc.aio.insecure_channel(child.target) as channel:
                made = [await seated(GameServiceStub(channel), None, SLOW, SLOW) for _ in range(6)]
            os.kill(child.process, signal.SIGKILL)
        store: Any = staying.app.keeper.store
        load, failures = store.load, []

        async def interrupted(game_id: str) -> Any:
            if len(failures) < len(made):
                failures.append(game_id)
                raise StoreError("the connection was closed")
            return await load(game_id)

        monkeypatch.setattr(store, "load", interrupted)
        await until(lambda: len(failures) == len(made))
        for played in made:
            await finished(elsewhere(played, staying))


async def test_a_game_of_a_newer_server_is_left_to_it(database: str) -> None:
    """A server that cannot read a game lets go of it for good, and moves in all others."""
    async with asyncio.timeout(ENOUGH), served(store=database) as server:
        store: Any = server.app.keeper.store
        stub = GameServiceStub(server.channel)
        newer = await seated(stub, server.app, PERSON, BOT, game="duel")
        text = "INSERT INTO entry SELECT id, 999, 'sung', 0, 'x', 0 FROM game WHERE id = %s RETURNING game"
        await store._ask(text, (newer.game_id,))
        await store._ask("UPDATE game SET due = 0 WHERE id = %s RETURNING id", (newer.game_id,))
        others = [await seated(stub, server.app, BOT, BOT) for _ in range(3)]
        for played in others:
            await finished(played)
        while await store._ask("SELECT owner FROM game WHERE id = %s", (newer.game_id,)) != [(None,)]:
            await asyncio.sleep(0.1)
        assert (await newer.look(0)).game.status == games.GAME_STATUS_FROZEN
        taken = [due.game_id for due in await store.due(1 << 60, 9, bots_only=False)]
        assert taken == [newer.game_id]  # by whoever can read it: nobody owns it

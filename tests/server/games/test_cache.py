"""Games in memory are read once, one after the other; store errors are reported to callers, and rarely logged."""

import asyncio
import gc
import logging
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock, call

import pytest

from clerestory.server.games import background, cache, due
from clerestory.server.games.cache import CALL_TURNS, GameCache
from clerestory.server.games.changes import summary_of
from clerestory.server.games.due import MAX_STARTS, DueGames
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.store import Batch, Unreadable
from clerestory.server.games.stores.sqlite import SqliteStore
from tests.server.games.simulated import Database, Server, on_simulated_time
from tests.server.games.table import hosted
from tests.server.rpc.harness import until


def test_a_store_that_fails_fills_no_log(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """Suppressed messages are counted."""
    seconds = [0.0]
    monkeypatch.setattr(background, "time", SimpleNamespace(monotonic=lambda: seconds[0]))
    failures = background.Seldom(logging.getLogger("tests"))
    for _ in range(20):
        failures.error("broken")
    seconds[0] = background.EVERY
    failures.error("broken")
    assert caplog.messages == ["broken", "broken (19 more errors before)"]


@on_simulated_time
async def test_a_game_is_read_once_for_all_who_ask_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(Database(), 1, shared=False)
    await server.create()

    async def ask() -> Any:
        async with server.manager.lend("game") as live:
            return live

    server.manager.cache.games.clear()
    monkeypatch.setattr(server.store, "load", load := AsyncMock(wraps=server.store.load))
    found = await asyncio.gather(*(ask() for _ in range(5)))
    assert (load.call_args_list, len({id(live) for live in found})) == ([call("game")], 1)


async def test_nobody_is_surprised_by_an_unreadable_game_after_the_caller_has_left() -> None:
    reached, go_on, unexpected = asyncio.Event(), asyncio.Event(), list[str]()
    asyncio.get_running_loop().set_exception_handler(lambda _, context: unexpected.append(context["message"]))

    async def load(_: str) -> None:
        reached.set()
        await go_on.wait()
        raise Unreadable("damaged")

    store: Any = SimpleNamespace(load=load)
    in_memory = cache.GameCache(store)

    async def ask() -> None:
        async with in_memory.lend(f"{'a' * 21}A"):
            pass

    asking = asyncio.ensure_future(ask())
    await reached.wait()
    asking.cancel()
    with suppress(asyncio.CancelledError):
        await asking
    go_on.set()
    await until(lambda: bool(in_memory.unreadable) and not in_memory._reading)
    gc.collect()
    assert unexpected == []


GAMES = 60


async def filled() -> SqliteStore:
    """Return a store of games of a bot and a person."""
    store, made = SqliteStore("memory:"), hosted(seats="bp")
    for number in range(GAMES):
        game = HostedGame(replace(made.head, game_id=f"{number:021}A"))
        await store.create(game.head, Batch(game.entries, replace(summary_of(game), due=0, bots_only=False)))
    return store


class LoopTurns:
    """Counts how often the event loop has come round."""

    def __init__(self) -> None:
        self.number = 0
        self._next()

    def _next(self) -> None:
        self.number += 1
        asyncio.get_running_loop().call_soon(self._next)


async def test_one_game_is_loaded_at_a_time_and_a_call_waits_for_few(monkeypatch: pytest.MonkeyPatch) -> None:
    store, replayed, loaded = await filled(), cache.replayed, list[tuple[int, str]]()
    games, turns = GameCache(store), LoopTurns()

    def noted(head: Any, entries: Any) -> HostedGame:
        loaded.append((turns.number, head.game_id))
        return replayed(head, entries)

    async def load(game_id: str, *, fresh: bool) -> None:
        async with games.lend(game_id, fresh=fresh):
            pass

    called, *others = [f"{number:021}A" for number in reversed(range(GAMES))]
    stored = {game_id: await store.load(game_id) for game_id in (called, *others)}

    monkeypatch.setattr(cache, "replayed", noted)
    monkeypatch.setattr(store, "load", AsyncMock(side_effect=stored.get))  # at once: here the turns matter afterwards
    movers = [asyncio.ensure_future(load(game_id, fresh=True)) for game_id in others]
    while len(loaded) < 3:
        assert not movers[-1].done()
        await asyncio.sleep(0)
    await load(called, fresh=False)
    position = [game_id for _, game_id in loaded].index(called)
    await asyncio.gather(*movers)
    assert set(Counter(turn for turn, _ in loaded).values()) == {1}
    assert len(loaded) == GAMES
    assert position <= 5
    await store.close()


async def test_a_few_movers_start_before_other_calls_have_their_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    store, turns, started = await filled(), LoopTurns(), list[int]()
    moving: Any = None
    games = DueGames(store, GameCache(store), moving, 16)

    begin = games._begin

    def begun(work: Any) -> None:
        started.append(turns.number)
        begin(work)

    monkeypatch.setattr(DueGames, "_run", lambda *_: asyncio.Event().wait())
    monkeypatch.setattr(games, "_begin", begun)
    running = asyncio.ensure_future(games.run(lambda: None))
    while len(started) < GAMES:
        assert not running.done()
        await asyncio.sleep(0)
    assert max(Counter(started).values()) == MAX_STARTS == due.MAX_STARTS
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    await games.finish(1.0)
    await store.close()


async def test_calls_get_several_turns_of_games_for_each_of_a_move() -> None:
    games, order = GameCache(SqliteStore("memory:")), list[str]()

    async def work(name: str) -> None:
        await games.turn(calling=name == "c")
        order.append(name)

    calls = CALL_TURNS * "c"
    await asyncio.gather(*map(work, f"mmmmm{3 * calls}"))
    assert "".join(order) == f"mm{calls}m{calls}m{calls}m"

"""Bots search within their maker's share, stop when the game changes, and continue when a viewer joins."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from clerestory.server.analysis.demand import Priority
from clerestory.server.games.auto_player import either
from clerestory.server.games.bots import Bots, searching_for
from clerestory.server.games.log import BotSettings
from clerestory.server.games.manager import GameManager, Limits
from clerestory.server.games.stores.sqlite import SqliteStore
from clerestory.server.games.viewer import Viewer
from tests.server.games.table import hosted, play_one


def test_the_bots_of_games_that_nobody_plays_in_are_one_part_of_their_makers_searches() -> None:
    """They have what all other searches leave; a bot that plays with a person searches for its game."""
    alone, other, with_person = [searching_for(hosted(seats=seats)) for seats in ("bb", "bbb", "bp")]
    assert alone == other
    assert (alone[1], with_person[1]) == (Priority.BACKGROUND, Priority.MOVE)
    assert alone[0].origin == with_person[0].origin
    assert (alone[0].part, with_person[0].part) == ("bots", "game:game")


async def test_a_bot_searches_only_where_it_has_a_choice() -> None:
    searches: list[Any] = []

    @asynccontextmanager
    async def place(caller: Any, priority: Priority, seconds: float, _: str) -> AsyncIterator[Any]:
        searches.append((caller, priority))
        yield lambda: (None, seconds / 2)

    async def ask(question: Any, _: Any) -> Any:
        assert question.limits.seconds == BotSettings(1).seconds / 2
        return SimpleNamespace(best=SimpleNamespace(action=legal[0]))

    game, engine = hosted("cathedral", "bb"), Mock(place=place, ask=ask)
    for _ in range(40):
        legal = [action.text for action in game.position.legal_actions()]
        before = len(searches)
        assert await Bots(engine).choose(game, game.turn or 0, BotSettings(1)) == legal[0]
        assert len(searches) - before == (len(legal) > 1)
        play_one(game)
    assert {*searches} == {searching_for(game)}


@pytest.mark.parametrize("changed", [True, False], ids=["the game changes", "somebody comes"])
async def test_a_bot_stops_thinking_if_the_game_changes_alone(changed: bool) -> None:
    manager = GameManager(SqliteStore("memory:"), Limits(10, 10), Bots.choose)  # type: ignore[arg-type]
    await manager.create(hosted(), [])
    async with manager.lend("game") as live:
        thinking: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        chosen = asyncio.ensure_future(either(thinking, live))
        await asyncio.sleep(0)
        if changed:
            live.become(live.hosted, manager.now())
            assert await chosen is None
            assert thinking.cancelled()
        else:
            with live.watched_by(Viewer((0,))):
                await asyncio.sleep(0)
                thinking.set_result("done")
                assert await chosen == "done"
    await manager.close()

"""A server that starts with a thousand games in which bots have to move."""

import asyncio
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest

from clerestory.cli.embedded import embedded_child
from clerestory.engine.games import GAMES
from clerestory.games.changes import summary_of
from clerestory.games.kept import ServerGame
from clerestory.games.log import BotSettings, GameOptions, Holder, Onlookers, SeatKind
from clerestory.games.making import NewGame, make_game
from clerestory.games.sqlite import SqliteStore
from clerestory.games.store import Batch, Key
from clerestory.games.tokens import Mint
from clerestory.games.viewer import digest_of
from clerestory.v1 import games_pb2 as games
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceStub
from clerestory.v1.games_pb2_grpc import GameServiceStub
from tests.server.harness import duration, opening, question

GAMES_DUE, MAKERS, SEARCHES = 1000, 50, 40


def due_games(number: int, bot_seconds: float) -> list[ServerGame]:
    """Return games of a person and a bot, who is to move."""
    person, bot = Holder(SeatKind.PERSON), Holder(SeatKind.BOT, bot=BotSettings(None, bot_seconds))
    options = GameOptions(onlookers=Onlookers.ALL)
    made = make_game(NewGame(GAMES["cathedral"], (person, person), options, 1, ""), Mint(b"", ""), "", 0)
    seats = tuple(bot if seat == made.turn else person for seat in (0, 1))
    heads = (
        replace(made.head, game_id=f"game-{n:04}", owner=digest_of(f"{n}"), maker=f"maker {n % MAKERS}", seats=seats)
        for n in range(number)
    )
    return [ServerGame(head, made.entries) for head in heads]


async def fill(path: Path, made: list[ServerGame]) -> None:
    store = SqliteStore(str(path))
    batches = [(one.head, Batch(one.entries, summary_of(one), [Key(one.head.owner)])) for one in made]
    await asyncio.gather(*(store.create(head, batch) for head, batch in batches))
    await store.close()


@pytest.mark.system
async def test_nobody_else_is_refused_while_a_thousand_bots_think(tmp_path: Path) -> None:
    """They have a minute each; calls about games are answered meanwhile, and bots of all makers move."""
    path, codes, luck = tmp_path / "games.sqlite", Counter[str](), random.Random(1)
    made = due_games(GAMES_DUE, 60.0)
    await fill(path, made)
    asked = question(opening(seats=3, game="cathedral"), time_budget=duration(0.3))
    with embedded_child("--store", str(path), "--workers", "2") as child:
        async with grpc.aio.insecure_channel(child.target) as channel:
            advisor: Any = AdvisorServiceStub(channel)
            shown: Any = GameServiceStub(channel)
            for _ in range(SEARCHES):
                code = "OK"
                try:
                    await advisor.RecommendMove(asked)
                except grpc.aio.AioRpcError as error:
                    code = error.code().name
                codes[code] += 1
                await shown.GetGame(games.GetGameRequest(game_id=f"game-{luck.randrange(GAMES_DUE):04}"))
                await shown.ListGames(games.GameServiceListGamesRequest())
            moved = set[str]()
            while len(moved) < 20:
                for one in made[:MAKERS]:
                    answer = await shown.GetGame(games.GetGameRequest(game_id=one.head.game_id))
                    if answer.game.version > one.version:
                        moved.add(one.head.game_id)
    assert codes == {"OK": SEARCHES}

"""Measures how fast a server with many hosted games restarts: `python -m tools.lab.restart --games 10000`.

It fills a store with partly played games, a few of them with bots to move. It reports the seconds from the start of the
process until it serves, until a game is shown, and until every bot has moved again.
"""

import asyncio
import json
import random
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import grpc
import typer

from clerestory.cli.options import DEFAULT_GAME
from clerestory.cli.servers import embedded_child
from clerestory.engine import GAMES
from clerestory.server.games import commands
from clerestory.server.games.creation import NewGame, make_game
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.log import BotSettings, GameOptions, Head, Holder, SeatKind
from clerestory.server.games.manager import summary_of
from clerestory.server.games.store import Batch, Key
from clerestory.server.games.stores.sqlite import SqliteStore
from clerestory.server.games.viewer import TokenIssuer, Viewer, digest_of
from clerestory.v1 import games_pb2 as games
from clerestory.v1.games_pb2_grpc import GameServiceStub

MODELS = 20  # games that are played; the others are copies of them, cut off at some ply
AT_ONCE = 500  # games stored in one batch
TOKEN = "a token of everybody"


def model(game: str, seats: int, seed: int) -> HostedGame:
    """Return a game of people, played at random to its end."""
    luck, people = random.Random(seed), (Holder(SeatKind.PERSON),) * seats
    played = make_game(NewGame(GAMES[game], people, GameOptions(), seed, ""), TokenIssuer(b"", ""), "tools", now())
    everybody = Viewer(tuple(range(seats)))
    while not played.over:
        text = luck.choice(played.position.legal_actions()).text
        commands.play(played, everybody, played.version, text, now())
    return played


def now() -> int:
    """Return milliseconds since 1970."""
    return int(1000 * time.time())


def variant(played: HostedGame, number: int, bots: bool) -> HostedGame:
    """Return the beginning of a game, under another identifier."""
    luck = random.Random(number)
    person = Holder(SeatKind.PERSON, token=digest_of(TOKEN))
    seats = tuple(person.played_by(BotSettings(1, 0.1)) if bots else person for _ in played.head.seats)
    head: Head = replace(played.head, game_id=f"game-{number:06}", owner=digest_of(f"owner {number}"), seats=seats)
    last = luck.randrange(played.version // 2, played.version - 1)
    return HostedGame(head, played.entries[: commands.after(played, last)])


async def fill(path: Path, count: int, due: int, game: str, seats: int) -> None:
    """Store `count` games."""
    store = SqliteStore(str(path))
    models = [model(game, seats, seed) for seed in range(MODELS)]
    for begin in range(0, count, AT_ONCE):
        made = [
            variant(models[number % MODELS], number, number < due)
            for number in range(begin, min(begin + AT_ONCE, count))
        ]
        batches = [Batch(kept.entries, summary_of(kept), [Key(kept.head.owner)]) for kept in made]
        await asyncio.gather(*(store.create(kept.head, batch) for kept, batch in zip(made, batches, strict=True)))
    await store.close()


def start(store: str, due: int | None) -> dict[str, Any]:
    """Start a server on a store; return the seconds until it serves, shows a game, and has moved for its bots."""
    began, times = time.monotonic(), {}
    with embedded_child("--store", store) as child, grpc.insecure_channel(child.target) as channel:
        times["serves_s"] = round(time.monotonic() - began, 2)
        if due is None:
            return times
        stub: Any = GameServiceStub(channel)
        stub.GetGame(games.GetGameRequest(game_id=f"game-{due:06}", tokens=[TOKEN]))
        times["shows_a_game_s"] = time.monotonic() - began
        for number in range(due):
            request = games.WatchGameRequest(game_id=f"game-{number:06}", tokens=[TOKEN], from_version=0)
            version = None
            for state in stub.WatchGame(request):
                version = version or state.game.version
                if state.game.version > version or state.game.status == games.GAME_STATUS_OVER:
                    break
        times["every_bot_has_moved_s"] = time.monotonic() - began
    return {name: round(seconds, 2) for name, seconds in times.items()}


def main(
    games_: Annotated[int, typer.Option("--games", help="Games in the store.")] = 10_000,
    due: Annotated[int, typer.Option(help="Of which so many wait for a bot.")] = 20,
    game: Annotated[str, typer.Option(help="Name of the game.")] = DEFAULT_GAME,
    seats: Annotated[int, typer.Option(help="Number of players.")] = 4,
    runs: Annotated[int, typer.Option(help="Starts.")] = 3,
) -> None:
    """Fill a store, start servers on it, and print the times as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "games.sqlite")
        asyncio.run(fill(path, games_, due, game, seats))
        size = path.stat().st_size
        typer.echo(
            json.dumps(
                {
                    "games": games_,
                    "megabytes": round(size / 1e6, 1),
                    "without_games": [start("memory:", None) for _ in range(runs)],
                    "starts": [start(str(path), due) for _ in range(runs)],
                },
                indent=1,
            )
        )


if __name__ == "__main__":
    typer.run(main)

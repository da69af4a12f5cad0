"""Measures a restart with overdue games: the delays of other callers, and the time until every game has a move.

`python -m tools.lab.overdue --games 250 --makers 50 --think 60 --beside moves` has bots that think for a minute, and
another caller's searches. `python -m tools.lab.overdue --games 6000 --kind people --beside reads` has people whose time
is over, and calls that read. `--store postgresql://...` uses a database, whose content is deleted; `--out FILE` makes
the run resumable.

It prints one JSON line per run: for each probe, how its calls ended and their milliseconds (`idle` is the health of a
second, idle server on the same machine); the number and times of games with a move; the peak memory; and the seconds of
processor time, in total and of the event loop.
"""

import asyncio
import json
import random
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import grpc
import typer

from clerestory.engine import GAMES, Rng
from clerestory.percentiles import percentile
from clerestory.server.games.changes import summary_of
from clerestory.server.games.creation import NewGame, make_game
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.log import BotSettings, Entry, EntryKind, GameOptions, Holder, SeatKind
from clerestory.server.games.store import Batch, Key
from clerestory.server.games.stores.store_location import open_store
from clerestory.server.games.viewer import TokenIssuer, digest_of
from clerestory.v1 import games_pb2 as games
from clerestory.v1.games_pb2_grpc import GameServiceStub
from loadtest.corpus import positions
from loadtest.options import DEFAULT_GAME
from loadtest.probes import OPTIONS, PATIENCE, Probe, health, moves, resumed, run_all, sampled, used
from loadtest.server import ServerProcess, own_server

MODELS = 20  # games that are played; the others are copies of them under other names
PLIES = 12  # of each game, at least
BATCH = 32  # games stored in one batch
LONG_AGO = 86_400_000  # milliseconds since the last move
LIMIT = 3600.0  # seconds per move for people
LISTED = 20  # maximum length of a list of games
BUDGET = 0.3  # time budget of another caller's searches, seconds
LIVES = 3.0  # lifetime of the first server, seconds
MOVED = "SELECT min(moment) FROM entry WHERE moment > {} GROUP BY game"


class Kind(StrEnum):
    """The kind of player whose move is due."""

    BOTS = "bots"
    PEOPLE = "people"


class Beside(StrEnum):
    """The kind of another caller's requests."""

    MOVES = "moves"
    READS = "reads"


@dataclass(frozen=True, slots=True)
class Scene:
    """The games of a store.

    Attributes:
        count: number of games.
        makers: number of callers who created them.
        kind: kind of player whose move is due.
        think: seconds of a bot's move.
        game: name of the game.
    """

    count: int
    makers: int
    kind: Kind
    think: float
    game: str


# -- the store -------------------------------------------------------------------------------------


def model(scene: Scene, seed: int) -> HostedGame:
    """Return a game of two people, played at random until one of them has a choice."""
    luck, long_ago = random.Random(seed), int(1000 * time.time()) - LONG_AGO
    options = GameOptions(seconds_per_move=LIMIT, play_on=BotSettings(None, scene.think))
    people = (Holder(SeatKind.PERSON),) * 2
    played = make_game(NewGame(GAMES[scene.game], people, options, seed, ""), TokenIssuer(b"", ""), "", long_ago)
    while played.ply < PLIES or len(played.position.legal_actions()) == 1 or played.position.turn < 0:
        seat, texts = played.turn, [action.text for action in played.position.legal_actions()]
        chance = seat is None or seat < 0
        text = played.position.copy().draw(luck_of(luck)).text if chance else luck.choice(texts)
        kind = EntryKind.DRAWN if chance else EntryKind.PLAYED
        played.add(Entry(kind, None if chance else seat, text, long_ago))
    return played


def luck_of(luck: random.Random) -> Rng:
    """Return the engine's random numbers."""
    return Rng(luck.getrandbits(63))


def variant(scene: Scene, played: HostedGame, number: int) -> HostedGame:
    """Return a game under another name, in which a bot or a person is due."""
    person = Holder(SeatKind.PERSON, token=digest_of(person_of(number)))
    bot = person.played_by(BotSettings(None, scene.think))
    due = played.turn if scene.kind == Kind.BOTS else None
    seats = tuple(bot if seat == due else person for seat in range(2))
    options = replace(played.head.options, seconds_per_move=None if scene.kind == Kind.BOTS else LIMIT)
    head = replace(
        played.head,
        game_id=f"game-{number:06}",
        owner=digest_of(f"owner {number}"),
        maker=digest_of(f"maker {number % scene.makers}"),
        seats=seats,
        options=options,
    )
    return HostedGame(head, played.entries)


def person_of(number: int) -> str:
    """Return the token of the person in a game."""
    return f"the token of person {number}"


async def fill(address: str, scene: Scene) -> None:
    """Store the games."""
    store = await open_store(address)
    models = [model(scene, seed) for seed in range(MODELS)]
    for begin in range(0, scene.count, BATCH):
        numbers = range(begin, min(begin + BATCH, scene.count))
        made = [variant(scene, models[number % MODELS], number) for number in numbers]
        keys = [[Key(kept.head.owner), Key(kept.head.seats[0].token, 0)] for kept in made]
        batches = [Batch(kept.entries, summary_of(kept), key) for kept, key in zip(made, keys, strict=True)]
        await asyncio.gather(*(store.create(kept.head, batch) for kept, batch in zip(made, batches, strict=True)))
    await store.close()


def moved(address: str, since: float) -> list[float]:
    """Return the seconds from a moment, in seconds since 1970, until each game's next move."""
    if address.startswith("postgresql:"):
        import psycopg

        with psycopg.connect(address) as session:
            rows = session.execute(MOVED.format("%s"), (int(1000 * since),)).fetchall()
    else:
        with closing(sqlite3.connect(address)) as file:
            rows = file.execute(MOVED.format("?"), (int(1000 * since),)).fetchall()
    return sorted(moment / 1000 - since for (moment,) in rows)


@contextmanager
def store_of(address: str, folder: str) -> Iterator[str]:
    """Yield an empty store: the database, cleared of games, or a new file."""
    if not address:
        yield str(Path(folder, "games.sqlite"))
        return
    import psycopg

    with psycopg.connect(address, autocommit=True) as session:
        session.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    yield address


# -- the scene -------------------------------------------------------------------------------------


def probes_of(channel: Any, idle: Any, beside: Beside, corpus: Sequence[Any], count: int) -> dict[str, Probe]:
    """Return the probes to run meanwhile."""
    stub: Any = GameServiceStub(channel)
    luck = random.Random(1)

    async def show(_: int) -> None:
        number = luck.randrange(count)
        request = games.GetGameRequest(game_id=f"game-{number:06}", tokens=[person_of(number)])
        await stub.GetGame(request, timeout=PATIENCE)

    async def list_(_: int) -> None:
        tokens = [person_of(luck.randrange(count)) for _ in range(LISTED)]
        request = games.GameServiceListGamesRequest(tokens=tokens, page_size=LISTED)
        await stub.ListGames(request, timeout=PATIENCE)

    reads = {"GetGame": Probe(show), "ListGames": Probe(list_, every=0.5)}
    also = {"moves": moves(channel, corpus, BUDGET)} if beside == Beside.MOVES else reads
    return {"idle": Probe(health(idle)), "health": Probe(health(channel)), **also}


async def measure_again(server: ServerProcess, idle: str, probes: Any, seconds: float) -> dict[str, Any]:
    """Return the figures of a server that has just restarted."""
    async with (
        grpc.aio.insecure_channel(server.target, OPTIONS) as channel,
        grpc.aio.insecure_channel(idle, OPTIONS) as other,
        sampled(server.pid) as sizes,
    ):
        figures = await run_all(probes(channel, other), seconds)
    processor = {name: round(seconds, 1) for name, seconds in used(server.pid).items()}
    return {**figures, "rss_mb": round(max(sizes) / 1e6), "processor_s": processor}


def play(scene: Scene, beside: Beside, seconds: float, store: str, options: list[str]) -> dict[str, Any]:
    """Fill a store, kill a server on it, and measure the next one."""
    with tempfile.TemporaryDirectory() as folder, store_of(store, folder) as address, own_server() as idle:
        asyncio.run(fill(address, scene))
        probes = partial(probes_of, beside=beside, corpus=positions(idle.target), count=scene.count)
        with own_server("--store", address, *options) as first:
            time.sleep(LIVES)
            first.process.kill()
        began = time.time()
        with own_server("--store", address, *options) as server:
            typer.echo(f"process {server.pid}", err=True)
            figures = asyncio.run(measure_again(server, idle.target, probes, seconds))
        times = moved(address, began)
    shares = {f"p{share}_s": round(percentile(times, share), 1) for share in (50, 100) if times}
    return {**figures, "moved": {"games": len(times), **shares}}


def main(
    games_: Annotated[int, typer.Option("--games", help="Games that are due.")] = 250,
    makers: Annotated[int, typer.Option(help="Callers who made them.")] = 50,
    kind: Annotated[Kind, typer.Option(help="Who is due.")] = Kind.BOTS,
    think: Annotated[float, typer.Option(help="Seconds of a bot's move.")] = 1.0,
    beside: Annotated[Beside, typer.Option(help="What another caller asks for.")] = Beside.READS,
    seconds: Annotated[float, typer.Option(help="Of the measurement.")] = 60.0,
    game: Annotated[str, typer.Option(help="Name of the game.")] = DEFAULT_GAME,
    store: Annotated[str, typer.Option(help="Address of an empty database; all in it is removed.")] = "",
    server: Annotated[str, typer.Option(help="Options of the server, separated by blanks.")] = "",
    runs: Annotated[int, typer.Option(help="Runs.")] = 3,
    out: Annotated[Path | None, typer.Option(help="File of the runs, to which further ones are added.")] = None,
) -> None:
    """Kill a server with games that are due, start it again, and print what others notice."""
    scene = Scene(games_, makers, kind, think, game)
    key = {"games": games_, "makers": makers, "kind": kind, "think": think, "beside": beside, "options": server}
    key |= {"store": store.partition(":")[0] or "sqlite"}
    measure = partial(play, scene, beside, seconds, store, server.split())
    for one in resumed(out, key, runs, measure):
        typer.echo(json.dumps(one))


if __name__ == "__main__":
    typer.run(main)

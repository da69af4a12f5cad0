"""Measures watchers of hosted games: `python -m loadtest.watchers` opens 500 streams on 100 games of bots.

`python -m loadtest.watchers --games 10 --watchers 10000 --addresses 100` has a crowd of anonymous watchers, who retry
when rejected; it reports the duration of concurrent health checks, and the memory per watcher.

Otherwise it reports the time from playing a ply, before it is stored, until a watcher receives it, and the lateness of
other moves meanwhile, compared with the same server without games, and with unwatched games. Server and watchers share
the machine and its clock.
"""

import asyncio
import json
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from math import nan
from pathlib import Path
from typing import Annotated, Any
from uuid import uuid4

import grpc
import typer
from google.protobuf.duration_pb2 import Duration

from clerestory.percentiles import percentile
from clerestory.v1 import games_pb2 as games
from clerestory.v1.advisor_pb2 import RecommendMoveRequest
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceStub
from clerestory.v1.games_pb2_grpc import GameServiceStub
from clerestory.v1.position_pb2 import Position
from loadtest.connections import Crowd as HttpCrowd
from loadtest.connections import crowd_apart
from loadtest.corpus import positions
from loadtest.options import DEFAULT_GAME
from loadtest.probes import OPTIONS, Probe, health, resumed, run_all, sampled, used
from loadtest.server import free_port, own_server

BUDGET = 0.2  # time budget of concurrent moves, seconds
EVERY = 0.25  # seconds between two of these moves
WARM = 5.0  # seconds at the start of each phase that do not count
SMALL = ("--warm-bytes", "0", "--max-tree-bytes", str(1 << 20))  # small trees, so that memory is that of the watchers
WATCH = "/clerestory.v1.GameService/WatchGame"


@dataclass
class WatchFigures:
    """The measurements of a phase.

    Attributes:
        shown: seconds between the storing of a ply and its arrival, over all streams.
        late: seconds from the end of the budget to the answer; negative for early answers.
        plies: stored plies, by (game, version).
    """

    shown: list[float] = field(default_factory=list)
    late: list[float] = field(default_factory=list)
    plies: set[tuple[str, int]] = field(default_factory=set)

    def forget(self) -> None:
        """Discard all measurements."""
        self.shown.clear()
        self.late.clear()
        self.plies.clear()


@dataclass(frozen=True, slots=True)
class Crowd:
    """The size of the test.

    Attributes:
        games: number of games of bots.
        watchers: number of streams, distributed among the games.
        budget: seconds of a bot's move; workers have one such move each at a time, since no people play in these games.
        seconds: duration of each phase.
        game: name of the game.
    """

    games: int
    watchers: int
    budget: float
    seconds: float
    game: str


def spread(seconds: list[float]) -> dict[str, float]:
    """Return the median and the 99th percentile of times in seconds, in milliseconds; NaN for none."""
    return {f"p{share}": round(1e3 * percentile(seconds, share), 1) if seconds else nan for share in (50, 99)}


async def request_moves(channel: Any, corpus: Sequence[Position], figures: WatchFigures) -> None:
    """Request a move at regular intervals, and record its lateness, counted from when it was due."""
    stub: Any = AdvisorServiceStub(channel)
    number, due = 0, time.monotonic()
    while True:
        request = RecommendMoveRequest(position=corpus[number % len(corpus)], early_stop=False)
        request.time_budget.FromNanoseconds(round(1e9 * BUDGET))
        await stub.RecommendMove(request, timeout=10)
        figures.late.append(time.monotonic() - due - BUDGET)
        number, due = number + 1, due + EVERY
        await asyncio.sleep(max(0.0, due - time.monotonic()))


async def make_game(stub: Any, game: str, seconds: float) -> Any:
    """Create a game of bots that anyone may watch."""
    budget = Duration()
    budget.FromNanoseconds(round(1e9 * seconds))
    bot = games.SeatPlan(kind=games.SEAT_KIND_BOT, bot=games.Bot(time_budget=budget))
    options = games.GameOptions(onlookers=games.ONLOOKERS_ALL)
    request = games.CreateGameRequest(game=game, seats=[bot, bot], options=options, request_id=str(uuid4()))
    return (await stub.CreateGame(request)).game


async def watch(stub: Any, game: Any, figures: WatchFigures) -> None:
    """Watch a game, and record the age of each ply when it arrives."""
    async for state in stub.WatchGame(games.WatchGameRequest(game_id=game.game_id)):
        now = time.time()
        for entry in state.entries:
            figures.shown.append(now - entry.time.ToMicroseconds() / 1e6)
            figures.plies.add((game.game_id, entry.version))


async def measure(target: str, corpus: Sequence[Position], crowd: Crowd) -> dict[str, Any]:
    """Return the figures of a server: idle, with games, and with watched games."""
    channels = [grpc.aio.insecure_channel(target, options=[OPTIONS[0], ("n", n)]) for n in range(8)]
    stubs: list[Any] = [GameServiceStub(channel) for channel in channels]
    phases = {name: WatchFigures() for name in ("idle", "games", "watched")}
    ask = partial(request_moves, channels[0], corpus)
    await for_a_while(ask(phases["idle"]), seconds=crowd.seconds, figures=phases["idle"])
    made = [await make_game(stubs[0], crowd.game, crowd.budget) for _ in range(crowd.games)]
    await for_a_while(ask(phases["games"]), seconds=crowd.seconds, figures=phases["games"])
    watched = phases["watched"]
    streams = [watch(stubs[n % len(stubs)], made[n % len(made)], watched) for n in range(crowd.watchers)]
    await for_a_while(ask(watched), *streams, seconds=crowd.seconds, figures=watched)
    for channel in channels:
        await channel.close()
    return {
        "watchers": crowd.watchers,
        "games": crowd.games,
        "plies_a_second": round(len(watched.plies) / crowd.seconds, 1),
        "states_shown": len(watched.shown),
        "shown_after_ms": spread(watched.shown),
        "late_ms": {name: spread(one.late) for name, one in phases.items()},
    }


async def for_a_while(*doing: Any, seconds: float, figures: WatchFigures) -> None:
    """Run coroutines for some seconds, after a warm-up time that does not count."""
    tasks = [asyncio.ensure_future(one) for one in doing]
    await asyncio.sleep(WARM)
    figures.forget()
    await asyncio.sleep(seconds)
    for task in tasks:
        task.cancel()
    for ended in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(ended, Exception):
            raise ended


def crowded(crowd: Crowd, addresses: int, store: str) -> dict[str, Any]:
    """Return the durations of health checks while a crowd of watchers arrives and after that, and its memory."""
    admin = f"127.0.0.1:{free_port()}"
    with own_server() as idle, own_server("--store", store, "--admin", admin, *SMALL) as server:
        typer.echo(f"process {server.pid}", err=True)
        made = asyncio.run(make_games(server.target, crowd))
        asyncio.run(asyncio.sleep(WARM))
        before, began = asyncio.run(beside(server, admin, idle.target, WARM)), used(server.pid)
        with crowd_apart(server.target, addresses, watching(made, crowd, addresses)) as results:
            arriving = asyncio.run(beside(server, admin, idle.target, crowd.seconds))
            found = asyncio.run(beside(server, admin, idle.target, crowd.seconds))
            ends = results()
        processor = used(server.pid)["process"] - began["process"]
    grown = found["rss_mb"] - before["rss_mb"]
    return {
        "watchers": crowd.watchers,
        "games": crowd.games,
        "addresses": addresses,
        "before": before,
        "arriving": arriving,
        "beside": found,
        "kb_a_watcher": round(1e3 * grown / crowd.watchers, 1),
        "processor_s": round(processor, 1),
        **{name: getattr(ends, name) for name in ("begun", "shown", "ended", "dropped", "messages")},
    }


def watching(made: Sequence[Any], crowd: Crowd, addresses: int) -> HttpCrowd:
    """Return the activity of each connection of a crowd: it opens its part of the streams, all on one game."""
    requests = [games.WatchGameRequest(game_id=game.game_id, from_version=0).SerializeToString() for game in made]
    return HttpCrowd(WATCH, requests, crowd.watchers // addresses)


async def make_games(target: str, crowd: Crowd) -> list[Any]:
    """Return the games of a crowd."""
    async with grpc.aio.insecure_channel(target) as channel:
        return [await make_game(GameServiceStub(channel), crowd.game, crowd.budget) for _ in range(crowd.games)]


async def beside(server: Any, admin: str, idle: str, seconds: float) -> dict[str, Any]:
    """Return the durations of health checks meanwhile, of a server and of an idle one, and the server's peak memory."""
    targets = {"idle": idle, "health": server.target, "health_admin": admin}
    channels = {name: grpc.aio.insecure_channel(target, OPTIONS) for name, target in targets.items()}
    async with sampled(server.pid) as sizes:
        figures = await run_all({name: Probe(health(channel)) for name, channel in channels.items()}, seconds)
    for channel in channels.values():
        await channel.close()
    return {**figures, "rss_mb": round(max(sizes) / 1e6, 1)}


def main(
    games_: Annotated[int, typer.Option("--games", help="Games of bots.")] = 100,
    watchers: Annotated[int, typer.Option(help="Streams.")] = 500,
    budget: Annotated[float, typer.Option(help="Seconds of a bot's move at most.")] = 0.2,
    seconds: Annotated[float, typer.Option(help="Of each phase: idle, with games, with watchers.")] = 60.0,
    game: Annotated[str, typer.Option(help="Name of the game.")] = DEFAULT_GAME,
    addresses: Annotated[int, typer.Option(help="Addresses from which a crowd watches; 0 for no crowd.")] = 0,
    runs: Annotated[int, typer.Option(help="Runs of a crowd.")] = 3,
    out: Annotated[Path | None, typer.Option(help="File of a crowd's runs, to which further ones are added.")] = None,
) -> None:
    """Watch hosted games, and print the figures as JSON."""
    if addresses:
        crowd = Crowd(games_, watchers, budget, seconds, game)
        key = {"watchers": watchers, "games": games_, "addresses": addresses}
        with tempfile.TemporaryDirectory() as folder:
            stores = (str(Path(folder) / f"games{number}.sqlite") for number in count())
            for one in resumed(out, key, runs, lambda: crowded(crowd, addresses, next(stores))):
                typer.echo(json.dumps(one))
        return
    with tempfile.TemporaryDirectory() as folder, own_server("--store", str(Path(folder) / "games.sqlite")) as server:
        crowd = Crowd(games_, watchers, budget, seconds, game)
        found = asyncio.run(measure(server.target, positions(server.target), crowd))
    typer.echo(json.dumps(found, indent=1))


if __name__ == "__main__":
    typer.run(main)

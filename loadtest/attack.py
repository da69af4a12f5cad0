"""Measures an honest caller under an attack: `python -m loadtest.attack --addresses 200 --streams 9`.

Many addresses attack: each has a connection that keeps calls open, and replaces each call as soon as it ends. The
honest caller asks for a game, for moves, and for the health of the server, at the main port and at `--admin`. The
output is how these calls ended, their milliseconds, and the server's memory; `idle` is the health of an idle server on
the same machine. Calls are made once, without the retries of our clients.
"""

import asyncio
import json
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import grpc
import typer

from clerestory.v1 import games_pb2 as games
from clerestory.v1.games_pb2_grpc import GameServiceStub
from clerestory.v1.rules_pb2 import ListGamesRequest
from loadtest.connections import Crowd, crowd_apart
from loadtest.corpus import move_question, positions
from loadtest.openloop import MOVE
from loadtest.options import DEFAULT_GAME
from loadtest.probes import OPTIONS, PATIENCE, Probe, health, moves, resumed, run_all, sampled, used
from loadtest.server import ServerProcess, free_port, own_server

BUDGET = 0.3  # time budget of the honest caller's moves, seconds
LEAST = 0.05  # time budget of the attackers' moves, seconds
WARM = 3.0  # seconds of the attack before measuring starts
PERSON = games.SeatPlan(kind=games.SEAT_KIND_PERSON)
LISTS = "/clerestory.v1.RulesService/ListGames"


async def honest(target: str, admin: str, idle: str, corpus: Any, made: Any, seconds: float) -> dict[str, Any]:
    """Return the figures of the honest caller's calls."""
    channels = [grpc.aio.insecure_channel(one, OPTIONS) for one in (target, admin, idle)]
    stub: Any = GameServiceStub(channels[0])
    request = games.GetGameRequest(game_id=made.game.game_id, tokens=[made.owner_token])

    probes = {
        "idle": Probe(health(channels[2])),
        "health": Probe(health(channels[0]), every=0.5),
        "health_admin": Probe(health(channels[1])),
        "GetGame": Probe(lambda _: stub.GetGame(request, timeout=PATIENCE), every=0.5),
        "moves": moves(channels[0], corpus, BUDGET),
    }
    try:
        return await run_all(probes, seconds)
    finally:
        for channel in channels:
            await channel.close()


def make_game(target: str) -> Any:
    """Create a game of two people."""
    with grpc.insecure_channel(target) as channel:
        stub: Any = GameServiceStub(channel)
        return stub.CreateGame(games.CreateGameRequest(game=DEFAULT_GAME, seats=[PERSON, PERSON]))


async def measured(server: ServerProcess, calls: Any, seconds: float) -> dict[str, Any]:
    """Return the figures of calls, with the server's peak memory and processor time during them."""
    before = used(server.pid)
    async with sampled(server.pid) as sizes:
        await asyncio.sleep(WARM)
        figures = await calls(seconds=seconds)
    processor = {name: round(after - before[name], 1) for name, after in used(server.pid).items()}
    return {**figures, "rss_mb": round(max(sizes) / 1e6), "processor_s": processor}


def attack(addresses: int, streams: int, path: str, seconds: float) -> dict[str, Any]:
    """Attack a server, and return the honest caller's figures."""
    admin = f"127.0.0.1:{free_port()}"
    with own_server() as idle, own_server("--admin", admin) as server:
        typer.echo(f"process {server.pid}", err=True)
        corpus, made = positions(idle.target), make_game(server.target)
        message = move_question(corpus[0], LEAST) if path == MOVE else ListGamesRequest().SerializeToString()
        calls = partial(honest, server.target, admin, idle.target, corpus, made)
        with crowd_apart(server.target, addresses, Crowd(path, [message], streams, again=0.0)) as results:
            figures = asyncio.run(measured(server, calls, seconds))
            deeds = results()
    return {**figures, "attack": {name: getattr(deeds, name) for name in ("begun", "shown", "ended")}}


def main(
    addresses: Annotated[int, typer.Option(help="Attackers.")] = 200,
    streams: Annotated[int, typer.Option(help="Calls that each keeps open; a server allows 128.")] = 9,
    path: Annotated[str, typer.Option(help=f"Method that they call: {MOVE} or one without a request.")] = LISTS,
    seconds: Annotated[float, typer.Option(help="Of each measurement.")] = 60.0,
    runs: Annotated[int, typer.Option(help="Runs.")] = 3,
    out: Annotated[Path | None, typer.Option(help="File of the runs, to which further ones are added.")] = None,
) -> None:
    """Attack a server, and print what an honest caller notices."""
    key = {"addresses": addresses, "streams": streams, "path": path, "seconds": seconds}
    for one in resumed(out, key, runs, partial(attack, addresses, streams, path, seconds)):
        typer.echo(json.dumps(one))


if __name__ == "__main__":
    typer.run(main)

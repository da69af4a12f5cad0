"""`clerestory play --web`: a game in the browser for the person at this machine, kept by a private server."""

import asyncio
import os
import socket
import sys
import webbrowser
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any
from uuid import uuid4

import grpc
import typer

from clerestory.cli.playing import SeatPlayer
from clerestory.clients.connection import dial
from clerestory.clients.wire import duration
from clerestory.folders import socket_folder
from clerestory.server.app import App
from clerestory.server.app import serve as run_server
from clerestory.server.config import Settings
from clerestory.server.gateway.config import GatewaySettings
from clerestory.server.gateway.serve import opened
from clerestory.server.lifecycle import Lifecycle
from clerestory.v1.games_pb2 import (
    SEAT_KIND_BOT,
    SEAT_KIND_PERSON,
    Bot,
    CreateGameRequest,
    CreateGameResponse,
    SeatPlan,
)
from clerestory.v1.games_pb2_grpc import GameServiceStub

PORT = 8080  # the same each time: a browser stores the games of a page by its address


def play_on_page(game: str, players: Sequence[SeatPlayer], seconds: float, seed: int | None) -> None:
    """Make a game, open it in a browser, and keep it until SIGTERM or SIGINT. Raises OSError."""
    plans = [plan(player, seconds) for player in players]
    request = CreateGameRequest(game=game, seats=plans, seed=seed, request_id=str(uuid4()))
    asyncio.run(keep(request))


def plan(player: SeatPlayer, seconds: float) -> SeatPlan:
    """Return who is to hold a seat."""
    if player.person:
        return SeatPlan(kind=SEAT_KIND_PERSON)
    return SeatPlan(kind=SEAT_KIND_BOT, bot=bot_of(player, seconds))


def bot_of(player: SeatPlayer, seconds: float) -> Bot:
    """Return how a bot is to play."""
    return Bot(level=player.level, time_budget=duration(seconds), character=player.character)


async def keep(request: CreateGameRequest) -> None:
    """Serve the game until a signal comes."""
    with socket_folder() as folder:
        inside = f"unix:{folder}/gateway"
        settings = Settings(listen=f"unix:{folder}/socket")
        await run_server(settings, partial(beside, request, inside), Lifecycle(), inside)


@asynccontextmanager
async def beside(request: CreateGameRequest, inside: str, _: App) -> AsyncIterator[None]:
    """Open the gateway, make the game, and show it."""
    async with opened(GatewaySettings(some_address()), dial(inside, None, None, retries=False)) as web:
        link = web.url + fragment(await make(request, inside))
        typer.echo(f"Your game is at {link}\nCtrl-C ends the server; the game is kept, and is in the lobby next time.")
        if has_screen():
            webbrowser.open(link)
        yield


def some_address() -> str:
    """Return the usual address of the page, or one with a free port if that is taken."""
    with socket.socket() as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind(("127.0.0.1", PORT))
        except OSError:
            return "127.0.0.1:0"
    return f"127.0.0.1:{PORT}"


async def make(request: CreateGameRequest, server: str) -> CreateGameResponse:
    """Create the game."""
    async with grpc.aio.insecure_channel(server) as channel:
        stub: Any = GameServiceStub(channel)
        made: CreateGameResponse = await stub.CreateGame(request)
    return made


def fragment(made: CreateGameResponse) -> str:
    """Return the fragment of the game's URL, with the tokens of those who play at this screen."""
    pairs = [f"{seat.seat}/{seat.token}" for seat in made.seat_tokens]
    return "/".join([f"#/game/{made.game.game_id}", *(["seat", *pairs] if pairs else ["watch", made.owner_token])])


def has_screen() -> bool:
    """Whether a browser with windows can be opened."""
    return sys.platform in ("darwin", "win32") or any(name in os.environ for name in ("DISPLAY", "WAYLAND_DISPLAY"))

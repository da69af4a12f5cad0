"""Runs a server in this process: for `clerestory serve`, and for one game of `clerestory play --web`."""

import asyncio
import os
import socket
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import grpc
import typer

from clerestory.cli.options import announce
from clerestory.declared import BadSettings
from clerestory.folders import socket_folder
from clerestory.server.app import App
from clerestory.server.app import serve as run_server
from clerestory.server.config import Settings
from clerestory.server.games.stores.store_location import StoreLocation, store_location
from clerestory.server.gateway.config import GatewaySettings
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

if TYPE_CHECKING:
    from clerestory.cli.playing import SeatPlayer

SWITCH = 0.0005  # seconds after which a thread gives up the GIL, above all to the event loop

PORT = 8080  # the same each time: a browser stores the games of a page by its address


# -- clerestory serve ------------------------------------------------------------------------------


def run_serving(settings: Settings, gateway: GatewaySettings | None, while_stdin: bool) -> None:
    """Serve until a signal asks to shut down."""
    sys.setswitchinterval(SWITCH)
    asyncio.run(serve_while(settings, gateway, while_stdin))


async def serve_while(settings: Settings, gateway: GatewaySettings | None, while_stdin: bool) -> None:
    """Serve until a signal, or until standard input closes, so that a child never outlives its parent."""
    life = Lifecycle()
    if while_stdin:
        asyncio.get_running_loop().add_reader(sys.stdin.fileno(), life.end, "standard input closed")
    fresh = None if while_stdin else await first_start(settings.store)
    with socket_folder() if gateway else nullcontext("") as folder:
        inside = folder and f"unix:{folder}/gateway"
        await run_server(settings, partial(beside, gateway, inside, fresh), life, inside)


async def first_start(store: str) -> StoreLocation | None:
    """Return the location of the store at the first start of a server, before it exists; else None."""
    try:
        there = await store_location(store)
    except BadSettings:
        return None  # the start itself says so
    return there if there.new else None


@asynccontextmanager
async def beside(
    gateway: GatewaySettings | None, inside: str, fresh: StoreLocation | None, app: App
) -> AsyncIterator[None]:
    """Open the gateway for browsers, if any, and announce the server; `fresh`: its new store."""
    if gateway is None:
        announce(announcement(app))
        if fresh:
            announce("clerestory has no page; `--web 127.0.0.1:8080` shows one")
            welcome(fresh)
        yield
        return
    from clerestory.clients.connection import dial  # which a server without a page does not need
    from clerestory.server.gateway.bridge import MAX_STREAMS_INSIDE
    from clerestory.server.gateway.serve import opened

    room = app.connections.browsers
    async with opened(gateway, dial(inside, None, None, retries=False), room, MAX_STREAMS_INSIDE) as web:
        announce(announcement(app))
        announce(f"clerestory has its page at {web}")
        if fresh:
            welcome(fresh)
        yield


def welcome(fresh: StoreLocation) -> None:
    """Announce the store of the games and the folder of the documents."""
    announce(f"clerestory keeps its games in {fresh.place}")
    announce(f"clerestory has its documents in {files('clerestory.docs') / 'README.md'}")


def announcement(app: App) -> str:
    """Return the announcement of the address of a server."""
    return f"clerestory serves on {app.address} with {app.settings.workers} workers, process {os.getpid()}"


# -- clerestory play --web -------------------------------------------------------------------------


def play_on_page(game: str, players: "Sequence[SeatPlayer]", seconds: float, seed: int | None) -> None:
    """Create a game, open it in a browser, and serve it until SIGTERM or SIGINT. Raises OSError."""
    plans = [seat_plan(player, seconds) for player in players]
    request = CreateGameRequest(game=game, seats=plans, seed=seed, request_id=str(uuid4()))
    asyncio.run(serve_game(request))


def seat_plan(player: "SeatPlayer", seconds: float) -> SeatPlan:
    """Return the plan of a seat."""
    if player.person:
        return SeatPlan(kind=SEAT_KIND_PERSON)
    return SeatPlan(kind=SEAT_KIND_BOT, bot=bot_of(player, seconds))


def bot_of(player: "SeatPlayer", seconds: float) -> Bot:
    """Return the settings of a bot."""
    from clerestory.clients.wire import duration  # which a server does not need

    return Bot(level=player.level, time_budget=duration(seconds), character=player.character)


async def serve_game(request: CreateGameRequest) -> None:
    """Serve the game until a signal comes."""
    with socket_folder() as folder:
        inside = f"unix:{folder}/gateway"
        settings = Settings(listen=f"unix:{folder}/socket")
        await run_server(settings, partial(show_game, request, inside), Lifecycle(), inside)


@asynccontextmanager
async def show_game(request: CreateGameRequest, inside: str, _: App) -> AsyncIterator[None]:
    """Open the gateway, make the game, and show it."""
    from clerestory.clients.connection import dial  # which a server without a page does not need
    from clerestory.server.gateway.serve import opened

    async with opened(GatewaySettings(some_address()), dial(inside, None, None, retries=False)) as web:
        link = web.url + fragment(await make_game(request, inside))
        typer.echo(f"Your game is at {link}\nCtrl-C ends the server; the game is kept, and is in the lobby next time.")
        if has_screen():
            import webbrowser  # which a server does not need

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


async def make_game(request: CreateGameRequest, server: str) -> CreateGameResponse:
    """Create the game."""
    async with grpc.aio.insecure_channel(server) as channel:
        stub: Any = GameServiceStub(channel)
        made: CreateGameResponse = await stub.CreateGame(request)
    return made


def fragment(made: CreateGameResponse) -> str:
    """Return the fragment of the game's URL, with the tokens of the players at this screen."""
    pairs = [f"{seat.seat}/{seat.token}" for seat in made.seat_tokens]
    return "/".join([f"#/game/{made.game.game_id}", *(["seat", *pairs] if pairs else ["watch", made.owner_token])])


def has_screen() -> bool:
    """Whether a browser with windows can be opened."""
    return sys.platform in ("darwin", "win32") or any(name in os.environ for name in ("DISPLAY", "WAYLAND_DISPLAY"))

"""The work of `clerestory serve`: a server, and a page for browsers beside it."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from importlib.resources import files

from clerestory.cli.announcing import announce
from clerestory.clients.connection import dial
from clerestory.declared import BadSettings
from clerestory.folders import socket_folder
from clerestory.server.app import App
from clerestory.server.app import serve as run_server
from clerestory.server.config import Settings
from clerestory.server.games.stores.store_location import StoreLocation, store_location
from clerestory.server.gateway.bridge import MAX_STREAMS_INSIDE
from clerestory.server.gateway.config import GatewaySettings
from clerestory.server.gateway.serve import opened
from clerestory.server.lifecycle import Lifecycle

SWITCH = 0.0005  # seconds after which a thread gives up the GIL, above all to the event loop


def run_serving(settings: Settings, gateway: GatewaySettings | None, while_stdin: bool) -> None:
    """Serve until told to shut down."""
    sys.setswitchinterval(SWITCH)
    asyncio.run(serve_while(settings, gateway, while_stdin))


async def serve_while(settings: Settings, gateway: GatewaySettings | None, while_stdin: bool) -> None:
    """Serve until told to shut down, or until standard input closes, so that a child never outlives its parent."""
    life = Lifecycle()
    if while_stdin:
        asyncio.get_running_loop().add_reader(sys.stdin.fileno(), life.end, "standard input closed")
    fresh = None if while_stdin else await first_start(settings.store)
    with socket_folder() if gateway else nullcontext("") as folder:
        inside = folder and f"unix:{folder}/gateway"
        await run_server(settings, partial(beside, gateway, inside, fresh), life, inside)


async def first_start(store: str) -> StoreLocation | None:
    """Return where games will be kept if none are yet, so that this is the first start of the server; else None."""
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
    room = app.connections.browsers
    async with opened(gateway, dial(inside, None, None, retries=False), room, MAX_STREAMS_INSIDE) as web:
        announce(announcement(app))
        announce(f"clerestory has its page at {web.url}")
        if fresh:
            welcome(fresh)
        yield


def welcome(fresh: StoreLocation) -> None:
    """Tell where the games are kept, and where the documents are."""
    announce(f"clerestory keeps its games in {fresh.place}")
    announce(f"clerestory has its documents in {files('clerestory.docs') / 'README.md'}")


def announcement(app: App) -> str:
    """Return the line that tells where a server is."""
    return f"clerestory serves on {app.address} with {app.settings.workers} workers, process {os.getpid()}"

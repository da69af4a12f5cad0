"""`clerestory serve`: runs a server until it is told to shut down."""

import asyncio
import os
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Annotated

import typer

from clerestory.cli.grouped import grouped
from clerestory.cli.settings import setting_of, settings_of
from clerestory.cli.web import NamesOption, PageOption, ProxiesOption, chosen_door
from clerestory.clients.connection import dial
from clerestory.declared import BadSettings
from clerestory.door.config import DoorSettings
from clerestory.door.serve import opened
from clerestory.games.store import USER
from clerestory.server.app import App
from clerestory.server.app import serve as run_server
from clerestory.server.config import LogSettings, Settings
from clerestory.server.logs import write_logs

DEFAULTS, LOG = Settings(store=USER), LogSettings()
WebOption = Annotated[str, setting_of(DoorSettings, "listen")]
WhileStdinOption = Annotated[bool, typer.Option("--while-stdin", hidden=True)]
SWITCH = 0.0005  # seconds after which a thread gives up the GIL, above all to the event loop


@grouped(settings=settings_of(DEFAULTS), log=settings_of(LOG))
def serve(
    settings: Settings = DEFAULTS,
    log: LogSettings = LOG,
    web: WebOption = "",
    web_name: NamesOption = None,
    web_page: PageOption = None,
    web_proxy: ProxiesOption = None,
    while_stdin: WhileStdinOption = False,
) -> None:
    """Serve advice over gRPC until SIGTERM or SIGINT; running searches then answer with what they have."""
    write_logs(log.log_format, log.log_level)
    if web and settings.tls_client_ca is not None:
        raise BadSettings("web: cannot be combined with tls_client_ca: browsers would get in without a certificate")
    door = chosen_door(web, web_name, settings.insecure, web_page, web_proxy) if web else None
    sys.setswitchinterval(SWITCH)
    asyncio.run(serve_while(settings, door, while_stdin))


async def serve_while(settings: Settings, door: DoorSettings | None, while_stdin: bool) -> None:
    """Serve until told to shut down, or until standard input closes, so that a child never outlives its parent."""
    stop = asyncio.Event()
    if while_stdin:
        asyncio.get_running_loop().add_reader(sys.stdin.fileno(), stop.set)
    with tempfile.TemporaryDirectory(prefix="clerestory-") as folder:
        inside = f"unix:{folder}/door" if door else ""
        await run_server(settings, partial(beside, door, inside), stop, inside)


@asynccontextmanager
async def beside(door: DoorSettings | None, inside: str, app: App) -> AsyncIterator[None]:
    """Open the door for browsers, if any, and announce the server."""
    if door is None:
        announce(app)
        yield
        return
    room = app.connections.browsers
    async with opened(door, dial(inside, None, None, retries=False), room) as web:
        announce(app)
        typer.echo(f"clerestory has its page at {web.url}")
        yield


def announce(app: App) -> None:
    """Announce the server's address."""
    typer.echo(f"clerestory serves on {app.address} with {app.settings.workers} workers, process {os.getpid()}")

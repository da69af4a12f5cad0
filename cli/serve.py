"""`clerestory serve`: a server, until it is told to finish."""

import asyncio
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from clerestory.cli.web import NamesOption, PageOption, chosen_door
from clerestory.clients.connection import dial
from clerestory.door.config import DoorSettings
from clerestory.door.serve import opened
from clerestory.server.app import App
from clerestory.server.app import serve as run_server
from clerestory.server.config import USER, BadSettings, Settings
from clerestory.server.logs import FORMATS, LEVELS, write_logs

DEFAULTS = Settings()
SWITCH = 0.0005  # seconds after which a thread that has the GIL lets another have it, the event loop above all


def setting(name: str, text: str) -> Any:
    """Return the option of a setting, which the environment can give as well."""
    return typer.Option(help=text, envvar=f"CLERESTORY_{name.upper()}")


def serve(
    listen: Annotated[str, setting("listen", "HOST:PORT (port 0: any free one) or unix:PATH.")] = DEFAULTS.listen,
    workers: Annotated[int, setting("workers", "Threads that search.")] = DEFAULTS.workers,
    max_searches: Annotated[
        int, setting("max_searches", "Searches of one caller at once; hints get half of it, all callers twice as many.")
    ] = DEFAULTS.max_searches,
    min_iterations: Annotated[
        int, setting("min_iterations", "What a search is promised; it is refused where there is no room for that.")
    ] = DEFAULTS.min_iterations,
    max_threads: Annotated[int, setting("max_threads", "Trees of one search.")] = DEFAULTS.max_threads,
    max_time: Annotated[float, setting("max_time", "Longest search, in seconds.")] = DEFAULTS.max_time,
    max_tree_bytes: Annotated[
        int, setting("max_tree_bytes", "Memory of one search's trees.")
    ] = DEFAULTS.max_tree_bytes,
    memory: Annotated[int, setting("memory", "Bytes of all searches' trees together.")] = DEFAULTS.memory,
    warm_bytes: Annotated[
        int, setting("warm_bytes", "Memory of trees kept for the next question of their game; 0: none are.")
    ] = DEFAULTS.warm_bytes,
    margin: Annotated[
        float, setting("margin", "Seconds kept back from a call's deadline, for the way of the answer.")
    ] = DEFAULTS.margin,
    drain_delay: Annotated[
        float, setting("drain_delay", "Seconds between saying NOT_SERVING and ending searches.")
    ] = DEFAULTS.drain_delay,
    grace: Annotated[float, setting("grace", "Seconds to answer in, once told to finish.")] = DEFAULTS.grace,
    store: Annotated[
        str, setting("store", "File in which games are kept; user: that of this user, memory: none.")
    ] = USER,
    max_games: Annotated[int, setting("max_games", "Games that have not ended.")] = DEFAULTS.max_games,
    max_watchers: Annotated[int, setting("max_watchers", "Streams that show one game.")] = DEFAULTS.max_watchers,
    admin: Annotated[str, setting("admin", "Where channelz answers; empty: nowhere.")] = DEFAULTS.admin,
    metrics: Annotated[
        str, setting("metrics", "HOST:PORT of the metrics, over HTTP; empty: nowhere.")
    ] = DEFAULTS.metrics,
    log_format: Annotated[str, setting("log_format", f"One of {', '.join(FORMATS)}.")] = "text",
    log_level: Annotated[str, setting("log_level", f"One of {', '.join(LEVELS)}.")] = "info",
    insecure: Annotated[
        bool,
        typer.Option("--insecure", help="Let other machines reach ports without TLS.", envvar="CLERESTORY_INSECURE"),
    ] = False,
    tls_cert: Annotated[
        Path | None, setting("tls_cert", "Certificate of the server, PEM; with it there is no plaintext.")
    ] = DEFAULTS.tls_cert,
    tls_key: Annotated[Path | None, setting("tls_key", "Its key, PEM.")] = DEFAULTS.tls_key,
    tls_client_ca: Annotated[
        Path | None, setting("tls_client_ca", "Authorities of the certificates that clients must then show, PEM.")
    ] = DEFAULTS.tls_client_ca,
    token_file: Annotated[
        Path | None, setting("token_file", "Tokens of which every call must bring one, read again on SIGHUP.")
    ] = DEFAULTS.token_file,
    web: Annotated[str, setting("web", "HOST:PORT of the page, and of the service for browsers; empty: nowhere.")] = "",
    web_name: NamesOption = None,
    web_page: PageOption = None,
    while_stdin: Annotated[bool, typer.Option("--while-stdin", hidden=True)] = False,
) -> None:
    """Serve advice over gRPC until SIGTERM or SIGINT; searches under way then answer with what they have."""
    given = locals()
    owe_choice("log_format", log_format, FORMATS)
    owe_choice("log_level", log_level, LEVELS)
    write_logs(log_format, log_level)
    settings = Settings(**{one.name: given[one.name] for one in fields(Settings)})
    if web and tls_client_ca is not None:
        raise BadSettings("web: would let in those who show no certificate, which tls_client_ca asks for")
    door = chosen_door(web, web_name, insecure, web_page) if web else None
    sys.setswitchinterval(SWITCH)
    asyncio.run(serve_while(settings, door, while_stdin))


def owe_choice(name: str, value: str, choices: Sequence[str]) -> None:
    """Raise BadSettings unless the value is one of the choices."""
    if value not in choices:
        raise BadSettings(f"{name}: {value!r} is not one of {', '.join(choices)}")


async def serve_while(settings: Settings, door: DoorSettings | None, while_stdin: bool) -> None:
    """Serve until told to finish, or until stdin is closed: so a child does not outlive its parent."""
    stop = asyncio.Event()
    if while_stdin:
        asyncio.get_running_loop().add_reader(sys.stdin.fileno(), stop.set)
    with tempfile.TemporaryDirectory(prefix="clerestory-") as folder:
        inside = f"unix:{folder}/door" if door else ""
        await run_server(settings, partial(beside, door, inside), stop, inside)


@asynccontextmanager
async def beside(door: DoorSettings | None, inside: str, app: App) -> AsyncIterator[None]:
    """Open the door for browsers, if there is to be one, and say that the server answers."""
    if door is None:
        announce(app)
        yield
        return
    async with opened(door, dial(inside, None, None, retries=False)) as web:
        announce(app)
        typer.echo(f"clerestory has its page at {web.url}")
        yield


def announce(app: App) -> None:
    """Say that the server answers."""
    typer.echo(f"clerestory serves on {app.address} with {app.settings.workers} workers, process {os.getpid()}")

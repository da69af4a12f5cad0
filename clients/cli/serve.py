"""`clerestory serve`: a server, until it is told to finish."""

import asyncio
import logging
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from clerestory.server.app import App
from clerestory.server.app import serve as run_server
from clerestory.server.config import Settings

DEFAULTS = Settings()


def serve(
    listen: Annotated[str, typer.Option(help="HOST:PORT (port 0: any free one) or unix:PATH.")] = DEFAULTS.listen,
    workers: Annotated[int, typer.Option(help="Threads that search.")] = DEFAULTS.workers,
    max_searches: Annotated[int, typer.Option(help="Searches under way at once.")] = DEFAULTS.max_searches,
    max_time: Annotated[float, typer.Option(help="Longest search, in seconds.")] = DEFAULTS.max_time,
    grace: Annotated[float, typer.Option(help="Seconds to answer in, once told to finish.")] = DEFAULTS.grace,
    insecure: Annotated[bool, typer.Option("--insecure", help="Accept plaintext from other machines.")] = False,
    tls_cert: Annotated[
        Path | None, typer.Option(envvar="CLERESTORY_TLS_CERT", help="Certificate of the server, PEM.")
    ] = None,
    tls_key: Annotated[Path | None, typer.Option(envvar="CLERESTORY_TLS_KEY", help="Its key, PEM.")] = None,
    tls_client_ca: Annotated[
        Path | None,
        typer.Option(envvar="CLERESTORY_TLS_CLIENT_CA", help="Authorities of the certificates that clients must show."),
    ] = None,
    token_file: Annotated[
        Path | None,
        typer.Option(envvar="CLERESTORY_TOKEN_FILE", help="Bearer tokens, one a line, read again on SIGHUP."),
    ] = None,
    while_stdin: Annotated[bool, typer.Option("--while-stdin", hidden=True)] = False,
) -> None:
    """Serve advice over gRPC until SIGTERM or SIGINT; searches under way then answer with what they have."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    settings = Settings(
        listen=listen,
        workers=workers,
        max_searches=max_searches,
        max_time=max_time,
        grace=grace,
        insecure=insecure,
        tls_cert=tls_cert,
        tls_key=tls_key,
        tls_client_ca=tls_client_ca,
        token_file=token_file,
    )
    asyncio.run(serve_while(settings, while_stdin))


async def serve_while(settings: Settings, while_stdin: bool) -> None:
    """Serve until told to finish, or until stdin is closed: so a child does not outlive its parent."""
    stop = asyncio.Event()
    if while_stdin:
        asyncio.get_running_loop().add_reader(sys.stdin.fileno(), stop.set)
    await run_server(settings, announce, stop)


def announce(app: App) -> None:
    """Say that the server answers."""
    typer.echo(f"clerestory serves on {app.address} with {app.settings.workers} workers, process {os.getpid()}")

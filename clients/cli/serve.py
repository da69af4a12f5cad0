"""`clerestory serve`, `web`, `mcp`, `doctor` and `store`: commands that run servers, or look after their games."""

import logging
import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clerestory.addresses import is_loopback, is_port
from clerestory.cli.access import PLAIN, Access, dialling
from clerestory.cli.lazy import group
from clerestory.cli.options import BadOption, announce, grouped, setting_of, settings_of
from clerestory.declared import BadSettings
from clerestory.server.config import LogSettings, Settings
from clerestory.server.games.bounds import MEMORY, USER
from clerestory.server.gateway.config import BadGatewaySettings, GatewaySettings

if TYPE_CHECKING:
    from clerestory.clients.connection import Connection
    from clerestory.server.games.stores.maintenance import Survey
    from clerestory.server.gateway.serve import OpenGateway


DEFAULTS, LOG = Settings(store=USER), LogSettings()
NamesOption = Annotated[list[str] | None, setting_of(GatewaySettings, "names")]
PageOption = Annotated[Path | None, setting_of(GatewaySettings, "page")]
ProxiesOption = Annotated[list[str] | None, setting_of(GatewaySettings, "proxies")]
OriginsOption = Annotated[list[str] | None, setting_of(GatewaySettings, "origins")]
WebOption = Annotated[str, setting_of(GatewaySettings, "listen")]
WhileStdinOption = Annotated[bool, typer.Option("--while-stdin", hidden=True)]

logger = logging.getLogger("clerestory.cli.web")  # the name of its lines in a log

StoreOption = Annotated[str, setting_of(Settings, "store", USER)]
CopyArgument = Annotated[Path, typer.Argument(metavar="COPY", help="File of the backup.")]
ToOption = Annotated[int | None, typer.Option(metavar="N", help="Format of the tables; by default the newest.")]

store = group(
    {
        "Stores": {
            "backup": ("Copy the games into a new file, even while a server is running.", "serve:backup"),
            "restore": ("Create a store from a backup.", "serve:restore"),
            "check": ("Report what a store contains, and whether it is damaged.", "serve:check"),
            "migrate": ("Convert a store to the format of this version, or back.", "serve:migrate"),
        }
    },
    "Back up, restore, check and migrate the games that servers keep.",
)


# -- clerestory serve ------------------------------------------------------------------------------


def chosen_gateway(
    listen: str,
    insecure: bool,
    *,
    web_name: list[str] | None,
    web_page: Path | None,
    web_proxy: list[str] | None,
    web_origin: list[str] | None,
) -> GatewaySettings:
    """Return the settings of a gateway. Raises BadGatewaySettings."""
    names, proxies, origins = (tuple(given or ()) for given in (web_name, web_proxy, web_origin))
    return GatewaySettings(listen, names, insecure, web_page, proxies, origins)


def gateway_of(settings: Settings, listen: str, **chosen: Any) -> GatewaySettings | None:
    """Return the settings of a server's gateway; None for no address. Raises BadGatewaySettings, BadSettings."""
    if not listen:
        for name, given in chosen.items():
            if given:
                raise BadSettings(f"{name}: requires web")
        return None
    if settings.tls_client_ca is not None:
        raise BadSettings("web: cannot be combined with tls_client_ca: browsers would get in without a certificate")
    return chosen_gateway(listen, settings.insecure, **chosen)


@grouped(settings=settings_of(DEFAULTS), log=settings_of(LOG))
def serve(
    settings: Settings = DEFAULTS,
    log: LogSettings = LOG,
    web: WebOption = "",
    web_name: NamesOption = None,
    web_page: PageOption = None,
    web_proxy: ProxiesOption = None,
    web_origin: OriginsOption = None,
    while_stdin: WhileStdinOption = False,
) -> None:
    """Serve advice and hosted games, and with --web a web page, until Ctrl-C or SIGTERM.

    Running searches then return their best result so far.
    """
    from clerestory.server.logs import write_logs

    write_logs(log.log_format, log.log_level)  # before gRPC is imported

    from clerestory.cli.serving import run_serving  # the whole server, which help does not need

    chosen = gateway_of(settings, web, web_name=web_name, web_page=web_page, web_proxy=web_proxy, web_origin=web_origin)
    run_serving(settings, chosen, while_stdin)


# -- clerestory doctor -----------------------------------------------------------------------------


def doctor(**values: Any) -> None:
    """Print a ten-line report of what this machine can serve with these settings, and what to change.

    The options and the environment are those of `clerestory serve`. The exit code is 1 if a line says `wrong`.
    """
    from clerestory.cli.checkup import Mark, checkup  # the whole server, which help does not need

    findings = checkup(values, os.environ, gateway_of)
    for finding in findings:
        typer.echo(finding)
    raise typer.Exit(code=int(any(finding.mark is Mark.WRONG for finding in findings)))


doctor.__signature__ = signature(serve)  # type: ignore[attr-defined]
doctor.__annotations__ = serve.__annotations__


# -- clerestory web --------------------------------------------------------------------------------


@grouped(log=settings_of(LOG))
def web(
    server: Annotated[str, typer.Option("--server", metavar="HOST:PORT", help="Server that the page uses.")],
    listen: Annotated[
        str, typer.Option("--listen", metavar="HOST:PORT", help="Address of the page (port 0: any free one).")
    ] = "127.0.0.1:8080",
    web_name: NamesOption = None,
    web_page: PageOption = None,
    web_proxy: ProxiesOption = None,
    web_origin: OriginsOption = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Let other machines reach the page without encryption.")
    ] = False,
    access: Access = PLAIN,
    log: LogSettings = LOG,
) -> None:
    """Serve the web page of a server that runs elsewhere, until SIGTERM or SIGINT; SIGHUP reloads its files."""
    import asyncio  # which help does not need

    from clerestory.server.logs import write_logs

    write_logs(log.log_format, log.log_level)  # before gRPC is imported
    dialled = partial(dialled_by, server, access)
    first = dialled()
    with by_option():
        gateway = chosen_gateway(
            listen, insecure, web_name=web_name, web_page=web_page, web_proxy=web_proxy, web_origin=web_origin
        )
    asyncio.run(stand(gateway, first, dialled, ends=access == PLAIN and os.isatty(0)))


def dialled_by(server: str, access: Access) -> "Connection":
    """Return the connection to a server, with the current contents of its files. Raises BadOption."""
    from clerestory.clients.connection import dial

    with dialling():
        return dial(server, access.token(), access.tls(), retries=False)


@contextmanager
def by_option() -> Iterator[None]:
    """Name the option that a setting comes from. Raises BadOption for a BadGatewaySettings."""
    try:
        yield
    except BadGatewaySettings as error:
        setting, _, fault = str(error).partition(": ")
        option = "listen" if setting == "web" else setting.replace("_", "-")
        raise BadOption(f"--{option}: {fault}") from None


async def stand(
    gateway: GatewaySettings, server: "Connection", dialled: Callable[[], "Connection"], *, ends: bool
) -> None:
    """Keep a gateway open until a signal comes; on SIGHUP dial again, or, if it `ends` with its terminal, close it."""
    import asyncio

    from clerestory.server.descriptors import connections, take_descriptors
    from clerestory.server.gateway.serve import opened
    from clerestory.server.lifecycle import Lifecycle

    life = Lifecycle()
    life.end_on_signals()
    take_descriptors()
    with life:
        async with opened(gateway, server, connections(page=True).browsers) as web:
            hung_up = partial(life.end, "SIGHUP") if ends else partial(redial, web, dialled)
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, hung_up)
            announce(f"clerestory has its page at {web}")
            await life.until_signalled(address=web.url, server=server.target)


def redial(web: "OpenGateway", dialled: Callable[[], "Connection"]) -> None:
    """Use the current contents of the files; an unusable one is logged, and changes nothing."""
    try:
        web.redial(dialled())
    except BadOption as error:
        logger.error("the connection to the server stays as it was: %s", error)
    else:
        logger.info("the files of the connection to the server were read again")


# -- clerestory mcp --------------------------------------------------------------------------------


@grouped()
def mcp(
    http: Annotated[
        str,
        typer.Option(
            "--http",
            metavar="HOST:PORT",
            show_default=False,
            help="Address of this machine for HTTP, at /mcp (port 0: any free one); by default standard input and"
            " output.",
        ),
    ] = "",
    store: Annotated[
        str, typer.Option("--store", metavar="FILE", help="Where games are stored if there is no --server.")
    ] = MEMORY,
    server: Annotated[
        str | None,
        typer.Option("--server", metavar="HOST:PORT", help="Server that hosts and searches; by default a private one."),
    ] = None,
    access: Access = PLAIN,
) -> None:
    """Run an MCP server for AI assistants that host, teach and analyze games; they see what their seats see."""
    import asyncio  # which help does not need

    try:
        from clerestory.mcp.serving import serve_http, serve_stdio
    except ImportError:
        raise BadOption("clerestory mcp: needs a further package: pip install 'clerestory[mcp]'") from None
    from clerestory.cli.servers import advised_by

    with ExitStack() as stack:
        listening = stack.enter_context(bound(http)) if http else None
        advisor = stack.enter_context(advised_by(server, access, store))
        served = serve_stdio(advisor) if listening is None else serve_http(advisor, listening, announce_mcp)
        asyncio.run(served)


def announce_mcp(url: str) -> None:
    """Announce the URL of the MCP server."""
    announce(f"clerestory serves MCP at {url}")


def bound(address: str) -> socket.socket:
    """Return a socket bound to an address of this machine. Raises BadOption."""
    host, _, port = address.rpartition(":")
    if not (is_port(port) and is_loopback(host)):
        raise BadOption(f"--http: {address[:80]!r} is not HOST:PORT of this machine, as in 127.0.0.1:8000")
    try:
        return socket.create_server(
            (host.strip("[]"), int(port)), family=socket.AF_INET6 if "[" in host else socket.AF_INET
        )
    except OSError as error:
        raise BadOption(f"--http: {address}: {error.strerror}") from None


# -- clerestory store ------------------------------------------------------------------------------


def backup(copy: CopyArgument, store: StoreOption = USER) -> None:
    """Copy the games into a new file, even while a server is running; the copy has every move that it has confirmed."""
    from clerestory.server.games.stores.maintenance import copy_store, required_file

    print_survey(str(copy), copy_store(required_file(store), copy))


def restore(copy: CopyArgument, store: StoreOption = USER) -> None:
    """Create a store from a backup; an existing store is not overwritten."""
    from clerestory.server.games.stores.maintenance import copy_store, existing, file_to_make

    file = file_to_make(store)
    print_survey(str(file), copy_store(existing(copy), file, into_new_folder=True))


def check(store: StoreOption = USER) -> None:
    """Report what a store contains, and which games need other rules or cards. Exits with 2 if it is damaged."""
    import asyncio

    from clerestory.server.games.stores.maintenance import survey

    print_survey("store", asyncio.run(survey(store)))


def migrate(store: StoreOption = USER, to: ToOption = None) -> None:
    """Convert a store that no server is using to the format of this version, or with --to to an earlier one."""
    import asyncio

    from clerestory.server.games.stores.maintenance import migrate_store, survey

    asyncio.run(migrate_store(store, to))
    print_survey("store", asyncio.run(survey(store)))


def print_survey(name: str, found: "Survey") -> None:
    """Print what a store holds."""
    games = "game" if found.games == 1 else "games"
    entries = "entry" if found.entries == 1 else "entries"
    typer.echo(f"{name}: format {found.version}, {found.games:,} {games}, {found.entries:,} {entries}")
    for reason, count in found.frozen.items():
        typer.echo(f"  {count:,} of them cannot go on here: {reason}")

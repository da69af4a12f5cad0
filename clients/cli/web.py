"""`clerestory web`: the page and the service for browsers, in front of a server that runs elsewhere."""

import asyncio
import logging
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from clerestory.cli.access import PLAIN, Access, dialling
from clerestory.cli.announcing import announce
from clerestory.cli.gateway_options import NamesOption, PageOption, ProxiesOption, chosen_gateway
from clerestory.cli.grouped import grouped
from clerestory.cli.options import BadOption
from clerestory.cli.settings import settings_of
from clerestory.server.config import LogSettings

if TYPE_CHECKING:
    from clerestory.clients.connection import Connection
    from clerestory.server.gateway.config import GatewaySettings
    from clerestory.server.gateway.serve import OpenGateway

logger = logging.getLogger(__name__)


LOG = LogSettings()


@grouped(log=settings_of(LOG))
def web(
    server: Annotated[
        str, typer.Option("--server", metavar="HOST:PORT", help="Server whose games and advice the page shows.")
    ],
    listen: Annotated[
        str, typer.Option("--listen", metavar="HOST:PORT", help="Where to show the page (port 0: any free one).")
    ] = "127.0.0.1:8080",
    web_name: NamesOption = None,
    web_page: PageOption = None,
    web_proxy: ProxiesOption = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Let other machines reach the page without encryption.")
    ] = False,
    access: Access = PLAIN,
    log: LogSettings = LOG,
) -> None:
    """Show the page of a server that runs elsewhere, until SIGTERM or SIGINT; on SIGHUP, its files are read again."""
    from clerestory.server.logs import write_logs

    write_logs(log.log_format, log.log_level)  # before gRPC is imported
    dialled = partial(dialled_by, server, access)
    first = dialled()
    with by_option():
        gateway = chosen_gateway(listen, web_name, insecure, web_page, web_proxy)
    asyncio.run(stand(gateway, first, dialled, ends=access == PLAIN and os.isatty(0)))


def dialled_by(server: str, access: Access) -> "Connection":
    """Return the connection to a server, by what its files hold now. Raises BadOption."""
    from clerestory.clients.connection import dial

    with dialling():
        return dial(server, access.token(), access.tls(), retries=False)


@contextmanager
def by_option() -> Iterator[None]:
    """Name the option that a setting comes from. Raises BadOption for a BadGatewaySettings."""
    from clerestory.server.gateway.config import BadGatewaySettings

    try:
        yield
    except BadGatewaySettings as error:
        setting, _, fault = str(error).partition(": ")
        option = "listen" if setting == "web" else setting.replace("_", "-")
        raise BadOption(f"--{option}: {fault}") from None


async def stand(
    gateway: "GatewaySettings", server: "Connection", dialled: Callable[[], "Connection"], *, ends: bool
) -> None:
    """Keep a gateway open until a signal comes; on SIGHUP dial again, or, if it `ends` with its terminal, close it."""
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
            announce(f"clerestory has its page at {web.url}")
            await life.until_told(address=web.url, server=server.target)


def redial(web: "OpenGateway", dialled: Callable[[], "Connection"]) -> None:
    """Go on with what the files hold now; an unusable one is logged, and changes nothing."""
    try:
        web.redial(dialled())
    except BadOption as error:
        logger.error("the connection to the server stays as it was: %s", error)
    else:
        logger.info("the files of the connection to the server were read again")

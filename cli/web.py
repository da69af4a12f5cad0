"""`clerestory web`: the page and the service for browsers, in front of a server that runs elsewhere."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from clerestory.cli.access import PLAIN, Access, dialling
from clerestory.cli.doors import NamesOption, PageOption, ProxiesOption, chosen_door
from clerestory.cli.grouped import grouped
from clerestory.cli.options import BadOption

if TYPE_CHECKING:
    from clerestory.clients.connection import Connection
    from clerestory.door.config import DoorSettings


@grouped()
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
) -> None:
    """Show the page of a server that runs elsewhere, until SIGTERM or SIGINT."""
    from clerestory.clients.connection import dial
    from clerestory.server.logs import write_logs

    with dialling():
        dialled = dial(server, access.token(), access.tls(), retries=False)
    with by_option():
        door = chosen_door(listen, web_name, insecure, web_page, web_proxy)
    write_logs("text", "info")
    asyncio.run(stand(door, dialled))


@contextmanager
def by_option() -> Iterator[None]:
    """Name the option that a setting comes from. Raises BadOption for a BadDoor."""
    from clerestory.door.config import BadDoor

    try:
        yield
    except BadDoor as error:
        setting, _, fault = str(error).partition(": ")
        option = "listen" if setting == "web" else setting.replace("_", "-")
        raise BadOption(f"--{option}: {fault}") from None


async def stand(door: "DoorSettings", server: "Connection") -> None:
    """Keep a door open until a signal comes."""
    from clerestory.door.serve import opened
    from clerestory.server.descriptors import connections, take_descriptors

    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    take_descriptors()
    async with opened(door, server, connections(page=True).browsers) as web:
        typer.echo(f"clerestory has its page at {web.url}")
        await stop.wait()

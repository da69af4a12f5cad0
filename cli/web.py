"""`clerestory web`: the page and the service for browsers, in front of a server that runs elsewhere."""

import asyncio
import signal
from pathlib import Path
from typing import Annotated

import typer

from clerestory.cli.grouped import grouped
from clerestory.cli.servers import PLAIN, Access
from clerestory.cli.settings import setting_of
from clerestory.clients.connection import Connection, dial
from clerestory.door.config import DoorSettings
from clerestory.door.serve import opened
from clerestory.server.descriptors import connections, take_descriptors
from clerestory.server.logs import write_logs

NamesOption = Annotated[list[str] | None, setting_of(DoorSettings, "names")]
PageOption = Annotated[Path | None, setting_of(DoorSettings, "page")]
ProxiesOption = Annotated[list[str] | None, setting_of(DoorSettings, "proxies")]


@grouped()
def web(
    server: Annotated[str, typer.Option("--server", metavar="HOST:PORT", help="The gRPC server.")],
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
    tls = access.tls()
    door = chosen_door(listen, web_name, insecure, web_page, web_proxy)
    write_logs("text", "info")
    asyncio.run(stand(door, dial(server, access.token(), tls, retries=False)))


def chosen_door(
    listen: str, names: list[str] | None, insecure: bool, page: Path | None, proxies: list[str] | None
) -> DoorSettings:
    """Return the settings of a door. Raises BadDoor."""
    return DoorSettings(listen, tuple(names or ()), insecure, page, tuple(proxies or ()))


async def stand(door: DoorSettings, server: Connection) -> None:
    """Keep a door open until a signal comes."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    take_descriptors()
    async with opened(door, server, connections(page=True).browsers) as web:
        typer.echo(f"clerestory has its page at {web.url}")
        await stop.wait()

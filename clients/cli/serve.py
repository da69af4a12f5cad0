"""`clerestory serve`: runs a server until it is told to shut down."""

from typing import Annotated

import typer

from clerestory.cli.gateway_options import NamesOption, PageOption, ProxiesOption, gateway_of
from clerestory.cli.grouped import grouped
from clerestory.cli.settings import setting_of, settings_of
from clerestory.server.config import LogSettings, Settings
from clerestory.server.games.bounds import USER
from clerestory.server.gateway.config import GatewaySettings

DEFAULTS, LOG = Settings(store=USER), LogSettings()
WebOption = Annotated[str, setting_of(GatewaySettings, "listen")]
WhileStdinOption = Annotated[bool, typer.Option("--while-stdin", hidden=True)]


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
    """Serve advice and games, with --web also a page, until Ctrl-C or SIGTERM; searches then say what they have."""
    from clerestory.server.logs import write_logs

    write_logs(log.log_format, log.log_level)  # before gRPC is imported

    from clerestory.cli.serving import run_serving  # the whole server, which help does not need

    run_serving(settings, gateway_of(settings, web, web_name, web_page, web_proxy), while_stdin)

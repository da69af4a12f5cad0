"""Options of `clerestory serve`: each setting of a server, which the environment can give as well."""

from pathlib import Path
from typing import Annotated, Any

import typer

from clerestory.server.logs import FORMATS, LEVELS


def setting(name: str, text: str) -> Any:
    """Return the option of a setting, which the environment can give as well."""
    return typer.Option(help=text, envvar=f"CLERESTORY_{name.upper()}")


ListenOption = Annotated[str, setting("listen", "HOST:PORT (port 0: any free one) or unix:PATH.")]
WorkersOption = Annotated[int, setting("workers", "Threads that search.")]
MaxSearchesOption = Annotated[
    int, setting("max_searches", "Searches of one caller at once; hints get half of it, all callers twice as many.")
]
MinIterationsOption = Annotated[
    int, setting("min_iterations", "What a search is promised; it is refused where there is no room for that.")
]
MaxThreadsOption = Annotated[int, setting("max_threads", "Trees of one search.")]
MaxTimeOption = Annotated[float, setting("max_time", "Longest search, in seconds.")]
MaxTreeBytesOption = Annotated[int, setting("max_tree_bytes", "Memory of one search's trees.")]
MemoryOption = Annotated[int, setting("memory", "Bytes of all searches' trees together.")]
WarmBytesOption = Annotated[
    int, setting("warm_bytes", "Memory of trees kept for the next question of their game; 0: none are.")
]
MarginOption = Annotated[
    float, setting("margin", "Seconds kept back from a call's deadline, for the way of the answer.")
]
DrainDelayOption = Annotated[float, setting("drain_delay", "Seconds between saying NOT_SERVING and ending searches.")]
GraceOption = Annotated[float, setting("grace", "Seconds to answer in, once told to finish.")]
StoreOption = Annotated[str, setting("store", "File in which games are kept; user: that of this user, memory: none.")]
MaxGamesOption = Annotated[int, setting("max_games", "Games that have not ended.")]
MaxGamesEachOption = Annotated[int, setting("max_games_each", "Games of one caller that have not ended.")]
MaxWatchersOption = Annotated[int, setting("max_watchers", "Streams that show one game.")]
AdminOption = Annotated[str, setting("admin", "Where channelz answers; empty: nowhere.")]
MetricsOption = Annotated[str, setting("metrics", "HOST:PORT of the metrics, over HTTP; empty: nowhere.")]
LogFormatOption = Annotated[str, setting("log_format", f"One of {', '.join(FORMATS)}.")]
LogLevelOption = Annotated[str, setting("log_level", f"One of {', '.join(LEVELS)}.")]
InsecureOption = Annotated[
    bool,
    typer.Option("--insecure", help="Let other machines reach ports without TLS.", envvar="CLERESTORY_INSECURE"),
]
TlsCertOption = Annotated[
    Path | None, setting("tls_cert", "Certificate of the server, PEM; with it there is no plaintext.")
]
TlsKeyOption = Annotated[Path | None, setting("tls_key", "Its key, PEM.")]
TlsClientCaOption = Annotated[
    Path | None, setting("tls_client_ca", "Authorities of the certificates that clients must then show, PEM.")
]
TokenFileOption = Annotated[
    Path | None, setting("token_file", "Tokens of which every call must bring one, read again on SIGHUP.")
]
WebOption = Annotated[str, setting("web", "HOST:PORT of the page, and of the service for browsers; empty: nowhere.")]
WhileStdinOption = Annotated[bool, typer.Option("--while-stdin", hidden=True)]

"""Options of `clerestory serve`: each setting of a server, which the environment can give as well."""

from pathlib import Path
from typing import Annotated, Any

import typer

from clerestory.server.logs import FORMATS, LEVELS


def setting(name: str, text: str) -> Any:
    """Return the option of a setting, which the environment can give as well."""
    return typer.Option(help=text, envvar=f"CLERESTORY_{name.upper()}")


ListenOption = Annotated[str, setting("listen", "HOST:PORT (port 0: any free one) or unix:PATH.")]
ServerWorkersOption = Annotated[int, setting("workers", "Threads that search.")]
MaxSearchesOption = Annotated[
    int, setting("max_searches", "Searches of one caller at once; hints get half of it, all callers twice as many.")
]
MinIterationsOption = Annotated[
    int, setting("min_iterations", "Iterations promised to each search; one that cannot have them is refused.")
]
MaxThreadsOption = Annotated[int, setting("max_threads", "Most trees of one search.")]
MaxTimeOption = Annotated[float, setting("max_time", "Longest time of a search, in seconds.")]
MaxTreeBytesOption = Annotated[int, setting("max_tree_bytes", "Most bytes for the trees of one search.")]
MemoryOption = Annotated[int, setting("memory", "Bytes for the trees of all searches together.")]
WarmBytesOption = Annotated[
    int, setting("warm_bytes", "Bytes for trees kept until the next question about their game; 0 keeps none.")
]
MarginOption = Annotated[float, setting("margin", "Seconds of a call's deadline reserved for returning the answer.")]
DrainDelayOption = Annotated[
    float, setting("drain_delay", "Seconds from reporting NOT_SERVING until searches are ended.")
]
GraceOption = Annotated[
    float, setting("grace", "Seconds that calls under way have to finish in once the server shuts down.")
]
StoreOption = Annotated[
    str, setting("store", "File to keep games in, or postgresql://...; `user:` for your own, `memory:` for none.")
]
MaxGamesOption = Annotated[int, setting("max_games", "Most unfinished games.")]
MaxGamesEachOption = Annotated[int, setting("max_games_each", "Most unfinished games of one caller.")]
MaxWatchersOption = Annotated[int, setting("max_watchers", "Most streams that watch one game.")]
AdminOption = Annotated[str, setting("admin", "Address for channelz; empty for none.")]
MetricsOption = Annotated[str, setting("metrics", "HOST:PORT for metrics over HTTP; empty for none.")]
LogFormatOption = Annotated[str, setting("log_format", f"One of {', '.join(FORMATS)}.")]
LogLevelOption = Annotated[str, setting("log_level", f"One of {', '.join(LEVELS)}.")]
InsecureOption = Annotated[
    bool,
    typer.Option(
        "--insecure", help="Accept connections from other machines without TLS.", envvar="CLERESTORY_INSECURE"
    ),
]
TlsCertOption = Annotated[
    Path | None, setting("tls_cert", "Certificate of the server (PEM); plaintext is then refused.")
]
TlsKeyOption = Annotated[Path | None, setting("tls_key", "Its key, PEM.")]
TlsClientCaOption = Annotated[
    Path | None,
    setting("tls_client_ca", "Certificate authorities (PEM); clients must then show a certificate of theirs."),
]
TokenFileOption = Annotated[
    Path | None, setting("token_file", "File of tokens, one of which every call must carry; read again on SIGHUP.")
]
WebOption = Annotated[str, setting("web", "HOST:PORT for the web page and its service; empty for none.")]
WhileStdinOption = Annotated[bool, typer.Option("--while-stdin", hidden=True)]

"""Options of `clerestory serve`: each setting of a server, which the environment can give as well."""

from typing import Annotated, Any

import typer

from clerestory.server.logs import FORMATS, LEVELS


def setting(name: str, text: str) -> Any:
    """Return the option of a setting, which the environment can give as well."""
    return typer.Option(f"--{name.replace('_', '-')}", help=text, envvar=f"CLERESTORY_{name.upper()}")


TEXTS = {  # by the name of the field of `Settings`
    "listen": "HOST:PORT (port 0: any free one) or unix:PATH.",
    "workers": "Threads that search.",
    "max_searches": "Searches of one caller at once; hints get half of it, all callers twice as many.",
    "min_iterations": "Iterations promised to each search; one that cannot have them is refused.",
    "max_threads": "Most trees of one search.",
    "max_time": "Longest time of a search, in seconds.",
    "max_tree_bytes": "Most bytes for the trees of one search.",
    "memory": "Bytes for the trees of all searches together.",
    "warm_bytes": "Bytes for trees kept until the next request about their game; 0 keeps none.",
    "margin": "Seconds of a call's deadline reserved for returning the answer.",
    "drain_delay": "Seconds from reporting NOT_SERVING until searches are ended.",
    "grace": "Seconds that running calls have to finish once the server shuts down.",
    "idle_timeout": "Seconds after which a connection without calls is closed.",
    "store": "File to keep games in, or postgresql://...; `user:` for your own, `memory:` for none.",
    "max_games": "Most unfinished games.",
    "max_games_each": "Most unfinished games of one caller.",
    "max_games_a_minute": "Most new games of one caller in a minute.",
    "max_bytes_each": "Most bytes that the games of one caller take in the store.",
    "max_bot_games": "Most games of bots only that go on at a time.",
    "forget_games_after": "Days after which a game that nobody calls for is deleted; 0 keeps all.",
    "max_watchers": "Most streams that watch one game.",
    "admin": "Address for channelz; empty for none.",
    "metrics": "HOST:PORT for metrics over HTTP; empty for none.",
    "insecure": "Accept connections from other machines without TLS.",
    "tls_cert": "Certificate of the server (PEM); plaintext is then refused. Read again on SIGHUP.",
    "tls_key": "Its key, PEM.",
    "tls_client_ca": "Certificate authorities (PEM); clients must then present a certificate from one of them.",
    "token_file": "File of tokens, one of which every call must carry; read again on SIGHUP.",
}
SETTINGS = {name: setting(name, text) for name, text in TEXTS.items()}

LogFormatOption = Annotated[str, setting("log_format", f"One of {', '.join(FORMATS)}.")]
LogLevelOption = Annotated[str, setting("log_level", f"One of {', '.join(LEVELS)}.")]
WebOption = Annotated[str, setting("web", "HOST:PORT for the web page and its service; empty for none.")]
WhileStdinOption = Annotated[bool, typer.Option("--while-stdin", hidden=True)]

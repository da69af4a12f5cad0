"""The server that a command asks: the one named with --server, or one it starts itself."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from clerestory.cli.embedded import embedded_server
from clerestory.cli.options import BadOption
from clerestory.clients import Advisor, Tls

ServerOption = Annotated[
    str | None, typer.Option("--server", help="Server to ask, HOST:PORT; by default a private one is started.")
]
TokenOption = Annotated[Path | None, typer.Option("--token-file", help="File with the token that the server asks for.")]
CaOption = Annotated[Path | None, typer.Option("--tls-ca", help="File of certificates to trust; connects with TLS.")]
CertOption = Annotated[
    Path | None, typer.Option("--tls-cert", help="Client certificate, for servers that require one.")
]
KeyOption = Annotated[Path | None, typer.Option("--tls-key", help="Key of --tls-cert.")]
PATIENCE = 10.0  # seconds that somebody at a terminal waits for a server that is away


@dataclass(frozen=True, slots=True)
class Server:
    """The server options of a command.

    Attributes:
        target: None for a server of its own.
        token_file: None for no token.
        ca: with it, the connection is by TLS; so it is with `cert` and `key`.
        cert: of this client.
        key: of `cert`.
    """

    target: str | None = None
    token_file: Path | None = None
    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None


@contextmanager
def connected(server: Server, workers: int = 1) -> Iterator[Advisor]:
    """Yield a client of the server, or of a private one with `workers` workers.

    Raises BadOption, BadConnection, AdvisorError.
    """
    check(server)
    if server.target is None:
        with embedded_server("--workers", str(workers)) as target, Advisor(target, patience=0) as advisor:
            yield advisor
        return
    with Advisor(server.target, read_token(server.token_file), tls_of(server), patience=PATIENCE) as advisor:
        yield advisor


def tls_of(server: Server) -> Tls | None:
    """Return the TLS settings of the connection to a server, None for plaintext."""
    files = (server.ca, server.cert, server.key)
    return Tls(*files) if any(files) else None


def check(server: Server) -> None:
    """Raise BadOption for options that do not go together."""
    named = {
        "--token-file": server.token_file,
        "--tls-ca": server.ca,
        "--tls-cert": server.cert,
        "--tls-key": server.key,
    }
    given = [name for name, value in named.items() if value is not None]
    if server.target is None and given:
        raise BadOption(f"{given[0]}: needs --server")
    if (server.cert is None) != (server.key is None):
        raise BadOption(
            f"--tls-{'key' if server.key is None else 'cert'}: is missing; certificate and key belong together"
        )


def read_token(path: Path | None) -> str | None:
    """Return the token that a file holds. Raises BadOption."""
    try:
        return None if path is None else path.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BadOption(f"--token-file: {path}: {getattr(error, 'strerror', None) or 'is not text'}") from None

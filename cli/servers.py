"""Whom a command asks: an analyst in this process, the server named with --server, or one that it starts itself."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clerestory.cli.embedded import embedded_server
from clerestory.cli.options import BadOption
from clerestory.clients import Advisor, Tls

if TYPE_CHECKING:
    from clerestory.cli.here import Here

ServerOption = Annotated[
    str | None,
    typer.Option(
        "--server", metavar="HOST:PORT", help="Server to ask, or `private` for one of its own; by default none."
    ),
]
TokenOption = Annotated[
    Path | None, typer.Option("--token-file", metavar="FILE", help="File with the token that the server requires.")
]
CaOption = Annotated[
    Path | None, typer.Option("--tls-ca", metavar="FILE", help="Certificates to trust (PEM); connects with TLS.")
]
CertOption = Annotated[
    Path | None,
    typer.Option("--tls-cert", metavar="FILE", help="Client certificate (PEM), for servers that require one."),
]
KeyOption = Annotated[Path | None, typer.Option("--tls-key", metavar="FILE", help="Private key of --tls-cert (PEM).")]
# Of a private server: few searches are under way, so that each can have a large tree.
PRIVATE = ("--max-searches", "4", "--max-tree-bytes", str(512 << 20), "--memory", str(3 << 30))
PRIVATE_SERVER = "private"  # as a value of --server
PATIENCE = 10.0  # seconds that a command waits for a server that is down


@dataclass(frozen=True, slots=True)
class Access:
    """The options of a connection to a server: a token, and TLS if any of its files is named."""

    token_file: TokenOption = None
    tls_ca: CaOption = None
    tls_cert: CertOption = None
    tls_key: KeyOption = None

    def tls(self) -> Tls | None:
        """Return the TLS settings of the connection, None for plaintext. Raises BadOption."""
        if (self.tls_cert is None) != (self.tls_key is None):
            missing = "key" if self.tls_key is None else "cert"
            raise BadOption(f"--tls-{missing}: is missing; certificate and key must be given together")
        files = (self.tls_ca, self.tls_cert, self.tls_key)
        return Tls(*files) if any(files) else None

    def token(self) -> str | None:
        """Return the token of the file, if one is named. Raises BadOption."""
        return None if self.token_file is None else read_token(self.token_file)


PLAIN = Access()


@contextmanager
def advised(server: str | None, access: Access = PLAIN, workers: int | None = 1) -> "Iterator[Advisor | Here]":
    """Yield a client of a server; for None an analyst of this process with `workers` threads, None for all cores.

    Raises BadOption, BadConnection, AdvisorError.
    """
    workers = workers or os.cpu_count() or 1
    if server is not None:
        with connected(server, access, workers) as advisor:
            yield advisor
        return
    from clerestory.cli.here import Here  # the searches of a server, which only those who ask none need

    require_no_access(access)
    with Here(workers) as here:
        yield here


@contextmanager
def connected(server: str | None, access: Access = PLAIN, workers: int = 1) -> Iterator[Advisor]:
    """Yield a client of a server; for None, or `private`, of one that runs for this block, with `workers` workers.

    Raises BadOption, BadConnection, AdvisorError.
    """
    if server in (None, PRIVATE_SERVER):
        require_no_access(access)
        with embedded_server("--workers", str(workers), *PRIVATE) as target, Advisor(target, patience=0) as advisor:
            yield advisor
        return
    tls = access.tls()
    with Advisor(server, access.token(), tls, patience=PATIENCE) as advisor:
        yield advisor


def require_no_access(access: Access) -> None:
    """Raise BadOption for an option on how to reach a server if no server is named."""
    for name, value in asdict(access).items():
        if value is not None:
            raise BadOption(f"--{name.replace('_', '-')}: requires --server")


def read_token(path: Path) -> str:
    """Return the token that a file holds. Raises BadOption."""
    try:
        return path.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BadOption(f"--token-file: {path}: {getattr(error, 'strerror', None) or 'is not text'}") from None

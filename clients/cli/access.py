"""Options that name a server to ask, and how to reach it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clerestory.cli.options import BadOption, read_text

if TYPE_CHECKING:
    from clerestory.clients import Tls

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
OPTIONS = {  # by the argument of a client
    "target": "--server",
    "token": "--token-file",
    "tls": "--tls-ca",
    "tls.ca": "--tls-ca",
    "tls.cert": "--tls-cert",
    "tls.key": "--tls-key",
}


@dataclass(frozen=True, slots=True)
class Access:
    """The options of a connection to a server: a token, and TLS if any of its files is named."""

    token_file: TokenOption = None
    tls_ca: CaOption = None
    tls_cert: CertOption = None
    tls_key: KeyOption = None

    def tls(self) -> "Tls | None":
        """Return the TLS settings of the connection, None for plaintext. Raises BadOption."""
        from clerestory.clients.connection import Tls

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
def dialling() -> Iterator[None]:
    """Name the option that is unusable for a connection made in this block. Raises BadOption for a BadConnection."""
    from clerestory.clients.errors import BadConnection

    try:
        yield
    except BadConnection as error:
        raise BadOption(f"{OPTIONS.get(error.field, error.field)}: {error.description}") from None


def require_no_access(access: Access) -> None:
    """Raise BadOption for an option on how to reach a server if no server is named."""
    for name, value in asdict(access).items():
        if value is not None:
            raise BadOption(f"--{name.replace('_', '-')}: requires --server")


def read_token(path: Path) -> str:
    """Return the token that a file holds. Raises BadOption."""
    try:
        return read_text(str(path)).strip()
    except BadOption as error:
        raise BadOption(f"--token-file: {error}") from None

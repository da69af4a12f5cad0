"""How to reach a server: the options that name it, and `clerestory health`, which asks for its status."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clerestory.cli.options import BadOption, read_text
from clerestory.durations import parse_duration

if TYPE_CHECKING:
    from clerestory.clients import Tls
    from clerestory.clients.connection import Connection


ServerOption = Annotated[
    str | None,
    typer.Option(
        "--server", metavar="HOST:PORT", help="Server to use; `private` starts a private one. By default none."
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

SERVING = "SERVING"
LONGEST = 600.0  # seconds
CheckedServerOption = Annotated[
    str, typer.Option("--server", metavar="HOST:PORT", help="Server to check, or unix:PATH.")
]
ServiceOption = Annotated[
    str, typer.Option("--service", metavar="NAME", help="Service, such as clerestory.v1.GameService; by default all.")
]
PatienceOption = Annotated[str, typer.Option("--time", metavar="TIME", help="Time to wait for the answer.")]


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


# -- clerestory health -----------------------------------------------------------------------------


def health(
    server: CheckedServerOption = "127.0.0.1:50051",
    service: ServiceOption = "",
    time: PatienceOption = "3s",
    tls_ca: CaOption = None,
    tls_cert: CertOption = None,
    tls_key: KeyOption = None,
) -> None:
    """Check whether a server is serving. Exits with 0 if it is, with 1 if it is not or cannot be reached."""
    seconds = read_patience(time)
    status = ask(dialled(server, tls_ca, tls_cert, tls_key), service, seconds)
    typer.echo(f"{server}: {status}")
    raise typer.Exit(status != SERVING)


def read_patience(time: str) -> float:
    """Return the seconds of a text. Raises BadOption."""
    seconds = parse_duration(time)
    if seconds is None or not 0 < seconds <= LONGEST:
        raise BadOption(f"--time: {time!r} is not a time like 500ms or 2s, above 0 and up to 10 minutes")
    return seconds


def dialled(server: str, tls_ca: Path | None, tls_cert: Path | None, tls_key: Path | None) -> "Connection":
    """Return how the server is reached. Raises BadOption."""
    from clerestory.clients.connection import dial

    with dialling():
        return dial(server, None, Access(None, tls_ca, tls_cert, tls_key).tls(), retries=False)


def ask(connection: "Connection", service: str, seconds: float) -> str:
    """Return the status of a service, "" for the server. Raises BadOption for one it does not have, AdvisorError."""
    import grpc
    from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
    from grpc_health.v1.health_pb2_grpc import HealthStub

    from clerestory.clients.errors import error_of

    with connection.channel(grpc) as channel:
        stub: Any = HealthStub(channel)
        try:
            answer = stub.Check(HealthCheckRequest(service=service), timeout=seconds)
        except grpc.RpcError as failure:
            if failure.code() is grpc.StatusCode.NOT_FOUND:
                raise BadOption(f"--service: the server has no service {service!r}") from None
            raise error_of(failure, connection.proxy) from None
    name: str = HealthCheckResponse.ServingStatus.Name(answer.status)
    return name

"""`clerestory health`: asks a server whether it serves, as balancers and containers do."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clerestory.cli.access import Access, CaOption, CertOption, KeyOption, dialling
from clerestory.cli.options import BadOption
from clerestory.durations import parse_duration

if TYPE_CHECKING:
    from clerestory.clients.connection import Connection

SERVING = "SERVING"
LONGEST = 600.0  # seconds
ServerOption = Annotated[str, typer.Option("--server", metavar="HOST:PORT", help="Server to ask, or unix:PATH.")]
ServiceOption = Annotated[
    str, typer.Option("--service", metavar="NAME", help="Service, such as clerestory.v1.GameService; by default all.")
]
TimeOption = Annotated[str, typer.Option("--time", metavar="TIME", help="Time to wait for the answer.")]


def health(
    server: ServerOption = "127.0.0.1:50051",
    service: ServiceOption = "",
    time: TimeOption = "3s",
    tls_ca: CaOption = None,
    tls_cert: CertOption = None,
    tls_key: KeyOption = None,
) -> None:
    """Ask a server whether it serves: exit code 0 if it does, 1 if it does not or cannot be reached."""
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

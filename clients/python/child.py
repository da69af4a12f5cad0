"""A server in a child process, on a private socket; it never outlives its parent."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import grpc
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub

from clerestory.clients.errors import Unavailable
from clerestory.folders import socket_folder

PUBLIC = (  # of `clerestory serve`
    "ADMIN METRICS TLS_CERT TLS_KEY TLS_CLIENT_CA TOKEN_FILE WEB WEB_NAME WEB_PAGE WEB_PROXY".split()  # noqa: SIM905
)
QUIET = ("--while-stdin", "--log-level", "warning", "--store", "memory:")
PATIENCE = 10.0  # seconds for an answer about its health, and for its end


@dataclass(frozen=True, slots=True)
class Child:
    """A running server in a child process.

    Attributes:
        target: where, as a client writes it.
        process: its number.
    """

    target: str
    process: int


@contextmanager
def child_server(command: Sequence[str], *options: str) -> Iterator[Child]:
    """Yield a server that runs for the duration of the `with`.

    Args:
        command: that runs `clerestory`, and its options.
        options: of `serve`.

    Raises Unavailable when it does not start.
    """
    with socket_folder() as folder:
        target = f"unix:{folder}/socket"
        with subprocess.Popen(
            [*command, "serve", "--listen", target, *QUIET, *options],
            env=own(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as child:
            try:
                wait_until_serving(child, target)
                yield Child(target, child.pid)
            finally:
                end(child)


def own() -> dict[str, str]:
    """Return our environment without the settings meant for a server that others can reach."""
    public = {f"CLERESTORY_{name}" for name in PUBLIC}
    return {name: value for name, value in os.environ.items() if name not in public}


def wait_until_serving(child: subprocess.Popen[bytes], target: str) -> None:
    """Wait until the server answers calls. Raises Unavailable if it fails to start."""
    assert child.stdout is not None
    if not child.stdout.readline():
        raise Unavailable("the private server of this command could not start; the reason is above")
    with grpc.insecure_channel(target) as channel:
        stub: Any = HealthStub(channel)
        try:
            status = stub.Check(HealthCheckRequest(), timeout=PATIENCE).status
        except grpc.RpcError:
            status = HealthCheckResponse.UNKNOWN
    if status != HealthCheckResponse.SERVING:
        raise Unavailable(
            "the private server of this command started, but does not answer; try again, or name one with --server"
        )


def end(child: subprocess.Popen[bytes]) -> None:
    """Terminate a server, and kill it if it does not end."""
    child.terminate()
    try:
        child.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        child.kill()

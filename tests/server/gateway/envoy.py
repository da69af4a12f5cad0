"""The Envoy of deploy/ in front of a gateway, if Envoy is installed."""

import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import trustme

from loadtest.envoy import running
from tests.server.rpc.secured import write_certificate


@contextmanager
def in_front(envoy: str, folder: Path, ports: dict[int, int]) -> Iterator[None]:
    """Run the Envoy of deploy/ with free ports and a self-signed certificate."""
    write_certificate(trustme.CA().issue_cert("127.0.0.1"), folder)
    with running(envoy, "envoy-web.yaml", folder, ports):
        wait_for_tls(ports[8443])
        yield


def wait_for_tls(port: int) -> None:
    """Wait until Envoy listens; if it never does, the test fails by its timeout."""
    while True:
        try:
            with encrypted(port):
                return
        except OSError:
            time.sleep(0.05)


def encrypted(port: int) -> ssl.SSLSocket:
    """Return a new connection to Envoy that accepts any certificate."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context.wrap_socket(socket.create_connection(("127.0.0.1", port), 20))

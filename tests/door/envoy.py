"""The Envoy of deploy/ in front of a door, where Envoy is installed."""

import shutil
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import trustme

CONFIGURATION = Path(__file__).parents[2] / "deploy" / "envoy-web.yaml"


@pytest.fixture
def envoy() -> str:
    found = shutil.which("envoy", path=Path(sys.executable).parent) or shutil.which("envoy")
    if found is None:
        pytest.skip("envoy is not here; `make .venv/.load` installs it")
    return found


@contextmanager
def in_front(envoy: str, folder: Path, ports: dict[str, int]) -> Iterator[None]:
    """Run the Envoy of deploy/, with ports that are free here and a certificate of its own."""
    issued = trustme.CA().issue_cert("127.0.0.1")
    issued.private_key_pem.write_to_path(folder / "server.key")
    issued.cert_chain_pems[0].write_to_path(folder / "server.pem")
    text = CONFIGURATION.read_text()
    for usual, port in ports.items():
        text = text.replace(f"port_value: {usual}", f"port_value: {port}")
    (folder / "envoy.yaml").write_text(text)
    command = [envoy, "-c", "envoy.yaml", "--log-level", "error", "--concurrency", "1", "--use-dynamic-base-id"]
    with subprocess.Popen(command, cwd=folder) as child:
        try:
            wait_for_tls(ports["8443"])
            yield
        finally:
            child.terminate()


def wait_for_tls(port: int) -> None:
    """Wait until Envoy listens; if it never does, the test fails by its timeout."""
    while True:
        try:
            with encrypted(port):
                return
        except OSError:
            time.sleep(0.05)


def encrypted(port: int) -> ssl.SSLSocket:
    """Return a new connection to Envoy, which trusts whatever certificate it shows."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context.wrap_socket(socket.create_connection(("127.0.0.1", port), 20))

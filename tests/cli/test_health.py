"""`clerestory health`: one line, and an exit code that a container or a balancer acts on."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import trustme
from typer.testing import CliRunner

from clerestory.cli.main import app
from tests.cli.test_lazy import imported

COMMAND = [sys.executable, "-m", "clerestory"]
GAMES = "clerestory.v1.GameService"
NOBODY = "127.0.0.1:1"
LATE = ["--time", "60s"]  # for slow machines


def said(*options: str) -> tuple[int, str]:
    """Return the exit code of the command, and all that it prints."""
    done = subprocess.run([*COMMAND, "health", *options], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_a_server_that_serves_ends_it_with_0(target: str) -> None:
    assert said("--server", target, *LATE) == (0, f"{target}: SERVING\n")
    assert said("--server", target, "--service", GAMES, *LATE) == (0, f"{target}: SERVING\n")


def test_a_service_that_there_is_not_is_named(target: str) -> None:
    code, text = said("--server", target, "--service", "Games", *LATE)
    assert (code, text) == (2, "clerestory: --service: the server has no service 'Games'\n")


def test_nobody_at_the_address_ends_it_with_1() -> None:
    code, text = said("--server", NOBODY, *LATE)
    assert code == 1
    assert "no server listens at this address" in text
    assert text.count("\n") == 1


def test_a_server_that_drains_ends_it_with_1_while_it_still_answers() -> None:
    serve = ["serve", "--listen", "127.0.0.1:0", "--workers", "1", "--drain-delay", "600", "--store", "memory:"]
    with subprocess.Popen([*COMMAND, *serve], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.match(r"clerestory serves on (\S+) ", process.stdout.readline())
            assert found
            assert said("--server", found[1], *LATE)[0] == 0
            process.send_signal(signal.SIGTERM)
            while (answer := said("--server", found[1], *LATE))[0] == 0:
                pass
            assert answer == (1, f"{found[1]}: NOT_SERVING\n")
        finally:
            process.kill()


def test_a_server_with_tls_is_asked_with_tls(tmp_path: Path) -> None:
    authority = trustme.CA()
    issued = authority.issue_cert("127.0.0.1")
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    issued.private_key_and_cert_chain_pem.write_to_path(tmp_path / "both.pem")
    options = ["--tls-cert", str(tmp_path / "both.pem"), "--tls-key", str(tmp_path / "both.pem")]
    serve = ["serve", "--listen", "127.0.0.1:0", "--workers", "1", "--store", "memory:"]
    with subprocess.Popen([*COMMAND, *serve, *options], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.match(r"clerestory serves on (\S+) ", process.stdout.readline())
            assert found
            assert said("--server", found[1], "--tls-ca", str(tmp_path / "ca.pem"), *LATE)[0] == 0
            code, text = said("--server", found[1], *LATE)
            assert code == 1
            assert "may require TLS" in text
        finally:
            process.terminate()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--server", ""], "--server: is empty"),
        (["--time", "soon"], "--time: 'soon' is not a time like 500ms or 2s, above 0 and up to 10 minutes"),
        (["--time", "0s"], "--time: '0s' is not a time like 500ms or 2s, above 0 and up to 10 minutes"),
        (["--tls-cert", "cert.pem"], "--tls-key: is missing; certificate and key must be given together"),
        (["--server", "h:70000"], "--server: the port of 'h:70000' is not a number from 1 to 65535"),
        (["--tls-ca", __file__], f"--tls-ca: {__file__} holds no certificate in PEM"),
        (["--tls-ca", "nowhere"], "--tls-ca: nowhere: No such file or directory"),
    ],
)
def test_what_makes_no_sense_is_told(options: list[str], says: str) -> None:
    error = CliRunner().invoke(app, ["health", *options]).exception
    assert error is not None
    assert str(error) == says


def test_it_loads_neither_games_nor_searches_nor_messages_of_ours(target: str) -> None:
    """A container runs it every few seconds."""
    modules = imported("health", "--server", target, *LATE)
    rooms = ("advice", "engine.core", "engine.games", "games", "search", "server", "v1")
    assert "grpc" in modules
    assert not [name for name in modules if name.startswith(tuple(f"clerestory.{room}" for room in rooms))]

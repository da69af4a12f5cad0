"""`clerestory serve --web` and `clerestory web`: a door from its start to its end."""

import asyncio
import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest
import trustme

from clerestory.clients.wire import duration
from clerestory.v1.advisor_pb2 import STOP_REASON_STOPPED, AnalyzeRequest
from clerestory.v1.rules_pb2 import ListGamesResponse
from tests.conftest import TOKEN
from tests.door.harness import ADVICE, PROTO, RULES, Caller, address_of, enveloped, last_table, read_head
from tests.server.harness import question

COMMAND = [sys.executable, "-m", "clerestory"]


@contextmanager
def started(*arguments: str, stderr: IO[str] | None = None) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Yield a process, to which no terminal belongs, and where its page is."""
    streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": stderr}
    with subprocess.Popen([*COMMAND, *arguments], text=True, **streams) as process:
        try:
            assert process.stdout is not None
            found = None
            while found is None:
                line = process.stdout.readline()
                assert line, "it has ended"
                found = re.search(r"page at (http://\S+/)", line)
            yield process, found[1]
        finally:
            process.terminate()


def caller_of(url: str) -> Caller:
    return Caller(*address_of(url), server=None)  # type: ignore[arg-type]


SERVE = ("serve", "--listen", "127.0.0.1:0", "--workers", "1", "--store", "memory:", "--web", "127.0.0.1:0")


async def test_a_server_told_to_finish_ends_its_streams_before_its_door() -> None:
    with started(*SERVE) as (process, url):
        body = enveloped(AnalyzeRequest(question=question(time_budget=duration(60))).SerializeToString())
        async with caller_of(url).sent(
            "POST", ADVICE + "Analyze", body, {"content-type": "application/connect+proto"}
        ) as reader:
            await read_head(reader)
            first = await reader.read(1)
            process.send_signal(signal.SIGTERM)
            rest = first + await reader.read()
        assert process.wait(120) == 0
    assert last_table(rest).recommendation.statistics.stop_reason == STOP_REASON_STOPPED


async def test_a_door_alone_in_front_of_a_server(target: str) -> None:
    with started("web", "--server", target, "--listen", "127.0.0.1:0") as (process, url):
        answer = await caller_of(url).call(RULES + "ListGames", b"")
        process.send_signal(signal.SIGTERM)
        assert process.wait(120) == 0
    assert ListGamesResponse.FromString(answer.body).games


async def test_a_door_alone_brings_the_token_that_it_is_given(guarded: str, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(TOKEN)
    options = ("--listen", "127.0.0.1:0", "--token-file", str(tmp_path / "token"))
    with started("web", "--server", guarded, *options) as (_, url):
        answer = await caller_of(url).call(RULES + "ListGames", b"", authorization="Bearer of-the-browser")
    assert answer.status == 200


async def test_a_door_alone_reads_its_token_again(guarded: str, tmp_path: Path) -> None:
    token, log = tmp_path / "token", tmp_path / "log"
    token.write_text("of-yesterday")
    options = ("--server", guarded, "--listen", "127.0.0.1:0", "--token-file", str(token), "--log-format", "json")
    with log.open("w") as written, started("web", *options, stderr=written) as (process, url):
        assert (await caller_of(url).call(RULES + "ListGames", b"")).status == 401
        for content, says, status in (("no token", "stays as it was: --token-file", 401), (TOKEN, "read again", 200)):
            token.write_text(content)
            process.send_signal(signal.SIGHUP)
            while says not in log.read_text():
                assert process.poll() is None
                await asyncio.sleep(0.01)
            assert (await caller_of(url).call(RULES + "ListGames", b"")).status == status
        process.send_signal(signal.SIGTERM)
        assert process.wait(120) == 0
    told = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["level"] for line in told if line["logger"] == "clerestory.cli.web"] == ["error", "info"]
    assert (told[0]["address"], told[0]["server"], told[-1]["why"]) == (url, guarded, "SIGTERM")


async def test_the_door_of_a_server_with_certificates(tmp_path: Path) -> None:
    authority = trustme.CA()
    issued = authority.issue_cert("castle.example")
    issued.private_key_pem.write_to_path(tmp_path / "key.pem")
    issued.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
    files = ("--tls-cert", str(tmp_path / "cert.pem"), "--tls-key", str(tmp_path / "key.pem"))
    with started(*SERVE, *files) as (_, url):
        answer = await caller_of(url).call(RULES + "ListGames", b"", content_type=PROTO)
    assert answer.status == 200


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("serve", "--web", "0.0.0.0:8080"), "web: calls from other machines to 0.0.0.0:8080 would not"),
        (("web", "--server", "127.0.0.1:70000"), "--server: the port of '127.0.0.1:70000' is not"),
        (("web", "--server", "127.0.0.1:1", "--tls-ca", __file__), f"--tls-ca: {__file__} holds no certificate"),
        (("serve", "--web", "nonsense"), "web: 'nonsense' is not HOST:PORT"),
        (("serve", "--web", "127.0.0.1:0", "--web-page", "/nowhere"), "web_page: /nowhere has no index.html"),
        (("web", "--server", "127.0.0.1:1", "--listen", "8080"), "--listen: '8080' is not HOST:PORT"),
        (("web", "--server", "127.0.0.1:1", "--web-name", "a b"), "--web-name: 'a b' is not a host name"),
        (("web", "--server", "127.0.0.1:1", "--tls-key", "x"), "--tls-cert: is missing"),
    ],
)
def test_what_makes_no_sense_is_one_line(arguments: tuple[str, ...], says: str) -> None:
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert done.stderr.startswith(f"clerestory: {says}")
    assert len(done.stderr.splitlines()) == 1


def test_a_port_in_use_is_one_line() -> None:
    with started(*SERVE) as (_, url):
        where = "{}:{}".format(*address_of(url))
        done = subprocess.run([*COMMAND, *SERVE[:-1], where], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (1, f"clerestory: cannot listen on {where}: Address already in use\n")


def test_client_certificates_and_a_door_do_not_go_together(tmp_path: Path) -> None:
    files = [f"--tls-{name}={tmp_path / name}" for name in ("cert", "key", "client-ca")]
    done = subprocess.run([*COMMAND, *SERVE, *files], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, "web: cannot be combined with tls_client_ca" in done.stderr) == (2, True)

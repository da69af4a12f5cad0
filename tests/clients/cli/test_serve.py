"""`clerestory serve`: its options and environment, what it announces and logs, and certificates and tokens."""

import io
import json
import os
import re
import socket
import struct
import sys
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
import trustme

from clerestory import __version__
from clerestory.cli.announcing import announce
from clerestory.cli.serving import beside, first_start
from clerestory.clients import Advisor, AdvisorError, Tls, Unavailable
from clerestory.clients.child import own
from clerestory.server.app import start
from clerestory.server.config import Settings
from clerestory.server.gateway.config import GatewaySettings
from loadtest.connections import PREFACE, SETTINGS, frame
from tests.clients.cli.command import announced, run, started
from tests.faults.strangers import GOAWAY
from tests.server.rpc.harness import FORMATS
from tests.server.rpc.secured import write_certificate
from tests.servers import running_server

TOKEN = "let-me-in-please"
SERVE = ("serve", "--listen", "127.0.0.1:0", "--workers", "1", "--store", "memory:")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, authority = tmp_path_factory.mktemp("serve"), trustme.CA()
    authority.cert_pem.write_to_path(folder / "ca.pem")
    write_certificate(authority.issue_cert("127.0.0.1"), folder)
    (folder / "tokens").write_text(TOKEN)
    return folder


def files(folder: Path) -> dict[str, Path]:
    names = {"tls_cert": "server.pem", "tls_key": "server.key", "tls_client_ca": "ca.pem", "token_file": "tokens"}
    return {setting: folder / name for setting, name in names.items()}


def in_environment(settings: dict[str, Any]) -> dict[str, str]:
    return {f"CLERESTORY_{name.upper()}": str(value) for name, value in settings.items()}


def as_options(settings: dict[str, Any]) -> list[str]:
    return [part for name, value in settings.items() for part in (f"--{name.replace('_', '-')}", str(value))]


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Settings, GatewaySettings | None]]:
    found: list[tuple[Settings, GatewaySettings | None]] = []
    monkeypatch.setattr("clerestory.server.logs.write_logs", lambda *_: None)
    monkeypatch.setattr(
        "clerestory.cli.serving.run_serving", lambda settings, gateway, _: found.append((settings, gateway))
    )
    return found


def test_options_and_the_environment_give_the_same_settings(folder: Path, chosen: list[Any]) -> None:
    given = {**files(folder), "listen": "127.0.0.1:7", "workers": 3, "store": "memory:"}
    assert run("serve", *as_options(given)).code == 0
    assert run("serve", **in_environment(given)).code == 0
    assert [{name: getattr(settings, name) for name in given} for settings, _ in chosen] == [given] * 2


def test_the_page_has_its_own_address(chosen: list[Any]) -> None:
    assert run("serve", "--store", "memory:", "--web", "127.0.0.1:9", "--web-name", "play.example.org").code == 0
    [(_, gateway)] = chosen
    assert (gateway.listen, gateway.names) == ("127.0.0.1:9", ("play.example.org",))


def test_a_private_server_ignores_the_settings_of_a_public_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    public = files(folder) | {"web": "0.0.0.0:0", "web_name": "play.example.org", "web_proxy": "127.0.0.1"}
    for name, value in in_environment(public | {"workers": 2}).items():
        monkeypatch.setenv(name, value)
    assert own() == {name: value for name, value in os.environ.items() if name not in in_environment(public)}


def test_a_client_is_told_that_a_server_does_not_use_tls(folder: Path) -> None:
    tls, says = Tls(ca=folder / "ca.pem"), "the server does not use TLS"
    with running_server() as at, Advisor(at, tls=tls, patience=0) as advisor, pytest.raises(Unavailable, match=says):
        advisor.rules.games()


def test_a_server_lets_in_its_own_clients_only(folder: Path) -> None:
    mine = Tls(ca=folder / "ca.pem", cert=folder / "server.pem", key=folder / "server.key")
    with running_server(**files(folder)) as address:
        with Advisor(address, token=TOKEN, tls=mine) as advisor:
            assert [game["name"] for game in advisor.rules.games()] == ["cathedral", "duel", "toy"]
        stranger = Advisor(address, token=TOKEN, tls=Tls(ca=folder / "ca.pem"), retries=False)
        with stranger as advisor, pytest.raises(AdvisorError) as unknown:
            advisor.rules.games()
        assert unknown.value.reason == ""


@pytest.mark.parametrize("page", [False, True], ids=["no page", "page"])
async def test_the_first_start_tells_where_all_is(
    page: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "data" / "games.sqlite"
    listen = f"unix:{tmp_path}/socket"
    gateway = GatewaySettings("127.0.0.1:0") if page else None
    told = []
    for _ in range(2):
        fresh = await first_start(str(store))
        app = await start(Settings(listen=listen, workers=1, store=str(store)))
        async with beside(gateway, listen, fresh, app):
            pass
        await app.finish()
        told.append(capsys.readouterr().out.splitlines())
    [_, where, games, documents], again = told
    assert where.startswith("clerestory has its page at http://127.0.0.1:" if page else "clerestory has no page; ")
    assert games == f"clerestory keeps its games in {store}"
    assert Path(documents.removeprefix("clerestory has its documents in ")).read_text().startswith("# Documentation")
    assert len(again) == 1 + page


def pipe_without_reader() -> int:
    reader, writer = os.pipe()
    os.close(reader)
    return writer


def full_disk() -> int:
    return os.open("/dev/full", os.O_WRONLY)


@pytest.mark.parametrize("opened", [pipe_without_reader, full_disk])
def test_an_announcement_without_readers_is_dropped(opened: Callable[[], int], monkeypatch: pytest.MonkeyPatch) -> None:
    with io.open(opened(), "w") as output:  # noqa: UP020
        monkeypatch.setattr(sys, "stdout", output)
        announce("first")
        announce("second")


@pytest.mark.system
def test_the_log_tells_of_a_server_from_its_start_to_its_end(tmp_path: Path) -> None:
    with started(*SERVE, "--log-format", "json", env=os.environ | {"TMPDIR": str(tmp_path)}) as process:
        assert process.stderr is not None
        address, log = announced(process), [process.stderr.readline()]
        assert [*tmp_path.iterdir()] == []  # only a page needs a folder
        process.terminate()
        told = [json.loads(line) for line in [*log, *process.stderr]]
    assert [line["event"] for line in told] == ["serving", "draining", "ended"]
    assert told[0].items() >= {"address": address, "workers": 1, "version": __version__}.items()
    assert [line["why"] for line in told[1:]] == ["SIGTERM"] * 2


FRESH = {"GRPC_TRACE": ""}  # read when gRPC is imported


def sent_by_a_stranger(address: str, data: bytes) -> None:
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port))) as stranger:
        stranger.sendall(data)
        stranger.shutdown(socket.SHUT_WR)
        while stranger.recv(1024):
            pass


@pytest.mark.system
def test_callers_without_tls_write_nothing_in_a_log_of_json(folder: Path) -> None:
    mine = Tls(ca=folder / "ca.pem", cert=folder / "server.pem", key=folder / "server.key")
    options = as_options(files(folder) | {"log_format": "json"})
    with started(*SERVE, *options, env=os.environ | FRESH) as process:
        assert process.stderr is not None
        address = announced(process)
        sent_by_a_stranger(address, b"GET / HTTP/1.1\r\n\r\n")
        with Advisor(address, token=TOKEN, tls=mine) as advisor:
            assert advisor.rules.games()
        process.terminate()
        log = [json.loads(line) for line in process.stderr]
    assert "call" in [line["event"] for line in log]


@pytest.mark.system
@pytest.mark.parametrize("form", FORMATS)
def test_strangers_write_nothing_of_their_own_in_a_log(form: str) -> None:
    """The core of gRPC quotes why a caller leaves, with the ends of lines that it has."""
    leaving = PREFACE + frame(SETTINGS, 0, 0) + frame(GOAWAY, 0, 0, struct.pack(">II", 0, 11) + b"\nforged\n")
    with started(*SERVE, "--log-format", form, env=os.environ | FRESH) as process:
        assert process.stderr is not None
        sent_by_a_stranger(announced(process), leaving)
        process.terminate()
        log = process.stderr.read()
    assert "ended" in log
    assert "forged" not in log


@pytest.mark.system
@pytest.mark.parametrize(
    "command",
    [[*SERVE, "--web", "127.0.0.1:0"], ["web", "--listen", "127.0.0.1:0", "--server", "127.0.0.1:1"]],
    ids=["serve", "web"],
)
@pytest.mark.parametrize("opened", [pipe_without_reader, full_disk])
def test_a_server_goes_on_where_nobody_reads_its_announcement(opened: Callable[[], int], command: list[str]) -> None:
    writer = opened()
    with started(*command, stdout=writer) as process:
        os.close(writer)
        assert process.stderr is not None
        log = [*takewhile(lambda line: " serving " not in line, process.stderr)]
        process.terminate()
        log += process.stderr
        assert process.wait() == 0
    assert " ended " in log[-1]
    assert [line for line in log if re.search("pipe|space|Traceback|Exception", line)] == []

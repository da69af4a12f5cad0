"""`clerestory serve`: options and environment, startup messages and logs, certificates and tokens."""

import asyncio
import io
import json
import os
import re
import signal
import socket
import struct
import sys
from collections.abc import Callable
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
import trustme

from clerestory import __version__
from clerestory.cli.access import PLAIN, Access
from clerestory.cli.options import BadOption, announce
from clerestory.cli.serve import dialled_by, redial
from clerestory.cli.serving import beside, first_start
from clerestory.clients import Advisor, Tls, Unavailable
from clerestory.clients.child import own
from clerestory.clients.wire import duration
from clerestory.server.app import start
from clerestory.server.config import Settings
from clerestory.server.gateway.config import GatewaySettings
from clerestory.v1.advisor_pb2 import STOP_REASON_STOPPED, AnalyzeRequest
from clerestory.v1.rules_pb2 import ListGamesResponse
from loadtest.connections import PREFACE, SETTINGS, frame
from tests.clients.cli.command import announced, ended, failed, run, started
from tests.conftest import TOKEN
from tests.server.gateway.harness import ADVICE, PROTO, RULES, Caller, address_of, enveloped, last_table, read_head
from tests.server.rpc.harness import FORMATS, question
from tests.server.rpc.secured import write_certificate
from tests.servers import running_server

SECRET = "let-me-in-please"
GOAWAY = 7  # type of an HTTP/2 frame
SERVE = ("serve", "--listen", "127.0.0.1:0", "--workers", "1", "--store", "memory:")

PAGE = r"page at (http://\S+/)"
SERVE_PAGE = (*SERVE, "--web", "127.0.0.1:0")
WEB = ("web", "--listen", "127.0.0.1:0")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, authority = tmp_path_factory.mktemp("serve"), trustme.CA()
    authority.cert_pem.write_to_path(folder / "ca.pem")
    write_certificate(authority.issue_cert("127.0.0.1"), folder)
    (folder / "tokens").write_text(SECRET)
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


def test_a_client_reports_that_a_server_does_not_use_tls(folder: Path) -> None:
    tls, says = Tls(ca=folder / "ca.pem"), "the server does not use TLS"
    with running_server() as at, Advisor(at, tls=tls, patience=0) as advisor, pytest.raises(Unavailable, match=says):
        advisor.rules.games()


@pytest.mark.parametrize("page", [False, True], ids=["no page", "page"])
async def test_the_first_start_prints_all_locations(
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
    expected = r"its page at http://127\.0\.0\.1:\d+/ \(for this machine only\)" if page else r"no page; .*"
    assert re.fullmatch(f"clerestory has {expected}", where)
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
def test_the_log_covers_a_server_from_start_to_end(tmp_path: Path) -> None:
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
        with Advisor(address, token=SECRET, tls=mine) as advisor:
            assert advisor.rules.games()
        process.terminate()
        log = [json.loads(line) for line in process.stderr]
    assert "call" in [line["event"] for line in log]


@pytest.mark.system
@pytest.mark.parametrize("form", FORMATS)
def test_strangers_cannot_write_into_a_log(form: str) -> None:
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
@pytest.mark.parametrize("command", [SERVE_PAGE, (*WEB, "--server", "127.0.0.1:1")], ids=["serve", "web"])
@pytest.mark.parametrize("opened", [pipe_without_reader, full_disk])
def test_a_server_goes_on_where_nobody_reads_its_announcement(opened: Callable[[], int], command: Any) -> None:
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


# -- web -------------------------------------------------------------------------------------------


def test_a_connection_is_renewed_with_valid_files(
    guarded: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    dialled: list[Any] = []
    web: Any = type("Page", (), {"redial": lambda _, server: dialled.append(server)})()
    token = tmp_path / "token"
    for content, says in ((TOKEN, "were read again"), ("no token", "stays as it was: --token-file")):
        token.write_text(content)
        with caplog.at_level("INFO"):
            redial(web, lambda: dialled_by(guarded, Access(token)))
        assert says in caplog.text
    assert [one.target for one in dialled] == [guarded]
    with pytest.raises(BadOption, match="--server"):
        dialled_by("127.0.0.1:70000", PLAIN)


def caller_of(url: str) -> Caller:
    return Caller(*address_of(url), server=None)  # type: ignore[arg-type]


@pytest.mark.system
async def test_a_server_that_shuts_down_ends_its_streams_before_its_gateway() -> None:
    with started(*SERVE_PAGE) as process:
        url = announced(process, PAGE)
        body = enveloped(AnalyzeRequest(question=question(time_budget=duration(60))).SerializeToString())
        async with caller_of(url).sent(
            "POST", ADVICE + "Analyze", body, {"content-type": "application/connect+proto"}
        ) as reader:
            await read_head(reader)
            first = await reader.read(1)
            process.send_signal(signal.SIGTERM)
            rest = first + await reader.read()
        assert process.wait() == 0
    assert last_table(rest).recommendation.statistics.stop_reason == STOP_REASON_STOPPED


@pytest.mark.system
async def test_a_page_alone_brings_its_own_token_and_reads_it_again(guarded: str, tmp_path: Path) -> None:
    token, log = tmp_path / "token", tmp_path / "log"
    token.write_text("of-yesterday")
    options = ("--server", guarded, "--token-file", token, "--log-format", "json")
    with log.open("w") as written, started(*WEB, *options, stderr=written) as process:
        url = announced(process, PAGE)
        names = partial(caller_of(url).call, RULES + "ListGames", b"", authorization="Bearer of-the-browser")
        assert (await names()).status == 401
        for content, says, status in (("no token", "stays as it was: --token-file", 401), (TOKEN, "read again", 200)):
            token.write_text(content)
            process.send_signal(signal.SIGHUP)
            while says not in log.read_text():
                assert process.poll() is None
                await asyncio.sleep(0.01)
            answer = await names()
            assert answer.status == status
        assert ListGamesResponse.FromString(answer.body).games
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 0
    told = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["level"] for line in told if line["logger"] == "clerestory.cli.web"] == ["error", "info"]
    assert (told[0]["address"], told[0]["server"], told[-1]["why"]) == (url, guarded, "SIGTERM")


@pytest.mark.system
async def test_the_gateway_of_a_server_with_certificates(tmp_path: Path) -> None:
    write_certificate(trustme.CA().issue_cert("castle.example"), tmp_path)
    files = ("--tls-cert", tmp_path / "server.pem", "--tls-key", tmp_path / "server.key")
    with started(*SERVE_PAGE, *files) as process:
        url = announced(process, PAGE)
        answer = await caller_of(url).call(RULES + "ListGames", b"", content_type=PROTO)
    assert answer.status == 200


@pytest.mark.system
def test_a_port_in_use_is_one_line() -> None:
    with started(*SERVE_PAGE) as process:
        where = "{}:{}".format(*address_of(announced(process, PAGE)))
        done = ended(*SERVE_PAGE[:-1], where)
    assert done == failed(f"cannot listen on {where}: Address already in use", code=1)

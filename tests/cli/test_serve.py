"""`clerestory serve` with certificates and tokens, by its options and by the environment."""

import asyncio
import json
import os
import re
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import IO, Any

import pytest
import trustme

from clerestory import __version__
from clerestory.cli.embedded import embedded_server
from clerestory.clients import Advisor, AdvisorError, AsyncAdvisor, Tls, Unavailable
from tests.faults.strangers import GOAWAY, PREFACE, SETTINGS, frame
from tests.server.harness import FORMATS

COMMAND = [sys.executable, "-m", "clerestory"]
TOKEN = "let-me-in-please"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an authority, a certificate with its key, and tokens."""
    folder, authority = tmp_path_factory.mktemp("serve"), trustme.CA()
    issued = authority.issue_cert("127.0.0.1")
    authority.cert_pem.write_to_path(folder / "ca.pem")
    issued.private_key_pem.write_to_path(folder / "key.pem")
    issued.cert_chain_pems[0].write_to_path(folder / "cert.pem")
    (folder / "tokens").write_text(TOKEN)
    return folder


def files(folder: Path) -> dict[str, str]:
    """Return the settings that are files."""
    names = {"tls_cert": "cert.pem", "tls_key": "key.pem", "tls_client_ca": "ca.pem", "token_file": "tokens"}
    return {setting: str(folder / name) for setting, name in names.items()}


def in_environment(settings: dict[str, str]) -> dict[str, str]:
    return {f"CLERESTORY_{name.upper()}": value for name, value in settings.items()}


def as_options(settings: dict[str, str]) -> list[str]:
    return [part for name, value in settings.items() for part in (f"--{name.replace('_', '-')}", value)]


@contextmanager
def serving(options: list[str], environment: dict[str, str], log: IO[str] | None = None) -> Iterator[str]:
    """Yield the address of a server."""
    command = [*COMMAND, "serve", "--listen", "127.0.0.1:0", "--workers", "1", *options]
    streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": log}
    with subprocess.Popen(command, env=os.environ | environment, text=True, **streams) as server:
        try:
            assert server.stdout is not None
            match = re.match(r"clerestory serves on (\S+) ", server.stdout.readline())
            assert match
            yield match[1]
        finally:
            server.terminate()


async def names_of_games(address: str, tls: Tls) -> list[str]:
    async with AsyncAdvisor(address, token=TOKEN, tls=tls) as advisor:
        return [game["name"] for game in await advisor.rules.games()]


def test_who_speaks_tls_and_who_does_not_is_told_so(folder: Path) -> None:
    certificate = {name: path for name, path in files(folder).items() if name in {"tls_cert", "tls_key"}}
    for options, tls, hint in [
        (as_options(certificate), None, "may require TLS"),
        ([], Tls(ca=folder / "ca.pem"), "the server does not use TLS"),
    ]:
        with (
            serving(options, {}) as address,
            Advisor(address, tls=tls, patience=0.5) as advisor,
            pytest.raises(Unavailable, match=hint),
        ):
            advisor.rules.games()


@pytest.mark.parametrize("way", ["options", "environment"])
def test_our_client_is_let_in_and_others_are_not(folder: Path, way: str) -> None:
    settings = files(folder)
    options, environment = (as_options(settings), {}) if way == "options" else ([], in_environment(settings))
    mine = Tls(ca=folder / "ca.pem", cert=folder / "cert.pem", key=folder / "key.pem")
    with serving(options, environment) as address:
        with Advisor(address, token=TOKEN, tls=mine) as advisor:
            assert len(advisor.rules.games()) > 1
        assert asyncio.run(names_of_games(address, mine)) == ["cathedral", "duel", "toy"]
        with Advisor(address, token="let-me-out-please", tls=mine) as advisor, pytest.raises(AdvisorError) as refused:
            advisor.rules.games()
        assert refused.value.reason == "BAD_TOKEN"
        with (
            Advisor(address, token=TOKEN, tls=Tls(ca=folder / "ca.pem"), retries=False) as advisor,
            pytest.raises(AdvisorError) as unknown,
        ):
            advisor.rules.games()
        assert unknown.value.reason == ""


WRONG: list[tuple[dict[str, str | None], str]] = [
    ({"tls_key": None}, "tls_cert: requires tls_key"),
    ({"store": ""}, "store: is empty, and games would be lost; give --store a FILE, memory: or postgresql://..."),
    ({"tls_cert": "nowhere"}, "tls_cert: nowhere cannot be read: No such file or directory"),
    ({"token_file": "nowhere"}, "token_file: nowhere cannot be read: No such file or directory"),
]


@pytest.mark.parametrize(("changed", "says"), WRONG)
def test_what_makes_no_sense_ends_in_one_line(folder: Path, changed: dict[str, str | None], says: str) -> None:
    settings = {name: value for name, value in (files(folder) | changed).items() if value is not None}
    command = [*COMMAND, "serve", "--listen", "127.0.0.1:0", *as_options(settings)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"clerestory: {says}\n")


def test_a_server_of_ones_own_asks_for_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    public = files(folder) | {"web": "0.0.0.0:0", "web_name": "play.example.org", "web_proxy": "127.0.0.1"}
    for name, value in in_environment(public).items():
        monkeypatch.setenv(name, value)
    with embedded_server("--workers", "1") as target, Advisor(target) as advisor:
        assert advisor.rules.games()


def test_a_server_without_a_page_makes_no_folder(tmp_path: Path) -> None:
    with serving(["--store", "memory:"], {"TMPDIR": str(tmp_path)}):
        assert [*tmp_path.iterdir()] == []


def log_of(form: str, written: Path) -> tuple[str, str]:
    """Return the address of a server, and what it logs until it is told to end."""
    with written.open("w") as log, serving(["--log-format", form], {}, log) as address:
        while "serving" not in written.read_text():
            time.sleep(0.01)
    return address, written.read_text()


def test_the_log_tells_of_a_server_from_its_start_to_its_end(tmp_path: Path) -> None:
    address, text = log_of("json", tmp_path / "log")
    told = [json.loads(line) for line in text.splitlines()]
    assert [line["event"] for line in told] == ["serving", "draining", "ended"]
    assert told[0].items() >= {"address": address, "workers": 1, "version": __version__}.items()
    assert [line["why"] for line in told[1:]] == ["SIGTERM"] * 2


def test_the_log_for_people_tells_the_same(tmp_path: Path) -> None:
    address, text = log_of("text", tmp_path / "log")
    first, *others = text.splitlines()
    assert re.search(rf" serving .* address={address} version={__version__} workers=1", first)
    assert [re.findall(r"draining|ended|why=\w+", line) for line in others] == [
        ["draining", "why=SIGTERM"],
        ["ended", "why=SIGTERM"],
    ]


def test_callers_without_tls_write_nothing_in_a_log_of_json(folder: Path, tmp_path: Path) -> None:
    settings = files(folder) | {"log_format": "json"}
    fresh = {"GRPC_TRACE": ""}  # which is read when gRPC is imported, so that the process imports it anew
    with (tmp_path / "log").open("w") as log, serving(as_options(settings), fresh, log) as address:
        host, _, port = address.rpartition(":")
        with socket.create_connection((host, int(port))) as stranger:
            stranger.sendall(b"GET / HTTP/1.1\r\n\r\n")
            while stranger.recv(1024):
                pass
        mine = Tls(ca=folder / "ca.pem", cert=folder / "cert.pem", key=folder / "key.pem")
        with Advisor(address, token=TOKEN, tls=mine) as advisor:
            assert advisor.rules.games()
    told = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert "call" in [line["event"] for line in told]


@pytest.mark.parametrize("form", FORMATS)
def test_strangers_write_nothing_of_their_own_in_a_log(form: str, tmp_path: Path) -> None:
    """The core of gRPC quotes why a caller leaves, with the ends of lines that it has."""
    fresh, why = {"GRPC_TRACE": ""}, b"\nforged\n"
    with (tmp_path / "log").open("w") as log, serving(["--log-format", form], fresh, log) as address:
        host, _, port = address.rpartition(":")
        with socket.create_connection((host, int(port))) as stranger:
            leaving = frame(GOAWAY, 0, 0, struct.pack(">II", 0, 11) + why)
            stranger.sendall(PREFACE + frame(SETTINGS, 0, 0) + leaving)
            stranger.shutdown(socket.SHUT_WR)
            while stranger.recv(1024):
                pass
    written = (tmp_path / "log").read_text()
    assert "ended" in written
    assert "forged" not in written


def said_at_start(store: Path, *options: str) -> list[str]:
    """Return what a server says from its start to its end."""
    command = [*COMMAND, "serve", "--listen", "127.0.0.1:0", "--workers", "1", "--store", str(store), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        first = server.stdout.readline()
        with Advisor(first.split()[3]) as advisor:
            assert advisor.rules.games()
        server.terminate()
        return [first, *server.stdout.read().splitlines()]


@pytest.mark.parametrize("options", [(), ("--web", "127.0.0.1:0")])
def test_the_first_start_tells_where_page_store_and_documents_are(tmp_path: Path, options: tuple[str, ...]) -> None:
    store = tmp_path / "data" / "games.sqlite"
    _, page, games, documents = said_at_start(store, *options)
    assert page.startswith("clerestory has its page at http://127.0.0.1:" if options else "clerestory has no page; ")
    assert games == f"clerestory keeps its games in {store}"
    assert Path(documents.removeprefix("clerestory has its documents in ")).read_text().startswith("# Documents")
    assert len(said_at_start(store, *options)) == 1 + bool(options)


def pipe_without_reader() -> int:
    """Return the descriptor of an output that nobody reads any more."""
    reader, writer = os.pipe()
    os.close(reader)
    return writer


def full_disk() -> int:
    """Return the descriptor of an output on a full disk."""
    if not Path("/dev/full").exists():
        pytest.skip("this system has no such file")
    return os.open("/dev/full", os.O_WRONLY)


@pytest.mark.parametrize(
    "command",
    [
        ["serve", "--listen", "127.0.0.1:0", "--store", "memory:", "--web", "127.0.0.1:0"],
        ["web", "--listen", "127.0.0.1:0", "--server", "127.0.0.1:1"],
    ],
    ids=["serve", "web"],
)
@pytest.mark.parametrize("opened", [pipe_without_reader, full_disk])
def test_whoever_serves_goes_on_where_nobody_reads_the_announcement(
    opened: Callable[[], int], command: list[str]
) -> None:
    writer = opened()
    with subprocess.Popen([*COMMAND, *command], stdout=writer, stderr=subprocess.PIPE, text=True) as server:
        os.close(writer)
        assert server.stderr is not None
        log = [*takewhile(lambda line: " serving " not in line, server.stderr)]
        server.terminate()
        log += server.stderr
    assert server.returncode == 0
    assert " ended " in log[-1]
    assert not [line for line in log if re.search("pipe|space|Traceback|Exception", line)]

"""`clerestory doctor` reports in ten lines what a machine can serve, and wrong settings with their remedies."""

import os
import re
import socket
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from clerestory.cli import checkup
from clerestory.cli.lazy import imported
from clerestory.server.games.stores.schema import open_file
from clerestory.server.games.stores.store_location import StoreLocation
from tests.clients.cli.command import announced, run, started
from tests.server.rpc.secured import write_certificate

TOPICS = ["settings", "cores", "memory", "descriptors", "store", "clock", "addresses", "encryption", "page", "metrics"]
LINE = re.compile(r"(good|note|wrong) +(\w+) +(.+?); (\S.+)")
SMALL = ("--listen", "127.0.0.1:0", "--memory", str(1 << 28), "--warm-bytes", "0", "--workers", "1")


def told(*options: str, environment: dict[str, str] | None = None) -> tuple[int, dict[str, tuple[str, str]]]:
    """Return the exit code of the doctor and, by topic, how good it is and the words."""
    done = run("doctor", *SMALL, *options, **environment or {})
    lines = [LINE.fullmatch(line) for line in done.out.splitlines()]
    assert all(lines), done.out
    return done.code, {line[2]: (line[1], f"{line[3]}; {line[4]}") for line in lines if line}


def test_ten_lines_each_say_what_to_do() -> None:
    code, lines = told()
    assert [*lines] == TOPICS
    assert code == ("wrong" in {mark for mark, _ in lines.values()})


def test_the_options_are_those_of_the_server() -> None:
    def options(name: str) -> list[tuple[Sequence[str], object]]:
        return [(option.opts, option.envvar) for option in imported(name, f"serve:{name}").params]

    assert options("doctor") == options("serve")


WRONG: list[tuple[list[str], dict[str, str], str, str, str]] = [
    ([], {"CLERESTORY_GRACE": "-1"}, "settings", "wrong", "grace: -1.0 is not"),
    (["--tls-cert", "nowhere", "--tls-key", "nowhere"], {}, "settings", "wrong", "tls_cert: nowhere cannot be read"),
    (["--web-proxy", "127.0.0.1"], {}, "settings", "wrong", "web_proxy: requires web"),
    ([], {"CLERESTORY_WEB_NAME": "play.example.org"}, "settings", "wrong", "web_name: requires web"),
    (["--web", "127.0.0.1:0", "--web-page", "nowhere"], {}, "settings", "wrong", "web_page: nowhere has no index.html"),
    ([], {"CLERESTORY_WORKER": "2"}, "settings", "note", "CLERESTORY_WORKERS is meant"),
    (["--listen", "0.0.0.0:0"], {}, "settings", "wrong", "give it --tls-cert and --tls-key"),
    (["--listen", "0.0.0.0:0", "--insecure"], {}, "encryption", "note", "give --tls-cert and --tls-key"),
    (["--workers", "4096"], {}, "cores", "note", "more only take turns"),
    (["--memory", str(1 << 60)], {}, "memory", "wrong", "set --memory and --warm-bytes to"),
    (["--store", "memory:"], {}, "store", "note", "`--store user:` or a FILE keeps them"),
    (["--store", __file__], {}, "store", "wrong", "name another --store"),
    (["--store", __file__], {}, "settings", "wrong", "is not a store of games"),
    (["--listen", "unix:/nowhere/socket"], {}, "addresses", "note", "there is no such folder"),
]


@pytest.mark.parametrize(("options", "environment", "topic", "mark", "words"), WRONG)
def test_a_fault_has_its_line(
    options: list[str], environment: dict[str, str], topic: str, mark: str, words: str
) -> None:
    code, lines = told(*options, environment=environment)
    assert lines[topic][0] == mark
    assert words in lines[topic][1]
    assert code or mark != "wrong"


def test_all_faults_are_reported_at_once() -> None:
    code, lines = told("--memory", "5", "--max-time", "-1", "--web", "nowhere", "--token-file", "nowhere")
    assert code == 1
    for name in ("memory: ", "max_time: ", "web: ", "token_file: "):
        assert name in lines["settings"][1]


@pytest.mark.parametrize(
    ("options", "unknown"),
    [
        (["--tls-cert", "nowhere", "--tls-key", "nowhere", "--listen", "0.0.0.0:0"], ["encryption"]),
        (["--listen", "0.0.0.0:0"], ["addresses", "encryption"]),
        (["--web", "nowhere"], ["addresses", "page"]),
        (["--workers", "0"], ["cores"]),
        (["--metrics", "nowhere"], ["addresses", "metrics"]),
    ],
)
def test_nothing_is_called_good_that_rests_on_a_wrong_setting(options: list[str], unknown: list[str]) -> None:
    _, lines = told(*options)
    assert lines["settings"][1].count("; correct this") == 1
    assert ", and " not in lines["settings"][1]  # one fault, and none that follows from it
    assert [topic for topic, (_, words) in lines.items() if "not known without" in words] == unknown


def test_a_socket_or_an_address_in_use(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    with closing(socket.socket(socket.AF_UNIX)) as taken:
        taken.bind(str(path))
        taken.listen()
        assert "Address already in use" in told("--listen", f"unix:{path}", "--store", "memory:")[1]["addresses"][1]
    assert told("--listen", f"unix:{path}", "--store", "memory:")[1]["addresses"][0] == "good"  # a server was killed
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        _, lines = told("--metrics", address, "--store", str(tmp_path / "games"))
    assert lines["addresses"][0] == "note"
    assert address in lines["addresses"][1]


@pytest.mark.parametrize(("days", "mark"), [(30, "good"), (3, "note"), (-3, "wrong")])
def test_a_certificate_that_ends_soon(days: int, mark: str, tmp_path: Path) -> None:
    end = datetime.now(UTC) + timedelta(days)
    issued = trustme.CA().issue_cert("127.0.0.1", not_before=end - timedelta(60), not_after=end)
    write_certificate(issued, tmp_path)
    files = ("--tls-cert", str(tmp_path / "server.pem"), "--tls-key", str(tmp_path / "server.key"))
    _, lines = told(*files, "--store", "memory:")
    assert lines["encryption"][0] == mark
    assert (f"{end:%Y-%m-%d %H:%M} UTC; renew it" in lines["encryption"][1]) == (mark != "good")


def test_a_store_is_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    assert f"{path}, new" in told("--store", str(path))[1]["store"][1]
    open_file(str(path)).close()
    before = path.read_bytes()
    _, lines = told("--store", str(path))
    assert lines["store"][0] == "good"
    assert "new" not in lines["store"][1]
    assert path.read_bytes() == before


def test_a_store_in_use_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    used = StoreLocation("games.sqlite", new=False, folder=tmp_path, busy=True)

    async def look(_: str) -> StoreLocation:
        return used

    monkeypatch.setattr(checkup, "store_location", look)
    assert "in use; a further server" in told("--store", "games")[1]["store"][1]
    monkeypatch.setattr(checkup, "LITTLE", 1 << 70)
    monkeypatch.setattr(checkup, "ROOM", 1 << 70)
    assert "in use; make room" in told("--store", "games")[1]["store"][1]


@pytest.mark.system
def test_a_store_that_a_server_uses_is_in_use(tmp_path: Path) -> None:
    path = str(tmp_path / "games.sqlite")
    with started("serve", "--listen", "127.0.0.1:0", "--store", path, "--workers", "1") as process:
        announced(process)
        assert "in use; a further server" in told("--store", path)[1]["store"][1]


def test_a_damaged_store(tmp_path: Path) -> None:
    path = tmp_path / "games #1.sqlite"
    open_file(str(path)).close()
    assert told("--store", str(path))[1]["store"][0] == "good"
    os.truncate(path, 20_000)
    code, lines = told("--store", str(path))
    assert (code, lines["store"][0]) == (1, "wrong")
    assert "is damaged: " in lines["settings"][1]


def test_a_folder_in_which_nothing_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: (Path(path), mode) != (tmp_path, os.W_OK))
    code, lines = told("--store", str(tmp_path / "none" / "games"))
    assert (code, lines["store"][0]) == (1, "wrong")
    assert f"nothing can be written in {tmp_path}" in lines["settings"][1]


def test_a_disk_that_is_nearly_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkup, "ROOM", 1 << 70)
    assert told("--store", str(tmp_path / "games"))[1]["store"][0] == "note"
    monkeypatch.setattr(checkup, "LITTLE", 1 << 70)
    assert told("--store", str(tmp_path / "games"))[1]["store"][0] == "wrong"


@pytest.mark.system
def test_a_database(database: str) -> None:
    _, lines = told("--store", database)
    assert lines["store"][0] == "good"
    assert "PostgreSQL, new" in lines["store"][1]
    code, lines = told("--store", "postgresql://nobody:hidden-word@127.0.0.1:1/none")
    assert (code, lines["store"][0]) == (1, "wrong")
    assert "hidden-word" not in str(lines)


@pytest.mark.parametrize(("most", "mark"), [(256, "note"), (50, "wrong")])
def test_few_descriptors(most: int, mark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clerestory.cli.checkup.resource.getrlimit", lambda _: (most, most))
    code, lines = told("--store", "memory:")
    assert lines["descriptors"][0] == mark
    assert "to 540" in lines["descriptors"][1]
    assert code or mark != "wrong"


def test_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkup, "is_unsynchronised", lambda: True)
    assert "chrony" in told()[1]["clock"][1]
    monkeypatch.setattr(checkup, "BUILT", 1e11)
    code, lines = told()
    assert (code, lines["clock"][0]) == (1, "wrong")

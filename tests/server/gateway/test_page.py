"""The files of the page as served by the gateway."""

import gzip
from pathlib import Path

import pytest

from clerestory.server.gateway.page import read_page
from tests.server.gateway.harness import gateway, reason_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html><title>t</title>" + "x" * 2000)
    (tmp_path / "assets" / "main-1a2b.js").write_text("export {}")
    (tmp_path / "assets" / "icon.svg").write_text("<svg/>")
    return tmp_path


async def test_files_have_their_type_and_their_cache(folder: Path) -> None:
    async with gateway(page=folder) as caller:
        index = await caller.ask("GET", "/")
        script = await caller.ask("GET", "/assets/main-1a2b.js")
        icon = await caller.ask("GET", "/assets/icon.svg")
    assert (index.status, index.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert index.headers["cache-control"] == "no-cache"
    assert script.headers["content-type"] == "text/javascript; charset=utf-8"
    assert "immutable" in script.headers["cache-control"]
    assert icon.headers["content-type"] == "image/svg+xml"
    assert script.body == b"export {}"


async def test_only_a_caller_who_takes_gzip_gets_it(folder: Path) -> None:
    async with gateway(page=folder) as caller:
        packed = await caller.ask("GET", "/", accept_encoding="br, gzip")
        plain = await caller.ask("GET", "/")
        for wanted in ("gzip;q=0", "br, gzip; q=0.0", "xgzip", "*"):
            assert "content-encoding" not in (await caller.ask("GET", "/", accept_encoding=wanted)).headers
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < len(plain.body)


async def test_head_has_no_body_and_nothing_else_is_shown(folder: Path) -> None:
    async with gateway(page=folder) as caller:
        answer = await caller.ask("HEAD", "/")
        for path in ("/favicon.ico", "/assets/", "/../pyproject.toml", "/assets/..%2f..%2fetc/passwd"):
            missing = await caller.ask("GET", path)
            assert (missing.status, reason_of(missing.fields)) == (404, "NO_SUCH_METHOD"), path
    assert (answer.status, answer.body) == (200, b"")
    assert int(answer.headers["content-length"]) > 2000


async def test_an_installation_without_a_page_explains_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clerestory.server.gateway.serve.read_page", lambda _: {})
    async with gateway() as caller:
        answer = await caller.ask("GET", "/")
    assert answer.status == 503
    assert "has no web page" in answer.body.decode()


def test_a_folder_that_is_not_there_is_an_empty_page(tmp_path: Path) -> None:
    assert read_page(tmp_path / "none") == {}

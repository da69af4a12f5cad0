"""The log of a serving process, and its signals; tests/clients/cli/test_serve.py tests the server's own."""

import logging
import os
import signal
from pathlib import Path

import pytest
import trustme

from clerestory.server import lifecycle
from clerestory.server.config import Settings
from clerestory.server.lifecycle import Lifecycle
from tests.server.rpc.harness import serving, until
from tests.server.rpc.secured import accepts, trusting, write_certificate


async def lived(one: Lifecycle, *, fails: bool = False) -> None:
    with one:
        one.end("enough")
        one.end("again")
        await one.until_signalled()
        if fails:
            raise OSError


def told(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str | None]]:
    """Return the logged lifecycle events with their reasons; other servers of this process may log as well."""
    return [(one.message, vars(one).get("why")) for one in caplog.records if one.name == lifecycle.__name__]


@pytest.mark.parametrize(("fails", "why"), [(False, "enough"), (True, "OSError")])
async def test_the_end_has_its_first_cause(fails: bool, why: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    try:
        await lived(Lifecycle(), fails=fails)
    except OSError:
        assert fails
    assert told(caplog) == [("serving", None), ("draining", "enough"), ("ended", why)]


def test_a_server_that_never_served_does_not_end(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with pytest.raises(OSError, match="cannot listen"), Lifecycle():
        raise OSError("cannot listen")
    assert told(caplog) == []


@pytest.mark.system
@pytest.mark.parametrize("terminal", [False, True])
async def test_a_hangup_ends_only_a_server_without_files_that_a_terminal_began(
    terminal: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A system's service manager sends it to every server alike, and does not start again what it ends."""
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(os, "isatty", lambda _: terminal)
    async with serving(Settings(listen="127.0.0.1:0", workers=1)):
        os.kill(os.getpid(), signal.SIGHUP)
        await until(lambda: ("draining" if terminal else "no tokens and certificates") in caplog.text)
        assert ("draining" in caplog.text) == terminal


@pytest.mark.system
async def test_a_hangup_has_files_read_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    old, new = trustme.CA(), trustme.CA()
    write_certificate(old.issue_cert("127.0.0.1"), tmp_path)
    (tmp_path / "tokens").write_text("first-token-of-all")
    files = {"tls_cert": tmp_path / "server.pem", "tls_key": tmp_path / "server.key", "token_file": tmp_path / "tokens"}
    async with serving(Settings(listen="127.0.0.1:0", workers=1, **files)) as (app, _):  # type: ignore[arg-type]
        write_certificate(new.issue_cert("127.0.0.1"), tmp_path)
        (tmp_path / "tokens").write_text("second-token-of-all")
        os.kill(os.getpid(), signal.SIGHUP)
        await until(lambda: "tokens read from" in caplog.text and "certificates read from" in caplog.text)
        assert [await accepts(app, trusting(one), "second-token-of-all") for one in (old, new)] == [False, True]

"""SIGHUP ends a server, or makes it reload tokens and certificates."""

import logging
import os
import signal
from pathlib import Path

import pytest
import trustme

from clerestory.server.config import Settings
from tests.server.rpc.harness import serving, until
from tests.server.rpc.secured import accepts, trusting, write_certificate

pytestmark = pytest.mark.system


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

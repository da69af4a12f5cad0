"""Certificates that are renewed while a server runs, and those of intermediate authorities."""

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import grpc
import pytest
import trustme

from clerestory.server.app import App, serve, start
from clerestory.server.config import Settings
from clerestory.server.life import Life
from tests.server.harness import telling, until
from tests.server.test_security import games, pem

Credentials = grpc.ChannelCredentials


def write(issued: trustme.LeafCert, folder: Path) -> None:
    """Write a server's certificate chain and key over those that are there."""
    (folder / "server.pem").write_bytes(pem(issued.cert_chain_pems))
    (folder / "server.key").write_bytes(issued.private_key_pem.bytes())


def trusting(authority: trustme.CA, shown: trustme.LeafCert | None = None) -> Credentials:
    """Return the credentials of a client that trusts an authority, and shows a certificate or none."""
    if shown is None:
        return grpc.ssl_channel_credentials(authority.cert_pem.bytes())
    key, chain = shown.private_key_pem.bytes(), pem(shown.cert_chain_pems)
    return grpc.ssl_channel_credentials(authority.cert_pem.bytes(), key, chain)


async def lets_in(app: App, credentials: Credentials) -> bool:
    """Whether a new connection is accepted by both sides."""
    try:
        return await games(app, credentials) > 0
    except grpc.aio.AioRpcError as error:
        if error.code() is not grpc.StatusCode.UNAVAILABLE:
            raise
        return False


def settings(folder: Path, *, clients: bool = False) -> Settings:
    authorities = folder / "clients.pem" if clients else None
    files = {"tls_cert": folder / "server.pem", "tls_key": folder / "server.key", "tls_client_ca": authorities}
    return Settings(listen="127.0.0.1:0", workers=1, **files)  # type: ignore[arg-type]


@asynccontextmanager
async def running(chosen: Settings) -> AsyncIterator[App]:
    """Serve in this process, which then hears SIGHUP."""
    ready: asyncio.Future[App] = asyncio.get_running_loop().create_future()
    life = Life()
    serving = asyncio.ensure_future(serve(chosen, partial(telling, ready), life))
    yield await ready
    life.end("enough")
    await serving
    asyncio.get_running_loop().remove_signal_handler(signal.SIGHUP)


async def reread(caplog: pytest.LogCaptureFixture, message: str) -> None:
    """Send SIGHUP, and wait for a line in the log."""
    caplog.clear()
    os.kill(os.getpid(), signal.SIGHUP)
    await until(lambda: message in caplog.text)


async def test_a_server_shows_its_new_certificate_on_a_signal(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    old, new = trustme.CA(), trustme.CA()
    write(old.issue_cert("127.0.0.1"), tmp_path)
    async with running(settings(tmp_path)) as app:
        async with grpc.aio.secure_channel(app.address, trusting(old)) as early:
            await early.channel_ready()
            write(new.issue_cert("127.0.0.1"), tmp_path)
            assert (await lets_in(app, trusting(old)), await lets_in(app, trusting(new))) == (True, False)
            await reread(caplog, "certificates read from")
            assert (await lets_in(app, trusting(old)), await lets_in(app, trusting(new))) == (False, True)
            assert early.get_state() is grpc.ChannelConnectivity.READY
        for name in ("server.pem", "server.key"):
            (tmp_path / name).write_text("half a file")
            await reread(caplog, "certificates stay as they were: tls_")
            assert await lets_in(app, trusting(new))
        (tmp_path / "server.pem").unlink()
        await reread(caplog, "certificates stay as they were: tls_cert: ")
        assert await lets_in(app, trusting(new))


async def test_the_authorities_of_clients_are_read_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    authority, old, new = trustme.CA(), trustme.CA(), trustme.CA()
    write(authority.issue_cert("127.0.0.1"), tmp_path)
    old.cert_pem.write_to_path(tmp_path / "clients.pem")
    clients = [trusting(authority, one.issue_cert("client@example.org")) for one in (old, new)]
    async with running(settings(tmp_path, clients=True)) as app:
        assert [await lets_in(app, client) for client in clients] == [True, False]
        new.cert_pem.write_to_path(tmp_path / "clients.pem")
        await reread(caplog, "certificates read from")
        assert [await lets_in(app, client) for client in clients] == [False, True]
        assert not await lets_in(app, trusting(authority))


async def test_certificates_of_intermediate_authorities(tmp_path: Path) -> None:
    root, stranger = trustme.CA(), trustme.CA()
    write(root.create_child_ca().issue_cert("127.0.0.1"), tmp_path)
    root.cert_pem.write_to_path(tmp_path / "clients.pem")
    app = await start(settings(tmp_path, clients=True))
    shown = [one.create_child_ca().issue_cert("client@example.org") for one in (root, stranger)]
    assert [await lets_in(app, trusting(root, one)) for one in shown] == [True, False]
    await app.finish()


async def test_an_intermediate_authority_accepts_its_own_clients_alone(tmp_path: Path) -> None:
    root = trustme.CA()
    write(root.issue_cert("127.0.0.1"), tmp_path)
    ours, theirs = root.create_child_ca(), root.create_child_ca()
    ours.cert_pem.write_to_path(tmp_path / "clients.pem")
    app = await start(settings(tmp_path, clients=True))
    shown = [one.issue_cert("client@example.org") for one in (ours, theirs)]
    assert [await lets_in(app, trusting(root, one)) for one in shown] == [True, False]
    await app.finish()


@pytest.mark.parametrize(
    ("days", "words"), [(30, ""), (3, "the certificate ends at "), (-3, "the certificate ended at ")]
)
async def test_a_certificate_that_ends_soon_is_told(
    days: int, words: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """In the log at the start, and whenever it is read again; in the figures always."""
    authority, end = trustme.CA(), datetime.now(UTC).replace(microsecond=0) + timedelta(days)
    write(authority.issue_cert("127.0.0.1", not_before=end - timedelta(60), not_after=end), tmp_path)
    app = await start(settings(tmp_path))
    app.reload()
    told = [one.getMessage() for one in caplog.records if one.levelno == logging.WARNING and "SIGHUP" in one.message]
    assert len(told) == 2 * bool(words)
    assert all(f"{words}{end:%Y-%m-%d %H:%M} UTC" in one for one in told)
    figure = "clerestory_certificate_ends_seconds"
    assert app.metrics.registry.get_sample_value(figure) == end.timestamp()
    write(authority.issue_cert("127.0.0.1", not_after=end + timedelta(90)), tmp_path)
    app.reload()
    assert app.metrics.registry.get_sample_value(figure) == (end + timedelta(90)).timestamp()
    await app.finish()

"""Certificates: accepted connections, also after a renewal, and files with which a server does not start."""

import logging
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme

from clerestory.declared import BadSettings
from clerestory.server.app import start
from clerestory.server.config import Settings
from tests.server.rpc.secured import Files, accepts, running, settings, trusting, write_certificate


def of_folder(folder: Path, *, clients: bool = False) -> Settings:
    authorities = folder / "clients.pem" if clients else None
    files = {"tls_cert": folder / "server.pem", "tls_key": folder / "server.key", "tls_client_ca": authorities}
    return Settings(listen="127.0.0.1:0", workers=1, **files)  # type: ignore[arg-type]


CONNECTIONS: list[tuple[str, dict[str, str] | None, bool]] = [
    ("tls", {}, True),
    ("tls", {"trusts": "stranger"}, False),
    ("tls", None, False),
    ("mtls", {"shows": "authority"}, True),
    ("mtls", {"shows": "stranger"}, False),
    ("mtls", {}, False),
    ("mtls", None, False),
]


@pytest.mark.parametrize("part", ["tls", "mtls"])
async def test_a_connection_needs_the_right_certificates(files: Files, part: str) -> None:
    async with running(settings(files, part)) as app:
        for _, client, accepted in [one for one in CONNECTIONS if one[0] == part]:
            credentials = None
            if client is not None:
                shows = getattr(files, client["shows"]).issue_cert("client@example.org") if "shows" in client else None
                credentials = trusting(getattr(files, client.get("trusts", "authority")), shows)
            assert await accepts(app, credentials) == accepted, client


async def test_a_socket_file_can_have_a_certificate_as_well(files: Files, tmp_path: Path) -> None:
    option = (("grpc.ssl_target_name_override", "localhost"),)
    async with (
        running(settings(files, "tls", listen=f"unix:{tmp_path}/socket")) as app,
        grpc.aio.secure_channel(app.address, trusting(files.authority), options=option) as connection,
    ):
        assert await connection.unary_unary("/clerestory.v1.RulesService/ListGames")(b"")


async def test_a_renewed_certificate_is_for_new_connections(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    old, new = trustme.CA(), trustme.CA()
    write_certificate(old.issue_cert("127.0.0.1"), tmp_path)
    async with running(of_folder(tmp_path)) as app:
        async with grpc.aio.secure_channel(app.address, trusting(old)) as early:
            await early.channel_ready()
            write_certificate(new.issue_cert("127.0.0.1"), tmp_path)
            assert [await accepts(app, trusting(one)) for one in (old, new)] == [True, False]
            app.reload()
            assert "certificates read from" in caplog.text
            assert [await accepts(app, trusting(one)) for one in (old, new)] == [False, True]
            assert early.get_state() is grpc.ChannelConnectivity.READY
        for name in ("server.pem", "server.key"):
            caplog.clear()
            (tmp_path / name).write_text("half a file")
            app.reload()
            assert "certificates stay as they were: tls_" in caplog.text
            assert await accepts(app, trusting(new))


async def test_the_authorities_of_clients_are_read_again(tmp_path: Path) -> None:
    authority, old, new = trustme.CA(), trustme.CA(), trustme.CA()
    write_certificate(authority.issue_cert("127.0.0.1"), tmp_path)
    old.cert_pem.write_to_path(tmp_path / "clients.pem")
    clients = [trusting(authority, one.issue_cert("client@example.org")) for one in (old, new)]
    async with running(of_folder(tmp_path, clients=True)) as app:
        assert [await accepts(app, client) for client in clients] == [True, False]
        new.cert_pem.write_to_path(tmp_path / "clients.pem")
        app.reload()
        assert [await accepts(app, client) for client in clients] == [False, True]
        assert not await accepts(app, trusting(authority))


@pytest.mark.parametrize("alone", [False, True], ids=["of their root", "an intermediate one alone"])
async def test_clients_of_intermediate_authorities(tmp_path: Path, alone: bool) -> None:
    root, stranger = trustme.CA(), trustme.CA()
    write_certificate(root.create_child_ca().issue_cert("127.0.0.1"), tmp_path)
    ours, theirs = root.create_child_ca(), (root if alone else stranger).create_child_ca()
    (ours if alone else root).cert_pem.write_to_path(tmp_path / "clients.pem")
    async with running(of_folder(tmp_path, clients=True)) as app:
        shown = [one.issue_cert("client@example.org") for one in (ours, theirs)]
        assert [await accepts(app, trusting(root, one)) for one in shown] == [True, False]


@pytest.mark.parametrize(
    ("days", "words"), [(30, ""), (3, "the certificate ends at "), (-3, "the certificate ended at ")]
)
async def test_the_log_warns_of_it(days: int, words: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """At the start, and at each reload; the metrics always have the expiry."""
    authority, end = trustme.CA(), datetime.now(UTC).replace(microsecond=0) + timedelta(days)
    write_certificate(authority.issue_cert("127.0.0.1", not_before=end - timedelta(60), not_after=end), tmp_path)
    async with running(of_folder(tmp_path)) as app:
        app.reload()
        told = [one.getMessage() for one in caplog.records if "SIGHUP" in one.message]
        assert len(told) == 2 * bool(words)
        assert all(f"{words}{end:%Y-%m-%d %H:%M} UTC" in one for one in told)
        figure = "clerestory_certificate_ends_seconds"
        assert app.metrics.registry.get_sample_value(figure) == end.timestamp()
        write_certificate(authority.issue_cert("127.0.0.1", not_after=end + timedelta(90)), tmp_path)
        app.reload()
        assert app.metrics.registry.get_sample_value(figure) == (end + timedelta(90)).timestamp()


BAD_FILES = [
    ("tls", "tls_cert", "missing", "missing cannot be read: No such file"),
    ("tls", "tls_key", "missing", "missing cannot be read: No such file"),
    ("mtls", "tls_client_ca", "missing", "missing cannot be read: No such file"),
    ("tls", "tls_cert", "empty", "empty holds no certificate in PEM"),
    ("tls", "tls_cert", "server.key", "server.key holds no certificate in PEM"),
    ("tls", "tls_key", "empty", "empty is not the key of .*server.pem"),
    ("tls", "tls_key", "other.key", "other.key is not the key of .*server.pem"),
    ("tls", "tls_key", "server.pem", "server.pem is not the key of .*server.pem"),
    ("mtls", "tls_client_ca", "tokens", "tokens holds no certificate in PEM"),
]


@pytest.mark.parametrize(("part", "field", "name", "message"), BAD_FILES)
async def test_no_server_starts_with_a_bad_file(files: Files, part: str, field: str, name: str, message: str) -> None:
    given: dict[str, Any] = {field: files[name]}
    with pytest.raises(BadSettings, match=f"^{field}: .*{message}"):
        await start(settings(files, part, **given))

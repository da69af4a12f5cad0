"""Servers with certificates and tokens, and clients of them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme

from clerestory.server.app import App, start
from clerestory.server.config import Settings
from clerestory.v1.rules_pb2 import ListGamesRequest
from clerestory.v1.rules_pb2_grpc import RulesServiceStub

FIRST, SECOND = "first-token-of-all", "second.token~+/_=="


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),)


@dataclass(frozen=True)
class Files:
    folder: Path
    authority: trustme.CA
    stranger: trustme.CA

    def __getitem__(self, name: str) -> Path:
        return self.folder / name


def write_certificate(issued: trustme.LeafCert, folder: Path, name: str = "server") -> None:
    """Write a certificate chain and its key over those that are there."""
    (folder / f"{name}.pem").write_bytes(pem(issued.cert_chain_pems))
    (folder / f"{name}.key").write_bytes(issued.private_key_pem.bytes())


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    folder, authority, stranger = tmp_path_factory.mktemp("security"), trustme.CA(), trustme.CA()
    for name, issuer in (("server", authority), ("other", stranger)):
        write_certificate(issuer.issue_cert("127.0.0.1", "localhost"), folder, name)
    authority.cert_pem.write_to_path(folder / "ca.pem")
    (folder / "tokens").write_text(f"# those who may ask\n\n  {FIRST}  \n{SECOND}\n")
    (folder / "spaces").write_text(f"{FIRST}\nmy secret\n")
    (folder / "empty").write_text("")
    return Files(folder, authority, stranger)


def settings(files: Files, *parts: str, **others: Any) -> Settings:
    """Return the settings of a server with the parts asked for: tls, mtls, tokens."""
    fields: dict[str, Any] = {"listen": "127.0.0.1:0", "workers": 1}
    if "tls" in parts or "mtls" in parts:
        fields |= {"tls_cert": files["server.pem"], "tls_key": files["server.key"]}
    if "mtls" in parts:
        fields |= {"tls_client_ca": files["ca.pem"]}
    if "tokens" in parts:
        fields |= {"token_file": files["tokens"]}
    return Settings(**fields | others)


@asynccontextmanager
async def running(settings: Settings) -> AsyncIterator[App]:
    app = await start(settings)
    try:
        yield app
    finally:
        await app.finish()


def pem(blobs: list[trustme.Blob]) -> bytes:
    return b"".join(blob.bytes() for blob in blobs)


def trusting(authority: trustme.CA, shown: trustme.LeafCert | None = None) -> grpc.ChannelCredentials:
    """Return the credentials of a client that trusts an authority, and shows a certificate or none."""
    root = authority.cert_pem.bytes()
    if shown is None:
        return grpc.ssl_channel_credentials(root)
    return grpc.ssl_channel_credentials(root, shown.private_key_pem.bytes(), pem(shown.cert_chain_pems))


async def list_games(app: App, credentials: grpc.ChannelCredentials | None, metadata: Any = ()) -> int:
    made = (
        grpc.aio.insecure_channel(app.address)
        if credentials is None
        else grpc.aio.secure_channel(app.address, credentials)
    )
    async with made as connection:
        stub: Any = RulesServiceStub(connection)
        return len((await stub.ListGames(ListGamesRequest(), metadata=metadata)).games)


async def accepts(app: App, credentials: grpc.ChannelCredentials | None, token: str = "") -> bool:
    """Whether a new connection is accepted by both sides, and the token by the server."""
    try:
        return await list_games(app, credentials, bearer(token) if token else ()) > 0
    except grpc.aio.AioRpcError as error:
        if error.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.UNAUTHENTICATED):
            raise
        return False

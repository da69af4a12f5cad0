"""A crowd of connections with TLS, many beginning at the same time: the server goes on, and takes little memory."""

import asyncio
import ssl
from pathlib import Path
from typing import Any

import grpc
import psutil
import trustme

from clerestory.v1.rules_pb2 import ListGamesRequest
from clerestory.v1.rules_pb2_grpc import RulesServiceStub
from lab.load.server import own_server
from tests.faults.strangers import PREFACE, SETTINGS, frame, measured
from tests.faults.test_unfinished_requests import TAKEN

CROWD, AT_ONCE = 700, 20  # connections, of which 500 are let in
HALF = 250


async def come(target: str, trusted: ssl.SSLContext) -> list[asyncio.StreamWriter]:
    """Begin connections; return those that were let in."""
    host, _, port = target.rpartition(":")
    turns, made = asyncio.Semaphore(AT_ONCE), list[asyncio.StreamWriter]()

    async def one() -> None:
        async with turns:
            _, writer = await asyncio.open_connection(host, int(port), ssl=trusted)
            writer.write(PREFACE + frame(SETTINGS, 0, 0))
            made.append(writer)

    await asyncio.gather(*(one() for _ in range(CROWD)), return_exceptions=True)
    return made


async def test_the_server_goes_on_and_takes_little_memory(tmp_path: Path) -> None:
    authority = trustme.CA()
    issued, trusted = authority.issue_cert("localhost", "127.0.0.1"), ssl.create_default_context()
    authority.configure_trust(trusted)
    trusted.set_alpn_protocols(["h2"])
    issued.cert_chain_pems[0].write_to_path(tmp_path / "cert")
    issued.private_key_pem.write_to_path(tmp_path / "key")
    files = ("--tls-cert", str(tmp_path / "cert"), "--tls-key", str(tmp_path / "key"))
    with own_server("--workers", "1", *files) as server:
        before = psutil.Process(server.pid).memory_info().rss
        async with measured(server.pid) as sizes:
            made = await come(server.target, trusted)
            assert len(made) > HALF
            for writer in made:
                writer.transport.abort()
        assert server.process.poll() is None
        assert max(sizes) - before < TAKEN
        proof = grpc.ssl_channel_credentials(authority.cert_pem.bytes())
        async with grpc.aio.secure_channel(server.target, proof) as channel:
            rules: Any = RulesServiceStub(channel)
            assert (await rules.ListGames(ListGamesRequest(), wait_for_ready=True)).games

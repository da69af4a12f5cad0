"""Callers behind the Envoy of deploy/: the servers distinguish them by address, regardless of claimed names."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc
import pytest

from clerestory.clients.wire import position_message
from clerestory.engine import game
from clerestory.server.rpc.callers import ON_BEHALF
from clerestory.v1.advisor_pb2 import RecommendMoveRequest
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceStub
from loadtest.replicas import in_front
from loadtest.server import own_server

QUESTION = RecommendMoveRequest(position=position_message(game("toy").new(2, 1)), iterations=1)


async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(1 << 16):
        writer.write(data)
    writer.close()


@asynccontextmanager
async def from_address(address: str, target: str) -> AsyncIterator[str]:
    """Yield an address whose only connection reaches another one from an address of this machine."""
    host, _, port = target.rpartition(":")
    done = asyncio.Event()

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there = await asyncio.open_connection(host, int(port), local_addr=(address, 0))
        await asyncio.gather(pass_on(reader, there[1]), pass_on(there[0], writer))
        done.set()

    server = await asyncio.start_server(relay, "127.0.0.1", 0)
    yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    server.close()
    await done.wait()


async def ask(target: str, *metadata: tuple[str, str]) -> None:
    async with grpc.aio.insecure_channel(target) as channel:
        await AdvisorServiceStub(channel).RecommendMove(QUESTION, metadata=metadata, timeout=600)


@pytest.mark.system
async def test_each_address_is_a_caller_and_names_no_other(envoy: str, capfd: pytest.CaptureFixture[str]) -> None:
    logs = ("--log-level", "info", "--log-format", "json")
    with own_server("--workers", "1", *logs) as server, in_front(envoy, [server.target] * 2) as target:
        await ask(target)
        await ask(target, (ON_BEHALF, "somebody.else"))
        async with from_address("127.0.0.2", target) as other:
            await ask(other)
    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines() if '"caller":' in line]
    assert [line["caller"] for line in lines] == ["peer:127.0.0.1/127.0.0.1"] * 2 + ["peer:127.0.0.1/127.0.0.2"]

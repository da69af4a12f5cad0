"""A server without calls writes no log, however often its periodic work runs."""

import asyncio
import urllib.request
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import grpc
import pytest
from grpc_health.v1.health_pb2 import HealthCheckRequest
from grpc_health.v1.health_pb2_grpc import HealthStub

from clerestory.clients.connection import dial
from clerestory.server.games import due
from clerestory.server.games import manager as manager
from clerestory.server.games.stores import heartbeat
from clerestory.server.gateway.config import GatewaySettings
from clerestory.server.gateway.serve import opened
from clerestory.v1 import games_pb2 as games
from tests.server.games.table import PERSON
from tests.server.rpc.harness import FORMATS, Served, logged, served, until

ROUNDS = 5  # of all periodic work
SOON = 0.002  # seconds, in place of seconds, minutes and hours
OFTEN = 0.05  # seconds between heartbeats
FORGIVEN = 1000  # heartbeats that a server may miss before it counts as dead, which it would log
PERIODS = {
    manager: ("STORE_COUNT_INTERVAL_S", "HEALTH_CHECK_INTERVAL_S", "CLEANUP_INTERVAL_S"),
    due: ("SCAN_INTERVAL_S", "MIN_SCAN_INTERVAL_S"),
}
HOURLY = ("forget_requests", "tally", "due")  # methods of a store that periodic work calls


def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, names in PERIODS.items():
        for name in names:
            monkeypatch.setattr(module, name, SOON)
    monkeypatch.setattr(heartbeat, "BEAT", OFTEN)
    monkeypatch.setattr(heartbeat, "MISSED", FORGIVEN)


def counted(monkeypatch: pytest.MonkeyPatch, store: Any) -> list[AsyncMock]:
    asked = {name: AsyncMock(wraps=getattr(store, name)) for name in HOURLY}
    for name, ask in asked.items():
        monkeypatch.setattr(store, name, ask)
    return [*asked.values()]


async def watched_from_outside(server: Served, page: str, metrics: int) -> None:
    """Call a server like a load balancer, Prometheus, and a user who opens the page."""
    await HealthStub(server.channel).Check(HealthCheckRequest())
    for url in (page, f"http://127.0.0.1:{metrics}/metrics"):
        with await asyncio.to_thread(urllib.request.urlopen, url) as answer:
            assert answer.status == 200


async def idle(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = counted(monkeypatch, server.app.manager.store)
    assert server.app.exposition is not None
    async with opened(GatewaySettings("127.0.0.1:0"), dial(server.app.address, None, None, retries=False)) as gateway:
        await watched_from_outside(server, gateway.url, server.app.exposition.port)
        await until(lambda: all(one.await_count >= ROUNDS for one in rounds))


async def begun(server: Served) -> None:
    await server.games.CreateGame(games.CreateGameRequest(game="toy", seats=[PERSON, PERSON]))


@pytest.mark.parametrize("form", FORMATS)
async def test_an_idle_server_logs_nothing(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = str(tmp_path / "games.sqlite")
    async with served(store=store) as server:
        await begun(server)
    hurry(monkeypatch)
    with logged(form) as log:
        async with served(store=store, metrics="127.0.0.1:0", forget_games_after=30.0) as server:
            await idle(server, monkeypatch)
    assert log.getvalue() == ""


@pytest.mark.system
async def test_with_a_database_it_logs_nothing(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)
    with logged("text") as log:
        async with served(store=database, metrics="127.0.0.1:0") as server:
            await idle(server, monkeypatch)
    assert log.getvalue() == ""


async def test_a_call_is_logged() -> None:
    with logged("text") as log:
        async with served() as server, grpc.aio.insecure_channel(server.app.address):
            await begun(server)
    assert log.getvalue().count("CreateGame") == 1

"""Options of gRPC: names that it knows, and what they let callers do."""

import asyncio
import re
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc._cython import cygrpc
from grpc_health.v1.health_pb2 import HealthCheckRequest
from grpc_health.v1.health_pb2_grpc import HealthStub

from clerestory.v1.rules_pb2 import ListGamesRequest
from clerestory.v1.rules_pb2_grpc import RulesServiceStub
from tests.packages import ROOT, sources
from tests.server.rpc.harness import served
from tests.servers import running_server

OPTION = re.compile(r'\("(grpc\.[\w.]+)", ')
CONNECTIONS, CALLS = 19, 100  # of a crowd, and calls of each
OWN = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0)]
PINGS = [  # of an impatient caller in another language
    ("grpc.keepalive_time_ms", 6_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.use_local_subchannel_pool", 1),
]


def test_grpc_knows_every_option_that_is_set() -> None:
    """gRPC ignores unknown names without a word."""
    known = Path(cygrpc.__file__).read_bytes()
    names = {name for path in sources() for name in OPTION.findall((ROOT / path).read_text())}
    assert "grpc.so_reuseport" in names
    assert {name for name in names if name.encode() + b"\0" not in known} == set()


@pytest.mark.system
def test_a_quiet_call_may_be_pinged_every_six_seconds() -> None:
    """With gRPC's default of five minutes, the third ping ends the connection."""
    with running_server() as target, grpc.insecure_channel(target, PINGS) as channel:
        watching = HealthStub(channel).Watch(HealthCheckRequest(), timeout=30)
        next(watching)
        with pytest.raises(grpc.RpcError) as ended:
            next(watching)
    assert ended.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED, ended.value.details()


def call_together(target: str, made: threading.Event) -> "Counter[str]":
    """Make calls on connections of their own, all of them before any is waited for; return how they ended."""
    channels = [grpc.insecure_channel(target, OWN) for _ in range(CONNECTIONS)]
    stubs: list[Any] = [RulesServiceStub(channel) for channel in channels]
    for channel in channels:
        grpc.channel_ready_future(channel).result()
    calls = [stub.ListGames.future(ListGamesRequest()) for stub in stubs for _ in range(CALLS)]
    made.set()
    ends = Counter(call.code().name for call in calls)
    for channel in channels:
        channel.close()
    return ends


@pytest.mark.system
async def test_thousands_of_calls_that_come_while_the_server_is_busy_are_answered_or_refused() -> None:
    """None of them is dropped without a reason."""
    made = threading.Event()
    async with served() as server:
        ends = asyncio.ensure_future(asyncio.to_thread(call_together, server.app.address, made))
        await asyncio.sleep(0)
        made.wait()  # here, where the server runs
        found = await ends
    assert found.total() == CONNECTIONS * CALLS
    assert set(found) <= {"OK", "RESOURCE_EXHAUSTED"}

"""Very many concurrent calls on one connection: each is answered, or refused with a reason."""

import asyncio
from collections import Counter
from typing import Any

import grpc
import pytest
from google.rpc.error_details_pb2 import ErrorInfo
from grpc_status import rpc_status

from clerestory.clients.wire import duration, position_message
from clerestory.v1.advisor_pb2 import RecommendMoveRequest
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceStub
from lab.load.server import ServerProcess
from tests.faults.conftest import POSITION

REQUEST = RecommendMoveRequest(position=position_message(POSITION), time_budget=duration(2), early_stop=False)
PATIENCE = 500.0  # seconds, on a machine that has other things to do
OPTIONS = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0)]


def end_of(error: Any) -> str:
    """Return the reason of a failed call, or its code if it has none."""
    status, info = rpc_status.from_call(error), ErrorInfo()
    if status is not None and any(detail.Unpack(info) for detail in status.details):
        return info.reason
    return f"{error.code().name}: {error.details()}"


async def burst(target: str, calls: int) -> Counter[str]:
    async with grpc.aio.insecure_channel(target, OPTIONS) as channel:
        advisor: Any = AdvisorServiceStub(channel)

        async def one() -> str:
            try:
                return "answered" if (await advisor.RecommendMove(REQUEST, timeout=PATIENCE)).lines else "empty"
            except grpc.aio.AioRpcError as error:
                return end_of(error)

        return Counter(await asyncio.gather(*(one() for _ in range(calls))))


@pytest.mark.parametrize("calls", [200, pytest.param(2000, marks=pytest.mark.slow)])
async def test_every_call_of_a_burst_is_answered_or_refused_with_a_reason(server: ServerProcess, calls: int) -> None:
    ends = await burst(server.target, calls)
    assert set(ends) == {"answered", "BUSY"}
    assert ends.total() == calls
    assert ends["answered"] >= 64

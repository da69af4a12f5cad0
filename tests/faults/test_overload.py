"""More calls, trees and games than a server has room for: each call is answered, or rejected with a reason."""

import asyncio
import os
import resource
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import grpc
import psutil
import pytest

from clerestory.cli.servers import embedded_child
from clerestory.clients import Advisor, AsyncAdvisor
from clerestory.clients.errors import Busy
from clerestory.clients.wire import duration, position_message
from clerestory.service_errors import Reason
from clerestory.v1 import games_pb2 as games
from clerestory.v1.advisor_pb2 import RecommendMoveRequest
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceStub
from clerestory.v1.games_pb2_grpc import GameServiceStub
from loadtest.faults.wires import grpc_ending
from loadtest.openloop import watch_memory
from loadtest.server import ServerProcess, own_server
from tests.faults.conftest import POSITION
from tests.faults.disks import fill
from tests.server.games.earlier import unpack_file
from tests.server.games.table import OPEN, PERSON
from tests.server.rpc.harness import assert_reason

REQUEST = RecommendMoveRequest(position=position_message(POSITION), time_budget=duration(2), early_stop=False)
PATIENCE = 500.0  # seconds, on a busy machine
OPTIONS = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0)]


MIB = 1 << 20
CROWD = 64


async def test_all_trees_together_keep_to_the_memory_of_the_server() -> None:
    """Without a limit, two workers fill some 200 MiB in two seconds."""
    limits = ("--workers", "2", "--max-searches", str(CROWD), "--memory", str(64 * MIB), "--min-iterations", "1")
    with own_server(*limits) as server:
        process, sizes = psutil.Process(server.pid), list[int]()
        async with AsyncAdvisor(server.target) as advisor:
            await advisor.recommend(POSITION, iterations=50)
            before = process.memory_info().rss
            watching = asyncio.ensure_future(watch_memory(process, sizes))
            asked = (advisor.recommend(POSITION, 2.0, early_stop=False) for _ in range(CROWD))
            answers = await asyncio.gather(*asked)
            watching.cancel()
    assert all(answer.best is not None for answer in answers)
    assert sum(answer.tree_bytes for answer in answers) <= 64 * MIB
    assert max(sizes) - before <= (64 + 24) * MIB


def exhausted(process: psutil.Process, advisor: Advisor) -> bool:
    """Leave a server less memory than a large tree needs; return whether it reports this."""
    process.rlimit(resource.RLIMIT_AS, (process.memory_info().vms + 16 * MIB, process.rlimit(resource.RLIMIT_AS)[1]))
    try:
        advisor.recommend(POSITION, iterations=500)
    except Busy as busy:
        return "no memory" in str(busy)
    return False


def test_a_server_says_that_its_machine_has_no_memory_and_recovers(server: ServerProcess) -> None:
    process = psutil.Process(server.pid)
    with Advisor(server.target, retries=False) as advisor:
        advisor.recommend(POSITION, iterations=50, memory=MIB)  # leaves nothing that a large tree could use
        unlimited = process.rlimit(resource.RLIMIT_AS)
        assert exhausted(process, advisor)
        process.rlimit(resource.RLIMIT_AS, unlimited)
        assert advisor.recommend(POSITION, iterations=50).best is not None


async def burst(target: str, calls: int) -> Counter[str]:
    async with grpc.aio.insecure_channel(target, OPTIONS) as channel:
        advisor: Any = AdvisorServiceStub(channel)

        async def one() -> str:
            try:
                return "answered" if (await advisor.RecommendMove(REQUEST, timeout=PATIENCE)).lines else "empty"
            except grpc.aio.AioRpcError as error:
                ending = grpc_ending(error)
                return ending.reason or str(ending)

        return Counter(await asyncio.gather(*(one() for _ in range(calls))))


@pytest.mark.parametrize("calls", [200, pytest.param(2000, marks=pytest.mark.slow)])
async def test_every_call_of_a_burst_is_answered_or_rejected_with_a_reason(server: ServerProcess, calls: int) -> None:
    ends = await burst(server.target, calls)
    assert set(ends) == {"answered", "BUSY"}
    assert ends.total() == calls
    assert ends["answered"] >= 64


def test_a_server_killed_on_a_full_disk_starts_again(small_disk: Path, capfd: pytest.CaptureFixture[str]) -> None:
    store = unpack_file(small_disk / "games.sqlite")
    create = games.CreateGameRequest(game="toy", seats=[PERSON, OPEN], options=games.GameOptions(listed=True))
    with embedded_child("--store", store, "--workers", "1") as child, grpc.insecure_channel(child.target) as channel:
        stub: Any = GameServiceStub(channel)
        made = stub.CreateGame(create)
        ballast = fill(small_disk)
        with pytest.raises(grpc.RpcError) as caught:
            while True:
                stub.CreateGame(create)
        assert_reason(caught.value, Reason.DISK_FULL)
        os.kill(child.process, signal.SIGKILL)
    fill(small_disk)
    capfd.readouterr()
    with embedded_child("--store", store, "--workers", "1") as child, grpc.insecure_channel(child.target) as channel:
        stub = GameServiceStub(channel)
        look = games.GetGameRequest(game_id=made.game.game_id, tokens=[made.owner_token])
        assert stub.GetGame(look).game.version == made.game.version
        with pytest.raises(grpc.RpcError) as caught:
            stub.CreateGame(create, timeout=300)
        assert_reason(caught.value, Reason.DISK_FULL)
        ballast.unlink()
        stub.CreateGame(create)
    told_it = capfd.readouterr().err
    assert "no space on the disk of" in told_it
    assert "games can be shown, but not changed" in told_it

"""A database that neither answers nor closes: a server says so to its callers, and ends when it is told to."""

import asyncio
import signal
import sys
from typing import Any

import grpc
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub

from clerestory.refusals import Reason
from clerestory.v1 import games_pb2 as games
from clerestory.v1.games_pb2_grpc import GameServiceStub
from tests.games.proxy import proxied
from tests.games.table import PERSON
from tests.server.harness import assert_reason, refusal

SERVE = ("-m", "clerestory", "serve", "--listen", "127.0.0.1:0", "--workers", "1", "--grace", "2", "--store")
PATIENCE = 300.0  # seconds; a server that waits for its database never ends


async def test_a_server_ends_while_its_database_is_silent(database: str) -> None:
    async with proxied(database) as proxy:
        process = await asyncio.create_subprocess_exec(
            sys.executable, *SERVE, proxy.address, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
        )
        assert process.stdout is not None
        try:
            ready = (await process.stdout.readline()).decode()
            async with grpc.aio.insecure_channel(ready.split()[3]) as channel:
                stub: Any = GameServiceStub(channel)
                made = await stub.CreateGame(games.CreateGameRequest(game="toy", seats=[PERSON, PERSON]))
                look = games.GetGameRequest(game_id=made.game.game_id, tokens=[made.owner_token])
                proxy.silent = True
                assert_reason(await refusal(stub.GetGame(look, timeout=PATIENCE)), Reason.STORE_FAILED)
                await unhealthy(channel)
                waiting = [asyncio.ensure_future(stub.GetGame(look)) for _ in range(20)]
                await asyncio.sleep(0.2)
                process.send_signal(signal.SIGTERM)
                assert await asyncio.wait_for(process.wait(), PATIENCE) == 0
                assert all(isinstance(one, Exception) for one in await asyncio.gather(*waiting, return_exceptions=True))
        finally:
            if process.returncode is None:
                process.kill()


async def unhealthy(channel: grpc.aio.Channel) -> None:
    """Wait until health says so of the games, and still not of the rest."""
    stub: Any = HealthStub(channel)
    while (await stub.Check(of("clerestory.v1.GameService"))).status != HealthCheckResponse.NOT_SERVING:
        await asyncio.sleep(0.1)
    for name in ("", "clerestory.v1.AdvisorService"):
        assert (await stub.Check(of(name))).status == HealthCheckResponse.SERVING


def of(name: str) -> HealthCheckRequest:
    return HealthCheckRequest(service=name)

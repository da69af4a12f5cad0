"""Under load and under each kind of fault a real server makes the right alert fire, and no other."""

import asyncio
import os
import signal
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import grpc
import pytest
from prometheus_client.parser import text_string_to_metric_families

from clerestory.clients.wire import position_message
from clerestory.v1 import games_pb2 as games
from clerestory.v1.advisor_pb2 import RecommendMoveRequest
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceStub
from clerestory.v1.games_pb2_grpc import GameServiceStub
from lab.load.server import ServerProcess, free_port, own_server
from tests.deploy.promtool import assert_fired
from tests.faults.conftest import POSITION
from tests.faults.disks import fill
from tests.games.proxy import proxied
from tests.games.table import PERSON
from tests.server.harness import duration

pytestmark = pytest.mark.slow

EVERY = 0.4  # seconds between two scrapes, which count as 15
SCRAPES = 30  # of a fault: seven and a half minutes
MACHINE = {"AnswersLate"}  # what other work on the machine may cause as well, where searches run
OPTIONS = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0)]
CREATE = games.CreateGameRequest(game="toy", seats=[PERSON, PERSON])
STRANGER = [("authorization", "Bearer no-token-of-this-server")]


class Scrapes:
    """What Prometheus would have of a server.

    Args:
        port: of its metrics.
    """

    def __init__(self, port: int) -> None:
        self._port, self._number = port, 0
        self._values: dict[str, list[str]] = {}

    def take(self) -> None:
        """Scrape once."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/metrics", timeout=20) as answer:
                found = dict(samples(answer.read().decode()))
        except OSError:
            found = {}
        self._note({**found, 'up{job="clerestory",instance="here"}': str(int(bool(found)))})

    def _note(self, found: dict[str, str]) -> None:
        for series in {*self._values, *found}:
            values = self._values.setdefault(series, ["_"] * self._number)
            gone = "stale" if values and values[-1] not in ("_", "stale") else "_"
            values.append(found.get(series, gone))
        self._number += 1

    async def go_on(self, times: int = SCRAPES) -> None:
        """Scrape for a while."""
        for _ in range(times):
            await asyncio.to_thread(self.take)
            await asyncio.sleep(EVERY)

    def assert_fired(self, folder: Path, *alerts: str, besides: set[str] | None = None) -> None:
        """Require that exactly these alerts have fired, but for some that may have."""
        series = {name: " ".join(values) for name, values in self._values.items()}
        assert_fired(folder, series, alerts, self._number, besides or set())


def samples(text: str) -> Iterator[tuple[str, str]]:
    """Yield the series of an exposition, each with its value."""
    for family in text_string_to_metric_families(text):
        for one in family.samples:
            labels = ",".join(f'{name}="{value}"' for name, value in {**one.labels, "instance": "here"}.items())
            if not one.name.endswith("_created"):
                yield f"{one.name}{{{labels}}}", "_" if one.value != one.value else f"{one.value:f}"


@contextmanager
def scraped(*options: str, port: int | None = None) -> Iterator[tuple[ServerProcess, Scrapes]]:
    """Yield a server with metrics."""
    port = port or free_port()
    with own_server("--workers", "2", "--metrics", f"127.0.0.1:{port}", *options) as server:
        yield server, Scrapes(port)


@asynccontextmanager
async def busy(*works: Callable[[], Any], callers: int = 1) -> AsyncIterator[None]:
    """Repeat work meanwhile, whatever becomes of it."""

    async def repeat(work: Callable[[], Any]) -> None:
        while True:
            with suppress(Exception):
                await work()
            await asyncio.sleep(0)

    tasks = [asyncio.ensure_future(repeat(work)) for work in works for _ in range(callers)]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def asking(advisor: Any, seconds: float, name: str = "", metadata: Any = ()) -> Callable[[], Any]:
    """Return what asks once for a move."""
    request = RecommendMoveRequest(position=position_message(POSITION), time_budget=duration(seconds), early_stop=False)
    sent = [*metadata, *([("x-on-behalf-of", name)] if name else [])]
    return lambda: advisor.RecommendMove(request, metadata=sent, timeout=60)


# -- load ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "alert"), [(("anna",), "CallerRefused"), (("anna", "ben", "carl"), "CallersRefused")]
)
async def test_refused_callers_fire(tmp_path: Path, names: tuple[str, ...], alert: str) -> None:
    with scraped("--max-searches", "4") as (server, scrapes):
        async with grpc.aio.insecure_channel(server.target, OPTIONS) as channel:
            works = [asking(AdvisorServiceStub(channel), 1.0, name) for name in names]
            async with busy(*works, callers=60):
                await scrapes.go_on()
    scrapes.assert_fired(tmp_path, alert, besides=MACHINE)


async def test_strangers_fire(tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text("the-token-of-this-server")
    with scraped("--token-file", str(tmp_path / "tokens")) as (server, scrapes):
        async with (
            grpc.aio.insecure_channel(server.target, OPTIONS) as channel,
            busy(asking(AdvisorServiceStub(channel), 0.3, metadata=STRANGER), callers=20),
        ):
            await scrapes.go_on()
    scrapes.assert_fired(tmp_path, "StrangersCall")


# -- a machine that fails --------------------------------------------------------------------------


async def test_a_server_that_is_killed_again_and_again_fires(tmp_path: Path) -> None:
    port = free_port()
    scrapes = Scrapes(port)
    for _ in range(3):
        with scraped(port=port) as (server, _):
            await scrapes.go_on(4)
            os.kill(server.pid, signal.SIGKILL)
        scrapes.take()
    scrapes.assert_fired(tmp_path, "ServerRestarts")
    await scrapes.go_on(5)
    scrapes.assert_fired(tmp_path, "ServerRestarts", "ServerDown")


# -- a store that fails ----------------------------------------------------------------------------


async def test_a_silent_database_fires(tmp_path: Path, database: str) -> None:
    async with proxied(database) as proxy, AsyncExitStack() as around:
        serving = scraped("--grace", "2", "--store", proxy.address)
        server, scrapes = await asyncio.to_thread(serving.__enter__)  # the proxy works meanwhile
        around.push_async_callback(asyncio.to_thread, serving.__exit__, None, None, None)
        async with grpc.aio.insecure_channel(server.target, OPTIONS) as channel:
            await GameServiceStub(channel).CreateGame(CREATE)
            await scrapes.go_on(5)
            proxy.silent = True
            await scrapes.go_on(2 * SCRAPES)
    scrapes.assert_fired(tmp_path, "StoreDown")


async def test_a_full_disk_fires(tmp_path: Path, small_disk: Path) -> None:
    with scraped("--store", str(small_disk / "games")) as (server, scrapes):
        async with grpc.aio.insecure_channel(server.target, OPTIONS) as channel:
            await scrapes.go_on(2)
            fill(small_disk)
            with pytest.raises(grpc.aio.AioRpcError):
                while True:
                    await GameServiceStub(channel).CreateGame(CREATE)
            await scrapes.go_on(8)
    scrapes.assert_fired(tmp_path, "DiskShort", "StoreFull")

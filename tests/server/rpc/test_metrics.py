"""Server metrics: resources used and available, rejected callers, and whether games continue."""

import math
import shutil
import socket
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from clerestory.clients.wire import duration
from clerestory.server import app
from clerestory.server.games import due
from clerestory.server.games.store import StoreError, StoreFull
from clerestory.server.rpc import metrics
from clerestory.server.rpc.metrics import CALLERS, OTHER, Metrics
from clerestory.v1 import games_pb2 as games
from clerestory.v1.advisor_pb2 import AnalyzeRequest
from tests.server.games.table import BOT, PERSON
from tests.server.rpc.harness import Served, full_server, long_question, question, refusal, served, until


def figure(server: Served | CollectorRegistry, name: str, **labels: str) -> float | None:
    registry = server if isinstance(server, CollectorRegistry) else server.app.metrics.registry
    return registry.get_sample_value(f"clerestory_{name}", labels)


def figures(server: Served, *names: str) -> list[float]:
    return [found for name in names if (found := figure(server, name)) is not None]


async def test_calls_and_searches_are_counted(server: Served) -> None:
    for _ in range(3):
        await server.advisor.RecommendMove(question(iterations=20))
    await refusal(server.advisor.RecommendMove(question()))
    method = "AdvisorService/RecommendMove"
    bad = {"code": "INVALID_ARGUMENT", "reason": "BAD_TIME_BUDGET"}
    assert figure(server, "calls_total", method=method, code="OK", reason="", via="grpc") == 3
    assert figure(server, "calls_total", method=method, **bad, via="grpc") == 1
    assert figure(server, "call_seconds_count", method=method) == 4
    assert figure(server, "searches_total", method="RecommendMove", stop_reason="iterations") == 3
    assert figures(server, "iterations_total", "workers") == [60, 1]
    assert figure(server, "queue_wait_seconds_count", method="RecommendMove") == 3
    assert figure(server, "budget_used_seconds_count", method="RecommendMove") == 3
    assert figure(server, "warnings_total", reason="FEW_ITERATIONS") == 3


async def test_searches_under_way_and_rejected_are_counted() -> None:
    async with full_server() as server:
        await refusal(server.advisor.RecommendMove(question(iterations=1)))
        assert figures(server, "running", "admitted") == [1, 1]
        assert figure(server, "shed_total", method="AdvisorService/RecommendMove") == 1


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(due, "SCAN_INTERVAL_S", 0.02)
    monkeypatch.setattr(due, "MIN_SCAN_INTERVAL_S", 0.005)


async def test_used_resources_are_within_their_limits(tmp_path: Path) -> None:
    async with served(store=str(tmp_path / "games")) as server:
        used = figures(server, "memory_bytes", "store_free_bytes", "descriptors")
        limits = figures(server, "memory_limit_bytes", "store_disk_bytes", "descriptors_limit")
        assert len(used) == len(limits) == 3
        assert all(0 < one < limit for one, limit in zip(used, limits, strict=True))
        assert limits[1] == shutil.disk_usage(tmp_path).total
        assert figure(server, "store_up") == 1


async def test_a_store_in_memory_has_no_disk(server: Served) -> None:
    assert all(math.isnan(one) for one in figures(server, "store_free_bytes", "store_disk_bytes"))


@pytest.mark.usefixtures("busy")
async def test_a_disk_that_is_gone_leaves_all_other_figures(tmp_path: Path) -> None:
    folder = tmp_path / "volume"
    async with served(store=str(folder / "games")) as server:
        shutil.rmtree(folder)
        assert b"clerestory_store_free_bytes NaN" in generate_latest(server.app.metrics.registry)
        await until(lambda: figure(server, "store_up") == 0)


async def test_a_disk_that_is_silent_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(app, "disk_usage", asked.append)
    async with served(store=str(tmp_path / "games")) as server:
        monkeypatch.setattr(type(server.app.manager), "healthy", False)
        assert all(math.isnan(one) for one in figures(server, "store_free_bytes", "store_disk_bytes"))
        assert asked == []


async def test_rejections_are_counted_by_caller() -> None:
    async with served(max_searches=1) as server:
        long = [server.advisor.RecommendMove(long_question(), metadata=behalf(name)) for name in ("anna", "ben")]
        await until(lambda: server.app.scheduler.admitted == len(long))
        for name in ("anna", "anna", "ben"):
            await refusal(server.advisor.RecommendMove(question(iterations=1), metadata=behalf(name)))
        counted = {name: refused(server.app.metrics.registry, f"peer:127.0.0.1/{name}") for name in ("anna", "ben")}
    assert counted == {"anna": 2, "ben": 1}


def behalf(name: str) -> list[tuple[str, str]]:
    return [("x-on-behalf-of", name)]


def refused(registry: CollectorRegistry, caller: str) -> float | None:
    return figure(registry, "rejected_calls_total", caller=caller, code="RESOURCE_EXHAUSTED")


def test_only_calls_without_a_place_are_shed() -> None:
    told = Metrics()
    for reason in ("BUSY", "TOO_MANY_GAMES", "DISK_FULL"):
        told.count_call("any", "RESOURCE_EXHAUSTED", reason, "grpc", 0.1)
    assert figure(told.registry, "shed_total", method="any") == 1


def test_only_a_few_callers_have_separate_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    told, clock = Metrics(), [1000.0]
    monkeypatch.setattr(metrics, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    for number in range(CALLERS + 5):
        told.count_rejected(f"caller {number}", "RESOURCE_EXHAUSTED")
    assert refused(told.registry, f"caller {CALLERS - 1}") == 1
    assert refused(told.registry, f"caller {CALLERS}") is None
    assert refused(told.registry, OTHER) == 5
    clock[0] += 2 * metrics.REMEMBERED
    told.count_rejected("a new one", "RESOURCE_EXHAUSTED")
    assert refused(told.registry, "a new one") == 1
    assert refused(told.registry, "caller 0") is None


def waiting_for_the_server(server: Served) -> float | None:
    return figure(server, "games_waiting", kind="people")


async def test_games_that_wait_for_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(due, "MAX_TASKS", 0)
    async with served() as server:
        await server.games.CreateGame(games.CreateGameRequest(game="toy", seats=[BOT, PERSON]))
        await until(lambda: waiting_for_the_server(server) == 1)
        assert figure(server, "games_waiting", kind="bots") == 0


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize(
    ("what", "name", "error"),
    [("store", "append", StoreFull("full")), ("store", "later", StoreError("broken")), ("choice", "", ValueError())],
)
async def test_games_wait_for_a_move(
    server: Served, what: str, name: str, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also while the server tries again, which is all that it does in this test."""
    tried = []

    async def fail(*_: Any, **__: Any) -> None:
        tried.append(waiting_for_the_server(server))
        raise error

    with monkeypatch.context() as patch:
        if what == "store":
            patch.setattr(server.app.manager.store, name, fail)
        else:
            patch.setattr(server.app.manager._due._mover, "_choose", fail)
        await server.games.CreateGame(games.CreateGameRequest(game="toy", seats=[BOT, PERSON]))
        await until(lambda: len(tried) > 3)
        assert tried[0] == 0
        assert {*tried[1:]} == {1}
        assert figure(server, "games_waiting", kind="bots") == 0
    await until(lambda: waiting_for_the_server(server) == 0)


@pytest.mark.usefixtures("busy")
async def test_a_game_that_is_deleted_waits_no_longer(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    store = server.app.manager.store
    monkeypatch.setattr(store, "append", AsyncMock(side_effect=StoreFull("full")))
    await server.games.CreateGame(games.CreateGameRequest(game="toy", seats=[BOT, PERSON]))  # type: ignore[misc]
    await until(lambda: waiting_for_the_server(server) == 1)
    server.app.manager.cache.drop(await store.delete_untouched(1 << 62, 1))
    await until(lambda: waiting_for_the_server(server) == 0)


MARGIN, SEARCHES = "deadline_margin_seconds_count", "queue_wait_seconds_count"


def counted(server: Served, name: str) -> dict[str, float]:
    methods = {"RecommendMove", "Analyze", "Bot", ""}
    return {method: found for method in methods if (found := figure(server, name, method=method)) is not None}


async def test_a_search_is_counted_for_what_asked(server: Served) -> None:
    made = await server.games.CreateGame(games.CreateGameRequest(game="toy", seats=[BOT, BOT]))
    watched = games.WatchGameRequest(game_id=made.game.game_id, tokens=[made.owner_token])
    async for state in server.games.WatchGame(watched):
        if state.game.status == games.GAME_STATUS_OVER:
            break
    assert {*counted(server, SEARCHES)} == {"Bot"}
    await server.advisor.RecommendMove(question(iterations=1))
    async for _ in server.advisor.Analyze(AnalyzeRequest(question=question(iterations=1))):
        pass
    assert {*counted(server, SEARCHES)} == {"Bot", "RecommendMove", "Analyze"}


async def test_only_answers_to_a_requested_time_can_be_late(server: Served) -> None:
    await server.advisor.RecommendMove(question(iterations=1))
    assert counted(server, SEARCHES) == {"RecommendMove": 1}
    assert counted(server, MARGIN) == {}
    await server.advisor.RecommendMove(question(iterations=1, time_budget=duration(60)))
    assert counted(server, MARGIN) == {"RecommendMove": 1}


def test_an_address_in_use_is_named() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(OSError, match=f"cannot listen on {address}: "):
            metrics.expose(Metrics(), address)

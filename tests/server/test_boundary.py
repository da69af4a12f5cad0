"""What every call gets: an identifier, a log line, and metrics."""

import asyncio
import hashlib
import io
import json
import logging
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.rpc.error_details_pb2 import RequestInfo
from grpc_channelz.v1.channelz_pb2 import GetServersRequest
from grpc_channelz.v1.channelz_pb2_grpc import ChannelzStub
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub

from clerestory.server.once import AskedOnce
from clerestory.v1.rules_pb2 import ListGamesRequest
from clerestory.v1.rules_pb2_grpc import RulesServiceStub
from tests.conftest import TOKEN
from tests.server.harness import FORMATS, Served, details, logged, long_question, question, refusal, served, until


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What is logged as JSON."""
    with logged("json") as written:
        yield written


def calls(log: io.StringIO) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    return [line for line in lines if line["event"] == "call"]


def metadata(pairs: Any) -> dict[str, Any]:
    return dict(pairs)


@pytest.mark.parametrize(
    ("given", "kept"), [("game-7:ply_12.a", True), ("x" * 64, True), ("x" * 65, False), ("a b", False), ("", False)]
)
async def test_a_call_keeps_its_identifier_if_it_is_fit(given: str, kept: bool, log: io.StringIO) -> None:
    async with served() as server:
        call = server.advisor.RecommendMove(question(iterations=1), metadata=(("x-request-id", given),))
        await call
        answered = metadata(await call.trailing_metadata())["x-request-id"]
    assert (answered == given) == kept
    assert [line["request_id"] for line in calls(log)] == [answered]


async def test_an_error_tells_the_identifier(log: io.StringIO) -> None:
    async with served() as server:
        error = await refusal(server.advisor.RecommendMove(question(), metadata=(("x-request-id", "seven"),)))
    assert details(error, RequestInfo).request_id == "seven"
    assert metadata(error.trailing_metadata())["x-request-id"] == "seven"
    [line] = calls(log)
    assert (line["request_id"], line["method"], line["code"], line["reason"]) == (
        "seven",
        "AdvisorService/RecommendMove",
        "INVALID_ARGUMENT",
        "BAD_TIME_BUDGET",
    )


async def test_an_abandoned_call_is_logged(log: io.StringIO) -> None:
    async with served() as server:
        call = server.advisor.RecommendMove(long_question())
        await until(lambda: server.app.scheduler.running == 1)
        call.cancel()
        await until(lambda: bool(calls(log)))
    assert [line["code"] for line in calls(log)] == ["CANCELLED"]


async def test_a_call_that_was_over_before_it_began_is_logged_as_abandoned(
    log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """gRPC no longer knows where such a call came from, or whether it may name somebody."""
    monkeypatch.setattr(AskedOnce, "peer", lambda _: "")
    async with served() as server:
        call = RulesServiceStub(server.channel).ListGames(ListGamesRequest(), metadata=(("x-on-behalf-of", "alice"),))
        assert (await refusal(call)).code() == grpc.StatusCode.CANCELLED
    assert [(line["code"], line["reason"]) for line in calls(log)] == [("CANCELLED", "")]


async def test_a_call_is_logged_with_its_caller_but_never_with_its_token(log: io.StringIO, tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text(f"{TOKEN} on-behalf\n")
    headers = (("authorization", f"Bearer {TOKEN}"), ("x-on-behalf-of", "alice"))
    async with served(token_file=tmp_path / "tokens") as server:
        rules = RulesServiceStub(server.channel)
        await server.advisor.RecommendMove(question(iterations=1), metadata=headers)
        await refusal(server.advisor.RecommendMove(question(), metadata=headers))
        await rules.ListGames(ListGamesRequest(), metadata=headers)
        await refusal(rules.ListGames(ListGamesRequest()))
    async with served() as server:
        await server.advisor.RecommendMove(question(iterations=1))
    known = f"token:{hashlib.sha256(TOKEN.encode()).hexdigest()[:8]}/alice"
    assert [(line["reason"], line["caller"]) for line in calls(log)] == [
        ("", known),
        ("BAD_TIME_BUDGET", known),
        ("", known),
        ("MISSING_TOKEN", "peer:127.0.0.1"),
        ("", "peer:127.0.0.1"),
    ]
    assert TOKEN not in log.getvalue()


def test_formats_of_logs(log: io.StringIO) -> None:
    assert FORMATS == ("json", "text")
    with logged("text") as written:
        logging.getLogger("clerestory").info("hello", extra={"method": "any"})
    assert "hello" in written.getvalue()
    assert "method=any" in written.getvalue()


# -- metrics ---------------------------------------------------------------------------------------


def value(server: Served, name: str, **labels: str) -> float:
    found = server.app.metrics.registry.get_sample_value(f"clerestory_{name}", labels)
    assert found is not None, name
    return found


async def test_what_is_counted_of_calls_and_searches() -> None:
    async with served() as server:
        for _ in range(3):
            await server.advisor.RecommendMove(question(iterations=20))
        await refusal(server.advisor.RecommendMove(question()))
        method = "AdvisorService/RecommendMove"
        assert value(server, "calls_total", method=method, code="OK", reason="", via="grpc") == 3
        assert (
            value(server, "calls_total", method=method, code="INVALID_ARGUMENT", reason="BAD_TIME_BUDGET", via="grpc")
            == 1
        )
        assert value(server, "call_seconds_count", method=method) == 4
        assert value(server, "searches_total", method="RecommendMove", stop_reason="iterations") == 3
        assert value(server, "iterations_total") == 60
        assert value(server, "queue_wait_seconds_count", method="RecommendMove") == 3
        assert value(server, "budget_used_seconds_count", method="RecommendMove") == 3
        assert value(server, "warnings_total", reason="FEW_ITERATIONS") == 3


async def test_what_is_shed_and_what_is_under_way() -> None:
    async with served(max_searches=1) as server:
        assert value(server, "workers") == 1
        call = server.advisor.RecommendMove(long_question())
        await until(lambda: value(server, "running") == 1)
        await refusal(server.advisor.RecommendMove(question(iterations=1)))
        assert value(server, "admitted") == 1
        assert value(server, "shed_total", method="AdvisorService/RecommendMove") == 1
        call.cancel()
        await until(lambda: value(server, "admitted") == 0)


async def test_metrics_are_shown_over_http() -> None:
    async with served(metrics="127.0.0.1:0") as server:
        await server.advisor.RecommendMove(question(iterations=1))
        assert server.app.exposition is not None
        url = f"http://127.0.0.1:{server.app.exposition.port}/metrics"
        text = await asyncio.to_thread(lambda: urllib.request.urlopen(url).read().decode())
    assert "clerestory_iterations_total 1.0" in text
    assert "clerestory_workers 1.0" in text


# -- the admin port --------------------------------------------------------------------------------


async def test_channelz_and_health_answer_on_the_admin_port_only() -> None:
    async with served(admin="127.0.0.1:0") as server:
        assert (await refusal(ChannelzStub(server.channel).GetServers(GetServersRequest()))).code() == (
            grpc.StatusCode.UNIMPLEMENTED
        )
        async with grpc.aio.insecure_channel(server.app.admin_address) as admin:
            answer: Any = await ChannelzStub(admin).GetServers(GetServersRequest())
            health = await HealthStub(admin).Check(HealthCheckRequest(service="clerestory.v1.AdvisorService"))
    assert len(answer.server) >= 2
    assert health.status == HealthCheckResponse.SERVING

"""The spans of a traced server: the duration of each part, under the caller's trace, and no secrets."""

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator, Iterator
from concurrent import futures
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import grpc
import pytest
from grpc_health.v1.health_pb2 import HealthCheckRequest
from grpc_health.v1.health_pb2_grpc import HealthStub
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from clerestory import spans
from clerestory.declared import BadSettings
from clerestory.server.tracing import Traces
from clerestory.service_errors import Reason
from clerestory.v1.advisor_pb2 import AnalyzeRequest
from clerestory.v1.games_pb2_grpc import GameServiceStub
from tests.server.games.table import BOT, PERSON, seated
from tests.server.gateway.harness import RULES, gateway
from tests.server.rpc.harness import (
    Served,
    assert_reason,
    logged,
    long_question,
    opening,
    question,
    refusal,
    served,
    until,
)
from tests.server.test_logs import AUTHORIZED, BEARER, opened

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TRACEPARENT = f"00-{TRACE}-{PARENT}-01"
PARTS = {"place", "admission", "search"}


class Told:
    def __init__(self) -> None:
        self._exporter = InMemorySpanExporter()
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.tracer = Traces(provider)

    @property
    def all(self) -> tuple[ReadableSpan, ...]:
        return self._exporter.get_finished_spans()

    def named(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.all if span.name == name]

    def one(self, name: str) -> ReadableSpan:
        (found,) = self.named(name)
        return found

    def within(self, call: ReadableSpan) -> set[str]:
        return {one.name for one in self.all if one.parent and call.context and one.parent == call.context}


@asynccontextmanager
async def traced_server(**settings: Any) -> AsyncIterator[tuple[Told, Served]]:
    """Yield a traced server and its spans, which are complete only after the block."""
    with traced() as told:
        async with served(**settings) as server:
            yield told, server


@contextmanager
def traced() -> Iterator[Told]:
    """Yield the spans of servers started during the block."""
    told = Told()
    before = spans.CURRENT_TRACER.set(told.tracer)
    try:
        yield told
    finally:
        spans.CURRENT_TRACER.reset(before)


def facts(span: ReadableSpan) -> dict[str, Any]:
    return {name.removeprefix("clerestory."): fact for name, fact in (span.attributes or {}).items()}


async def test_a_call_or_stream_has_a_place_an_admission_and_a_search() -> None:
    async with traced_server() as (told, server):
        answer = await server.advisor.RecommendMove(question(iterations=500))
        tables = server.advisor.Analyze(AnalyzeRequest(question=question(iterations=500)))
        assert [table.final async for table in tables][-1]
    call = told.one("AdvisorService/RecommendMove")
    assert told.within(call) == told.within(told.one("AdvisorService/Analyze")) == PARTS
    assert facts(call).items() >= {"rpc.system": "grpc", "rpc.response.status_code": "OK", "via": "grpc"}.items()
    search = facts(told.named("search")[0])
    assert search["iterations"] == answer.statistics.iterations == 500
    assert search["depth"] == answer.statistics.depth > 0
    assert search["stop_reason"] == "iterations"
    assert search["waited"] >= 0
    assert [facts(span)["priority"] for span in told.named("admission")] == ["MOVE", "HINT"]


async def test_the_trace_is_the_callers_and_is_in_the_log() -> None:
    with traced() as told, logged("json") as log:
        async with served() as server:
            await server.advisor.RecommendMove(question(iterations=9), metadata=[("traceparent", TRACEPARENT)])
            await server.advisor.RecommendMove(question(iterations=9), metadata=[("traceparent", "00-nonsense")])
    first, other = told.named("AdvisorService/RecommendMove")
    assert first.parent is not None
    assert f"{first.parent.span_id:016x}" == PARENT
    assert other.parent is None
    traces = [json.loads(line)["trace_id"] for line in log.getvalue().splitlines()]
    assert traces == [TRACE, f"{other.context.trace_id:032x}"]  # type: ignore[union-attr]
    assert {f"{span.context.trace_id:032x}" for span in told.all} == {*traces}  # type: ignore[union-attr]


async def test_the_trace_of_a_browser_goes_through_the_gateway() -> None:
    with traced() as told:
        async with gateway() as caller:
            await caller.call(RULES + "ListGames", b"", traceparent=TRACEPARENT)
    span = told.one("RulesService/ListGames")
    assert f"{span.context.trace_id:032x}" == TRACE  # type: ignore[union-attr]
    assert facts(span)["via"] == "web"


async def test_a_rejection_says_why() -> None:
    async with traced_server(max_searches=1) as (told, server):
        long = server.advisor.RecommendMove(long_question())
        await until(lambda: server.app.scheduler.admitted == 1)
        assert_reason(await refusal(server.advisor.RecommendMove(question())), Reason.BUSY)
        long.cancel()
        await until(lambda: len(told.named("AdvisorService/RecommendMove")) == 2)
    refused, left = told.named("AdvisorService/RecommendMove")
    assert (facts(refused)["reason"], facts(refused)["rpc.response.status_code"]) == ("BUSY", "RESOURCE_EXHAUSTED")
    assert refused.status.status_code is StatusCode.UNSET
    assert told.within(refused) == {"place"}
    assert facts(left)["rpc.response.status_code"] == "CANCELLED"
    assert told.within(left) == PARTS


async def test_a_fault_is_marked_without_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> None:
        raise ValueError("the word is hidden-word")

    with traced() as told, logged("text"):
        async with served() as server:
            monkeypatch.setattr(server.app.analysis, "ask", fail)
            assert_reason(await refusal(server.advisor.RecommendMove(question(iterations=9))), Reason.INTERNAL)
    call = told.one("AdvisorService/RecommendMove")
    assert call.status.status_code is StatusCode.ERROR
    assert facts(call)["reason"] == "INTERNAL"
    assert "hidden-word" not in call.to_json()


def test_a_part_that_fails_is_marked_without_its_words() -> None:
    told = Told()
    with pytest.raises(ValueError, match="hidden-word"), told.tracer.part("store"):
        raise ValueError("the word is hidden-word")
    assert told.one("store").status.description == "ValueError"


async def test_health_checks_are_not_traced() -> None:
    async with traced_server() as (told, server):
        await HealthStub(server.channel).Check(HealthCheckRequest())
    assert told.all == ()


async def test_store_calls_and_searches_of_bots_are_traced() -> None:
    async with traced_server() as (told, server):
        played = await seated(server.games, server.app, PERSON, BOT)
        await played.play_first()
        await until(lambda: len(told.named("search")) > 0)
    for method in ("CreateGame", "PlayAction"):
        assert "store" in told.within(told.one(f"GameService/{method}"))
    assert facts(told.named("search")[0])["iterations"] > 0
    assert all(facts(span)["entries"] > 0 for span in told.named("store")[1:])


async def test_no_fact_is_a_secret(tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text(f"{BEARER}\n")
    async with traced_server(token_file=tmp_path / "tokens") as (told, server), opened(server) as channel:
        played = await seated(GameServiceStub(channel), server.app, PERSON, PERSON, seed=None)
        seat = [*AUTHORIZED, ("x-clerestory-seat", f"{played.game_id} {played.tokens()[0]}")]
        await server.advisor.RecommendMove(question(iterations=99, seed=123456789), metadata=seat)
        await played.play_first()
        head = server.app.manager.cache.games[played.game_id].hosted.head
    text = "".join(span.to_json() for span in told.all)
    hidden = [BEARER, head.salt, str(head.seed), head.opening, "123456789", *played.tokens(), played.made.owner_token]
    assert [secret for secret in hidden if secret in text] == []
    known = {name for span in told.all for name in span.attributes or {}}
    assert known == {
        *("rpc.system", "rpc.service", "rpc.method", "rpc.response.status_code"),
        *(f"clerestory.{name}" for name in ("reason", "via", "priority", "threads", "seconds", "entries")),
        *(f"clerestory.{name}" for name in ("iterations", "depth", "stop_reason", "waited")),
    }


async def test_without_the_setting_nothing_is_traced(server: Served) -> None:
    assert spans.CURRENT_TRACER.get() is None
    assert spans.call("Service/Method", TRACEPARENT) is spans.part("search") is spans.UNTRACED
    assert server.app.traces is None


def test_only_a_traced_server_imports_opentelemetry() -> None:
    imports = re.compile(r"^(?:from|import) (?:opentelemetry|clerestory\.server\.tracing)\b", re.MULTILINE)
    sources = (Path(__file__).parents[2] / "server").rglob("*.py")
    assert [path.name for path in sources if imports.search(path.read_text())] == ["tracing.py"]


async def test_without_the_extra_the_start_fails_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "clerestory.server.tracing", None)
    with pytest.raises(BadSettings, match=re.escape("pip install 'clerestory[tracing]'")):
        async with served(tracing="http://127.0.0.1:1"):
            pass


class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    def __init__(self) -> None:
        self.names: list[str] = []
        self.services: set[str] = set()

    def Export(self, request: Any, _: Any) -> Any:  # noqa: N802
        for resource in request.resource_spans:
            about = {one.key: one.value.string_value for one in resource.resource.attributes}
            self.services.add(about["service.name"])
            self.names += [span.name for scope in resource.scope_spans for span in scope.spans]
        return trace_service_pb2.ExportTraceServiceResponse()


@asynccontextmanager
async def collecting() -> AsyncIterator[tuple[Collector, str]]:
    collector, server = Collector(), grpc.server(futures.ThreadPoolExecutor(2))
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server(collector, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield collector, f"http://127.0.0.1:{port}"
    finally:
        await asyncio.to_thread(server.stop(None).wait)


async def test_a_collector_gets_all_before_the_server_ends() -> None:
    async with collecting() as (collector, url), served(tracing=url) as server:
        await server.advisor.RecommendMove(question(opening(), iterations=9))
    assert {*collector.names} == {"AdvisorService/RecommendMove", *PARTS}
    assert collector.services == {"clerestory"}


def test_a_collector_that_is_away_does_not_keep_the_process_alive() -> None:
    away, gone = Event(), Event()

    class Stuck(TracerProvider):
        def shutdown(self) -> None:
            away.wait(600)
            gone.set()

    asyncio.run(Traces(Stuck(shutdown_on_exit=False)).close(0.01))
    assert not gone.is_set()
    away.set()
    assert gone.wait(600)

"""Analyze streams improving tables, always the latest, and exactly one final table."""

import time
from itertools import pairwise
from typing import Any
from unittest.mock import create_autospec

import grpc
import pytest

from clerestory.clients.wire import duration
from clerestory.engine import NATURE
from clerestory.engine.toy.rules import TOY
from clerestory.server.rpc import chunks as chunks
from clerestory.server.rpc.service import AdvisorHandlers
from clerestory.service_errors import Reason
from clerestory.v1.advisor_pb2 import (
    STOP_REASON_CERTAIN,
    STOP_REASON_DECIDED,
    STOP_REASON_ITERATIONS,
    STOP_REASON_UNSPECIFIED,
    AnalyzeRequest,
    AnalyzeResponse,
    Observer,
)
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceStub
from tests.search.test_foresight import worlds
from tests.server.rpc.harness import (
    HOUR,
    LoopClock,
    Served,
    assert_reason,
    opening,
    question,
    refusal,
    served,
    until,
)
from tests.server.rpc.rules import CASES


def analysis(interval: float | None = 0.01, certainty: float | None = None, **fields: Any) -> AnalyzeRequest:
    request = AnalyzeRequest(question=question(**fields), target_certainty=certainty)
    if interval is not None:
        request.update_interval.CopyFrom(duration(interval))
    return request


async def tables(call: Any) -> list[AnalyzeResponse]:
    found: list[AnalyzeResponse] = []
    while (table := await call.read()) is not grpc.aio.EOF:
        found.append(table)
    return found


def assert_whole(stream: list[AnalyzeResponse]) -> None:
    assert [table.final for table in stream] == [False] * (len(stream) - 1) + [True]
    assert all(before.sequence < after.sequence for before, after in pairwise(stream))
    answers = [table.recommendation for table in stream]
    assert all(a.statistics.iterations <= b.statistics.iterations for a, b in pairwise(answers))
    assert {answer.statistics.stop_reason for answer in answers[:-1]} <= {STOP_REASON_UNSPECIFIED}
    assert all(answer.lines and answer.best.text for answer in answers)
    assert len({answer.seed for answer in answers}) == 1


async def last_table(server: Served, request: AnalyzeRequest) -> AnalyzeResponse:
    [*_, last] = await tables(server.advisor.Analyze(request))
    for varying in ("elapsed", "waited"):
        last.recommendation.statistics.ClearField(varying)
    return last


@pytest.mark.parametrize("leaves", ["call", "connection"])
async def test_partial_tables_come_until_the_caller_leaves(server: Served, leaves: str) -> None:
    async with grpc.aio.insecure_channel(server.app.address) as other:
        call = AdvisorServiceStub(other).Analyze(analysis(time_budget=HOUR))
        got = [await call.read() for _ in range(5)]
        if leaves == "call":
            call.cancel()
            await until(lambda: server.app.scheduler.admitted == 0)
    assert not any(table.final for table in got)
    assert [table.sequence for table in got] == sorted({table.sequence for table in got})
    await until(lambda: server.app.scheduler.admitted == 0)


async def test_a_search_that_ends_before_the_first_tick_has_its_final_table(server: Served) -> None:
    stream = await tables(server.advisor.Analyze(analysis(3600, iterations=100)))
    assert [table.sequence for table in stream] == [1]
    assert_whole(stream)
    assert stream[0].recommendation.statistics.iterations == 100
    assert stream[0].recommendation.statistics.stop_reason == STOP_REASON_ITERATIONS


async def test_tables_do_not_change_what_is_found(server: Served) -> None:
    fields = {"iterations": 5_000, "seed": 3}
    watched = await tables(server.advisor.Analyze(analysis(**fields)))
    answer = await server.advisor.RecommendMove(question(**fields))
    assert watched[-1].recommendation.lines == answer.lines


async def test_it_ends_with_the_certainty_asked_for(server: Served) -> None:
    stream = await tables(server.advisor.Analyze(analysis(3600, 0.51, time_budget=HOUR)))
    assert_whole(stream)
    statistics = stream[-1].recommendation.statistics
    assert statistics.stop_reason == STOP_REASON_CERTAIN
    assert statistics.certainty >= 0.51


async def test_it_goes_on_though_nothing_can_change_unless_told_otherwise(server: Served) -> None:
    request = AnalyzeRequest(question=question(iterations=200, seed=1))
    request.question.ClearField("early_stop")
    stream = await tables(server.advisor.Analyze(request))
    request.question.early_stop = True
    early = await tables(server.advisor.Analyze(request))
    assert stream[-1].recommendation.statistics.stop_reason == STOP_REASON_ITERATIONS
    assert early[-1].recommendation.statistics.stop_reason == STOP_REASON_DECIDED
    assert early[-1].recommendation.statistics.iterations < 200


NARROW = [("grpc.http2.lookahead_bytes", 4096), ("grpc.http2.bdp_probe", 0)]  # room for a few tables on the way
WIDE = opening(4, 1, "cathedral")  # whose tables are large


async def test_a_slow_reader_gets_the_latest_table_alone(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables that the connection cannot take are dropped: numbers are skipped, but the final table arrives."""
    written = create_autospec(AdvisorHandlers._write, side_effect=AdvisorHandlers._write)
    monkeypatch.setattr(AdvisorHandlers, "_write", written)
    async with grpc.aio.insecure_channel(server.app.address, NARROW) as channel:
        call = AdvisorServiceStub(channel).Analyze(analysis(0.01, position=WIDE, time_budget=HOUR))
        await until(lambda: written.called)
        since = time.monotonic()
        await until(lambda: (time.monotonic() - since) / 0.01 > 3 * (written.call_count + 4))  # intervals, and tables
        server.app.scheduler.finish()
        stream = await tables(call)
    assert_whole(stream)
    assert stream[-1].sequence > 2 * len(stream) > 2


async def test_a_caller_who_takes_nothing_is_given_up(clock: LoopClock) -> None:
    """The search and its tree are released before the caller reads on and receives the reason."""
    day = 86_400.0
    async with served(max_time=day) as server, grpc.aio.insecure_channel(server.app.address, NARROW) as channel:
        memory = server.app.analysis._trees._memory
        call = AdvisorServiceStub(channel).Analyze(analysis(position=WIDE, time_budget=duration(day)))
        await until(lambda: memory._extra > 0)
        await clock.advance_until(lambda: server.app.scheduler.admitted == memory._extra == 0, chunks.STALL_SECONDS)
        error = await refusal(tables(call))
    assert error.code() == grpc.StatusCode.UNAVAILABLE
    assert_reason(error, Reason.SLOW_READER)


@pytest.mark.parametrize(("name", "seats"), CASES)
async def test_hidden_cards_do_not_change_what_an_observer_is_told(server: Served, name: str, seats: int) -> None:
    truth = opening(seats, 3, name)
    for observer in (None, NATURE, *range(seats)):
        seen = truth.observe(truth.turn if observer is None else observer)
        found = []
        for world in (truth, seen, seen.determinize(1)):
            asked = analysis(3600, position=world, iterations=200, seed=5)
            if observer is not None:
                asked.observer.CopyFrom(Observer() if observer == NATURE else Observer(seat=observer))
            found.append(await last_table(server, asked))
        assert found == [found[0]] * 3
        assert found[0].recommendation.seat == truth.turn
        assert observer is None or found[0].recommendation.observer == asked.observer


async def test_a_coming_event_changes_the_streams_of_its_owner_alone(server: Served) -> None:
    """For every observer and each of three events."""
    for observer, streams in ((NATURE, 1), (0, 3), (1, 1), (2, 1)):
        found = set()
        for world in worlds(to_act="blue"):
            asked = analysis(3600, position=world, iterations=300, seed=5)
            asked.observer.CopyFrom(Observer() if observer == NATURE else Observer(seat=observer))
            found.add((await last_table(server, asked)).SerializeToString(deterministic=True))
        assert len(found) == streams


@pytest.mark.parametrize("seat", [None, 0, 1])
async def test_a_chance_event_is_analysed_without_a_move(server: Served, seat: int | None) -> None:
    position = TOY.new(2, 1)
    [table] = await tables(server.advisor.Analyze(analysis(3600, position=position, iterations=500, seat=seat)))
    answer = table.recommendation
    assert not answer.HasField("best")
    assert answer.HasField("seat") == (seat is not None)
    assert [line.action.text for line in answer.lines]
    assert sum(line.probability for line in answer.lines) == pytest.approx(1)

"""Analyze streams improving tables, always the latest, and exactly one final table."""

import asyncio
from itertools import pairwise
from typing import Any

import grpc
import pytest
from google.rpc.error_details_pb2 import BadRequest

from clerestory.clients.wire import duration
from clerestory.engine import GAMES, NATURE
from clerestory.engine.toy.rules import TOY
from clerestory.refusals import Reason
from clerestory.server import pieces
from clerestory.v1.advisor_pb2 import (
    STOP_REASON_CERTAIN,
    STOP_REASON_DECIDED,
    STOP_REASON_ITERATIONS,
    STOP_REASON_STOPPED,
    STOP_REASON_TIME,
    STOP_REASON_UNSPECIFIED,
    AnalyzeRequest,
    AnalyzeResponse,
    Observer,
)
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceStub
from tests.search.test_foresight import worlds
from tests.server.harness import HOUR, Served, assert_reason, details, opening, question, refusal, served, until


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
    """Check what is true of every stream that has ended without an error."""
    assert [table.final for table in stream] == [False] * (len(stream) - 1) + [True]
    assert all(before.sequence < after.sequence for before, after in pairwise(stream))
    answers = [table.recommendation for table in stream]
    assert all(a.statistics.iterations <= b.statistics.iterations for a, b in pairwise(answers))
    assert {answer.statistics.stop_reason for answer in answers[:-1]} <= {STOP_REASON_UNSPECIFIED}
    assert all(answer.lines and answer.best.text for answer in answers)
    assert len({answer.seed for answer in answers}) == 1


@pytest.mark.parametrize("interval", [0.01, 0.06, 0.1])
async def test_tables_come_until_the_budget_is_over(server: Served, interval: float) -> None:
    stream = await tables(server.advisor.Analyze(analysis(interval, time_budget=duration(0.3))))
    assert_whole(stream)
    assert stream[-1].recommendation.statistics.stop_reason == STOP_REASON_TIME


async def test_partial_tables_come(server: Served) -> None:
    call = server.advisor.Analyze(analysis(time_budget=HOUR))
    got = [await call.read() for _ in range(5)]
    call.cancel()
    assert not any(table.final for table in got)
    assert [table.sequence for table in got] == sorted({table.sequence for table in got})


async def test_a_search_that_ends_before_the_first_tick_has_its_final_table(server: Served) -> None:
    stream = await tables(server.advisor.Analyze(analysis(3600, iterations=100)))
    assert [table.sequence for table in stream] == [1]
    assert_whole(stream)
    assert stream[0].recommendation.statistics.iterations == 100
    assert stream[0].recommendation.statistics.stop_reason == STOP_REASON_ITERATIONS


async def test_tables_do_not_change_what_is_found(server: Served) -> None:
    fields = {"iterations": 30_000, "seed": 3}
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


async def test_who_leaves_ends_it(server: Served) -> None:
    call = server.advisor.Analyze(analysis(time_budget=HOUR))
    await call.read()
    call.cancel()
    await until(lambda: server.app.scheduler.admitted == 0)


async def test_who_dies_ends_it(server: Served) -> None:
    async with grpc.aio.insecure_channel(server.app.address) as other:
        call = AdvisorServiceStub(other).Analyze(analysis(time_budget=HOUR))
        await call.read()
    await until(lambda: server.app.scheduler.admitted == 0)


async def test_who_does_not_read_is_not_waited_for_by_the_search(server: Served) -> None:
    call = server.advisor.Analyze(analysis(0.01, time_budget=HOUR))
    await until(lambda: server.app.scheduler.running == 1)
    [job] = server.app.scheduler._jobs.values()
    await until(lambda: job.searcher.iterations > 150_000)
    server.app.scheduler.finish()
    await until(lambda: server.app.scheduler.admitted == 0)
    stream = await tables(call)
    assert_whole(stream)


async def test_a_slow_reader_gets_the_latest_table_and_no_backlog() -> None:
    """Tables that the connection cannot take are dropped: numbers are skipped, but the final table arrives."""
    position = opening(4, 1, "cathedral")
    narrow = [("grpc.http2.lookahead_bytes", 4096), ("grpc.http2.bdp_probe", 0)]  # room for a few tables on the way
    async with served() as server, grpc.aio.insecure_channel(server.app.address, narrow) as channel:
        call = AdvisorServiceStub(channel).Analyze(analysis(0.01, position=position, time_budget=duration(3)))
        await until(lambda: server.app.scheduler.admitted == 1)
        await until(lambda: server.app.scheduler.admitted == 0)
        stream = await tables(call)
    assert_whole(stream)
    assert stream[-1].sequence > 2 * len(stream) > 2
    assert stream[-1].recommendation.statistics.stop_reason == STOP_REASON_TIME


async def test_who_takes_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search and its tree are let go before the caller reads on, and is told why."""
    monkeypatch.setattr(pieces, "STALL_SECONDS", 0.05)
    position = opening(4, 1, "cathedral")
    narrow = [("grpc.http2.lookahead_bytes", 4096), ("grpc.http2.bdp_probe", 0)]  # room for a few tables on the way
    async with served() as server, grpc.aio.insecure_channel(server.app.address, narrow) as channel:
        memory = server.app.analyst._trees._memory
        call = AdvisorServiceStub(channel).Analyze(analysis(0.01, position=position, time_budget=HOUR))
        await until(lambda: memory._extra > 0)
        await until(lambda: server.app.scheduler.admitted == 0 and memory._extra == 0)
        error = await refusal(tables(call))
    assert error.code() == grpc.StatusCode.UNAVAILABLE
    assert_reason(error, Reason.SLOW_READER)


@pytest.mark.parametrize(("name", "seats"), [(name, seats) for name, game in GAMES.items() for seats in game.seats])
async def test_hidden_cards_do_not_change_an_analysis(server: Served, name: str, seats: int) -> None:
    truth = opening(seats, 3, name)
    view = truth.observe(truth.turn)
    worlds = [truth, view, *(view.deal(luck) for luck in range(2))]
    found = []
    for world in worlds:
        [*_, last] = await tables(server.advisor.Analyze(analysis(3600, position=world, iterations=300, seed=5)))
        for varying in ("elapsed", "waited"):
            last.recommendation.statistics.ClearField(varying)
        found.append(last)
    assert all(table == found[0] for table in found)


@pytest.mark.parametrize(("name", "seats"), [(name, seats) for name, game in GAMES.items() for seats in game.seats])
async def test_hidden_cards_do_not_change_what_an_observer_is_told(server: Served, name: str, seats: int) -> None:
    truth = opening(seats, 3, name)
    for observer in (NATURE, *range(seats)):
        named = Observer() if observer == NATURE else Observer(seat=observer)
        seen, found = truth.observe(observer), []
        for world in (truth, seen, seen.deal(1)):
            asked = analysis(3600, position=world, iterations=200, seed=5)
            asked.observer.CopyFrom(named)
            [*_, last] = await tables(server.advisor.Analyze(asked))
            for varying in ("elapsed", "waited"):
                last.recommendation.statistics.ClearField(varying)
            found.append(last)
        assert all(table == found[0] for table in found)
        assert found[0].recommendation.seat == truth.turn
        assert found[0].recommendation.observer == named


async def test_a_coming_event_changes_the_streams_of_its_owner_alone(server: Served) -> None:
    """Whoever observes, and whichever of three events comes."""
    for observer, streams in ((NATURE, 1), (0, 3), (1, 1), (2, 1)):
        found = set()
        for world in worlds(to_act="blue"):
            asked = analysis(3600, position=world, iterations=300, seed=5)
            asked.observer.CopyFrom(Observer() if observer == NATURE else Observer(seat=observer))
            sent = await tables(server.advisor.Analyze(asked))
            for varying in ("elapsed", "waited"):
                sent[-1].recommendation.statistics.ClearField(varying)
            found.add(b"".join(table.SerializeToString(deterministic=True) for table in sent))
        assert len(found) == streams


async def test_an_observer_that_there_is_not_is_refused(server: Served) -> None:
    asked = analysis(3600, iterations=1)
    asked.observer.seat = 9
    error = await refusal(tables(server.advisor.Analyze(asked)))
    assert_reason(error, Reason.BAD_SEAT)
    [violation] = details(error, BadRequest).field_violations
    assert (violation.field, violation.description) == ("observer.seat", "is 9; the seats are 0 to 1")


async def test_a_server_that_finishes_sends_the_final_table(server: Served) -> None:
    call = server.advisor.Analyze(analysis(time_budget=HOUR))
    await call.read()
    finishing = asyncio.ensure_future(server.app.finish())
    stream = await tables(call)
    await finishing
    assert stream[-1].final
    assert stream[-1].recommendation.statistics.stop_reason == STOP_REASON_STOPPED


@pytest.mark.parametrize("seat", [None, 0, 1])
async def test_a_chance_event_is_analysed_without_a_move(server: Served, seat: int | None) -> None:
    position = TOY.new(2, 1)
    [table] = await tables(server.advisor.Analyze(analysis(3600, position=position, iterations=500, seat=seat)))
    answer = table.recommendation
    assert not answer.HasField("best")
    assert answer.HasField("seat") == (seat is not None)
    assert [line.action.text for line in answer.lines]
    assert sum(line.probability for line in answer.lines) == pytest.approx(1)

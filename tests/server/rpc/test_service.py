"""Advice: answers on time, equal for equal requests, without hidden cards; Analyze streams the latest tables."""

import re
import time
from itertools import pairwise
from typing import Any
from unittest.mock import create_autospec

import grpc
import pytest

import clerestory
from clerestory.clients.wire import duration
from clerestory.engine import GAMES, NATURE, State
from clerestory.engine.toy.rules import TOY
from clerestory.server.analysis.admission import Admission
from clerestory.server.analysis.caller import HERE
from clerestory.server.analysis.demand import Priority
from clerestory.server.rpc import chunks as chunks
from clerestory.server.rpc.interceptor import CallContext
from clerestory.server.rpc.service import AdvisorHandlers
from clerestory.service_errors import Reason
from clerestory.v1 import advisor_pb2 as api
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceStub
from tests.laws import walk
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


async def ask(server: Served, position: State, **fields: object) -> api.RecommendMoveResponse:
    """Return the answer without the figures that depend on the clock."""
    answer: api.RecommendMoveResponse = await server.advisor.RecommendMove(question(position, **fields))
    answer.statistics.ClearField("elapsed")
    answer.statistics.ClearField("waited")
    return answer


async def test_equal_questions_have_equal_answers_and_a_drawn_seed_is_returned() -> None:
    async with served(workers=2) as server:
        first, again, other = [await ask(server, opening(), iterations=300, seed=seed) for seed in (1, 1, 2)]
        drawn, second = [await ask(server, opening(), iterations=300) for _ in range(2)]
        reproduced = await ask(server, opening(), iterations=300, seed=drawn.seed)
    assert first == again
    assert first.lines != other.lines
    assert drawn == reproduced
    assert drawn.seed != second.seed


async def test_the_reported_iterations_reproduce_an_answer_by_time(server: Served) -> None:
    first = await ask(server, opening(), time_budget=duration(0.06), threads=1)
    again = await ask(server, opening(), iterations=first.statistics.iterations, seed=first.seed)
    assert first.statistics.stop_reason == api.STOP_REASON_TIME
    assert first.reproducible
    assert again.lines == first.lines
    assert first.engine_version == clerestory.__version__


async def test_the_caller_is_answered_before_its_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CallContext, "time_remaining", lambda _: 600.05, raising=False)
    async with served(margin=600.0, max_time=3600.0) as server:
        answer = await server.advisor.RecommendMove(question(time_budget=HOUR))
    assert answer.statistics.stop_reason == api.STOP_REASON_TIME


@pytest.mark.parametrize(("game", "seats"), CASES)
async def test_hidden_cards_do_not_change_the_answer(server: Served, game: str, seats: int) -> None:
    """At the beginning, and where decks are half dealt and seals seen: only what is known affects the answer."""
    met = [state.copy() for state in walk(GAMES[game], seats, 5) if state.turn >= 0]
    asked, hiding = met[:: 1 + len(met) // 4], 0
    for truth in asked:
        view = truth.observe(truth.turn)
        others = [view.determinize(luck) for luck in range(2)]
        hiding += any(other != truth for other in others)
        answers = [await ask(server, position, iterations=150, seed=5) for position in (truth, view, *others)]
        assert answers == [answers[0]] * 4
    assert hiding >= len(asked) // 2


def names(answer: api.RecommendMoveResponse) -> list[str]:
    return [api.WarningReason.Name(warning.reason).removeprefix("WARNING_REASON_") for warning in answer.warnings]


async def test_only_some_actions_are_searched(server: Served) -> None:
    legal = [action.text for action in opening().legal_actions()]
    some = await ask(server, opening(), iterations=50, consider_actions=legal[1:])
    others = await ask(server, opening(), iterations=50, avoid_actions=legal[1:])
    assert {line.action.text for line in some.lines} == set(legal[1:])
    assert [line.action.text for line in others.lines] == legal[:1]


async def test_lines_are_cut_and_nothing_else(server: Served) -> None:
    whole, *cut = [await ask(server, opening(), iterations=99, seed=1, max_lines=n) for n in (0, 1, 2, 2**32 - 1)]
    assert [list(answer.lines) for answer in cut] == [whole.lines[:n] for n in (1, 2, 1000)]
    assert [(answer.best, answer.statistics) for answer in cut] == [(whole.best, whole.statistics)] * 3


@pytest.mark.parametrize("level", range(1, 9))
async def test_a_level_bounds_the_search_and_may_choose_another_line(server: Served, level: int) -> None:
    limits = ((10**6, 3), (None, 3), (None, 4))  # a level needs no other limit
    answers = [await ask(server, opening(), iterations=most, seed=seed, level=level) for most, seed in limits]
    full = await ask(server, opening(), iterations=answers[0].statistics.iterations, seed=3)
    assert answers[0] == answers[1]
    assert answers[0].level == level
    assert answers[0].statistics.iterations == opening().game.tuning.levels[level - 1].iterations
    assert answers[0].lines == full.lines
    assert answers[0].best in [line.action for line in full.lines]


async def test_an_early_end_is_the_default_keeps_the_choice_and_can_be_had_again(server: Served) -> None:
    early = await ask(server, opening(), iterations=2000, seed=1, early_stop=True)
    full = await ask(server, opening(), iterations=2000, seed=1)
    request = question(iterations=2000, seed=1)
    request.ClearField("early_stop")
    default = await server.advisor.RecommendMove(request)
    assert early.statistics.stop_reason == api.STOP_REASON_DECIDED
    assert early.statistics.iterations == default.statistics.iterations < full.statistics.iterations
    assert early.best == full.best
    again = await ask(server, opening(), iterations=early.statistics.iterations, seed=early.seed)
    assert (early.reproducible, again.lines) == (True, early.lines)


@pytest.mark.parametrize(
    ("fields", "warnings"),
    [
        ({"iterations": 1000}, []),
        ({"iterations": 3}, ["FEW_ITERATIONS"]),
        ({"iterations": 1000, "time_budget": HOUR}, ["TIME_CUT"]),
        ({"iterations": 1000, "threads": 9}, ["THREADS_CUT"]),
        ({"iterations": 1000, "max_tree_bytes": 2**63}, ["MEMORY_CUT"]),
        ({"iterations": 20_000, "max_tree_bytes": 65536}, ["MEMORY_FULL"]),
    ],
)
async def test_warnings(server: Served, fields: dict[str, object], warnings: list[str]) -> None:
    position = opening(4, 1, "cathedral") if "MEMORY_FULL" in warnings else opening()
    answer = await ask(server, position, **fields)
    assert names(answer) == warnings
    assert all(warning.description.endswith(".") for warning in answer.warnings)
    assert not re.search(r"\d{6}", " ".join(warning.description for warning in answer.warnings))  # 81 MB, not 81218970


@pytest.mark.parametrize("game", ["cathedral", "duel"])
async def test_lines_are_explained_where_the_game_has_features(server: Served, game: str) -> None:
    answer = await ask(server, opening(2, 3, game), iterations=400, seed=1)
    hasty = await ask(server, opening(2, 3, game), iterations=400, seed=1, time_budget=duration(0.049))
    assert answer.reason.endswith(".")
    assert all(len(line.outlook) > 1 for line in answer.lines[:2])
    assert (hasty.reason, len(hasty.lines[0].outlook)) == ("", 0)


def analysis(interval: float | None = 0.01, certainty: float | None = None, **fields: Any) -> api.AnalyzeRequest:
    request = api.AnalyzeRequest(question=question(**fields), target_certainty=certainty)
    if interval is not None:
        request.update_interval.CopyFrom(duration(interval))
    return request


async def tables(call: Any) -> list[api.AnalyzeResponse]:
    found: list[api.AnalyzeResponse] = []
    while (table := await call.read()) is not grpc.aio.EOF:
        found.append(table)
    return found


def assert_whole(stream: list[api.AnalyzeResponse]) -> None:
    assert [table.final for table in stream] == [False] * (len(stream) - 1) + [True]
    assert all(before.sequence < after.sequence for before, after in pairwise(stream))
    answers = [table.recommendation for table in stream]
    assert all(a.statistics.iterations <= b.statistics.iterations for a, b in pairwise(answers))
    assert {answer.statistics.stop_reason for answer in answers[:-1]} <= {api.STOP_REASON_UNSPECIFIED}
    assert all(answer.lines and answer.best.text for answer in answers)
    assert len({answer.seed for answer in answers}) == 1


async def last_table(server: Served, request: api.AnalyzeRequest) -> api.AnalyzeResponse:
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


async def test_tables_do_not_change_what_is_found(server: Served) -> None:
    fields = {"iterations": 5_000, "seed": 3}
    watched = await tables(server.advisor.Analyze(analysis(**fields)))
    answer = await server.advisor.RecommendMove(question(**fields))
    assert watched[-1].recommendation.lines == answer.lines


async def test_it_ends_with_the_certainty_asked_for(server: Served) -> None:
    stream = await tables(server.advisor.Analyze(analysis(3600, 0.51, time_budget=HOUR)))
    assert_whole(stream)
    statistics = stream[-1].recommendation.statistics
    assert statistics.stop_reason == api.STOP_REASON_CERTAIN
    assert statistics.certainty >= 0.51


async def test_it_continues_after_the_choice_is_decided_unless_early_stop_is_set(server: Served) -> None:
    request = api.AnalyzeRequest(question=question(iterations=200, seed=1))
    request.question.ClearField("early_stop")
    stream = await tables(server.advisor.Analyze(request))
    request.question.early_stop = True
    early = await tables(server.advisor.Analyze(request))
    assert stream[-1].recommendation.statistics.stop_reason == api.STOP_REASON_ITERATIONS
    assert early[-1].recommendation.statistics.stop_reason == api.STOP_REASON_DECIDED
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
async def test_hidden_cards_do_not_change_the_answers_to_an_observer(server: Served, name: str, seats: int) -> None:
    truth = opening(seats, 3, name)
    for observer in (None, NATURE, *range(seats)):
        seen = truth.observe(truth.turn if observer is None else observer)
        found = []
        for world in (truth, seen, seen.determinize(1)):
            asked = analysis(3600, position=world, iterations=200, seed=5)
            if observer is not None:
                asked.observer.CopyFrom(api.Observer() if observer == NATURE else api.Observer(seat=observer))
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
            asked.observer.CopyFrom(api.Observer() if observer == NATURE else api.Observer(seat=observer))
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


def test_the_time_of_a_question_begins_when_its_message_has_arrived() -> None:
    admission = Admission(HERE, Priority.MOVE, arrived=0.0, remaining=9.0, asker="RecommendMove")
    received = admission.received(5.0)
    assert received.arrived > 0.0
    assert (received.remaining, received.asker, received.caller) == (5.0, "RecommendMove", HERE)

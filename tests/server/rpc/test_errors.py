"""Every reason for rejecting a call, as the caller sees it."""

import logging
import re
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import BadRequest, PreconditionFailure, RetryInfo

from clerestory.clients.wire import duration
from clerestory.engine.toy.rules import TOY
from clerestory.server.analysis import demand
from clerestory.server.rpc import service
from clerestory.server.rpc.errors import CODES, FIELDS_OF, MAX_DESCRIPTION, MAX_LISTED, status_of
from clerestory.service_errors import UNTIMELY, Reason, ServiceError
from clerestory.v1 import advisor_pb2, annotation_pb2, games_pb2
from clerestory.v1.advisor_pb2 import AnalyzeRequest, Observer, RecommendMoveRequest
from clerestory.v1.position_pb2 import Position
from clerestory.v1.toy_pb2 import ToyPosition
from tests.search.review.games import random_game
from tests.server.games.table import OPEN, PERSON, Table
from tests.server.rpc.harness import Served, assert_reason, details, opening, question, refusal, served, until

TESTS = Path(__file__).parents[2]


FINISHED = random_game("toy", 2, 1)
LEGAL = [action.text for action in opening().legal_actions()]

# Invalid fields: the reason, the field that is blamed, and the fields of the question, which is otherwise valid.
BAD_FIELDS: list[tuple[Reason, str, dict[str, Any]]] = [
    (Reason.BAD_SEAT, "seat", {"seat": 2}),
    (Reason.BAD_SEAT, "seat", {"seat": 2**32 - 1}),
    (Reason.BAD_TIME_BUDGET, "time_budget", {"iterations": None}),
    (Reason.BAD_TIME_BUDGET, "time_budget", {"time_budget": Duration()}),
    (Reason.BAD_TIME_BUDGET, "time_budget", {"time_budget": Duration(), "iterations": None}),
    (Reason.BAD_TIME_BUDGET, "time_budget", {"time_budget": Duration(seconds=-1)}),
    (Reason.BAD_TIME_BUDGET, "time_budget", {"time_budget": Duration(nanos=-1)}),
    (Reason.BAD_TIME_BUDGET, "time_budget", {"time_budget": Duration(seconds=1, nanos=10**9)}),
    (Reason.BAD_ITERATIONS, "iterations", {"iterations": 0}),
    (Reason.BAD_ITERATIONS, "iterations", {"iterations": 2**63}),
    (Reason.BAD_ITERATIONS, "iterations", {"iterations": 0, "position": FINISHED}),  # before the wrong moment
    (Reason.HIDDEN_FROM_SEAT, "position", {"position": opening().observe(1)}),
    (Reason.BAD_MAX_TREE_BYTES, "max_tree_bytes", {"max_tree_bytes": 65535}),
    (Reason.BAD_LEVEL, "level", {"level": 0}),
    (Reason.BAD_LEVEL, "level", {"level": 9}),
    (Reason.BAD_CHARACTER, "character", {"character": "nobody"}),
    (Reason.BAD_CHARACTER, "character", {"character": "nobody", "iterations": None}),
    (Reason.BAD_CHARACTER, "character", {"character": "mabel", "level": 3}),
    (Reason.BAD_THREADS, "threads", {"threads": 0}),
    (Reason.BAD_GAME_ID, "game_id", {"game_id": "é" * 33}),
    (Reason.BAD_CONSIDER_ACTIONS, "consider_actions[0]", {"consider_actions": ["play 99"]}),
    (Reason.BAD_CONSIDER_ACTIONS, "consider_actions[1]", {"consider_actions": [LEGAL[0], "x" * 99]}),
    (Reason.BAD_CONSIDER_ACTIONS, "consider_actions", {"position": TOY.new(2, 1), "consider_actions": LEGAL[:1]}),
    (Reason.BAD_AVOID_ACTIONS, "avoid_actions[0]", {"avoid_actions": [""]}),
    (Reason.BAD_AVOID_ACTIONS, "avoid_actions", {"avoid_actions": LEGAL}),
    (Reason.BAD_AVOID_ACTIONS, "avoid_actions", {"consider_actions": LEGAL[:1], "avoid_actions": LEGAL[:1]}),
]
BAD_QUESTIONS = [
    (Reason.BAD_POSITION, "position", RecommendMoveRequest(iterations=1)),
    (Reason.BAD_POSITION, "position", RecommendMoveRequest(position=Position(rules_revision=1), iterations=1)),
    *[(reason, field, question(**{"iterations": 1} | fields)) for reason, field, fields in BAD_FIELDS],
]
BAD_STREAMS: list[tuple[Reason, str, dict[str, Any]]] = [
    (Reason.BAD_SEAT, "observer.seat", {"observer": Observer(seat=9)}),
    (Reason.BAD_UPDATE_INTERVAL, "update_interval", {"update_interval": Duration(nanos=9_999_999)}),
    *[
        (Reason.BAD_TARGET_CERTAINTY, "target_certainty", {"target_certainty": certainty})
        for certainty in (-1.0, 0.5, 1.0, float("nan"))
    ],
]


async def test_an_error_names_the_field_that_is_wrong(server: Served) -> None:
    calls = [(reason, field, server.advisor.RecommendMove(asked)) for reason, field, asked in BAD_QUESTIONS]
    calls += [
        (reason, f"question.{field}", server.advisor.Analyze(AnalyzeRequest(question=asked)).read())
        for reason, field, asked in BAD_QUESTIONS
    ]
    calls += [
        (reason, field, server.advisor.Analyze(AnalyzeRequest(question=question(iterations=1), **fields)).read())
        for reason, field, fields in BAD_STREAMS
    ]
    for reason, field, call in calls:
        error = await refusal(call)
        assert_reason(error, reason)
        assert error.code() == grpc.StatusCode.INVALID_ARGUMENT
        violations = details(error, BadRequest).field_violations
        assert [violation.field for violation in violations] == [field]
        assert error.details() == f"{field}: {violations[0].description}"


async def test_failed_precondition(server: Served) -> None:
    over = question(FINISHED, iterations=1)
    early = question(iterations=1, seat=1)
    for request, *blamed in (over, Reason.GAME_OVER, "position"), (early, Reason.NOT_SEATS_TURN, "seat"):
        error = await refusal(server.advisor.RecommendMove(request))
        assert error.code() == grpc.StatusCode.FAILED_PRECONDITION
        [violation] = details(error, PreconditionFailure).violations
        assert [violation.type, violation.subject] == blamed


async def test_all_that_is_wrong_with_a_question_is_listed(server: Served) -> None:
    request = AnalyzeRequest(question=question(iterations=0, level=77, threads=0, seat=9), target_certainty=2.0)
    request.question.consider_actions[:] = ["nonsense"]
    error = await refusal(server.advisor.Analyze(request).read())
    assert_reason(error, Reason.BAD_TARGET_CERTAINTY)
    violations = details(error, BadRequest).field_violations
    asked = ("iterations", "level", "threads", "seat", "consider_actions[0]")
    assert [violation.description for violation in violations][1:3] == [
        "is 0; must be at least 1",  # no upper bound: the largest integer is of no use to a reader
        "is 77; must be 1 to 8",
    ]
    assert [one.field for one in violations] == ["target_certainty", *(f"question.{field}" for field in asked)]
    error = await refusal(server.advisor.RecommendMove(question(iterations=2**63)))
    assert error.details() == f"iterations: is {2**63}; must be 1 to {2**63 - 1}"


async def test_the_worst_position_still_fits_an_answer(server: Served) -> None:
    """The status is sent in headers; if it were too large, the transport's error would replace our reason."""
    toy = ToyPosition(round=9, step="\N{WHITE CHESS PAWN}" * 70, seen=[1000] * 3000, deck=[1000] * 2)
    for _ in range(4):
        toy.players.add(points=1000, played=1000, hand=[1000] * 2)
    request = RecommendMoveRequest(position=Position(rules_revision=1, toy=toy), iterations=1)
    error = await refusal(server.advisor.RecommendMove(request))
    assert_reason(error, Reason.BAD_POSITION)
    assert len(details(error, BadRequest).field_violations) > 10


def test_faults_are_cut_in_number_and_length() -> None:
    faults = [("position.toy.players[0].hand", "\N{WHITE CHESS PAWN}" * 1000)] * 1000
    status = status_of(ServiceError(Reason.BAD_POSITION, faults))
    named = BadRequest()
    assert status.details[1].Unpack(named)
    assert len(named.field_violations) == MAX_LISTED
    assert {len(one.description) for one in named.field_violations} == {MAX_DESCRIPTION}
    assert status.message.endswith("(and 999 more)")


def test_exactly_untimely_rejections_are_failed_preconditions() -> None:
    assert {reason for reason, code in CODES.items() if code == grpc.StatusCode.FAILED_PRECONDITION} == UNTIMELY


@pytest.mark.parametrize("method", FIELDS_OF)
def test_every_field_that_may_be_blamed_is_one_of_the_request(method: str) -> None:
    service, name = method.split("/")
    files = (advisor_pb2, annotation_pb2, games_pb2)
    [services] = [file.DESCRIPTOR.services_by_name for file in files if service in file.DESCRIPTOR.services_by_name]
    for path in FIELDS_OF[method].values():
        message = services[service].methods_by_name[name].input_type
        for field in path.split("."):
            assert field in message.fields_by_name, path
            message = message.fields_by_name[field].message_type


async def test_errors_of_inner_modules_name_the_field_of_the_request(played: Table) -> None:
    request = games_pb2.SetSeatRequest(game_id=played.game_id, tokens=["x"], seat=0, plan=PERSON)
    error = await refusal(played.stub.SetSeat(request))
    assert [one.field for one in details(error, BadRequest).field_violations] == ["tokens[0]"]
    opened = games_pb2.SetSeatRequest(game_id=played.game_id, tokens=played.tokens(0), seat=0, plan=OPEN)
    await played.stub.SetSeat(opened)
    again = games_pb2.SetSeatRequest(game_id=played.game_id, tokens=[played.made.owner_token], seat=0, plan=PERSON)
    error = await refusal(played.stub.SetSeat(again))
    assert details(error, BadRequest).field_violations[0].field == "plan.kind"


@pytest.mark.parametrize("timeout", [None, 600], ids=["time to wait", "less time than the wait"])
async def test_busy(monkeypatch: pytest.MonkeyPatch, timeout: float | None) -> None:
    monkeypatch.setattr(demand, "LATEST_RETRY", 36_000.0)
    async with served(max_searches=1, max_time=36_000.0) as server:
        running = server.advisor.RecommendMove(question(time_budget=duration(36_000)))
        await until(lambda: server.app.scheduler.running == 1)
        error = await refusal(server.advisor.RecommendMove(question(iterations=1), timeout=timeout))
        running.cancel()
    assert error.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert_reason(error, Reason.BUSY)
    delay = details(error, RetryInfo).retry_delay
    assert delay.ToSeconds() > 600
    pushback = "-1" if timeout else str(delay.ToMilliseconds())  # "-1": do not come again
    assert ("grpc-retry-pushback-ms", pushback) in [tuple(pair) for pair in error.trailing_metadata()]


async def test_out_of_time() -> None:
    async with served(margin=3600.0) as server:
        error = await refusal(server.advisor.RecommendMove(question(iterations=1), timeout=600))
    assert error.code() == grpc.StatusCode.DEADLINE_EXCEEDED
    assert_reason(error, Reason.OUT_OF_TIME)


async def test_internal(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def break_down(*_: Any) -> None:
        raise RuntimeError("the secret")

    monkeypatch.setattr(service, "read_question", break_down)
    async with served() as server:
        error = await refusal(server.advisor.RecommendMove(question(iterations=1)))
    assert error.code() == grpc.StatusCode.INTERNAL
    assert_reason(error, Reason.INTERNAL)
    assert "secret" not in str(error.trailing_metadata()) + str(error.details())
    [record] = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert "the secret" in str(record.exc_info)


def test_every_reason_has_a_code_and_is_named_by_a_test() -> None:
    named = {name for path in TESTS.rglob("test_*.py") for name in re.findall(r"\bReason\.([A-Z_]+)", path.read_text())}
    assert set(CODES) == set(Reason)
    assert [reason for reason in Reason if reason.name not in named] == []

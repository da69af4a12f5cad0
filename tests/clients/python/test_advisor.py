"""The client accepts positions in many forms, and returns simple answers and errors."""

import dataclasses
import socket
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest

from clerestory.cli.positions import first_decision
from clerestory.clients import (
    Action,
    Advisor,
    BadRequest,
    Busy,
    FieldViolation,
    OutOfTime,
    Recommendation,
    Unsupported,
    wire,
)

OPENING = first_decision("toy", 2, 7)


def plain(answer: Recommendation) -> dict[str, Any]:
    return dataclasses.asdict(answer) | {"elapsed": None, "waited": None}


@pytest.mark.parametrize(
    "position",
    [OPENING.to_position(), OPENING.to_json(), OPENING.to_json().encode(), OPENING.observe(OPENING.turn)],
    ids=["dict", "text", "bytes", "object"],
)
def test_a_position_may_have_any_form(advisor: Advisor, position: Any) -> None:
    answer = advisor.recommend(position, iterations=100, seed=3, seat=0)
    assert plain(answer) == plain(advisor.recommend(OPENING, iterations=100, seed=3))


def test_an_answer_holds_plain_values_only(advisor: Advisor) -> None:
    answer = advisor.recommend(OPENING, "600s", iterations=200, seed=3, early_stop=False)
    assert types_in(dataclasses.asdict(answer)) <= {dict, list, tuple, str, int, float, bool, type(None)}
    assert isinstance(answer.best, Action)
    assert str(answer.best) == answer.lines[0].action.text == answer.message.best.text
    assert {line.action.text for line in answer.lines} == {action.text for action in OPENING.legal_actions()}
    assert (answer.seat, answer.seed, answer.rules_revision, answer.level) == (0, 3, 1, None)
    assert (answer.iterations, answer.stop_reason) == (200, "iterations")
    assert answer.elapsed > 0
    assert sum(line.visits for line in answer.lines) == answer.iterations


def types_in(value: Any) -> set[type]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return {type(value)}.union(*map(types_in, inner))


BAD_POSITIONS: list[tuple[Any, str]] = [
    ("", ""),
    ("examples/positions/toy-2p-round1.json", "is not JSON: .*; give the text of a file, not its name$"),
    ("[]", "must be a JSON object$"),
    ("5", "must be a JSON object$"),
    ("null", "must be a JSON object$"),
    (None, "must be a JSON object, not null$"),
    ("[" * 100_000, ""),
    (5, "must be a JSON object, not int$"),
    ({"rules_revision": 1, "chess": {}}, ""),
]


@pytest.mark.parametrize(("position", "says"), BAD_POSITIONS, ids=lambda value: repr(value)[:40])
def test_a_bad_position_is_rejected(advisor: Advisor, position: Any, says: str) -> None:
    with pytest.raises(BadRequest, match=f"^position.*: .*{says}") as caught:
        advisor.recommend(position, iterations=1)
    assert caught.value.reason == "BAD_POSITION"
    assert all(violation.field.startswith("position") for violation in caught.value.violations)


def test_an_error_of_grpc_itself_has_no_reason(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clerestory.clients.wire.MAX_MESSAGE_BYTES", 1 << 20)
    position = OPENING.to_position()
    position["toy"]["step"] = "x" * 70_000
    with Advisor(target, retries=False) as advisor, pytest.raises(Busy) as caught:
        advisor.recommend(position, iterations=1)
    assert caught.value.reason == ""


def test_a_server_that_never_answers_is_given_up_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "SLACK", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        target = f"127.0.0.1:{silent.getsockname()[1]}"
        with Advisor(target) as advisor, pytest.raises(OutOfTime):
            advisor.recommend(OPENING, 0.01)


def test_a_server_without_the_method_is_unsupported() -> None:
    with ThreadPoolExecutor(1) as threads:
        other = grpc.server(threads)
        port = other.add_insecure_port("127.0.0.1:0")
        other.start()
        with Advisor(f"127.0.0.1:{port}") as advisor, pytest.raises(Unsupported) as caught:
            advisor.recommend(OPENING, iterations=1)
        other.stop(None).wait()
    assert type(caught.value) is Unsupported


def test_a_violation_without_a_field_is_its_description() -> None:
    assert str(FieldViolation("", "what")) == "what"

"""Requests as written by the clients, and errors for requests that cannot be sent."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from clerestory.cli.positions import first_decision
from clerestory.clients import Advisor, BadRequest, Referee
from clerestory.clients.review_wire import write_annotation
from clerestory.clients.wire import (
    SLACK,
    Limits,
    position_message,
    read_time,
    value_name,
    write_analysis,
    write_question,
)
from clerestory.engine.toy.rules import TOY
from clerestory.error_details import words_for_users
from clerestory.service_errors import Reason
from clerestory.v1 import advisor_pb2 as api
from clerestory.v1.rules_pb2 import AnyPosition, Turn
from tests.clients.python.conftest import DEADLINE
from tests.position_forms import ACCEPTED, MESSAGE, REFUSED

POSITION = first_decision("toy", 2, 7).observe(0)

TIMES = [
    ("500ms", 0.5),
    ("2s", 2.0),
    (" 1.5 s ", 1.5),
    ("0ms", 0.0),
    ("-1s", -1.0),
    (0.25, 0.25),
    (3, 3),
    (timedelta(milliseconds=40), 0.04),
]


@pytest.mark.parametrize(("time", "seconds"), TIMES)
def test_a_time_is_read_in_many_forms(time: Any, seconds: float) -> None:
    assert read_time(time) == pytest.approx(seconds)


NO_TIMES = [b"1s", [], {"seconds": 1}, "", "5", "5m", "ms", "1e3s", "1 s s", "\u0661s", "x" * 500, "9" * 400 + "s"]


@pytest.mark.parametrize("time", [*NO_TIMES, float("nan"), float("inf"), 1e30, timedelta(days=9_999_999)])
def test_what_is_no_time_is_rejected_in_a_short_error(time: Any) -> None:
    with pytest.raises(BadRequest, match=r"^time_budget: ") as caught:
        write_question(POSITION, time, {})
    assert caught.value.reason == "BAD_TIME_BUDGET"
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("time", [86_401, 3e11])
def test_a_time_beyond_that_of_any_server_leaves_it_the_time_to_say_so(time: float) -> None:
    """gRPC cannot wait for some of them."""
    assert write_question(POSITION, time, {}).timeout == 86_400 + DEADLINE
    assert write_annotation("", time, None, None, None, time)[1] == 4 * 86_400 + 5


def test_a_call_has_its_time_and_some_seconds_for_the_network() -> None:
    assert SLACK == 5
    assert write_question(POSITION, "2s", {}).timeout == 2 + DEADLINE  # the timeout of the tests
    assert write_analysis(POSITION, "2s", None, None, background=False, observer=None, options={}).timeout == (
        2 + DEADLINE
    )


OPTIONS: list[tuple[dict[str, Any], str, Any]] = [
    ({"seat": 0}, "seat", 0),
    ({"iterations": 5}, "iterations", 5),
    ({"seed": 2**64 - 1}, "seed", 2**64 - 1),
    ({"memory": 1 << 20}, "max_tree_bytes", 1 << 20),
    ({"level": 3}, "level", 3),
    ({"threads": 2}, "threads", 2),
    ({"lines": 5}, "max_lines", 5),
    ({"early_stop": False}, "early_stop", False),
    ({"consider": "play 4"}, "consider_actions", ["play 4"]),
    ({"avoid": ["fold", TOY.parse_action("play 2")]}, "avoid_actions", ["fold", "play 2"]),
    ({"avoid": TOY.parse_action("fold")}, "avoid_actions", ["fold"]),
]


@pytest.mark.parametrize(("options", "field", "value"), OPTIONS)
def test_an_option_becomes_a_field(options: Any, field: str, value: Any) -> None:
    assert getattr(write_question(POSITION, "1s", options).request, field) == value
    unset = dict.fromkeys(options)
    assert write_question(POSITION, "1s", unset) == write_question(POSITION, "1s", {})  # type: ignore[arg-type]


BAD_OPTIONS: list[tuple[dict[str, Any], str, str]] = [
    ({"level": -1}, "level", "BAD_LEVEL"),
    *[({"seat": seat}, "seat", "BAD_SEAT") for seat in (-1, 2**32, "0", 0.5)],
    *[({"iterations": number}, "iterations", "BAD_ITERATIONS") for number in (-1, 2**64, "1")],
    *[({"seed": seed}, "seed", "UNREADABLE_REQUEST") for seed in (-1, 2**64, "1")],
    ({"threads": "two"}, "threads", "BAD_THREADS"),
    ({"memory": 1.5}, "max_tree_bytes", "BAD_MAX_TREE_BYTES"),
    ({"lines": 2**32}, "max_lines", "UNREADABLE_REQUEST"),
    ({"early_stop": "yes"}, "early_stop", "UNREADABLE_REQUEST"),
    ({"early_stop": 1 << 63}, "early_stop", "UNREADABLE_REQUEST"),
    ({"consider": 5}, "consider_actions", "BAD_CONSIDER_ACTIONS"),
    ({"avoid": [5]}, "avoid_actions", "BAD_AVOID_ACTIONS"),
]


@pytest.mark.parametrize(("options", "field", "reason"), BAD_OPTIONS)
def test_an_option_that_cannot_be_sent_is_rejected_by_its_field(options: Any, field: str, reason: str) -> None:
    with pytest.raises(BadRequest, match=f"^{field}: ") as caught:
        write_question(POSITION, "1s", options)
    assert caught.value.reason == reason


@pytest.mark.parametrize("options", [{"character": 5}, {"game_id": "\ud800"}])
def test_an_option_must_be_valid_unicode(options: Any) -> None:
    with pytest.raises(BadRequest, match=r" is not a text in Unicode$"):
        write_question(POSITION, "1s", options)


def test_an_unknown_option_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="'speed' is not one of"):
        write_question(POSITION, "1s", {"speed": 1})  # type: ignore[typeddict-unknown-key]


def table(advisor: Advisor) -> Referee:
    return Referee(advisor._call, AnyPosition(), Turn())


UNFIT: list[tuple[Callable[[Any], Any], str, str]] = [
    (lambda a: a.analyze(POSITION, "1s", background="x"), "background", "UNREADABLE_REQUEST"),
    (lambda a: a.annotate(5), "record", "BAD_RECORD"),
    (lambda a: a.annotate("\ud800"), "record", "BAD_RECORD"),
    (lambda a: a.annotate(a.games.open("\ud800")), "game_id", "BAD_GAME_ID"),
    (lambda a: a.games.create("toy", ["person"], table="yes"), "table", "BAD_OPTIONS"),
    (lambda a: a.games.create("toy", [1, 2]), "seats[0]", "BAD_OPTIONS"),
    (lambda a: a.games.create("toy", ["person:\ud800"]), "seats[0].name", "BAD_OPTIONS"),
    (lambda a: a.games.create("toy", ["bot:\ud800"]), "seats[0].bot.character", "BAD_CHARACTER"),
    (lambda a: a.games.create("\ud800", []), "game", "BAD_GAME"),
    (lambda a: a.games.join("x", name="\ud800"), "name", "BAD_OPTIONS"),
    (lambda a: a.games.join(5), "game_id", "BAD_GAME_ID"),
    (lambda a: a.games.list(page="\ud800"), "page_token", "BAD_PAGE"),
    *[(lambda a, one=one: a.games.list(status=one), "status", "BAD_PAGE") for one in ("frozen", "unspecified", "foo")],
    (lambda a: a.games.open("\ud800").look(), "game_id", "BAD_GAME_ID"),
    (lambda a: a.games.open("x", {0: "\ud800"}).resign(), "tokens", "UNREADABLE_REQUEST"),
    (lambda a: a.games.open("x").play("\ud800"), "action", "BAD_ACTION"),
    (lambda a: a.puzzles.judge("duel", 1, "\ud800"), "action", "BAD_ACTION"),
    (lambda a: a.lessons.follow("\ud800"), "lesson", "NO_SUCH_LESSON"),
    (lambda a: a.rules.catalogue("\ud800"), "game", "BAD_GAME"),
    (lambda a: a.rules.start("\ud800", 2), "game", "BAD_GAME"),
    (lambda a: a.games.open("x", ["a token"]), "tokens", "UNREADABLE_REQUEST"),
    (lambda a: a.games.open("x").look(entries_from=-1), "entries_from_ply", "BAD_PLY"),
    (lambda a: a.games.open("x").play(5), "action", "BAD_ACTION"),
    (lambda a: a.games.open("x").take_back(1, decline="x"), "decline", "UNREADABLE_REQUEST"),
    (lambda a: a.games.open("x").watch(from_version="x"), "from_version", "UNREADABLE_REQUEST"),
    (lambda a: a.games.open("x").watch(from_version=-1), "from_version", "UNREADABLE_REQUEST"),
    (lambda a: a.puzzles.pose("duel", -1), "number", "NO_SUCH_PUZZLE"),
    (lambda a: a.puzzles.judge("duel", 1, 5), "actions", "BAD_ACTION"),
    (lambda a: a.lessons.follow("goal", [5]), "actions", "BAD_ACTION"),
    (lambda a: a.rules.start("toy", -1), "seats", "BAD_SEATS"),
    (lambda a: table(a).apply(None), "actions", "BAD_ACTION"),
    (lambda a: table(a).apply([], draw="x"), "draw", "UNREADABLE_REQUEST"),
    (lambda a: table(a).plan({"mason_1": 1, "carpenter_4": -1}), "uses[1].times", "BAD_ACTION"),
]


@pytest.mark.parametrize(("call", "field", "reason"), UNFIT)
def test_an_argument_that_cannot_be_sent_has_a_reason_of_the_service(
    call: Callable[[Any], Any], field: str, reason: str
) -> None:
    with Advisor("localhost:1", patience=0, language="de") as advisor, pytest.raises(BadRequest) as caught:
        call(advisor)
    assert [one.field for one in caught.value.violations] == [field]
    assert caught.value.reason == reason
    assert caught.value.localized == words_for_users(Reason[reason], "", "de")


@pytest.mark.parametrize("written", ACCEPTED.values(), ids=ACCEPTED)
def test_every_form_of_a_position_file_is_read(written: str) -> None:
    assert position_message(written) == position_message(json.loads(written)) == MESSAGE


@pytest.mark.parametrize(("written", "field"), REFUSED.values(), ids=REFUSED)
def test_other_forms_are_rejected_with_the_field(written: str, field: str) -> None:
    with pytest.raises(BadRequest) as caught:
        position_message(written)
    assert [one.field for one in caught.value.violations] == [f"position.{field}"]


def test_all_that_is_wrong_with_a_position_is_named() -> None:
    with pytest.raises(BadRequest) as caught:
        position_message({"rules_revision": -1, "toy": {"strange": 1, "round": 3.14}, 5: ()})
    fields = ["position.rules_revision", "position.toy.strange", "position.toy.round", "position.5"]
    assert [one.field for one in caught.value.violations] == fields


def test_an_analysis_has_an_interval_a_certainty_and_an_observer() -> None:
    request, _ = write_analysis(POSITION, "2s", "100ms", 0.95, background=True, observer=1, options={"lines": 2})
    assert request.background
    assert (request.update_interval.ToMilliseconds(), request.target_certainty) == (100, 0.95)
    assert (request.question.time_budget.ToSeconds(), request.question.max_lines) == (2, 2)
    assert request.observer.seat == 1


BAD_ANALYSES = [
    ({"every": "soon"}, "update_interval"),
    ({"certainty": "sure"}, "target_certainty"),
    ({"observer": "red"}, "observer.seat"),
    ({"observer": np.array([0, 1])}, "observer.seat"),
    ({"options": {"seat": np.array([0, 1])}}, "seat"),
]


@pytest.mark.parametrize(("fields", "field"), BAD_ANALYSES)
def test_a_bad_argument_of_an_analysis_is_rejected_by_its_field(fields: dict[str, Any], field: str) -> None:
    given = {"every": None, "certainty": None, "observer": None, "background": False, "options": {}} | fields
    with pytest.raises(BadRequest) as caught:
        write_analysis(POSITION, "2s", **given)
    assert caught.value.violations[0].field == field
    assert field != "observer.seat" or caught.value.reason == "BAD_SEAT"


@pytest.mark.parametrize(("number", "name"), [(0, "unspecified"), (1, "time"), (3, "stopped"), (99, "unspecified")])
def test_an_unknown_value_of_an_enum_is_unspecified(number: int, name: str) -> None:
    assert value_name(api.StopReason, "STOP_REASON_", number) == name


USUAL = Limits(time="2s", iterations=500, memory=1 << 20, every="100ms")


def test_limits_are_those_of_the_keywords_which_replace_them() -> None:
    given: Any = {"iterations": 500, "memory": 1 << 20}
    assert write_question(POSITION, None, {"limits": USUAL}) == write_question(POSITION, "2s", given)
    rest: Any = {"certainty": None, "background": False, "observer": None}
    whole = write_analysis(POSITION, None, None, options={"limits": USUAL}, **rest)
    assert whole == write_analysis(POSITION, "2s", "100ms", options=given, **rest)  # type: ignore[arg-type]
    replaced = write_analysis(
        POSITION, "1s", "50ms", options={"limits": USUAL, "iterations": 9, "memory": None}, **rest
    )
    assert replaced == write_analysis(POSITION, "1s", "50ms", options=given | {"iterations": 9}, **rest)  # type: ignore[arg-type]


BAD_LIMITS = [
    ("1s", "limits", "UNREADABLE_REQUEST"),
    (Limits(time="soon"), "time_budget", "BAD_TIME_BUDGET"),
    (Limits(iterations=-1), "iterations", "BAD_ITERATIONS"),
    (Limits(memory="all"), "max_tree_bytes", "BAD_MAX_TREE_BYTES"),  # type: ignore[arg-type]
    (Limits(every="soon"), "update_interval", "BAD_UPDATE_INTERVAL"),
]


@pytest.mark.parametrize(("limits", "field", "reason"), BAD_LIMITS)
def test_bad_limits_are_rejected_by_their_field(limits: Any, field: str, reason: str) -> None:
    with pytest.raises(BadRequest, match=f"^{field}: ") as caught:
        write_analysis(POSITION, None, None, None, background=False, observer=None, options={"limits": limits})
    assert caught.value.reason == reason

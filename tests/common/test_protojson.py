"""For any JSON body, the error names the field and the problem, in terms of JSON and of proto/."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor

from clerestory import protojson
from clerestory.engine.games import GAMES
from clerestory.engine.schemas import range_of
from clerestory.protojson import DURATION, Repeats, fits, object_of
from clerestory.server.gateway.codec import message_of
from clerestory.server.gateway.errors import UnreadableRequest
from clerestory.server.gateway.methods import methods
from clerestory.v1.position_pb2 import Position
from tests.server.gateway.harness import RULES

START = methods()[RULES + "StartPosition"]
CREATE = methods()["/clerestory.v1.GameService/CreateGame"]
ANALYZE = methods()["/clerestory.v1.AdvisorService/Analyze"]
APPLY = methods()[RULES + "ApplyActions"]

WHOLE = [
    (b"{", "is not JSON: Expecting property name enclosed in double quotes: line 1"),
    (b"{} x", "is not JSON: Extra data: line 1"),
    (b"\xff", "is not JSON: it is not encoded in UTF-8"),
    (b"null", "is null; must be a JSON object"),
    (b"[]", "is []; must be a JSON object"),
    (b"1", "is 1; must be a JSON object"),
    (b'"' + b"x" * 99 + b'"', f'is "{"x" * 39}...; must be a JSON object'),
    (b'{"seats":' + b"9" * 10_000 + b"}", "has a number of too many digits"),
    (b"[" * 60_000, "is nested too deeply"),
    (b'{"game":' * 6_000, "is nested too deeply"),
]


class Name(str):
    """A name that counts comparisons with it."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Name.compared += 1
        return str.__eq__(self, other)


def test_each_of_many_names_is_read_once() -> None:
    Name.compared = 0
    names = [Name(number) for number in (*range(1000), 999)]
    repeats: Repeats = {}
    found = object_of([(name, 0) for name in names], repeats)
    assert repeats == {id(found): (found, "999")}
    assert Name.compared <= 2 * len(names)


@pytest.mark.parametrize(("body", "says"), WHOLE)
def test_a_body_must_be_a_json_object(body: bytes, says: str) -> None:
    with pytest.raises(UnreadableRequest) as caught:
        message_of(START, body)
    assert len(str(caught.value)) < 1000
    assert str(caught.value).startswith(f"the request {says}")


TWICE = [
    (b'{"game":"duel","game":"toy"}', "game"),
    (b'{"options":{"listed":true,"x":[{"y":0},{"y":0,"y":1}]}}', "options.x[1].y"),
    (b'{"seats":{"kind":1,"kind":2},"seats":{}}', "seats"),
    (b'{"requestId":"a","requestId":"b"}', "request_id"),
    (b'{"seats":[{"bot":{"timeBudget":"1s","timeBudget":"1s"}}]}', "seats[0].bot.time_budget"),
    (b'{"' + b"x" * 99 + b'":0,"' + b"x" * 99 + b'":0}', "x" * 40),
]


@pytest.mark.parametrize(("body", "field"), TWICE)
def test_a_field_may_be_given_once(body: bytes, field: str) -> None:
    with pytest.raises(UnreadableRequest) as caught:
        message_of(CREATE, body)
    assert str(caught.value) == f"{field}: is given more than once in one object"


TEXT, NUMBER = "must be a text in Unicode", "must be a number"
LITTLE, LARGE = "must be a whole number from 0 to 4294967295", f"must be a whole number from 0 to {2**64 - 1}"
KIND = 'must be a value of SeatKind, such as "SEAT_KIND_BOT"'
DURATIONS = 'must be a duration such as "1.5s"'
FIELDS = [  # the field at fault, its value, and the requirement
    (START, {"foo": 1}, "foo: is not a field of StartPositionRequest"),
    (START, {"\ud800": 1}, "\\ud800: is not a field of StartPositionRequest"),
    (START, {"game": 5}, f"game: is 5; {TEXT}"),
    (START, {"game": "\ud800"}, f'game: is "\\ud800"; {TEXT}'),
    (START, {"seats": -1}, f"seats: is -1; {LITTLE}"),
    (START, {"seats": float("inf")}, f"seats: is Infinity; {LITTLE}"),
    (START, {"seed": str(2**64)}, f'seed: is "{2**64}"; {LARGE}'),
    (CREATE, {"seats": 1}, "seats: is 1; must be an array"),
    (CREATE, {"seats": [{}, 1]}, "seats[1]: is 1; must be an object"),
    (CREATE, {"seats": [{"kind": "CAT"}]}, f'seats[0].kind: is "CAT"; {KIND}'),
    (CREATE, {"seats": [{}, {"kind": True}]}, f"seats[1].kind: is true; {KIND}"),
    (CREATE, {"seats": [{"bot": {"timeBudget": 3}}]}, f"seats[0].bot.time_budget: is 3; {DURATIONS}"),
    (CREATE, {"options": {"time_per_move": "1.5e-1s"}}, f'options.time_per_move: is "1.5e-1s"; {DURATIONS}'),
    (CREATE, {"options": {"listed": 1}}, "options.listed: is 1; must be true or false"),
    *[
        (ANALYZE, {"target_certainty": value}, f"target_certainty: is {json.dumps(value)}; {NUMBER}")
        for value in (True, "much", "1_0", "inf", " 1", "\N{ARABIC-INDIC DIGIT ONE}")
    ],
    (APPLY, {"position": {"position": {}}, "actions": [["a"]]}, f'actions[0]: is ["a"]; {TEXT}'),
]


@pytest.mark.parametrize(("method", "fields", "says"), FIELDS)
def test_a_value_that_a_field_cannot_have_is_quoted(method: Any, fields: dict[str, Any], says: str) -> None:
    with pytest.raises(UnreadableRequest) as caught:
        message_of(method, json.dumps(fields).encode())
    assert str(caught.value) == says


def numbers_of(kind: Descriptor, path: str) -> Iterator[str]:
    """Yield the path of each number in a message."""
    for field in kind.fields:
        here = f"{path}.{field.name}{'[0]' if field.is_repeated else ''}"
        if field.message_type is not None:
            yield from numbers_of(field.message_type, here)
        elif field.cpp_type in (field.CPPTYPE_INT32, field.CPPTYPE_UINT32):
            yield here


GAME_NUMBERS = [
    path
    for name in GAMES
    for path in numbers_of(Position.DESCRIPTOR.fields_by_name[name].message_type, f"question.position.{name}")
    if not path.endswith(".stock.metal")  # which the message has, and the game does not
]


@pytest.mark.parametrize("path", GAME_NUMBERS)
def test_a_number_of_a_position_has_the_range_of_the_game(path: str) -> None:
    value: Any = 1 << 40
    for name in reversed(path.split(".")):
        value = {name.removesuffix("[0]"): [value] if name.endswith("[0]") else value}
    with pytest.raises(UnreadableRequest) as caught:
        message_of(ANALYZE, json.dumps(value).encode())
    found = re.fullmatch(r"(.*): is 1099511627776; must be a whole number from (-?\d+) to (\d+)", str(caught.value))
    assert found is not None
    assert (found[1], range_of(path)) == (path, (int(found[2]), int(found[3])))
    assert int(found[2]) <= int(found[3]) < 1 << 16


def test_a_fraction_that_a_float_lacks_is_seen() -> None:
    with pytest.raises(UnreadableRequest, match=r"^seed: is 1\.2345678901234568e\+17; must be a whole number"):
        message_of(START, b'{"seed": 123456789012345678.5}')
    assert message_of(ANALYZE, b'{"target_certainty": 123456789012345678.5}')


READ: list[tuple[Any, dict[str, Any], dict[str, Any]]] = [
    *[(CREATE, {"seats": [{"kind": kind}]}, {"seats": [{"kind": 3}]}) for kind in ("SEAT_KIND_BOT", 3, 3.0)],
    *[(START, {"seed": seed}, {"seed": 50}) for seed in (50, 50.0, "50", "5e1")],
    *[(ANALYZE, {"targetCertainty": number}, {"target_certainty": 0.5}) for number in (0.5, "0.5", "5e-1")],
    (ANALYZE, {"updateInterval": "1.5s", "question": None}, {"update_interval": {"seconds": 1, "nanos": 500_000_000}}),
]


@pytest.mark.parametrize(("method", "fields", "means"), READ)
def test_all_forms_of_the_json_mapping_are_read(method: Any, fields: dict[str, Any], means: dict[str, Any]) -> None:
    assert message_of(method, json.dumps(fields).encode()) == method.request(**means).SerializeToString()


ODD: tuple[Any, ...] = (5, -1, 0.5, 1e300, float("nan"), True, "x", "\ud800", "9" * 99, [], [[]], [None], {}, {"x": 1})
WORDS = r"Error|None|sys\.|dict|list|tuple|'|int\(\)|recursion|encode|codec"  # Python terms, and Python's quoting


def paths(kind: Descriptor, seen: set[str]) -> Iterator[list[FieldDescriptor]]:
    for field in kind.fields:
        if field.full_name in seen:
            continue
        seen.add(field.full_name)
        yield [field]
        if field.message_type is not None and field.message_type.full_name != DURATION:
            yield from ([field, *rest] for rest in paths(field.message_type, seen))


def placed(path: list[FieldDescriptor], value: Any) -> Any:
    for field in reversed(path):
        value = {field.name: [value] if field.is_repeated and field is not path[-1] else value}
    return value


def test_any_value_of_any_field_is_read_or_the_error_names_the_field() -> None:
    blamed, seen = 0, set[str]()
    for method in methods().values():
        for path in paths(method.request.DESCRIPTOR, seen):
            for value in ODD:
                try:
                    message_of(method, json.dumps(placed(path, value)).encode())
                except UnreadableRequest as error:
                    field, _, says = str(error).partition(": ")
                    assert re.sub(r"\[0\]", "", field).startswith(".".join(one.name for one in path))
                    assert not re.search(WORDS, says.partition("; ")[2]), says
                    blamed += 1
    assert len(seen) > 200
    assert blamed > 4 * len(seen)


@pytest.mark.parametrize("wrong", [0, 1, 2, 4_999, 9_999])
def test_the_value_to_blame_in_a_long_array_is_found_in_some_steps(monkeypatch: pytest.MonkeyPatch, wrong: int) -> None:
    tried = []

    def counted(field: FieldDescriptor, value: Any) -> bool:
        tried.append(value)
        return fits(field, value)

    monkeypatch.setattr(protojson, "fits", counted)
    actions: list[Any] = ["pass"] * 10_000
    actions[wrong] = 5
    with pytest.raises(UnreadableRequest, match=rf"actions\[{wrong}\]: is 5; must be a text in Unicode"):
        message_of(APPLY, json.dumps({"actions": actions}).encode())
    assert 1 < len(tried) < 20


def test_two_of_which_one_can_be_given() -> None:
    [one_of] = list(APPLY.request.DESCRIPTOR.fields_by_name["position"].message_type.oneofs)
    first, second = (field.name for field in one_of.fields[:2])
    with pytest.raises(UnreadableRequest, match=rf"position\.{second}: cannot be given beside {first}"):
        message_of(APPLY, json.dumps({"position": {first: {}, second: {}}}).encode())


SEATS = [{}, {"bot": {"time_budget": "1s", "timeBudget": "2s"}}]
BOTH: list[tuple[Any, dict[str, Any], str, str]] = [
    (CREATE, {"requestId": "a", "request_id": "b"}, "request_id", "requestId"),
    (CREATE, {"seats": SEATS}, "seats[1].bot.time_budget", "time_budget"),
    (CREATE, {"options": {"timePerMove": "1s", "time_per_move": None}}, "options.time_per_move", "timePerMove"),
    (ANALYZE, {"targetCertainty": 0.5, "target_certainty": 0.5}, "target_certainty", "targetCertainty"),
]


@pytest.mark.parametrize(("method", "fields", "blamed", "beside"), BOTH)
def test_a_field_has_one_of_its_names(method: Any, fields: dict[str, Any], blamed: str, beside: str) -> None:
    with pytest.raises(UnreadableRequest) as caught:
        message_of(method, json.dumps(fields).encode())
    assert str(caught.value) == f"{blamed}: cannot be given beside {beside}"


def test_a_body_may_begin_with_the_mark_of_its_encoding() -> None:
    assert message_of(START, b'\xef\xbb\xbf{"game": "duel"}') == START.request(game="duel").SerializeToString()

"""Any input gets an answer or a typed error that is the caller's fault, never an internal error of the server."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import grpc
import pytest
from google.protobuf.message import DecodeError, Message
from google.rpc.error_details_pb2 import ErrorInfo

from clerestory.clients import Advisor, AdvisorError
from clerestory.service_errors import Reason
from clerestory.v1.rules_pb2 import ApplyActionsRequest
from loadtest.faults.mutations import flipped, slots
from tests.server.rpc.harness import details, opening, question
from tests.server.rpc.rules import view, whole
from tests.servers import running_server

FAIR = {None, *Reason} - {Reason.INTERNAL, Reason.BUSY, Reason.OUT_OF_TIME, Reason.FINISHING}
EXAMPLES = Path(__file__).parents[3] / "examples" / "positions"
STRANGE: list[Any] = [
    *(None, True, -1, 0, 1, 2, 3, 7, 99, 255, 2**31, 2**64, -(2**63), 0.5),
    *("", "over", "red", "x" * 300, [], {}, [0]),
]

GOOD: list[tuple[str, Any]] = [  # valid requests
    ("AdvisorService/RecommendMove", question(iterations=5, seed=1, seat=0)),
    *(
        ("RulesService/ApplyActions", ApplyActionsRequest(position=position, actions=["fold"], draw=True, seed=1))
        for position in (whole(opening()), view(opening().observe(0)))
    ),
]


@pytest.fixture(scope="module")
def target() -> Iterator[str]:
    with running_server(max_time=0.01) as target:
        yield target


def is_readable(payload: bytes, kind: type[Message]) -> bool:
    try:
        kind.FromString(payload)
    except DecodeError:
        return False
    return True


@pytest.mark.parametrize("count", [200, pytest.param(10_000, marks=pytest.mark.slow)])
def test_any_bytes(target: str, count: int) -> None:
    luck = Random(count)
    with grpc.insecure_channel(target) as channel:
        for _ in range(count):
            method, good = luck.choice(GOOD)
            request = good.SerializeToString() if luck.random() < 0.7 else luck.randbytes(luck.randrange(200))
            payload, reason = flipped(request, luck), None
            try:
                assert channel.unary_unary(f"/clerestory.v1.{method}")(payload, timeout=600)
            except grpc.RpcError as error:
                reason = details(error, ErrorInfo).reason
            assert reason in FAIR
            assert (reason == Reason.UNREADABLE_REQUEST) == (not is_readable(payload, type(good)))


def origins() -> list[dict[str, Any]]:
    examples = [json.loads(path.read_text()) for path in sorted(EXAMPLES.glob("*.json"))]
    return examples + [
        dict(opening(seats, 7, name).to_position()) for name, seats in (("toy", 3), ("cathedral", 4), ("duel", 2))
    ]


def mutated(position: dict[str, Any], luck: Random) -> dict[str, Any]:
    """Return a position with one to three values nudged, dropped, doubled, swapped, or taken from elsewhere."""
    changed: dict[str, Any] = json.loads(json.dumps(position))
    for _ in range(luck.randint(1, 3)):
        places = slots(changed)
        if not places:
            break
        container, key = luck.choice(places)
        other, place = luck.choice(places)
        kind = luck.randrange(6)
        if kind == 0 and type(container[key]) is int:
            container[key] += luck.choice([-1, 1])
        elif kind == 1:
            container[key] = json.loads(json.dumps(other[place]))
        elif kind == 2 and isinstance(container[key], list):
            luck.shuffle(container[key])
        elif kind == 3 and isinstance(container, list):
            container.append(json.loads(json.dumps(container[key])))
        elif kind == 4:
            del container[key]
        else:
            container[key] = json.loads(json.dumps(luck.choice(STRANGE)))
    return changed


@pytest.mark.parametrize("count", [200, pytest.param(10_000, marks=pytest.mark.slow)])
def test_mutated_positions(target: str, count: int) -> None:
    luck, met, good = Random(count), Counter[str | None](), origins()
    with Advisor(target) as advisor:
        for _ in range(count):
            try:
                answer = advisor.recommend(mutated(luck.choice(good), luck), iterations=5)
                met[None if answer.lines else "EMPTY"] += 1
            except AdvisorError as error:
                met[error.reason] += 1
    assert set(met) <= FAIR
    assert met[None] > count // 100
    assert met[Reason.BAD_POSITION] > count // 10

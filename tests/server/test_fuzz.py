"""Any input gets an answer or a typed error, never an internal error of the server."""

from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pytest
from google.protobuf.message import DecodeError, Message
from google.rpc.error_details_pb2 import ErrorInfo
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clerestory.clients import Advisor, AdvisorError
from clerestory.refusals import Reason
from clerestory.v1.advisor_pb2 import RecommendMoveRequest, RecommendMoveResponse
from clerestory.v1.rules_pb2 import ApplyActionsRequest, ApplyActionsResponse
from tests.server.harness import details, opening, question
from tests.server.rules import view, whole

FAIR = {None, *Reason} - {Reason.INTERNAL, Reason.BUSY, Reason.OUT_OF_TIME, Reason.FINISHING}
REQUEST = question(iterations=5, seed=1, seat=0).SerializeToString()
APPLYING = [
    ApplyActionsRequest(position=position, actions=["fold"], draw=True, seed=1).SerializeToString()
    for position in (whole(opening()), view(opening().observe(0)))
]
NUMBERS = st.integers(-1, 12) | st.sampled_from([2**31, 2**32, 2**64, -(2**63)])
TEXTS = st.sampled_from(["", "play", "over", "weather", "7", "x" * 300])
NAMES = st.sampled_from(["toy", "hand", "x"])
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def damaged(draw: st.DrawFn, request: bytes = REQUEST) -> bytes:
    """Return a good request with a few bytes changed, put in, or cut out."""
    payload = bytearray(request)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(payload)))
        payload[start : start + draw(st.integers(0, 2))] = draw(st.binary(max_size=3))
    return bytes(payload)


def slots(node: Any) -> list[tuple[Any, Any]]:
    """Return every place of a JSON value: (container, key or index)."""
    keys = list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
    return [slot for key in keys for slot in ((node, key), *slots(node[key]))]


@st.composite
def odd_positions(draw: st.DrawFn) -> dict[str, Any]:
    """Return the dictionary of a good position with some of its values replaced, or removed."""
    position = opening(draw(st.integers(2, 4)), draw(st.integers(0, 9))).to_position()
    for _ in range(draw(st.integers(1, 3))):
        container, key = draw(st.sampled_from(slots(position) or [(position, "toy")]))
        if isinstance(container, dict) and draw(st.booleans()):
            container.pop(key, None)
        else:
            container[key] = draw(VALUES)
    return position


BYTES = st.binary(max_size=200) | damaged()
FOR_THE_RULES = st.sampled_from(APPLYING).flatmap(damaged)
EXAMPLES = pytest.mark.parametrize("examples", [60, pytest.param(5000, marks=pytest.mark.slow)])
Try = Callable[[Any], None]


@pytest.fixture(scope="module")
def channel(target: str) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(target) as channel:
        yield channel


@pytest.fixture(scope="module")
def client(target: str) -> Iterator[Advisor]:
    with Advisor(target) as client:
        yield client


def tried(strategy: st.SearchStrategy[Any], examples: int, check: Try) -> None:
    """Try a check with so many examples."""

    def one(example: Any) -> None:
        check(example)

    chosen = settings(
        deadline=None,
        derandomize=True,
        database=None,
        max_examples=examples,
        suppress_health_check=[HealthCheck.too_slow],  # which depends on the machine
    )
    chosen(given(strategy)(one))()


@EXAMPLES
def test_any_bytes(channel: grpc.Channel, examples: int) -> None:
    def check(payload: bytes) -> None:
        try:
            answer = channel.unary_unary("/clerestory.v1.AdvisorService/RecommendMove")(payload, timeout=600)
            reason = None if RecommendMoveResponse.FromString(answer).lines else "EMPTY"
        except grpc.RpcError as error:
            reason = details(error, ErrorInfo).reason
        assert reason in FAIR
        assert (reason == Reason.UNREADABLE_REQUEST) == (not is_readable(payload))

    tried(BYTES, examples, check)


@EXAMPLES
def test_any_bytes_for_the_rules(channel: grpc.Channel, examples: int) -> None:
    def check(payload: bytes) -> None:
        try:
            answer = channel.unary_unary("/clerestory.v1.RulesService/ApplyActions")(payload, timeout=600)
            reason = None if ApplyActionsResponse.FromString(answer).position.WhichOneof("kind") else "EMPTY"
        except grpc.RpcError as error:
            reason = details(error, ErrorInfo).reason
        assert reason in FAIR
        assert (reason == Reason.UNREADABLE_REQUEST) == (not is_readable(payload, ApplyActionsRequest))

    tried(FOR_THE_RULES, examples, check)


def is_readable(payload: bytes, kind: type[Message] = RecommendMoveRequest) -> bool:
    try:
        kind.FromString(payload)
    except DecodeError:
        return False
    return True


@EXAMPLES
def test_any_position(client: Advisor, examples: int) -> None:
    def check(position: dict[str, Any]) -> None:
        try:
            reason = None if client.recommend(position, iterations=5).lines else "EMPTY"
        except AdvisorError as error:
            reason = error.reason
        assert reason in FAIR

    tried(odd_positions(), examples, check)

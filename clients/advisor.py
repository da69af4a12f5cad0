"""The client, for programs without an event loop."""

import json
import re
from collections.abc import Mapping
from datetime import timedelta
from types import TracebackType
from typing import Any, Protocol, Self

import grpc
from google.protobuf.duration_pb2 import Duration
from google.protobuf.json_format import ParseDict, ParseError

from clerestory.clients.errors import BadRequest, FieldViolation, error_of
from clerestory.clients.types import Action, Line, Recommendation
from clerestory.v1 import advisor_pb2 as api
from clerestory.v1.advisor_pb2_grpc import AdvisorServiceStub
from clerestory.v1.position_pb2 import Position

LONGEST = 600.0  # seconds a call without a time may take
SLACK = 5.0  # seconds that a call has beyond its time, for its ways and its wait
UNITS = {"ms": 0.001, "s": 1.0}


class HasPosition(Protocol):
    """Anything that can write itself as a position."""

    def to_position(self) -> Mapping[str, Any]:
        """Return the position as a dictionary."""


PositionLike = HasPosition | Mapping[str, Any] | str | bytes
Time = str | float | timedelta


class Advisor:
    """A server's advice. Close it, or use it in a `with`.

    Args:
        target: `HOST:PORT`, `unix:PATH`, or any other gRPC name of a server.
    """

    def __init__(self, target: str) -> None:
        self._channel = grpc.insecure_channel(target)
        self._stub = AdvisorServiceStub(self._channel)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; calls under way end with an error."""
        self._channel.close()

    def recommend(
        self,
        position: PositionLike,
        time: Time | None = None,
        *,
        seat: int | None = None,
        iterations: int | None = None,
        seed: int | None = None,
    ) -> Recommendation:
        """Return the advice for a position; `time` or `iterations` is required.

        Args:
            position: a dictionary, its JSON text, or an object with `to_position()`.
            time: until the answer leaves the server: "500ms", "2s", seconds, or a timedelta.
            seat: the one to decide; None takes it from the position.
            iterations: of the search, at most.
            seed: of all luck in the search; None lets the server draw one.

        Raises AdvisorError.
        """
        request = api.RecommendMoveRequest(position=position_message(position))
        seconds = LONGEST
        if time is not None:
            seconds = read_time(time)
            request.time_budget.CopyFrom(duration(seconds))
        for field, value in (("seat", seat), ("iterations", iterations), ("seed", seed)):
            if value is not None:
                set_number(request, field, value)
        try:
            answer = self._stub.RecommendMove(request, timeout=max(seconds, 0) + SLACK)
        except grpc.RpcError as failure:
            raise error_of(failure) from None
        return read_answer(answer)


def refusal(field: str, description: str) -> BadRequest:
    """Return the error for a question that cannot even be sent; its reason is the one that a server gives."""
    violation = FieldViolation(field, description)
    return BadRequest(str(violation), f"BAD_{field.upper()}", [violation])


def read_time(time: Time) -> float:
    """Return a time in seconds. Raises BadRequest for what is no time."""
    if isinstance(time, timedelta):
        return time.total_seconds()
    if isinstance(time, str):
        match = re.fullmatch(r"\s*(-?\d+(?:\.\d+)?)\s*(ms|s)\s*", time, re.ASCII)
        if match is None:
            raise refusal("time_budget", f"{time[:80]!r} is not a time like 500ms or 2s")
        return float(match[1]) * UNITS[match[2]]
    return time


def duration(seconds: float) -> Duration:
    """Return a time as a message. Raises BadRequest for what none can hold."""
    message = Duration()
    try:
        message.FromNanoseconds(round(seconds * 1e9))
    except (ValueError, OverflowError):
        raise refusal("time_budget", f"{seconds} s is out of range") from None
    return message


def set_number(request: api.RecommendMoveRequest, field: str, value: int) -> None:
    """Set a field of the request. Raises BadRequest for a number that it cannot hold."""
    try:
        setattr(request, field, value)
    except (ValueError, TypeError):
        raise refusal(field, f"{value!r} is not a whole number in range") from None


def position_message(position: PositionLike) -> Position:
    """Return a position as a message. Raises BadRequest for what has not the shape of one."""
    fields = position.to_position() if hasattr(position, "to_position") else position
    try:
        decoded = json.loads(fields) if isinstance(fields, str | bytes) else dict(fields)
        return ParseDict(decoded, Position())
    except (ParseError, ValueError, TypeError, RecursionError) as error:
        raise refusal("position", f"{error}") from None


def read_answer(answer: api.RecommendMoveResponse) -> Recommendation:
    """Return an answer as what a client gets to see."""
    statistics = answer.statistics
    return Recommendation(
        seat=answer.seat,
        best=read_action(answer.best),
        lines=tuple(read_line(line) for line in answer.lines),
        iterations=statistics.iterations,
        nodes=statistics.nodes,
        tree_bytes=statistics.tree_bytes,
        depth=statistics.depth,
        elapsed=statistics.elapsed.ToNanoseconds() / 1e9,
        stop_reason=read_stop_reason(statistics.stop_reason),
        memory_full=statistics.memory_full,
        seed=answer.seed,
        rules_revision=answer.rules_revision,
        catalogue=answer.catalogue,
    )


def read_stop_reason(number: int) -> str:
    """Return a reason by its name; a number that only newer servers know is `unspecified`."""
    known = api.StopReason.DESCRIPTOR.values_by_number
    return known[number if number in known else 0].name.removeprefix("STOP_REASON_").lower()


def read_line(line: api.Line) -> Line:
    """Return one line of an answer."""
    return Line(read_action(line.action), line.visits, line.availability, tuple(line.win_shares))


def read_action(action: api.Action) -> Action:
    """Return an action of an answer."""
    return Action(action.text, action.label)

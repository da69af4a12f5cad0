"""Parses requests of AdvisorService into positions and search terms."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import islice
from math import nan
from types import MappingProxyType
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from clerestory.engine.core import NATURE, State
from clerestory.engine.errors import BadPosition, fault_of
from clerestory.engine.games import GAMES
from clerestory.engine.tuning import level_as
from clerestory.i18n.sentences import Text, text
from clerestory.server.analysis.caller import Caller
from clerestory.server.analysis.question import Question, Terms, posed
from clerestory.service_errors import Faults, Reason, ServiceError, raise_error
from clerestory.v1 import advisor_pb2 as api
from clerestory.v1.position_pb2 import Position

MAX_POSITION_BYTES = 8 * 1024  # three times the largest position; parsing more would take long
MAX_PARTS = 200  # messages in a position; an empty one takes two bytes, but as long to parse as any other
NANOS = 1_000_000_000
KEPT = 256  # positions of recent queries, under 3 MB


# -- queries ---------------------------------------------------------------------------------------


def read_analysis(request: api.AnalyzeRequest, caller: Caller) -> Question:
    """Parse the query in a caller's request. Raises ServiceError, which lists all faults."""
    more: dict[str, Any] = {"certainty": request.target_certainty if request.HasField("target_certainty") else None}
    if request.HasField("update_interval"):
        more["interval"] = seconds_of(request.update_interval)
    observer = read_observer(request.observer) if request.HasField("observer") else None
    return read_question(request.question, caller, "question.", observer, more)


def read_question(
    request: api.RecommendMoveRequest,
    caller: Caller,
    path: str = "",
    observer: int | None = None,
    more: Mapping[str, Any] = MappingProxyType({}),
) -> Question:
    """Parse the query in a request. Raises ServiceError, which lists all faults.

    Args:
        request: the message.
        caller: the caller of the call.
        path: the field path of the request in its outer message.
        observer: the seat whose knowledge to use, NATURE for an onlooker; None for the seat to move.
        more: further terms.
    """
    faults, terms = Faults(), read_terms(request, more)
    terms.check(faults)
    try:
        position = asked_position(caller, request.position)
    except ServiceError as refusal:
        faults.found += [(refusal.reason, f"{path}{field}", text) for field, text in refusal.faults]
        faults.require_none()
        raise
    return posed(
        position,
        terms,
        faults,
        seat=given(request, "seat"),
        observer=observer,
        consider=request.consider_actions,
        avoid=request.avoid_actions,
    )


def read_terms(request: api.RecommendMoveRequest, more: Mapping[str, Any]) -> Terms:
    """Return the terms of the requested search, not validated."""
    return Terms(
        seconds=seconds_of(request.time_budget) if request.HasField("time_budget") else None,
        iterations=given(request, "iterations"),
        seed=given(request, "seed"),
        max_tree_bytes=given(request, "max_tree_bytes"),
        level=level_as(request.character, given(request, "level")),
        character=request.character,
        threads=given(request, "threads"),
        early_stop=given(request, "early_stop"),
        game_id=request.game_id,
        **more,
    )


def read_observer(observer: api.Observer) -> int:
    """Return the seat whose knowledge to use, NATURE for an onlooker."""
    return int(observer.seat) if observer.HasField("seat") else NATURE


def given(request: Any, field: str) -> Any:
    """Return an optional field; None if it is absent."""
    return getattr(request, field) if request.HasField(field) else None


# -- times -----------------------------------------------------------------------------------------


def seconds_of(time: Duration) -> float:
    """Return a duration in seconds; NaN if its nanoseconds are out of range or have the wrong sign."""
    valid = abs(time.nanos) < NANOS and time.seconds * time.nanos >= 0
    return time.seconds + time.nanos / 1e9 if valid else nan


# -- positions -------------------------------------------------------------------------------------


def asked_position(caller: Caller, message: Position) -> State:
    """Return the position of a caller's query. Raises ServiceError as `read_position` does."""
    if message.ByteSize() > MAX_POSITION_BYTES:
        return read_position(message)  # raises for the size
    return kept_position(caller, message.SerializeToString())


@lru_cache(KEPT)
def kept_position(caller: Caller, message: bytes) -> State:  # noqa: ARG001  # one entry per caller, see below
    """Parse a position as `read_position` does, with a cache, because queries often repeat. Do not modify the result.

    The cache is per caller: otherwise the response time would reveal what other callers have queried.
    """
    return read_position(Position.FromString(message))


def read_position(message: Position, path: str = "position") -> State:
    """Return the position that a message describes. Raises ServiceError, which lists all faults."""
    game = message.WhichOneof("game")
    if fault := size_fault(message):
        raise_error(Reason.BAD_POSITION, path, fault_of(fault))
    if game is None:
        raise_error(Reason.BAD_POSITION, path, fault_of(no_game()))
    try:
        return GAMES[game].from_position(position_fields(message))
    except BadPosition as error:
        faults = [(f"{path}.{field}", description) for field, description in error.violations]
        raise ServiceError(Reason.BAD_POSITION, faults) from None


def size_fault(message: Position) -> Text | None:
    """Return the fault in the size of a position; None if there is none."""
    size = message.ByteSize()
    if size > MAX_POSITION_BYTES:
        return text("fault.size", size=size, most=MAX_POSITION_BYTES)
    many = size >= 2 * MAX_PARTS and next(islice(parts(message), MAX_PARTS, None), None) is not None
    return text("fault.parts", most=MAX_PARTS) if many else None


def no_game() -> Text:
    """Return the fault of a position without a game."""
    return text("fault.game", games=", ".join(GAMES))


def parts(message: Message) -> Iterator[Message]:
    """Yield the messages nested in a message, at any depth."""
    for name, repeated in messages(message.DESCRIPTOR):
        if repeated or message.HasField(name):
            value = getattr(message, name)
            for part in value if repeated else (value,):
                yield part
                yield from parts(part)


def position_fields(message: Message) -> dict[str, Any]:
    """Return the message of a position as the dictionary that the engine reads.

    The result equals that of json_format.MessageToDict with proto field names and default values, in a tenth of the
    time.
    """
    fields: dict[str, Any] = {}
    for name, optional, repeated, read in readers(message.DESCRIPTOR):
        if not optional or message.HasField(name):
            value = getattr(message, name)
            if repeated:
                fields[name] = list(value) if read is None else [*map(read, value)]
            else:
                fields[name] = value if read is None else read(value)
    return fields


@cache
def messages(kind: Descriptor) -> list[tuple[str, bool]]:
    """Return the names of a message's message-typed fields, and whether each is repeated."""
    return [(field.name, field.is_repeated) for field in kind.fields if field.message_type is not None]


@cache
def readers(kind: Descriptor) -> list[tuple[str, bool, bool, Callable[[Any], Any] | None]]:
    """Return the name, presence, repetition and converter of each field of a message."""
    return [(field.name, field.has_presence, field.is_repeated, reader(field)) for field in kind.fields]


def reader(field: FieldDescriptor) -> Callable[[Any], Any] | None:
    """Return the function that converts a field's value to JSON; None if they are equal."""
    if field.message_type is not None:
        return position_fields
    if field.enum_type is not None:
        names = {value.number: value.name for value in field.enum_type.values}
        return lambda number: names.get(number, number)
    return None

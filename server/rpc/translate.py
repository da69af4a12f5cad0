"""Translates what the messages of several services share: positions, outcomes, actions, changes, texts and times."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice
from math import nan
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from clerestory.engine.changes import Change
from clerestory.engine.core import NATURE, OVER, Action, Game, State
from clerestory.engine.errors import BadPosition, fault_of
from clerestory.engine.games import GAMES
from clerestory.engine.message_fields import WireField
from clerestory.engine.messages import PositionReader, part_of
from clerestory.engine.scoring import ScoreSource, by_position, tie_break
from clerestory.i18n import has, say
from clerestory.i18n.languages import ENGLISH
from clerestory.i18n.sentences import Argument, QuotedAction, QuotedItem, Text, format_text, text
from clerestory.server.analysis.caller import Caller
from clerestory.server.games.rulebook import GivenPosition, kind_fault
from clerestory.server.rpc.locale import LOCALE, label_of, name_of, translated_text
from clerestory.service_errors import Reason, ServiceError, raise_error
from clerestory.v1 import advisor_pb2 as advisor
from clerestory.v1 import rules_pb2 as rules
from clerestory.v1.position_pb2 import Position

MAX_POSITION_BYTES = 8 * 1024  # three times the largest position; parsing more would take long
MAX_PARTS = 200  # messages in a position; an empty one takes two bytes, but as long to parse as any other
NANOS = 1_000_000_000
KEPT = 256  # positions of recent queries, under 3 MB
NO_KIND = text("fault.kind")
REMEMBERED = 4096  # cached texts
PATHS_OF_KINDS = {  # field numbers from an AnyPosition to its Position
    "position": (rules.AnyPosition.POSITION_FIELD_NUMBER,),
    "referee": (rules.AnyPosition.REFEREE_FIELD_NUMBER, rules.RefereePosition.TRUTH_FIELD_NUMBER),
}


# -- positions -------------------------------------------------------------------------------------


def asked_position(caller: Caller, message: Position, received: bytes | None) -> State:
    """Return the position of a caller's query. Raises ServiceError as `read_position` does.

    Args:
        caller: the caller.
        message: the position.
        received: the bytes that it was parsed from; None if they are not known.
    """
    if received is None or len(received) > MAX_POSITION_BYTES:  # repeated fields count once in the message's size
        received = message.SerializeToString()
    return read_fields(message) if len(received) > MAX_POSITION_BYTES else kept_position(caller, received)


@lru_cache(KEPT)
def kept_position(caller: Caller, message: bytes) -> State:  # noqa: ARG001  # one entry per caller, see below
    """Parse a position as `read_position` does, with a cache, because queries often repeat. Do not modify the result.

    The cache is per caller: otherwise the response time would reveal what other callers have queried.
    """
    found = reader_of_positions().read(message)
    return read_fields(Position.FromString(message)) if found is None else found


def read_position(message: Position, path: str = "position", received: bytes | None = None) -> State:
    """Return the position that a message describes. Raises ServiceError, which lists all faults.

    Args:
        message: the position.
        path: the field path of the position in its request.
        received: the bytes that it was parsed from; None if they are not known.
    """
    known = message.SerializeToString() if received is None else received
    found = None if len(known) > MAX_POSITION_BYTES else reader_of_positions().read(known)
    return read_fields(message, path) if found is None else found


@cache
def reader_of_positions() -> PositionReader:
    """Return the reader of valid positions, created at the first one."""
    return PositionReader(wire_fields(Position.DESCRIPTOR), GAMES)


def wire_fields(kind: Descriptor) -> dict[int, WireField]:
    """Return the fields of a message by number."""
    return {field.number: wire_field(field) for field in kind.fields}


def wire_field(field: FieldDescriptor) -> WireField:
    """Return a field of a message, with the fields of its own message."""
    if field.message_type is not None:
        return WireField(field.name, "message", False, wire_fields(field.message_type))
    sorts = {FieldDescriptor.TYPE_STRING: "text", FieldDescriptor.TYPE_SINT32: "signed"}
    return WireField(field.name, sorts.get(field.type, "number"), field.has_presence)


def read_fields(message: Position, path: str = "position") -> State:
    """Return the position that a message describes, field by field. Raises ServiceError, which lists all faults."""
    game = message.WhichOneof("game")
    if fault := size_fault(message):
        raise_error(Reason.BAD_POSITION, path, fault_of(fault))
    if game is None:
        raise_error(Reason.BAD_POSITION, path, fault_of(no_game()))
    fields = position_fields(message)
    fields.pop("schema", None)
    try:
        return GAMES[game].from_position(fields)
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


def read_any(message: rules.AnyPosition, path: str = "position", received: bytes | None = None) -> GivenPosition:
    """Return a position of either kind; the arguments are those of `read_position`.

    Raises ServiceError, which lists all faults.
    """
    kind = message.WhichOneof("kind")
    if kind is None:
        raise_error(Reason.BAD_POSITION, path, fault_of(NO_KIND))
    inside = None if received is None else part_of(received, *PATHS_OF_KINDS[kind])
    if kind == "referee":
        return read_kind(message.referee.truth, True, f"{path}.referee.truth", inside)
    return read_kind(message.position, False, f"{path}.position", inside)


Positioned = (
    rules.DealPositionRequest | rules.ListActionsRequest | rules.ApplyActionsRequest | rules.PlanConversionsRequest
)


def asked_any(request: Positioned, payload: bytes) -> GivenPosition:
    """Return the position of a request, read from the bytes of its message. Raises ServiceError as `read_any` does."""
    return read_any(request.position, received=part_of(payload, request.POSITION_FIELD_NUMBER))


def asked_referee(request: rules.ObservePositionRequest, payload: bytes) -> State:
    """Return the referee's position of a request, read from the bytes of its message. Raises ServiceError."""
    received = part_of(payload, request.REFEREE_FIELD_NUMBER, *PATHS_OF_KINDS["referee"][1:])
    return read_kind(request.referee.truth, True, "referee.truth", received).state


def read_kind(message: Position, referee: bool, path: str, received: bytes | None = None) -> GivenPosition:
    """Return a position of one kind. Raises ServiceError, which lists all faults."""
    given = GivenPosition(read_position(message, path, received), referee)
    if fault := kind_fault(given):
        raise_error(Reason.BAD_POSITION, path, fault_of(fault))
    return given


def write_position(state: State) -> Position:
    """Return a position as a message."""
    return Position(**state.to_position())  # equals json_format.ParseDict, in a hundredth of the time


def write_referee(state: State) -> rules.RefereePosition:
    """Return a complete position as a message."""
    return rules.RefereePosition(truth=write_position(state))


def write_any(given: GivenPosition) -> rules.AnyPosition:
    """Return a position as a message of its kind."""
    if given.referee:
        return rules.AnyPosition(referee=write_referee(given.state))
    return rules.AnyPosition(position=write_position(given.state))


# -- turns and outcomes ----------------------------------------------------------------------------


def write_turn(turn: int) -> rules.Turn:
    """Return whose turn it is (a seat, NATURE or OVER) as a message."""
    if turn == NATURE:
        return rules.Turn(kind=rules.TURN_KIND_NATURE)
    if turn == OVER:
        return rules.Turn(kind=rules.TURN_KIND_OVER)
    return rules.Turn(kind=rules.TURN_KIND_SEAT, seat=turn)


def write_outcome(state: State, parts: Sequence[Mapping[ScoreSource, float]] | None = None) -> rules.Outcome | None:
    """Return the outcome of a game as a message; None before its end.

    Args:
        state: the last position.
        parts: the sources of points by seat; None for those that the position shows.
    """
    if not state.over:
        return None
    scores = write_scores(state, by_position(state) if parts is None else parts)
    return rules.Outcome(
        win_shares=state.win_shares(), margins=state.margins(), scores=scores, tie_break=write_tie_break(state)
    )


def write_scores(state: State, parts: Sequence[Mapping[ScoreSource, float]]) -> list[rules.SeatScore]:
    """Return the scores of a position as messages, with their sources."""
    scores = state.final_scores() if state.over else [sum(seat.values()) for seat in parts]
    return [
        rules.SeatScore(seat=seat, score=score, parts=[write_part(*part) for part in parts[seat].items() if part[1]])
        for seat, score in enumerate(scores)
    ]


def write_part(source: ScoreSource, points: float) -> rules.ScorePart:
    """Return one source of points as a message."""
    return rules.ScorePart(source=source[0], item=source[1], points=points)


def write_tie_break(state: State) -> rules.TieBreak | None:
    """Return the tie-break as a message; None if scores were not equal."""
    decided = tie_break(state)
    return None if decided is None else rules.TieBreak(code=decided[0], values=decided[1])


# -- actions and changes ---------------------------------------------------------------------------


def write_action(game: Game, action: Action) -> advisor.Action:
    """Return an action as a message."""
    return advisor.Action(text=action.text, label=label_of(game, action.text, action.label))


def write_changes(game: Game, changes: Iterable[Change]) -> list[rules.Change]:
    """Return changes as messages."""
    return [write_change(game, change) for change in changes]


def write_change(game: Game, change: Change) -> rules.Change:
    """Return one change as a message."""
    return rules.Change(**change._asdict(), text=in_words(game, change))  # they have the same field names


def in_words(game: Game, change: Change) -> str:
    """Return a change in the locale of the call: `+2 points (Mason)`."""
    return worded(game, change, LOCALE.get())


@lru_cache(REMEMBERED)
def worded(game: Game, change: Change, language: str) -> str:
    """Return a change in the locale of the call, which is an argument for the cache."""
    item, card = item_of(game, change), name_of(game, change.card)
    alone = change.amount == 1 and has(game.name, f"alone.{change.thing}")  # named without a count
    kind = "alone" if alone else "thing"
    thing = say(game.name, f"{kind}.{change.thing}", language=language, count=abs(change.amount), item=item).strip()
    cause = say(game.name, f"cause.{change.cause}", language=language, card=card) if change.cause else ""
    if cause.casefold() in thing.casefold() and not change.lost:
        cause = ""  # avoid repeating the cause
    key, amount = "change.lost" if change.lost else "change.cause" if cause else "change", f"{change.amount:+d}"
    translated_text = {"amount": "" if alone else amount, "thing": thing, "cause": cause, "count": change.lost}
    return say("service", key, language=language, **translated_text).strip()


def item_of(game: Game, change: Change) -> str:
    """Return the name of the changed item in the locale of the call: a card, a good, or a cell of a grid."""
    if has(game.name, f"thing.{change.item}"):
        return say(game.name, f"thing.{change.item}", language=LOCALE.get(), count=abs(change.amount))
    row, dot, column = change.item.partition(".")
    if dot and has(game.name, "cell"):
        return say(game.name, "cell", language=LOCALE.get(), row=row, column=column)
    return name_of(game, change.item)


# -- texts -----------------------------------------------------------------------------------------


def write_text(one: Text, game: Game) -> advisor.Text:
    """Return a text about a game as a message."""
    arguments = [write_argument(name, value, game) for name, value in one.arguments]
    english = format_text(one, game.name)
    text = english if LOCALE.get() == ENGLISH else translated_text(one, game)
    return advisor.Text(code=one.code, arguments=arguments, english=english, text=text)


def write_argument(name: str, value: Argument, game: Game) -> advisor.TextArgument:
    """Return an argument of a text as a message."""
    if isinstance(value, Text):
        return advisor.TextArgument(name=name, text=write_text(value, game))
    if isinstance(value, QuotedAction):
        label = label_of(game, value.action, value.label)
        return advisor.TextArgument(name=name, action=advisor.Action(text=value.action, label=label))
    if isinstance(value, QuotedItem):
        return advisor.TextArgument(name=name, item=advisor.NamedItem(id=value.item, name=name_of(game, value.item)))
    if isinstance(value, str):
        return advisor.TextArgument(name=name, word=value)
    return advisor.TextArgument(name=name, number=value)


def read_text(message: advisor.Text) -> Text:
    """Return a text from its message."""
    return Text(message.code, tuple((one.name, read_argument(one)) for one in message.arguments))


def read_argument(message: advisor.TextArgument) -> Argument:
    """Return an argument of a text from its message."""
    kind = message.WhichOneof("value")
    if kind == "text":
        return read_text(message.text)
    if kind == "action":
        return QuotedAction(message.action.text, message.action.label)
    if kind == "item":
        return QuotedItem(message.item.id, message.item.name)
    return message.word if kind == "word" else message.number


# -- times and optional fields ---------------------------------------------------------------------


def seconds_of(time: Duration) -> float:
    """Return a duration in seconds; NaN if its nanoseconds are out of range or have the wrong sign."""
    valid = abs(time.nanos) < NANOS and time.seconds * time.nanos >= 0
    return time.seconds + time.nanos / 1e9 if valid else nan


def duration(seconds: float) -> Duration:
    """Return seconds as a Duration."""
    message = Duration()
    message.FromNanoseconds(round(seconds * 1e9))
    return message


def moment(milliseconds: int) -> Timestamp:
    """Return a time as a Timestamp."""
    message = Timestamp()
    message.FromMilliseconds(milliseconds)
    return message


def given(request: Any, field: str) -> Any:
    """Return an optional field; None if it is absent."""
    return getattr(request, field) if request.HasField(field) else None

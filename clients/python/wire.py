"""Turns requests into messages and messages into answers, for the sync and the async client."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from numbers import Real
from typing import Any, NamedTuple, Protocol, TypedDict, TypeVar

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from clerestory.clients.errors import BadRequest, FieldViolation
from clerestory.clients.types import ONLOOKER, Action, AnswerWarning, Line, Rate, Recommendation, Update
from clerestory.durations import parse_duration
from clerestory.figures import Outlook
from clerestory.protojson import BadJson, narrowed, parse
from clerestory.service_errors import Reason
from clerestory.v1 import advisor_pb2 as api
from clerestory.v1.position_pb2 import Position

LONGEST = 600.0  # seconds a call without a time may take
LONGEST_TIME = 24 * 3600.0  # seconds: a server rejects longer times
LONGEST_DURATION = 315_576_000_000  # seconds: 10,000 years, the most that a message holds
SLACK = 5.0  # seconds a call may take beyond its time budget: network, queue and retries
M = TypeVar("M", bound=Message)
T = TypeVar("T")
NUMBERS = {  # of a line, by name, and whether they can be left out
    field.name: field.has_presence
    for field in api.Line.DESCRIPTOR.fields
    if field.message_type is None and not field.is_repeated
}
MAX_MESSAGE_BYTES = 1 << 16  # of a request; gRPC reports the rejection of a larger one as a busy server


class HasPosition(Protocol):
    """An object that can be converted to a position."""

    def to_position(self) -> Mapping[str, Any]:
        """Return the position as a dictionary."""


class HasText(Protocol):
    """An object that names an action: an `Action` of an answer, or one of the engine."""

    @property
    def text(self) -> str:
        """Its name in positions, records and requests."""


PositionLike = HasPosition | Mapping[str, Any] | Position | str | bytes
Time = str | float | timedelta
Actions = Iterable[str | HasText] | str | HasText


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of a search as one value, for programs that use the same ones for many positions.

    A single call is shorter with the keywords of the same names, which also replace those of `limits`. The call checks
    the values. In a program's own process, `clerestory.server.analysis.Limits` has these and all other limits.

    Attributes:
        time: until the answer leaves the server: "500ms", "2s", seconds, or a timedelta; None for none.
        iterations: most iterations of the search; None for any number.
        memory: of the search tree, in bytes; None for the server's limit.
        every: time between two tables of an analysis, at least 10 ms; None for 250 ms. Has no effect elsewhere.
    """

    time: Time | None = None
    iterations: int | None = None
    memory: int | None = None
    every: Time | None = None


class QuestionOptions(TypedDict, total=False):
    """Options of a request beside its position and its time; the server chooses those left out or None.

    Attributes:
        limits: time, iterations, memory and interval, where these are not given themselves.
        seat: the one to advise, from 0; it must be the seat to decide, or any seat at a chance event.
        iterations: most iterations of the search.
        seed: of all random choices in the search, 0 to 2^64 - 1.
        memory: of the search tree, in bytes.
        level: strength to play at, 1 (weakest) to 8.
        character: name of the character to play as, at its own level.
        threads: that search the tree; None for one, which idle workers help unless iterations, seed or level are given.
        consider: the only actions to search, as texts or actions.
        avoid: actions to leave out.
        lines: number of lines in the answer; 0: all.
        early_stop: whether to end once the rest of the budget cannot change the best line.
        game_id: key of the game, so that the server can continue its earlier search for the same seat.
        rates: whether to estimate exchange rates too, in half as much time again.
    """

    limits: Limits | None
    seat: int | None
    iterations: int | None
    seed: int | None
    memory: int | None
    level: int | None
    character: str | None
    threads: int | None
    consider: Actions | None
    avoid: Actions | None
    lines: int | None
    early_stop: bool | None
    game_id: str | None
    rates: bool | None


FIELDS = {
    "seat": "seat",
    "iterations": "iterations",
    "seed": "seed",
    "memory": "max_tree_bytes",
    "level": "level",
    "character": "character",
    "threads": "threads",
    "lines": "max_lines",
    "early_stop": "early_stop",
    "game_id": "game_id",
    "rates": "rates",
    "consider": "consider_actions",
    "avoid": "avoid_actions",
}  # option -> field of the request
REASONS = {
    "action": Reason.BAD_ACTION,
    "actions": Reason.BAD_ACTION,
    "deep_budget": Reason.BAD_TIME_BUDGET,
    "delay_plies": Reason.BAD_OPTIONS,
    "entries_from_ply": Reason.BAD_PLY,
    "increment": Reason.BAD_OPTIONS,
    "games": Reason.BAD_FIGURES,
    "item": Reason.BAD_ACTION,
    "lesson": Reason.NO_SUCH_LESSON,
    "listed": Reason.BAD_OPTIONS,
    "name": Reason.BAD_OPTIONS,
    "number": Reason.NO_SUCH_PUZZLE,
    "outcome": Reason.BAD_ACTION,
    "page_size": Reason.BAD_PAGE,
    "page_token": Reason.BAD_PAGE,
    "play_forced": Reason.BAD_OPTIONS,
    "table": Reason.BAD_OPTIONS,
    "time_per_game": Reason.BAD_OPTIONS,
    "time_per_move": Reason.BAD_OPTIONS,
    "times": Reason.BAD_ACTION,
    "viewer_seat": Reason.BAD_SEAT,
}  # field -> reason of the server, if it differs from the name of the field


class RecommendCall(NamedTuple):
    """A request ready to be sent, and the seconds that the call may take."""

    request: api.RecommendMoveRequest
    timeout: float


class AnalyzeCall(NamedTuple):
    """The same for an analysis."""

    request: api.AnalyzeRequest
    timeout: float


def write_question(position: PositionLike, time: Time | None, options: QuestionOptions) -> RecommendCall:
    """Return a request as a message. Raises BadRequest for an unfit value, TypeError for an unknown option."""
    request = api.RecommendMoveRequest(position=position_message(position))
    seconds = set_options(request, time, options)
    return RecommendCall(request, min(max(seconds, 0), LONGEST_TIME) + SLACK)


def set_options(request: api.RecommendMoveRequest, time: Time | None, options: QuestionOptions) -> float:
    """Set all of a request but its position; return its time in seconds. Raises the same errors as `write_question`."""
    time, options, _ = apply_limits(time, options)
    if unknown := options.keys() - FIELDS.keys():
        raise TypeError(f"{min(unknown)!r} is not one of the options {', '.join(FIELDS)}")
    for option, value in options.items():
        if value is not None:
            set_field(request, FIELDS[option], value)
    return LONGEST if time is None else set_time(request, "time_budget", time)


def write_analysis(
    position: PositionLike,
    time: Time | None,
    every: Time | None,
    certainty: float | None,
    *,
    background: bool,
    observer: int | None,
    options: QuestionOptions,
) -> AnalyzeCall:
    """Return the request of an analysis as a message. Raises the same errors as `write_question`."""
    time, options, every = apply_limits(time, options, every)
    question, timeout = write_question(position, time, options)
    request = api.AnalyzeRequest(question=question)
    set_field(request, "background", background)
    set_watching(request, every, certainty, observer)
    return AnalyzeCall(request, timeout)


def set_watching(
    request: api.AnalyzeRequest, every: Time | None, certainty: float | None, observer: int | None
) -> float | None:
    """Set what only an analysis has; return the interval in seconds. Raises BadRequest."""
    if certainty is not None:
        set_field(request, "target_certainty", certainty)
    if observer is not None:
        request.observer.SetInParent()
        if not (isinstance(observer, Hashable) and observer == ONLOOKER):  # an array is not hashable
            set_field(request.observer, "seat", observer, "observer.seat")
    return None if every is None else set_time(request, "update_interval", every)


def apply_limits(
    time: Time | None, options: QuestionOptions, every: Time | None = None
) -> tuple[Time | None, QuestionOptions, Time | None]:
    """Return a time, options and an interval, each taken from `limits` if it is None. Raises BadRequest."""
    rest = options.copy()
    limits = rest.pop("limits", None)
    if limits is None:
        return time, rest, every
    if not isinstance(limits, Limits):
        raise bad_request("limits", f"{limits!r:.80} is not Limits")
    if rest.get("iterations") is None:
        rest["iterations"] = limits.iterations
    if rest.get("memory") is None:
        rest["memory"] = limits.memory
    return limits.time if time is None else time, rest, limits.every if every is None else every


def check_size(request: Message) -> None:
    """Raise BadRequest for a message that no server reads."""
    if (size := request.ByteSize()) > MAX_MESSAGE_BYTES:
        text = f"the request has {size} bytes; no server reads more than {MAX_MESSAGE_BYTES}"
        raise BadRequest(text, Reason.UNREADABLE_REQUEST.value)


def bad_request(field: str, description: str) -> BadRequest:
    """Return the error for a request that cannot be sent; its reason is the one that a server would give."""
    violation = FieldViolation(field, description)
    return BadRequest(str(violation), reason_of(field.rpartition(".")[2].partition("[")[0]), [violation])


def reason_of(field: str) -> str:
    """Return the reason for a value that does not fit into a field: of the field, or that a request cannot be read."""
    own = REASONS.get(field, f"BAD_{field.upper()}")
    return str(own if own in Reason.__members__ else Reason.UNREADABLE_REQUEST)


def read_time(time: Time, field: str = "time_budget") -> float:
    """Return a time in seconds. Raises BadRequest, which names the field, if it is not a time."""
    if isinstance(time, timedelta):
        return time.total_seconds()
    if isinstance(time, str):
        seconds = parse_duration(time)
        if seconds is None:
            raise bad_request(field, f"{time[:80]!r} is not a time like 500ms or 2s")
        return seconds
    if not isinstance(time, Real):
        raise bad_request(
            field, f"{time!r:.80} is not a time: a text like 500ms or 2s, a number of seconds, a timedelta"
        )
    return time


def duration(seconds: float, field: str = "time_budget") -> Duration:
    """Return a time as a message. Raises BadRequest, which names the field, if it does not fit."""
    message = Duration()
    try:
        if abs(seconds) > LONGEST_DURATION:
            raise OverflowError
        message.FromNanoseconds(round(seconds * 1e9))
    except (ValueError, OverflowError, TypeError):
        raise bad_request(field, f"{seconds!r} s is out of range") from None
    return message


def set_time(request: Any, field: str, time: Time) -> float:
    """Set a time of the request; return it in seconds. Raises BadRequest, which names the field."""
    seconds = read_time(time, field)
    getattr(request, field).CopyFrom(duration(seconds, field))
    return seconds


def set_field(request: Any, field: str, value: Any, blamed: str = "") -> None:
    """Set a field of the request. Raises BadRequest, about `blamed` if given, for a value that it cannot hold."""
    try:
        if field.endswith("_actions"):
            getattr(request, field).extend(action_texts(value, field))
        else:
            setattr(request, field, value)
    except (ValueError, TypeError, OverflowError):
        sort = type_of(request, field)
        raise bad_request(blamed or field, f"{value!r:.80} is not {sort}") from None


def filled(kind: type[M], **fields: Any) -> M:
    """Return a message of a kind. Raises BadRequest, which names the first field that cannot hold its value."""
    try:
        return kind(**fields)
    except (ValueError, TypeError, OverflowError):
        field = next(name for name, value in fields.items() if not holds(kind, name, value))
        raise bad_request(field, f"does not hold {type_of(kind, field)}") from None


def holds(kind: type[Message], field: str, value: Any) -> bool:
    """Whether a field of a message can hold a value."""
    try:
        kind(**{field: value})
    except (ValueError, TypeError, OverflowError):
        return False
    return True


def type_of(request: Any, field: str) -> str:
    """Return what a field holds, in words."""
    descriptor = request.DESCRIPTOR.fields_by_name[field]
    words = {
        descriptor.CPPTYPE_BOOL: "True or False",
        descriptor.CPPTYPE_DOUBLE: "a number",
        descriptor.CPPTYPE_STRING: "a text in Unicode",
    }
    return words.get(descriptor.cpp_type, "a whole number in range")


def listed(values: Iterable[T], field: str) -> list[T]:
    """Return several values as a list. Raises BadRequest, which names the field, for what has no elements."""
    if not isinstance(values, Iterable):
        raise bad_request(field, f"{values!r:.80} is not a list")
    return [*values]


def action_texts(actions: Any, field: str = "actions") -> list[str]:
    """Return the texts of one action or of several. Raises BadRequest, which names the field, for anything else."""
    try:
        return [text_of(one) for one in ([actions] if is_one_action(actions) else actions)]
    except TypeError:
        raise bad_request(field, f"{actions!r:.80} is not a text of an action, or a list of them") from None


def is_one_action(actions: Any) -> bool:
    """Whether it is an action, or its text, and no list of them."""
    return isinstance(actions, str) or hasattr(actions, "text")


def action_text(action: Any, field: str) -> str:
    """Return the text of an action. Raises BadRequest, which names the field, for anything else."""
    [text] = action_texts([action], field)
    return text


def text_of(action: str | HasText) -> str:
    """Return the text of an action. Raises TypeError for what is none."""
    text = action if isinstance(action, str) else getattr(action, "text", None)
    if not isinstance(text, str):
        raise TypeError(f"{action!r} is not an action")
    return text


def position_message(position: PositionLike) -> Position:
    """Return a position as a message. Raises BadRequest if it does not have the form of one."""
    if isinstance(position, Position):
        return position
    written = position.to_position() if hasattr(position, "to_position") else position
    if not isinstance(written, str | bytes | Mapping):
        kind = "null" if written is None else type(written).__name__
        raise bad_request("position", f"must be a JSON object, not {kind}")
    try:
        message = parse(Position(), written)
    except BadJson as error:
        from clerestory.engine.schemas import range_of  # only here: it loads the games

        blamed = narrowed(error.faults, range_of)
        faults = [FieldViolation(f"position.{path}".rstrip("."), text) for path, text in blamed]
        if "is not JSON" in str(error):
            faults = [FieldViolation("position", f"{faults[0].description}; give the text of a file, not its name")]
        raise BadRequest("", Reason.BAD_POSITION.value, faults) from None
    message.ClearField("schema")
    return message


def read_answer(answer: api.RecommendMoveResponse) -> Recommendation:
    """Return an answer as plain values."""
    statistics = answer.statistics
    return Recommendation(
        seat=answer.seat if answer.HasField("seat") else None,
        best=read_action(answer.best) if answer.HasField("best") else None,
        lines=tuple(read_line(line) for line in answer.lines),
        iterations=statistics.iterations,
        nodes=statistics.nodes,
        tree_bytes=statistics.tree_bytes,
        depth=statistics.depth,
        elapsed=statistics.elapsed.ToNanoseconds() / 1e9,
        waited=statistics.waited.ToNanoseconds() / 1e9,
        threads=statistics.threads,
        certainty=statistics.certainty,
        stop_reason=value_name(api.StopReason, "STOP_REASON_", statistics.stop_reason),
        memory_full=statistics.memory_full,
        given_up=statistics.given_up_visits,
        seed=answer.seed,
        rules_revision=answer.rules_revision,
        catalogue=answer.catalogue,
        reason=answer.reason,
        lead=answer.lead.text or answer.lead.english,
        favour=answer.favour.text or answer.favour.english,
        warnings=tuple(read_warning(warning) for warning in answer.warnings),
        level=answer.level if answer.HasField("level") else None,
        engine_version=answer.engine_version,
        reproducible=answer.reproducible,
        rates=tuple(read_rate(rate) for rate in answer.rates),
        raw=answer,
    )


def read_rate(rate: api.Rate) -> Rate:
    """Return an exchange rate of an answer."""
    figures = (rate.win_share, rate.win_share_error, rate.points, rate.points_error) if rate.amount else ()
    return Rate(rate.good.id, rate.good.name, rate.amount, *figures)


def read_update(update: api.AnalyzeResponse) -> Update:
    """Return one table of an analysis."""
    return Update(read_answer(update.recommendation), update.sequence, update.final)


def value_name(enum: Any, prefix: str, number: int) -> str:
    """Return the name of an enum's value; a number that only newer servers know is `unspecified`."""
    known = enum.DESCRIPTOR.values_by_number
    name: str = known[number if number in known else 0].name
    return name.removeprefix(prefix).lower()


def read_warning(warning: api.Warning) -> AnswerWarning:
    """Return a warning of an answer."""
    return AnswerWarning(value_name(api.WarningReason, "WARNING_REASON_", warning.reason), warning.description)


def read_line(line: api.Line) -> Line:
    """Return one line of an answer."""
    return Line(
        action=read_action(line.action),
        win_shares=tuple(line.win_shares),
        standard_errors=tuple(line.standard_errors),
        principal_variation=tuple(line.principal_variation),
        outlook=tuple(Outlook(item.feature, item.now, item.at_round_end, item.at_game_end) for item in line.outlook),
        variation=tuple(read_action(action) for action in line.variation),
        plan=tuple(use.label for use in line.plan),
        **read_numbers(line),
    )


def read_numbers(line: Any) -> dict[str, Any]:
    """Return the numbers of an `api.Line` by name, None for one that is absent."""
    return {
        name: getattr(line, name) if not optional or line.HasField(name) else None for name, optional in NUMBERS.items()
    }


def read_action(action: api.Action) -> Action:
    """Return an action of an answer."""
    return Action(action.text, action.label)

"""Reads requests of AdvisorService: from messages to positions of the engine and limits of a search."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from clerestory.engine.core import NATURE, OVER, State
from clerestory.engine.errors import BadPosition, BadText
from clerestory.engine.games import GAMES
from clerestory.engine.tuning import NUM_LEVELS
from clerestory.refusals import Faults, Reason, Refusal, refuse
from clerestory.search.errors import HiddenFromSeat
from clerestory.search.ismcts import MIN_BYTES
from clerestory.search.root import Root
from clerestory.server.config import LONGEST_TIME
from clerestory.v1 import advisor_pb2 as api
from clerestory.v1.position_pb2 import Position

MAX_ITERATIONS = (1 << 63) - 1
SEED_BITS = 53  # of a random seed: JSON readers keep integers of this size exact
LEAST_INTERVAL = 0.01  # seconds between the tables of an analysis
USUAL_INTERVAL = 0.25
LONGEST_INTERVAL = 3600.0
LONGEST_GAME_ID = 64  # bytes
MAX_POSITION_BYTES = 8 * 1024  # the largest positions have at most a third of that; reading more would take long
MAX_PARTS = 200  # messages in a position; an empty one takes two bytes, and as long to read as any
MAX_ACTIONS = 1000  # in one call; more than the longest games have


# -- questions -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Question:
    """A valid request.

    Attributes:
        root: the position as the observer knows it, and the actions to search; nothing else of it is kept.
        seat: the seat to decide; at a chance event the seat to be advised, None for an onlooker.
        observer: whose knowledge is used, NATURE for an onlooker; None if the request names no observer.
        chance: a chance event is due.
        seconds: the requested time budget, None for the server's longest.
        iterations: limit of the search, None for no limit.
        seed: of the search, None to draw one.
        max_tree_bytes: None for the server's limit.
        level: 1 to 8, None for full strength.
        threads: 1 or more.
        max_lines: of the answer, 0 for all.
        early_stop: None if the request does not say.
        game_id: of the caller's choice, "" for none.
    """

    root: Root
    seat: int | None
    observer: int | None
    chance: bool
    seconds: float | None
    iterations: int | None
    seed: int | None
    max_tree_bytes: int | None
    level: int | None
    threads: int
    max_lines: int
    early_stop: bool | None
    game_id: str

    @property
    def view(self) -> State:
        """The position as the observer knows it."""
        return self.root.view

    @property
    def kind(self) -> tuple[str, int]:
        """Searches of one kind are about equally fast."""
        return self.view.game.name, self.view.seats

    @property
    def tree_key(self) -> Hashable | None:
        """The key under which the tree may be kept for the next request, by observer; None if it may not."""
        plain = self.seed is None and self.level is None and self.threads == 1 and not self.root.codes
        if not self.game_id or not plain or self.chance:
            return None
        whose = ("seat", self.seat) if self.observer is None else ("observer", self.observer)
        return (self.game_id, *self.kind, *whose)


@dataclass(frozen=True, slots=True)
class AnalysisQuestion:
    """A request that is answered by a stream of tables.

    Attributes:
        interval: seconds between two tables.
        certainty: the certainty at which the search ends; None to continue to its limits.
    """

    question: Question
    interval: float
    certainty: float | None


def read_analysis(request: api.AnalyzeRequest) -> AnalysisQuestion:
    """Return the question in a request. Raises Refusal, which lists everything wrong with it."""
    faults = Faults()
    bounds = LEAST_INTERVAL, LONGEST_INTERVAL
    interval = read_duration(request, "update_interval", faults, Reason.BAD_UPDATE_INTERVAL, *bounds)
    certainty = request.target_certainty if request.HasField("target_certainty") else None
    if certainty is not None and not 0.5 < certainty < 1:
        faults.add(Reason.BAD_TARGET_CERTAINTY, "target_certainty", f"is {certainty}; must be above 0.5 and below 1")
    observer = request.observer if request.HasField("observer") else None
    question = read_question(request.question, "question.", faults, observer)
    return AnalysisQuestion(question, USUAL_INTERVAL if interval is None else interval, certainty)


def read_question(
    request: api.RecommendMoveRequest,
    path: str = "",
    faults: Faults | None = None,
    observer: api.Observer | None = None,
) -> Question:
    """Return the question in a request. Raises Refusal, which lists everything wrong with it.

    Args:
        request: the message.
        path: that of the request in the message it is part of.
        faults: those already found.
        observer: whose knowledge to use; None for that of the seat.
    """
    faults = Faults() if faults is None else faults
    for check in (check_limits, check_numbers):
        check(request, path, faults)
    seconds = read_duration(request, "time_budget", faults, Reason.BAD_TIME_BUDGET, path=path)
    try:
        position = read_position(request.position, f"{path}position")
    except Refusal as error:
        faults.found += [(error.reason, field, text) for field, text in error.faults]
        faults.require_none()
        raise
    seat = read_seat(position, request, path, faults)
    watcher = None if observer is None else read_observer(position, observer, faults)
    if position.turn == NATURE and watcher is not None:
        seat = None if watcher == NATURE else watcher
    asks = NATURE if seat is None else seat
    root = Root(position, asks, asks if watcher is None else watcher)
    codes = read_actions(root.view, request, path, faults)
    faults.require_none()
    require_whole(root)
    return Question(
        root=root.only(codes),
        seat=seat,
        observer=watcher,
        chance=position.turn == NATURE,
        seconds=seconds,
        iterations=given(request, "iterations"),
        seed=given(request, "seed"),
        max_tree_bytes=given(request, "max_tree_bytes"),
        level=given(request, "level"),
        threads=request.threads if request.HasField("threads") else 1,
        max_lines=request.max_lines,
        early_stop=given(request, "early_stop"),
        game_id=request.game_id,
    )


def require_whole(root: Root) -> None:
    """Raise Refusal, HIDDEN_FROM_SEAT, if the position lacks something that its observer knows."""
    try:
        root.require_whole()
    except HiddenFromSeat as error:
        refuse(Reason.HIDDEN_FROM_SEAT, "position", str(error))


def given(request: api.RecommendMoveRequest, field: Any) -> Any:
    """Return an optional field, None if it is absent."""
    return getattr(request, field) if request.HasField(field) else None


def check_limits(request: api.RecommendMoveRequest, path: str, faults: Faults) -> None:
    """Add a fault if the request has neither a time nor iterations."""
    if not request.HasField("time_budget") and not request.HasField("iterations"):
        text = "is missing, and so is iterations; give one of them"
        faults.add(Reason.BAD_TIME_BUDGET, f"{path}time_budget", text)


def check_numbers(request: api.RecommendMoveRequest, path: str, faults: Faults) -> None:
    """Add a fault for each number out of its range."""
    ranges = (
        ("iterations", Reason.BAD_ITERATIONS, 1, MAX_ITERATIONS),
        ("max_tree_bytes", Reason.BAD_MAX_TREE_BYTES, MIN_BYTES, (1 << 64) - 1),
        ("level", Reason.BAD_LEVEL, 1, NUM_LEVELS),
        ("threads", Reason.BAD_THREADS, 1, (1 << 32) - 1),
    )
    for field, reason, least, most in ranges:
        value = given(request, field)
        if value is not None and not least <= value <= most:
            faults.add(reason, f"{path}{field}", f"is {value}; must be {least} to {most}")
    if len(request.game_id.encode()) > LONGEST_GAME_ID:
        text = f"is {len(request.game_id.encode())} bytes long; must be at most {LONGEST_GAME_ID}"
        faults.add(Reason.BAD_GAME_ID, f"{path}game_id", text)


def read_duration(
    request: Any,
    field: str,
    faults: Faults,
    reason: Reason,
    least: float = 0.0,
    most: float = LONGEST_TIME,
    path: str = "",
) -> float | None:
    """Return a time in seconds, above 0 and from `least` to `most`; None if it is absent or wrong."""
    if not request.HasField(field):
        return None
    time: Duration = getattr(request, field)
    seconds = time.seconds + time.nanos / 1e9
    if time.seconds < 0 or not 0 <= time.nanos < 1_000_000_000 or seconds <= 0 or not least <= seconds <= most:
        limit = f"be {least:g} s or more" if least else "exceed 0"
        text = f"is {time.seconds} s and {time.nanos} ns; must {limit}, and at most {most:g} s"
        faults.add(reason, f"{path}{field}", text)
        return None
    return seconds


def read_position(message: Position, path: str = "position") -> State:
    """Return the position that a message describes. Raises Refusal, which lists all that is wrong with it."""
    game = message.WhichOneof("game")
    if fault := size_fault(message):
        refuse(Reason.BAD_POSITION, path, fault)
    if game is None:
        refuse(Reason.BAD_POSITION, path, f"has no game; set one of {', '.join(GAMES)}")
    try:
        return GAMES[game].from_position(position_fields(message))
    except BadPosition as error:
        faults = [(f"{path}.{field}", description) for field, description in error.violations]
        raise Refusal(Reason.BAD_POSITION, faults) from None


def size_fault(message: Position) -> str:
    """Return the fault in the size of a position, "" if there is none."""
    size = message.ByteSize()
    if size > MAX_POSITION_BYTES:
        return f"has {size} bytes; {MAX_POSITION_BYTES} at most"
    many = next(islice(parts(message), MAX_PARTS, None), None) is not None
    return f"has more than {MAX_PARTS} parts such as players" if many else ""


def parts(message: Message) -> Iterator[Message]:
    """Yield the messages inside a message, and those inside them."""
    for field, value in message.ListFields():
        for part in (value if field.is_repeated else [value]) if field.message_type is not None else ():
            yield part
            yield from parts(part)


def position_fields(message: Message) -> dict[str, Any]:
    """Return a position's message as the dictionary that the engine reads.

    The result equals that of json_format.MessageToDict with the names of proto/ and with default values included, in a
    tenth of the time.
    """
    fields: dict[str, Any] = {}
    for name, optional, repeated, read in readers(message.DESCRIPTOR):
        if not optional or message.HasField(name):
            value = getattr(message, name)
            fields[name] = [*map(read, value)] if repeated else read(value)
    return fields


@cache
def readers(kind: Descriptor) -> list[tuple[str, bool, bool, Callable[[Any], Any]]]:
    """Return for each field of a message its name, whether it may be missing, whether it is a list, and its reader."""
    return [(field.name, field.has_presence, field.is_repeated, reader(field)) for field in kind.fields]


def reader(field: FieldDescriptor) -> Callable[[Any], Any]:
    """Return the function that turns a field's value into JSON's."""
    if field.message_type is not None:
        return position_fields
    if field.enum_type is not None:
        names = {value.number: value.name for value in field.enum_type.values}
        return lambda number: names.get(number, number)
    return lambda value: value


def read_seat(position: State, request: api.RecommendMoveRequest, path: str, faults: Faults) -> int | None:
    """Return the seat to decide; at a chance event the seat to be advised, None for an onlooker."""
    turn = position.turn
    if turn == OVER:
        faults.add(Reason.GAME_OVER, f"{path}position", "the game is over")
    if not request.HasField("seat"):
        return turn if turn >= 0 else None
    if request.seat >= position.seats:
        text = f"is {request.seat}; the seats are 0 to {position.seats - 1}"
        faults.add(Reason.BAD_SEAT, f"{path}seat", text)
        return None
    if turn >= 0 and request.seat != turn:
        faults.add(Reason.NOT_SEATS_TURN, f"{path}seat", f"is {request.seat}; seat {turn} is to decide")
    return request.seat


def read_observer(position: State, observer: api.Observer, faults: Faults) -> int:
    """Return whose knowledge to use, NATURE for an onlooker's."""
    if not observer.HasField("seat"):
        return NATURE
    if observer.seat >= position.seats:
        text = f"is {observer.seat}; the seats are 0 to {position.seats - 1}"
        faults.add(Reason.BAD_SEAT, "observer.seat", text)
        return NATURE
    return int(observer.seat)


def read_actions(position: State, request: api.RecommendMoveRequest, path: str, faults: Faults) -> list[int]:
    """Return the codes of the actions to search; [] for all of them."""
    if not (request.consider_actions or request.avoid_actions) or position.turn == OVER:
        return []
    before = len(faults.found)
    considered = read_texts(position, request.consider_actions, Reason.BAD_CONSIDER_ACTIONS, path, faults)
    avoided = read_texts(position, request.avoid_actions, Reason.BAD_AVOID_ACTIONS, path, faults)
    legal = position.legal_codes()
    left = [code for code in legal if (not considered or code in considered) and code not in avoided]
    if not left and len(faults.found) == before:
        faults.add(Reason.BAD_AVOID_ACTIONS, f"{path}avoid_actions", "leave nothing to search")
    return left


def read_texts(position: State, texts: Sequence[str], reason: Reason, path: str, faults: Faults) -> set[int]:
    """Return the codes of legal actions by their texts."""
    field = reason.removeprefix("BAD_").lower()
    if texts and position.turn == NATURE:
        faults.add(reason, f"{path}{field}", "a chance event is due, of which every outcome is searched")
        return set()
    if len(texts) > MAX_ACTIONS:
        faults.add(reason, f"{path}{field}", f"are {len(texts)}; {MAX_ACTIONS} at most in one call")
        return set()
    codes, legal = set(), set(position.legal_codes())
    for i, text in enumerate(texts):
        code = code_of(position, text)
        if code not in legal:
            faults.add(reason, f"{path}{field}[{i}]", f"{text[:40]!r} is not a legal action")
        codes.add(code)
    return codes


def code_of(position: State, text: str) -> int:
    """Return the code of an action's text, -1 if it is not one."""
    try:
        return position.game.parse_action(text).code
    except BadText:
        return -1

"""Between the messages of the API and the types of the engine: the only module that sees both."""

from dataclasses import dataclass
from typing import Any

from google.protobuf.duration_pb2 import Duration
from google.protobuf.json_format import MessageToDict

from clerestory.engine.core import NATURE, OVER, State
from clerestory.engine.errors import BadPosition
from clerestory.engine.games import GAMES
from clerestory.search.result import Line, Result, StopReason
from clerestory.server.errors import CallError, Reason, refuse
from clerestory.v1 import advisor_pb2 as api
from clerestory.v1.position_pb2 import Position

MAX_ITERATIONS = (1 << 63) - 1

STOP_REASONS = {
    StopReason.TIME: api.STOP_REASON_TIME,
    StopReason.ITERATIONS: api.STOP_REASON_ITERATIONS,
    StopReason.STOPPED: api.STOP_REASON_STOPPED,
    StopReason.DECIDED: api.STOP_REASON_DECIDED,
}


@dataclass(frozen=True, slots=True)
class Question:
    """A request that makes sense.

    Attributes:
        view: the position as `seat` knows it; nothing else of the request's position is kept.
        seat: the seat to decide.
        seconds: the time budget asked for, None for as much as there is.
        iterations: limit of the search, None for no limit.
        seed: of the search, None to draw one.
    """

    view: State
    seat: int
    seconds: float | None
    iterations: int | None
    seed: int | None


def read_question(request: api.RecommendMoveRequest) -> Question:
    """Return what a request asks. Raises CallError."""
    position = read_position(request.position)
    seat = read_seat(position, request)
    seconds = read_budget(request)
    if request.HasField("iterations") and not 0 < request.iterations <= MAX_ITERATIONS:
        refuse(Reason.BAD_ITERATIONS, "iterations", f"is {request.iterations}; must be 1 to {MAX_ITERATIONS}")
    return Question(
        view=position.observe(seat),
        seat=seat,
        seconds=seconds,
        iterations=request.iterations if request.HasField("iterations") else None,
        seed=request.seed if request.HasField("seed") else None,
    )


def read_position(message: Position) -> State:
    """Return the position that a message describes. Raises CallError, which lists all that is wrong with it."""
    game = message.WhichOneof("game")
    if game is None:
        refuse(Reason.BAD_POSITION, "position", f"has no game; set one of {', '.join(GAMES)}")
    try:
        return GAMES[game].from_position(position_fields(message))
    except BadPosition as error:
        faults = [(f"position.{field}", description) for field, description in error.violations]
        raise CallError(Reason.BAD_POSITION, faults) from None


def position_fields(message: Position) -> dict[str, Any]:
    """Return a position's message as the dictionary that the engine reads."""
    return MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)


def read_seat(position: State, request: api.RecommendMoveRequest) -> int:
    """Return the seat to decide. Raises CallError when nobody is, or when another seat asks."""
    turn = position.turn
    if turn == OVER:
        refuse(Reason.GAME_OVER, "position", "the game is over")
    if turn == NATURE:
        refuse(Reason.NATURES_TURN, "position", "a chance event is due, and no seat can decide before it")
    if not request.HasField("seat"):
        return turn
    if request.seat >= position.seats:
        refuse(Reason.BAD_SEAT, "seat", f"is {request.seat}; the seats are 0 to {position.seats - 1}")
    if request.seat != turn:
        refuse(Reason.NOT_SEATS_TURN, "seat", f"is {request.seat}; seat {turn} is to decide")
    return turn


def read_budget(request: api.RecommendMoveRequest) -> float | None:
    """Return the time budget in seconds, None where the iterations are the only limit. Raises CallError."""
    if not request.HasField("time_budget"):
        if not request.HasField("iterations"):
            refuse(Reason.BAD_TIME_BUDGET, "time_budget", "is missing, and so is iterations; give one of them")
        return None
    budget = request.time_budget
    if budget.seconds < 0 or not 0 <= budget.nanos < 1_000_000_000 or not (budget.seconds or budget.nanos):
        refuse(Reason.BAD_TIME_BUDGET, "time_budget", f"is {budget.seconds} s and {budget.nanos} ns; must exceed 0")
    return budget.seconds + budget.nanos / 1e9


def write_answer(view: State, result: Result) -> api.RecommendMoveResponse:
    """Return the answer to a question about `view`."""
    return api.RecommendMoveResponse(
        seat=result.seat,
        best=api.Action(text=result.best.action, label=result.best.label),
        lines=[write_line(line) for line in result.lines],
        statistics=write_statistics(result),
        seed=result.seed,
        rules_revision=view.game.rules_revision,
        catalogue=view.game.catalogue,
    )


def write_line(line: Line) -> api.Line:
    """Return one line of a result as a message."""
    return api.Line(
        action=api.Action(text=line.action, label=line.label),
        visits=line.visits,
        availability=line.availability,
        win_shares=line.values,
    )


def write_statistics(result: Result) -> api.SearchStatistics:
    """Return the figures of a result as a message."""
    return api.SearchStatistics(
        iterations=result.iterations,
        nodes=result.nodes,
        tree_bytes=result.bytes,
        depth=result.depth,
        elapsed=duration(result.elapsed),
        stop_reason=STOP_REASONS[result.stopped],
        memory_full=result.memory_full,
    )


def duration(seconds: float) -> Duration:
    """Return a number of seconds as a message."""
    message = Duration()
    message.FromNanoseconds(round(seconds * 1e9))
    return message

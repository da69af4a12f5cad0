"""What the tools return: dataclasses, whose fields are the schemas that an assistant reads.

They have no slots: `mcp` takes a slot for the default of its field, and then offers no schema.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from clerestory.clients import GameEntry, GameReview, GameSnapshot, LegalAction, Recommendation, ReviewedPly
from clerestory.clients import Line as SearchedLine
from clerestory.engine.core import State
from clerestory.engine.record import movers
from clerestory.mcp.passages import Passage

MOMENTS = 5  # expensive errors in a review


@dataclass(frozen=True)
class Move:
    """An action: the text to play it by, its meaning, and its probability if it is an outcome of chance."""

    action: str
    meaning: str
    probability: float | None = None


@dataclass(frozen=True)
class Table:
    """A game as the seats of the assistant see it.

    Attributes:
        status: `open` (a seat is free), `running`, `over` or `frozen`.
        seats: who holds each seat.
        seen_by: the seat whose view the board is; None for a position that belongs to no game.
        board: the position as text.
        to_decide: the seat to decide; None if none is.
        legal: the legal actions, if it is a seat of the assistant; else [].
        happened: actions and chance events since the previous call.
        result: how the game ended; "" until then.
        position: the position as JSON, if asked for.
    """

    status: str
    seats: list[str]
    seen_by: int | None
    board: str
    to_decide: int | None
    legal: list[Move]
    happened: list[str]
    result: str
    position: dict[str, Any] | None = None


@dataclass(frozen=True)
class NewGame:
    """A new game.

    Attributes:
        game: the handle that other tools take. It gives access to the seats of the assistant: keep it secret.
        game_id: with which other people can join on the server's page.
        table: the game.
    """

    game: str
    game_id: str
    table: Table


@dataclass(frozen=True)
class Line:
    """A legal action, as the search values it.

    Attributes:
        action: its text.
        meaning: the same for people.
        win_share: expected share of the win of the deciding seat, 0 to 1.
        margin: expected lead over the best other seat at the end, in points.
        loss: points of margin less than the best line.
        doubtful: searched too little for these figures to mean much.
        continuation: who is expected to do what next, up to the first hidden card.
    """

    action: str
    meaning: str
    win_share: float
    margin: float
    loss: float
    doubtful: bool
    continuation: list[str]


@dataclass(frozen=True)
class Advice:
    """The result of a search.

    Attributes:
        seat: whose knowledge was used.
        best: the action to play; None at a chance event.
        why: what the best action gains over the second.
        lead: who leads by how much after it.
        certainty: how likely a search ten times longer would choose the same, 0 to 1.
        lines: the actions, best first.
        warnings: remarks about the search.
    """

    seat: int | None
    best: Move | None
    why: str
    lead: str
    certainty: float
    lines: list[Line]
    warnings: list[str]


@dataclass(frozen=True)
class SeatLedger:
    """What a game's result of one seat is made of, in shares of the win, 0 to 1.

    Attributes:
        name: of the seat.
        start: expected share at the first position.
        luck: gained by chance.
        errors: lost by errors of this seat.
        gifts: gained by errors of others.
        revaluation: what the searches disagree about. All five add up to `final`.
        final: the result; or the expected share in a game that is not over.
        accuracy: 0 to 100; None without decisions.
        level: of play at which the mean error is about the same, 1 to 8; None if too little is known.
    """

    name: str
    start: float
    luck: float
    errors: float
    gifts: float
    revaluation: float
    final: float
    accuracy: float | None
    level: int | None


@dataclass(frozen=True)
class Moment:
    """An expensive error.

    Attributes:
        ply: number of the action.
        round: in which it was.
        seat: who made it.
        played: the action.
        better: a better action; None if none is known.
        kind: `blunder`, `mistake` or `doubtful`.
        cost: lost share of the win, 0 to 1.
        why: what the better action gains.
    """

    ply: int
    round: int
    seat: int | None
    played: Move
    better: Move | None
    kind: str
    cost: float
    why: str


@dataclass(frozen=True)
class Review:
    """A ledger of a game, and its most expensive errors.

    Attributes:
        ended: how the game ended; "" for one that is not over.
        seats: the ledger of each seat.
        moments: the errors, the most expensive first.
    """

    ended: str
    seats: list[SeatLedger]
    moments: list[Moment]


@dataclass(frozen=True)
class Explanation:
    """Passages from the rules; values marked `reconstructed` were never published."""

    passages: list[Passage]


# -- from the values of a client -------------------------------------------------------------------


def table_of(seen: GameSnapshot, state: State, seat: int, held: Collection[int]) -> Table:
    """Return a game as a seat of the assistant sees it.

    Args:
        seen: the game.
        state: the position as the seat sees it.
        seat: the seat.
        held: all seats of the assistant.
    """
    return Table(
        status=seen.status,
        seats=[seat_line(state, number, seen, number in held) for number in range(len(seen.seats))],
        seen_by=seat,
        board=str(state),
        to_decide=seen.seat,
        legal=[move_of(action) for action in seen.legal],
        happened=[event for entry in seen.entries if (event := event_of(entry, state))],
        result=result_of(seen, state),
    )


def seat_line(state: State, number: int, seen: GameSnapshot, own: bool) -> str:
    """Return who holds a seat, in words."""
    seat = seen.seats[number]
    bot = f"bot {seat.character or ('at full strength' if seat.level is None else f'of level {seat.level}')}"
    who = bot if seat.kind == "bot" else " ".join(filter(None, (seat.kind, seat.name)))
    return f"seat {number}, {state.game.seat_name(number)}: {who}{' (yours)' if own else ''}"


def result_of(seen: GameSnapshot, state: State) -> str:
    """Return how a game ended, in words; "" for one that goes on."""
    if seen.outcome is None:
        return "ended without a winner" if seen.status == "over" else ""
    shares = zip(range(state.seats), seen.outcome.win_shares, strict=True)
    return "share of the win: " + ", ".join(f"{state.game.seat_name(seat)} {share:.0%}" for seat, share in shares)


def position_table(state: State, legal: list[Move]) -> Table:
    """Return a position that belongs to no game."""
    turn = state.turn if state.turn >= 0 else None
    return Table("over" if state.over else "running", [], None, str(state), turn, legal, [], "")


def move_of(action: LegalAction) -> Move:
    """Return a legal action, or an outcome that is possible."""
    return Move(action.text, action.label, action.probability)


def event_of(entry: GameEntry, state: State) -> str | None:
    """Return an action or a chance event of a game's log in words; None for another entry."""
    if entry.action is None:
        return None
    who = "luck" if entry.seat is None else state.game.seat_name(entry.seat)
    changes = ", ".join(change.text for change in entry.changes)
    return f"{who}: {entry.action.text} ({entry.action.label}{': ' if changes else ''}{changes})"


def advice_of(answer: Recommendation, state: State) -> Advice:
    """Return the result of a search in a position."""
    view = state.observe(answer.observer)
    return Advice(
        seat=answer.seat,
        best=None if answer.best is None else Move(answer.best.text, answer.best.label),
        why=answer.reason,
        lead=answer.lead,
        certainty=round(answer.certainty, 3),
        lines=[line_of(line, answer.seat, view) for line in answer.lines],
        warnings=[str(warning) for warning in answer.warnings],
    )


def line_of(line: SearchedLine, seat: int | None, view: State) -> Line:
    """Return a line of a search in a position, as the seat sees it."""
    names = movers(view, line.principal_variation)
    return Line(
        action=line.action.text,
        meaning=line.action.label,
        win_share=round(line.win_shares[seat or 0], 4),
        margin=round(line.margin, 2),
        loss=round(line.loss, 2),
        doubtful=line.doubtful,
        continuation=[f"{name}: {action.label}" for name, action in zip(names[1:], line.variation[1:], strict=True)],
    )


def review_of(review: GameReview, plies: dict[int, ReviewedPly]) -> Review:
    """Return the ledger of a game and its most expensive errors."""
    seats = [
        SeatLedger(
            name=seat.name,
            start=round(seat.start, 4),
            luck=round(sum(seat.luck.values()), 4),
            errors=round(seat.errors, 4),
            gifts=round(seat.gifts, 4),
            revaluation=round(seat.revaluation, 4),
            final=round(seat.final, 4),
            accuracy=seat.accuracy,
            level=seat.level,
        )
        for seat in review.seats
    ]
    errors = [*review.errors.items()][:MOMENTS]
    return Review(review.ended, seats, [moment_of(plies[ply], kind) for ply, kind in errors if ply in plies])


def moment_of(ply: ReviewedPly, kind: str) -> Moment:
    """Return an error of a review."""
    return Moment(
        ply=ply.ply,
        round=ply.round,
        seat=ply.seat,
        played=Move(ply.action.text, ply.action.label),
        better=None if ply.best is None else Move(ply.best.text, ply.best.label),
        kind=kind,
        cost=round(ply.loss, 4),
        why=ply.reason,
    )

"""Reviews of games, as messages and as plain values: shared by the sync and the async client."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

from clerestory.clients.types import Action
from clerestory.clients.wire import (
    LONGEST_TIME,
    SLACK,
    Time,
    bad_request,
    filled,
    listed,
    set_field,
    set_time,
    value_name,
)
from clerestory.figures import Rollouts
from clerestory.v1 import annotation_pb2 as api

UNIT = 1_000_000  # of a win, as shares are on the wire
LONGEST = 3600.0  # seconds that a review without a time may take


class HasTokens(Protocol):
    """A hosted game with the tokens that give access to it, such as HostedGame and AsyncHostedGame."""

    game_id: str

    def _all_tokens(self) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class ReviewedPly:
    """What a ply changed.

    Attributes:
        ply: its number, from 1.
        round: of the game; 0 in a game that counts none.
        seat: that decided, None for a chance event.
        action: the action or chance outcome.
        source: the kind of luck; "" for a decision.
        before: win shares by seat, 0 to 1: after the best action, or the mean over the outcomes by their odds.
        after: win shares after it.
        best: the best action, None for a chance event.
        points: of margin that the action cost, 0 or more.
        variation: the principal variation of the best action, in texts.
        reason: what the best action gains over the one played, if that exceeds chance; else "".
        message: the original message, with what was at stake, and the iterations.
    """

    ply: int
    round: int
    seat: int | None
    action: Action
    source: str
    before: tuple[float, ...]
    after: tuple[float, ...]
    best: Action | None
    points: float
    variation: tuple[str, ...]
    reason: str
    message: api.ReviewedPly = field(repr=False, compare=False)

    @property
    def loss(self) -> float:
        """Share of the win that the seat that decided lost by it; 0 for a chance event."""
        return 0.0 if self.seat is None else self.before[self.seat] - self.after[self.seat]


@dataclass(frozen=True, slots=True)
class SeatReview:
    """The ledger of a seat: start + luck + errors + gifts + revaluation = final, in shares of a win.

    Attributes:
        name: of the seat.
        start: its share at the start.
        luck: by source.
        errors: its own, 0 or less.
        gifts: of others' errors.
        revaluation: what the searches disagreed about.
        final: the result, or the current share.
        decisions: number of decisions with something at stake.
        mean_loss: mean loss of those, as a share of a win; None if there are none.
        accuracy: 0 to 100, None without decisions.
        classes: number of `blunder`, `mistake` and `doubtful` decisions.
        level: of play whose mean loss is about the same; None if too little is known.
        message: the original message, with the decisions and errors by kind.
    """

    name: str
    start: float
    luck: dict[str, float]
    errors: float
    gifts: float
    revaluation: float
    final: float
    decisions: int
    mean_loss: float | None
    accuracy: float | None
    classes: dict[str, int]
    level: int | None = None
    message: api.SeatReview = field(default_factory=api.SeatReview, repr=False, compare=False)

    @property
    def luck_adjusted(self) -> float:
        """The result without the luck."""
        return self.final - sum(self.luck.values())


@dataclass(frozen=True, slots=True)
class GameReview:
    """The ledger of a game.

    Attributes:
        game: its name.
        ended: how, in words; "" for a game that is not over.
        seats: the ledger of each.
        errors: plies with a classified error and their classes, the most expensive first.
        rollouts: results of rollouts of errors, by ply; {} if none were made.
        noise_floor: mean over the game, a share of a win; an error is classified only above twice the floor around it.
        iterations: of each search.
        seed: of all random choices in the searches.
        message: the original message, with shares in exact millionths.
    """

    game: str
    ended: str
    seats: tuple[SeatReview, ...]
    errors: dict[int, str]
    rollouts: dict[int, Rollouts]
    noise_floor: float
    iterations: int
    seed: int
    message: api.GameReview


@dataclass(frozen=True, slots=True)
class ReviewProgress:
    """A part of a review: the progress since the previous part.

    Attributes:
        done: plies of this pass that are done.
        total: plies of a pass.
        sketch: this is the first pass, with few iterations; its plies are replaced by those of the second.
        deepening: rollouts are being made; `done` and `total` count errors.
        plies: those done since the previous part, in any order.
        review: the ledger, only in the last part.
    """

    done: int
    total: int
    sketch: bool
    deepening: bool
    plies: tuple[ReviewedPly, ...]
    review: GameReview | None


def write_annotation(
    game: str | HasTokens,
    time: Time | None,
    iterations: int | None,
    viewer: int | None,
    seed: int | None,
    deep: Time | None,
) -> tuple[api.AnnotateGameRequest, float]:
    """Return a request for a review, and the seconds that the call may take. Raises BadRequest."""
    request = api.AnnotateGameRequest()
    if isinstance(game, str):
        set_field(request, "record", game)
    elif not hasattr(game, "game_id"):
        raise bad_request("record", f"{game!r:.80} is neither the text of a record nor a hosted game")
    else:
        request.hosted_game.CopyFrom(filled(api.HostedGameReference, game_id=game.game_id, tokens=game._all_tokens()))
    for name, value in (("iterations", iterations), ("viewer_seat", viewer), ("seed", seed)):
        if value is not None:
            set_field(request, name, value)
    deeper = 0.0 if deep is None else set_time(request, "deep_budget", deep)
    if time is None:
        return request, LONGEST + 2 * min(deeper, LONGEST_TIME)
    seconds = set_time(request, "time_budget", time)
    return request, 2 * (min(seconds, LONGEST_TIME) + min(deeper, LONGEST_TIME)) + SLACK


def read_progress(message: api.AnnotateGameResponse) -> ReviewProgress:
    """Return a part of a review."""
    review = read_review(message.review) if message.HasField("review") else None
    plies = tuple(map(read_ply, message.plies))
    return ReviewProgress(message.done, message.total, message.sketch, message.deepening, plies, review)


def read_ply(message: api.ReviewedPly) -> ReviewedPly:
    """Return what a ply changed."""
    return ReviewedPly(
        ply=message.ply,
        round=message.round,
        seat=message.seat if message.HasField("seat") else None,
        action=named(message.action),
        source=message.source,
        before=tuple(share / UNIT for share in message.before),
        after=tuple(share / UNIT for share in message.after),
        best=named(message.best) if message.HasField("best") else None,
        points=message.points,
        variation=tuple(message.principal_variation),
        reason=message.reason,
        message=message,
    )


def named(message: api.ReviewedAction) -> Action:
    """Return an action."""
    return Action(message.text, message.label)


def read_review(message: api.GameReview) -> GameReview:
    """Return the ledger of a game."""
    return GameReview(
        game=message.game,
        ended=message.ended,
        seats=tuple(map(read_seat, message.seats)),
        errors={one.ply: value_name(api.ErrorClass, "ERROR_CLASS_", one.error_class) for one in message.errors},
        rollouts={one.ply: read_rollouts(one.rollouts) for one in message.errors if one.HasField("rollouts")},
        noise_floor=message.noise_floor / UNIT,
        iterations=message.iterations,
        seed=message.seed,
        message=message,
    )


def read_rollouts(message: api.Rollouts) -> Rollouts:
    """Return the results of rollouts of an error."""
    return Rollouts(message.pairs, message.loss, message.error, message.plain_error)


def read_seat(message: api.SeatReview) -> SeatReview:
    """Return the ledger of a seat."""
    present = {field.name for field, _ in message.ListFields()}
    given: dict[str, Any] = {
        field: getattr(message, field) if field in present else None for field in ("mean_loss", "accuracy", "level")
    }
    return SeatReview(
        name=message.name,
        start=message.start / UNIT,
        luck={one.source: one.luck / UNIT for one in message.luck},
        errors=message.errors / UNIT,
        gifts=message.gifts / UNIT,
        revaluation=message.revaluation / UNIT,
        final=message.final / UNIT,
        decisions=message.decisions,
        mean_loss=None if given["mean_loss"] is None else given["mean_loss"] / UNIT,
        accuracy=given["accuracy"],
        classes={"blunder": message.blunders, "mistake": message.mistakes, "doubtful": message.doubtful},
        level=given["level"],
        message=message,
    )


def write_summary_request(game: str, seats: Iterable[SeatReview]) -> api.SummarizeGamesRequest:
    """Return the request for a summary of games, given the review of the player's seat in each."""
    figures = [figures_of(one, f"games[{number}]") for number, one in enumerate(listed(seats, "games"))]
    return filled(api.SummarizeGamesRequest, game=game, games=figures)


def figures_of(review: SeatReview, field: str) -> api.PlayerFigures:
    """Return what a summary needs of a review. Raises BadRequest, which names the field, for anything else."""
    if not isinstance(review, SeatReview):
        raise bad_request(field, f"{review!r:.80} is not a SeatReview")
    return api.PlayerFigures(groups=review.message.groups, patterns=review.message.patterns, level=review.level)

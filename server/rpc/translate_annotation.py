"""Translates between the messages of AnnotationService and reviews of games."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass

from google.protobuf.message import DecodeError

from clerestory.engine.core import NATURE, Game, State
from clerestory.engine.errors import BadRecord
from clerestory.engine.games import GAMES
from clerestory.engine.record import read_records
from clerestory.figures import Rollouts
from clerestory.i18n.languages import ENGLISH
from clerestory.search.review import Annotation, PlyValuation
from clerestory.server.analysis.reviews import ReviewStep, ReviewTerms
from clerestory.server.rpc.locale import LOCALE, label_of, luck_of
from clerestory.server.rpc.translate import given, read_text, seconds_of, write_text
from clerestory.server.rpc.translate_advisor import in_one_line, write_favour
from clerestory.server.rpc.translate_summary import write_groups, write_pattern
from clerestory.service_errors import Faults, Reason
from clerestory.v1 import annotation_pb2 as api

MOST = 200_000  # iterations per search
CLASSES = {
    "doubtful": api.ERROR_CLASS_DOUBTFUL,
    "mistake": api.ERROR_CLASS_MISTAKE,
    "blunder": api.ERROR_CLASS_BLUNDER,
}


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """A valid request for a review.

    Attributes:
        game_id: ID of a hosted game; "" for a record.
        tokens: the tokens in the request.
        record: the given game at its last position, with its history; None for a hosted game.
        terms: the terms of the review.
    """

    game_id: str
    tokens: tuple[str, ...]
    record: State | None
    terms: ReviewTerms


def read_annotation(request: api.AnnotateGameRequest) -> ReviewRequest:
    """Parse a request for a review. Raises ServiceError, which lists all faults."""
    faults, terms = Faults(), read_terms(request)
    terms.check(faults)
    kind = request.WhichOneof("game")
    if kind is None:
        faults.add(Reason.BAD_GAME, "game", "is missing; set hosted_game or record")
    record = read_game(request.record, faults) if kind == "record" else None
    faults.require_none()
    return ReviewRequest(request.hosted_game.game_id, tuple(request.hosted_game.tokens), record, terms)


def read_terms(request: api.AnnotateGameRequest) -> ReviewTerms:
    """Return the terms of the requested review, not validated."""
    return ReviewTerms(
        iterations=given(request, "iterations"),
        seconds=seconds_of(request.time_budget) if request.HasField("time_budget") else None,
        most=MOST,
        deep=seconds_of(request.deep_budget) if request.HasField("deep_budget") else None,
        seed=request.seed,
        viewer=given(request, "viewer_seat"),
        sketch=True,
    )


def read_game(text: str, faults: Faults) -> State | None:
    """Return the first game of a record at its end, with its history; None, and a fault, if it is not a record."""
    try:
        found = next(read_records(text.splitlines(keepends=True), begun=True), None)
    except BadRecord as error:
        faults.add(Reason.BAD_RECORD, "record", str(error))
        return None
    if found is None:
        faults.add(Reason.BAD_RECORD, "record", "contains no game")
    return None if found is None else found.state


def write_ply(one: PlyValuation, game: Game) -> api.ReviewedPly:
    """Return the valuation of a ply as a message, in the locale of the call."""
    decision = one.seat != NATURE
    return api.ReviewedPly(
        ply=one.ply,
        round=one.round,
        seat=one.seat if decision else None,
        action=write_reviewed(game, one.action, one.label),
        source=one.source,
        before=one.before,
        after=one.after,
        best=write_reviewed(game, one.best, one.best_label) if decision else None,
        points=one.points,
        stake=one.stake,
        iterations=one.iterations,
        principal_variation=one.line,
        reason=in_one_line(one.reasons, one.reason, game),
        reasons=[write_text(reason, game) for reason in one.reasons],
    )


def write_reviewed(game: Game, text: str, english: str) -> api.ReviewedAction:
    """Return an action of a review as a message."""
    return api.ReviewedAction(text=text, label=label_of(game, text, english))


def read_ply(message: api.ReviewedPly) -> PlyValuation:
    """Return the valuation of a ply from its message."""
    return PlyValuation(
        ply=message.ply,
        round=message.round,
        seat=message.seat if message.HasField("seat") else NATURE,
        action=message.action.text,
        label=message.action.label,
        source=message.source,
        before=tuple(message.before),
        after=tuple(message.after),
        best=message.best.text,
        best_label=message.best.label,
        points=message.points,
        stake=message.stake,
        iterations=message.iterations,
        line=tuple(message.principal_variation),
        reason=message.reason,
        reasons=tuple(map(read_text, message.reasons)),
    )


def read_plies(kept: Mapping[int, bytes]) -> dict[int, PlyValuation]:
    """Parse stored plies, skipping those that cannot be parsed."""
    found = {}
    for ply, message in kept.items():
        with suppress(DecodeError):
            found[ply] = read_ply(api.ReviewedPly.FromString(message))
    return found


def write_plies(plies: Sequence[PlyValuation], game: Game) -> dict[int, bytes]:
    """Serialize plies for the store, in English whatever the locale of the call."""
    asked = LOCALE.set(ENGLISH)
    try:
        return {one.ply: write_ply(one, game).SerializeToString(deterministic=True) for one in plies}
    finally:
        LOCALE.reset(asked)


def write_step(step: ReviewStep, game: Game) -> api.AnnotateGameResponse:
    """Return a step of a review as a message, in the locale of the call."""
    return api.AnnotateGameResponse(
        done=step.done,
        total=step.total,
        sketch=step.sketch,
        deepening=step.deepening,
        plies=[write_ply(one, game) for one in step.plies],
        review=None if step.review is None else write_review(step.review),
    )


def write_review(review: Annotation) -> api.GameReview:
    """Return the ledger of a game as a message, in the locale of the call."""
    return api.GameReview(
        game=review.game,
        ended=review.ended,
        seats=[write_seat(review, seat) for seat in range(len(review.names))],
        errors=[
            api.NamedError(
                ply=one.ply,
                error_class=CLASSES[review.class_of(one)],
                loss=one.loss,
                first_ply=review.spans[one.ply][0],
                last_ply=review.spans[one.ply][1],
                rollouts=write_rollouts(review.rollouts.get(one.ply)),
            )
            for one in review.errors()
        ],
        noise_floor=review.floor,
        iterations=review.plan.iterations,
        seed=review.plan.seed,
        options={name: str(value) for name, value in review.settings.items()},
        viewer_seat=review.plan.viewer,
        favour=write_favour(GAMES[review.game], len(review.names), LOCALE.get()),
    )


def write_rollouts(found: Rollouts | None) -> api.Rollouts | None:
    """Return the rollouts of an error as a message; None if there are none."""
    return None if found is None else api.Rollouts(**asdict(found))


def write_seat(review: Annotation, seat: int) -> api.SeatReview:
    """Return the ledger of a seat as a message."""
    account, figures = review.accounts[seat], review.figures[seat]
    return api.SeatReview(
        name=review.names[seat],
        start=account.start,
        luck=[
            api.LuckOfSource(source=source, luck=luck, label=luck_of(GAMES[review.game], source))
            for source, luck in account.luck.items()
        ],
        errors=account.errors,
        gifts=account.gifts,
        revaluation=account.revaluation,
        final=account.final,
        decisions=figures.counted,
        idle_decisions=figures.idle,
        mean_loss=figures.mean_loss,
        accuracy=figures.accuracy,
        points_lost=figures.points,
        blunders=figures.classes["blunder"],
        mistakes=figures.classes["mistake"],
        doubtful=figures.classes["doubtful"],
        level=figures.level,
        groups=write_groups(figures),
        patterns=map(write_pattern, figures.patterns),
    )

"""A review by the client: the same as in one process, of a record or of a hosted game."""

import pytest

from clerestory.clients import Advisor, BadRequest, GameReview, NotNow, ReviewedPly, review_wire
from clerestory.clients.review_wire import read_progress, write_annotation
from clerestory.engine import Record, State
from clerestory.search.review import UNIT, Annotation, ReviewPlan, annotate
from clerestory.v1 import annotation_pb2 as api
from tests.search.review.games import cut, random_game

GAME = random_game("toy", 2, 1)
PLAN = ReviewPlan(iterations=60, seed=4)


def text(game: State) -> str:
    return "\n".join(Record(game).lines())


def same(review: GameReview | None, plies: list[ReviewedPly], expected: Annotation) -> None:
    assert review is not None
    assert [round(UNIT * seat.final) for seat in review.seats] == [one.final for one in expected.accounts]
    for seat, account, said in zip(review.seats, expected.accounts, expected.figures, strict=True):
        assert {source: round(UNIT * luck) for source, luck in seat.luck.items()} == account.luck
        assert round(UNIT * seat.luck_adjusted) == account.adjusted
        assert (seat.decisions, seat.classes) == (said.counted, said.classes)
    assert review.errors == {one.ply: expected.class_of(one) for one in expected.errors()}
    found = sorted(plies, key=lambda one: one.ply)
    assert [(one.ply, one.action.text, round(UNIT * one.loss)) for one in found] == [
        (one.ply, one.action, one.loss) for one in expected.valuations
    ]
    assert [one.best and one.best.text for one in found] == [one.best or None for one in expected.valuations]


def test_a_record_is_reviewed(advisor: Advisor) -> None:
    parts = list(advisor.annotate(text(GAME), iterations=60, seed=4))
    plies = [ply for part in parts if not part.sketch for ply in part.plies]
    same(parts[-1].review, plies, annotate(GAME, PLAN))
    assert all(part.review is None for part in parts[:-1])
    assert parts[-1].done == parts[-1].total


def test_rollouts_of_errors_are_asked_for_and_read() -> None:
    request, seconds = write_annotation("a record", "2s", None, None, None, "30s")
    assert (request.deep_budget.seconds, seconds) == (30, 2 * (2 + 30) + review_wire.SLACK)
    played_on = api.NamedError(ply=3, rollouts=api.Rollouts(pairs=8, loss=0.5, error=0.1))
    message = api.AnnotateGameResponse(deepening=True, review=api.GameReview(errors=[played_on, api.NamedError(ply=5)]))
    part = read_progress(message)
    assert part.deepening
    assert part.review is not None
    assert list(part.review.errors) == [3, 5]
    assert {ply: said.pairs for ply, said in part.review.rollouts.items()} == {3: 8}


def test_a_broken_off_game_is_reviewed_by_the_knowledge_of_one_seat(advisor: Advisor) -> None:
    begun = cut(GAME, 5)
    [*_, last] = advisor.annotate(text(begun), iterations=60, viewer=1)
    assert last.review is not None
    expected = annotate(begun, ReviewPlan(iterations=60, viewer=1))
    assert [round(UNIT * seat.final) for seat in last.review.seats] == list(expected.final)
    assert last.review.ended == ""


def test_a_hosted_game_is_reviewed_with_its_tokens(advisor: Advisor) -> None:
    game = advisor.games.create("toy", ["person", "person"], seed=3, hints="afterwards")
    with pytest.raises(NotNow, match="no hints before it is over"):
        next(advisor.annotate(game, iterations=60))
    seen = game.look()
    while seen.status != "over":
        seen = game.play(seen.legal[0].action)
    [*_, last] = advisor.annotate(game, iterations=60)
    assert last.review is not None
    assert last.review.ended


def test_a_bad_time_of_rollouts_is_rejected(advisor: Advisor) -> None:
    with pytest.raises(BadRequest, match="deep_budget: 'long' is not a time") as caught:
        next(advisor.annotate(text(GAME), deep="long"))
    assert caught.value.reason == "BAD_TIME_BUDGET"

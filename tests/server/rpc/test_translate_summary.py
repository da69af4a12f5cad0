"""SummarizeGames: the figures of reviews go in, their faults are named, and a summary comes out."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from clerestory.i18n import say
from clerestory.search.review import ReviewPlan, annotate
from clerestory.search.review.summary import summarize
from clerestory.server.rpc.locale import LOCALE
from clerestory.server.rpc.translate_annotation import write_review
from clerestory.server.rpc.translate_summary import MOST_GAMES, MOST_GROUPS, read_summary, write_summary
from clerestory.service_errors import Reason, ServiceError
from clerestory.v1 import annotation_pb2 as api
from tests.search.review.games import random_game
from tests.search.review.test_summary import game

GROUP = api.DecisionGroup(part=1, kind="draft", decisions=5, loss=40_000, points=1.5)
EMPTY = api.DecisionGroup(kind="draft")
ERROR = api.ErrorPattern(played="hire", best="take", errors=2, loss=30_000)


@pytest.fixture
def in_german() -> Iterator[None]:
    asked = LOCALE.set("de")
    yield
    LOCALE.reset(asked)


def request(*games: api.PlayerFigures, name: str = "cathedral") -> api.SummarizeGamesRequest:
    return api.SummarizeGamesRequest(game=name, games=games)


def with_group(**fields: object) -> api.SummarizeGamesRequest:
    group = api.DecisionGroup(part=1, kind="draft", decisions=5, loss=40_000, points=1.5)
    group.MergeFrom(api.DecisionGroup(**fields))
    return request(api.PlayerFigures(groups=[GROUP, group]))


def with_error(**fields: object) -> api.SummarizeGamesRequest:
    error = api.ErrorPattern(played="hire", best="take", errors=2, loss=30_000)
    error.MergeFrom(api.ErrorPattern(**fields))
    return request(api.PlayerFigures(patterns=[error]))


WRONG = [
    (request(name="chess"), Reason.BAD_GAME, "game"),
    (request(), Reason.BAD_FIGURES, "games"),
    (request(*[api.PlayerFigures()] * (MOST_GAMES + 1)), Reason.BAD_FIGURES, "games"),
    (request(api.PlayerFigures(level=9)), Reason.BAD_FIGURES, "games[0].level"),
    (request(api.PlayerFigures(groups=[GROUP] * (MOST_GROUPS + 1))), Reason.BAD_FIGURES, "games[0].groups"),
    (
        request(api.PlayerFigures(), api.PlayerFigures(groups=[EMPTY])),
        Reason.BAD_FIGURES,
        "games[1].groups[0].decisions",
    ),
    (with_group(kind="chess"), Reason.BAD_FIGURES, "games[0].groups[1].kind"),
    (with_group(part=33), Reason.BAD_FIGURES, "games[0].groups[1].part"),
    (with_group(decisions=1001), Reason.BAD_FIGURES, "games[0].groups[1].decisions"),
    (with_group(loss=5_000_001), Reason.BAD_FIGURES, "games[0].groups[1].loss"),
    (with_group(points=-1.0), Reason.BAD_FIGURES, "games[0].groups[1].points"),
    (with_group(points=float("nan")), Reason.BAD_FIGURES, "games[0].groups[1].points"),
    (with_error(played="hire me"), Reason.BAD_FIGURES, "games[0].patterns[0].played"),
    (with_error(best="<b>"), Reason.BAD_FIGURES, "games[0].patterns[0].best"),
    (with_error(loss=2_000_001), Reason.BAD_FIGURES, "games[0].patterns[0].loss"),
]


@pytest.mark.parametrize(("wrong", "reason", "field"), WRONG, ids=[field for *_, field in WRONG])
def test_the_wrong_figure_is_named(wrong: api.SummarizeGamesRequest, reason: Reason, field: str) -> None:
    with pytest.raises(ServiceError) as raised:
        read_summary(wrong)
    assert raised.value.reason == reason
    assert [blamed for blamed, _ in raised.value.faults] == [field]


def test_a_game_without_kinds_has_none() -> None:
    group = api.DecisionGroup(decisions=1)
    assert read_summary(request(api.PlayerFigures(groups=[group]), name="toy"))[0].name == "toy"


def test_the_figures_of_a_review_are_accepted_as_they_are() -> None:
    review = annotate(random_game("duel", 2, 1), ReviewPlan(iterations=50))
    for seat, written in zip(review.figures, write_review(review).seats, strict=True):
        level = {"level": written.level} if written.HasField("level") else {}
        figures = api.PlayerFigures(groups=written.groups, patterns=written.patterns, **level)
        _, (found,) = read_summary(request(figures, name="duel"))
        assert (found.groups, found.patterns) == (seat.groups, seat.patterns)


@pytest.mark.usefixtures("in_german")
def test_a_summary_is_written_in_the_locale_of_the_call() -> None:
    found = write_summary(summarize("cathedral", [game(100_000, level=3, errors=2), game(90_000, level=4)]))
    assert (found.overall.label, found.parts[0].label) == ("alle Entscheidungen", "Runden 1 bis 2")
    assert found.kinds[0].label == say("learn", "theme.cathedral.draft", language="de")
    assert "Handwerker anwerben" in found.habits[0].text
    assert (found.habits[0].pattern.errors, found.level.mean, found.latest_level.HasField("low")) == (2, 3.5, True)


def test_what_is_not_known_is_not_set() -> None:
    found = write_summary(summarize("cathedral", [replace(game(), level=None)]))
    assert [found.HasField(name) for name in ("overall", "level", "latest_level")] == [False, False, False]
    alone = write_summary(summarize("cathedral", [game(100_000)]))
    assert not alone.overall.mean_loss.HasField("low")

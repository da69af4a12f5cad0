"""A game reviewed in this process."""

import json
from decimal import Decimal
from typing import Any

import pytest

from clerestory.search.errors import BadLimit
from clerestory.search.review import UNIT, ReviewPlan, annotate
from clerestory.search.review.course import plies_of
from tests.search.review.games import cut, lost_by_dismissal, random_game
from tests.shipped import CASES, CATHEDRAL

QUICK = ReviewPlan(iterations=50, seed=3)


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_the_json_adds_up_as_it_stands(name: str, seats: int) -> None:
    """The numbers as written add up as decimals, without rounding."""
    review = annotate(cut(random_game(name, seats, 1), 20), QUICK).to_dict()
    written: dict[str, Any] = json.loads(json.dumps(review), parse_float=Decimal)
    for account in written["accounts"]:
        parts = ("start", "errors", "gifts", "revaluation")
        assert sum(account[part] for part in parts) + sum(account["luck"].values()) == account["final"]
    for move in written["moves"]:
        assert sum(move["before"]) == sum(move["after"]) == 1


@pytest.mark.parametrize("name", ["toy", "duel"])
def test_a_finished_game_ends_with_its_result(name: str) -> None:
    end = random_game(name, 2, 4)
    review = annotate(end, QUICK)
    assert [share / UNIT for share in review.final] == pytest.approx(end.win_shares(), abs=1e-6)
    assert review.over
    played = {ply.number for ply in plies_of(end) if ply.root is not None}
    assert {one.ply for one in review.valuations} == played
    kinds = {one.source for one in review.valuations if one.source}
    assert kinds == set(review.accounts[0].luck)


def test_a_dismissal_that_lost_the_game_is_its_costliest_error() -> None:
    """All is known from there on: what was won for certain is lost for certain."""
    [error, *_] = annotate(lost_by_dismissal(), ReviewPlan(iterations=2000)).errors()
    assert (error.ply, error.seat, error.action) == (1, 0, "dismiss mortar_mixer")
    assert (error.before, error.after) == ((UNIT, 0), (0, UNIT))


def test_equal_settings_make_equal_reviews() -> None:
    end = cut(random_game("cathedral", 3, 1), 20)
    once = annotate(end, QUICK)
    assert annotate(end, QUICK).to_dict() == once.to_dict()
    assert annotate(end, ReviewPlan(iterations=50, seed=4)) != once


def test_an_unfinished_game_ends_with_the_present_shares_also_without_a_ply() -> None:
    end = cut(random_game("duel", 2, 1), 30)
    review = annotate(end, QUICK)
    assert not review.over
    assert sum(review.final) == UNIT
    assert max(review.final) < UNIT
    review = annotate(random_game("toy", 3, 1).origin, QUICK)
    assert review.valuations == ()
    assert [account.start for account in review.accounts] == list(review.final)


@pytest.mark.parametrize(
    ("field", "value"),
    [("iterations", 49), ("iterations", 10_000_001), ("iterations", 1.5), ("seed", -1), ("seed", 1 << 64)],
)
def test_a_plan_out_of_range_is_rejected(field: str, value: Any) -> None:
    changes: dict[str, Any] = {field: value}
    with pytest.raises(BadLimit, match=field):
        ReviewPlan(**changes)


@pytest.mark.parametrize(("learned", "horizon"), [(False, 60), (True, 0)])
def test_a_learned_value_is_asked_at_once(monkeypatch: pytest.MonkeyPatch, learned: bool, horizon: int) -> None:
    for module in ("clerestory.search.review.plan", "clerestory.search.options"):
        monkeypatch.setattr(f"{module}.asks_learned", lambda _: learned)
    assert ReviewPlan().settings(CATHEDRAL, 4)["horizon"] == horizon
    assert ReviewPlan(options={"horizon": 7}).settings(CATHEDRAL, 4)["horizon"] == 7


def test_an_unknown_option_of_the_search_is_rejected() -> None:
    with pytest.raises(BadLimit, match="reward"):
        annotate(random_game("toy", 2, 1), ReviewPlan(iterations=50, options={"reward": "beauty"}))

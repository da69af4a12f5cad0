"""What a card shows one seat of what is to come is luck when it is shown, and none when it comes up."""

import pytest

from clerestory.engine import NATURE, State
from clerestory.review import Plan, annotate
from clerestory.review.annotate import answered
from clerestory.review.course import Ply, plies_of
from clerestory.review.ledger import SHOWN
from clerestory.review.study import study
from tests.review.games import cut, other_world
from tests.review.test_course import game_with_ellen

PLAN = Plan(iterations=2000, seed=2)


@pytest.fixture(scope="module")
def shown() -> tuple[State, Ply]:
    end, number = game_with_ellen()
    return end, plies_of(end)[number - 1]


def test_every_other_event_that_could_have_been_shown_is_looked_at_once(shown: tuple[State, Ply]) -> None:
    end, ply = shown
    assert ply.root is not None
    possible = cut(end, ply.number - 1).observe(NATURE).unsaid(ply.turn)
    views = {root.view.to_bytes() for root in (ply.root, *ply.others)}
    assert len(views) == len(possible) == len(ply.others) + 1
    assert all(root.observer == ply.turn for root in ply.others)
    event = next(action for action in end.history[ply.number :] if action in possible)
    again = [one for one in plies_of(end) if one.others and one.turn == ply.turn]
    assert all(one is not ply and one.number > end.history.index(event) for one in again if one.number != ply.number)


def test_the_luck_of_all_that_could_be_shown_sums_to_nothing(shown: tuple[State, Ply]) -> None:
    """It is a martingale: whichever of them is the one that was shown, the same searches are asked."""
    _, ply = shown
    assert ply.root is not None
    roots = (ply.root, *ply.others)
    lucks = []
    for root in roots:
        others = tuple(other for other in roots if other is not root)
        one = answered(study(Ply(ply.number, ply.round, ply.turn, ply.action, root, others), PLAN))
        assert sum(one.shown) == 0
        assert any(one.shown)
        lucks.append(one.shown)
    for seat in range(len(lucks[0])):
        assert abs(sum(luck[seat] for luck in lucks)) < len(lucks)


def test_it_is_no_luck_any_more_when_it_comes_up(shown: tuple[State, Ply]) -> None:
    end, ply = shown
    known = [one for one in plies_of(end) if one.foreseen]
    assert [one.number > ply.number for one in known[:1]] == [True]
    assert all(one.turn == NATURE for one in known)
    if known[0].root is not None:
        assert set(answered(study(known[0], PLAN)).change) == {0}


def test_the_ledger_names_it_and_still_adds_up(shown: tuple[State, Ply]) -> None:
    end, ply = shown
    reveal = next(one.number for one in plies_of(end) if one.foreseen)
    review = annotate(cut(end, reveal), Plan(iterations=50))
    [told] = [one for one in review.valuations if one.shown]
    assert told.ply == ply.number
    for account in review.accounts:
        assert account.luck[SHOWN] == told.shown[account.seat]
        parts = account.start + account.total_luck + account.errors + account.gifts + account.revaluation
        assert parts == account.final


def test_what_never_came_up_is_not_used(shown: tuple[State, Ply]) -> None:
    end, ply = shown
    for world in (cut(end, ply.number), cut(other_world(end, 3), ply.number)):
        assert not any(one.others for one in plies_of(world))


def test_a_viewer_has_no_such_luck(shown: tuple[State, Ply]) -> None:
    end, ply = shown
    assert not any(one.others or one.foreseen for one in plies_of(end, ply.turn))

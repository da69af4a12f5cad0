"""A past event that one seat had been shown is a separate source of luck."""

import pytest

from clerestory.engine import NATURE, State
from clerestory.review import ReviewPlan, annotate
from clerestory.review.course import plies_of
from clerestory.review.ledger import SHOWN
from tests.review.games import cut, random_game
from tests.review.test_course import game_with_ellen


@pytest.fixture(scope="module")
def end() -> State:
    return game_with_ellen()[0]


def test_it_is_the_next_event_after_the_seat_decided(end: State) -> None:
    _, ply = game_with_ellen()
    first = next(one for one in plies_of(end) if one.foreseen)
    assert (first.turn, first.number > ply) == (NATURE, True)
    events = [one for one in plies_of(end)[ply:] if one.action.text.startswith("event ")]
    assert first.number == events[0].number


def test_the_ledger_names_it(end: State) -> None:
    reveal = next(one for one in plies_of(end) if one.foreseen)
    review = annotate(cut(end, reveal.number), ReviewPlan(iterations=50))
    [revealed] = [one for one in review.valuations if one.source == SHOWN]
    assert revealed.ply == reveal.number
    assert any(revealed.change)
    assert [account.luck[SHOWN] for account in review.accounts] == list(revealed.change)


def test_where_nobody_is_shown_anything_nothing_is_foreseen() -> None:
    assert not any(one.foreseen for one in plies_of(random_game("duel", 2, 1)))

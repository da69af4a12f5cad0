"""The knowledge used to judge each ply: nothing is used that the actions do not reveal."""

from functools import cache

import pytest

from clerestory.engine import NATURE, State
from clerestory.search.errors import WrongSeat
from clerestory.search.review import ReviewPlan, annotate
from clerestory.search.review.course import known, last_root, plies_of
from clerestory.search.review.ledger import SHOWN
from tests.search.positions import decisions
from tests.search.review.games import cut, other_world, random_game, seeds
from tests.shipped import CASES

QUICK = ReviewPlan(iterations=50, seed=3)


def positions(end: State) -> list[State]:
    """Return the position before each ply, with everything in the record."""
    state, found = end.origin, []
    for action in end.history:
        found.append(state.copy())
        state.play(action)
    return found


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_each_ply_is_judged_by_its_own_knowledge_or_by_that_of_a_viewer(name: str, seats: int) -> None:
    end = random_game(name, seats, 1)
    for ply, viewed, position in zip(plies_of(end), plies_of(end, 1), positions(end), strict=True):
        assert (ply.turn, ply.action in position.legal_actions()) == (position.turn, True)
        assert (ply.root is None) == (viewed.root is None) == (len(position.legal_codes()) == 1)
        if ply.root is not None and viewed.root is not None:
            assert ply.root.view == position.observe(position.turn)
            assert viewed.root.view == position.observe(NATURE if position.foresees(1) else 1)


def test_there_is_no_such_viewer() -> None:
    with pytest.raises(WrongSeat, match="observer"):
        plies_of(random_game("toy", 2, 1), 5)


@pytest.mark.parametrize(("name", "seats"), [case for case in CASES if case[0] != "toy"])
def test_cards_that_stayed_hidden_change_nothing(name: str, seats: int) -> None:
    """Everything in the decks that the actions do not reveal, from the opening on."""
    end = random_game(name, seats, 2)
    worlds = [end, *(other_world(end, seed) for seed in seeds(5, 2))]
    assert len({world.origin.to_bytes() for world in worlds}) == 3
    views = [[(ply.root.view, ply.root.observer) for ply in plies_of(world) if ply.root] for world in worlds]
    assert views[0] == views[1] == views[2]
    short = [annotate(cut(world, 12), QUICK) for world in worlds]
    assert short[0] == short[1] == short[2]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_hidden_cards_do_not_change_the_view_of_a_decision(seats: int) -> None:
    for position in decisions(random_game("toy", seats, 3).game, seats, 3):
        worlds = [position, *(position.observe(position.turn).determinize(seed) for seed in seeds(1, 3))]
        assert len({known(world, None, ()).view.to_bytes() for world in worlds}) == 1


@cache
def game_with_ellen() -> tuple[State, int]:
    """Return a game in which a seat that was shown the coming event decides, and the ply of its first such decision."""
    for seed in range(60):
        end = random_game("cathedral", 4, seed)
        for ply, position in enumerate(positions(end), 1):
            chooses = position.turn >= 0 and len(position.legal_codes()) > 1
            if chooses and position.observe(NATURE).private_outcomes(position.turn):
                return end, ply
    raise AssertionError("Ellen was never taken")


def test_a_seat_is_judged_by_a_shown_event_that_came_up() -> None:
    end, ply = game_with_ellen()
    seat = positions(end)[ply - 1].turn
    for world in (end, other_world(end, 1)):
        root = plies_of(world)[ply - 1].root
        assert root is not None
        assert root.observer == seat
        assert not root.view.private_outcomes(seat)
        event = next(action for action in end.history[ply:] if action.text.startswith("event "))
        informed = cut(end, ply - 1).observe(NATURE)
        informed.set_private_outcome(seat, event)
        assert root.view == informed


def test_an_event_that_never_came_up_is_not_used() -> None:
    """The game is cut off before the event: the seat knew it, but the record does not reveal it."""
    end, ply = game_with_ellen()
    worlds = [cut(world, ply) for world in (end, *(other_world(end, seed) for seed in seeds(9, 8)))]
    decks = {tuple(world.to_position()["cathedral"]["event_deck"]) for world in worlds}
    roots = [plies_of(world)[ply - 1].root for world in worlds]
    assert len(decks) > 1
    assert {root.observer for root in roots if root} == {NATURE}
    assert len({root.view.to_bytes() for root in roots if root}) == 1
    lasts = [last_root(world) for world in worlds]
    assert len({root.view.to_bytes() for root in lasts if root}) == 1


def test_a_record_without_hands_is_judged_by_public_knowledge() -> None:
    end = random_game("toy", 2, 4)
    hidden = end.origin.observe(NATURE)
    for action in end.history:
        hidden.play(action)
    for ply in plies_of(hidden):
        assert ply.root is None or ply.root.observer == NATURE


def test_a_shown_event_is_the_next_one_after_the_seat_decided_and_is_named_in_the_ledger() -> None:
    end, ply = game_with_ellen()
    first = next(one for one in plies_of(end) if one.foreseen)
    assert (first.turn, first.number > ply) == (NATURE, True)
    events = [one for one in plies_of(end)[ply:] if one.action.text.startswith("event ")]
    assert first.number == events[0].number
    review = annotate(cut(end, first.number), ReviewPlan(iterations=50))
    [revealed] = [one for one in review.valuations if one.source == SHOWN]
    assert revealed.ply == first.number
    assert any(revealed.change)
    assert [account.luck[SHOWN] for account in review.accounts] == list(revealed.change)


def test_no_event_is_foreseen_where_nobody_is_shown_one() -> None:
    assert not any(one.foreseen for one in plies_of(random_game("duel", 2, 1)))

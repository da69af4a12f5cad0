"""Rollouts: paired games with luck subtracted, and the resulting estimate for a decision."""

import math
from dataclasses import replace

import pytest

from clerestory.engine import NATURE, Rng, State
from clerestory.search.review import ReviewPlan, annotate
from clerestory.search.review.annotating import answered
from clerestory.search.review.course import plies_of
from clerestory.search.review.rollouts import FEWEST, draw, estimate, finish, paired
from tests.search.review.games import cut, random_game
from tests.search.review.test_course import game_with_ellen

PLAN = ReviewPlan(iterations=100, seed=4)


@pytest.fixture(scope="module")
def late() -> State:
    return random_game("duel", 2, 1)


def test_the_luck_of_an_event_has_mean_0_over_its_outcomes(late: State) -> None:
    state = late.origin.observe(NATURE).determinize(1)
    while state.turn != NATURE or len(state.legal_codes()) < 3:
        state.play(state.draw(1) if state.turn == NATURE else state.legal_codes()[0])
    view = state.observe(NATURE)
    lucks = {}
    for seed in range(200):
        tried = view.copy()
        luck = draw(tried, 0, Rng(seed))
        lucks[tried.history[-1].code] = luck
    assert set(lucks) == set(view.legal_codes())
    mean = sum(odds * lucks[code] for odds, code in zip(view.odds(), view.legal_codes(), strict=True))
    assert abs(mean) < 1e-9
    assert any(lucks.values())


def test_an_event_that_a_seat_was_shown_is_no_luck() -> None:
    """It is the same in every world of its owner, so the mean of its luck would not be 0."""
    end, _ = game_with_ellen()
    state = end.origin.copy()
    lucks = {True: list[float](), False: list[float]()}
    for action in end.history:
        if state.turn == NATURE and action.text.startswith("event "):
            shown = any(state.foresees(seat) for seat in range(state.seats))
            lucks[shown].append(draw(state.copy(), 0, Rng(1)))
        state.play(action)
    assert all(lucks[False])
    assert lucks[True]
    assert not any(lucks[True])


def test_a_game_that_is_finished_alike_ends_alike(late: State) -> None:
    world = cut(late, len(late.history) - 30)
    while world.turn == NATURE:
        world.play(world.draw(1))
    action = world.legal_actions()[0].text
    first = answered(finish(world, action, 0, PLAN, 7))
    assert first == answered(finish(world, action, 0, PLAN, 7))
    assert first[0] in (0.0, 0.5, 1.0)


def test_the_error_is_that_of_a_mean_less_what_luck_explains_and_never_0() -> None:
    found = estimate([(-0.3, 0.0), (0.7, 0.0)] * 8)
    assert (found.pairs, found.loss) == (16, pytest.approx(0.2))
    assert found.error == pytest.approx(0.5 / math.sqrt(14))
    assert found.plain_error == pytest.approx(0.5 / math.sqrt(15))
    assert found.at_most == found.loss + 2 * found.error
    # Each game lost 0.1 plus its luck, so the luck explains the whole spread.
    found = estimate([(0.1 + luck, luck) for luck in (-0.5, 0.4, 0.2, 0.7, -0.3, 0.1, 0.0, 0.2)])
    assert found.loss == pytest.approx(0.1)
    assert found.error == 1 / 16 < found.plain_error
    assert estimate([(0.0, 0.1), (0.0, -0.2)] * 5).error == 1 / 20


def test_the_same_action_twice_loses_nothing(late: State) -> None:
    review = annotate(cut(late, 60), PLAN)
    one = next(one for one in reversed(review.valuations) if one.seat != NATURE and one.loss)
    root = next(ply.root for ply in plies_of(late) if ply.number == one.ply)
    assert root is not None
    assert answered(paired(root, replace(one, best=one.action), PLAN, 3)) == (0.0, 0.0)


def test_a_plain_blunder_loses_in_rollouts_too() -> None:
    late = random_game("duel", 2, 7)  # contains no long combinations, which players of rollouts miss
    review = annotate(late, replace(PLAN, iterations=400))
    one = max(review.errors(), key=lambda one: one.loss)
    assert one.loss > 500_000
    root = next(ply.root for ply in plies_of(late) if ply.number == one.ply)
    assert root is not None
    found = estimate([answered(paired(root, one, PLAN, seed)) for seed in range(FEWEST)])
    assert found.error >= 1 / (2 * FEWEST)
    assert found.loss > 0

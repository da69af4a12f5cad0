"""Reviews are truthful: luck has mean 0, blunders are found, the best action is not an error."""

import pytest

from clerestory.engine import NATURE
from clerestory.search.review import UNIT, ReviewPlan
from clerestory.search.review.annotating import answered
from clerestory.search.review.course import Ply, plies_of
from clerestory.search.review.study import study
from tests.search.positions import last_round
from tests.search.review.games import random_game
from tests.shipped import CASES

PLAN = ReviewPlan(iterations=200, seed=8)


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_luck_is_zero_over_the_outcomes_of_an_event(name: str, seats: int) -> None:
    """For any values: the luck of all outcomes, weighted by their odds, is 0."""
    end = random_game(name, seats, 2)
    events = [ply for ply in plies_of(end) if ply.turn == NATURE and ply.root is not None]
    for ply in events[:: 1 + len(events) // 4]:
        assert ply.root is not None
        view = ply.root.view
        lucks = [
            answered(study(Ply(ply.number, ply.round, NATURE, outcome, ply.root), PLAN)).change
            for outcome in view.legal_actions()
        ]
        assert all(sum(luck) == 0 for luck in lucks)
        for seat in range(seats):
            mean = sum(chance * luck[seat] for chance, luck in zip(view.odds(), lucks, strict=True))
            assert abs(mean) < 2


def test_solved_positions_are_judged_exactly() -> None:
    """The last decision of a game: 6 wins the prize of 2 and the game by 1 point, and folding loses it by 3."""
    state = last_round(prize=2, seen=[1, 2, 5], players=[(0, 0, [3, 6]), (1, 5, [0])], moved=1)
    state.play("fold")
    [ply] = plies_of(state)
    one = answered(study(ply, PLAN))
    assert (one.best, one.loss, one.before, one.after) == ("play 6", UNIT, (UNIT, 0), (0, UNIT))
    assert one.points == pytest.approx(4)
    # The same if the prize is lost either way.
    state = last_round(prize=2, seen=[1, 2, 6], players=[(0, 0, [3, 4]), (1, 6, [0])], moved=1)
    for action in state.legal_actions():
        after = state.copy()
        after.play(action)
        [ply] = plies_of(after)
        assert answered(study(ply, PLAN)).loss == 0


def test_the_best_action_of_a_last_trick_is_no_error() -> None:
    """Those decisions are searched to the end, so playing the best action there is never an error."""
    plies = [ply for seed in range(12) for ply in plies_of(random_game("toy", 2, seed))[-2:]]
    decided = [(ply, ply.root) for ply in plies if ply.root is not None and ply.turn >= 0]
    assert decided
    for ply, root in decided:
        best = root.view.game.parse_action(answered(study(ply, PLAN)).best)
        assert answered(study(Ply(ply.number, ply.round, ply.turn, best, root), PLAN)).loss == 0

"""Exchange rates: from the knowledge of the seat, in half the time of the search, and right where that is known."""

from typing import Any

import pytest

from clerestory.engine import GAMES, State
from clerestory.search.rates import ITERATIONS, PER_ITERATION, REPETITIONS, Rate, RateEstimator, rate_of, rates_of
from clerestory.search.root import observe
from tests.search.positions import decisions, last_round
from tests.shipped import CASES


def first_rates(position: State, seed: int = 3) -> tuple[Rate, ...]:
    searchers = REPETITIONS * (1 + len(position.game.layout.goods))
    return rates_of(observe(position), PER_ITERATION * searchers * ITERATIONS[1], seed)


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_hidden_cards_make_no_difference_to_rates(name: str, seats: int) -> None:
    position = decisions(GAMES[name], seats, 5)[2]
    view = position.observe(position.turn)
    assert position != view
    assert len({first_rates(one) for one in (position, view, view.determinize(1))}) == 1


@pytest.mark.parametrize("name", ["cathedral", "duel"])
def test_rates_take_at_most_half_of_the_iterations(name: str) -> None:
    estimator = RateEstimator(observe(decisions(GAMES[name], 2, 1)[5]))
    spent, known = 0, 0
    for iterations in range(1000, 60_000, 1000):
        while estimator.owes(iterations):
            estimator.step(1)
            spent = sum(searcher.iterations for searcher in estimator._searchers)
        known += bool(estimator.rates())
        assert PER_ITERATION * spent <= iterations
    assert known
    assert spent >= 10_000


def test_equal_seeds_give_equal_rates() -> None:
    position = decisions(GAMES["cathedral"], 3, 2)[7]
    assert first_rates(position, 1) == first_rates(position, 1) != first_rates(position, 2)


def test_a_deadline_in_the_past_finishes_no_search() -> None:
    estimator = RateEstimator(observe(decisions(GAMES["cathedral"], 2, 1)[0]))
    for _ in range(1000):
        estimator.step(1, deadline=0.0)
    assert estimator.rates() == ()


def test_one_point_more_is_worth_one_point_at_the_end() -> None:
    position = last_round(prize=3, seen=[1, 2, 3, 6], players=[(4, 0, [4]), (4, 6, [5])], moved=1)
    [rate] = first_rates(position)
    assert (rate.good, rate.amount) == ("points", 1)
    assert rate.margin == pytest.approx(1.0)
    assert rate.margin_error == pytest.approx(0.0)


def test_there_are_no_rates_at_a_chance_event() -> None:
    opening = GAMES["cathedral"].new(2, 1)
    assert RateEstimator.of(observe(opening)) is None
    assert rates_of(observe(opening), 1 << 40, 1) == ()


@pytest.mark.parametrize(
    ("amount", "before", "now", "expected"),
    [
        (1, [(0.1, 2.0)] * 4, [(0.1, 2.0)] * 4, Rate("gold", 1, 0.1, 0.0, 2.0, 0.0)),
        (-2, [(0.1, 2.0)] * 4, [(0.2, 4.0)] * 4, Rate("gold", -2, -0.1, 0.05, -2.0, 1.0)),
        (1, [(0.5, 0.0)] * 4, [(0.4, 0.0), (0.6, 0.0)] * 2, Rate("gold", 1, 0.5, 0.0577350269, 0.0, 0.0)),
    ],
)
def test_the_error_combines_repetitions_and_the_last_change(amount: int, before: Any, now: Any, expected: Rate) -> None:
    found = rate_of("gold", amount, before, now)
    assert found.amount == expected.amount
    for name in ("win_share", "win_share_error", "margin", "margin_error"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name))

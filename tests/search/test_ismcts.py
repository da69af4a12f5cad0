"""The search: reproducible, resumable, bounded, and right where the answer is known."""

import itertools
import math
import threading
import time

import pytest

from clerestory.engine import NATURE, State
from clerestory.engine.toy.rules import TOY
from clerestory.search.errors import BadLimit, HiddenFromSeat, NothingToDecide, WrongSeat
from clerestory.search.ismcts import Searcher
from clerestory.search.result import StopReason
from clerestory.search.root import observe
from tests.search.positions import decisions, last_round

START = decisions(TOY, 3, 1)[0]


def test_equal_seeds_give_equal_results() -> None:
    first, second, other = (Searcher(observe(START), seed=seed).run(iterations=1000) for seed in (4, 4, 5))
    assert first.lines == second.lines
    assert first.lines != other.lines


def test_slices_add_up_to_one_run() -> None:
    sliced = Searcher(observe(START), seed=9)
    for iterations in (1, 10, 89, 400):
        result = sliced.run(iterations=iterations)
    assert result.lines == Searcher(observe(START), seed=9).run(iterations=500).lines
    assert result.iterations == sliced.iterations == 500


def test_lines_tell_of_every_action_best_first() -> None:
    result = Searcher(observe(START), seed=1).run(iterations=777)
    assert {line.action for line in result.lines} == {action.text for action in START.legal_actions()}
    visits = [line.visits for line in result.lines]
    assert visits == sorted(visits, reverse=True)
    assert sum(visits) == result.iterations == 777
    assert all(line.availability == 777 for line in result.lines)
    assert all(math.isclose(sum(line.win_shares), 1) for line in result.lines)
    assert result.best == result.lines[0]


def test_one_iteration_leaves_actions_untried_with_value_zero() -> None:
    result = Searcher(observe(START), seed=1).run(iterations=1)
    assert [line.visits for line in result.lines][:2] == [1, 0]
    assert result.lines[-1].win_shares == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("seats", TOY.seats)
@pytest.mark.parametrize("seed", range(10))
def test_the_last_decision_is_solved(seats: int, seed: int) -> None:
    """Nobody acts after it, so each action's win share can be read off."""
    last = decisions(TOY, seats, seed)[-1]
    result = Searcher(observe(last), seed=seed).run(iterations=200)
    for line in result.lines:
        after = last.copy()
        after.play(line.action)
        assert line.win_shares == pytest.approx(after.returns())
    assert result.best.win_shares[last.turn] == max(line.win_shares[last.turn] for line in result.lines)


def solve(state: State, observer: int) -> float:
    """The win share of the observer when all seats see the dealt world: for positions where nothing hidden matters."""
    if state.over:
        return state.returns()[observer]
    values = []
    for action in state.legal_actions():
        after = state.copy()
        after.play(action)
        values.append(solve(after, observer))
    if state.turn == NATURE:
        return sum(odd * value for odd, value in zip(state.odds(), values, strict=True))
    return max(values) if state.turn == observer else min(values)


def test_a_game_solved_by_hand() -> None:
    """Two seats, round two, the prize is card 1: seat 1 leads 5 to 0 and has won whatever anybody plays."""
    position = last_round(prize=1, seen=[1, 4, 5], players=[(0, 0, [0, 0]), (5, 0, [2])], moved=0, feast=True)
    result = Searcher(observe(position), seed=1).run(iterations=500)
    assert all(line.win_shares == (0.0, 1.0) for line in result.lines)


def test_search_finds_the_move_that_wins() -> None:
    """Seat 0 decides last, one point behind: only its 6 beats the 5 on the table for a prize of 2."""
    position = last_round(prize=2, seen=[1, 2, 5], players=[(0, 0, [3, 6]), (1, 5, [0])], moved=1)
    result = Searcher(observe(position), seed=1).run(iterations=300)
    assert (result.best.action, result.best.win_shares) == ("play 6", (1.0, 0.0))
    assert all(line.win_shares == (0.0, 1.0) for line in result.lines[1:])


def test_values_approach_the_mean_over_worlds() -> None:
    """Seat 0's last decision but one is averaged over worlds no better than seeing them: a bound, not an equality."""
    position = decisions(TOY, 2, 2)[-2]
    observer = position.turn
    worlds = [position.observe(observer).deal(seed) for seed in range(300)]
    bound = sum(solve(world, observer) for world in worlds) / len(worlds)
    result = Searcher(observe(position), seed=2).run(iterations=20_000)
    assert result.best.win_shares[observer] == pytest.approx(bound, abs=0.1)


def test_memory_full_goes_on_with_what_it_has() -> None:
    big = decisions(TOY, 4, 1)[0]
    result = Searcher(observe(big), seed=1, max_bytes=1 << 16).run(iterations=20_000)
    assert result.memory_full
    assert result.iterations == 20_000
    assert sum(line.visits for line in result.lines) == 20_000
    assert result.tree_bytes <= 1 << 16
    assert not Searcher(observe(big), seed=1).run(iterations=100).memory_full


def test_time_is_a_limit_and_so_is_a_deadline() -> None:
    searcher = Searcher(observe(START), seed=1)
    assert searcher.run(seconds=0.01).stop_reason == StopReason.TIME
    assert searcher.run(deadline=time.monotonic() + 0.01, seconds=100.0).stop_reason == StopReason.TIME
    assert searcher.run(iterations=1, seconds=100.0).stop_reason == StopReason.ITERATIONS


def test_a_deadline_long_past_still_gives_an_answer() -> None:
    result = Searcher(observe(START), seed=1).run(deadline=0.0)
    assert result.iterations == 1
    assert result.stop_reason == StopReason.TIME


def test_stop_from_another_thread() -> None:
    searcher = Searcher(observe(START), seed=1)
    results = []
    thread = threading.Thread(target=lambda: results.append(searcher.run(seconds=100.0)))
    thread.start()
    searcher.stop()
    thread.join(timeout=60)
    assert [result.stop_reason for result in results] == [StopReason.STOPPED]
    assert searcher.run(iterations=3).stop_reason == StopReason.ITERATIONS


def test_a_running_search_refuses_a_second_caller() -> None:
    searcher = Searcher(observe(START), seed=1)
    searcher.run(iterations=1)
    thread = threading.Thread(target=lambda: searcher.run(seconds=100.0))
    thread.start()
    try:
        for _ in itertools.count():
            try:
                searcher.result()
            except RuntimeError as error:
                assert "running" in str(error)  # noqa: PT017
                break
        with pytest.raises(RuntimeError, match="running"):
            searcher.run(iterations=1)
    finally:
        searcher.stop()
        thread.join(timeout=60)


def test_no_result_before_the_first_run() -> None:
    with pytest.raises(RuntimeError, match="has not run"):
        Searcher(observe(START), seed=1).result()


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"seed": -1}, "seed"),
        ({"seed": 1 << 64}, "seed"),
        ({"seed": "1"}, "seed"),
        ({"seed": 1, "exploration": -0.1}, "exploration"),
        ({"seed": 1, "exploration": math.nan}, "exploration"),
        ({"seed": 1, "exploration": "much"}, "exploration"),
        ({"seed": 1, "growth": -0.1}, "growth"),
        ({"seed": 1, "growth": math.inf}, "growth"),
        ({"seed": 1, "max_bytes": 1000}, "max_bytes"),
        ({"seed": 1, "reward": "loss"}, "reward"),
        ({"seed": 1, "reward": ["win"]}, "reward"),
        ({"seed": 1, "playout": "perfect"}, "playout"),
        ({"seed": 1, "horizon": -1}, "horizon"),
        ({"seed": 1, "horizon": 2.5}, "horizon"),
        ({"seed": 1, "temperature": 0}, "temperature"),
        ({"seed": 1, "temperature": math.inf}, "temperature"),
        ({"seed": 1, "scale": 0}, "scale"),
        ({"seed": 1, "scale": "narrow"}, "scale"),
        ({"seed": 1, "prior_floor": -0.1}, "prior_floor"),
        ({"seed": 1, "prior_floor": 1.1}, "prior_floor"),
        ({"seed": 1, "priors": "visits"}, "priors"),
        ({"seed": 1, "choice": "luck"}, "choice"),
        ({"seed": 1, "deviations": -1}, "deviations"),
        ({"seed": 1, "sharpness": 0}, "sharpness"),
        ({"seed": 1, "sharpness": "sharp"}, "sharpness"),
    ],
)
def test_options_out_of_range(options: dict[str, object], field: str) -> None:
    with pytest.raises(BadLimit) as caught:
        Searcher(observe(START), **options)  # type: ignore[arg-type]
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("limits", "field"),
    [
        ({}, "limits"),
        ({"seconds": 0}, "seconds"),
        ({"seconds": -1.5}, "seconds"),
        ({"seconds": math.nan}, "seconds"),
        ({"deadline": math.nan}, "deadline"),
        ({"iterations": 0}, "iterations"),
        ({"iterations": 2.5}, "iterations"),
        ({"iterations": 9, "threads": 0}, "threads"),
        ({"iterations": 9, "threads": 257}, "threads"),
        ({"iterations": 9, "threads": "2"}, "threads"),
    ],
)
def test_limits_out_of_range(limits: dict[str, object], field: str) -> None:
    with pytest.raises(BadLimit) as caught:
        Searcher(observe(START), seed=1).run(**limits)  # type: ignore[arg-type]
    assert caught.value.field == field


def test_nothing_to_decide() -> None:
    over = decisions(TOY, 2, 1)[-1]
    over.play("fold")
    with pytest.raises(NothingToDecide, match="over"):
        Searcher(observe(over), seed=1)


def test_another_seats_turn() -> None:
    with pytest.raises(WrongSeat, match="seat 2 is not to decide"):
        Searcher(observe(START, 2), seed=1)
    assert Searcher(observe(START, 0), seed=1).run(iterations=1).seat == 0


def test_a_position_that_hides_the_seats_own_hand() -> None:
    with pytest.raises(HiddenFromSeat, match="seat 0"):
        Searcher(observe(START.observe(1)), seed=1)


# -- what one node is ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_every_iteration_is_counted_and_the_last_decision_solved(seed: int) -> None:
    for position in (START, decisions(TOY, 3, 1)[-1]):
        result = Searcher(observe(position), seed=seed).run(iterations=500, early=False)
        assert sum(line.visits for line in result.lines) == 500
        assert Searcher(observe(position), seed=seed).run(iterations=500, early=True).best.action
    after = decisions(TOY, 3, 1)[-1].copy()
    after.play(result.best.action)
    assert result.best.win_shares == pytest.approx(after.returns())

"""Levels: increasing iterations, decreasing noise, and plausible errors."""

from itertools import pairwise

import pytest

from clerestory.engine import GAMES, State
from clerestory.engine.tuning import Level, Manner
from clerestory.search.arena.bots import Budget, parse_bot
from clerestory.search.errors import BadLimit
from clerestory.search.levels import choose_line, level_of, liking_of
from clerestory.search.lines import Line
from tests.search.positions import decisions

POSITIONS = {name: decisions(GAMES[name], 2, 1)[3] for name in ("cathedral", "duel")}


def line(action: str, margin: float, visits: int = 10) -> Line:
    return Line(action, action, visits, 10, (0.5,), (0.1,), margin, 0.1, 0.5, 0.01, 0.4, -margin, (action,))


LINES = [line("best", 0.0), line("near", -1.0), line("far", -4.0), line("absurd", -40.0), line("untried", 9.0, 0)]


@pytest.mark.parametrize("name", GAMES)
def test_each_level_searches_more_and_errs_less(name: str) -> None:
    levels = [level_of(GAMES[name], number) for number in range(1, 9)]
    assert all(a.iterations < b.iterations and a.noise >= b.noise for a, b in pairwise(levels))
    assert levels[-1].noise == 0


def test_lines_that_the_search_hardly_visits_are_hardly_chosen() -> None:
    """Lines with a fifth of the most visits or more are equally visible; one with more points loses nothing."""
    lines = [line("best", 0.0, 100), line("seen", 2.0, 20), line("glimpsed", 5.0, 4)]
    taken = [choose_line(lines, Level(10, 0.5), seed).action for seed in range(3000)]
    assert [taken.count(one.action) / 3000 for one in lines] == pytest.approx([1 / 2.2, 1 / 2.2, 0.2 / 2.2], abs=0.03)


def test_small_losses_are_overlooked_more_often_than_large_ones_and_none_without_noise() -> None:
    assert all(choose_line(LINES, Level(10, 0.0), seed).action == "best" for seed in range(50))
    taken = [choose_line(LINES, Level(10, 2.0), seed).action for seed in range(3000)]
    counts = [taken.count(action) for action in ("best", "near", "far", "absurd", "untried")]
    assert counts[0] > counts[1] > counts[2] > 0
    assert counts[3:] == [0, 0]
    assert counts[1] / counts[0] == pytest.approx(0.6065, abs=0.08)  # exp(-1 / 2)


def test_a_liking_is_worth_the_points_that_it_names() -> None:
    """An action preferred by a point is chosen as if it lost a point less; unvisited actions are never chosen."""
    likes = Manner({"near": 1.5, "glimpsed": 9.0}, ("near",)).liking
    assert choose_line(LINES, Level(10, 0.0), 1, likes).action == "near"
    assert choose_line([*LINES, line("glimpsed", -1.0, 1)], Level(10, 0.0), 1, likes).action == "near"
    best = [choose_line(LINES, Level(10, 2.0), seed, likes).action for seed in range(3000)]
    assert best.count("near") / best.count("best") == pytest.approx(1.284, abs=0.12)  # exp(0.5 / 2)


def test_without_noise_a_liking_outweighs_only_lower_bounds() -> None:
    """It is weighed against lower bounds on the game's scale, among lines with half of the most visits or more."""
    likes = Manner({"liked": 1.5}, ("liked",)).liking
    best = line("best", 0.0, 100)
    for bound, visits, taken in ((0.36, 60, "liked"), (0.34, 60, "best"), (0.39, 45, "best"), (0.45, 60, "liked")):
        liked = line("liked", 9.0, visits).changed(lower_bound=bound)
        assert choose_line([best, liked], Level(10, 0.0), 1, likes, scale=30.0).action == taken


def test_a_character_without_likings_chooses_as_its_level() -> None:
    plain = [choose_line(LINES, Level(10, 2.0), seed).action for seed in range(300)]
    assert plain == [choose_line(LINES, Level(10, 2.0), seed, Manner({}, ()).liking).action for seed in range(300)]
    assert liking_of(GAMES["toy"], "mabel") is None


def test_the_first_pattern_that_fits_an_action_counts() -> None:
    manner = Manner({"build * * *": -1.0, "build *": 2.0}, ("build ? *",))
    assert [manner.liking(text) for text in ("build I beam beam", "build I", "end")] == [-1.0, 2.0, 0.0]
    assert [manner.shows(text) for text in ("build I beam", "end")] == [True, False]


@pytest.mark.parametrize("level", [1, 4, 8])
@pytest.mark.parametrize("position", POSITIONS.values(), ids=POSITIONS)
def test_a_level_caps_the_iterations_and_the_budget_only_bounds_them(position: State, level: int) -> None:
    bot = parse_bot(f"ismcts:level={level}")
    assert bot.choose(position, 1, Budget(seconds=3600.0)).iterations == level_of(position.game, level).iterations
    first, second = (bot.choose(position, 1, Budget(iterations=7)) for _ in range(2))
    assert (first.iterations, first.action) == (7, second.action)


@pytest.mark.parametrize("number", [0, 9, -1, 2.5, "3", None, True])
def test_other_levels_are_rejected(number: object) -> None:
    with pytest.raises(BadLimit) as caught:
        level_of(GAMES["toy"], number)  # type: ignore[arg-type]
    assert caught.value.field == "level"

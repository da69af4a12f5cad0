"""Tuning: SPSA steps lead towards options that win more, and a kill loses none."""

import math
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from clerestory.engine.rng import Rng
from clerestory.search.arena.errors import BadBot, BadMatch
from clerestory.search.arena.match import DealTask, GameResult
from clerestory.search.arena.pool import Crew, on_processes
from clerestory.search.arena.results import open_lines
from clerestory.search.arena.tune import (
    TunedOption,
    TuningPlan,
    TuningStep,
    best_point,
    confirming_match,
    options_of,
    read_steps,
    tune,
)
from clerestory.search.errors import BadLimit
from tests.search.arena.matches import inline, toy

EXPLORATION = TunedOption("exploration", 0.0, 2.0, whole=False)
TUNING = TuningPlan(toy, 2, "ismcts-plain:exploration=0.5", (EXPLORATION,), "random", "10it", seed=3, deals=2)


def steps_of(tuning: TuningPlan, steps: int, path: Path, crew: Crew = on_processes) -> list[TuningStep]:
    with open_lines(path, tuning.header()) as (file, lines), crew(1) as run:
        done = read_steps(lines, len(tuning.ranges))
        return [*done, *tune(tuning, steps, run, file, done)]


# -- convergence -----------------------------------------------------------------------------------


def finished(deal: int, seat: int, a_wins: bool) -> GameResult:
    won = [1.0, 0.0] if a_wins == (seat == 0) else [0.0, 1.0]
    return GameResult(deal, seat, won, won, None, 1, [1, 1], [0, 0], [0, 0])


def judged(task: DealTask) -> list[GameResult]:
    """Simulate games: a seat's chances depend on how close its options are to exploration 1.5 and deviations 3."""

    def strength(bot: str) -> float:
        given = {name: float(value) for name, value in options_of(bot).items()}
        return 4 ** -((given["exploration"] - 1.5) ** 2 + (given["deviations"] - 3) ** 2 / 9)

    a, b = map(strength, task.match.bots)
    share = a / (a + b)
    a_wins = Rng(task.deal).below(1000) < 1000 * share
    return [finished(task.deal, seat, a_wins) for seat in task.seats]


@pytest.mark.parametrize("against", [None, "ismcts-plain:exploration=1,deviations=4"])
def test_steps_lead_to_what_wins_more(against: str | None) -> None:
    """Games are won at random, and the planted optimum is found to within a sixth of the ranges."""

    def run(tasks: Iterator[DealTask]) -> Iterator[list[GameResult]]:
        return map(judged, tasks)

    ranges = (EXPLORATION, TunedOption("deviations", 0, 8, whole=True))
    tuning = replace(TUNING, bot="ismcts-plain:exploration=0.1,deviations=8", ranges=ranges, against=against, deals=20)
    steps = list(tune(tuning, 300, run, None))
    place = best_point(steps)
    assert place == pytest.approx([0.75, 3 / 8], abs=1 / 6)
    found = options_of(tuning.bot_at(place))
    assert "." not in found["deviations"]


def test_one_step_by_hand() -> None:
    """The side that explores more wins every game: from the middle, points 2 * 0.1 apart, gain 0.5 / 11 ** 0.602."""

    def run(tasks: Iterator[DealTask]) -> Iterator[list[GameResult]]:
        for task in tasks:
            a, b = (float(options_of(bot)["exploration"]) for bot in task.match.bots)
            yield [finished(task.deal, seat, a > b) for seat in task.seats]

    tuning = replace(TUNING, bot="ismcts-plain", against=None)
    (step,) = tune(tuning, 1, run, None)
    assert {step.plus, step.minus} == {"ismcts-plain:exploration=1.2", "ismcts-plain:exploration=0.8"}
    assert step.difference == (1 if step.plus.endswith("1.2") else -1)
    assert step.point == pytest.approx([min(0.5 + 0.5 / 11**0.602 / 0.2, 1)])


@pytest.mark.parametrize(("low", "high"), [(0, 1), (1, 4), (0, 100)])
def test_whole_numbers_are_distinguished(low: int, high: int) -> None:
    option = TunedOption("samples", low, high, whole=True)
    for step in (0, 10, 10_000):
        for tenth in range(11):
            span = option.span(step)
            place = min(max(tenth / 10, span), 1 - span)
            below, above = option.value(place - span), option.value(place + span)
            assert low <= below < above <= high


def test_the_best_point_is_the_mean_of_the_later_half_and_confirmed_on_other_deals() -> None:
    steps = [TuningStep(i, "", "", 0, [place]) for i, place in enumerate((0.9, 0.8, 0.2, 0.4))]
    assert best_point(steps) == pytest.approx([0.3])
    steps = [TuningStep(i, "", "", 0, [0.5]) for i in range(3)]
    match = confirming_match(TUNING, steps, 7)
    assert (match.seed, match.deals) == (3 + 3 * 2, 7)
    assert match.bots == ("ismcts-plain:exploration=1", "ismcts-plain:exploration=0.5")


# -- files -----------------------------------------------------------------------------------------


def test_more_steps_go_on_whatever_the_order_of_tasks(tmp_path: Path) -> None:
    few, many = tmp_path / "few.jsonl", tmp_path / "many.jsonl"
    steps_of(TUNING, 2, few)
    assert steps_of(TUNING, 5, few, inline) == steps_of(TUNING, 5, many)
    assert few.read_bytes() == many.read_bytes()


@pytest.mark.parametrize(
    ("change", "named"),
    [({"deals": 3}, "deals"), ({"seed": 4}, "seed"), ({"against": None}, "against"), ({"budget": "9it"}, "budget")],
)
def test_another_tunings_file_is_rejected(change: dict[str, Any], named: str, tmp_path: Path) -> None:
    path = tmp_path / "tune.jsonl"
    steps_of(TUNING, 1, path)
    with pytest.raises(BadMatch, match=rf"tune\.jsonl: {named} is"):
        steps_of(replace(TUNING, **change), 1, path)


@pytest.mark.parametrize(
    "change",
    [
        {"step": 3},
        {"plus": 1},
        {"more": 1},
        {"difference": "0"},
        {"difference": math.nan},
        *({"point": point} for point in ("x", None, [], -5, [9], [-0.5], ["0"], [None], [0.5, 0.5])),
    ],
)
def test_wrong_lines_are_rejected(change: dict[str, Any]) -> None:
    first = asdict(TuningStep(0, "greedy", "greedy", 0.0, [0.5]))
    with pytest.raises(BadMatch, match="line 3 is not step 1"):
        read_steps([first, first | {"step": 1} | change], 1)


# -- errors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["exploration", "exploration=1", "exploration=2..1", "x=1..1", "x=a..b", "=0..1", ""])
def test_ranges_that_are_none(text: str) -> None:
    with pytest.raises(BadMatch, match=r"like exploration=0\.1\.\.2"):
        TunedOption.parse(text)


def test_ranges_are_read() -> None:
    assert TunedOption.parse("exploration=0..2.0") == EXPLORATION
    assert TunedOption.parse("horizon=-3..60") == TunedOption("horizon", -3, 60, whole=True)


@pytest.mark.parametrize(
    ("change", "error", "named"),
    [
        ({"bot": "ismcts-plain:exploration=3"}, BadMatch, "exploration: the start, '3'"),
        ({"bot": "ismcts-plain:exploration=few"}, BadMatch, "'few'"),
        ({"bot": "nobody"}, BadBot, "'nobody'"),
        ({"against": "nobody"}, BadBot, "'nobody'"),
        ({"ranges": ()}, BadMatch, "options: none"),
        ({"ranges": (EXPLORATION, EXPLORATION)}, BadMatch, "exploration, exploration"),
        ({"ranges": (TunedOption("depth", 0, 2, whole=True),)}, BadBot, "depth"),
        ({"ranges": (TunedOption("exploration", -1, 2, whole=False),)}, BadLimit, "exploration"),
        ({"budget": "soon"}, BadLimit, "budget"),
    ],
)
def test_tunings_that_cannot_be(change: dict[str, Any], error: type[Exception], named: str) -> None:
    with pytest.raises(error, match=named):
        replace(TUNING, **change).rehearse()


def test_all_deals_of_a_tuning_need_a_seed() -> None:
    tuning = replace(TUNING, seed=2**64 - 10)
    tuning.rehearse(10)
    with pytest.raises(BadMatch, match="with seeds from 0 to"):
        tuning.rehearse(11)

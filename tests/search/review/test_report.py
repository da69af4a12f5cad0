"""The report: rounded numbers that still add up, a chart, and a self-contained page."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clerestory.engine import NATURE
from clerestory.figures import Rollouts
from clerestory.search.review import UNIT, Annotation, ReviewPlan, annotate
from clerestory.search.review.annotation import assemble
from clerestory.search.review.chart import Chart
from clerestory.search.review.ledger import in_units
from clerestory.search.review.report import report
from clerestory.search.review.words import BARS, TENTH, curve, ledger_rows, note, rolled, rounded, verdict, winners
from tests.search.review.games import cut, entry, random_game, same_examples

REVIEWED = [("toy", 2), ("toy", 4), ("duel", 2)]
SVG = re.compile(r"<svg .*?</svg>", re.DOTALL)


@cache
def reviewed(name: str, seats: int) -> Annotation:
    return annotate(random_game(name, seats, 1), ReviewPlan(iterations=50))


def planted() -> Annotation:
    """Return a game of `toy` in which seat 0 blunders, and a feast comes up."""
    end = cut(random_game("toy", 2, 1), 8)
    half = (500_000, 500_000)
    lucky = (600_000, 400_000)
    feast = replace(entry(2, NATURE, half, lucky, "feast"), round=1, action="feast", label="a <feast>")
    fold = replace(entry(3, 0, lucky, (450_000, 550_000)), round=1, action="fold", label="fold & keep")
    better = {"best": "play 6", "best_label": "play card 6", "reason": "At the end of the game it has 2 points more."}
    fold = replace(fold, points=2.04, stake=150_000, **better)  # type: ignore[arg-type]
    return assemble(end, ReviewPlan(), [feast, fold], in_units(half))


@same_examples
@given(st.lists(st.integers(-UNIT, UNIT), min_size=1, max_size=10))
def test_rounded_parts_add_up(parts: list[int]) -> None:
    total = sum(parts)
    tenths = rounded(parts, total)
    assert sum(tenths) == round(total / TENTH)
    assert all(abs(tenth * TENTH - part) < 2 * TENTH for tenth, part in zip(tenths, parts, strict=True))


@pytest.mark.parametrize(("name", "seats"), REVIEWED)
def test_every_column_adds_up_as_it_is_shown(name: str, seats: int) -> None:
    rows = [cells for _, cells in ledger_rows(reviewed(name, seats))]
    for *parts, total in zip(*rows, strict=True):
        assert sum(round(10 * float(part)) for part in parts) == round(10 * float(total))


def test_an_error_is_described_in_one_true_sentence() -> None:
    review = planted()
    [error] = review.errors()
    assert verdict(review, error) == (
        "Cost 15.0% of a win and 2.0 points. Better: play card 6. At the end of the game it has 2 points more."
    )
    assert verdict(review, replace(error, points=0.0, reason="")) == "Cost 15.0% of a win. Better: play card 6."
    assert winners(review, review.valuations[0]) == "+10.0 seat 0, -10.0 seat 1"


@pytest.mark.parametrize(("name", "seats"), REVIEWED)
@pytest.mark.parametrize("width", [960, 400])
def test_the_chart_is_sound_and_stays_in_its_frame(name: str, seats: int, width: int) -> None:
    chart = Chart(reviewed(name, seats), width, 300, 90)
    picture = ET.fromstring(chart.svg())
    areas = [area.attrib["points"].split() for area in picture.findall("polygon")]
    points = [tuple(map(float, point.split(","))) for area in areas for point in area]
    assert all(0 <= x <= width and 0 <= y <= chart.height for x, y in points)
    for upper, lower in pairwise(areas):  # shares sum to a win
        assert upper[: len(upper) // 2 - 1 : -1] == lower[: len(lower) // 2]
    assert len({area.attrib["fill"] for area in picture.findall("polygon")}) == len(areas) == seats
    for bar in picture.iter("rect"):
        assert 0 <= float(bar.attrib["y"]) <= float(bar.attrib["y"]) + float(bar.attrib["height"]) <= chart.height
    assert len(picture.findall(".//circle")) == len(reviewed(name, seats).errors())


def test_no_badge_covers_a_name_and_axes_say_what_they_are() -> None:
    """Error marks are placed where the area of the seat is tallest, except for one."""
    end, half = cut(random_game("toy", 2, 1), 24), (500_000, 500_000)
    wide = [replace(entry(ply, 0, (1_000_000, 0), (800_000, 200_000)), round=1, stake=10**6) for ply in range(4, 12)]
    chart = Chart(
        assemble(end, ReviewPlan(), [entry(1, NATURE, half, half, "feast"), *wide], in_units(half)), 960, 300, 90
    )
    picture = ET.fromstring(chart.svg())
    badges = [(float(one.attrib["cx"]), float(one.attrib["cy"])) for one in picture.iter("circle")]
    names = [one for one in picture.iter("text") if one.attrib["class"] == "name"]
    assert badges
    assert names
    for name in names:
        left, bottom = float(name.attrib["x"]), float(name.attrib["y"])
        right = left + 7 * len(name.text or "")
        assert not [1 for x, y in badges if left - 9 < x < right + 9 and bottom - 21 < y < bottom + 9]
    said = [one.text for one in picture.iter("text")]
    assert "75%" in said
    assert "share of the win after each move; on top: rounds" in said


def test_the_page_needs_nothing_else_and_says_what_it_must() -> None:
    page = report(planted())
    assert not re.search(r"(src|href|url\(|@import|<script)", page)
    assert "a &lt;feast&gt;" in page
    assert "<feast>" not in page
    assert "fold &amp; keep" in page
    assert page.count("??</text>") == 2  # in the wide chart and in the narrow one
    assert len(SVG.findall(page)) == 2
    assert "$" not in page
    assert "<p>None.</p>" not in page
    quiet = assemble(random_game("toy", 2, 1), ReviewPlan(), planted().valuations[:1], None)
    assert "<p>None.</p>" in report(quiet)


def test_a_curve_follows_the_share_of_a_seat() -> None:
    """From the shares before the first ply to the result, one bar for each part of the game."""
    end = random_game("duel", 2, 1)
    review = reviewed("duel", 2)
    curves = [curve(review, seat, 50) for seat in range(2)]
    assert [len(one) for one in curves] == [50, 50]
    assert {one[-1] for one in curves} == {"▁", "█"}  # a seat won
    assert curves[0] != curves[1]
    assert len(set(curves[0])) > 2
    assert curve(annotate(end.origin, ReviewPlan(iterations=50)), 0, 5) in {bar * 5 for bar in BARS}


def test_it_says_what_had_no_time_and_which_seat_the_game_favours() -> None:
    unrolled, untimed = replace(planted(), unrolled=1), "For 1 error there was too little time to play it to the end."
    favour = "The first player wins 62% of games between equals"
    for review, told in ((unrolled, untimed), (reviewed("duel", 2), favour)):
        assert told in note(review)
        assert told in report(review)
    assert "too little time" not in note(planted())
    assert "between equals" not in note(reviewed("toy", 2))


@pytest.mark.parametrize(
    ("found", "last", "doubts"),
    [
        (Rollouts(20, 0.001, 0.001, 0.001), 3, True),
        (Rollouts(20, 0.1, 0.001, 0.001), 3, False),
        (Rollouts(20, 0.001, 0.001, 0.001), 5, False),  # other plies of the plan may have lost the rest
    ],
)
def test_rollouts_doubt_an_error_only_if_they_start_after_all_of_it(found: Rollouts, last: int, doubts: bool) -> None:
    review = replace(planted(), rollouts={3: found}, spans={3: (3, last)})
    [error] = review.errors()
    assert ("There the error does not show." in rolled(review, error)) == doubts

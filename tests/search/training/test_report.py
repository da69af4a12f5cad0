"""The report has all figures of all generations, is well-formed, and loads and runs nothing."""

import re
from typing import Any
from xml.etree import ElementTree

import pytest

from clerestory.search.training.charts import Curve, chart, step_of
from clerestory.search.training.report import page

HEADER = {"game": "toy", "rules_revision": 1, "catalogue": "", "features": "ab12", "seed": 7}


def held_out(shift: float) -> dict[str, Any]:
    figures = {"positions": 600, "r2": 0.2, "log_loss": 0.6 + shift, "brier": 0.4, "ece": 0.01}
    table = [{"count": 300, "said": 0.3, "won": 0.28}, {"count": 300, "said": 0.7, "won": 0.72}]
    rounds = {str(number): {**figures, "log_loss": 0.7 - number / 10 + shift} for number in (1, 2, 3)}
    return {**figures, "reliability": table, "order": {"margin": 0.3, "odds": 0.31}, "rounds": rounds}


def match(opponent: str, passed: bool = True) -> dict[str, Any]:
    return {
        "seats": 2, "opponent": opponent, "budget": "10ms", "games": 120, "margin": 2.0, "llr": 3.0, "verdict": "H1",
        "score": {"mean": 0.8, "low": 0.7, "high": 0.9}, "elo": {"mean": 240.0, "low": 150.0, "high": 9999.0},
        "passed": passed,
    }  # fmt: skip


def priors() -> dict[str, Any]:
    guide, learned = {"top1": 0.3, "cross_entropy": 1.6}, {"top1": 0.414, "cross_entropy": 1.4}
    return {"decisions": 900, "guide": guide, "learned": learned}


def record(generation: int) -> dict[str, Any]:
    return {
        "generation": generation,
        "losses": [2.0, 1.5, 1.2],
        "held_out": {"2": held_out(0.1 / (generation + 1)), "4": held_out(0.7)},
        **({"priors": {"2": priors()}} if generation else {}),  # the first is of an earlier version
        "gate": {"passed": True, "matches": [match("ismcts:value=/some/where/value.net"), match("random & co")]},
    }


@pytest.mark.parametrize("generations", [0, 1, 3])
def test_the_page_is_well_formed_and_whole(generations: int) -> None:
    text = page(HEADER, [record(number) for number in range(generations)])
    ElementTree.fromstring(text.partition("\n")[2].replace('<meta charset="utf-8">', "").replace(
        '<meta name="viewport" content="width=device-width">', ""))  # fmt: skip
    assert text.count("80.0% [70.0%, 90.0%]") == 2 * generations
    assert text.count("<td>0.700</td>") == (generations > 0)  # log loss of generation 0
    assert text.count("<td>41.4%</td>") == max(generations - 1, 0)
    assert "/some/where" not in text
    assert not re.search(r"<script|src=|href=|url\(", text)


def test_a_chart_holds_every_point_inside_its_frame() -> None:
    curves = [
        Curve("a", [(1, 0.5), (2, 0.7), (3, 123.0)], [(0.4, 0.6), (0.6, 0.8), (100, 150)]),
        Curve("b", [(2, -40.0)]),
    ]
    tree = ElementTree.fromstring(chart("A & B", "x", "y", curves, whole=True))
    marks = [(float(mark.attrib["cx"]), float(mark.attrib["cy"])) for mark in tree.iter("circle")]
    assert len(marks) == 4
    assert all(58 <= x <= 446 and 34 <= y <= 214 for x, y in marks)
    assert marks[0][1] > marks[2][1]  # the vertical axis points up
    assert next(text.text for text in tree.iter("text")) == "A & B"


@pytest.mark.parametrize(("low", "high", "step"), [(0, 1, 0.2), (0, 4.9, 1), (-100, 900, 200), (5, 5, 2e-7)])
def test_ticks_are_round(low: float, high: float, step: float) -> None:
    assert step_of(low, high) == pytest.approx(step)

"""The explanations of the first games."""

import re
from pathlib import Path

import pytest

from clerestory.texts import patterns

STEP = re.compile(r"^\| `(\w+)` \| ([^|]*)\|", re.MULTILINE)  # a row of the table of steps
ENGINE = Path(__file__).parents[2] / "engine"


@pytest.mark.parametrize("game", ["cathedral", "duel"])
def test_every_decision_has_an_explanation(game: str) -> None:
    told = {key.rpartition(".")[2] for key in patterns("first") if key.startswith(f"first.{game}.")}
    steps = STEP.findall((ENGINE / game / "RULES.md").read_text().split("## 3.")[0].split("## 2.")[1])
    assert told - {"goal"} == {step for step, who in steps if who.strip() not in ("nature", "")}

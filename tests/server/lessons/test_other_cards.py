"""Lessons with other cards, each in a separate process: impossible lessons are withdrawn."""

import subprocess
import sys
from pathlib import Path

import pytest

from clerestory.engine.cathedral.data.catalogue import CathedralCatalogue
from tests.server.lessons.pupil import ALL

LESSONS = """
import sys
from clerestory.engine import game
CATHEDRAL = game("cathedral", catalogue=sys.argv[1])
from clerestory.server.lessons import lessons
print(*(one.name for one in lessons(CATHEDRAL)))
"""
NAMES = [one.name for one in ALL if one.game.name == "cathedral"]


@pytest.mark.system
@pytest.mark.parametrize(
    ("changes", "withdrawn"),
    [
        ({}, []),
        ({"gives = { vp = 1 }": "gives = { vp = 2 }"}, []),
        ({'"lose_vp", vp = 2': '"lose_vp", vp = 12'}, []),
        ({"takes = { sand = 3 }": "takes = { sand = 9 }"}, ["goal"]),
    ],
    ids=["shipped", "points", "event", "takes"],
)
def test_what_other_cards_rule_out_is_withdrawn(changes: dict[str, str], withdrawn: list[str], tmp_path: Path) -> None:
    text = CathedralCatalogue.shipped.read_text()
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    cards = tmp_path / "cards.toml"
    cards.write_text(text)
    done = subprocess.run([sys.executable, "-c", LESSONS, cards], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert [name for name in NAMES if name not in done.stdout.split()] == withdrawn

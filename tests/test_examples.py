"""The example positions are real: each occurs in a recorded game, and they cover every step."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from clerestory.engine import from_position, read_records

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
PROGRAMS = sorted([*EXAMPLES.rglob("*.py"), *(ROOT / "clients" / "examples").rglob("*.py")])
POSITIONS = sorted(EXAMPLES.glob("positions/*.json"))
OF_RECORDS = [path for path in POSITIONS if not path.name.startswith("toy")]
PLY = re.compile(r"^\| (\d+) \| `(.*?)` \|", re.MULTILINE)
PLIES = {name: int(ply) for ply, name in PLY.findall((EXAMPLES / "README.md").read_text())}


@pytest.mark.parametrize(("game", "times"), [("cathedral", "round"), ("duel", "phase")])
def test_examples_cover_player_counts_rounds_and_steps(game: str, times: str) -> None:
    states = [from_position(path.read_text()) for path in OF_RECORDS if path.name.startswith(f"{game}-")]
    found = [state.to_position()[game] for state in states]
    assert {state.seats for state in states} == set(states[0].game.seats)
    assert len({fields["step"] for fields in found}) >= 5
    assert len({fields[times] for fields in found}) >= 4


@pytest.mark.parametrize("path", OF_RECORDS, ids=lambda path: path.stem)
def test_position_comes_up_in_its_record(path: Path) -> None:
    position = from_position(path.read_text())
    name = "-".join(path.stem.split("-")[:2])
    (record,) = read_records((EXAMPLES / "records" / f"{name}.jsonl").read_text().splitlines())
    state, met = record.state.copy(history=True), False
    while state.history and not met:
        state.undo()
        met = state.turn == position.turn and state.observe(state.turn) == position
    assert met
    assert PLIES.get(path.stem, len(state.history)) == len(state.history)


def test_the_page_lists_every_position_of_the_card_game() -> None:
    assert PLIES.keys() == {path.stem for path in POSITIONS if path.name.startswith("duel")}


@pytest.mark.system  # it starts mypy
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_an_example_has_right_types(path: Path) -> None:
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", ROOT / ".mypy_cache", path]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout

"""The example positions are real: each comes up in a recorded game, and can be searched."""

from pathlib import Path

import pytest

from clerestory.engine import from_position, read_records
from clerestory.search import Searcher

EXAMPLES = Path(__file__).parents[1] / "examples"
RECORDS = sorted(EXAMPLES.glob("records/*.jsonl"))
POSITIONS = sorted(EXAMPLES.glob("positions/*.json"))
OF_RECORDS = [path for path in POSITIONS if path.name.startswith("cathedral")]


def test_there_are_some_of_every_player_count_and_of_several_steps() -> None:
    assert {path.name.split("-")[1] for path in OF_RECORDS} == {"2p", "3p", "4p"}
    assert len({from_position(path.read_text()).to_position()["cathedral"]["step"] for path in OF_RECORDS}) >= 5


@pytest.mark.parametrize("path", POSITIONS, ids=lambda path: path.stem)
def test_position_can_be_searched(path: Path) -> None:
    position = from_position(path.read_text())
    result = Searcher(position, seed=1).run(iterations=200)
    assert {line.action for line in result.lines} == {action.text for action in position.legal_actions()}


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

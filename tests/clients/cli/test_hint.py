"""`clerestory hint`: a ranked table, or the whole result for programs."""

import re
from functools import partial
from pathlib import Path

import pytest

from clerestory.cli.answers import remarks
from clerestory.cli.local_advisor import LocalAdvisor
from clerestory.engine import GAMES, from_position
from clerestory.v1 import advisor_pb2 as api
from tests.clients.cli.command import POSITIONS, run

EXAMPLE = POSITIONS / "cathedral-3p-round4-draft.json"
OF_BOTH = pytest.mark.parametrize(
    "example", [EXAMPLE, POSITIONS / "duel-2p-phase4-turn.json"], ids=["cathedral", "duel"]
)


hint = partial(run, "hint")


@OF_BOTH
def test_a_table_has_as_many_lines_as_asked_and_json_has_all(example: Path) -> None:
    position = from_position(example.read_text())
    legal = {action.text for action in position.legal_actions()}
    out = hint(example, "--time", "50ms", "--lines", 2).out
    assert sum(bool(re.search(f"│ {text} +│", out)) for text in legal) == 2
    assert f"{position.game.seat_name(position.turn)}:" in out
    answer = hint(example, "--time", "50ms", "--seed", 3, "--json").json
    assert ({line["action"]["text"] for line in answer["lines"]}, answer["seed"]) == (legal, "3")


def test_what_is_watched_in_a_pipe_comes_once_and_whole() -> None:
    out = hint(EXAMPLE, "--time", "100ms", "--watch", COLUMNS="60").out
    assert out.count("iterations in") == 1
    assert re.search(r"iterations in .{30,}; seed \d+\n$", out)


def test_a_search_that_was_too_short_is_said_to_be_so_and_nothing_of_longer_ones() -> None:
    with LocalAdvisor(1) as here:
        few, many = (here.recommend(EXAMPLE.read_bytes(), iterations=count, seed=1) for count in (2, 2000))
    names = [api.WarningReason.Name(warning.reason) for warning in few.message.warnings]
    assert names == ["WARNING_REASON_FEW_ITERATIONS"]
    told, told_of_many = " ".join(remarks(few)), " ".join(remarks(many))
    assert "Warning: Too few iterations (2) to compare" in told
    assert not many.warnings
    assert ["searches ten times longer" in one for one in (told, told_of_many)] == [False, True]


def test_the_limits_of_a_server_do_not_hold_here() -> None:
    """Any time, and as many threads as the command may search on."""
    with LocalAdvisor(18) as here:
        answer = here.recommend(EXAMPLE.read_bytes(), "7200s", iterations=18 * 50, threads=18)
    assert not answer.warnings
    assert answer.message.statistics.iterations == 18 * 50


@pytest.mark.parametrize(("game", "outcome"), [("cathedral", "advantage "), ("duel", "deal ")])
def test_a_chance_event_lists_its_outcomes(game: str, outcome: str) -> None:
    out = hint("-", "--time", "50ms", typed=GAMES[game].new(2, 1).to_json()).out
    assert "What may come up" in out
    assert outcome in out


@OF_BOTH
def test_the_best_line_has_a_reason(example: Path) -> None:
    out = run("recommend", example, "--iterations", 3000, "--seed", 3, "--lines", 2).out  # which shows it alike
    assert "looks" in out
    assert "would play the same line" in out

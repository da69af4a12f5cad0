"""`clerestory hint`: a ranked table, or the whole result for programs."""

import re
from functools import partial
from pathlib import Path

import pytest
from google.protobuf.json_format import ParseDict

from clerestory.cli.answers import remarks
from clerestory.cli.here import Here
from clerestory.engine import GAMES, NATURE, from_position
from clerestory.v1 import advisor_pb2 as api
from tests.cli.command import POSITIONS, run
from tests.shipped import CATHEDRAL

EXAMPLE = POSITIONS / "cathedral-3p-round4-draft.json"
OF_BOTH = pytest.mark.parametrize(
    "example", [EXAMPLE, POSITIONS / "duel-2p-phase4-turn.json"], ids=["cathedral", "duel"]
)


hint = partial(run, "hint")


@OF_BOTH
def test_json_holds_every_action_best_first(example: Path) -> None:
    answer = hint(example, "--time", "50ms", "--seed", 3, "--json").json
    legal = {action.text for action in from_position(example.read_text()).legal_actions()}
    assert {line["action"]["text"] for line in answer["lines"]} == legal
    assert answer["seed"] == "3"
    ParseDict(answer, api.RecommendMoveResponse())
    visits = [int(line["visits"]) for line in answer["lines"]]
    assert visits == sorted(visits, reverse=True)


@OF_BOTH
def test_table_shows_as_many_lines_as_asked(example: Path) -> None:
    position = from_position(example.read_text())
    out = hint(example, "--time", "50ms", "--lines", 2).out
    assert sum(bool(re.search(f"│ {action.text} +│", out)) for action in position.legal_actions()) == 2
    assert f"{position.game.seat_name(position.turn)}:" in out


def test_what_is_watched_in_a_pipe_comes_once_and_whole() -> None:
    out = hint(EXAMPLE, "--time", "100ms", "--watch", COLUMNS="60").out
    assert out.count("iterations in") == 1
    assert re.search(r"iterations in .{30,}; seed \d+\n$", out)


def test_an_answer_carries_the_warnings_of_a_server() -> None:
    with Here(1) as here:
        few, many = (here.recommend(EXAMPLE.read_bytes(), iterations=count, seed=1) for count in (2, 2000))
    names = [api.WarningReason.Name(warning.reason) for warning in few.message.warnings]
    assert names == ["WARNING_REASON_FEW_ITERATIONS"]
    assert any("Warning: Too few iterations (2) to compare" in remark for remark in remarks(few))
    assert not many.warnings


def test_a_search_that_was_too_short_says_nothing_of_longer_ones() -> None:
    with Here(1) as here:
        few, many = (here.recommend(EXAMPLE.read_bytes(), iterations=count, seed=1) for count in (1, 2000))
    told, told_of_many = " ".join(remarks(few)), " ".join(remarks(many))
    assert "1 iteration in " in told
    assert "searches ten times longer" not in told
    assert "searches ten times longer" in told_of_many


def test_the_limits_of_a_server_do_not_hold_here() -> None:
    """Any time, and as many threads as the command may search on."""
    with Here(18) as here:
        answer = here.recommend(EXAMPLE.read_bytes(), "7200s", iterations=18 * 50, threads=18)
    assert not answer.warnings
    assert answer.message.statistics.iterations == 18 * 50


def test_positions_that_cannot_be_searched_are_refused() -> None:
    assert hint("-", typed="{}").code == 2
    state = CATHEDRAL.new(2, 1)
    while not state.over:
        state.play(state.draw(1) if state.turn == NATURE else state.legal_codes()[-1])
    done = hint("-", typed=state.to_json())
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "over" in done.err


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

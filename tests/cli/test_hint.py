"""`clerestory hint`: a ranked table, or the whole result for programs."""

import json
import re
from pathlib import Path

import pytest
from google.protobuf.json_format import ParseDict
from typer.testing import CliRunner, Result

from clerestory.cli.answers import remarks
from clerestory.cli.here import Here
from clerestory.cli.main import app
from clerestory.cli.options import BadOption
from clerestory.clients import BadRequest, NotNow
from clerestory.engine import GAMES, NATURE, from_position
from clerestory.v1 import advisor_pb2 as api
from tests.shipped import CATHEDRAL

EXAMPLES = Path(__file__).parents[2] / "examples" / "positions"
EXAMPLE = EXAMPLES / "cathedral-3p-round4-draft.json"
OF_BOTH = pytest.mark.parametrize(
    "example", [EXAMPLE, EXAMPLES / "duel-2p-phase4-turn.json"], ids=["cathedral", "duel"]
)


def run(*arguments: str | Path, stdin: str | None = None, columns: int = 160) -> Result:
    return CliRunner().invoke(app, ["hint", *map(str, arguments)], input=stdin, env={"COLUMNS": str(columns)})


@OF_BOTH
def test_json_holds_every_action_best_first(example: Path) -> None:
    answer = json.loads(run(example, "--time", "50ms", "--seed", 3, "--json").output)
    legal = {action.text for action in from_position(example.read_text()).legal_actions()}
    assert {line["action"]["text"] for line in answer["lines"]} == legal
    assert answer["seed"] == "3"
    ParseDict(answer, api.RecommendMoveResponse())
    visits = [int(line["visits"]) for line in answer["lines"]]
    assert visits == sorted(visits, reverse=True)


@OF_BOTH
def test_table_shows_as_many_lines_as_asked(example: Path) -> None:
    position = from_position(example.read_text())
    output = run(example, "--time", "50ms", "--lines", 2).output
    assert sum(bool(re.search(f"│ {action.text} +│", output)) for action in position.legal_actions()) == 2
    assert f"{position.game.seat_name(position.turn)}:" in output


def test_watching_ends_with_the_table() -> None:
    output = run(EXAMPLE, "--time", "300ms", "--watch").output
    assert "iterations in" in output


def test_what_is_watched_in_a_pipe_comes_once_and_whole() -> None:
    output = run(EXAMPLE, "--time", "300ms", "--watch", columns=60).output
    assert output.count("iterations in") == 1
    assert re.search(r"iterations in .{30,}; seed \d+\n$", output)


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


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ((EXAMPLE, "--time", "soon"), BadOption),
        ((EXAMPLE, "--time", "0s"), BadOption),
        (("nowhere.json",), BadOption),
    ],
)
def test_wrong_input(arguments: tuple[str, ...], kind: type[Exception]) -> None:
    assert isinstance(run(*arguments).exception, kind)


def test_positions_that_cannot_be_searched() -> None:
    assert isinstance(run("-", stdin="{}").exception, BadRequest)
    state = CATHEDRAL.new(2, 1)
    while not state.over:
        state.play(state.draw(1) if state.turn == NATURE else state.legal_codes()[-1])
    assert isinstance(run("-", stdin=state.to_json()).exception, NotNow)


@pytest.mark.parametrize(("game", "outcome"), [("cathedral", "advantage "), ("duel", "deal ")])
def test_a_chance_event_lists_its_outcomes(game: str, outcome: str) -> None:
    output = run("-", "--time", "50ms", stdin=GAMES[game].new(2, 1).to_json()).output
    assert "What may come up" in output
    assert outcome in output


@OF_BOTH
def test_the_best_line_has_a_reason(example: Path) -> None:
    asked = ["recommend", str(example), "--iterations", "3000", "--seed", "3", "--lines", "2"]  # which shows it alike
    output = CliRunner().invoke(app, asked, env={"COLUMNS": "160"}).output
    assert "looks" in output
    assert "would play the same line" in output

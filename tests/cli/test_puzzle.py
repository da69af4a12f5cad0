"""`clerestory puzzle`: shows a position, and judges the tries."""

import json

import pytest
from typer.testing import CliRunner, Result

from clerestory.cli.main import app
from clerestory.cli.options import BadOption
from clerestory.review.puzzle import NoPuzzle, Puzzle, puzzle, puzzles
from tests.shipped import CATHEDRAL, DUEL


def called(*arguments: str, stdin: str | None = None) -> Result:
    game = [] if "--game" in arguments else ["--game", "duel"]
    return CliRunner().invoke(app, ["puzzle", *arguments, *game], input=stdin, env={"COLUMNS": "100"})


@pytest.fixture
def first() -> Puzzle:
    return puzzle(DUEL, 1)


def wrong(one: Puzzle) -> str:
    return max(one.losses, key=one.losses.__getitem__)


def planned() -> Puzzle:
    return next(one for one in puzzles(CATHEDRAL) if one.best.startswith("convert") and one.best.endswith("; finish"))


def test_it_is_shown_without_its_answer(first: Puzzle) -> None:
    shown = called("1", stdin="quit\n").output
    assert "Puzzle 1 of Builders Duel" in shown
    assert "is best" not in shown
    told = json.loads(called("1", "--json").output)
    assert told == {
        "puzzle": 1,
        "game": "duel",
        "level": first.level,
        "exact": first.exact,
        "seat": first.state.turn,
        "position": first.position,
    }


def test_one_tries_until_it_is_solved(first: Puzzle) -> None:
    shown = called("1", stdin=f"nonsense\n{wrong(first)}\n{first.best}\n").output
    assert "is neither a legal action nor a command" in shown
    assert f"No: that loses {100 * first.loss([wrong(first)]):.1f}% of a win." in shown
    assert f"({first.best}) is best" in shown


def test_who_is_sent_to_help_finds_it() -> None:
    shown = called("1", stdin="foo\nhelp\nh\nquit\n").output
    assert shown.count("type `help`") == 1
    assert shown.count("`show` for the answer, `quit` to leave.") == 3


def test_the_answer_is_told_when_it_is_asked_for(first: Puzzle) -> None:
    assert f"({first.best}) is best" in called("1", stdin="show\n").output
    assert "is best" not in called("1", stdin="").output


def test_a_try_is_judged_for_programs(first: Puzzle) -> None:
    right = json.loads(called("1", "--try", first.best, "--json").output)
    assert (right["right"], right["loss"], right["answer"]) == (True, 0.0, first.best)
    bad = json.loads(called("1", "--try", wrong(first), "--json").output)
    assert (bad["right"], bad["loss"]) == (False, first.loss([wrong(first)]))
    assert "No: that loses" in called("1", "--try", wrong(first)).output


def test_a_plan_is_typed_action_by_action_or_at_once() -> None:
    one = planned()
    shown = called(
        str(one.number), "--game", "cathedral", stdin="finish\n" + one.best.replace("; ", "\n") + "\n"
    ).output
    assert f"No: that loses {100 * one.losses['finish']:.1f}% of a win." in shown
    assert "The plan goes on." in shown
    assert f"({one.best}) is best" in shown
    told = json.loads(called(str(one.number), "--game", "cathedral", "--try", one.best, "--json").output)
    assert (told["right"], told["answer"]) == (True, one.best)


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("", "'' is no legal action there; there are "),
        (";", "';' is no legal action there; there are "),
        ("foo", "'foo' is no legal action there; there are "),
        ("buy wood 2", "'buy wood 2' is no legal action there; there are "),
        ("BEST x", "is no legal action there; there are "),
        ("BEST; foo", "'foo' is no legal action there; there are "),
        ("finish; finish", "'finish' comes after the end of the answer; leave it out"),
    ],
)
def test_what_is_no_plan_is_refused(typed: str, says: str) -> None:
    one = planned()
    beginning = one.best.split("; ")[0]
    done = called(str(one.number), "--game", "cathedral", "--try", typed.replace("BEST", beginning), "--json")
    assert isinstance(done.exception, BadOption)
    assert says in str(done.exception)
    assert done.output == ""


def test_the_beginning_of_a_plan_is_judged_by_the_best_that_goes_on_from_it() -> None:
    one = planned()
    told = json.loads(called(str(one.number), "--game", "cathedral", "--try", one.best.split("; ")[0], "--json").output)
    assert told["right"]


def test_one_is_drawn_that_fits() -> None:
    level = puzzles(DUEL)[-1].level
    found = [json.loads(called("--level", str(level), "--seed", str(seed), "--json").output) for seed in range(3)]
    assert {one["level"] for one in found} == {level}
    again = json.loads(called("--level", str(level), "--seed", "0", "--json").output)
    assert again == found[0]


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        (["100000"], NoPuzzle, "100000: duel has the puzzles 1 to"),
        (["1", "--try", "no such thing"], BadOption, "'no such thing' is no legal action"),
        (["1", "--try", f"{puzzle(DUEL, 1).best}; garbage"], BadOption, "'garbage' comes after the end of the answer"),
        (["1", "--level", "2"], BadOption, "--level: cannot be combined with the number of a puzzle"),
        (["1", "--seats", "2"], BadOption, "--seats: cannot be combined with the number of a puzzle"),
        (["1", "--seed", "0"], BadOption, "--seed: cannot be combined with the number of a puzzle"),
        (["--seats", "9"], BadOption, "no puzzle of duel has 9 players; leave out"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: list[str], error: type[Exception], says: str) -> None:
    done = called(*arguments)
    assert isinstance(done.exception, error)
    assert says in str(done.exception)

"""`clerestory lesson` and `puzzle`: lists and plays lessons; shows positions, and judges the tries."""

import re
from collections.abc import Callable
from functools import partial

import pytest

from clerestory.i18n import patterns
from clerestory.search.review.puzzle import Puzzle, puzzle, puzzles
from tests.clients.cli.command import Ended, run
from tests.shipped import CATHEDRAL, DUEL

lesson = partial(run, "lesson", COLUMNS="100")
solve = partial(run, "puzzle", "--game", "duel", COLUMNS="100")


def test_all_lessons_are_listed() -> None:
    shown = lesson().out
    assert "The Pillars of the Earth 1" in shown
    assert "Builders Duel 3" in shown
    assert "How points are made, and who wins." in shown


def test_a_lesson_is_played_with_a_mistake_begun_again_or_left() -> None:
    typed = [*[""] * 4, "restart", *[""] * 4, "convert mortar", "", "convert stone", "convert mason_1 2", "", ""]
    shown = lesson("goal", typed="\n".join([*typed, ""])).out
    assert "From the beginning." in shown
    assert "makes more of it. Try again." in shown
    assert shown.endswith("Done, with 2 of 3 stars.\n")
    assert "stars" not in lesson("goal", typed="\n\n\n\nquit\n").out
    assert "stars" not in lesson("goal", typed="").out


@pytest.mark.parametrize(
    ("begin", "typed", "says"),
    [
        (partial(lesson, "goal"), "\n\n\n\n", "`restart`, or `quit`."),
        (partial(solve, "1"), "", "`show` for the answer, `quit` to leave."),
    ],
    ids=["lesson", "puzzle"],
)
def test_help_is_shown_on_request_and_after_wrong_input(begin: Callable[..., Ended], typed: str, says: str) -> None:
    shown = begin(typed=typed + "foo\nhelp\nh\nquit\n").out
    assert shown.count("type `help`") == 1
    assert shown.count(says) == 3


def test_no_lesson_speaks_of_what_only_a_page_has() -> None:
    told = " ".join(map(str, patterns("lessons", "en").values()))
    assert re.findall(r"(?i)\b(?:press|click|tap|on the board)\b", told) == []


def solve_plan(one: Puzzle, *words: str, typed: str = "") -> Ended:
    return run("puzzle", one.number, "--game", "cathedral", *words, typed=typed)


@pytest.fixture
def first() -> Puzzle:
    return puzzle(DUEL, 1)


def wrong(one: Puzzle) -> str:
    return max(one.losses, key=one.losses.__getitem__)


def planned() -> Puzzle:
    return next(one for one in puzzles(CATHEDRAL) if one.best.startswith("convert") and one.best.endswith("; finish"))


def test_a_puzzle_is_shown_without_its_answer_unless_that_is_asked_for(first: Puzzle) -> None:
    shown = solve("1", typed="quit\n").out
    assert "Puzzle 1 of Builders Duel" in shown
    assert "is best" not in shown
    told = solve("1", "--json").json
    assert told == {
        "puzzle": 1,
        "game": "duel",
        "level": first.level,
        "exact": first.exact,
        "seat": first.state.turn,
        "position": first.position,
    }
    assert f"({first.best}) is best" in solve("1", typed="show\n").out
    assert "is best" not in solve("1", typed="").out


def test_a_player_tries_until_it_is_solved(first: Puzzle) -> None:
    shown = solve("1", typed=f"nonsense\n\n{wrong(first)}\n{first.best}\n").out
    assert "''" not in shown
    assert "is neither a legal action nor a command" in shown
    assert f"No: that costs {100 * first.loss([wrong(first)]):.1f}% of a win." in shown
    assert f"({first.best}) is best" in shown


def test_a_try_is_judged_for_programs(first: Puzzle) -> None:
    right = solve("1", "--try", first.best, "--json").json
    assert (right["right"], right["loss"], right["answer"]) == (True, 0.0, first.best)
    bad = solve("1", "--try", wrong(first), "--json").json
    assert (bad["right"], bad["loss"]) == (False, first.loss([wrong(first)]))
    assert "No: that costs" in solve("1", "--try", wrong(first)).out


def test_a_plan_is_typed_action_by_action_or_at_once() -> None:
    one = planned()
    shown = solve_plan(one, typed="finish\n" + one.best.replace("; ", "\n") + "\n").out
    assert f"No: that costs {100 * one.losses['finish']:.1f}% of a win." in shown
    assert "The plan goes on." in shown
    assert f"({one.best}) is best" in shown
    told = solve_plan(one, "--try", one.best, "--json").json
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
def test_text_that_is_not_a_plan_is_rejected(typed: str, says: str) -> None:
    one = planned()
    beginning = one.best.split("; ")[0]
    done = solve_plan(one, "--try", typed.replace("BEST", beginning), "--json")
    assert (done.code, done.out) == (2, "")
    assert says in done.err


def test_a_puzzle_is_drawn_that_fits() -> None:
    level = puzzles(DUEL)[-1].level
    found = [solve("--level", str(level), "--seed", str(seed), "--json").json for seed in range(3)]
    assert {one["level"] for one in found} == {level}
    again = solve("--level", str(level), "--seed", "0", "--json").json
    assert again == found[0]

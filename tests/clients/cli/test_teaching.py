"""`clerestory lesson`: lists the lessons, and plays one in the terminal."""

import re
from functools import partial

from clerestory.i18n import patterns
from tests.clients.cli.command import run

lesson = partial(run, "lesson", COLUMNS="100")


def test_all_lessons_are_listed() -> None:
    shown = lesson().out
    assert "The Pillars of the Earth 1" in shown
    assert "Builders Duel 3" in shown
    assert "How points are made, and who wins." in shown


def test_one_is_played_with_a_mistake_and_begun_again() -> None:
    typed = [*[""] * 4, "restart", *[""] * 4, "convert mortar", "", "convert stone", "convert mason_1 2", "", ""]
    shown = lesson("goal", typed="\n".join([*typed, ""])).out
    assert "From the beginning." in shown
    assert "makes more of it. Try again." in shown
    assert shown.endswith("Done, with 2 of 3 stars.\n")


def test_who_is_sent_to_help_finds_it() -> None:
    shown = lesson("goal", typed="\n\n\n\nfoo\nhelp\nh\nquit\n").out
    assert shown.count("type `help`") == 1
    assert shown.count("`restart`, or `quit`.") == 3


def test_it_can_be_left() -> None:
    assert "stars" not in lesson("goal", typed="\n\n\n\nquit\n").out
    assert "stars" not in lesson("goal", typed="").out


def test_no_lesson_speaks_of_what_only_a_page_has() -> None:
    told = " ".join(map(str, patterns("lessons", "en").values()))
    assert re.findall(r"(?i)\b(?:press|click|tap|on the board)\b", told) == []

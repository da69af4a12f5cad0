"""Reasons: outlooks that agree with play, and a sentence made of them."""

from dataclasses import replace

import numpy as np
import pytest

from clerestory.engine import GAMES, State
from clerestory.search import Line, Result, Searcher
from clerestory.search.reasons import explained, reason
from clerestory.search.result import Outlook
from tests.search.positions import decisions


def searched(position: State, seed: int = 1) -> tuple[Searcher, Result]:
    searcher = Searcher(position, seed=seed)
    return searcher, searcher.run(iterations=400)


@pytest.mark.parametrize("name", GAMES)
def test_every_feature_has_an_outlook_and_the_search_is_left_alone(name: str) -> None:
    for position in decisions(GAMES[name], 2, 4)[::9]:
        searcher, result = searched(position)
        told = searcher.explain(result, lines=3, worlds=20)
        for line in told.lines[:3]:
            assert {outlook.feature: outlook.now for outlook in line.outlook} == position.features(position.turn)
        assert all(line.outlook == () for line in told.lines[3:])
        assert searcher.result() == replace(result, elapsed=searcher.result().elapsed)
        assert searcher.explain(result, lines=3, worlds=20) == told


def test_what_is_already_sure_is_foreseen_exactly() -> None:
    """At the last decision of a game no luck is left: the outlook is what the action brings."""
    position = decisions(GAMES["toy"], 2, 3)[-1]
    searcher, result = searched(position)
    for line in searcher.explain(result).lines:
        after = position.copy()
        after.play(line.action)
        ends = after.features(position.turn)
        assert {outlook.feature: outlook.at_game_end for outlook in line.outlook} == pytest.approx(ends)


def test_the_end_of_the_round_comes_before_that_of_the_game() -> None:
    position = next(p for p in decisions(GAMES["cathedral"], 2, 4) if p.to_position()["cathedral"]["round"] == 2)
    searcher, result = searched(position)
    vp = next(outlook for outlook in searcher.explain(result).lines[0].outlook if outlook.feature == "vp")
    assert vp.now <= vp.at_round_end < vp.at_game_end


def test_worlds_end_with_their_plies() -> None:
    """The limit leaves one world at least, and is of whole worlds: two of them are more than one ply."""
    searcher, result = searched(decisions(GAMES["cathedral"], 2, 4)[0])
    assert searcher.explain(result, worlds=20, plies=0) == searcher.explain(result, worlds=1)
    some = searcher.explain(result, worlds=20, plies=2500)
    assert some == searcher.explain(result, worlds=20, plies=2500)
    assert some not in (searcher.explain(result, worlds=20), searcher.explain(result, worlds=1))
    assert searcher.explain(result, worlds=20, plies=10**6) == searcher.explain(result, worlds=20)


def test_outlooks_do_not_depend_on_hidden_cards() -> None:
    position = decisions(GAMES["cathedral"], 3, 2)[5]
    told = []
    for world in (position, position.observe(position.turn), position.observe(position.turn).deal(9)):
        searcher, result = searched(world)
        told.append(searcher.explain(result).lines)
    assert told[0] == told[1] == told[2]


# -- the sentence ----------------------------------------------------------------------------------


def line(action: str, margin: float, visits: int = 10, **ends: float) -> Line:
    outlook = tuple(Outlook(name, 0.0, value / 2, value) for name, value in ends.items())
    return Line(action, action, visits, 10, (0.5,), (0.1,), margin, 0.5, 0.01, 0.4, 0.0, (action,), None, outlook)


@pytest.mark.parametrize(
    ("best", "other", "sentence"),
    [
        (line("a", 2.0), line("b", 0.5), "'a' looks 1.5 points better than 'b'."),
        (line("a", 0.1), line("b", 0.0), "'a' looks about as good as 'b'."),
        (line("a", 0.0), line("b", 1.0), "'a' looks 1.0 points worse than 'b'."),
        (line("a", 0.0), line("b", 0.0, visits=0), "'b' was not tried."),
        (
            line("a", 2.0, vp_cards=3.0, gold=1.0, sand=0.1),
            line("b", 0.0, vp_cards=1.0, gold=5.0, sand=0.0),
            (
                "'a' looks 2.0 points better than 'b': -4.0 gold, +2.0 vp cards by the end of the game;"
                " -2.0 gold, +1.0 vp cards by the end of the round."
            ),
        ),
    ],
)
def test_sentences(best: Line, other: Line, sentence: str) -> None:
    assert reason(best, other) == sentence


def test_a_single_line_has_nothing_to_be_compared_with() -> None:
    forced = next(p for p in decisions(GAMES["cathedral"], 2, 1) if len(p.legal_codes()) == 1)
    searcher, result = searched(forced)
    assert searcher.explain(result).reason == ""
    assert result.certainty == 1.0
    assert explained(result, []).lines == result.lines


# -- certainty and arrays --------------------------------------------------------------------------


def test_certainty_grows_with_what_is_known() -> None:
    position = decisions(GAMES["toy"], 2, 3)[-1]
    certainties = [Searcher(position, seed=1).run(iterations=n).certainty for n in (2, 2000)]
    assert 0.0 <= certainties[0] <= certainties[1] <= 1.0


def test_arrays_hold_the_table() -> None:
    _, result = searched(decisions(GAMES["cathedral"], 3, 2)[5])
    table = result.arrays()
    assert table["action"].tolist() == [line.action for line in result.lines]
    assert table["visits"].sum() == result.iterations
    assert table["values"].shape == table["errors"].shape == (len(result.lines), 3)
    assert np.all(np.diff(table["visits"]) <= 0)
    assert table["loss"][0] == 0

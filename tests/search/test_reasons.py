"""Reasons: outlooks that agree with play, gains in paired worlds, and the resulting sentence."""

import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from clerestory.engine import GAMES, NATURE, State
from clerestory.search import Line, Result, Searcher
from clerestory.search.gains import Gain, deviations
from clerestory.search.reasons import LEAST_ERROR, Verdict, explained, holding, in_english, sentences, verdict_on
from clerestory.search.review.classes import class_of
from clerestory.search.review.ledger import UNIT
from clerestory.search.root import observe
from tests.engine.cathedral.scenes import changed, reach
from tests.search.positions import decisions, sole_decision
from tests.search.review.games import entry
from tests.shipped import CATHEDRAL
from tools.lab.reasons import RECORDS, ReasonTally, check, recorded_positions

WORTH_NAMING = 0.15  # points
ALIKES = Verdict.ALIKE, Verdict.ALIKE_BEHIND
EARLY = decisions(CATHEDRAL, 2, 4)[0]


def searched(position: State, seed: int = 1) -> tuple[Searcher, Result]:
    searcher = Searcher(observe(position), seed=seed)
    return searcher, searcher.run(iterations=400)


# -- outlooks --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_every_feature_has_an_outlook_no_line_gains_over_itself_and_the_search_is_left_alone(name: str) -> None:
    for position in decisions(GAMES[name], 2, 4)[::15]:
        searcher, result = searched(position)
        answer = searcher.explain(result, lines=3, worlds=20)
        for line in answer.lines[:3]:
            assert {outlook.feature: outlook.now for outlook in line.outlook} == position.features(position.turn)
        assert all(line.outlook == () for line in answer.lines[3:])
        _, gains = searcher.foresee([result.best.action] * 2, worlds=12)  # in the same worlds, with the same luck
        assert {(one.mean, one.error, one.worlds) for one in gains} == {(0.0, 0.0, 12)}
        assert searcher.result() == replace(result, elapsed=searcher.result().elapsed)
        assert searcher.explain(result, lines=3, worlds=20) == answer


def test_a_search_cannot_advance_while_it_is_explained() -> None:
    searcher, result = searched(EARLY)
    refused = False
    while not refused:  # the thread may end before this one runs again
        explaining = threading.Thread(target=searcher.explain, args=[result], kwargs={"worlds": 300})
        explaining.start()
        while explaining.is_alive():
            try:
                searcher.advance(observe(EARLY))
            except RuntimeError:
                refused = True
    searcher.advance(observe(EARLY))


def test_after_the_last_decision_the_outlook_is_exact() -> None:
    position = decisions(GAMES["toy"], 2, 3)[-1]
    searcher, result = searched(position)
    for line in searcher.explain(result).lines:
        after = position.copy()
        after.play(line.action)
        ends = after.features(position.turn)
        assert {outlook.feature: outlook.at_game_end for outlook in line.outlook} == pytest.approx(ends)


def test_the_end_of_the_round_comes_before_that_of_the_game() -> None:
    position = next(p for p in decisions(CATHEDRAL, 2, 4) if p.to_position()["cathedral"]["round"] == 2)
    searcher, result = searched(position)
    vp = next(outlook for outlook in searcher.explain(result).lines[0].outlook if outlook.feature == "vp")
    assert vp.now <= vp.at_round_end < vp.at_game_end


def test_worlds_end_with_their_plies() -> None:
    """The limit allows at least one whole world; two worlds have more than one ply."""
    searcher, result = searched(EARLY)
    assert searcher.explain(result, worlds=20, plies=0) == searcher.explain(result, worlds=1)
    some = searcher.explain(result, worlds=20, plies=2500)
    assert some == searcher.explain(result, worlds=20, plies=2500)
    assert some not in (searcher.explain(result, worlds=20), searcher.explain(result, worlds=1))
    assert searcher.explain(result, worlds=20, plies=10**6) == searcher.explain(result, worlds=20)


def test_a_single_line_has_no_reason() -> None:
    searcher, result = searched(sole_decision(CATHEDRAL))
    assert searcher.explain(result).reason == ""
    assert result.certainty == 1.0
    assert explained(result, [], [], WORTH_NAMING).lines == result.lines


@pytest.mark.parametrize("name", GAMES)
def test_the_first_feature_of_a_game_is_its_score(name: str) -> None:
    state = GAMES[name].new(2, 5)
    while not state.over:
        state.play(state.draw(5) if state.turn == NATURE else state.legal_codes()[-1])
    assert tuple(next(iter(state.features(seat).values())) for seat in range(state.seats)) == state.value()


# -- gains: differences in paired worlds -----------------------------------------------------------


def test_gains_are_differences_of_outlooks() -> None:
    searcher, result = searched(decisions(CATHEDRAL, 2, 4)[3])
    [first, second, *_], gains = searcher.foresee([line.action for line in result.lines[:3]], worlds=30)
    in_round = [a.at_round_end - b.at_round_end for a, b in zip(first, second, strict=True)]
    at_end = [a.at_game_end - b.at_game_end for a, b in zip(first, second, strict=True)]
    assert [one.mean for one in gains] == pytest.approx(in_round + at_end)


def test_differences_vary_less_in_paired_worlds() -> None:
    position = decisions(CATHEDRAL, 2, 4)[87]
    searcher, result = searched(position)
    actions = [line.action for line in result.lines[:2]]
    _, gains = searcher.foresee(actions, worlds=200)
    ends = [searched(position, 1000 * seed)[0].foresee(actions, worlds=1)[0][0][0].at_game_end for seed in range(200)]
    score = next(one for one in gains if one.at_game_end)
    assert score.error < 0.9 * (2 * np.var(ends) / len(ends)) ** 0.5


def test_the_largest_of_many_features_needs_more_than_one_alone() -> None:
    one = Gain("gold", True, 3.0, 1.0, 50)
    assert one.holds(1, WORTH_NAMING)
    assert not one.holds(20, WORTH_NAMING)


@pytest.mark.parametrize(("freedom", "table"), [(1, 63.657), (7, 3.499), (19, 2.861), (60, 2.660)])
def test_deviations_are_those_of_student(freedom: int, table: float) -> None:
    """The two-sided 1 % quantiles of printed tables."""
    assert deviations(0.01, freedom) == pytest.approx(table, abs=0.01)


@pytest.mark.slow
def test_reasons_hold_in_many_worlds() -> None:
    positions = [state.to_json() for state in recorded_positions(RECORDS, 300)]
    found = sum((check(position, 1, 2000, 100, 10) for position in positions), ReasonTally())
    assert found.differences > 20
    assert found.held >= 0.95 * found.differences
    assert found.leads_held >= 0.95 * found.leads


# -- the sentence ----------------------------------------------------------------------------------


def line(
    action: str, margin: float, visits: int = 10, error: float = 0.1, share: float = 0.5, share_error: float = 0.001
) -> Line:
    figures: Any = (visits, 10, (share,), (share_error,), margin, error, 0.5, 0.01, 0.4, 0.0)
    return Line(action, action.upper(), *figures, (action,))


def gains(
    worlds: int = 50, error: float = 0.01, at_end: dict[str, float] | None = None, **in_round: float
) -> list[Gain]:
    """Return gains in a game whose score feature is `points`."""
    at_end = {"points": 0.0} | (at_end or {})
    gains = [Gain(name, False, mean, error, worlds) for name, mean in ({"points": 0.0} | in_round).items()]
    return gains + [Gain(name, True, mean, error, worlds) for name, mean in at_end.items()]


AHEAD = line("a", 2.0), line("b", 0.0)
BETTER = "“A” looks 2 points better than “B”."
ALIKE = "“A” looks about as good as “B”."
ALIKE_BEHIND = "“A” looks about as likely to win as “B”, though with fewer points in the end."
LIKELIER = "“A” looks likelier to win than “B”."
LIKELIER_BEHIND = "“A” looks likelier to win than “B”, though with fewer points in the end."
UNSURE = "The search was too short to compare “A” with “B”."
LESS = "2 gold less at the end of the round, which pays off later."
NEEDED = "4 wood more, 2 gold less at the end of the round; but the Woodworker needs wood."
LAST = {"vp": 3.0, "vp_priory": 3.0, "stone": -2.0}  # in the last round, whose end is that of the game
CARDS = gains(at_end={"vp_cards": 2.0, "gold": -4.0, "sand": 0.1}, gold=-2.0, wood=4.0, vp_cards=2.0)


@pytest.mark.parametrize(
    ("lines", "gains", "sentence"),
    [
        ((line("a", 2.0), line("b", 0.5)), gains(), "“A” looks 1.5 points better than “B”."),
        ((line("a", 0.1), line("b", 0.0)), gains(), ALIKE),
        ((line("a", 2.0, error=0.5), line("b", 0.5)), gains(), ALIKE),
        ((line("a", 0.0), line("b", 1.0)), gains(), ALIKE_BEHIND),
        ((line("a", 0.0, share=0.6), line("b", 1.0)), gains(gold=-2.0), f"{LIKELIER_BEHIND} {LESS}"),
        ((line("a", 5.3, share=0.746, share_error=0.0), line("b", 5.2, share=0.71, share_error=0.002)), [], LIKELIER),
        ((line("a", 0.0, share=0.509), line("b", 0.0)), gains(), ALIKE),
        ((line("a", 0.0, share=0.519, share_error=0.004), line("b", 0.0)), gains(), ALIKE),
        ((line("a", 0.0, share=0.54, share_error=0.01), line("b", 0.0)), gains(gold=-2.0), UNSURE),
        ((line("a", 0.0, share=0.48), line("b", 0.0)), gains(gold=-2.0), UNSURE),
        ((line("a", 0.0), line("b", 0.0, visits=0)), gains(), "“B” was not tried."),
        (AHEAD, CARDS, f"{BETTER} {NEEDED}"),
        (AHEAD, gains(gold=-2.0), f"{BETTER} {LESS}"),
        (AHEAD, gains(at_end={"gold": 4.0}, error=1.5), BETTER),
        (AHEAD, gains(at_end={"gold": 4.0}, worlds=7), BETTER),
        (AHEAD, gains(at_end={"vp": -3.0, "gold": 4.0}), BETTER),
        (AHEAD, gains(at_end={"vp": 3.0, "gold": 4.0}), BETTER),
        (AHEAD, gains(vp=2.0, vp_craftsmen=1.6), f"{BETTER} 2 more points from craftsmen by the end of the round."),
        (AHEAD, gains(vp=2.0, vp_craftsmen=1.6, gold=3.0), f"{BETTER} 3 gold more at the end of the round."),
        (AHEAD, gains(at_end=LAST, **LAST), f"{BETTER} 3 more points from the Priory by the end of the game."),
        (AHEAD, gains(at_end={"vp_priory": -3.0}), BETTER),
    ],
)
def test_sentences(lines: tuple[Line, Line], gains: list[Gain], sentence: str) -> None:
    told = sentences(*lines, holding(gains, CATHEDRAL.tuning.worth_naming), CATHEDRAL.new(2, 1), 0)
    assert in_english(told, "cathedral") == sentence


def test_what_an_action_brings_is_named_if_a_card_lacks_it_and_the_other_action_brings_none() -> None:
    view, pair = reach("draft"), [line("take stone_3", 2.0), line("take wood_2", 0.0)]
    assert in_english(sentences(*pair, [], view, 0)[1:], "cathedral") == "3 stone for the Stonecutter."
    assert sentences(pair[0], line("take stone_4", 0.0), [], view, 0)[1:] == ()
    assert sentences(*pair[::-1], [], changed(view, red={"craftsmen": ["stonecutter"]}), 0)[1:] == ()


def test_a_difference_is_named_from_the_size_on_that_the_game_says() -> None:
    ahead = line("a", 2.0), line("b", 0.5)
    assert [verdict_on(*ahead, 0, least) for least in (1.5, 1.6)] == [Verdict.AHEAD, Verdict.ALIKE]


@pytest.mark.parametrize("loss", [0, LEAST_ERROR / 2, LEAST_ERROR, 0.05, 0.2])
@pytest.mark.parametrize("error", [0.0, 0.01])
def test_no_hint_calls_alike_what_a_review_calls_an_error(loss: float, error: float) -> None:
    verdict = verdict_on(
        line("a", 0.0, share=0.6, share_error=error), line("b", 0.0, share=0.6 - loss), 0, WORTH_NAMING
    )
    played = entry(1, 0, (600_000, 400_000), (600_000 - round(loss * UNIT), 400_000 + round(loss * UNIT)))
    assert (verdict in ALIKES) <= (class_of(played, 0) == "")


# -- arrays --------------------------------------------------------------------------


def test_arrays_hold_the_table() -> None:
    _, result = searched(decisions(CATHEDRAL, 3, 2)[5])
    table = result.arrays()
    assert table["action"].tolist() == [line.action for line in result.lines]
    assert table["visits"].sum() == result.iterations
    assert table["win_shares"].shape == table["standard_errors"].shape == (len(result.lines), 3)
    assert np.all(np.diff(table["visits"]) <= 0)
    assert table["loss"][0] == 0

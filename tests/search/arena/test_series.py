"""The report of a match: scores of whole deals, and the verdict of a sequential test."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain

import pytest

from clerestory.search.arena.match import GameResult, Match
from clerestory.search.arena.results import open_results
from clerestory.search.arena.series import report, scores
from clerestory.search.arena.statistics import Sprt, SprtVerdict
from tests.search.arena.matches import MATCH, cathedral, played, run


def test_report_by_hand() -> None:
    """Deal 4: A wins once of two; deal 5: twice; deal 6 lacks a seating."""
    match = replace(MATCH, seats=2, deals=3)
    with open_results(None, match) as results:
        assert report(match, results) is None
        for game in (
            played(4, 0, [1.0, 0.0]),
            played(4, 1, [1.0, 0.0]),
            played(5, 0, [1.0, 0.0]),
            played(5, 1, [0.0, 1.0]),
            played(6, 0, [0.0, 1.0]),
        ):
            results.add(game)
        outcome = report(match, results)
        assert scores(results.of(match), 2) == [0.5, 1.0]
    assert outcome is not None
    assert (outcome.games, outcome.deals, outcome.score.mean, outcome.margin.mean) == (5, 2, 0.75, 2.0)
    assert (outcome.a.score, outcome.b.score, outcome.a.value) == (0.75, 0.25, None)
    assert (outcome.a.ms_per_move, outcome.b.ms_per_move) == (500, 500)  # A: 0.5 + 1.5 + 0.5 + 1.5 s in 8 moves
    assert (outcome.llr, outcome.verdict) == (None, None)


def test_a_decided_test_ends_the_match() -> None:
    match = replace(MATCH, load=cathedral, seats=2, bots=("expectimax:samples=1", "random"), deals=200)
    outcome, games = run(match, sprt=Sprt(0, 400))
    assert outcome.verdict == SprtVerdict.H1
    assert outcome.games == len(games) < 100


def whole(deal: int, *, won: bool) -> list[GameResult]:
    return [played(deal, seat, [float((here == seat) == won) for here in range(2)]) for seat in range(2)]


def verdict_of(match: Match, games: Iterable[GameResult]) -> tuple[SprtVerdict | None, float | None]:
    with open_results(None, match) as results:
        for game in games:
            results.add(game)
        outcome = report(match, results, Sprt(0, 100))
        assert outcome is not None
        return outcome.verdict, outcome.llr


def test_what_comes_after_the_deal_that_decides_does_not_change_the_verdict() -> None:
    """A wins 30 deals; 40 deals that B wins were still in progress."""
    match = replace(MATCH, seats=2, seed=0, deals=100)
    deals = [whole(deal, won=deal < 30) for deal in range(70)]
    verdicts = [verdict_of(match, chain(*deals[: number + 1])) for number in range(70)]
    decided = next(deal for deal, (verdict, _) in enumerate(verdicts) if verdict == SprtVerdict.H1)
    assert decided < 30
    assert set(verdicts[decided:]) == {verdicts[decided]}
    assert {verdict for verdict, _ in verdicts[:decided]} == {SprtVerdict.OPEN}


def test_deals_count_in_the_order_of_their_seeds() -> None:
    """In order of finishing, quick deals would count first, and others in each run."""
    match = replace(MATCH, seats=2, seed=0, deals=40)
    games = [game for deal in range(40) for game in whole(deal, won=deal < 20)]
    found = {verdict_of(match, order) for order in (games, games[::-1], games[20:] + games[:20])}
    assert [verdict for verdict, _ in found] == [SprtVerdict.H1]
    assert verdict_of(match, games[2:]) == (SprtVerdict.OPEN, 0.0)  # the first deal is still in progress


def test_a_stronger_bot_scores_more() -> None:
    match = replace(MATCH, load=cathedral, seats=4, bots=("greedy:samples=1", "random"), deals=5)
    outcome, _ = run(match)
    assert outcome.score.low > 0.25
    assert outcome.elo.low > 0
    assert outcome.a.value is not None
    assert outcome.b.value is not None
    assert outcome.a.value > outcome.b.value
    assert outcome.a.score + 3 * outcome.b.score == pytest.approx(1)

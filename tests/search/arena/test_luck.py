"""Results without luck: they have the mean of the results for any value, with less noise."""

from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from clerestory.engine import GAMES
from clerestory.engine.core import NATURE, State
from clerestory.engine.rng import Rng
from clerestory.engine.toy.rules import TOY
from clerestory.search.arena.errors import BadMatch
from clerestory.search.arena.luck import ShareValue, luck_of, luck_of_game
from clerestory.search.arena.match import Match, play_game
from clerestory.search.arena.results import open_results
from clerestory.search.arena.series import play_match, report
from tests.laws import walk
from tests.search.arena.matches import cathedral, toy


def wrong(state: State) -> list[float]:
    """Return an arbitrary value: it depends on every byte that an onlooker sees, and is unrelated to the game."""
    share = Rng(state.key(NATURE)).unit()
    return [share, 3 - 2 * share, *[share * share] * (state.seats - 2)]


@pytest.mark.parametrize(("name", "seats"), [("toy", 2), ("cathedral", 2), ("cathedral", 4), ("duel", 2)])
def test_the_luck_of_an_event_is_0_in_the_mean(name: str, seats: int) -> None:
    """Over the outcomes with their true probabilities, up to rounding, with a wrong value."""
    for event in walk(GAMES[name], seats, 5):
        if event.turn != NATURE:
            continue
        view = event.observe(NATURE)
        lucks = [luck_of(event, code, wrong) for code in view.legal_codes()]
        for seat in range(seats):
            assert sum(p * luck[seat] for p, luck in zip(view.odds(), lucks, strict=True)) == pytest.approx(0, abs=1e-9)


def random_game(seats: int, seed: int) -> State:
    *_, state = walk(TOY, seats, seed)
    return cast(State, state)


def test_a_value_that_knows_nothing_finds_no_luck() -> None:
    constant: ShareValue = lambda state: [1 / state.seats] * state.seats  # noqa: E731
    assert luck_of_game(random_game(3, 1), constant) == pytest.approx([0.0] * 3)


MATCH = Match(cathedral, 2, ("greedy:value=net,samples=1", "greedy:samples=1"), "1it", seed=40, deals=6, luck="net")


def test_a_match_reports_results_without_luck(tmp_path: Path) -> None:
    """The games are the same as without luck, and so is their score share within its interval."""
    with open_results(tmp_path / "games.jsonl", MATCH) as results:
        for _ in play_match(MATCH, results, workers=1):
            pass
        outcome = report(MATCH, results)
    with open_results(tmp_path / "games.jsonl", MATCH) as again:
        assert report(MATCH, again) == outcome
    assert outcome is not None
    assert outcome.adjusted is not None
    assert outcome.score.low < outcome.adjusted.mean < outcome.score.high
    plain = play_game(replace(MATCH, luck=""), 40, 0)
    measured = play_game(MATCH, 40, 0)
    assert plain is not None
    assert measured is not None
    assert replace(measured, luck=None, seconds=[]) == replace(plain, seconds=[])


@pytest.mark.parametrize(
    ("match", "reason"),
    [
        (replace(MATCH, luck="hand"), "luck: 'hand' has no win shares; name a learned value"),
        (replace(MATCH, luck="nothing"), "luck: 'nothing' is neither a value of cathedral"),
        (replace(MATCH, load=toy, luck="net"), "luck: 'net' is neither a value of toy"),
    ],
)
def test_a_value_that_cannot_measure_luck_is_rejected(match: Match, reason: str) -> None:
    with pytest.raises(BadMatch, match=reason):
        match.rehearse()

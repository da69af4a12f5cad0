"""The figures of a line: errors, bounds, margins, losses, the principal variation, and the choice of the best line."""

import hashlib
import math

import pytest

from clerestory.engine import GAMES, NATURE, State
from clerestory.engine.toy.rules import TOY
from clerestory.search.estimates import sharpened
from clerestory.search.ismcts import Searcher
from clerestory.search.lines import Line
from clerestory.search.options import WELL_VISITED
from clerestory.search.result import Result
from clerestory.search.root import observe
from tests.search.options import CHOICES
from tests.search.oracle import ismcts
from tests.search.positions import decisions

START = decisions(TOY, 3, 1)[0]
GOLDEN = "99950a2ce505dad8"


def signature(result: Result) -> str:
    """One number for all results of a search; it changes only with its behaviour."""
    lines = [
        (line.action, line.visits, line.availability, line.win_shares, line.principal_variation)
        for line in result.lines
    ]
    return hashlib.sha256(repr(lines).encode()).hexdigest()[:16]


def test_golden_signature() -> None:
    assert signature(Searcher(observe(START), seed=1).run(iterations=2000)) == GOLDEN


@pytest.mark.parametrize("options", CHOICES, ids=str)
@pytest.mark.parametrize(
    "position",
    [START, decisions(GAMES["cathedral"], 3, 2)[20], decisions(GAMES["duel"], 2, 2)[20]],
    ids=["toy", "cathedral", "duel"],
)
def test_every_option_is_reproducible_and_sums_up(options: dict[str, object], position: State) -> None:
    results = [Searcher(observe(position), seed=seed, **options).run(iterations=500) for seed in (4, 4, 5)]  # type: ignore[arg-type]
    assert results[0].lines == results[1].lines != results[2].lines
    assert sum(line.visits for line in results[0].lines) == 500
    for line in results[0].lines:
        assert math.isclose(sum(line.win_shares), 1) if line.visits else sum(line.win_shares) == 0
        assert 0 <= line.score <= 1
        assert line.lower_bound <= line.score
        assert line.loss == (results[0].best.margin - line.margin if line.visits else 0)
        assert math.isfinite(line.margin_error) == (line.visits > 1)


@pytest.mark.parametrize("options", CHOICES[1:6], ids=str)
def test_every_option_of_the_search_changes_what_it_finds(options: dict[str, object]) -> None:
    position = decisions(GAMES["cathedral"], 3, 2)[20]
    plain, other = (Searcher(observe(position), seed=4, **given).run(iterations=500) for given in ({}, options))  # type: ignore[arg-type]
    assert {line.action: line.visits for line in plain.lines} != {line.action: line.visits for line in other.lines}


@pytest.mark.parametrize("seed", range(4))
def test_errors_and_margins_of_the_last_decision(seed: int) -> None:
    """Nobody acts after it: margins can be read off, and nothing varies."""
    last = decisions(TOY, 3, seed)[-1]
    for line in Searcher(observe(last), seed=seed).run(iterations=200).lines:
        after = last.copy()
        after.play(line.action)
        assert line.margin == after.margins()[last.turn]
        assert line.standard_errors == pytest.approx((0, 0, 0), abs=1e-3)


def test_errors_are_those_of_shares() -> None:
    """With two seats and no ties a share is 0 or 1, so its error follows from the mean."""
    position = decisions(GAMES["cathedral"], 2, 1)[0]
    line = Searcher(observe(position), seed=1).run(iterations=3000).best
    mean = line.win_shares[0]
    assert line.standard_errors == pytest.approx((math.sqrt(mean * (1 - mean) / (line.visits - 1)),) * 2, rel=0.05)
    assert line.score == line.win_shares[position.turn]
    assert line.lower_bound == pytest.approx(line.score - 2 * line.standard_errors[position.turn])


def test_before_the_second_visit_nothing_is_sure() -> None:
    once, never = Searcher(observe(START), seed=1).run(iterations=1).lines[:2]
    assert once.standard_errors == never.standard_errors == (0.5, 0.5, 0.5)
    assert (never.score, never.margin, never.lower_bound) == (0.0, 0.0, -1.0)


def test_margin_reward_takes_the_greater_win() -> None:
    """Seat 0 decides last and leads 9 to 0: every play wins, only its 6 takes the prize of 2 as well."""
    fields = {
        "round": 2, "step": "play", "moved": 1, "prize": 2, "feast": False, "seen": [1, 2, 5], "deck": [],
        "players": [{"points": 9, "played": 0, "hand": [3, 6]}, {"points": 0, "played": 5, "hand": [0]}],
    }  # fmt: skip
    position = TOY.from_position({"rules_revision": 1, "toy": fields})
    for reward, score in (("margin", 0.5 + 11 / 22), ("mix", 1.0)):
        result = Searcher(observe(position), seed=1, reward=reward, scale=22).run(iterations=300)
        assert (result.best.action, result.best.margin, result.best.score) == ("play 6", 11.0, score)
        assert all(line.win_shares == (1.0, 0.0) and line.margin == 7.0 for line in result.lines[1:])
        assert result.best.visits > 2 * result.lines[1].visits


def test_a_horizon_of_none_left_takes_the_guides_value() -> None:
    position = decisions(TOY, 2, 3)[0]
    for line in (
        Searcher(observe(position), seed=1, horizon=0, temperature=5.0)
        .run(iterations=len(position.legal_codes()))
        .lines
    ):
        after = position.copy()
        after.play(line.action)
        ours, theirs = after.value()
        assert line.win_shares[0] == pytest.approx(1 / (1 + math.exp((theirs - ours) / 5.0)))
        assert line.margin == pytest.approx((ours, theirs)[position.turn] - (theirs, ours)[position.turn], abs=1e-5)


def test_a_horizon_past_the_end_plays_to_the_end() -> None:
    plain, far = (Searcher(observe(START), seed=2, horizon=horizon).run(iterations=300) for horizon in (None, 10_000))
    assert plain.lines == far.lines
    assert {line.action: (line.visits, line.availability, line.win_shares) for line in far.lines} == ismcts(
        START, 2, 300
    )


@pytest.mark.parametrize(
    "position",
    [START, decisions(GAMES["cathedral"], 2, 1)[3], decisions(GAMES["duel"], 2, 1)[3]],
    ids=["toy", "cathedral", "duel"],
)
def test_choice_by_bound_is_among_the_well_visited(position: State) -> None:
    by_visits, by_bound = (
        Searcher(observe(position), seed=3, choice=choice).run(iterations=700) for choice in ("visits", "bound")
    )
    assert {line.action: line.visits for line in by_visits.lines} == {
        line.action: line.visits for line in by_bound.lines
    }
    most = by_visits.best.visits
    well = [line for line in by_bound.lines if line.visits >= WELL_VISITED * most]
    assert by_bound.lines[: len(well)] == tuple(sorted(well, key=lambda line: -line.lower_bound))
    assert len(well) > 1


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seed", range(3))
def test_variations_are_legal_in_a_world_that_agrees(name: str, seed: int) -> None:
    lengths = []
    for position in decisions(GAMES[name], max(GAMES[name].seats), seed)[::7]:
        view = position.observe(position.turn)
        for line in Searcher(observe(position), seed=seed, max_bytes=1 << 22).run(iterations=600).lines:
            assert line.principal_variation[0] == line.action
            assert any(replays(view.deal(world), line.principal_variation) for world in range(200))
            lengths.append(len(line.principal_variation))
    assert max(lengths) > 2


def replays(world: State, variation: tuple[str, ...]) -> bool:
    """Whether a variation can be played in this world; chance events in it must have one outcome only."""
    for text in variation:
        legal = [action.text for action in world.legal_actions()]
        if text not in legal or (world.turn == NATURE and len(legal) > 1):
            return False
        world.play(text)
    return True


def test_a_variation_follows_the_most_visited() -> None:
    """If the same seat decides again, the variation continues with the choice of the kept tree."""
    for found in decisions(GAMES["cathedral"], 2, 1)[:60]:
        searcher = Searcher(observe(found), seed=1)
        variation = searcher.run(iterations=600).best.principal_variation
        after = found.copy()
        after.play(variation[0])
        if len(variation) > 1 and after.turn == found.turn and len(after.legal_codes()) > 1:
            break
    searcher.advance(observe(after))
    known = searcher.run(iterations=1)
    assert known.reused_iterations > 1
    assert known.best.action == variation[1]


@pytest.mark.parametrize("sharpness", [0.5, 1.0, 2.0])
def test_shares_are_told_sharpened_and_searched_as_they_are(sharpness: float) -> None:
    """The odds between any two seats are raised to the exponent; nothing else that is found changes."""
    position = decisions(GAMES["cathedral"], 3, 2)[20]
    plain, sharp = (Searcher(observe(position), seed=4, sharpness=one).run(iterations=500) for one in (1.0, sharpness))
    for line, other in zip(plain.lines, sharp.lines, strict=True):
        assert (line.action, line.visits, line.score) == (other.action, other.visits, other.score)
        assert math.isclose(sum(other.win_shares), 1) if line.visits else sum(other.win_shares) == 0
        if all(line.win_shares):
            odds, raised = (one.win_shares[0] / one.win_shares[1] for one in (line, other))
            assert raised == pytest.approx(odds**sharpness)


@pytest.mark.parametrize("ply", [6, 60])
def test_fitted_shares_are_those_of_the_iterations_so_far_and_the_round(ply: int) -> None:
    """Also in a search that goes on, and in one that begins with what an earlier search knew."""
    position = decisions(GAMES["cathedral"], 2, 2)[ply]
    round_ = position.round_number()
    assert (round_ == 1) == (ply == 6)
    plain, fitted = (Searcher(observe(position), seed=4, sharpness=one) for one in (1.0, "fitted"))
    for iterations in (300, 2000):
        before, after = (one.run(iterations=iterations) for one in (plain, fitted))
        assert [one.win_shares for one in after.lines] == [fit(one, after.iterations, round_) for one in before.lines]
    position.play(after.best.action)
    before, after = (advanced(one, position) for one in (plain, fitted))
    assert after.reused_iterations > 0
    assert after.best.win_shares == fit(before.best, after.iterations + after.reused_iterations, round_)


def fit(line: Line, iterations: int, round_: int) -> tuple[float, ...]:
    """The shares of a line of two players as they are shipped."""
    by = GAMES["cathedral"].tuning.sharpness[2]
    return sharpened(line.win_shares, line.standard_errors, by.exponent(iterations, round_), by.lead(round_))[0]


def advanced(searcher: Searcher, position: State) -> Result:
    searcher.advance(observe(position))
    return searcher.run(iterations=10)


def test_fitted_shares_of_a_game_without_a_fit_are_as_they_were() -> None:
    position = decisions(GAMES["toy"], 2, 2)[0]
    plain, fitted = (Searcher(observe(position), seed=4, sharpness=one).run(iterations=50) for one in (1.0, "fitted"))
    assert fitted.lines == plain.lines


def test_errors_of_sharpened_shares_are_as_those_of_shares_moved_by_them() -> None:
    means, none, small = (0.7, 0.2, 0.1), (0.0, 0.0, 0.0), 1e-5
    shares, errors = sharpened(means, (small, 0.0, 0.0), 0.8)
    moved, _ = sharpened((0.7 + small, 0.2 - small * 2 / 3, 0.1 - small / 3), none, 0.8)  # the others keep their ratio
    assert errors[0] == pytest.approx(moved[0] - shares[0], rel=1e-3)
    assert sharpened((0.001, 0.999), (0.5, 0.5), 0.2)[1] == (0.5, 0.5)
    assert sharpened((0.0, 1.0), (0.0, 0.0), 0.8) == ((0.0, 1.0), (0.0, 0.0))


@pytest.mark.parametrize("exponent", [0.8, 1.0])
def test_a_lead_is_added_to_the_log_odds_of_the_first_seat(exponent: float) -> None:
    """The others keep their ratio; zeros stay, and no lead changes nothing."""
    shares, errors = sharpened((0.7, 0.2, 0.1), (0.01, 0.01, 0.01), exponent, 0.3)
    level, level_errors = sharpened((0.7, 0.2, 0.1), (0.01, 0.01, 0.01), exponent)
    log_odds, before = (math.log(one / (1 - one)) for one in (shares[0], level[0]))
    assert log_odds - before == pytest.approx(0.3)
    assert shares[1] / shares[2] == pytest.approx(level[1] / level[2])
    assert sum(shares) == pytest.approx(1)
    assert errors[0] / level_errors[0] == pytest.approx(shares[0] * (1 - shares[0]) / (level[0] * (1 - level[0])))
    assert sharpened((0.0, 1.0), (0.0, 0.0), exponent, 0.3) == ((0.0, 1.0), (0.0, 0.0))


def test_shares_without_an_error_each_are_refused() -> None:
    with pytest.raises(ValueError, match="2 and 1; must be as many"):
        sharpened((0.5, 0.5), (0.1,), 0.8)

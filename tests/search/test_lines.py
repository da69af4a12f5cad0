"""Lines of a result: reproducible, complete, ordered, with playable variations."""

import math
from collections.abc import Sequence
from typing import Any

import pytest

from clerestory.engine import GAMES, NATURE, State
from clerestory.engine.toy.rules import TOY
from clerestory.search.ismcts import Searcher
from clerestory.search.lines import Line, is_doubtful, ranked
from clerestory.search.options import WELL_VISITED
from clerestory.search.root import observe
from tests.search.positions import decisions, last_round, search
from tests.shipped import CATHEDRAL, DUEL

START = decisions(TOY, 3, 1)[0]
SHARED = decisions(CATHEDRAL, 3, 2)[20]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"reward": "margin", "exploration": 0.3},
    {"reward": "mix"},
    {"playout": "informed"},
    {"horizon": 0},
    {"horizon": 6, "temperature": 3.0},
    {"selection": "puct"},
    {"selection": "puct", "prior_floor": 0.2, "reward": "margin"},
    {"selection": "puct", "growth": 0.2, "reward": "margin", "horizon": 0},
    {"selection": "puct", "endings": "proven", "reward": 0.2},
    {"selection": "puct", "endings": "proven", "settled": 0.05},
    {"choice": "bound"},
    {"choice": "bound", "deviations": 5.0, "reward": "margin"},
    {"reward": "mix", "playout": "informed", "horizon": 4, "choice": "bound"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("position", [START, SHARED, decisions(DUEL, 2, 2)[20]], ids=lambda state: state.game.name)
def test_every_option_is_reproducible_and_sums_up(options: dict[str, Any], position: State) -> None:
    results = [search(position, 500, seed=seed, **options) for seed in (4, 4, 5)]
    assert results[0].lines == results[1].lines != results[2].lines
    assert sum(line.visits for line in results[0].lines) == results[0].iterations == 500
    assert {line.action for line in results[0].lines} == {action.text for action in position.legal_actions()}
    assert {line.availability for line in results[0].lines} == {500}
    for line in results[0].lines:
        assert math.isclose(sum(line.win_shares), 1) if line.visits else sum(line.win_shares) == 0
        assert 0 <= line.score <= 1
        assert line.lower_bound <= line.score
        assert line.loss == (results[0].best.margin - line.margin if line.visits else 0)
        assert math.isfinite(line.margin_error) == (line.visits > 1)


@pytest.mark.parametrize("options", OPTIONS[1:6], ids=str)
def test_every_option_of_the_search_changes_what_it_finds(options: dict[str, Any]) -> None:
    plain, other = (search(SHARED, 500, seed=4, **given) for given in ({}, options))
    assert {line.action: line.visits for line in plain.lines} != {line.action: line.visits for line in other.lines}


def test_margin_reward_takes_the_greater_win() -> None:
    """Seat 0 decides last and leads 9 to 0: every play wins, only its 6 takes the prize of 2 as well."""
    position = last_round(prize=2, seen=[1, 2, 5], players=[(9, 0, [3, 6]), (0, 5, [0])], moved=1)
    for reward, score in (("margin", 0.5 + 11 / 22), ("mix", 1.0)):
        result = search(position, 300, reward=reward, scale=22)
        assert (result.best.action, result.best.margin, result.best.score) == ("play 6", 11.0, score)
        assert all(line.win_shares == (1.0, 0.0) and line.margin == 7.0 for line in result.lines[1:])
        assert result.best.visits > 2 * result.lines[1].visits


def test_a_horizon_of_none_takes_the_guides_value_and_one_past_the_end_plays_to_it() -> None:
    position = decisions(TOY, 2, 3)[0]
    for line in search(position, len(position.legal_codes()), horizon=0, temperature=5.0).lines:
        after = position.copy()
        after.play(line.action)
        ours, theirs = after.value()
        assert line.win_shares[0] == pytest.approx(1 / (1 + math.exp((theirs - ours) / 5.0)))
        assert line.margin == pytest.approx((ours, theirs)[position.turn] - (theirs, ours)[position.turn], abs=1e-5)
    assert search(START, 300, seed=2, horizon=10_000).lines == search(START, 300, seed=2).lines


@pytest.mark.parametrize("choice", ["visits", "bound"])
@pytest.mark.parametrize("game", GAMES.values(), ids=str)
def test_the_line_to_play_comes_first_then_the_surest_and_the_doubtful_last(game: Any, choice: str) -> None:
    position = START if game is TOY else decisions(game, 2, 1)[3]
    best, *others = search(position, 3000, seed=3, choice=choice, exploration=0.2).lines
    well = [line for line in (best, *others) if line.visits >= WELL_VISITED * max(best.visits, *visits_of(others))]
    assert best == max(well, key=lambda line: line.visits if choice == "visits" else line.lower_bound)
    sure = [line for line in others if not is_doubtful(line, best)]
    doubtful = others[len(sure) :]
    assert [line.lower_bound for line in sure] == sorted((line.lower_bound for line in sure), reverse=True)
    assert all(is_doubtful(line, best) for line in doubtful)
    assert visits_of(doubtful) == sorted(visits_of(doubtful), reverse=True)


def visits_of(lines: Sequence[Line]) -> list[int]:
    return [line.visits for line in lines]


FIGURES = {  # visits, score, lower bound
    "A": (1000, 0.6, 0.40),
    "B": (600, 0.5, 0.45),
    "C": (400, 0.9, 0.80),
    "D": (30, 0.7, 0.10),  # a wide error
    "E": (30, 0.3, 0.20),
    "F": (11, 1.0, 1.00),  # doubtful
    "G": (0, 0.0, -1.00),
}


@pytest.mark.parametrize(("choice", "order"), [("visits", "ACBEDFG"), ("bound", "BCAEDFG")])
def test_few_visits_or_a_low_bound_do_not_win(choice: str, order: str) -> None:
    """B has half of A's visits and the higher bound; C, with a higher one, has too few to be played, and follows."""
    plain = search(START, 50).best
    lines = [
        plain.changed(action=action, visits=visits, score=score, lower_bound=bound)
        for action, (visits, score, bound) in reversed(FIGURES.items())
    ]
    assert "".join(line.action for line in ranked(lines, choice)) == order


def test_no_line_is_above_another_by_a_share_within_its_error_and_equal_ones_stay_as_given() -> None:
    """A 0.2 higher score with an error of 0.15 ranks lower, one with an error of 0.05 ranks higher."""
    plain = search(START, 50).best
    figures = {"play": (1000, 0.5, 0.01), "sure": (300, 0.4, 0.02), "wide": (40, 0.6, 0.15), "narrow": (200, 0.6, 0.05)}
    lines = [
        plain.changed(action=action, visits=visits, score=score, score_error=error, lower_bound=score - 2 * error)
        for action, (visits, score, error) in figures.items()
    ]
    assert [line.action for line in ranked(lines, "visits")] == ["play", "narrow", "sure", "wide"]
    lines = [
        plain.changed(action=action, visits=visits) for action, visits in zip("ABCDE", (9, 9, 9, 0, 0), strict=True)
    ]
    for choice in ("visits", "bound"):
        assert "".join(line.action for line in ranked(lines, choice)) == "ABCDE"


TRIED = [(1000, 19, True), (1000, 20, False), (1_000_000, 199, True), (1_000_000, 200, False)]


@pytest.mark.parametrize(("first", "visits", "doubtful"), TRIED)
def test_a_line_is_doubtful_that_was_hardly_tried(first: int, visits: int, doubtful: bool) -> None:
    plain = search(START, 50).best
    best, line = (plain.changed(visits=number) for number in (first, visits))
    assert is_doubtful(line, best) == doubtful


def test_where_the_win_is_settled_the_points_of_the_well_visited_count() -> None:
    """B has more points than A for sure; C has more, but its win is less sure; D has too few visits."""
    plain = search(START, 50).best
    figures = {"A": (100, 0.999, 9.0), "B": (20, 0.999, 10.0), "C": (20, 0.98, 11.0), "D": (10, 0.999, 12.0)}
    lines = [
        plain.changed(action=action, visits=visits, score=score, score_error=0.0, margin=margin, margin_error=0.1)
        for action, (visits, score, margin) in figures.items()
    ]
    order = ranked(lines, "visits", settled=True)
    assert "".join(line.action for line in order) == "BDAC"
    assert [line.loss for line in order] == [0.0, -2.0, 1.0, -1.0]


@pytest.mark.parametrize("name", GAMES)
def test_variations_are_legal_in_a_world_that_agrees(name: str) -> None:
    lengths = []
    for position in decisions(GAMES[name], max(GAMES[name].seats), 1)[::7]:
        view = position.observe(position.turn)
        for line in search(position, 600, max_bytes=1 << 22).lines:
            assert line.principal_variation[0] == line.action
            assert any(can_be_played(view.determinize(world), line.principal_variation) for world in range(200))
            lengths.append(len(line.principal_variation))
    assert max(lengths) > 2


def can_be_played(world: State, variation: tuple[str, ...]) -> bool:
    """Whether a variation can be played in this world; its chance events must have a single outcome."""
    for text in variation:
        legal = [action.text for action in world.legal_actions()]
        if text not in legal or (world.turn == NATURE and len(legal) > 1):
            return False
        world.play(text)
    return True


def test_a_variation_follows_the_most_visited() -> None:
    """If the same seat decides again, the variation continues with the choice of the kept tree."""
    for position in decisions(CATHEDRAL, 2, 1)[:60]:
        searcher = Searcher(observe(position), seed=1)
        variation = searcher.run(iterations=600).best.principal_variation
        after = position.copy()
        after.play(variation[0])
        if len(variation) > 1 and after.turn == position.turn and len(after.legal_codes()) > 1:
            break
    searcher.advance(observe(after))
    known = searcher.run(iterations=1)
    assert known.reused_iterations > 1
    assert known.best.action == variation[1]

"""Where the win is settled, the search plays for points, and its margins can be trusted; elsewhere nothing changes."""

import json
from pathlib import Path
from typing import Any

import pytest

from clerestory.engine import GAMES, State, from_position
from clerestory.search.ismcts import Searcher
from clerestory.search.options import shipped
from clerestory.search.result import Result, StopReason
from clerestory.search.root import observe
from tests.search.positions import decisions
from tools.lab.json_lines import read_lines

HERE = Path(__file__).parent
LAST_ROUNDS = read_lines(HERE / "decided-cathedral.jsonl")  # every action wins, or every one loses; exact margins
ROUND_6 = from_position(json.loads((HERE / "decided-round6.json").read_text()))  # "convert bell_maker_6 2" wins by 33
LOST = [line for line in LAST_ROUNDS if max(line["margins"].values()) < 0]
OPEN, NEAR = 0.0, 0.005


def searched(position: State, iterations: int, *, seed: int = 1, **options: Any) -> Result:
    """Return the result of the shipped search, with other values for some options."""
    chosen = {**shipped(position.game, position.seats), **options}
    return Searcher(observe(position), seed=seed, max_bytes=1 << 26, **chosen).run(iterations=iterations)


def given_away(line: dict[str, Any], iterations: int, **options: Any) -> float:
    """Return the points that the choice of a search loses to the best action."""
    choice = searched(from_position(line["position"]), iterations, **options).best.action
    return float(max(line["margins"].values()) - line["margins"][choice])


@pytest.mark.parametrize("line", LAST_ROUNDS)
def test_conversions_of_a_decided_last_round_are_exact(line: dict[str, Any]) -> None:
    assert given_away(line, 30_000) == 0


def test_without_points_some_of_them_are_not() -> None:
    assert sum(given_away(line, 2_000, settled=OPEN) for line in LAST_ROUNDS) > 5


@pytest.mark.parametrize("iterations", [1_000, 10_000, 100_000])
def test_more_iterations_do_not_choose_a_smaller_win(iterations: int) -> None:
    assert searched(ROUND_6, iterations).best.action == "convert bell_maker_6 2"


def test_the_margin_of_a_proven_line_is_that_of_best_play_by_all() -> None:
    best = searched(ROUND_6, 100_000).best
    assert best.margin == pytest.approx(33, abs=0.05)


def test_a_lost_position_is_played_for_the_margin() -> None:
    assert LOST
    for line in LOST:
        result = searched(from_position(line["position"]), 30_000)
        assert result.best.win_shares[result.seat] < 1e-9
        assert result.best.margin == pytest.approx(line["margins"][result.best.action], abs=1.5)
        assert line["margins"][result.best.action] == max(line["margins"].values())


def test_several_threads_agree() -> None:
    searcher = Searcher(observe(ROUND_6), seed=1, max_bytes=1 << 26, **shipped(ROUND_6.game, 2))
    result = searcher.run(iterations=20_000, threads=2)
    assert sum(line.visits for line in result.lines) == 20_000
    assert result.best.action == "convert bell_maker_6 2"


@pytest.mark.parametrize(("name", "seats"), [("cathedral", 2), ("cathedral", 3), ("cathedral", 4), ("duel", 2)])
def test_an_open_game_is_searched_to_the_same_bits_as_without_points(name: str, seats: int) -> None:
    changed = 0
    for position in decisions(GAMES[name], seats, 5)[::12]:
        plain, shipped_ = (searched(position, 300, settled=near) for near in (OPEN, NEAR))
        shares = [line.score for line in plain.lines if line.visits]
        if 0.08 < max(shares) < 0.92:
            assert plain.lines == shipped_.lines
        changed += plain.lines != shipped_.lines
    assert changed < len(decisions(GAMES[name], seats, 5)[::12])


@pytest.mark.parametrize("line", LAST_ROUNDS[::4])
def test_what_is_hidden_does_not_change_the_search(line: dict[str, Any]) -> None:
    """Worlds that look the same to the seat give the same table, to the last bit."""
    view = from_position(line["position"])
    tables = [searched(world, 500).lines for world in (view, view.determinize(1), view.determinize(2))]
    assert tables[0] == tables[1] == tables[2]


def test_an_early_end_has_the_answer_of_a_full_run() -> None:
    reasons = set()
    for line in LAST_ROUNDS:
        position = from_position(line["position"])
        options = shipped(position.game, position.seats)
        early = Searcher(observe(position), seed=1, **options).run(iterations=3_000, early=True)
        assert early.best.action == searched(position, 3_000).best.action
        reasons.add(early.stop_reason)
    assert StopReason.DECIDED in reasons


def test_a_kept_tree_goes_on_playing_for_points() -> None:
    position, searcher = ROUND_6.copy(), Searcher(observe(ROUND_6), seed=1, **shipped(ROUND_6.game, 2))
    searcher.run(iterations=5_000)
    position.play("convert bell_maker_6 2")
    assert position.turn == ROUND_6.turn
    searcher.advance(observe(position))
    kept = searcher.run(iterations=5_000)
    assert kept.reused_iterations > 0
    assert kept.best.margin == pytest.approx(33, abs=0.1)

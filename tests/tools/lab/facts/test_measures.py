"""Facts: computed from stored games, from the view of the right seat, with intervals over games."""

from functools import cache
from pathlib import Path

import pytest

from tools.lab.facts import measures
from tools.lab.facts.figures import Figure, figure, share_of_variance
from tools.lab.facts.games import FIRST_SEED, Table, first_games, gather, path_of, play
from tools.lab.facts.measures import KINDS, NAMES, measure
from tools.lab.facts.replay import Compared, positions, round_starts
from tools.lab.json_lines import gathered


@cache
def table(game: str = "cathedral") -> Table:
    return Table(game, 2, [play(game, 2, FIRST_SEED + i) for i in range(2)])


def compared(action: str, **lines: float) -> Compared:
    found = {name: (share, 10 * share) for name, share in lines.items()}
    return Compared(0, 1, 0, {}, ["place red court", "pass"], {action: (0.5, 5.0), **found})


def test_an_action_is_compared_with_the_best_other_one() -> None:
    one = compared("place red court", **{"pass": 0.3, "redraw": 0.4})
    assert one.worth("place red court") == (pytest.approx(0.2), pytest.approx(2.0))
    assert one.worth("pass") == (pytest.approx(-0.2), pytest.approx(-2.0))
    assert one.worth("redraw") == (pytest.approx(-0.1), pytest.approx(-1.0))
    assert [KINDS["chosen"](one, action) for action in one.lines] == [100.0, 0.0, 0.0]


def test_the_interval_is_over_games() -> None:
    """Observations of a game may agree completely, so their number alone makes no figure more certain."""
    few = figure([(game, float(game % 2)) for game in range(10)])
    many = figure([(game, float(game % 2)) for game in range(10) for _ in range(100)])
    assert (few.mean, few.count, many.count) == (0.5, 10, 1000)
    assert (many.low, many.high) == pytest.approx((few.low, few.high))
    assert few.high - few.low == pytest.approx(2 * 2.262 * (10 / 9 / 4 / 10) ** 0.5, rel=0.01)
    assert figure([(3, 1.0)]).low == -float("inf")


def test_luck_explains_what_follows_it() -> None:
    assert share_of_variance([0.1, -0.1, 0.3], [1.0, 0.0, 2.0]) == pytest.approx(1.0)
    assert share_of_variance([1.0, -1.0, 1.0, -1.0], [1.0, 1.0, 0.0, 0.0]) == 0


@pytest.mark.parametrize(("luck", "saved"), [(0.0, 0), (0.25, 75), (0.5, 100), (-0.5, -300)])
def test_games_are_saved_by_the_variance_that_luck_takes_out(luck: float, saved: float) -> None:
    """Two players, who win in turn; the luck of the winner, and the share of games that need not be played."""
    rows = [
        {"returns": (1.0, 0.0), "luck": {"roll": [luck / 2, -luck / 2], "draw": [luck / 2, -luck / 2]}},
        {"returns": (0.0, 1.0), "luck": {"roll": [-luck, luck]}},
    ]
    found = measure("luck_saved", Table("duel", 2, rows))["all"]
    assert (found.mean, found.low, found.high) == pytest.approx((saved, saved, saved))


@pytest.mark.parametrize("name", NAMES)
def test_every_fact_is_measured(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measures, "LEAST", 1)
    measures.of_actions.cache_clear()
    for kind in KINDS if name in measures.OF_ACTIONS else ["win"]:
        found = measure(name, table(), kind)
        assert found or name in ("protection", "dismissals")
        assert all(isinstance(item, Figure) and item.count >= 1 for item in found.values())
    assert bool(measure(name, table("duel"))) == (name in measures.GAMES_OF_ALL)


def test_craftsmen_are_judged_by_the_results_of_those_who_hired_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measures, "LEAST", 1)
    one = Table("cathedral", 2, table().rows[:1])
    (row,), found, points = one.rows, measure("hired", one), measure("hired_in_points", one)
    hirings = measures.hirings(one, row)
    for action, seat in hirings:
        card = action.removeprefix("hire ")
        owned = [
            card in state.to_position()["cathedral"]["players"][seat]["craftsmen"] for state in positions(one, row)
        ]
        assert any(owned)
        if (action, 1 - seat) not in hirings:
            assert found[action].mean == pytest.approx(100 * (row["returns"][seat] - 0.5))
            assert points[action].mean == pytest.approx(row["scores"][seat] - row["scores"][1 - seat])
    assert len(hirings) > 3
    assert set(found) == set(points) == {action for action, _ in measures.hirings(one, row)}


def test_rounds_start_with_the_points_so_far_and_end_with_the_result() -> None:
    starts = [start for start in round_starts(table()) if start.game == 0]
    assert [start.round for start in starts] == [1, 2, 3, 4, 5, 6, 7]
    assert starts[0].scores == (2.0, 2.0)
    assert list(starts[-1].scores) == pytest.approx([player["vp"] for player in starts[-1].fields["players"]])


def test_games_are_played_once_and_ordered_by_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.lab.facts.games.TABLES", (("toy", 2),))
    monkeypatch.setattr("tools.lab.facts.games.play", lambda game, seats, seed: {"seed": seed, "game": game})
    gather(tmp_path, 2)
    gather(tmp_path, 3)
    path = path_of(tmp_path, "toy", 2)
    assert [row["seed"] for row in gathered(path)] == [FIRST_SEED, FIRST_SEED + 1, FIRST_SEED + 2]
    assert len(first_games(path, 2)) == 2

"""Baselines: each game is played once, and the figures say what strength and luck explain and save."""

import re
from pathlib import Path

import pytest

from clerestory.engine import GAMES
from clerestory.search.arena.bots import Budget
from clerestory.search.arena.match import GameResult
from tools.lab.facts import baselines
from tools.lab.facts.baselines import causes, luck, path_of, play, saved, strength, table, with_interval

PAIRS = (("random", "greedy", 4), ("greedy", "greedy", 3))


def deal(number: int, *results: tuple[float, float]) -> list[GameResult]:
    """Return the games of a deal, from the result and the luck of the first player in each seat."""
    games = []
    for seat, (result, lucky) in enumerate(results):
        returns, luck = [1 - result, 1 - result], [-lucky, -lucky]
        returns[seat], luck[seat] = result, lucky
        games.append(GameResult(number, seat, returns, [0, 0], None, 9, [], [], [], luck))
    return games


WINNER = [deal(1, (1, 0.2), (1, -0.1)), deal(2, (1, 0.0), (1, 0.1))]
LUCKY = [deal(1, (1, 0.4), (0, -0.4)), deal(2, (0, -0.4), (1, 0.4))]
SWINGS = [deal(1, (1, 0.4), (1, 0.3)), deal(2, (0, -0.3), (0, -0.4))]


def test_a_player_who_always_wins_is_stronger_and_luck_explains_nothing() -> None:
    assert (strength(WINNER), luck(WINNER)) == (1, 0)


def test_luck_explains_what_follows_it() -> None:
    assert (strength(LUCKY), luck(LUCKY)) == (0, pytest.approx(1))


def test_games_are_saved_by_the_part_of_the_variance_that_luck_takes_out() -> None:
    assert saved(SWINGS) == pytest.approx(1 - 0.15**2 / 0.5**2)
    assert saved(WINNER) == 0  # there is nothing to save
    found = with_interval(saved, SWINGS)
    assert found.mean == pytest.approx(91)
    assert found.low <= found.mean


def test_games_are_played_once_and_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baselines, "PAIRS", PAIRS)
    play(tmp_path, "cathedral", 2)
    stored = [path_of(tmp_path, "cathedral", 2, pair).read_text() for pair in PAIRS]
    assert [text.count("\n") for text in stored] == [1 + 4, 1 + 4]  # whole deals
    play(tmp_path, "cathedral", 2)
    assert [path_of(tmp_path, "cathedral", 2, pair).read_text() for pair in PAIRS] == stored
    path = path_of(tmp_path, "cathedral", 2, PAIRS[0])
    path.write_text("".join(stored[0].splitlines(keepends=True)[:-1]))  # as if the run had been ended
    play(tmp_path, "cathedral", 2)
    assert path.read_text().splitlines()[:-1] == stored[0].splitlines()[:-1]
    rows = [line.strip("| ").split(" | ") for line in table(tmp_path)]
    assert [row[:3] for row in rows[2:]] == [["`random`", "`greedy`", "4"], ["`greedy`", "`greedy`", "4"]]
    assert rows[2][3].startswith("0.0 [0.0, ")
    assert len(list(causes(tmp_path))) == 2  # the deals of each pair ended alike
    monkeypatch.setattr(baselines, "varied", bool)
    figures = [line.strip("| ").split(" | ") for line in causes(tmp_path)]
    assert [row[2] for row in figures[2:]] == ["`greedy`", "`greedy`"]
    assert {len(row) for row in figures} == {6}


def test_levels_have_the_iterations_that_they_need() -> None:
    for game in ("cathedral", "duel"):
        most = max(level.iterations for level in GAMES[game].tuning.levels)
        for pair in baselines.PAIRS:
            budget = Budget.parse(baselines.match_of(game, 2, pair).budget).iterations
            assert budget is not None
            for level in re.findall(r"level=(\d)", " ".join(pair[:2])):
                assert budget >= GAMES[game].tuning.levels[int(level) - 1].iterations
        assert Budget.parse(baselines.BUDGET).iterations == most


def test_players_have_titles() -> None:
    assert [baselines.titled(name) for name in ("ismcts:level=3", "ismcts@5000it", "greedy")] == [
        "level 3",
        "5,000 iterations",
        "`greedy`",
    ]

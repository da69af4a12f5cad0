"""The loss of choices is within bounds; the judged positions are reachable, and all their lines were judged."""

from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from tools.lab import regret
from tools.lab.json_lines import compact
from tools.lab.regret import LossRow, judged, judged_row, loss, position_of, solved_row

GAMES_JUDGED = ("cathedral", "duel")
# Win share and points that choices may lose: at most the measured values (docs/benchmarks.md) plus two standard errors.
SOLVED_BOUNDS = {"cathedral": (0.005, 0.55), "duel": (0.005, 0.02)}  # 10,000 iterations
JUDGED_BOUNDS = {  # 1,000 iterations
    ("cathedral", 2): (0.007, 0.16),
    ("cathedral", 3): (0.008, 0.17),
    ("cathedral", 4): (0.0024, 0.05),
    ("duel", 2): (0.003, 0.09),
}
LINES = [(game, line) for game in GAMES_JUDGED for line in judged(game)[::8]]


@pytest.mark.parametrize(("game", "line"), LINES)
def test_a_judged_position_is_reached_and_all_its_actions_were_judged(game: str, line: dict[str, Any]) -> None:
    position = position_of(game, line)
    assert position.seats == line["seats"]
    assert {action.text for action in position.legal_actions()} == set(line["lines"])


def test_positions_are_judged_again_every_action_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    some = judged("duel")[:3]
    (tmp_path / "searched-duel.jsonl").write_text("".join(map(compact, some)))
    monkeypatch.setattr(regret, "HERE", tmp_path)
    monkeypatch.setattr(regret, "LONG", 20)
    regret.judge("duel")
    for before, after in zip(some, judged("duel"), strict=True):
        assert [after[name] for name in ("seats", "seed", "codes")] == [
            before[name] for name in ("seats", "seed", "codes")
        ]
        assert after["lines"].keys() == before["lines"].keys()
        assert list(after["lines"].values()) == sorted(after["lines"].values(), reverse=True)


def test_a_judge_without_memory_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regret, "LARGE", 1 << 16)
    monkeypatch.setattr(regret, "LONG", 1000)
    with pytest.raises(MemoryError, match="full"):
        regret.verdict(position_of(*LINES[0]))


def test_the_best_line_loses_nothing_and_the_table_says_how_much_others_do() -> None:
    game, line = LINES[0]
    first = next(iter(line["lines"]))
    alone = {**line, "lines": dict.fromkeys(line["lines"], line["lines"][first])}
    assert loss(game, alone, 50) == (0, 0)
    assert LossRow("some", [0.0, 0.2], [0.0, 1.0]).text() == "| some | 2 | 0.1000 ± 0.1000 | 0.50 ± 0.50 |"


@pytest.mark.parametrize("game", SOLVED_BOUNDS)
def test_choices_in_solved_positions_lose_no_more_than_they_did(game: str) -> None:
    require_within(solved_row(game, 10_000), SOLVED_BOUNDS[game])


@pytest.mark.slow
@pytest.mark.parametrize("game", SOLVED_BOUNDS)
def test_long_searches_lose_nothing_in_any_solved_position(game: str) -> None:
    assert max(solved_row(game, 100_000).shares) < 1e-6


@pytest.mark.parametrize(("game", "players"), JUDGED_BOUNDS)
def test_choices_in_judged_positions_lose_no_more_than_they_did(game: str, players: int) -> None:
    require_within(judged_row(game, players, 1_000), JUDGED_BOUNDS[game, players])


def require_within(row: LossRow, bounds: tuple[float, float]) -> None:
    assert fmean(row.shares) <= bounds[0], row.text()
    assert fmean(row.points) <= bounds[1], row.text()

"""Points given away in decided positions: two searches judge each other's best line, and files are added to."""

import sys
from pathlib import Path
from random import Random
from statistics import fmean

import pytest

from clerestory.engine import from_position
from tools.lab import decided
from tools.lab.decided import GivenAway, gather, given_away, main, row
from tools.lab.json_lines import gathered


def test_what_wins_less_surely_is_not_better_and_noise_of_judges_gives_nothing_away() -> None:
    lines = {"a": (1.0, 5.0, 5.2), "b": (0.996, 6.0, 6.0), "c": (0.99, 9.0, 9.0)}
    assert given_away(lines, "a") == pytest.approx((6.0 - 5.2 + 6.0 - 5.0) / 2)
    assert given_away(lines, "b") == 0.0
    # All lines are equally good, but the highest estimate of ten is 1.5 too high.
    luck = Random(1)
    tables = [{str(line): (1.0, luck.gauss(0, 1), luck.gauss(0, 1)) for line in range(10)} for _ in range(4_000)]
    assert fmean(max(line[1] for line in table.values()) - table["0"][1] for table in tables) > 1.4
    assert fmean(given_away(table, "0") for table in tables) == pytest.approx(0.0, abs=0.05)


def test_a_row_counts_games_and_large_losses() -> None:
    given = [GivenAway(1, True, 0.0), GivenAway(1, True, 2.0), GivenAway(2, False, 1.0)]
    assert row("all", given) == "| all | 3 | 2 | 1.000 ± 0.000 | 1 | 2.00 |"


def test_positions_are_decided_and_a_file_is_added_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "decided.jsonl"
    monkeypatch.setattr(decided, "MOVE", 30)
    monkeypatch.setattr(decided, "LOOK", 100)
    for positions in (1, 8):
        gather("duel", 2, positions, 3, 50, out)
    lines = gathered(out)
    assert [line["seed"] for line in lines] == list(range(3, 3 + len(lines)))
    found = [one for line in lines for one in line["positions"]]
    assert len(found) >= 8
    for one in found:
        legal = {action.text for action in from_position(one["position"]).legal_actions()}
        assert set(one["lines"]) == legal
        assert {len(line) for line in one["lines"].values()} == {3}
    monkeypatch.setattr(sys, "argv", ["decided", "table", str(out), "--iterations", "50", "--options", "settled=0"])
    main()
    assert f"| all | {len(found)} | " in capsys.readouterr().out

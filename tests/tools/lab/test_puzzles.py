"""The tool that makes puzzles: the positions that it accepts, and that it resumes."""

import json
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from clerestory.engine import GAMES
from clerestory.engine.core import Game
from clerestory.search.review.puzzle import LEAST, UNFOUND, from_line, puzzle, puzzles
from clerestory.search.root import observe
from tests.shipped import DUEL
from tools.lab import puzzle_plans
from tools.lab import puzzles as tool


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tool, "FOUND", tmp_path / "found")
    monkeypatch.setattr(tool, "SHIPPED", tmp_path / "shipped")
    return tmp_path


def shipped(here: Path, number: int, *found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the shipped puzzles among those found."""
    tool.found_file(DUEL).parent.mkdir()
    tool.found_file(DUEL).write_text("".join(f"{json.dumps(lines)}\n" for lines in found))
    tool.ship(DUEL, number)
    return [json.loads(text) for text in (here / "shipped" / "duel.jsonl").read_text().splitlines()]


@pytest.mark.parametrize(
    ("losses", "clear"),
    [
        ({"a": 0.0, "b": LEAST, "c": 0.5}, True),
        ({"a": 0.0, "b": LEAST - 1e-6, "c": 0.5}, False),
        ({"a": 0.0, "b": -0.1, "c": 0.5}, False),
        ({"b": 0.0, "a": 0.2, "c": 0.5}, False),
    ],
)
def test_every_other_action_must_lose_enough(losses: dict[str, float], clear: bool) -> None:
    assert tool.is_clear(losses, "a") is clear


def test_an_answer_must_hold_ten_times_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = {tool.ANSWER: "a", tool.LONGER * tool.ANSWER: "b"}
    monkeypatch.setattr(
        tool,
        "searched",
        lambda root, seed, iterations: SimpleNamespace(best=SimpleNamespace(action=answers[iterations])),
    )
    look: Any = SimpleNamespace(root=None, seed=1)
    assert tool.confirmed(look, "a") is None
    answers[tool.LONGER * tool.ANSWER] = "a"
    assert tool.confirmed(look, "a") is not None
    assert tool.confirmed(look, "b") is None


@pytest.mark.parametrize(
    ("finding", "level"), [({8}, 8), ({3, 4, 5, 6, 7, 8}, 3), ({1, 2, 4, 5, 6, 7, 8}, 4), ({1, 2, 3}, UNFOUND)]
)
def test_a_level_is_the_weakest_that_finds_it(finding: set[int], level: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(puzzle_plans, "finds", lambda candidate, losses, number: number in finding)
    candidate: Any = None
    assert puzzle_plans.grade(candidate, {}) == level


def test_a_strong_level_finds_what_is_shipped() -> None:
    one = puzzle(DUEL, 1)
    look = tool.PuzzleCandidate(one.state, observe(one.state), one.seed, one.ply)
    assert puzzle_plans.finds(look, one.losses, 8)
    assert not puzzle_plans.finds(look, {text: -loss for text, loss in one.losses.items()}, 8)


def test_looking_goes_on_where_it_was(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, int]] = []

    def found(game: Game, seats: int, seed: int) -> list[dict[str, Any]]:
        seen.append((seats, seed))
        if len(seen) % 2 == 0:
            monkeypatch.setattr(time, "monotonic", lambda: 1e9)
        return [{"level": 1}]

    clock = time.monotonic
    monkeypatch.setattr(tool, "of_a_game", found)
    tool.find(DUEL, 10)
    monkeypatch.setattr(time, "monotonic", clock)
    tool.find(DUEL, 10)
    first = 1 + max(one.seed for one in puzzles(DUEL) if one.ply)  # beyond the games of the shipped puzzles
    assert [seed - first for _, seed in seen] == [0, 1, 2, 3]
    assert len(tool.found_file(DUEL).read_text().splitlines()) == 4


def test_shipped_puzzles_are_spread_over_the_levels(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool, "read", lambda game: ())
    lines = [tool.fields(one) for one in puzzles(DUEL)[:6]]
    lines = [line | {"level": level} for line, level in zip(lines, (1, 1, 1, 1, 5, 6), strict=True)]
    written = shipped(here, 4, lines[:3], lines[3:])
    assert [line["level"] for line in written] == [1, 1, 5, 6]
    assert from_line(DUEL, 1, written[0]).answer[0] in puzzle(DUEL, 1).state.legal_actions()


def test_found_puzzles_are_added_to_the_shipped_ones(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A position that is already shipped is not added again."""
    first, second, third = puzzles(DUEL)[:3]
    monkeypatch.setattr(tool, "read", lambda game: (first, second))
    written = shipped(here, 10, [tool.fields(second), tool.fields(third)])
    assert [line["position"] for line in written] == [one.position for one in (first, second, third)]


def test_puzzles_whose_answer_changes_are_left_out(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = puzzles(DUEL)[:2]
    searched = replace(first, exact=False), replace(second, exact=False)
    monkeypatch.setattr(tool, "read", lambda game: searched)
    monkeypatch.setattr(tool, "confirmed", lambda look, answer: look.ply == second.ply or None)
    tool.check(DUEL)
    [line] = (here / "shipped" / "duel.jsonl").read_text().splitlines()
    assert json.loads(line)["position"] == second.position


def test_a_game_of_bots_is_looked_at_where_there_is_a_choice() -> None:
    looks = [next(tool.decisions(DUEL, 2, 5)) for _ in range(2)]
    assert len(looks[0].state.legal_codes()) > 2
    assert looks[0].state == looks[1].state
    assert looks[0].state.observe(looks[0].state.turn) == looks[0].state


@pytest.mark.parametrize("game", ["cathedral", "duel"])
def test_no_shipped_puzzle_asks_for_a_number_only(game: str) -> None:
    for one in tool.read(GAMES[game]):
        planner = puzzle_plans.planner_at(one.state)
        assert not (puzzle_plans.same_things(planner, one.losses) if planner else tool.asks_form_only(one.losses))


def test_a_puzzle_about_a_number_is_noticed() -> None:
    assert tool.asks_form_only({"buy wood 2": 0.0, "buy wood 1": 0.06, "leave": 0.2})
    assert not tool.asks_form_only({"buy wood 2": 0.0, "leave": 0.06, "buy wood 1": 0.2})
    planner = puzzle_plans.planner_at(CONVERTING)
    assert planner
    asked = {"convert a 2; finish": 0.0, "convert a 1; finish": 0.06, "finish": 0.2}
    assert puzzle_plans.same_things(planner, asked)
    assert not puzzle_plans.same_things(planner, asked | {"convert a 1; finish": 0.3})


CONVERTING = next(one.state for one in puzzles(GAMES["cathedral"]) if one.is_plan and "finish" in one.losses)


def test_every_plan_is_met_once_and_a_level_carries_one_out_to_its_end() -> None:
    """Each end is reached by legal actions, in the order that loses the least gold, and no plan has two."""
    planner = puzzle_plans.planner_at(CONVERTING)
    assert planner
    ends = puzzle_plans.ends_of(CONVERTING, planner)
    plans = [tuple(sorted(planner.held(text.split("; ")).items())) for text in ends]
    assert len(set(plans)) == len(plans) > 2
    for text, end in ends.items():
        assert puzzle_plans.after(CONVERTING, text.split("; ")) == end
        assert puzzle_plans.planner_at(end) is None or end.turn != CONVERTING.turn or text.endswith("finish")
    level = CONVERTING.game.tuning.levels[4]
    chosen = [puzzle_plans.plan_of(CONVERTING, planner, level, seed) for seed in range(3)]
    known = [planner.held(text.split("; ")) for text in ends]
    assert all(plan in known for plan in chosen)

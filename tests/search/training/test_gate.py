"""The gate passes a candidate that wins, fails one that does not, and continues after a kill."""

from dataclasses import replace
from pathlib import Path

import pytest

from clerestory.search.arena.errors import BadBot
from clerestory.search.training.errors import BadPlan
from clerestory.search.training.gate import GateOptions, play_gate
from tests.search.arena.matches import toy

GATE = GateOptions(budgets=("20it",), games=200, elo0=0, elo1=100)


def outcomes(
    gate: GateOptions, bot: str, before: str, folder: Path, seats: tuple[int, ...] = (2, 3)
) -> list[dict[str, object]]:
    played: list[int] = []
    matches = gate.matches(toy, seats, bot, before)
    found = list(play_gate(gate, matches, folder, workers=1, count=played.append))
    assert sum(played) >= sum(outcome["games"] for outcome in found)  # type: ignore[misc]
    return found


def test_the_stronger_passes_every_match(tmp_path: Path) -> None:
    found = outcomes(GATE, "greedy", "random", tmp_path)
    passed = [(outcome["seats"], outcome["verdict"], outcome["passed"]) for outcome in found]
    assert passed == [(2, "H1", True), (3, "H1", True)]
    assert all(outcome["games"] < 200 for outcome in found)  # type: ignore[operator]  # the test ended them
    assert sorted(path.name for path in tmp_path.iterdir()) == ["00-2p-20it.jsonl", "01-3p-20it.jsonl"]


def test_the_weaker_fails_at_once(tmp_path: Path) -> None:
    (outcome,) = outcomes(GATE, "random", "greedy", tmp_path)
    assert (outcome["seats"], outcome["verdict"], outcome["passed"]) == (2, "H0", False)


def test_an_open_match_is_decided_by_where_it_leans(tmp_path: Path) -> None:
    close = replace(GATE, games=4, elo0=-1000, elo1=1000)
    (outcome,) = outcomes(close, "greedy", "greedy", tmp_path, (2,))
    assert (outcome["games"], outcome["verdict"], outcome["passed"]) == (4, "open", outcome["llr"] > 0)  # type: ignore[operator]


def test_matches_in_order_each_once() -> None:
    gate = replace(GATE, budgets=("20it", "1ms"), references=("random", "greedy"))
    matches = gate.matches(toy, (2, 4), "flat-mc", "greedy")
    assert {match.seed for match in matches} == {1 << 40}  # deals used neither by self-play nor by the users' arena
    assert [(match.bots[1], match.budget, match.seats) for match in matches] == [
        (opponent, budget, seats) for opponent in ("greedy", "random") for budget in ("20it", "1ms") for seats in (2, 4)
    ]


def test_an_unknown_reference_is_named_before_it_plays(tmp_path: Path) -> None:
    with pytest.raises(BadBot, match="'nobody'"):
        outcomes(replace(GATE, references=("nobody",)), "greedy", "random", tmp_path, (2,))


@pytest.mark.parametrize("wrong", [{"budgets": ()}, {"games": 0}, {"elo0": 30.0}])
def test_gates_that_make_no_sense(wrong: dict[str, object]) -> None:
    named = {"budgets": "budgets: needs", "games": "gate games: 0", "elo0": "sprt: 30 is not below"}
    with pytest.raises(BadPlan, match=named[next(iter(wrong))]):
        GateOptions(**wrong)  # type: ignore[arg-type]

"""The ends of games as text, and the sources of the points."""

import json
from pathlib import Path

import pytest

from clerestory.engine import GAMES, State, from_position, read_records
from clerestory.engine.scoring import in_points, outcome, point_sources
from tests.laws import walk

RECORDS = Path(__file__).parents[2] / "examples" / "records"


@pytest.mark.parametrize(("name", "seats"), [("cathedral", 2), ("cathedral", 4), ("duel", 2)])
def test_the_sources_add_up_to_the_score_and_margins_are_whole_hundredths(name: str, seats: int) -> None:
    for seed in range(20):
        *_, state = walk(GAMES[name], seats, seed)
        assert [sum(seat.values()) for seat in point_sources(state)] == pytest.approx(list(state.value()))
        assert state.margins() == tuple(round(margin, 2) for margin in state.margins())


@pytest.mark.parametrize(("points", "text"), [(36.0, "36"), (32.04, "32.04"), (31.1, "31.1"), (0.0, "0"), (-2.0, "-2")])
def test_points_have_the_decimals_that_they_need(points: float, text: str) -> None:
    assert in_points(points) == text


def with_players(name: str, *changes: dict[str, int]) -> State:
    """Return the end of the recorded game, with other points."""
    [record] = read_records((RECORDS / f"{name}-{len(changes)}p.jsonl").read_text().splitlines())
    position = json.loads(record.state.to_json())
    for player, change in zip(position[name]["players"], changes, strict=True):
        player |= change
    return from_position(position)


def vp(earned: int, gold: int = 5) -> dict[str, int]:
    return {"vp": 2 + earned, "vp_priory": 0, "vp_craftsmen": earned, "vp_cards": 0, "vp_lost": 0, "gold": gold}


@pytest.mark.parametrize(
    ("players", "says"),
    [
        ([vp(33), vp(34)], "wins, 36 to 35"),
        ([vp(33, 9), vp(33)], "wins, 35 to 35 (a tie that the rules break)"),
        ([vp(33), vp(33)], "share the win, 35 each"),
        ([vp(33), vp(34), vp(20)], "wins with 36; "),
    ],
)
def test_ends_are_said_as_people_say_them(players: list[dict[str, int]], says: str) -> None:
    assert says in outcome(with_players("cathedral", *players))

"""Records: what is written is read back, and a wrong line is named."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clerestory.engine import GAMES, BadRecord, Record, State, read_records
from clerestory.engine.record import EarlyEnd
from clerestory.engine.toy.rules import TOY
from tests.laws import walk

CASES = [(name, seats) for name, game in GAMES.items() for seats in game.seats]


def finished(seats: int = 2, seed: int = 1) -> State:
    *_, state = walk(TOY, seats, seed)
    assert isinstance(state, State)
    return state


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_records_round_trip(name: str, seats: int) -> None:
    states = []
    for seed in range(3):
        *_, state = walk(GAMES[name], seats, seed)
        states.append(state)
    lines = [line for state in states for line in Record(state).lines()]
    back = [record.state for record in read_records(lines)]
    assert back == states
    assert [state.history for state in back] == [state.history for state in states]


def test_seed_is_kept_and_checked() -> None:
    state = TOY.new(2, 5)
    (record,) = read_records(Record(state, 5).lines())
    assert (record.seed, record.state) == (5, state)


def test_a_game_broken_off_has_no_returns() -> None:
    state = TOY.new(2, 5)
    state.play(state.draw(1))
    *_, last = Record(state).lines()
    assert json.loads(last) == {"end": True, "plies": 1, "returns": None, "margins": None}


@pytest.mark.parametrize(
    ("early", "said"),
    [
        (EarlyEnd(1), {"ended": "resigned", "winner": "seat 1"}),
        (EarlyEnd(None), {"ended": "abandoned", "winner": None}),
    ],
)
def test_a_game_that_its_players_ended_says_how_and_who_won(early: EarlyEnd, said: dict[str, Any]) -> None:
    record = Record(TOY.new(2, 5), 5, early)
    *_, last = record.lines()
    assert json.loads(last) == {"end": True, "plies": 0, "returns": None, "margins": None, **said}
    assert list(read_records(record.lines())) == [record]


def broken(line: int, **changes: Any) -> list[str]:
    lines = list(Record(finished()).lines())
    lines[line - 1] = json.dumps(json.loads(lines[line - 1]) | changes)
    return lines


def begun(seats: int, **changes: Any) -> list[str]:
    first, last = Record(TOY.new(seats, 1)).lines()
    return [first, json.dumps(json.loads(last) | changes)]


WRONG: list[tuple[list[str], int, str]] = [
    (broken(1, record=2), 1, "begins with"),
    (broken(1, seed=99), 1, "seed 99 does not give this position"),
    (broken(1, seed="x"), 1, "seed"),
    (broken(1, position={"toy": {}}), 1, "rules_revision"),
    (broken(3, ply=9), 3, "ply is 9, not 2"),
    (broken(3, by="seat 0"), 3, "by is 'seat 0', not 'nature'"),
    (broken(2, action="dance"), 2, "no action of toy"),
    (broken(2, action="fold"), 2, "not legal"),
    (broken(2, action=3), 2, "fields ply, by and action"),
    (broken(10, returns=[0.25, 0.75]), 10, "returns is"),
    (broken(10, margins=[10**400, -(10**400)]), 10, "margins is"),
    (broken(10, plies=7), 10, "plies is 7, not 8"),
    (broken(10, ended="resigned", winner="seat 1"), 10, "ended is 'resigned' and winner 'seat 1'; this game cannot"),
    (begun(2, ended="resigned", winner="seat 2"), 2, "ended is 'resigned' and winner 'seat 2'"),
    (begun(3, ended="resigned", winner="seat 1"), 2, "ended is 'resigned' and winner 'seat 1'"),
    (begun(2, ended="resigned"), 2, "ended is 'resigned' and winner None"),
    (begun(2, ended="abandoned", winner="seat 0"), 2, "ended is 'abandoned' and winner 'seat 0'"),
    (begun(2, ended=[], winner={}), 2, "ended is [] and winner {}"),
    (list(Record(finished()).lines())[:-1], 10, "ends before its last line"),
    (list(Record(finished()).lines())[1:], 1, "begins with"),
    ([*list(Record(finished()).lines())[:4], "{"], 5, "is not JSON"),
    ([*list(Record(finished()).lines())[:4], "[" * 99_999], 5, "is nested too deep"),
    ([*list(Record(finished()).lines())[:4], "3"], 5, "not a JSON object"),
    ([*list(Record(finished()).lines())[:-1], '{"ply": 9, "by": "nature", "action": "fold"}'], 10, "the game is over"),
]


@pytest.mark.parametrize(("lines", "number", "message"), WRONG)
def test_the_wrong_line_is_named(lines: list[str], number: int, message: str) -> None:
    with pytest.raises(BadRecord, match=f"line {number}: ") as caught:
        list(read_records(lines))
    assert message in str(caught.value)
    assert caught.value.line == number


@given(st.lists(st.text(max_size=40), min_size=1, max_size=5))
def test_no_text_crashes_the_reader(lines: list[str]) -> None:
    with pytest.raises(BadRecord):
        list(read_records(lines))


def test_games_before_the_wrong_line_are_read() -> None:
    records = read_records([*Record(finished()).lines(), "oops"])
    assert next(records).state == finished()
    with pytest.raises(BadRecord, match="line 11"):
        next(records)

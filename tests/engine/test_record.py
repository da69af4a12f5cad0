"""Records: a written record is read back, and a wrong line is named."""

import json
from typing import Any

import pytest

from clerestory.engine import GAMES, BadRecord, Record, State, read_records
from clerestory.engine.record import EarlyEnd
from clerestory.engine.toy.rules import TOY
from tests.laws import walk
from tests.shipped import CASES

NO_RESULT = {"end": True, "returns": None, "margins": None}


def finished(seats: int = 2, seed: int = 1) -> State:
    *_, state = walk(TOY, seats, seed)
    assert isinstance(state, State)
    return state


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_records_round_trip(name: str, seats: int) -> None:
    states = [list(walk(GAMES[name], seats, seed))[-1] for seed in range(2)]
    back = [record.state for record in read_records([line for state in states for line in Record(state).lines()])]
    assert back == states
    assert [state.history for state in back] == [state.history for state in states]


def test_a_game_broken_off_keeps_its_seed_and_has_no_returns() -> None:
    state = TOY.new(2, 5)
    state.play(state.draw(1))
    lines = list(Record(state, 5).lines())
    assert json.loads(lines[-1]) == {"plies": 1, **NO_RESULT}
    (record,) = read_records(lines)
    assert (record.seed, record.state) == (5, state)


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
    assert json.loads(last) == {"plies": 0, **NO_RESULT, **said}
    assert list(read_records(record.lines())) == [record]


LINES = list(Record(finished()).lines())


def changed(line: int, **changes: Any) -> list[str]:
    return [*LINES[: line - 1], json.dumps(json.loads(LINES[line - 1]) | changes), *LINES[line:]]


def ended(seats: int, **changes: Any) -> list[str]:
    first, last = Record(TOY.new(seats, 1)).lines()
    return [first, json.dumps(json.loads(last) | changes)]


#   lines, the number of the wrong one, its error
WRONG: list[tuple[list[str], int, str]] = [
    (changed(1, record=2), 1, "begins with"),
    (changed(1, seed=99), 1, "seed 99 does not give this position"),
    (changed(1, seed="x"), 1, "seed"),
    (changed(1, position={"toy": {}}), 1, "rules_revision"),
    (changed(3, ply=9), 3, "ply is 9, not 2"),
    (changed(3, by="seat 0"), 3, "by is 'seat 0', not 'nature'"),
    (changed(2, action="dance"), 2, "no action of toy"),
    (changed(2, action="fold"), 2, "not legal"),
    (changed(2, action=3), 2, "fields ply, by and action"),
    (changed(10, returns=[0.25, 0.75]), 10, "returns is"),
    (changed(10, margins=[10**400, -(10**400)]), 10, "margins is"),
    (changed(10, plies=7), 10, "plies is 7, not 8"),
    (changed(10, ended="resigned", winner="seat 1"), 10, "ended is 'resigned' and winner 'seat 1'; this game cannot"),
    (ended(2, ended="resigned", winner="seat 2"), 2, "ended is 'resigned' and winner 'seat 2'"),
    (ended(3, ended="resigned", winner="seat 1"), 2, "ended is 'resigned' and winner 'seat 1'"),
    (ended(2, ended="resigned"), 2, "ended is 'resigned' and winner None"),
    (ended(2, ended="abandoned", winner="seat 0"), 2, "ended is 'abandoned' and winner 'seat 0'"),
    (ended(2, ended=[], winner={}), 2, "ended is [] and winner {}"),
    (LINES[:-1], 10, "ends before its last line"),
    (LINES[1:], 1, "begins with"),
    (["", *LINES], 1, "is not JSON"),
    ([*LINES[:4], "{"], 5, "is not JSON"),
    ([*LINES[:4], "[" * 99_999], 5, "is nested too deep"),
    ([*LINES[:4], "3"], 5, "not a JSON object"),
    ([*LINES[:-1], '{"ply": 9, "by": "nature", "action": "fold"}'], 10, "the game is over"),
]


@pytest.mark.parametrize(("lines", "number", "message"), WRONG, ids=range(len(WRONG)))
def test_the_wrong_line_is_named(lines: list[str], number: int, message: str) -> None:
    with pytest.raises(BadRecord, match=f"line {number}: ") as caught:
        list(read_records(lines))
    assert message in str(caught.value)
    assert caught.value.line == number


@pytest.mark.parametrize("separators", [(", ", ": "), (",", ":"), (" , ", " : ")])
def test_lines_of_other_writers_are_read_as_our_own(separators: tuple[str, str]) -> None:
    """Lines in our format are not parsed as JSON."""
    state = finished(seats=3, seed=4)
    ours = [f"{line}\n" for line in Record(state, 4).lines()]
    theirs = [json.dumps(json.loads(line), separators=separators, sort_keys=True) + "\n" for line in ours]
    assert list(read_records(ours)) == list(read_records(theirs)) == [Record(state, 4)]


@pytest.mark.parametrize("action", ['play 4", "by": "nature', "play \\u0034", "pl\\u0061y 9", "play\t4", "", "é"])
def test_no_action_is_read_out_of_a_line_without_parsing_it(action: str) -> None:
    """A line that begins and ends like ours, with something else between, gets the same error as one with spaces."""
    number = next(i for i, line in enumerate(LINES) if '"by": "seat 0"' in line)
    ply = json.loads(LINES[number])["ply"]
    told = []
    for begin in ('{"ply": ', '{ "ply": '):
        line = f'{begin}{ply}, "by": "seat 0", "action": "{action}"}}\n'
        with pytest.raises(BadRecord) as caught:
            list(read_records([*LINES[:number], line]))
        told.append(str(caught.value).replace("{ ", "{"))
    assert told[0] == told[1]


def test_games_before_the_wrong_line_are_read() -> None:
    records = read_records([*LINES, "oops"])
    assert next(records).state == finished()
    with pytest.raises(BadRecord, match="line 11"):
        next(records)

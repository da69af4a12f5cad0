"""The checked interface: rejected arguments, and that a rejection changes nothing."""

import copy
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clerestory.bench.loops import copies, random_games
from clerestory.engine import (
    GAMES,
    OVER,
    BadPosition,
    BadText,
    IllegalAction,
    NotOver,
    Rng,
    State,
    from_position,
)
from clerestory.engine.duel.guide import terms_of as duel_terms
from clerestory.engine.games import build_of, unpickled
from clerestory.engine.toy.rules import TOY
from tests.laws import walk
from tests.search.positions import decisions


@pytest.fixture
def state() -> State:
    """The opening of a game for two, at which Nature turns up a card."""
    return TOY.new(2, 1)


def test_a_state_cannot_be_made_from_nothing() -> None:
    with pytest.raises(TypeError):
        State(TOY)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        State.__new__(State, None)  # type: ignore[call-arg]


@pytest.mark.parametrize("form", [lambda action: action, lambda action: action.text, lambda action: action.code])
def test_play_takes_action_text_or_code(state: State, form: object) -> None:
    action = state.legal_actions()[0]
    state.play(form(action))  # type: ignore[operator]
    assert state.history == (action,)


@pytest.mark.parametrize("name", GAMES)
def test_weights_of_listed_actions_are_those_of_the_position(name: str) -> None:
    rules = GAMES[name]
    for state in decisions(rules, 2, 3)[::7]:
        assert rules.weigh(state.to_bytes(), state.legal_codes()) == state.weights()
    for memory, codes in [(b"", [0]), (bytes(rules.state_bytes), [0] * 129)]:
        with pytest.raises(ValueError, match="possible: "):
            rules.weigh(memory, codes)


@pytest.mark.parametrize("name", GAMES)
def test_rounds_are_numbered_from_1(name: str) -> None:
    numbers = [state.round_number() for state in decisions(GAMES[name], 2, 3)]
    assert numbers[0] == 1
    assert numbers == sorted(numbers)


@pytest.mark.parametrize("text", ["", "play", "play 11", "PLAY 3", "play 3 4", "\0", "x" * 5000])
def test_a_text_of_no_action_is_rejected(state: State, text: str) -> None:
    before = state.to_bytes()
    with pytest.raises(BadText) as caught:
        state.play(text)
    assert len(str(caught.value)) < 200
    assert state.to_bytes() == before


@pytest.mark.parametrize("code", [-1, 23, 1 << 70])
def test_a_code_of_no_action_is_rejected(code: int) -> None:
    with pytest.raises(BadText):
        TOY.action(code)


TAKE_INTEGERS: dict[str, Callable[[Any], object]] = {
    "action": TOY.action,
    "play": lambda number: TOY.new(2, 1).play(number),
    "weigh": lambda number: GAMES["duel"].weigh(GAMES["duel"].new(2, 1).to_bytes(), [number]),
    "new": lambda number: TOY.new(number, 1),
    "seed": lambda number: TOY.new(2, number),
    "seat_name": TOY.seat_name,
    "observe": lambda number: TOY.new(2, 1).observe(number),
    "private_outcomes": lambda number: TOY.new(2, 1).private_outcomes(number),
    "set_private_outcome": lambda number: TOY.new(2, 1).set_private_outcome(number, 1),
    "clear_private_outcome": lambda number: TOY.new(2, 1).clear_private_outcome(number),
    "foresees": lambda number: TOY.new(2, 1).foresees(number),
    "key": lambda number: TOY.new(2, 1).key(number),
    "features": lambda number: TOY.new(2, 1).features(number),
    "duel terms": lambda number: duel_terms(GAMES["duel"].new(2, 1), number),
    "random_games": lambda number: random_games(TOY, number, 0, 1),
    "copies": lambda number: copies(TOY.new(2, 1), number),
    "below": lambda number: Rng(1).below(number),
    "stream": Rng,
}


@pytest.mark.parametrize(
    "number", [2.7, 1.0, np.float64(1), True, np.True_, [1], np.array([0, 1]), np.array([1])], ids=repr
)
@pytest.mark.parametrize("take", TAKE_INTEGERS.values(), ids=TAKE_INTEGERS)
def test_what_is_no_integer_is_rejected(take: Callable[[Any], object], number: object) -> None:
    with pytest.raises(ValueError, match=re.escape(repr(number))):
        take(number)


@pytest.mark.parametrize("take", [TOY.action, *map(TAKE_INTEGERS.get, ("new", "seed", "observe", "below"))])
def test_integers_of_numpy_count(take: Callable[[Any], Any]) -> None:
    assert repr(take(np.int64(2)) if take is not TAKE_INTEGERS["observe"] else take(np.int8(1)))


def test_no_function_that_python_calls_has_a_c_integer_as_parameter() -> None:
    """Such a parameter would accept a float and truncate it; integers.pxd reads integers."""
    header = re.compile(r"^ *(?:cp)?def [^:]*?\b(?:u?int\d*(?:_t)?|long|unsigned|size_t|Py_ssize_t|action_t) \w+", re.M)
    sources = [source for folder in ("engine", "search") for source in Path(folder).rglob("*.pyx")]
    assert sources
    assert [(str(source), found) for source in sources for found in header.findall(source.read_text("utf-8"))] == []


def test_an_illegal_action_says_what_is_legal(state: State) -> None:
    with pytest.raises(IllegalAction, match=r"fold: not legal; legal here: turn-up 1, turn-up 2") as caught:
        state.play("fold")
    assert caught.value.legal == tuple(action.text for action in state.legal_actions())
    assert not state.history


def test_a_finished_game_has_no_actions() -> None:
    *_, state = walk(TOY, 2, 1)
    assert (state.turn, state.legal_actions(), state.play_nature(1)) == (OVER, (), ())
    with pytest.raises(IllegalAction, match="the game is over"):
        state.play("fold")
    with pytest.raises(IllegalAction, match="no chance event"):
        state.draw(1)


def test_results_only_at_the_end(state: State) -> None:
    for ask in (state.win_shares, state.margins):
        with pytest.raises(NotOver):
            ask()


def test_undo_returns_the_action_and_rejects_when_there_is_none(state: State) -> None:
    action = state.legal_actions()[2]
    state.play(action)
    assert state.undo() == action
    with pytest.raises(IndexError, match="nothing to undo"):
        state.undo()


def test_a_copy_keeps_the_history_on_request(state: State) -> None:
    start = state.copy()
    state.play(state.legal_actions()[0])
    assert state.copy().history == ()
    copy = state.copy(history=True)
    copy.undo()
    assert copy == start
    assert len(state.history) == 1


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
@pytest.mark.parametrize("name", GAMES)
def test_a_pickled_position_is_the_same_with_its_history(name: str, duplicate: Callable[[Any], Any]) -> None:
    *_, state = walk(GAMES[name], 2, 1)
    same = duplicate({"state": state, "rng": Rng(5)})
    assert (same["state"], same["state"].game, same["state"].history) == (state, state.game, state.history)
    assert same["rng"].state == Rng(5).state
    while same["state"].history:
        assert same["state"].undo() == state.undo()
        assert same["state"] == state


def test_a_pickled_view_holds_no_more_than_the_view() -> None:
    state = GAMES["cathedral"].new(3, 1)
    state.play_nature(1)
    view = state.observe(1)
    assert state.to_bytes() not in pickle.dumps(view)
    assert pickle.loads(pickle.dumps(view)).key(1) == state.key(1)


@pytest.mark.parametrize(
    ("part", "field"), [("version", "version"), ("layout", "version"), ("rules_revision",) * 2, ("catalogue",) * 2]
)
def test_a_pickle_of_another_build_is_rejected(state: State, part: str, field: str) -> None:
    assert unpickled("toy", build_of(state.game)) is state.game
    with pytest.raises(BadPosition, match=f"^{field}: ") as caught:
        unpickled("toy", build_of(state.game) | {part: "other"})
    assert [violation.field for violation in caught.value.violations] == [field]


def test_a_damaged_pickle_is_rejected(state: State) -> None:
    make, (game, memory, _) = state.__reduce__()  # type: ignore[misc]
    for damaged in [(memory[:-1], []), (b"\xff" * len(memory), []), (memory, [(0, memory[:-1])])]:
        with pytest.raises(BadPosition, match=r"^position: is not the memory"):
            make(game, *damaged)


def test_equal_positions_are_equal_and_have_no_hash(state: State) -> None:
    assert state == TOY.new(2, 1) != TOY.new(2, 2)
    assert state != "toy"
    assert eval(repr(state), {"from_position": from_position}) == state
    with pytest.raises(TypeError):
        hash(state)


@pytest.mark.parametrize("seats", [-1, 0, 1, 5, 1 << 20])
def test_a_number_of_players_that_the_game_has_not_is_rejected(seats: int) -> None:
    with pytest.raises(BadPosition, match="seats"):
        TOY.new(seats, 1)


@pytest.mark.parametrize("seat", [-2, 2, 100])
def test_a_seat_that_the_game_has_not_is_rejected(state: State, seat: int) -> None:
    for ask in (state.observe, state.key, state.features):
        with pytest.raises(BadPosition, match="seat"):
            ask(seat)


def test_nature_plays_until_a_seat_decides_who_draws_nothing(state: State) -> None:
    same = state.copy()
    outcomes = state.play_nature(Rng(1))
    assert state.turn >= 0
    assert state.history[-len(outcomes) :] == outcomes
    assert state.play_nature(1) == ()
    for outcome in outcomes:
        same.play(outcome)
    assert same == state
    for ask in (state.odds, lambda: state.draw(1)):
        with pytest.raises(IllegalAction, match="no chance event"):
            ask()


ENVELOPES = ["", "{", "[]", "null", "1", b"\xff\xfe", b"\0", "[" * 100_000, '{"toy": 1}', {}, [], None]


@pytest.mark.parametrize("position", ENVELOPES, ids=range(len(ENVELOPES)))
def test_what_is_no_position_is_rejected(position: object) -> None:
    with pytest.raises(BadPosition):
        from_position(position)  # type: ignore[arg-type]


def test_every_fault_of_the_envelope_is_named() -> None:
    with pytest.raises(BadPosition) as caught:
        from_position({"rules_revision": 9, "catalogue": "x", "toy": 3, "extra": 1})
    assert [violation.field for violation in caught.value.violations] == ["rules_revision", "catalogue", "toy", "extra"]
    with pytest.raises(BadPosition, match=r"^rules_revision: is missing;"):
        from_position({"toy": {}, "extra": 1})

"""The checked interface: what it refuses, and that a refusal changes nothing."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clerestory.engine import (
    GAMES,
    NATURE,
    OVER,
    BadPosition,
    BadText,
    GameError,
    IllegalAction,
    NotOver,
    Rng,
    State,
    from_position,
)
from clerestory.engine.toy.rules import TOY
from tests.search.positions import decisions


def start() -> State:
    return TOY.new(2, 1)


def test_a_state_cannot_be_made_from_nothing() -> None:
    with pytest.raises(TypeError):
        State(TOY)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        State.__new__(State, None)  # type: ignore[call-arg]


def test_play_takes_action_text_or_code() -> None:
    for form in (lambda action: action, lambda action: action.text, lambda action: action.code):
        state = start()
        action = state.legal_actions()[0]
        state.play(form(action))
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


def test_texts_are_read_without_regard_to_spaces() -> None:
    assert TOY.parse_action("  play   3 ").text == "play 3"


@pytest.mark.parametrize("text", ["", "play", "play 11", "PLAY 3", "play 3 4", "\0", "x" * 5000])
def test_bad_text(text: str) -> None:
    state = start()
    before = state.to_bytes()
    with pytest.raises(BadText) as caught:
        state.play(text)
    assert len(str(caught.value)) < 200
    assert state.to_bytes() == before


@pytest.mark.parametrize("code", [-1, 23, 1 << 40])
def test_bad_code(code: int) -> None:
    with pytest.raises((BadText, OverflowError)):
        TOY.action(code)


def test_illegal_action_says_what_is_legal() -> None:
    state = start()
    with pytest.raises(IllegalAction, match=r"fold: not legal; legal here: turn-up 1, turn-up 2") as caught:
        state.play("fold")
    assert caught.value.legal == tuple(action.text for action in state.legal_actions())
    assert not state.history


def test_a_finished_game_has_no_actions() -> None:
    state = start()
    while not state.over:
        state.play(state.draw(1) if state.turn == NATURE else "fold")
    assert (state.turn, state.legal_actions()) == (OVER, ())
    with pytest.raises(IllegalAction, match="the game is over"):
        state.play("fold")
    with pytest.raises(IllegalAction, match="no chance event"):
        state.draw(1)


def test_results_only_at_the_end() -> None:
    for ask in (start().returns, start().margins):
        with pytest.raises(NotOver):
            ask()


def test_undo_of_nothing() -> None:
    with pytest.raises(IndexError, match="nothing to undo"):
        start().undo()


def test_undo_returns_the_action() -> None:
    state = start()
    action = state.legal_actions()[2]
    state.play(action)
    assert state.undo() == action


def test_copy_keeps_history_on_request() -> None:
    state = start()
    state.play(state.legal_actions()[0])
    assert state.copy().history == ()
    copy = state.copy(history=True)
    copy.undo()
    assert copy == start()
    assert len(state.history) == 1


def test_equality() -> None:
    assert start() == start()
    assert start() != TOY.new(2, 2)
    assert start() != "toy"
    with pytest.raises(TypeError):
        hash(start())


def test_repr_rebuilds() -> None:
    assert eval(repr(start()), {"from_position": from_position}) == start()


@pytest.mark.parametrize("seats", [-1, 0, 1, 5, 1 << 20])
def test_bad_player_count(seats: int) -> None:
    with pytest.raises(BadPosition, match="seats"):
        TOY.new(seats, 1)


@pytest.mark.parametrize("seat", [-2, 2, 100])
def test_bad_seat(seat: int) -> None:
    for ask in (start().observe, start().key, start().features):
        with pytest.raises(BadPosition, match="seat"):
            ask(seat)


def test_odds_and_draws_are_natures() -> None:
    state = start()
    state.play_nature(1)
    for ask in (state.odds, lambda: state.draw(1)):
        with pytest.raises(IllegalAction, match="no chance event"):
            ask()


def test_nature_plays_until_a_seat_decides_or_the_game_is_over() -> None:
    state, same = start(), start()
    outcomes = state.play_nature(Rng(1))
    assert state.turn >= 0
    assert state.history[-len(outcomes) :] == outcomes
    assert state.play_nature(1) == ()
    for outcome in outcomes:
        same.play(outcome)
    assert same == state
    while not state.over:
        state.play(state.legal_codes()[0])
        state.play_nature(1)
    assert state.play_nature(1) == ()


@pytest.mark.parametrize(
    "position", ["", "{", "[]", "null", "1", b"\xff\xfe", "[" * 100_000, '{"toy": 1}', {}, [], None]
)
def test_bad_envelopes(position: object) -> None:
    with pytest.raises(BadPosition):
        from_position(position)  # type: ignore[arg-type]


def test_every_fault_of_the_envelope_is_named() -> None:
    with pytest.raises(BadPosition) as caught:
        from_position({"rules_revision": 9, "catalogue": "x", "toy": 3, "extra": 1})
    assert [violation.field for violation in caught.value.violations] == ["rules_revision", "catalogue", "toy", "extra"]
    with pytest.raises(BadPosition, match=r"^rules_revision: is missing;"):
        from_position({"toy": {}, "extra": 1})


def met(name: str) -> list[State]:
    """Positions along one game."""
    state, found = GAMES[name].new(max(GAMES[name].seats), 1), []
    while not state.over:
        found.append(state.copy())
        legal = state.legal_codes()
        state.play(legal[len(found) % len(legal)])
    return found[::5]


MET = {name: met(name) for name in GAMES}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize("name", GAMES)
@given(data=st.data())
def test_no_json_crashes_the_door(name: str, data: st.DataObject) -> None:
    """With any field replaced by any JSON value: a valid position, or BadPosition."""
    position = data.draw(st.sampled_from(MET[name])).to_position()
    target = position[name]
    if data.draw(st.booleans()):
        target = data.draw(st.sampled_from(target["players"]))
    target[data.draw(st.sampled_from(sorted(target)) | st.text(max_size=5))] = data.draw(json_values)
    try:
        state = from_position(json.loads(json.dumps(position)))
    except BadPosition:
        return
    assert state.check() == 0
    assert state.over or state.legal_actions()


@given(st.binary(max_size=200) | st.text(max_size=200))
def test_no_bytes_crash_the_door(position: bytes | str) -> None:
    with pytest.raises(BadPosition):
        from_position(position)


def test_bad_position_is_a_value_error() -> None:
    assert issubclass(BadPosition, GameError)
    assert issubclass(GameError, ValueError)

"""The checked interface: what it refuses, and that a refusal changes nothing."""

import pytest

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
def test_a_text_of_no_action_is_refused(state: State, text: str) -> None:
    before = state.to_bytes()
    with pytest.raises(BadText) as caught:
        state.play(text)
    assert len(str(caught.value)) < 200
    assert state.to_bytes() == before


@pytest.mark.parametrize("code", [-1, 23, 1 << 40])
def test_a_code_of_no_action_is_refused(code: int) -> None:
    with pytest.raises((BadText, OverflowError)):
        TOY.action(code)


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
    for ask in (state.returns, state.margins):
        with pytest.raises(NotOver):
            ask()


def test_undo_returns_the_action_and_refuses_when_there_is_none(state: State) -> None:
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


def test_equal_positions_are_equal_and_have_no_hash(state: State) -> None:
    assert state == TOY.new(2, 1) != TOY.new(2, 2)
    assert state != "toy"
    assert eval(repr(state), {"from_position": from_position}) == state
    with pytest.raises(TypeError):
        hash(state)


@pytest.mark.parametrize("seats", [-1, 0, 1, 5, 1 << 20])
def test_a_number_of_players_that_the_game_has_not_is_refused(seats: int) -> None:
    with pytest.raises(BadPosition, match="seats"):
        TOY.new(seats, 1)


@pytest.mark.parametrize("seat", [-2, 2, 100])
def test_a_seat_that_the_game_has_not_is_refused(state: State, seat: int) -> None:
    for ask in (state.observe, state.key, state.features):
        with pytest.raises(BadPosition, match="seat"):
            ask(seat)


def test_odds_and_draws_are_natures(state: State) -> None:
    state.play_nature(1)
    for ask in (state.odds, lambda: state.draw(1)):
        with pytest.raises(IllegalAction, match="no chance event"):
            ask()


def test_nature_plays_until_a_seat_decides(state: State) -> None:
    same = state.copy()
    outcomes = state.play_nature(Rng(1))
    assert state.turn >= 0
    assert state.history[-len(outcomes) :] == outcomes
    assert state.play_nature(1) == ()
    for outcome in outcomes:
        same.play(outcome)
    assert same == state


ENVELOPES = ["", "{", "[]", "null", "1", b"\xff\xfe", b"\0", "[" * 100_000, '{"toy": 1}', {}, [], None]


@pytest.mark.parametrize("position", ENVELOPES, ids=range(len(ENVELOPES)))
def test_what_is_no_position_is_refused(position: object) -> None:
    with pytest.raises(BadPosition):
        from_position(position)  # type: ignore[arg-type]


def test_every_fault_of_the_envelope_is_named() -> None:
    with pytest.raises(BadPosition) as caught:
        from_position({"rules_revision": 9, "catalogue": "x", "toy": 3, "extra": 1})
    assert [violation.field for violation in caught.value.violations] == ["rules_revision", "catalogue", "toy", "extra"]
    with pytest.raises(BadPosition, match=r"^rules_revision: is missing;"):
        from_position({"toy": {}, "extra": 1})

"""A position is the same in the engine, as a message, on the wire, and as a message's JSON."""

import json

import pytest
from google.protobuf.json_format import MessageToJson, Parse

from clerestory.clients.wire import position_message
from clerestory.engine import GAMES, Rng, State
from clerestory.search.result import StopReason
from clerestory.server.translate import STOP_REASONS, read_position, read_question
from clerestory.v1.advisor_pb2 import StopReason as StopReasonMessage
from clerestory.v1.position_pb2 import Position
from tests.server.harness import opening, question


def positions(name: str, seats: int, seed: int) -> list[State]:
    """Return positions of a random game (every one of a short game), and each as every seat knows it."""
    rng = Rng(seed)
    state = GAMES[name].new(seats, rng)
    met = [state.copy()]
    while not state.over:
        actions = state.legal_actions()
        state.play(state.draw(rng) if state.turn < 0 else actions[rng.below(len(actions))])
        met.append(state.copy())
    some = met[seed % 5 :: 1 + len(met) // 50]
    return some + [position.observe(seat) for position in some for seat in range(seats)]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("name", "seats"), [(name, seats) for name, game in GAMES.items() for seats in game.seats])
def test_round_trip(name: str, seats: int, seed: int) -> None:
    for state in positions(name, seats, seed):
        message = position_message(state)
        assert read_position(Position.FromString(message.SerializeToString())) == state
        assert read_position(Parse(state.to_json(), Position())) == state
        written = json.loads(
            MessageToJson(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
        )
        assert {field: value for field, value in written.items() if value != ""} == state.to_position()


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_nothing_hidden_is_kept_of_a_question(seats: int) -> None:
    truth = opening(seats)
    asked = read_question(question(truth, iterations=1))
    assert asked.view == truth.observe(truth.turn)
    assert asked.view != truth


def test_a_position_can_hold_every_game() -> None:
    assert {field.name for field in Position.DESCRIPTOR.oneofs_by_name["game"].fields} == set(GAMES)


def test_every_stop_reason_has_its_message() -> None:
    named = {reason: StopReasonMessage.Name(number) for reason, number in STOP_REASONS.items()}
    unsaid = {StopReason.PAUSED: "STOP_REASON_UNSPECIFIED"}
    assert named == {reason: f"STOP_REASON_{reason.name}" for reason in StopReason} | unsaid

"""The input of a learned value: only public information, independent of the numbering of seats."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from clerestory.engine import Game, GameError, Rng, State, game
from tests.engine.cathedral.positions import draft
from tests.engine.cathedral.scenes import read
from tests.laws import walk
from tests.shipped import CATHEDRAL, DUEL

LEARNED = [CATHEDRAL, DUEL]
COLOURS = ("red", "blue", "green", "yellow")
Features = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]


def memory_of(states: Sequence[State]) -> NDArray[np.uint8]:
    return np.stack([np.frombuffer(state.to_bytes(), np.uint8) for state in states])


def features(*states: State) -> Features:
    return states[0].game.inputs(memory_of(states))


def places(*states: State) -> Features:
    return states[0].game.places(memory_of(states))


def sampled(rules: Game, seats: int, seed: int, every: int) -> list[State]:
    return [state.copy() for state in walk(rules, seats, seed)][::-every]


def equal(a: Features, b: Features) -> bool:
    return all(np.array_equal(one, other) for one, other in zip(a, b, strict=True))


def renamed(state: State, by: int) -> State:
    name = state.game.name
    colours = COLOURS[: state.seats]
    turned = {colour: colours[(i + by) % state.seats] for i, colour in enumerate(colours)}

    def turn(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: turn(item) for key, item in value.items()}
        if isinstance(value, list):
            return [turn(item) for item in value]
        return turned.get(value, value) if isinstance(value, str) else value

    position = turn(state.to_position())
    players = position[name]["players"]
    position[name]["players"] = [players[(i - by) % state.seats] for i in range(state.seats)]
    return state.game.from_position(json.dumps(position))


@pytest.mark.parametrize("rules", LEARNED, ids=lambda rules: rules.name)
def test_features_are_named_and_stay_near_0_to_1(rules: Game) -> None:
    states = [state.copy() for seed in range(10) for state in walk(rules, 2, seed)]
    own, table, points = features(*states)
    assert own.shape == (len(states), 2, len(rules.input_names[0]))
    assert table.shape == (len(states), len(rules.input_names[1]))
    for names in rules.input_names:
        assert len(set(names)) == len(names)
    listed = places(*states)
    assert np.abs(listed[0]).max() < 4  # features of cards are sums and can be larger
    assert np.abs(listed[1]).max() < 2
    assert own.reshape(-1, own.shape[2]).any(axis=0).mean() > 0.7  # the rest is not done by a card of a seat
    assert points[-1] == pytest.approx(states[-1].final_scores(), abs=1e-6)


@pytest.mark.parametrize("rules", LEARNED, ids=lambda rules: rules.name)
def test_hidden_cards_do_not_matter(rules: Game) -> None:
    """A dealt position, other deals of it, and the views of each seat and of an onlooker have equal features."""
    rng = Rng(5)
    for seats in rules.seats:
        for state in sampled(rules, seats, seats, 7):
            now = features(state)
            assert all(equal(now, features(state.observe(seat))) for seat in range(-1, seats))
            assert equal(now, features(state.observe(-1).determinize(rng)))


def test_a_foreseen_event_is_private() -> None:
    """The position of Ellen's owner has the same features whether or not it contains the known event."""
    seen = []
    for event in ("hamleigh_levy", "town_wall", ""):
        fields = draft(3, 4, red={"advantages": ["ellen"]})
        rest = [card for card in fields["unseen_events"] if card != event][:2]
        state = read({**fields, "event_deck": [event, *rest] if event else []})
        seen += [features(state), features(state.observe(0)), features(state.observe(1))]
    assert all(equal(seen[0], other) for other in seen)


def test_renaming_seats_renames_features() -> None:
    """In `duel` seats differ: they have different buildings and cards."""
    for seats in CATHEDRAL.seats:
        for state in sampled(CATHEDRAL, seats, 11, 9):
            own, table, points = features(state)
            for by in range(1, seats):
                turned = features(renamed(state, by))
                assert np.array_equal(np.roll(own, by, axis=1), turned[0])
                assert np.array_equal(table, turned[1])
                assert np.array_equal(np.roll(points, by, axis=1), turned[2])


def test_wrong_arrays_are_rejected() -> None:
    two, four = (memory_of([CATHEDRAL.new(seats, 1)]) for seats in (2, 4))
    wrong = [
        (np.concatenate([two, four]), "not all of one"),
        (two[:, 1:], r"it must be \(N, 264\)"),
        (two[:0], r"it must be \(N, 264\)"),
        (np.zeros_like(two), "not all of one"),
    ]
    for memory, says in wrong:
        with pytest.raises(ValueError, match=says):
            CATHEDRAL.inputs(memory)
    with pytest.raises(GameError, match="toy has no features"):
        game("toy").inputs(two)

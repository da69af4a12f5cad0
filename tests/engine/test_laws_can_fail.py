"""Each law catches at least one deliberately broken game."""

from collections.abc import Callable
from typing import Any

import pytest

from clerestory.engine import State
from clerestory.engine.toy.rules import TOY
from tests.laws import LAWS, Law

Faults = dict[str, Callable[..., Any]]


class Broken:
    """A State or the game toy with replaced functions; those of the game are named `game.new`, `game.action`..."""

    def __init__(self, inner: Any, faults: Faults) -> None:
        self.inner, self.faults = inner, faults

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.inner, name)
        of_game = self.inner is TOY
        fault = self.faults.get(f"game.{name}" if of_game else name)
        owner = () if of_game else (self.inner,)
        if not callable(value) or value is TOY:
            return self.wrap(fault(*owner) if fault else value)
        return lambda *given, **named: self.wrap(fault(*owner, *given, **named) if fault else value(*given, **named))

    def wrap(self, value: Any) -> Any:
        return Broken(value, self.faults) if isinstance(value, State) or value is TOY else value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Broken) and bool(self.inner == other.inner)

    __hash__ = None  # type: ignore[assignment]


def peeking_legal(state: Any) -> list[int]:
    """A seat may not play its low card when seat 1 holds card 1, which it cannot know."""
    codes: list[int] = state.legal_codes()
    seat_1 = state.to_position()["toy"]["players"][1]["hand"]
    return codes[1:] if state.turn == 0 and 1 in seat_1 and len(codes) > 1 else codes


def forgetful_undo(state: Any) -> Any:
    """Undo one action too many."""
    state.undo()
    return state.undo() if state.history else None


def careless_play(state: Any, action: Any) -> None:
    """Do nothing if a hand is unknown."""
    state.play(action)
    hands = [player["hand"] for player in state.to_position()["toy"]["players"]]
    if any(0 in hand for hand in hands):
        state.undo()


def counted_hands(state: Any) -> tuple[float, ...]:
    """Return points that only the owner of a hand can see."""
    return tuple(float(sum(player["hand"])) for player in state.to_position()["toy"]["players"])


FAULTS: dict[str, Faults] = {
    "legal_is_ascending_unique_and_never_empty": {"legal_codes": lambda state: state.legal_codes()[::-1]},
    "copies_are_independent": {"copy": lambda state, **_: state},
    "undo_restores_every_byte": {"undo": forgetful_undo},
    "games_end_in_time": {"game.max_plies": lambda: 3},
    "equal_seeds_give_equal_bytes": {"game.new": lambda seats, _: TOY.new(seats, 1)},
    "positions_keep_every_invariant": {"check": lambda state: 7 if state.turn == 1 else 0},
    "results_agree": {"win_shares": lambda state: (1.0,) * state.seats},
    "everybody_sees_the_points": {"current_scores": counted_hands},
    "every_action_has_its_text": {"game.action": lambda code: TOY.action(code)._replace(text="play 1")},
    "positions_round_trip": {"game.from_position": lambda position: TOY.new(2, 1)},
    "observing_twice_changes_nothing": {
        "observe": lambda state, seat: state.observe(seat).determinize(sum(state.to_bytes()))
    },
    "dealing_agrees_with_what_was_seen": {"determinize": lambda state, rng: state.game.new(state.seats, rng)},
    "deals_are_uniform": {"determinize": lambda state, _: state.determinize(1)},
    "seats_decide_by_what_they_see": {"legal_codes": peeking_legal},
    "watching_is_playing_on_what_is_known": {"play": careless_play},
    "keys_are_equal_when_views_are": {"key": lambda state, seat: int.from_bytes(state.to_bytes()[:8], "little")},
    "odds_sum_to_one": {"odds": lambda state: [1.0] * len(state.legal_codes())},
    "odds_agree_with_draws": {"draw": lambda state, rng: state.legal_actions()[0]},
    "any_outcome_can_come_up": {"check": lambda state: 9 if state.to_position()["toy"]["prize"] == 1 else 0},
    "guides_are_sane": {"weights": lambda state: [0.0] * len(state.weights())},
}


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_a_law_fails_for_its_fault_alone(law: Law) -> None:
    law(Broken(TOY, {}), 2, 0)
    broken = Broken(TOY, FAULTS[law.__name__])
    with pytest.raises(AssertionError):
        for seed in range(10):
            law(broken, 2, seed)

"""Each law catches at least one game that is broken on purpose."""

from collections.abc import Callable
from typing import Any

import pytest

from clerestory.engine import Action
from clerestory.engine.toy.rules import TOY
from tests.laws import LAWS, Law


class BrokenState:
    """A State with one thing wrong, passed on to every State that comes out of it."""

    def __init__(self, state: Any, game: "BrokenGame") -> None:
        self.inner, self.game = state, game

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.inner, name)
        fault = self.game.faults.get(name)
        if not callable(value):
            return fault(self.inner) if fault else value
        return lambda *args, **kwargs: self.wrap(
            fault(self.inner, *args, **kwargs) if fault else value(*args, **kwargs)
        )

    def wrap(self, value: Any) -> Any:
        return BrokenState(value, self.game) if isinstance(value, type(self.inner)) else value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BrokenState) and bool(self.inner == other.inner)

    __hash__ = None  # type: ignore[assignment]


class BrokenGame:
    """The game toy with one of its functions replaced."""

    def __init__(self, faults: dict[str, Callable[..., Any]]) -> None:
        self.faults = faults

    def __getattr__(self, name: str) -> Any:
        value = getattr(TOY, name)
        fault = self.faults.get(f"game.{name}")
        if not callable(value):
            return fault() if fault else value
        return lambda *args: self.wrap((fault or value)(*args))

    def wrap(self, value: Any) -> Any:
        return BrokenState(value, self) if hasattr(value, "legal_codes") else value


def same_state(state: Any, *_: Any, **__: Any) -> Any:
    return state


def true_deal(state: Any, _: Any) -> Any:
    """Deals one and the same world, whatever the seed."""
    return state.deal(1)


def peeking_legal(state: Any) -> list[int]:
    """A seat may not play its low card when seat 1 holds card 1: it cannot know that."""
    codes: list[int] = state.legal_codes()
    seat_1 = state.to_position()["toy"]["players"][1]["hand"]
    return codes[1:] if state.turn == 0 and 1 in seat_1 and len(codes) > 1 else codes


def forgetful_undo(state: Any) -> Any:
    """Takes back one action too many."""
    state.undo()
    return state.undo() if state.history else None


def noisy_key(state: Any, seat: int) -> int:
    return int.from_bytes(state.to_bytes()[:8], "little")


def careless_play(state: Any, action: Any) -> None:
    """Turns a card up without regard to where it was dealt."""
    hands = [player["hand"] for player in state.to_position()["toy"]["players"]]
    state.play(action)
    if any(0 in hand for hand in hands):
        state.undo()


def restless_observe(state: Any, seat: int) -> Any:
    """Fills the unknown with whatever its input suggests."""
    return state.observe(seat).deal(sum(state.to_bytes()))


def loaded_draw(state: Any, rng: Any) -> Action:
    """Always the first outcome."""
    return state.legal_actions()[0]


def renamed(code: int) -> Action:
    return TOY.action(code)._replace(text="play 1")


def all_fixed(seats: int, _: Any) -> Any:
    return TOY.new(seats, 1)


def counted_hands(state: Any) -> tuple[float, ...]:
    """Points that only an owner of a hand can see."""
    return tuple(float(sum(player["hand"])) for player in state.to_position()["toy"]["players"])


FAULTS: dict[str, dict[str, Callable[..., Any]]] = {
    "legal_is_ascending_unique_and_never_empty": {"legal_codes": lambda state: state.legal_codes()[::-1]},
    "copies_are_independent": {"copy": same_state},
    "undo_restores_every_byte": {"undo": forgetful_undo},
    "games_end_in_time": {"game.max_plies": lambda: 3},
    "equal_seeds_give_equal_bytes": {"game.new": all_fixed},
    "positions_keep_every_invariant": {"check": lambda state: 7 if state.turn == 1 else 0},
    "results_agree": {"returns": lambda state: (1.0,) * state.seats},
    "everybody_sees_the_points": {"points": counted_hands},
    "every_action_has_its_text": {"game.action": renamed},
    "positions_round_trip": {"game.from_position": lambda position: TOY.new(2, 1)},
    "observing_twice_changes_nothing": {"observe": restless_observe},
    "dealing_agrees_with_what_was_seen": {"deal": lambda state, rng: state.game.new(state.seats, rng)},
    "deals_are_uniform": {"deal": true_deal},
    "seats_decide_by_what_they_see": {"legal_codes": peeking_legal},
    "watching_is_playing_on_what_is_known": {"play": careless_play},
    "keys_are_equal_when_views_are": {"key": noisy_key},
    "odds_sum_to_one": {"odds": lambda state: [1.0] * len(state.legal_codes())},
    "odds_agree_with_draws": {"draw": loaded_draw},
    "any_outcome_can_come_up": {"check": lambda state: 9 if state.to_position()["toy"]["prize"] == 1 else 0},
    "guides_are_sane": {"weights": lambda state: [0.0] * len(state.weights())},
}


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law_can_fail(law: Law) -> None:
    broken = BrokenGame(FAULTS[law.__name__])
    with pytest.raises(AssertionError):
        for seed in range(10):
            law(broken, 2, seed)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law_holds_without_the_fault(law: Law) -> None:
    law(BrokenGame({}), 2, 0)

"""Positions of the core for tests: games drawn by weights, positions changed by hand."""

import copy
from collections.abc import Callable
from typing import Any

from clerestory.engine import Rng, State
from tests.engine.guided import drawn, informed
from tests.shipped import DUEL

CHIPS = ("wood", "sand", "stone", "wool", "ore")
MATERIALS = ("beam", "mortar", "brick", "cloth", "bell")


def fields(state: State) -> dict[str, Any]:
    found: dict[str, Any] = state.to_position()["duel"]
    return found


def texts(state: State) -> list[str]:
    return [action.text for action in state.legal_actions()]


def reach(step: str, *, phase: int = 1, seed: int = 1, until: Callable[[State], bool] = lambda _: True) -> State:
    """Return the first position at a step, in a phase or a later one, of games drawn by the guide's weights."""
    for game in range(100):
        rng = Rng(1000 * seed + game)
        state = DUEL.new(2, rng)
        while not state.over:
            found = fields(state)
            if found["step"] == step and found["phase"] >= phase and until(state):
                return state
            state.play(drawn(state, rng, informed))
    raise AssertionError(f"no game comes to {step}")


def changed(state: State, changes: dict[str, Any] | None = None, **players: dict[str, Any]) -> State:
    """Return the position with fields and players' fields set; a player's `chips` are the camp, the rest is supply."""
    position = copy.deepcopy(state.to_position())
    position["duel"] |= changes or {}
    for colour, values in players.items():
        player = position["duel"]["players"][("red", "blue").index(colour)]
        player |= {
            name: {**player[name], **value} if isinstance(value, dict) else value for name, value in values.items()
        }
        placed = [*player["section_1"], *player["section_2"], *player["section_3"]]
        for chip, material, most in zip(CHIPS, MATERIALS, (2, 2, 2, 4, 1), strict=True):
            there = player["camp"][chip] + player["materials"][material] + placed.count(material)
            player["supply"][chip] = most - there
    return DUEL.from_position(position)

"""Positions for tests: a game is led to a step, then the fields under test are set by hand."""

import copy
from typing import Any

from clerestory.engine import NATURE, Rng, State
from tests.shipped import CATHEDRAL

QUIET = ("pass", "accept", "leave", "finish", "decline", "save", "event volunteers", "event kings_favour", "wait")
CUBES = ("sand", "wood", "stone", "metal")


def fields(state: State) -> dict[str, Any]:
    found: dict[str, Any] = state.to_position()["cathedral"]
    return found


def read(table: dict[str, Any]) -> State:
    head = {"rules_revision": CATHEDRAL.rules_revision, "catalogue": CATHEDRAL.catalogue}
    return CATHEDRAL.from_position({**head, "cathedral": table})


def texts(state: State) -> list[str]:
    return [action.text for action in state.legal_actions()]


def deck_of(state: State) -> list[str]:
    deck: list[str] = fields(state)["event_deck"]
    return deck


def swapped(state: State) -> State:
    """Return the same position with another coming event."""
    table = fields(state)
    deck = table["event_deck"]
    other = next(card for card in table["unseen_events"] if card != deck[0])
    return read({**table, "event_deck": [other, *(deck[0] if card == other else card for card in deck[1:])]})


def reach(step: str, *, round_: int = 1, seats: int = 2, seed: int = 1) -> State:
    """Return a game in which all seats pass where possible, at the first decision of a step."""
    rng = Rng(seed)
    state = CATHEDRAL.new(seats, rng)
    while fields(state)["step"] != step or fields(state)["round"] != round_:
        legal = texts(state)
        quiet = [text for name in QUIET for text in legal if text.split()[0] == name or text == name]
        state.play(quiet[0] if quiet else state.draw(rng) if state.turn == NATURE else legal[0])
    return state


def changed(state: State, changes: dict[str, Any] | None = None, **players: dict[str, Any]) -> State:
    """Return the position with fields and players' fields set; cubes come from the general supply."""
    position = copy.deepcopy(state.to_position())
    position["cathedral"] |= changes or {}
    for colour, values in players.items():
        player = position["cathedral"]["players"][("red", "blue", "green", "yellow").index(colour)]
        for cube in CUBES:
            if cube in values:
                position["cathedral"]["supply"][cube] -= values[cube] - player[cube]
        player |= values
        if "vp" in values:
            player["vp_craftsmen"] = player["vp"] - 2 - player["vp_priory"] - player["vp_cards"] + player["vp_lost"]
    return CATHEDRAL.from_position(position)

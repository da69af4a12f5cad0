"""Positions of the core for tests: games led by weights, tables changed by hand."""

import copy
from bisect import bisect
from collections.abc import Callable
from itertools import accumulate
from typing import Any

from clerestory.engine import Rng, State
from tests.shipped import DUEL

CHIPS = ("wood", "sand", "stone", "wool", "ore")
MATERIALS = ("beam", "mortar", "brick", "cloth", "bell")


def fields(state: State) -> dict[str, Any]:
    """The game's fields of a position."""
    found: dict[str, Any] = state.to_position()["duel"]
    return found


def texts(state: State) -> list[str]:
    return [action.text for action in state.legal_actions()]


def drawn(state: State, rng: Rng, weigh: Callable[[State], list[float]]) -> int:
    """Nature's outcome, or a legal code drawn by weights."""
    if state.turn < 0:
        return state.draw(rng).code
    weights = list(accumulate(weigh(state)))
    return state.legal_codes()[min(bisect(weights, rng.unit() * weights[-1]), len(weights) - 1)]


def informed(state: State) -> list[float]:
    """The guide's weights."""
    return state.weights()


LINES = {
    **{f"claim row {i + 1}": range(3 * i, 3 * i + 3) for i in range(3)},
    **{f"claim column {i + 1}": range(i, 9, 3) for i in range(3)},
    "claim diagonal down": range(0, 9, 4),
    "claim diagonal up": range(2, 7, 2),
}
CRAFTSMEN = dict(zip(("carpenter", "mortar_mixer", "mason", "weaver", "bell_founder"), CHIPS, strict=True))
PREFERENCES = {"end": 0.02, "done": 0.02, "stop": 0.3, "sell": 0.05, "place": 50.0, "take": 2.0}
LAST_CARDS = ("influence", "power", "market_2", "market_3")


def builder(state: State) -> list[float]:
    """Without the guide: chips first, then as many as possible are turned, then the fullest section is built on."""
    found = fields(state)
    own, legal = found["players"][state.turn], texts(state)
    if found["step"] == "claim":
        return [2.2 ** sum(promise(found["grid"][place], own) for place in LINES[text]) for text in legal]
    busy = any(text.startswith("use ") and text.split()[1] not in LAST_CARDS for text in legal)
    return [preference(text, own, busy) for text in legal]


def promise(card: str, own: dict[str, Any]) -> int:
    """What the builder expects of a card: gold, a chip that is there, above all chips that can be turned."""
    if card in CRAFTSMEN:
        return 4 * min(own["camp"][CRAFTSMEN[card]], 2) or 1
    if card in CHIPS:
        return 3 if own["supply"][card] else 0
    return 5 if card.startswith("income") else 3


def preference(text: str, own: dict[str, Any], busy: bool) -> float:
    """How much the builder likes an action; any may be taken."""
    verb, *words = text.split()
    if verb == "build":
        there = len(own[f"section_{('I', 'II', 'III').index(words[0]) + 1}"])
        return 0.02 if busy else 20.0 ** (there + len(words) - 2) if own["gold"] > 9 or len(words) == 2 else 0.1
    if verb == "convert":
        return 30.0 ** int(words[1])
    if verb == "use":
        return 0.2 if words[0] in LAST_CARDS else 10.0
    return PREFERENCES.get(verb, 0.01 if text == "buy seal" else 1.0)


def reach(step: str, *, phase: int = 1, seed: int = 1, until: Callable[[State], bool] = lambda _: True) -> State:
    """The first position at a step, of a phase or a later one, in games drawn by the guide's weights."""
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
    """The position with fields and players' fields set; `chips` of a player is set as camp, the rest is in supply."""
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

"""Random players to compare games with: each weighs the legal actions of a table, and any of them may be chosen.

The builder completes a section in about nine games of ten, and now and then a building; a uniform player hardly ever.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.engine.duel.oracle_cards import CRAFT, GATHER, INCOME, LINES, MARKETS, PERSONAL_CARDS
from tests.engine.duel.oracle_state import Player, Position

Weigh = Callable[[Position, list[str]], list[float]]

GETTING = (*INCOME, *GATHER, "jack", "volunteer_workers", "empress_maud", "aliena", "king_stephen", "bishop_henry")
SPENDING = ("influence", *MARKETS)
SELDOM = {"end": 0.01, "done": 0.01, "pass": 0.01, "sell": 0.01}


def uniform(s: Position, legal: list[str]) -> list[float]:
    return [1.0] * len(legal)


def builder(s: Position, legal: list[str]) -> list[float]:
    busy = any(text.split()[1] in (*GETTING, *CRAFT) for text in legal if text.startswith("use "))
    return [_weight(s, busy, *text.split()) for text in legal]


def _weight(s: Position, busy: bool, verb: str, *words: str) -> float:
    """Gold and chips first, then the craftsmen, then the building, in the section that has most."""
    if verb == "build":
        return 0.01 if busy else _build_weight(s, words[0], len(words) - 1)
    if verb == "claim":
        return float(2.2 ** sum(_worth(s.player(s.to_act), s.grid[place]) for place in LINES[" ".join(words)]))
    if verb == "convert":
        return float(200 ** (1 + int(words[1])))
    if verb in ("use", "play"):
        return 20 if words[0] in GETTING else 0.05 if words[0] in SPENDING else 1
    if verb == "buy" and words[0] == "seal":
        return 0.001
    return 100 if verb == "place" else SELDOM.get(verb, 1)


def _build_weight(s: Position, section: str, count: int) -> float:
    at_once = (1, 0.05, 0.02)[count - 1] if s.me().gold < 10 else 10.0**count
    return at_once * 100.0 ** len(s.me().placed[section])


def _worth(me: Player, card: str) -> int:
    """What a card of the grid promises."""
    if card in CRAFT:
        return 4 * min(me.raw[CRAFT[card][0]], 2) or 1
    if card in GATHER:
        return 3 if me.supply[card] else 0
    if card in PERSONAL_CARDS:
        return 5 if PERSONAL_CARDS[card] == me.colour else 0
    return 5 if card in INCOME else 3


def choose(rng: random.Random, weigh: Weigh, s: Position, legal: list[str]) -> str:
    return rng.choices(legal, weigh(s, legal))[0]

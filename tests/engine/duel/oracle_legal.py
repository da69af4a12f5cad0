"""The legal actions at each step: the chance events with their odds, and the seats' actions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

from tests.engine.duel import oracle_cards as box
from tests.engine.duel import oracle_uses
from tests.engine.duel.oracle_state import Position


def legal(s: Position) -> list[str]:
    return list(odds(s)) if s.to_act == "nature" else sorted(CHOICES[s.step](s))


def odds(s: Position) -> dict[str, Fraction]:
    """Return the probability of each outcome at Nature's turn, given public information."""
    if s.step == "flip":
        return {f"face {face}": Fraction(1, 2) for face in box.FACES[s.flipping]}
    verb, pile = ("deal", s.unseen_cards) if s.step == "deal" else ("draw", s.unseen_seals)
    return {f"{verb} {thing}": Fraction(count, pile.total()) for thing, count in sorted(pile.items())}


def _claim(s: Position) -> list[str]:
    taken = next((line for line, places in box.LINES.items() if s.player(s.first).markers == list(places)), "")
    shape = taken.split(" ")[0]
    free = [line for line in box.LINES if line.split(" ")[0] != shape or (shape == "diagonal" and line != taken)]
    return [f"claim {line}" for line in free]


def _conflict(s: Position) -> list[str]:
    me = s.player(s.to_act)
    return ["stop", f"flip {box.PERSONAL}", *(f"flip {seal}" for seal in box.NEUTRAL_SEALS if me.seals[seal])]


def _turn(s: Position) -> list[str]:
    cards = [] if s.built else [s.grid[place] for place in oracle_uses.own_places(s)]
    once = [f"play {card}" for card in oracle_uses.playable(s)]
    return ["end", *(f"use {card}" for card in dict.fromkeys(cards)), *once, *_builds(s), *oracle_uses.acts(s)]


def _builds(s: Position) -> list[str]:
    """Return the sets of materials in the camp that a section lacks and the gold pays for (D32)."""
    me = s.me()
    sets = [
        (section, materials)
        for section in box.SECTIONS
        for count in box.PLACING
        for materials in combinations(me.missing(section), count)
    ]
    return [
        " ".join(["build", section, *materials])
        for section, materials in sets
        if not s.built
        and all(me.made[made] for made in materials)
        and me.gold >= (box.TOLEDO_PRICE if s.toledo else box.PLACING[len(materials)])
    ]


def _use(s: Position) -> list[str]:
    assert s.use is not None
    may_end = s.use.began and s.use.card in oracle_uses.MAY_END
    inside = [f"play {card}" for card in oracle_uses.playable_inside(s, s.use)]
    return [*oracle_uses.choices(s, s.use), *(["done", *inside] if may_end else [])]


def _bonus(s: Position) -> list[str]:
    assert s.bonus is not None
    return [*oracle_uses.bonus_choices(s, s.bonus), "done"]


CHOICES: dict[str, Callable[[Position], list[str]]] = {
    "claim": _claim,
    "storm": lambda s: ["play storming_the_castle", "pass"],
    "take_back": lambda s: [f"take-back {box.PLACES[place]}" for place in s.player(s.to_act).markers],
    "conflict": _conflict,
    "keep": lambda s: [f"keep {seal}" for seal in box.NEUTRAL_SEALS if seal in s.player(s.to_act).flipped],
    "turn": _turn,
    **dict.fromkeys(oracle_uses.STEP_OF.values(), _use),
    "bonus": _bonus,
    "over": lambda s: [],
}

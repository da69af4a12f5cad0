"""What may be done at each step: the chance events with their odds, and the seats' actions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

from tests.engine.cathedral.oracle_cards import (
    ADVANTAGES,
    BASIC,
    BUY_PRICE,
    CRAFTSMEN,
    CUBES,
    LAST_ROUND,
    RESOURCE_CARDS,
    SELL_PRICE,
    TAX_DIE,
    WOODWORKERS,
    craftsmen_of,
)
from tests.engine.cathedral.oracle_state import Player, Position

Odds = dict[str, Fraction]


def legal(s: Position) -> list[str]:
    """The actions of the one to act; for Nature every outcome that is possible by what everyone can see."""
    if s.step == "over":
        return []
    if s.step in CHANCES:
        return list(odds(s))
    return ACTIONS[s.step](s, s.player(s.to_act))


def odds(s: Position) -> Odds:
    """The probability of each outcome of the chance event that is due, by public information."""
    return CHANCES[s.step](s)


def _uniform(texts: list[str]) -> Odds:
    return {text: Fraction(count, len(texts)) for text, count in Counter(texts).items()}  # R15


# Nature -----------------------------------------------------------------------------------------------------------


def _advantages(s: Position) -> Odds:
    # 2: the ten ordinary cards last for rounds 1-5, the two last-round cards come in round 6
    due = LAST_ROUND if s.round == 6 else [card for card in ADVANTAGES if card not in LAST_ROUND]
    return _uniform([f"advantage {card}" for card in due if card in s.unseen_advantages])


def _craftsmen(s: Position) -> Odds:
    return _uniform([f"craftsman {card}" for card in craftsmen_of(s.round) if card not in s.shiring_cards])


def _resources(s: Position) -> Odds:
    return _uniform([f"leave-out {first} {second}" for first, second in combinations(RESOURCE_CARDS, 2)])


def _draw(s: Position) -> Odds:
    return _uniform([f"draw {colour}" for colour in s.colours() for _ in range(s.player(colour).bag)])


def _event(s: Position) -> Odds:
    return _uniform([f"event {card}" for card in s.unseen_events])


def _tax(s: Position) -> Odds:
    return _uniform([f"roll {face}" for face in TAX_DIE])


CHANCES: dict[str, Callable[[Position], Odds]] = {
    "advantages": _advantages,
    "craftsmen": _craftsmen,
    "resources": _resources,
    "draw": _draw,
    "event": _event,
    "tax": _tax,
}


# Seats ------------------------------------------------------------------------------------------------------------


def _dismissals(me: Player) -> list[str]:
    return [f"dismiss {card}" for card in me.craftsmen]


def _draft(s: Position, me: Player) -> list[str]:
    if me.crowded():
        return _dismissals(me)  # 3.1
    takes = [f"take {card}" for card in s.supply_resources if RESOURCE_CARDS[card].workers <= me.workers]
    hires = [f"hire {card}" for card in s.supply_craftsmen if CRAFTSMEN[card].cost <= me.gold]
    return [*takes, *hires, "pass"]


def _redraw(s: Position, me: Player) -> list[str]:
    return ["redraw", "accept"]  # R3


def free_spaces(s: Position) -> list[str]:
    """The spaces that a builder may go to; R16: three locations are named without a number."""
    spaces = [name for name in ("archbishop", "castle", "start") if getattr(s, name) == ""]
    spaces += [f"kingsbridge.{i + 1}" for i in (0, 1) if s.kingsbridge[i] == ""]
    spaces += [f"shiring.{i + 1}" for i in (0, 1) if s.shiring[i] == ""]
    numbered = {"priory": s.priory, "court": s.court, "market": s.market[:4]}
    return spaces + [name for name, places in numbered.items() if "" in places]


def _placements(s: Position, colour: str) -> list[str]:
    return [f"place {colour} {space}" for space in free_spaces(s)]


def _builder(s: Position, me: Player) -> list[str]:
    if s.free_placement or s.cost == 0:
        return _placements(s, s.drawn)  # 3.2: from the 8th on it must be placed
    actions = _placements(s, s.drawn) if me.gold >= s.cost else []
    actions.append(f"wait {s.drawn}")
    if "brother_remigius" in me.advantages and "brother_remigius" not in me.fresh:  # R24
        actions.append("use brother_remigius")
    return actions


def _waiting(s: Position, me: Player) -> list[str]:
    return _placements(s, s.waiting[0])  # R1


def _protection(s: Position, me: Player) -> list[str]:
    return ["protect", "decline"]  # R4


def _thomas(s: Position, me: Player) -> list[str]:
    return ["use archbishop_thomas", "save archbishop_thomas"]  # R4


def _event_choice(s: Position, me: Player) -> list[str]:
    return _dismissals(me)  # roof collapse


def _archbishop(s: Position, me: Player) -> list[str]:
    return [f"gain {kind}" for kind in BASIC if s.stock[kind]]  # R17: none may be refused


def _exemption(s: Position, me: Player) -> list[str]:
    return ["use tax_exemption", "save tax_exemption"]


def _shiring(s: Position, me: Player) -> list[str]:
    return _dismissals(me)


def _market(s: Position, me: Player) -> list[str]:
    actions = []
    for kind, price in BUY_PRICE.items():
        if kind != "wood" or me.has_any(WOODWORKERS):  # R19
            actions += [f"buy {kind} {n + 1}" for n in range(min(s.stock[kind], me.gold // price))]
    for kind in SELL_PRICE:
        if kind not in me.bought and (kind != "stone" or "stonecutter" in me.craftsmen):  # R18, R19
            actions += [f"sell {kind} {n + 1}" for n in range(me.held(kind))]
    return [*actions, "leave"]


def _uses(s: Position, me: Player, card: str) -> int:
    """How often a craftsman can be used now, by what its owner holds and what is left of its capacity."""
    facts = CRAFTSMEN[card]
    if facts.needs_any_card and not me.has_any(facts.needs_any_card):
        return 0
    if facts.needs_cube and me.held(facts.needs_cube) == 0:
        return 0
    blessed = s.event == "archbishops_blessing" and not s.blessing_used and facts.can_be_blessed  # R42
    left: int = facts.capacity + blessed - sum(use["times"] for use in s.used if use["craftsman"] == card)
    return min([left, *(me.held(kind) // count for kind, count in facts.spends.items())])


def _in_order(s: Position, card: str) -> bool:
    """Whether the canonical order (R21) still has room for a craftsman."""
    if s.last_used == "":
        return True
    if CRAFTSMEN[s.last_used].free:
        return card != s.last_used
    order = list(CRAFTSMEN)
    return not CRAFTSMEN[card].free and order.index(card) > order.index(s.last_used)


def _cathedral(s: Position, me: Player) -> list[str]:
    actions = []
    for card in me.craftsmen:
        if _in_order(s, card):
            actions += [f"convert {card} {n + 1}" for n in range(_uses(s, me, card))]
    return [*actions, "finish"]  # R20


def _keep(s: Position, me: Player) -> list[str]:
    excess = me.cubes() - 5
    kinds = CUBES[CUBES.index(s.floor) :]
    enough = [kind for kind in kinds if sum(me.held(later) for later in CUBES[CUBES.index(kind) :]) >= excess]
    return [f"discard {kind}" for kind in enough if me.held(kind)]


ACTIONS: dict[str, Callable[[Position, Player], list[str]]] = {
    "draft": _draft,
    "redraw": _redraw,
    "builder": _builder,
    "waiting": _waiting,
    "protection": _protection,
    "thomas": _thomas,
    "event_choice": _event_choice,
    "archbishop": _archbishop,
    "exemption": _exemption,
    "shiring": _shiring,
    "market": _market,
    "cathedral": _cathedral,
    "keep": _keep,
}

"""The legal actions at each step: the chance events with their odds, and the seats' actions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

from tests.engine.cathedral import oracle_cards as box
from tests.engine.cathedral.oracle_state import Player, Position

Odds = dict[str, Fraction]


def legal(s: Position) -> list[str]:
    """Return the legal actions; for Nature every outcome that is possible given public information."""
    if s.step == "over":
        return []
    if s.step in CHANCES:
        return list(odds(s))
    return ACTIONS[s.step](s, s.player(s.to_act))


def odds(s: Position) -> Odds:
    """Return the probability of each outcome of the pending chance event, given public information."""
    return CHANCES[s.step](s)


def _uniform(texts: list[str]) -> Odds:
    return {text: Fraction(count, len(texts)) for text, count in Counter(texts).items()}  # R15


# Nature -----------------------------------------------------------------------------------------------------------


def _advantages(s: Position) -> Odds:
    # 2: the ten ordinary cards last for rounds 1-5, the two last-round cards come in round 6
    due = box.LAST_ROUND if s.round == 6 else [card for card in box.ADVANTAGES if card not in box.LAST_ROUND]
    return _uniform([f"advantage {card}" for card in due if card in s.unseen_advantages])


CHANCES: dict[str, Callable[[Position], Odds]] = {
    "advantages": _advantages,
    "craftsmen": lambda s: _uniform(
        [f"craftsman {card}" for card in box.craftsmen_of(s.round) if card not in s.shiring_cards]
    ),
    "resources": lambda s: _uniform([f"leave-out {one} {two}" for one, two in combinations(box.RESOURCE_CARDS, 2)]),
    "draw": lambda s: _uniform([f"draw {colour}" for colour in s.colours() for _ in range(s.player(colour).bag)]),
    "event": lambda s: _uniform([f"event {card}" for card in s.unseen_events]),
    "tax": lambda s: _uniform([f"roll {face}" for face in box.TAX_DIE]),
}


# Seats ------------------------------------------------------------------------------------------------------------


def _dismissals(me: Player) -> list[str]:
    return [f"dismiss {card}" for card in me.craftsmen]


def _draft(s: Position, me: Player) -> list[str]:
    if me.crowded():
        return _dismissals(me)
    takes = [f"take {card}" for card in s.supply_resources if box.RESOURCE_CARDS[card].workers <= me.workers]
    hires = [f"hire {card}" for card in s.supply_craftsmen if box.CRAFTSMEN[card].cost <= me.gold]
    return [*takes, *hires, "pass"]


def free_spaces(s: Position) -> list[str]:
    """Return the spaces that a builder may go to; R16: three locations are named without a number."""
    spaces = [name for name in ("archbishop", "castle", "start") if getattr(s, name) == ""]
    spaces += [f"kingsbridge.{i + 1}" for i in (0, 1) if s.kingsbridge[i] == ""]
    spaces += [f"shiring.{i + 1}" for i in (0, 1) if s.shiring[i] == ""]
    numbered = {"priory": s.priory, "court": s.court, "market": s.market[:4]}
    return spaces + [name for name, places in numbered.items() if "" in places]


def _placements(s: Position, colour: str) -> list[str]:
    return [f"place {colour} {space}" for space in free_spaces(s)]


def _builder(s: Position, me: Player) -> list[str]:
    if s.free_placement or s.cost == 0:
        return _placements(s, s.drawn)  # R26: from the 8th on it must be placed
    actions = _placements(s, s.drawn) if me.gold >= s.cost else []
    actions.append(f"wait {s.drawn}")
    if "brother_remigius" in me.advantages and "brother_remigius" not in me.fresh:  # R24
        actions.append("use brother_remigius")
    return actions


def _market(s: Position, me: Player) -> list[str]:
    actions = []
    for kind, price in box.BUY_PRICE.items():
        if kind != "wood" or me.has_any(box.WOODWORKERS):  # R19
            actions += [f"buy {kind} {n + 1}" for n in range(min(s.stock[kind], me.gold // price))]
    for kind in box.SELL_PRICE:
        if kind not in me.bought and (kind != "stone" or "stonecutter" in me.craftsmen):  # R18, R19
            actions += [f"sell {kind} {n + 1}" for n in range(me.held(kind))]
    return [*actions, "leave"]


def _uses(s: Position, me: Player, card: str) -> int:
    """Return how often a craftsman can be used now, given its owner's goods and the rest of its capacity."""
    facts = box.CRAFTSMEN[card]
    if facts.needs_any_card and not me.has_any(facts.needs_any_card):
        return 0
    if facts.needs_cube and me.held(facts.needs_cube) == 0:
        return 0
    blessed = s.event == "archbishops_blessing" and not s.blessing_used and facts.can_be_blessed  # R42
    left: int = facts.capacity + blessed - sum(use["times"] for use in s.used if use["craftsman"] == card)
    return min([left, *(me.held(kind) // count for kind, count in facts.spends.items())])


def _in_order(s: Position, card: str) -> bool:
    """Whether the canonical order (R21) still allows a craftsman."""
    if s.last_used == "":
        return True
    if box.CRAFTSMEN[s.last_used].free:
        return card != s.last_used
    order = list(box.CRAFTSMEN)
    return not box.CRAFTSMEN[card].free and order.index(card) > order.index(s.last_used)


def _cathedral(s: Position, me: Player) -> list[str]:
    actions = []
    for card in me.craftsmen:
        if _in_order(s, card):
            actions += [f"convert {card} {n + 1}" for n in range(_uses(s, me, card))]
    return [*actions, "finish"]  # R20


def _keep(s: Position, me: Player) -> list[str]:
    excess = me.cubes() - 5
    kinds = box.CUBES[box.CUBES.index(s.floor) :]
    enough = [kind for kind in kinds if sum(me.held(later) for later in box.CUBES[box.CUBES.index(kind) :]) >= excess]
    return [f"discard {kind}" for kind in enough if me.held(kind)]


ACTIONS: dict[str, Callable[[Position, Player], list[str]]] = {
    "draft": _draft,
    "redraw": lambda s, me: ["redraw", "accept"],  # R3
    "builder": _builder,
    "waiting": lambda s, me: _placements(s, s.waiting[0]),  # R1
    "protection": lambda s, me: ["protect", "decline"],  # R4
    "thomas": lambda s, me: ["use archbishop_thomas", "save archbishop_thomas"],  # R4
    "event_choice": lambda s, me: _dismissals(me),  # roof collapse
    "archbishop": lambda s, me: [f"gain {kind}" for kind in box.BASIC if s.stock[kind]],  # R17: none may be refused
    "exemption": lambda s, me: ["use tax_exemption", "save tax_exemption"],
    "shiring": lambda s, me: _dismissals(me),
    "market": _market,
    "cathedral": _cathedral,
    "keep": _keep,
}

"""`script-v1`: plays the board game by published rules of thumb, without looking ahead. It never changes.

The advice, paraphrased; each rule below cites the advice that it follows (docs/arena.md has the pages):

    A  rolldicetakenames.com: metal cannot be neglected; mind what is lost with a first craftsman; gold is scarcer than
       it seems.
    B  sedjtroll.blogspot.com: dismiss a craftsman you no longer need, not the one whose good you process most or must
       buy; craftsmen and goods have to match.
    C  hiewandboardgames.blogspot.com: gold decides about hiring, and about the one space that matters.
    D  boardgamereviewsbyjosh.com: an early builder is expensive; let others pay, and pay only for what is worth it.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from clerestory.engine.cathedral.data.constants import METAL_PRICE, ROUNDS, SAND_PRICE, STONE_PRICE, WOOD_PRICE
from clerestory.engine.cathedral.data.names import TYPES
from clerestory.engine.core import Game, State

PRICES = dict(zip(TYPES, (SAND_PRICE, WOOD_PRICE, STONE_PRICE, METAL_PRICE), strict=True))
RESERVE = 6  # gold kept in reserve while rounds are left
DEAREST = 3  # maximum gold for an early builder
GOLD_A_POINT = 4  # estimated worth of a VP
SPACES = {  # estimated worth of a space in VP, unless a rule below applies
    "priory": 2.0, "kingsbridge.1": 2.2, "kingsbridge.2": 2.1, "market": 1.5, "castle": 1.4, "court": 1.3, "start": 0.8,
    "archbishop": 1.0,
}  # fmt: skip
STEADY = {"accept": 0.1, "use": 0.5, "protect": 0.5}  # cards that protect or save gold are used at once


@dataclass(frozen=True)
class ScriptView:
    """A seat's view, with the names of the position file and the catalogue."""

    all: Mapping[str, Any]
    me: Mapping[str, Any]
    cards: Mapping[str, Mapping[str, Any]]  # craftsmen and resource cards by id

    @property
    def rounds_left(self) -> int:
        """Rounds after the current one."""
        return ROUNDS - int(self.all["round"])

    @property
    def own(self) -> list[str]:
        """Craftsmen of the seat."""
        return list(self.me["craftsmen"])


def view_of(view: State) -> ScriptView:
    """Return the view of the seat to decide."""
    position = view.to_position()[view.game.name]
    return ScriptView(position, position["players"][view.turn], cards_of(view.game))


def cards_of(game: Game) -> dict[str, Mapping[str, Any]]:
    """Return craftsmen and resource cards by id."""
    lists = game.cards()
    return {card["id"]: card for name in ("starting_craftsmen", "craftsmen", "resource_cards") for card in lists[name]}


# -- what craftsmen and goods are worth ------------------------------------------------------------


def pay(card: Mapping[str, Any]) -> float:
    """Return the VP of one use; gold counts for less."""
    gives, takes = card["gives"], card.get("takes", {})
    return float(gives.get("vp", 0) + (gives.get("gold", 0) - takes.get("gold", 0)) / GOLD_A_POINT)


def cubes(card: Mapping[str, Any]) -> int:
    """Return the cubes of one use; metal counts twice because it is scarce (A)."""
    takes = card.get("takes", {})
    return int(sum(takes.get(type_, 0) for type_ in TYPES) + takes.get("metal", 0))


def strength(table: ScriptView, craftsman: str) -> float:
    """Return the VP of a round in which a craftsman has all usable cubes, minus their value elsewhere (B)."""
    card = table.cards[craftsman]
    return float(card["capacity"] * (pay(card) - 0.3 * cubes(card)))


def plan(table: ScriptView) -> Counter[str]:
    """Return how often to use each craftsman: the best use of a cube first (B)."""
    left = Counter({type_: table.me[type_] for type_ in (*TYPES, "gold")})
    left["gold"] -= RESERVE if table.rounds_left else 0
    uses: Counter[str] = Counter()
    for craftsman in sorted(table.own, key=lambda one: -pay(table.cards[one]) / max(cubes(table.cards[one]), 0.5)):
        takes = table.cards[craftsman].get("takes", {})
        most = [table.cards[craftsman]["capacity"], *(max(left[good], 0) // n for good, n in takes.items())]
        uses[craftsman] = min(most)
        left.subtract({good: n * uses[craftsman] for good, n in takes.items()})
    return uses


def lacking(table: ScriptView) -> Counter[str]:
    """Return the cubes that own craftsmen could use beyond those held or due; negative if too many (B)."""
    wanted: Counter[str] = Counter(dict.fromkeys(TYPES, 0))
    for craftsman in table.own:
        card = table.cards[craftsman]
        wanted.update({good: n * card["capacity"] for good, n in card.get("takes", {}).items() if good in TYPES})
    wanted.subtract({type_: table.me[type_] for type_ in TYPES})
    for card in table.me["resource_cards"]:
        wanted[table.cards[card]["type"]] -= table.cards[card]["yields"]
    return wanted


def worth_of_cube(table: ScriptView, type_: str) -> float:
    """Return the VP of the best use of a cube."""
    uses = (table.cards[craftsman] for craftsman in table.own)
    return max((pay(card) / cubes(card) for card in uses if card.get("takes", {}).get(type_)), default=0.0)


# -- what an action is worth, by its verb ----------------------------------------------------------


def take(table: ScriptView, card: str) -> float:
    """Prefer the most cubes per worker of types that a craftsman uses; a worker at the mill earns a gold (B)."""
    found = table.cards[card]
    used = min(found["yields"], max(lacking(table)[found["type"]], 0))
    return float(used * worth_of_cube(table, found["type"]) * GOLD_A_POINT / found["workers"] - 0.8)


def gain_by(table: ScriptView, craftsman: str) -> float:
    """Return the VP that a craftsman adds until the end, compared with the one he would replace (B)."""
    mates = table.cards[craftsman].get("requires", [])
    if mates and set(mates).isdisjoint(table.own):
        return 0.0
    weakest = min(strength(table, one) for one in table.own) if len(table.own) >= 5 else 0.0
    return (strength(table, craftsman) - weakest) * (table.rounds_left + 1) / 2


def gainful(table: ScriptView, craftsman: str) -> bool:
    """Whether a craftsman brings more VP than his cost is worth."""
    return bool(gain_by(table, craftsman) * GOLD_A_POINT > table.cards[craftsman]["cost"])


def hire(table: ScriptView, craftsman: str) -> float:
    """Prefer better craftsmen early, while gold is left (C)."""
    cost = table.cards[craftsman]["cost"]
    if table.me["gold"] - cost < min(RESERVE, 2 * table.rounds_left) or not gainful(table, craftsman):
        return -1.0
    return 1.0 + gain_by(table, craftsman)  # before most cards: workers can wait, but the craftsman may be gone


def place(table: ScriptView, _: str, space: str) -> float:
    """Prefer the most valuable space unless it is too expensive (D); the court while there is metal (A)."""
    waits = bool(table.all["waiting"]) and not table.all["drawn"]
    cost = 0 if waits or table.all["free_placement"] else table.all["cost"]
    if cost > DEAREST or table.me["gold"] - cost < RESERVE * bool(cost):
        return -1.0
    return worth_of_space(table, space) * GOLD_A_POINT - cost


def worth_of_space(table: ScriptView, space: str) -> float:
    """Return the estimated worth of a space in VP."""
    if space.startswith("shiring"):
        return max(gain_by(table, table.all["shiring_cards"][int(space[-1]) - 1]), 0.0)
    if space == "court" and table.all["court_metal"] and not any(table.all["court"]):
        return 3.0 if any("metal" in table.cards[one].get("takes", {}) for one in table.own) else 2.0
    if space == "market" and table.all["to_act"] in table.all["market"]:
        return 0.0
    return SPACES[space] if table.rounds_left or space not in ("castle", "start") else 0.0


def dismiss(table: ScriptView, craftsman: str) -> float:
    """Prefer the weakest craftsman, except those that others or the market depend on (A, B)."""
    others = [table.cards[one] for one in table.own if one != craftsman]
    permit = table.cards[craftsman].get("permits")
    missed = 0.5 if permit and permit not in [other.get("permits") for other in others] else 0.0
    mates = {one for other in others for one in other.get("requires", [])}
    needed = craftsman in mates and mates.isdisjoint(set(table.own) - {craftsman})
    return -strength(table, craftsman) - missed - 3.0 * needed


def convert(table: ScriptView, craftsman: str, times: str) -> float:
    """Follow the plan, in the order of the game's list, so that no craftsman is skipped."""
    planned = plan(table)[craftsman]
    return 1.0 if int(times) == planned else -1.0


def buy(table: ScriptView, type_: str, amount: str) -> float:
    """Buy cubes that are lacking, with the gold that need not be kept (A, C)."""
    n = int(amount)
    keeps = table.me["gold"] - n * PRICES[type_] >= RESERVE * bool(table.rounds_left)
    return float(n) if keeps and lacking(table)[type_] >= n else -1.0


def sell(table: ScriptView, type_: str, amount: str) -> float:
    """Sell all cubes that no craftsman can use (B)."""
    return float(amount) if -lacking(table)[type_] >= int(amount) else -1.0


def most_lacking(table: ScriptView, type_: str) -> float:
    """Prefer a cube that craftsmen can use (B)."""
    return float(lacking(table)[type_])


def least_lacking(table: ScriptView, type_: str) -> float:
    """Prefer a cube that they cannot use, metal last (A, B)."""
    return -float(lacking(table)[type_]) - (5.0 if type_ == "metal" else 0.0)


VERBS: Mapping[str, Callable[..., float]] = {
    "take": take, "hire": hire, "dismiss": dismiss, "place": place, "gain": most_lacking, "discard": least_lacking,
    "buy": buy, "sell": sell, "convert": convert,
}  # fmt: skip


def advised(view: State) -> tuple[str, int]:
    """Return the action that the rules rate highest, the first in a tie, and the number of actions rated."""
    table, legal = view_of(view), [action.text for action in view.legal_actions()]
    worth = [rate(table, *text.split()) for text in legal]
    return legal[worth.index(max(worth))], len(legal)


def rate(table: ScriptView, verb: str, *things: str) -> float:
    """Return the estimated worth of an action, in one unit for all competing actions; 0 for doing nothing."""
    return VERBS[verb](table, *things) if verb in VERBS else STEADY.get(verb, 0.0)

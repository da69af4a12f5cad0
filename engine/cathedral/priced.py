"""`priced-v1`: prices every action of the board game in gold by a person's list; it never changes.

The prices are those of a player who wrote an implementation of the game in 2018 (github.com/mglukhikh/saulen,
GoldBasedPlayer.kt). The list has no prices of cubes, and ignores the market. Here, a cube is worth its best use by the
seat's craftsmen, as in script.py, at the list's price of a VP; nothing is bought or sold. PRICES are of cards, at once
or for each round in which they work.
"""

from collections.abc import Callable, Mapping

from clerestory.engine.cathedral.script import (
    ScriptView,
    convert,
    lacking,
    least_lacking,
    view_of,
    worth_of_cube,
)
from clerestory.engine.core import State

VP = (7, 6, 6, 5, 5, 4)  # gold, by round
BUILDER = 4.0  # a builder that waits
SPACES = {"archbishop": 5.0, "castle": 2.0, "start": 2.0, "market": 0.0}
COURT = 4.0
PRICES = {
    "crying_madonna": 15, "toledo": 10, "wool_fair": 8, "brother_remigius": 6, "jack": 6, "archbishop_thomas": 5,
    "tax_exemption": 4,
}  # fmt: skip
A_ROUND = {"tom_builder": 4, "aliena": 3, "prior_philip": 3, "richard": 2, "otto": 1, "francis": 1}
EVENTS = {"cold_winter": 6.0, "town_wall": 5.0, "hamleigh_levy": 4.0}  # losses
QUARREL_VP = 2


def vp(table: ScriptView) -> float:
    """Return the price of a VP in this round."""
    return float(VP[int(table.all["round"]) - 1])


def cube(table: ScriptView, type_: str) -> float:
    """Return the price of a cube that the craftsmen still lack; nothing for others."""
    return worth_of_cube(table, type_) * vp(table) if lacking(table)[type_] > 0 else 0.0


def card(table: ScriptView, advantage: str) -> float:
    """Return the price of an advantage card; 0 for those not in the list."""
    return float(PRICES.get(advantage, 0) + A_ROUND.get(advantage, 0) * (table.rounds_left + 1))


def craftsman(table: ScriptView, one: str) -> float:
    """Return the price of a craftsman: twice his cost, less the price of the worst one if there is no room."""
    worst = min(price(table, other) for other in table.own) if len(table.own) >= 5 else 0.0
    return price(table, one) - worst


def price(table: ScriptView, one: str) -> float:
    """Return twice the cost of a craftsman; 0 for a starting one."""
    return 2.0 * int(table.cards[one].get("cost", 0))


def space(table: ScriptView, name: str) -> float:
    """Return the price of a space."""
    row, _, number = name.partition(".")
    if row == "kingsbridge":
        return card(table, table.all["kingsbridge_cards"][int(number) - 1])
    if row == "shiring":
        return craftsman(table, table.all["shiring_cards"][int(number) - 1])
    if row == "priory":
        return vp(table) * (1 if table.all["priory"][0] else 2)
    if row == "court":
        return COURT + (cube(table, "metal") if table.all["court_metal"] and not any(table.all["court"]) else 0.0)
    return SPACES[row] if table.rounds_left or row not in ("castle", "start") else 0.0


# -- what an action is worth, by its verb ----------------------------------------------------------


def place(table: ScriptView, _: str, name: str) -> float:
    """Return the price of a space, less what the builder costs."""
    free = (bool(table.all["waiting"]) and not table.all["drawn"]) or table.all["free_placement"]
    return space(table, name) - (0 if free else table.all["cost"])


def use(table: ScriptView, one: str) -> float:
    """Return what a card saves now, less its price."""
    if one == "brother_remigius":
        return max(space(table, name) for name in SPACES) - card(table, one)
    saved = threat(table) if one == "archbishop_thomas" else float(table.all["die"])
    return saved - (card(table, one) if table.rounds_left else 0.0)


def threat(table: ScriptView) -> float:
    """Return what the event of the round costs."""
    event = table.all["event"]
    if event == "roof_collapse":
        return min((price(table, one) for one in table.own), default=0.0)
    return QUARREL_VP * vp(table) if event == "quarrel" else EVENTS.get(event, 0.0)


def take(table: ScriptView, one: str) -> float:
    """Return the price of the cubes of a resource card, less the gold that its workers would earn at the mill."""
    found = table.cards[one]
    used = min(found["yields"], max(lacking(table)[found["type"]], 0))
    return float(used * cube(table, found["type"]) - found["workers"])


VERBS: Mapping[str, Callable[..., float]] = {
    "place": place,
    "wait": lambda *_: BUILDER,
    "use": use,
    "protect": lambda table: threat(table),
    "decline": lambda table: max(cube(table, type_) for type_ in ("sand", "wood", "stone")),
    "hire": lambda table, one: craftsman(table, one) - table.cards[one]["cost"],
    "dismiss": lambda table, one: -price(table, one),
    "take": take,
    "gain": cube,
    "discard": least_lacking,
    "convert": convert,
    "buy": lambda *_: -1.0,
    "sell": lambda *_: -1.0,
}


def advised(view: State) -> tuple[str, int]:
    """Return the action with the highest price, the first in a tie, and the number of actions priced."""
    table, legal = view_of(view), [action.text for action in view.legal_actions()]
    worth = [rate(table, *text.split()) for text in legal]
    return legal[worth.index(max(worth))], len(legal)


def rate(table: ScriptView, verb: str, *things: str) -> float:
    """Return the price of an action in gold; 0 for doing nothing."""
    return VERBS[verb](table, *things) if verb in VERBS else 0.0

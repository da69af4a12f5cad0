"""Explains what an action of `cathedral` changed and why: RULES.md has the steps."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from clerestory.engine.cathedral.data.constants import MAX_GOLD, SAND_PRICE
from clerestory.engine.cathedral.data.names import COLOURS, TYPES
from clerestory.engine.changes import UNTOLD, Change, View
from clerestory.engine.core import Game

GOODS = ("vp", "gold", *TYPES)
WORKERS = ("workers", "mill", "grey_next")
CARDS = ("craftsmen", "advantages", "resource_cards")
THINGS: Sequence[str] = (*GOODS, *WORKERS, *CARDS)
SCORED = "vp"
# gains and losses in one ply can cancel out in `vp`: the Quarrel takes 2 VP, the Priory gives 2
ACCOUNTS: Sequence[str] = ("vp_priory", "vp_craftsmen", "vp_cards", "vp_lost")

# the cause of an action's direct changes, by the first word of its text
DIRECT = {
    "take": "take",
    "hire": "hire",
    "dismiss": "dismiss",
    "place": "place",
    "use": "use",
    "gain": "archbishop",
    "discard": "limit",
    "buy": "market",
    "sell": "market",
    "convert": "craftsman",
}
DRAFT = ("take", "hire", "pass", "dismiss")  # when it ends, the free workers go to the mill
BEFORE_TAX = ("event", "protection", "thomas", "event_choice", "archbishop")  # steps that can lead to the tax
TAX = ("tax", "exemption")
# the cause of the remaining changes once the board has been resolved
ON_THE_BOARD = {
    "workers": "production",
    "resource_cards": "production",
    "mill": "from_mill",
    "advantages": "kingsbridge",
}
AFTER_TAX = {"craftsmen": "shiring", "grey_next": "castle"}
ROUND_END = {"workers": "castle", "grey_next": "castle"}

Fields = dict[str, Any]
RowsById = Mapping[str, Fields]


@cache
def cards(game: Game) -> RowsById:
    """Return every card of the catalogue by its id."""
    return {row["id"]: row for rows in game.cards().values() for row in rows}


class Purse:
    """Gold and points of a player while a ply is replayed step by step."""

    def __init__(self, seat: int, player: Fields) -> None:
        self.seat, self.gold, self.vp = seat, player["gold"], player["vp"]

    def gain(self, gold: int, cause: str, card: str = "") -> Iterator[Change]:
        """Gain gold up to the limit of 30; the surplus is lost."""
        got = min(gold, MAX_GOLD - self.gold)
        self.gold += got
        yield Change(self.seat, "gold", "", got, cause, card, gold - got)

    def pay(self, gold: int, cause: str, card: str = "") -> Iterator[Change]:
        """Pay gold; a player with too little pays all of it and loses 1 VP for every full 2 missing (step 9)."""
        paid = min(gold, self.gold)
        self.gold -= paid
        yield Change(self.seat, "gold", "", -paid, cause, card)
        yield from self.lose((gold - paid) // 2, cause, card)

    def lose(self, vp: int, cause: str, card: str = "") -> Iterator[Change]:
        """Lose points, but never below 0 (R8)."""
        lost = min(vp, self.vp)
        self.vp -= lost
        yield Change(self.seat, "vp", "", -lost, cause, card)


def explained(before: View, action: str, after: View) -> list[Change]:
    """Return the changes with causes that a difference does not show."""
    verb, *rest = action.split()
    step, then = before["step"], after["step"]
    if step in BEFORE_TAX:
        return list(board(before, after))
    if step in TAX and then != "exemption":
        return list(taxed(before, verb, rest))
    if verb in ("convert", "sell", "hire", "take"):
        return list(traded(before, verb, rest))
    if verb == "leave-out":
        return list(foreseen(before, after))
    return list(round_ended(before)) if after["round"] != before["round"] else []


def cause(before: View, action: str, after: View, change: Change) -> tuple[str, str]:
    """Return the cause of a change that `explained` does not cover."""
    verb, step = action.split()[0], before["step"]
    if verb == "dismiss" and change.amount < 0 and change.thing == "craftsmen":
        return ("event", before["event"]) if step == "event_choice" else ("dismiss", "")
    if verb == "use" and change.thing == "advantages" and change.amount < 0:
        return "use", ""
    if verb in DRAFT and change.thing in ("workers", "mill"):
        return "to_mill", ""
    if step in BEFORE_TAX and change.thing in ON_THE_BOARD:
        return ON_THE_BOARD[change.thing], ""
    if (step in TAX or step == "shiring") and change.thing in AFTER_TAX:
        return AFTER_TAX[change.thing], ""
    if after["round"] != before["round"] and change.thing in ROUND_END:
        return ROUND_END[change.thing], ""
    return (UNTOLD if change.thing == "grey_next" else DIRECT.get(verb, "")), ""


# -- trades of one player --------------------------------------------------------------------------


def traded(before: View, verb: str, rest: list[str]) -> Iterator[Change]:
    """Yield the gold and goods of one action, and the gold lost to the limit of 30."""
    seat = COLOURS.index(before["to_act"])
    gold = before[f"players[{seat}].gold"]
    if verb == "convert":
        yield from converted(seat, gold, cards(before.state.game)[rest[0]], int(rest[1]))
    elif verb == "sell":
        paid = int(rest[1]) * (TYPES.index(rest[0]) + SAND_PRICE)
        yield Change(seat, rest[0], "", -int(rest[1]), "market")
        yield from limited(seat, gold, paid, "market")
    elif verb == "take":
        yield Change(seat, "workers", "", -cards(before.state.game)[rest[0]]["workers"], "take", rest[0])
    elif verb == "hire":
        yield Change(seat, "gold", "", -cards(before.state.game)[rest[0]].get("cost", 0), "hire", rest[0])
        yield Change(seat, "craftsmen", rest[0], 1, "hire")


def converted(seat: int, gold: int, card: Fields, times: int) -> Iterator[Change]:
    """Yield what the uses of a craftsman take and give."""
    takes, gives, name = card.get("takes", {}), card.get("gives", {}), card["id"]
    for thing in TYPES:
        yield Change(seat, thing, "", -times * takes.get(thing, 0), "craftsman", name)
    spent = times * takes.get("gold", 0)
    yield Change(seat, "gold", "", -spent, "craftsman", name)
    yield from limited(seat, gold - spent, times * gives.get("gold", 0), "craftsman", name)
    yield Change(seat, "vp", "", times * gives.get("vp", 0), "craftsman", name)


def limited(seat: int, held: int, gold: int, cause: str, card: str = "") -> Iterator[Change]:
    """Yield a gain of gold, up to the limit."""
    got = min(gold, MAX_GOLD - held)
    yield Change(seat, "gold", "", got, cause, card, gold - got)


def foreseen(before: View, after: View) -> Iterator[Change]:
    """Yield the coming event that the owner of Ellen is shown, in the owner's own view only (R40)."""
    known, shown = before["event_deck"], after["event_deck"]
    if not known and len(shown) == 1:
        yield Change(None, "event_deck", shown[0], 1, "advantage", with_effect(before.state.game, "foresight"))


def with_effect(game: Game, kind: str) -> str:
    """Return the card with a lasting effect, "" if there is none."""
    return next((card for card, row in cards(game).items() if row.get("effect", {}).get("kind") == kind), "")


# -- the event, and the board up to the tax --------------------------------------------------------


def board(before: View, after: View) -> Iterator[Change]:
    """Yield the event, the wool mill, Kingsbridge, the Priory and the production, within a ply (steps 1 to 8)."""
    old, new, rows = before.fields, after.fields, cards(before.state.game)
    purses = [Purse(seat, player) for seat, player in enumerate(old["players"])]
    metal = [old["supply"]["metal"]]
    if old["step"] in ("event", "protection", "thomas") and new["step"] not in ("protection", "thomas"):
        yield from event(old, new, rows[new["event"]], purses, metal)
    if new["step"] != "tax":
        return
    for seat, player in enumerate(old["players"]):
        yield from purses[seat].gain(player["mill"], "mill")
        yield Change(seat, "mill", "", -player["mill"], "from_mill")
        yield Change(seat, "workers", "", player["mill"], "from_mill")
    yield from kingsbridge(old, rows, purses, metal)
    yield from priory(old, new, rows)
    for seat in range(len(purses)):
        yield from production(seat, old, new, rows)


def event(old: Fields, new: Fields, card: Fields, purses: list[Purse], metal: list[int]) -> Iterator[Change]:
    """Yield the event's effects on players who are not spared, in turn order (R4)."""
    effect, name, first = card["effect"], card["id"], COLOURS.index(old["starting_player"])
    for purse in purses[first:] + purses[:first]:
        if new["players"][purse.seat]["spared"]:
            continue
        if effect["kind"] == "levy":
            yield from purse.pay(effect["gold"], "event", name)
        elif effect["kind"] == "lose_vp":
            yield from purse.lose(effect["vp"], "event", name)
        elif effect["kind"] == "gain":
            yield from purse.gain(effect.get("gold", 0), "event", name)
            yield given_metal(purse.seat, effect.get("metal", 0), metal, "event", name)
        elif effect["kind"] == "mill_gold":
            workers = old["players"][purse.seat]["mill"]
            yield from purse.gain(min(workers, effect["most"]), "event", name)


def given_metal(seat: int, wanted: int, metal: list[int], cause: str, card: str) -> Change:
    """Return the metal given, limited by the supply (R9); `metal` holds the supply."""
    got = min(wanted, metal[0])
    metal[0] -= got
    return Change(seat, "metal", "", got, cause, card, wanted - got)


def kingsbridge(old: Fields, rows: RowsById, purses: list[Purse], metal: list[int]) -> Iterator[Change]:
    """Yield the effects of immediate cards; the difference shows the others, which are kept (step 4)."""
    for owner, card in zip(old["kingsbridge"], old["kingsbridge_cards"], strict=True):
        effect = rows[card]["effect"] if owner and card else {}
        if effect.get("kind") != "gain":
            continue
        purse = purses[COLOURS.index(owner)]
        yield Change(purse.seat, "vp", "", effect.get("vp", 0), "advantage", card)
        yield from purse.gain(effect.get("gold", 0), "advantage", card)
        for thing in TYPES[:3]:
            yield Change(purse.seat, thing, "", effect.get(thing, 0), "advantage", card)
        yield given_metal(purse.seat, effect.get("metal", 0), metal, "advantage", card)


def priory(old: Fields, new: Fields, rows: RowsById) -> Iterator[Change]:
    """Yield 2 VP for space 1 and 1 VP for space 2; a card may add to it (step 5)."""
    for space, owner in enumerate(old["priory"]):
        if not owner:
            continue
        seat = COLOURS.index(owner)
        yield Change(seat, "vp", "", 2 - space, "priory")
        for card in new["players"][seat]["advantages"]:
            if rows[card]["effect"]["kind"] == "priory":
                yield Change(seat, "vp", "", rows[card]["effect"]["vp"], "advantage", card)


def production(seat: int, old: Fields, new: Fields, rows: RowsById) -> Iterator[Change]:
    """Yield the resource cards' cubes, the event's change of their yield, and cards' extra cubes (steps 6 to 8)."""
    player, event_card = new["players"][seat], rows[new["event"]]
    more = event_card["effect"]["cubes"] if event_card["effect"]["kind"] == "yield" and not player["spared"] else 0
    for name in old["players"][seat]["resource_cards"]:
        card = rows[name]
        yield Change(seat, "resource_cards", name, -1, "production")
        yield Change(seat, "workers", "", card["workers"], "production")
        yield Change(seat, card["type"], "", card["yields"], "production")
        yield Change(seat, card["type"], "", max(more, -card["yields"]), "event", new["event"])
    for name in player["advantages"]:
        for thing in TYPES[:3] if rows[name]["effect"]["kind"] == "production" else ():
            yield Change(seat, thing, "", rows[name]["effect"].get(thing, 0), "advantage", name)


# -- the tax, and the end of a round ---------------------------------------------------------------


def taxed(before: View, verb: str, rest: list[str]) -> Iterator[Change]:
    """Yield the tax, and the court's metal for its first space (step 9)."""
    old, rows = before.fields, cards(before.state.game)
    die = int(rest[0]) if verb == "roll" else old["die"]
    exempt = {*old["court"], old["to_act"] if verb == "use" else ""}
    for seat, player in enumerate(old["players"]):
        if COLOURS[seat] not in exempt:
            card = next((name for name in player["advantages"] if rows[name]["effect"]["kind"] == "fixed_tax"), "")
            yield from Purse(seat, player).pay(rows[card]["effect"]["gold"] if card else die, "tax", card)
    if old["court"][0]:
        yield Change(COLOURS.index(old["court"][0]), "metal", "", old["court_metal"], "court")


def round_ended(before: View) -> Iterator[Change]:
    """Yield the black worker, who joins (R24)."""
    rows = cards(before.state.game)
    for seat in range(before.state.seats):
        for name in before[f"players[{seat}].fresh"]:
            if rows[name]["effect"]["kind"] == "black_worker":
                yield Change(seat, "workers", "", 1, "advantage", name)

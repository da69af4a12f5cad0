"""The uses of cards: whether a card can be used, its immediate effect, and its choices.

`AT_ONCE` implements cards without choices. A card with choices is an open `Use`: `choices` lists the next choices and
`choose` plays one; the use ends when nothing is left to choose, or when its user ends it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tests.engine.duel import oracle_cards as box
from tests.engine.duel.oracle_state import Player, Position, Use

# What may be used ---------------------------------------------------------------------------------------------


def own_places(s: Position) -> list[int]:
    """Return the places under markers whose card the active player may still use (D19)."""
    me = s.me()
    return [place for place in sorted(me.markers) if place not in me.used and usable(s, s.grid[place])]


def usable(s: Position, card: str) -> bool:
    """Whether a card of the grid is neutral or of the active player's colour, and would change something (D16)."""
    return (card in box.SYMBOLS or box.PERSONAL_CARDS.get(card) == s.active) and changes(s, card)


def changes(s: Position, card: str) -> bool:
    """Whether the card's effect would change something, at once or by a first choice."""
    if card in AT_ONCE:
        return AT_ONCE[card][0](s)
    return bool(choices(s, opened(s, card)))


def opened(s: Position, card: str) -> Use:
    """Return the use of a card with choices before the first of them."""
    limits = {"regan_hamleigh": box.REGAN_CHIPS, "aliena": box.ALIENA_WOOL}
    left = limits.get(card, box.MARKETS[card].limit if card in box.MARKETS else 0)
    if card in GIFTS:
        left = min(box.GIFT_CHIPS, sum(s.me().supply[raw] for raw in box.NO_ORE))  # D26: or all there is
    return Use(card, left, "wood" if card in (*GIFTS, "regan_hamleigh", "alfred_builder") else "")


def goes_on(s: Position, use: Use) -> bool:
    """Whether a draw or choice for a card is pending."""
    return (use.card in DRAWING and s.draws > 0) or (use.card not in AT_ONCE and bool(choices(s, use)))


# Cards without choices ----------------------------------------------------------------------------------------

AtOnce = tuple[Callable[[Position], bool], Callable[[Position], None]]  # whether it changes something, and its effect


def _take_power(s: Position) -> None:
    s.power = s.active


def _income(gold: int) -> AtOnce:
    return lambda s: s.bank > 0, lambda s: s.earn(s.me(), gold)


def _gather(raw: str, count: int) -> AtOnce:
    return lambda s: s.me().supply[raw] > 0, lambda s: s.me().gather(raw, count)


def _free_seals(s: Position) -> None:
    s.draws = min(box.FREE_SEALS, s.stack())


def _toledo(s: Position) -> None:
    s.toledo = True


AT_ONCE: dict[str, AtOnce] = {
    "power": (lambda s: s.power != s.active, _take_power),
    **{card: _income(gold) for card, gold in box.INCOME.items()},
    **{card: _gather(raw, count) for card, (raw, count) in box.GATHER.items()},
    "jonathan": (lambda s: s.stack() > 0, _free_seals),
    "walter": (lambda s: s.stack() > 0, _free_seals),
    "bishop_henry": (
        lambda s: s.bank > 0 and s.me().sections() > 0,
        lambda s: s.earn(s.me(), box.HENRY_GOLD * s.me().sections()),
    ),
    "king_stephen": (  # D30
        lambda s: s.bank > 0 and s.opponent().gold > s.me().gold,
        lambda s: s.earn(s.me(), s.opponent().gold - s.me().gold),
    ),
    "studies_in_toledo": (lambda s: not s.built and not s.toledo, _toledo),
}


# Choices ------------------------------------------------------------------------------------------------------


def choices(s: Position, use: Use) -> list[str]:
    """Return the next choices in a use, except its end."""
    card, me = use.card, s.me()
    if card in box.CRAFT:
        raw, price = box.CRAFT[card]
        most = 0 if use.began else min(me.raw[raw], me.gold // price)
        return [f"convert {raw} {count}" for count in range(1, most + 1)]
    if card in box.MARKETS:
        return _market_choices(use, me)
    return CARDS[card][1](s, use, me)


def _market_choices(use: Use, me: Player) -> list[str]:
    market = box.MARKETS[use.card]
    may_buy = use.left and me.gold >= market.price
    bought = [f"buy {raw}" for raw in box.BONUS_KINDS if may_buy and me.supply[raw]]
    return [*bought, *(["sell wool 1"] if me.raw["wool"] else [])]


def _aliena(s: Position, use: Use, me: Player) -> list[str]:
    most = 0 if use.began else min(me.raw["wool"], use.left)
    return [f"sell wool {count}" for count in range(1, most + 1)]  # D36


def from_floor(use: Use) -> tuple[str, ...]:
    """Return the kinds that may still be named: the last one named and those after it."""
    return box.NO_ORE[box.NO_ORE.index(use.floor) :]


def _gift(s: Position, use: Use, me: Player) -> list[str]:
    kinds = from_floor(use)
    later = {raw: sum(me.supply[other] for other in kinds[kinds.index(raw) :]) for raw in kinds}
    return [f"take {raw}" for raw in kinds if me.supply[raw] and later[raw] >= use.left > 0]


def _tom(s: Position, use: Use, me: Player) -> list[str]:
    if use.began or me.gold < box.TOM_PRICE:
        return []
    return [
        f"place {section} {box.MADE_FROM[raw]} {seal}"
        for section in box.SECTIONS
        for raw in box.NO_ORE
        if me.supply[raw] and box.MADE_FROM[raw] in me.missing(section)
        for seal in box.NEUTRAL_SEALS
        if me.seals[seal]
    ]


def _william(s: Position, use: Use, me: Player) -> list[str]:
    """Return the opponent's choices."""
    if use.began:
        return []
    victim = s.opponent()
    open_sections = [section for section in box.SECTIONS if not victim.complete(section)]
    return [f"return {section} {made}" for section in open_sections for made in victim.placed[section]]


def _pointed(s: Position, use: Use, places: Iterable[int], cards: set[str]) -> list[str]:
    """Return the cards that can be used once more, each once (D18)."""
    if use.began:
        return []
    found = {s.grid[place] for place in places} & cards
    return [f"use {card}" for card in sorted(found) if usable(s, card)]


Choices = Callable[[Position, Use, Player], list[str]]
GIFTS = ("jack", "volunteer_workers")
DRAWING = ("influence", "jonathan", "walter")
MAY_END = (*box.MARKETS, "influence", "regan_hamleigh", "alfred_builder", "empress_maud")
TAKEABLE = {*box.SYMBOLS, *box.PERSONAL_CARDS}
NOT_POINTING = TAKEABLE - {*box.POINTING}

#   the step of a card in use, and its choices
CARDS: dict[str, tuple[str, Choices]] = {
    "influence": ("influence", lambda s, use, me: ["buy seal"] if s.stack() and me.gold >= box.SEAL_PRICE else []),
    "aliena": ("aliena", _aliena),
    **dict.fromkeys(GIFTS, ("take", _gift)),
    "regan_hamleigh": ("regan", lambda s, use, me: [
        f"convert {raw} 1" for raw in from_floor(use) if use.left and me.gold >= box.REGAN_PRICE and me.raw[raw]]),
    "alfred_builder": ("alfred", lambda s, use, me: [
        f"buy {raw}" for raw in from_floor(use) if me.supply[raw] and me.gold >= box.ALFRED_PRICE]),
    "empress_maud": ("maud", lambda s, use, me: [
        f"pay {seal} {raw}" for raw in box.NO_ORE if me.supply[raw] for seal in box.NEUTRAL_SEALS if me.seals[seal]]),
    "tom_builder": ("tom", _tom),
    "william_hamleigh": ("william", _william),
    **dict.fromkeys(box.POINTING, ("copy", lambda s, use, me: _pointed(s, use, range(9), NOT_POINTING))),
    "lord_in_court": ("copy", lambda s, use, me: _pointed(s, use, {*range(9)} - {*me.markers}, TAKEABLE)),
    "return_of_the_madonna": ("copy", lambda s, use, me: _pointed(s, use, me.markers, {*box.SYMBOLS})),
}  # fmt: skip
STEP_OF = {
    **dict.fromkeys(box.CRAFT, "craftsman"),
    **dict.fromkeys(box.MARKETS, "market"),
    **{card: step for card, (step, _) in CARDS.items()},
}


def playable(s: Position) -> list[str]:
    """Return the 1x cards that the active player may play in the turn (D16, D20)."""
    return [card for card in box.ONCE if card in s.me().once and card in (*AT_ONCE, *CARDS) and changes(s, card)]


# Uses inside others (D48) ---------------------------------------------------------------------------------------

#   acts that take or give gold, after which a card may give more
GOLD = {"influence", *box.CRAFT, *box.MARKETS, "aliena", "regan_hamleigh", "alfred_builder"}
PLENTY = 2 * box.HENRY_GOLD + 4 * 2  # in the bank: Henry gives the same before an act, such as four chips at 2
INSIDE = {
    "volunteer_workers": {*box.MARKETS, "aliena"},
    "empress_maud": {*box.MARKETS, "aliena", "influence"},
    "bishop_henry": GOLD,
    "king_stephen": GOLD,
    "lord_in_court": {*GOLD, "empress_maud"},
    "return_of_the_madonna": {*GOLD, "empress_maud"},
}


def playable_inside(s: Position, use: Use) -> list[str]:
    """Return the 1x cards that may be played between two acts of a use."""
    pointless = ["bishop_henry"] if s.bank >= PLENTY else []
    return [card for card in playable(s) if use.card in INSIDE.get(card, ()) and card not in pointless]


def stays_open(s: Position, use: Use) -> bool:
    """Whether a use that ended automatically may continue after a 1x card."""
    spent = use.card in ("aliena", "regan_hamleigh") and use.left == 0
    return not spent and playable_inside(s, use) != []


def resumed(use: Use) -> Use:
    """Return an open use in which any kind may be named again."""
    return Use(use.card, use.left, "wood" if use.card in ("regan_hamleigh", "alfred_builder") else "")


def acts(s: Position) -> list[str]:
    """Return the acts of the innermost open use; it can be left for one around it."""
    if not s.open:
        return []
    return [*choices(s, resumed(s.open[0])), *(["done"] if len(s.open) > 1 else [])]


def close(s: Position) -> None:
    """Close open uses in which nothing is possible."""
    while s.open and not choices(s, resumed(s.open[0])) and not stays_open(s, s.open[0]):
        s.open.pop(0)


# Effects of choices ---------------------------------------------------------------------------------------------


def choose(s: Position, use: Use, verb: str, words: list[str]) -> None:
    use.began = True
    DEEDS[verb](s, use, s.me(), words)


def _convert(s: Position, use: Use, me: Player, words: list[str]) -> None:
    raw, count = words[0], int(words[1])
    for _ in range(count):
        s.pay(me, box.CRAFT[use.card][1] if use.card in box.CRAFT else box.REGAN_PRICE)
        me.turn_over(raw)
    if use.card == "regan_hamleigh":
        use.left -= 1
        use.floor = raw


def _sell(s: Position, use: Use, me: Player, words: list[str]) -> None:
    count = int(words[1])
    me.raw["wool"] -= count
    me.supply["wool"] += count
    if use.card == "aliena":
        use.left -= count
    s.earn(me, count * (box.ALIENA_PRICE if use.card == "aliena" else box.MARKETS[use.card].wool))  # D27, D38


def _buy(s: Position, use: Use, me: Player, words: list[str]) -> None:
    if words == ["seal"]:
        s.pay(me, box.SEAL_PRICE)
        s.draws = 1  # D25: seen before the next decision
        return
    (raw,) = words
    me.gather(raw, 1)
    if use.card == "alfred_builder":
        s.pay(me, box.ALFRED_PRICE)
        me.turn_over(raw)  # D28
        use.floor = raw
    else:
        s.pay(me, box.MARKETS[use.card].price)
        use.left -= 1


def _take(s: Position, use: Use, me: Player, words: list[str]) -> None:
    (raw,) = words
    me.gather(raw, 1)
    use.left -= 1
    use.floor = raw


def _pay_seal(s: Position, me: Player, seal: str) -> None:
    me.seals[seal] -= 1
    s.seen_seals.append(seal)  # D24


def _trade_seal(s: Position, use: Use, me: Player, words: list[str]) -> None:
    seal, raw = words
    _pay_seal(s, me, seal)
    me.gather(raw, 1)


def _place(s: Position, use: Use, me: Player, words: list[str]) -> None:
    section, made, seal = words
    _pay_seal(s, me, seal)
    s.pay(me, box.TOM_PRICE)
    me.supply[box.RAW_OF[made]] -= 1
    put_into(s, section, [made])


def _return(s: Position, use: Use, me: Player, words: list[str]) -> None:
    section, made = words
    s.opponent().placed[section].remove(made)
    s.opponent().supply[box.RAW_OF[made]] += 1


DEEDS: dict[str, Callable[[Position, Use, Player, list[str]], None]] = {
    "convert": _convert,
    "sell": _sell,
    "buy": _buy,
    "take": _take,
    "pay": _trade_seal,
    "place": _place,
    "return": _return,
    "use": lambda s, use, me, words: start(s, words[0]),
}


def start(s: Position, card: str) -> None:
    """Start to use a card: its effect at once, or the first choice."""
    s.use = opened(s, card)
    if card in AT_ONCE:
        AT_ONCE[card][1](s)


def put_into(s: Position, section: str, materials: list[str]) -> None:
    """Place paid materials of the active player, taken from the camp, and apply the effects of completion."""
    me = s.me()
    me.placed[section] += materials
    if not me.complete(section) or s.opponent().complete(section) or s.winner():
        return  # D33: a winner gets no bonus
    if section == "I":
        s.draws = min(box.BONUS_SEALS, s.stack())
    elif section == "II":
        s.earn(me, box.BONUS_GOLD)
    else:
        s.bonus = Use("", box.BONUS_TURNS, "wood")


def bonus_choices(s: Position, bonus: Use) -> list[str]:
    return [
        f"convert {raw} 1" for raw in from_floor(bonus) if raw in box.BONUS_KINDS and bonus.left and s.me().raw[raw]
    ]

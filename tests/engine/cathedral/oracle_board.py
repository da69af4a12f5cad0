"""Phase III, the board: its fourteen steps and the end of the round.

Functions that play an action take its verb and its words; those that start a step either stop with `ask` or continue
with the next step.
"""

from __future__ import annotations

from tests.engine.cathedral import oracle_cards as box
from tests.engine.cathedral.oracle_state import Move, Player, Position, turn_up, with_card

# Steps 1-2: event and archbishop ------------------------------------------------------------------------


def _event(s: Position, verb: str, card: str) -> None:
    turn_up(s.event_deck, card)
    s.unseen_events.remove(card)
    s.event = card
    if card not in box.NEGATIVE_EVENTS:
        _event_acts(s)
    elif s.archbishop:
        s.ask("protection", s.archbishop)  # R4: for any event
    else:
        _ask_thomas(s)


def _protection(s: Position, verb: str, *words: str) -> None:
    s.protection = verb == "protect"
    s.player(s.archbishop).spared = s.protection
    _ask_thomas(s)


def _ask_thomas(s: Position) -> None:
    """R4: the holder is asked if not protected yet, for any event."""
    holder = s.holder("archbishop_thomas", [colour for colour in s.colours() if not s.player(colour).spared])
    if holder:
        s.ask("thomas", holder)
    else:
        _event_acts(s)


def _thomas(s: Position, verb: str, *words: str) -> None:
    if verb == "use":
        s.player(s.to_act).use_up("archbishop_thomas")
        s.player(s.to_act).spared = True
    _event_acts(s)


def _event_acts(s: Position) -> None:
    for colour in s.turn_order():
        if not s.player(colour).spared:
            _event_strikes(s, s.player(colour))
    _ask_event_choice(s, s.turn_order())


def _event_strikes(s: Position, player: Player) -> None:
    """Apply an event's immediate effects without a choice; winter, volunteers and the blessing act in later steps."""
    if s.event == "hamleigh_levy":
        player.charge(4)
    elif s.event == "quarrel":
        player.lose_vp(2)
    elif s.event == "town_wall":
        player.limited_next = s.round < 6
    elif s.event == "kings_favour":
        player.add("gold", 5)
    elif s.event == "richards_gift":
        s.produce(player, "metal", 1)
    elif s.event == "philips_wool":
        player.add("gold", min(player.mill, 5))  # R41


def _ask_event_choice(s: Position, candidates: list[str]) -> None:
    able = [colour for colour in candidates if s.player(colour).craftsmen and not s.player(colour).spared]
    asked = able if s.event == "roof_collapse" else []
    if asked:
        s.ask("event_choice", asked[0])
    else:
        _start_archbishop(s)


def _event_choice(s: Position, verb: str, *words: str) -> None:
    s.player(s.to_act).craftsmen.remove(words[0])
    _ask_event_choice(s, s.after_in_turn_order(s.to_act))


def _start_archbishop(s: Position) -> None:
    if s.archbishop and not s.protection and any(s.stock.values()):
        s.ask("archbishop", s.archbishop)
    else:
        _end_archbishop(s)


def _archbishop(s: Position, verb: str, kind: str) -> None:
    s.stock[kind] -= 1
    s.player(s.archbishop).add(kind, 1)
    _end_archbishop(s)


def _end_archbishop(s: Position) -> None:
    s.archbishop = ""
    s.protection = False
    _mill(s)


# Steps 3-8: mill, Kingsbridge, Priory, production -----------------------------------------------------------------


def _mill(s: Position) -> None:
    for player in s.players:
        player.add("gold", player.mill)
        player.workers += player.mill
        player.mill = 0
    _resolve_kingsbridge(s)


def _resolve_kingsbridge(s: Position) -> None:
    for i in (0, 1):
        colour, card = s.kingsbridge[i], s.kingsbridge_cards[i]
        s.kingsbridge[i] = s.kingsbridge_cards[i] = ""
        if colour and card:
            _take_advantage(s, s.player(colour), card)  # R5
    _priory(s)


def _take_advantage(s: Position, player: Player, card: str) -> None:
    if card in box.PERMANENT or card in box.ONCE:
        player.advantages = with_card(player.advantages, card)
        player.fresh = with_card(player.fresh, card)
    elif card == "crying_madonna":
        player.score("vp_cards", 3)
    elif card == "wool_fair":
        player.add("gold", 8)
    elif card == "toledo":
        s.produce(player, "metal", 2)  # R9
    elif card == "celebrations":
        s.produce(player, "metal", 1)
    elif card == "completion":
        s.produce(player, "stone", 1)
        s.produce(player, "wood", 1)


def _priory(s: Position) -> None:
    for colour, points in zip(s.priory, (2, 1), strict=True):
        if colour:
            s.player(colour).score("vp_priory", points)
            if "prior_philip" in s.player(colour).advantages:
                s.player(colour).score("vp_cards", 1)
    s.priory = ["", ""]
    for kind in ("wood", "stone", "sand"):  # forest, quarry, gravel pit
        for player in s.players:
            _production(s, player, kind)
    s.ask("tax", "nature")


def _production(s: Position, player: Player, kind: str) -> None:
    worked = [card for card in player.resource_cards if box.RESOURCE_CARDS[card].kind == kind]
    more = {"cold_winter": -1, "volunteers": 1}.get(s.event, 0) if not player.spared else 0
    cubes = sum(box.RESOURCE_CARDS[card].cubes + more for card in worked)
    if box.EXTRA_CUBE[kind] in player.advantages:
        cubes += 1  # R6, R12, R14
    s.produce(player, kind, cubes)
    player.workers += sum(box.RESOURCE_CARDS[card].workers for card in worked)
    player.resource_cards = [card for card in player.resource_cards if card not in worked]


# Steps 9-11: King's court, Shiring, castle ------------------------------------------------------------------------


def _tax(s: Position, verb: str, *words: str) -> None:
    s.die = int(words[0])
    holder = s.holder("tax_exemption", [colour for colour in s.colours() if colour not in s.court])
    if holder:
        s.ask("exemption", holder)
    else:
        _pay_tax(s, exempt=s.court)


def _exemption(s: Position, verb: str, *words: str) -> None:
    if verb == "use":
        s.player(s.to_act).use_up("tax_exemption")
        _pay_tax(s, exempt=[*s.court, s.to_act])
    else:
        _pay_tax(s, exempt=s.court)


def _pay_tax(s: Position, exempt: list[str]) -> None:
    for colour in s.turn_order():
        if colour not in exempt:
            fixed = "francis" in s.player(colour).advantages  # R39
            s.player(colour).charge(2 if fixed else s.die)
    s.die = 0
    if s.court[0]:
        s.player(s.court[0]).add("metal", s.court_metal)
        s.court_metal = 0
    s.court = [""] * 4
    _resolve_shiring(s)


def _resolve_shiring(s: Position) -> None:
    for i in (0, 1):
        colour, card = s.shiring[i], s.shiring_cards[i]
        s.shiring[i] = s.shiring_cards[i] = ""
        if colour and card:
            me = s.player(colour)
            me.craftsmen = with_card(me.craftsmen, card)  # R5
            if me.crowded():
                s.ask("shiring", colour)
                return
    _castle(s)


def _shiring(s: Position, verb: str, *words: str) -> None:
    s.player(s.to_act).craftsmen.remove(words[0])
    _resolve_shiring(s)


def _castle(s: Position) -> None:
    if s.castle:
        s.player(s.castle).grey_next = 2
        s.castle = ""
    _next_stall(s)


# Step 12: market --------------------------------------------------------------------------------------------------


def _next_stall(s: Position) -> None:
    """Move to the next stall of this lap, or of the next lap, that still has a builder; stall 0 is before the first."""
    stalls = [*range(s.stall + 1, 5), *range(1, s.stall + 1)]
    open_stalls = [stall for stall in stalls if s.market[stall - 1]]
    if open_stalls:
        s.stall = open_stalls[0]
        s.ask("market", s.market[s.stall - 1])
    else:
        s.stall = 0
        _next_cathedral(s, s.turn_order())


def _market(s: Position, verb: str, *words: str) -> None:
    me = s.player(s.to_act)
    if verb == "leave":
        s.market[s.stall - 1] = ""
    else:
        kind, count = words[0], int(words[1])
        if verb == "buy":
            s.stock[kind] -= count
            me.add(kind, count)
            me.gold -= box.BUY_PRICE[kind] * count
            if kind not in me.bought:
                me.bought = with_card(me.bought, kind)
        else:
            s.give_back(me, kind, count)
            me.add("gold", box.SELL_PRICE[kind] * count)
    _next_stall(s)


# Step 13: cathedral -----------------------------------------------------------------------------------------------


def _next_cathedral(s: Position, still_to_come: list[str]) -> None:
    if still_to_come:
        s.ask("cathedral", still_to_come[0])
    else:
        _next_starting_player(s)


def _cathedral(s: Position, verb: str, *words: str) -> None:
    me = s.player(s.to_act)
    if verb == "convert":
        _convert(s, me, words[0], int(words[1]))
        return
    s.used = []
    s.last_used = ""
    s.blessing_used = False
    if s.round < 6 and me.cubes() > 5:  # R10
        s.floor = "sand"
        s.ask("keep", s.to_act)
    else:
        _next_cathedral(s, s.after_in_turn_order(s.to_act))


def _convert(s: Position, me: Player, card: str, times: int) -> None:
    facts = box.CRAFTSMEN[card]
    for kind, count in facts.spends.items():
        if kind == "gold":
            me.gold -= count * times
        else:
            s.give_back(me, kind, count * times)
    me.add("gold", facts.gold * times)
    me.score("vp_craftsmen", facts.vp * times)
    s.last_used = card
    before = sum(use["times"] for use in s.used if use["craftsman"] == card)
    if before + times > facts.capacity:
        s.blessing_used = True  # R42
    if facts.free:
        uses = {use["craftsman"]: use["times"] for use in s.used} | {card: before + times}
        s.used = [{"craftsman": name, "times": uses[name]} for name in box.CRAFTSMEN if name in uses]


def _keep(s: Position, verb: str, kind: str) -> None:
    me = s.player(s.to_act)
    s.give_back(me, kind, 1)
    s.floor = kind
    if me.cubes() <= 5:
        s.floor = ""
        _next_cathedral(s, s.after_in_turn_order(s.to_act))


# Step 14 and the end of the round ---------------------------------------------------------------------------------


def _next_starting_player(s: Position) -> None:
    s.starting_player = s.start or s.clockwise_from(s.starting_player)[1]
    s.start = ""
    if s.round == 6:
        s.ask("over", "")  # R22
        return
    for player in s.players:
        _refresh_player(player)
    _refill(s)
    s.event = ""
    s.round += 1
    s.cost = 7
    s.redraw_used = False
    s.ask("advantages", "nature")


def _refresh_player(player: Player) -> None:
    player.workers += player.grey_next - player.grey
    player.grey, player.grey_next = player.grey_next, 0
    if "otto" in player.fresh:
        player.workers += 1  # R24: from the next draft on
    player.limited, player.limited_next = player.limited_next, False
    player.bag, player.aside = 3, 0
    player.spared = False
    player.fresh = []
    player.bought = []


def _refill(s: Position) -> None:
    for kind in box.BASIC:
        moved = max(0, min(4 - s.stock[kind], s.supply[kind]))  # R7
        s.stock[kind] += moved
        s.supply[kind] -= moved
    if s.court_metal == 0 and s.supply["metal"] > 0:  # R9
        s.court_metal = 1
        s.supply["metal"] -= 1


MOVES: dict[str, Move] = {
    "event": _event,
    "protection": _protection,
    "thomas": _thomas,
    "event_choice": _event_choice,
    "archbishop": _archbishop,
    "tax": _tax,
    "exemption": _exemption,
    "shiring": _shiring,
    "market": _market,
    "cathedral": _cathedral,
    "keep": _keep,
}

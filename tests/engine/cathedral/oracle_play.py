"""The effects of each action: the entry to all steps, and the round start, the draft and the builders themselves.

There is one function per step, which takes the action's verb and its words. Automatic effects follow at once, up to the
next choice or chance event.
"""

from __future__ import annotations

from tests.engine.cathedral import oracle_board
from tests.engine.cathedral.oracle_cards import CRAFTSMEN, RESOURCE_CARDS, craftsmen_of
from tests.engine.cathedral.oracle_state import Move, Position, turn_up, with_card


def play(s: Position, text: str) -> None:
    verb, *words = text.split()
    MOVES[s.step](s, verb, *words)


# Round start ------------------------------------------------------------------------------------------------------


def _advantage(s: Position, verb: str, card: str) -> None:
    turn_up(s.advantage_deck, card)
    s.unseen_advantages.remove(card)
    s.kingsbridge_cards[s.kingsbridge_cards.index("")] = card
    if "" not in s.kingsbridge_cards:
        s.ask("craftsmen", "nature")


def _craftsman(s: Position, verb: str, card: str) -> None:
    turn_up(s.craftsman_deck, card)
    s.shiring_cards[s.shiring_cards.index("")] = card
    if "" not in s.shiring_cards:
        s.supply_craftsmen = [other for other in craftsmen_of(s.round) if other not in s.shiring_cards]
        del s.craftsman_deck[:2]
        s.ask("resources", "nature")


def _leave_out(s: Position, verb: str, *words: str) -> None:
    s.supply_resources = [card for card in RESOURCE_CARDS if card not in words]
    s.ask("draft", s.starting_player)


# Phase I ----------------------------------------------------------------------------------------------------------


def _draft(s: Position, verb: str, *words: str) -> None:
    me = s.player(s.to_act)
    if verb == "take":
        s.supply_resources.remove(words[0])
        me.resource_cards = with_card(me.resource_cards, words[0])
        me.workers -= RESOURCE_CARDS[words[0]].workers
    elif verb == "hire":
        s.supply_craftsmen.remove(words[0])
        me.craftsmen = with_card(me.craftsmen, words[0])
        me.gold -= CRAFTSMEN[words[0]].cost
    elif verb == "dismiss":
        me.craftsmen.remove(words[0])
    else:
        me.passed = True
    if not me.crowded():
        _next_in_draft(s)


def _next_in_draft(s: Position) -> None:
    others_first = [*s.clockwise_from(s.to_act)[1:], s.to_act]
    still_in = [colour for colour in others_first if not s.player(colour).passed]
    if still_in and (s.supply_craftsmen or s.supply_resources):
        s.ask("draft", still_in[0])
        return
    s.supply_craftsmen = []
    s.supply_resources = []
    for player in s.players:
        player.passed = False
        player.mill, player.workers = player.workers, 0
    s.ask("draw", "nature")


# Phase II ---------------------------------------------------------------------------------------------------------


def _draw(s: Position, verb: str, colour: str) -> None:
    owner = s.player(colour)
    owner.bag -= 1
    if owner.limited and owner.bag == 0:  # R2: the third of its colour
        owner.aside = 1
        _next_draw(s)
        return
    s.drawn = colour
    if s.redraw_used:
        s.ask("builder", colour)
    else:
        s.ask("redraw", s.starting_player)


def _redraw(s: Position, verb: str, *words: str) -> None:
    if verb == "accept":
        s.ask("builder", s.drawn)
        return
    s.redraw_used = True
    s.player(s.drawn).bag += 1  # R3: it was not drawn
    s.drawn = ""
    s.ask("draw", "nature")


def _next_draw(s: Position) -> None:
    if any(player.bag for player in s.players):
        s.ask("draw", "nature")
    else:
        s.cost = 0
        _next_waiting(s)


def _put(s: Position, colour: str, space: str) -> None:
    name, _, number = space.partition(".")
    if name in ("archbishop", "castle", "start"):
        setattr(s, name, colour)
        return
    places = getattr(s, name)
    places[int(number) - 1 if number else places.index("")] = colour  # R16: the lowest free number


def _builder(s: Position, verb: str, *words: str) -> None:
    me = s.player(s.to_act)
    if verb == "use":
        me.use_up("brother_remigius")
        s.free_placement = True
        return
    if verb == "wait":
        s.waiting.append(s.drawn)
    else:
        me.gold -= 0 if s.free_placement else s.cost
        _put(s, s.drawn, words[1])
    s.drawn = ""
    s.free_placement = False
    s.cost = max(0, s.cost - 1)
    _next_draw(s)


def _waiting(s: Position, verb: str, *words: str) -> None:
    _put(s, s.waiting.pop(0), words[1])
    _next_waiting(s)


def _next_waiting(s: Position) -> None:
    if s.waiting:
        s.ask("waiting", s.waiting[0])
    else:
        s.ask("event", "nature")


MOVES: dict[str, Move] = {
    "advantages": _advantage,
    "craftsmen": _craftsman,
    "resources": _leave_out,
    "draft": _draft,
    "draw": _draw,
    "redraw": _redraw,
    "builder": _builder,
    "waiting": _waiting,
    **oracle_board.MOVES,
}

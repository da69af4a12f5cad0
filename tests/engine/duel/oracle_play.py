"""The effects of each action: one function per step, and automatic effects up to the next choice or event."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from tests.engine.duel import oracle_uses
from tests.engine.duel.oracle_cards import DECKS, LINES, ONCE, PERSONAL, PLACES, PLACING, TOLEDO_PRICE, other
from tests.engine.duel.oracle_state import Player, Position


def play(s: Position, text: str) -> None:
    verb, *words = text.split()
    MOVES[s.step](s, verb, *words)


# The round: nine cards, claims, Storming ----------------------------------------------------------------------


def _deal(s: Position, verb: str, card: str) -> None:
    _turn_up(s.deck, card)
    s.unseen_cards -= Counter([card])
    s.grid.append(card)
    if len(s.grid) == 9:
        s.first = s.power  # D1
        s.ask("claim", s.first)


def _turn_up(order: list[str], thing: str) -> None:
    """Take a card or seal off its pile; if the known order has another one, the two trade places."""
    if order:
        order[order.index(thing)] = order[0]
        order.pop(0)


def _claim(s: Position, verb: str, *words: str) -> None:
    line = " ".join(words)
    s.player(s.to_act).markers = list(LINES[line])
    if s.to_act == s.first:
        s.ask("claim", other(s.first))
    else:
        _ask_storming(s)


def _ask_storming(s: Position) -> None:
    holders = [colour for colour in (s.first, other(s.first)) if "storming_the_castle" in s.player(colour).once]
    if holders:
        s.ask("storm", holders[0])
    else:
        _start_conflict(s)


def _storming(s: Position, verb: str, *words: str) -> None:
    if verb == "play":
        s.player(s.to_act).once.remove("storming_the_castle")
        s.ask("take_back", other(s.to_act))
    else:
        _start_conflict(s)


def _take_back(s: Position, verb: str, *words: str) -> None:
    s.player(s.to_act).markers.remove(PLACES.index(words[0]))
    _start_conflict(s)  # D39


# The conflict -------------------------------------------------------------------------------------------------


def shared(s: Position) -> set[int]:
    """Return the place with both players' markers, if there is one."""
    return set(s.player("red").markers) & set(s.player("blue").markers)


def _start_conflict(s: Position) -> None:
    if shared(s):
        s.ask("conflict", s.first)
    else:
        _start_turn(s, s.first)


def _conflict(s: Position, verb: str, *words: str) -> None:
    me = s.player(s.to_act)
    if verb == "stop":
        _lose(s, me)
        return
    (seal,) = words
    if seal != PERSONAL:
        me.seals[seal] -= 1
    me.flipped.append(seal)
    s.flipping = seal
    s.ask("flip", "nature")


def _flip(s: Position, verb: str, face: str) -> None:
    second = s.player(other(s.first))
    flipper = _behind(s) if second.flipped else s.player(s.first)
    flipper.total += int(face)
    s.flipping = ""
    if PERSONAL in _behind(s).flipped:  # it ends its owner's flips
        _lose(s, _behind(s))
    else:
        s.ask("conflict", _behind(s).colour)


def _behind(s: Position) -> Player:
    """Return the player behind; at equal sums the second player."""
    first, second = s.player(s.first), s.player(other(s.first))
    return first if first.total < second.total else second


def _lose(s: Position, loser: Player) -> None:
    (place,) = shared(s)
    loser.markers.remove(place)
    if any(seal != PERSONAL for seal in loser.flipped):
        s.ask("keep", loser.colour)
    else:
        _clear_conflict(s)


def _keep(s: Position, verb: str, seal: str) -> None:
    me = s.player(s.to_act)
    me.flipped.remove(seal)  # D23: the one flipped first
    me.seals[seal] += 1
    _clear_conflict(s)


def _clear_conflict(s: Position) -> None:
    for player in (s.player(s.first), s.player(other(s.first))):  # D4
        s.seen_seals += [seal for seal in player.flipped if seal != PERSONAL]
        player.flipped = []
        player.total = 0
    _start_turn(s, s.first)


# A turn -------------------------------------------------------------------------------------------------------


def _start_turn(s: Position, colour: str) -> None:
    s.active = colour
    s.built = s.toledo = False
    me = s.me()
    for place in me.markers:  # D17
        if s.grid[place] in ONCE:
            me.once.append(s.grid[place])
            s.grid[place] = ""
    _go_on(s)


def _go_on(s: Position) -> None:
    """Carry out pending effects, up to the next choice or event, innermost first."""
    while s.draws and not s.unseen_seals.total():
        s.me().seals[s.seen_seals.pop(0)] += 1
        s.draws -= 1
    if s.bonus and not oracle_uses.bonus_choices(s, s.bonus):
        s.bonus = None
    if s.use and not oracle_uses.goes_on(s, s.use):
        s.open[:0] = [s.use] if oracle_uses.stays_open(s, s.use) else []
        s.use = None
    if s.winner():
        _end_game(s)
    elif s.draws:
        s.ask("draw", "nature")
    elif s.bonus:
        s.ask("bonus", s.active)
    elif s.use:
        who = other(s.active) if s.use.card == "william_hamleigh" else s.active
        s.ask(oracle_uses.STEP_OF[s.use.card], who)
    else:
        oracle_uses.close(s)
        s.ask("turn", s.active)


def _seal(s: Position, verb: str, seal: str) -> None:
    _turn_up(s.seal_order, seal)
    s.unseen_seals -= Counter([seal])
    s.me().seals[seal] += 1
    s.draws -= 1
    _go_on(s)


def _turn(s: Position, verb: str, *words: str) -> None:
    me = s.me()
    if verb in ("end", "use", "build"):
        s.open = []
    if verb == "end":
        _end_turn(s)
        return
    if verb == "use":
        me.used.append(next(place for place in oracle_uses.own_places(s) if s.grid[place] == words[0]))
        oracle_uses.start(s, words[0])
    elif verb == "play":
        me.once.remove(words[0])
        oracle_uses.start(s, words[0])
    elif verb == "build":
        _build(s, words[0], [*words[1:]])
    else:
        _continue(s, verb, [*words])
    _go_on(s)


def _continue(s: Position, verb: str, words: list[str]) -> None:
    use = oracle_uses.resumed(s.open.pop(0))
    if verb != "done":
        s.use = use
        oracle_uses.choose(s, use, verb, words)


def _build(s: Position, section: str, materials: list[str]) -> None:
    s.built = True
    s.pay(s.me(), TOLEDO_PRICE if s.toledo else PLACING[len(materials)])
    s.me().made -= Counter(materials)
    oracle_uses.put_into(s, section, materials)


def _use(s: Position, verb: str, *words: str) -> None:
    assert s.use is not None
    if verb == "done":
        s.use = None
    elif verb == "play":
        s.open.insert(0, s.use)
        s.me().once.remove(words[0])
        oracle_uses.start(s, words[0])
    else:
        oracle_uses.choose(s, s.use, verb, [*words])
    _go_on(s)


def _bonus(s: Position, verb: str, *words: str) -> None:
    assert s.bonus is not None
    if verb == "done":
        s.bonus = None
    else:
        s.me().turn_over(words[0])
        s.bonus.floor = words[0]
        s.bonus.left -= 1
    _go_on(s)


# The end of a turn, a round, a phase (D34) -----------------------------------------------------------------


def _end_turn(s: Position) -> None:
    if s.active == s.first:
        _start_turn(s, other(s.first))
        return
    if (s.phase, s.round) == (4, 3):
        _end_game(s)
        return
    _clear_table(s)
    s.first = s.power
    s.round += 1
    if s.round == 4:
        _next_phase(s)
    s.ask("deal", "nature")


def _clear_table(s: Position) -> None:
    s.active = ""
    s.built = s.toledo = False
    s.grid = []
    for player in s.players.values():
        player.markers, player.used = [], []


def _end_game(s: Position) -> None:
    _clear_table(s)  # D45
    s.use = s.bonus = None
    s.open = []
    s.draws = 0
    s.ask("over", "")


def _next_phase(s: Position) -> None:
    s.phase += 1
    s.round = 1
    for player in s.players.values():
        player.once = [card for card in player.once if card not in DECKS[s.deck_name()]]
    s.unseen_cards = Counter(DECKS[s.deck_name()])


MOVES: dict[str, Callable[..., None]] = {
    "deal": _deal,
    "claim": _claim,
    "storm": _storming,
    "take_back": _take_back,
    "conflict": _conflict,
    "flip": _flip,
    "keep": _keep,
    "turn": _turn,
    "draw": _seal,
    **dict.fromkeys(oracle_uses.STEP_OF.values(), _use),
    "bonus": _bonus,
}

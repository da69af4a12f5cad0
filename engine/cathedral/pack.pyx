# cython: language_level=3
"""Between the struct and the fields of a position, both ways. What the fields mean is in RULES.md."""
from libc.stdint cimport uint8_t
from libc.string cimport memset

from clerestory.engine.cathedral.builders cimport count_waiting
from clerestory.engine.cathedral.luck cimport advantages_gone, craftsmen_gone, events_gone
from clerestory.engine.cathedral.state cimport *
from clerestory.engine.cathedral.works cimport times_used
from clerestory.engine.core cimport NATURE, OVER

from clerestory.engine.cathedral.names import COLOURS, STEP_NAMES
from clerestory.engine.cathedral.names import TYPES as TYPE_NAMES

SPACE_FIELDS = ("archbishop", "kingsbridge", "priory", "court", "shiring", "castle", "market", "start")


# -- to fields -------------------------------------------------------------------------------------

cdef dict unpack_fields(const Cathedral *s, object names):
    return {
        "round": s.round,
        "step": STEP_NAMES[s.step],
        "to_act": actor_name(s),
        "starting_player": COLOURS[s.starting],
        "cost": s.cost,
        "redraw_used": bool(s.redraw_used),
        "drawn": builder(s.drawn),
        "free_placement": bool(s.free_placement),
        "waiting": [builder(s.waiting >> 4 * i & 15) for i in range(count_waiting(s))],
        **unpack_spaces(s),
        "stall": s.stall,
        "kingsbridge_cards": [card_name(names.advantages, s.kingsbridge_cards[i]) for i in range(2)],
        "shiring_cards": [card_name(names.craftsmen, s.shiring_cards[i]) for i in range(2)],
        "supply_craftsmen": cards_in(names.craftsmen, s.supply_craftsmen),
        "supply_resources": cards_in(names.resources, s.supply_resources),
        "event": card_name(names.events, s.event),
        "protection": bool(s.protection),
        "die": s.die,
        "stock": {TYPE_NAMES[i]: s.stock[i] for i in range(3)},
        "court_metal": s.court_metal,
        "supply": {TYPE_NAMES[i]: s.supply[i] for i in range(TYPES)},
        **unpack_choices(s, names),
        "unseen_advantages": cards_in(names.advantages, s.unseen_advantages),
        "unseen_events": cards_in(names.events, s.unseen_events),
        **unpack_decks(s, names),
        "players": [unpack_player(s, seat, names) for seat in range(s.seats)],
    }


cdef str actor_name(const Cathedral *s):
    return {NATURE: "nature", OVER: ""}.get(s.actor) if s.actor < 0 else COLOURS[s.actor]


cdef dict unpack_spaces(const Cathedral *s):
    spaces = [builder(s.spaces[i]) for i in range(SPACES)]
    return {
        "archbishop": spaces[ARCHBISHOP],
        "castle": spaces[CASTLE],
        "start": spaces[START],
        "kingsbridge": spaces[KINGSBRIDGE:PRIORY],
        "priory": spaces[PRIORY:COURT],
        "court": spaces[COURT:SHIRING],
        "shiring": spaces[SHIRING:CASTLE],
        "market": spaces[MARKET:START],
    }


cdef dict unpack_choices(const Cathedral *s, object names):
    return {
        "floor": TYPE_NAMES[s.floor - 1] if s.floor else "",
        "choices_left": s.choices_left,
        "used": [
            {"craftsman": names.craftsmen[i].id, "times": times_used(s, i)}
            for i in range(CRAFTSMEN) if times_used(s, i)
        ],
        "last_used": card_name(names.craftsmen, s.last_used),
    }


cdef dict unpack_decks(const Cathedral *s, object names):
    cdef int i
    return {
        "advantage_deck": [
            names.advantages[s.advantage_deck[i] - 1].id
            for i in range(advantages_gone(s), ADVANTAGE_DECK) if s.advantage_deck[i]
        ],
        "event_deck": [
            names.events[s.event_deck[i] - 1].id for i in range(events_gone(s), EVENT_DECK) if s.event_deck[i]
        ],
        "craftsman_deck": [
            names.craftsmen[s.craftsman_deck[i] - 1].id
            for i in range(craftsmen_gone(s), CRAFTSMAN_DECK) if s.craftsman_deck[i]
        ],
    }


cdef dict unpack_player(const Cathedral *s, int seat, object names):
    cdef const Player *p = &s.players[seat]
    return {
        "vp": p.vp,
        "gold": p.gold,
        **{TYPE_NAMES[i]: p.cubes[i] for i in range(TYPES)},
        "vp_priory": p.vp_priory,
        "vp_craftsmen": p.vp_craftsmen,
        "vp_cards": p.vp_cards,
        "vp_lost": p.vp_lost,
        "workers": p.workers,
        "mill": p.mill,
        "grey": p.grey,
        "grey_next": p.grey_next,
        "craftsmen": cards_in(names.craftsmen, p.craftsmen),
        "advantages": cards_in(names.advantages, p.advantages),
        "resource_cards": cards_in(names.resources, p.resources),
        "fresh": cards_in(names.advantages, p.fresh),
        "bag": p.bag,
        "aside": p.aside,
        "passed": bool(s.passed >> seat & 1),
        "spared": bool(is_spared(s, seat)),
        "limited": bool(is_limited(s, seat)),
        "limited_next": bool(s.limited_next >> seat & 1),
        "bought": [TYPE_NAMES[i] for i in range(3) if p.bought >> i & 1],
    }


cdef str builder(int seat_and_one):
    return COLOURS[seat_and_one - 1] if seat_and_one else ""


cdef str card_name(object things, int card_and_one):
    return things[card_and_one - 1].id if card_and_one else ""


cdef list cards_in(object things, unsigned int cards):
    return [thing.id for i, thing in enumerate(things) if cards >> i & 1]


# -- from fields -----------------------------------------------------------------------------------

cdef object pack_fields(object position, object names, Cathedral *s):
    """Write a position whose fields are in range each by itself; whether it is sound is for check to say."""
    memset(s, 0, sizeof(Cathedral))
    s.seats = len(position.players)
    pack_course(position, s)
    pack_board(position, names, s)
    pack_choices(position, names, s)
    for seat, player in enumerate(position.players):
        pack_player(player, names, &s.players[<int> seat])
    s.passed = seats_where(position, "passed")
    s.spared = seats_where(position, "spared")
    s.limited = seats_where(position, "limited")
    s.limited_next = seats_where(position, "limited_next")
    pack_decks(position, names, s)


cdef object pack_course(object position, Cathedral *s):
    s.round = position.round
    s.step = STEP_NAMES.index(position.step)
    s.actor = {"nature": NATURE, "": OVER}.get(position.to_act, number(position.to_act) - 1)
    s.starting = COLOURS.index(position.starting_player)
    s.cost = position.cost
    s.redraw_used = position.redraw_used
    s.drawn = number(position.drawn)
    s.free_placement = position.free_placement
    s.protection = position.protection
    s.stall = position.stall
    s.die = position.die
    s.waiting = sum(number(colour) << 4 * i for i, colour in enumerate(position.waiting))


cdef object pack_board(object position, object names, Cathedral *s):
    cdef int i
    builders = position.builders()
    for i, colour in enumerate(colour for field in SPACE_FIELDS for colour in builders[field]):
        s.spaces[i] = number(colour)
    for i in range(2):
        s.kingsbridge_cards[i] = card_number(names.advantages, position.kingsbridge_cards[i])
        s.shiring_cards[i] = card_number(names.craftsmen, position.shiring_cards[i])
    for i in range(3):
        s.stock[i] = getattr(position.stock, TYPE_NAMES[i])
    for i in range(TYPES):
        s.supply[i] = getattr(position.supply, TYPE_NAMES[i])
    s.court_metal = position.court_metal
    s.supply_craftsmen = set_of(names.craftsmen, position.supply_craftsmen)
    s.supply_resources = set_of(names.resources, position.supply_resources)
    s.event = card_number(names.events, position.event)
    s.unseen_advantages = set_of(names.advantages, position.unseen_advantages)
    s.unseen_events = set_of(names.events, position.unseen_events)


cdef object pack_choices(object position, object names, Cathedral *s):
    cdef int card
    s.floor = TYPE_NAMES.index(position.floor) + 1 if position.floor else 0
    s.choices_left = position.choices_left
    s.last_used = card_number(names.craftsmen, position.last_used)
    for use in position.used:
        card = card_number(names.craftsmen, use.craftsman) - 1
        s.used[card >> 4] |= <uint64_t> use.times << 4 * (card & 15)


cdef object pack_decks(object position, object names, Cathedral *s):
    pack_deck(position.advantage_deck, names.advantages, s.advantage_deck, ADVANTAGE_DECK)
    pack_deck(position.event_deck, names.events, s.event_deck, EVENT_DECK)
    pack_deck(position.craftsman_deck, names.craftsmen, s.craftsman_deck, CRAFTSMAN_DECK)


cdef object pack_deck(object order, object things, uint8_t *deck, int size):
    """The cards to come are the last of the deck's places."""
    cdef int place
    for place, card in enumerate(order, size - len(order)):
        deck[place] = card_number(things, card)


cdef object pack_player(object player, object names, Player *p):
    cdef int i
    p.vp = player.vp
    p.gold = player.gold
    for i in range(TYPES):
        p.cubes[i] = getattr(player, TYPE_NAMES[i])
    p.vp_priory = player.vp_priory
    p.vp_craftsmen = player.vp_craftsmen
    p.vp_cards = player.vp_cards
    p.vp_lost = player.vp_lost
    p.workers = player.workers
    p.mill = player.mill
    p.grey = player.grey
    p.grey_next = player.grey_next
    p.craftsmen = set_of(names.craftsmen, player.craftsmen)
    p.advantages = set_of(names.advantages, player.advantages)
    p.resources = set_of(names.resources, player.resource_cards)
    p.fresh = set_of(names.advantages, player.fresh)
    p.bag = player.bag
    p.aside = player.aside
    p.bought = sum(1 << TYPE_NAMES.index(name) for name in player.bought)


def number(colour):
    """Return the seat and one of a colour, 0 for none and for whoever is not a seat."""
    return COLOURS.index(colour) + 1 if colour in COLOURS else 0


def card_number(things, card):
    """Return the number and one of a card, 0 for none."""
    return [thing.id for thing in things].index(card) + 1 if card else 0


def set_of(things, cards):
    """Return cards as a set of bits."""
    return sum(1 << i for i, thing in enumerate(things) if thing.id in cards)


def seats_where(position, flag):
    """Return the set of seats whose players have a flag."""
    return sum(getattr(player, flag) << seat for seat, player in enumerate(position.players))

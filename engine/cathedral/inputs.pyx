# cython: language_level=3
"""The input of a learned value for a position of `cathedral`.

The terms of prospects.pxd distinguish sibling positions; goods, rates, capacities, places and cards predict the result.
A learned value needs both. The encoder lists cards by number, and `side_of` describes their effects.
"""
from libc.stdint cimport uint32_t

from clerestory.engine.cathedral.builders cimport count_waiting
from clerestory.engine.cathedral.data.state cimport *
from clerestory.engine.cathedral.data.tables cimport cards
from clerestory.engine.cathedral.prospects cimport *
from clerestory.engine.encoding cimport Encoder, Sparse, put, put_set

from clerestory.engine.cathedral.data import state as fields
from clerestory.engine.cathedral.data.catalogue import AdvantageCard, EventCard, ResourceCard, StartingCraftsman
from clerestory.engine.cathedral.data.catalogue import Craftsman as CraftsmanCard
from clerestory.engine.cathedral.guide import TERM_NAMES
from clerestory.engine.inputs import CardPlaces, side_of


cdef enum:                      # inputs of a seat
    O_TERMS                     # all terms but the first, which is 1
    O_VP = O_TERMS + TERMS - 1
    O_PURSE                     # gold, up to the amount that is always useful
    O_HELD                      # sand, wood, stone
    O_DUE = O_HELD + 3          # cubes that workers bring in this round
    O_USE = O_DUE + 3           # by type: VP that the best craftsman makes of a cube
    O_ROOM = O_USE + TYPES      # cubes that the craftsmen take in a round
    O_SPARE = O_ROOM + TYPES    # cubes held and due in excess of that
    O_WORKERS = O_SPARE + TYPES
    O_MILL
    O_GREY
    O_ASIDE
    O_ROOM_LEFT                 # for more craftsmen
    O_DUES                      # gold still to be paid in this round, by the die or by its mean
    O_SHORT                     # part of it that cannot be paid
    O_FIRST_WAITING             # decreases with the builders that wait before the seat's first
    O_TO_ACT
    O_DRAWN
    O_CONVERTED
    O_STARTS
    O_LAST
    O_PASSED
    O_SPARED
    O_LIMITED
    O_LIMITED_NEXT
    O_BOUGHT                    # sand, wood, stone
    O_SPACES = O_BOUGHT + 3
    O_CRAFTSMEN = O_SPACES + SPACES
    O_ADVANTAGES = O_CRAFTSMEN + CRAFTSMEN
    O_RESOURCES = O_ADVANTAGES + ADVANTAGES
    OWN = O_RESOURCES + RESOURCES

cdef enum:                      # inputs of the table
    F_SEATS                     # 3, 4
    F_ROUND = F_SEATS + 2
    F_STEP = F_ROUND + ROUNDS
    F_COST = F_STEP + STEPS
    F_FREE                      # 1: the cost marker is at 0
    F_BAG                       # builders in the bag
    F_WAITING                   # builders that wait
    F_REDRAW_USED
    F_FREE_PLACEMENT
    F_PROTECTION
    F_BLESSING_USED
    F_COURT_METAL
    F_DIE
    F_STALL                     # 1 to 4
    F_STOCK = F_STALL + STALLS
    F_SUPPLY_METAL = F_STOCK + 3
    F_EVENT
    F_EVENTS_GONE = F_EVENT + EVENTS
    F_KINGSBRIDGE = F_EVENTS_GONE + EVENTS
    F_SHIRING = F_KINGSBRIDGE + ADVANTAGES
    F_CRAFTSMEN = F_SHIRING + CRAFTSMEN - STARTING  # available in the draft
    F_RESOURCES = F_CRAFTSMEN + CRAFTSMEN - STARTING
    TABLE = F_RESOURCES + RESOURCES

cdef extern from *:
    """
    /* factors that scale each term, except the first, to about 1 at most */
    static const float TERM_SCALE[25] = {
        1/16.f, 1/64.f, 1/20.f, 1/12.f, 1/8.f, 1/4.f, 1/6.f, 1/3.f, 1/3.f, 1/4.f, 1/2.f, 1/4.f, 1/32.f, 1/8.f, 1/32.f,
        1, 1, 1/2.f, 1/3.f, 1/20.f, 1, 1, 1/2.f, 1/8.f, 1/3.f
    };
    #define MEAN_ROLL 3.5f  /* of the tax die */
    """
    const float TERM_SCALE[25]
    const float MEAN_ROLL

cdef enum:
    PURSE = 5                   # gold


# -- of a seat -------------------------------------------------------------------------------------

cdef void encode_seat(const Cathedral *s, int seat, Sparse *out) noexcept nogil:
    cdef double terms[TERMS]
    cdef int i
    count_terms(s, seat, terms)
    for i in range(1, TERMS):
        put(out, O_TERMS + i - 1, <float> terms[i] * TERM_SCALE[i - 1])
    put_goods(s, &s.players[seat], out)
    put_workers(&s.players[seat], out)
    put_dues(s, seat, out)
    put_standing(s, seat, out)
    put_cards(&s.players[seat], out)


cdef inline void put_goods(const Cathedral *s, const Player *p, Sparse *out) noexcept nogil:
    """Write points, gold and cubes, and what the craftsmen make of cubes."""
    cdef double goods[GOODS]
    cdef float use[TYPES]
    cdef float room[TYPES]
    cdef int kind
    goods_now(s, p, goods)
    look_at_craftsmen(p.craftsmen, use, room)
    put(out, O_VP, <float> p.vp / 40)
    put(out, O_PURSE, min(<int> p.gold, <int> PURSE) / <float> PURSE)
    for kind in range(METAL):
        put(out, O_HELD + kind, <float> p.cubes[kind] / 6)
    for kind in range(METAL):
        put(out, O_DUE + kind, <float> (cards.yields[p.resources] >> 8 * kind & 0xFF) / 6)
    for kind in range(TYPES):
        put(out, O_USE + kind, use[kind])
    for kind in range(TYPES):
        put(out, O_ROOM + kind, <float> room[kind] / 8)
    for kind in range(TYPES):
        put(out, O_SPARE + kind, max(<float> goods[kind] - room[kind], <float> 0) / 6)


cdef inline void put_workers(const Player *p, Sparse *out) noexcept nogil:
    """Write workers, builders that are out of play under `town_wall`, and room for craftsmen."""
    cdef int room = CRAFTSMEN_HELD + (cards.room_cards if p.advantages & cards.room else 0)
    put(out, O_WORKERS, <float> p.workers / 12)
    put(out, O_MILL, <float> p.mill / 12)
    put(out, O_GREY, <float> p.grey / 2)
    put(out, O_ASIDE, <float> p.aside / 3)
    put(out, O_ROOM_LEFT, <float> (room - popcount(p.craftsmen)) / 4)


cdef inline void put_dues(const Cathedral *s, int seat, Sparse *out) noexcept nogil:
    """Write the tax until it is paid."""
    cdef const Player *p = &s.players[seat]
    cdef float dues = cards.tax if p.advantages & cards.fixed_tax else s.die if s.die else MEAN_ROLL
    cdef int gold = p.gold + (p.mill if s.step <= AT_ARCHBISHOP else 0)
    if s.step > AT_EXEMPTION or builders_at(s, seat, COURT, COURT_SPACES):
        return
    put(out, O_DUES, <float> dues / 5)
    put(out, O_SHORT, max(dues - gold, <float> 0) / 4)


cdef inline void put_standing(const Cathedral *s, int seat, Sparse *out) noexcept nogil:
    """Write the turn, the order, the seat's state in this round, and its builders on the board."""
    cdef int space
    put(out, O_FIRST_WAITING, first_waiting(s, seat))
    put(out, O_TO_ACT, s.actor == seat)
    put(out, O_DRAWN, s.drawn == seat + 1)
    put(out, O_CONVERTED, has_converted(s, seat))
    put(out, O_STARTS, seat == s.starting)
    put(out, O_LAST, next_seat(s, seat) == s.starting)
    put(out, O_PASSED, s.passed >> seat & 1)
    put(out, O_SPARED, is_spared(s, seat))
    put(out, O_LIMITED, is_limited(s, seat))
    put(out, O_LIMITED_NEXT, s.limited_next >> seat & 1)
    put_set(out, O_BOUGHT, s.players[seat].bought)
    for space in range(SPACES):
        put(out, O_SPACES + space, s.spaces[space] == seat + 1)


cdef inline float first_waiting(const Cathedral *s, int seat) noexcept nogil:
    """Return 1 if the seat's first waiting builder is first of all, 1/2 if second, and so on; 0 if it has none."""
    cdef uint32_t waiting = s.waiting
    cdef int place = 1
    while waiting:
        if (waiting & 15) == seat + 1:
            return <float> 1 / place
        waiting >>= 4
        place += 1
    return 0


cdef inline void put_cards(const Player *p, Sparse *out) noexcept nogil:
    put_set(out, O_CRAFTSMEN, p.craftsmen)
    put_set(out, O_ADVANTAGES, p.advantages)
    put_set(out, O_RESOURCES, p.resources)


# -- of the table ----------------------------------------------------------------------------------

cdef void encode_table(const Cathedral *s, Sparse *out) noexcept nogil:
    cdef int seat, bag = 0
    for seat in range(s.seats):
        bag += s.players[seat].bag
    if s.seats > 2:
        put(out, F_SEATS + s.seats - 3, 1)
    put(out, F_ROUND + s.round - 1, 1)
    put(out, F_STEP + s.step, 1)
    put(out, F_COST, <float> s.cost / 7)
    put(out, F_FREE, s.cost == 0)
    put(out, F_BAG, <float> bag / 12)
    put(out, F_WAITING, <float> count_waiting(s) / 7)
    put(out, F_REDRAW_USED, s.redraw_used)
    put(out, F_FREE_PLACEMENT, s.free_placement)
    put(out, F_PROTECTION, s.protection)
    put(out, F_BLESSING_USED, s.blessing_used)
    put(out, F_COURT_METAL, s.court_metal)
    put(out, F_DIE, <float> s.die / 5)
    put_market(s, out)
    put_offer(s, out)


cdef inline void put_market(const Cathedral *s, Sparse *out) noexcept nogil:
    cdef int kind
    if s.stall:
        put(out, F_STALL + s.stall - 1, 1)
    for kind in range(3):
        put(out, F_STOCK + kind, s.stock[kind] / <float> STOCK)
    put(out, F_SUPPLY_METAL, <float> s.supply[METAL] / 12)


cdef inline void put_offer(const Cathedral *s, Sparse *out) noexcept nogil:
    """Write the event of the round, those of earlier rounds, and the available cards."""
    if s.event:
        put(out, F_EVENT + s.event - 1, 1)
    put_set(out, F_EVENTS_GONE, ~s.unseen_events & ((1 << EVENTS) - 1))
    put_set(out, F_KINGSBRIDGE, (1u << s.kingsbridge_cards[0] | 1u << s.kingsbridge_cards[1]) >> 1)
    put_set(out, F_SHIRING, (1u << s.shiring_cards[0] | 1u << s.shiring_cards[1]) >> (STARTING + 1))
    put_set(out, F_CRAFTSMEN, s.supply_craftsmen >> STARTING)
    put_set(out, F_RESOURCES, s.supply_resources)


cdef void encode(const void *state, Sparse *own, Sparse *table, double *points) noexcept nogil:
    cdef const Cathedral *s = <const Cathedral *> state
    cdef int seat
    table.count = 0
    encode_table(s, table)
    for seat in range(s.seats):
        points[seat] = s.players[seat].vp
        own[seat].count = 0
        encode_seat(s, seat, &own[seat])


ENCODER = Encoder(own=OWN, table=TABLE, encode=encode)


# -- their names, in order -------------------------------------------------------------------------

TYPE_NAMES = ("sand", "wood", "stone", "metal")
SPACE_NAMES = (
    "archbishop", "kingsbridge_1", "kingsbridge_2", "priory_1", "priory_2", "court_1", "court_2", "court_3", "court_4",
    "shiring_1", "shiring_2", "castle", "market_1", "market_2", "market_3", "market_4", "start",
)


def numbered(name, count, first=1):
    """Return `name_1`, `name_2` and so on."""
    return [f"{name}_{number}" for number in range(first, first + count)]


def craftsmen(catalogue):
    """Return all craftsmen by id, in the order of their numbers."""
    return catalogue.all_craftsmen


def round_craftsmen(catalogue):
    """Return the craftsmen of the rounds by id, in the order of their numbers."""
    return catalogue.craftsmen


def advantages(catalogue):
    """Return the advantage cards by id, in the order of their numbers."""
    return catalogue.advantage_cards


def events(catalogue):
    """Return the event cards by id, in the order of their numbers."""
    return catalogue.event_cards


def resources(catalogue):
    """Return the resource cards by id, in the order of their numbers."""
    return catalogue.resource_cards


OF_HIRE = frozenset({"round"})
OWN_PLACES = (
    *TERM_NAMES[1:], "vp", "purse", *[f"held_{kind}" for kind in TYPE_NAMES[:3]],
    *[f"due_{kind}" for kind in TYPE_NAMES[:3]],
    *[f"{name}_{kind}" for name in ("use", "room", "spare") for kind in TYPE_NAMES],
    "workers", "mill", "grey", "aside", "room_left", "dues", "short", "first_waiting", "to_act", "drawn", "converted",
    "starts", "last", "passed", "spared", "limited", "limited_next", *[f"bought_{kind}" for kind in TYPE_NAMES[:3]],
    *[f"at_{space}" for space in SPACE_NAMES], CardPlaces("craftsman", StartingCraftsman, craftsmen, CRAFTSMEN),
    CardPlaces("advantage", AdvantageCard, advantages, ADVANTAGES),
    CardPlaces("resource", ResourceCard, resources, RESOURCES),
)
TABLE_PLACES = (
    "three_seats", "four_seats", *numbered("round", ROUNDS),
    *[f"step_{step.name.removeprefix('AT_').lower()}" for step in fields.Step],
    "cost", "free", "builders_in_bag", "builders_waiting", "redraw_used", "free_placement", "protection",
    "blessing_used", "court_has_metal", "die", *numbered("stall", STALLS),
    *[f"stock_{kind}" for kind in TYPE_NAMES[:3]], "supply_metal", CardPlaces("event", EventCard, events, EVENTS),
    CardPlaces("gone_event", EventCard, events, EVENTS),
    CardPlaces("kingsbridge_advantage", AdvantageCard, advantages, ADVANTAGES),
    CardPlaces("shiring_craftsman", CraftsmanCard, round_craftsmen, CRAFTSMEN - STARTING, OF_HIRE),
    CardPlaces("offered_craftsman", CraftsmanCard, round_craftsmen, CRAFTSMEN - STARTING, OF_HIRE),
    CardPlaces("offered_resource", ResourceCard, resources, RESOURCES),
)


def inputs_of(catalogue):
    """Return the inputs of a learned value for a seat and for the table, with the cards in use."""
    own, table = (side_of(places, catalogue) for places in (OWN_PLACES, TABLE_PLACES))
    assert (len(own.rows), len(table.rows)) == (OWN, TABLE)
    return own, table

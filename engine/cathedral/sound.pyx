# cython: language_level=3
"""What is true of every position: numbered invariants, checked in this order.

The bytes may be anything. The first invariants bound every field, so that those after them can use fields as
indices. What follows from the rules alone is demanded as far as it can be told from the position.
"""
from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memcpy

from clerestory.engine.cathedral.board cimport seats_at_court
from clerestory.engine.cathedral.draft cimport too_many_craftsmen
from clerestory.engine.cathedral.events cimport has_choice
from clerestory.engine.cathedral.sound_cards cimport (
    advantages_in_place,
    craftsmen_have_room,
    craftsmen_in_place,
    decks_fit,
    event_fits,
    is_negative,
    kingsbridge_of_step,
    most_choices,
    shiring_of_step,
    turned_up_by_round,
)
from clerestory.engine.cathedral.sound_pieces cimport (
    builders_accounted,
    cost_fits,
    grey_lent,
    resources_in_place,
    spaces_of_step,
    waiting_in_order,
    workers_accounted,
)
from clerestory.engine.cathedral.state cimport *
from clerestory.engine.cathedral.tables cimport cards
from clerestory.engine.cathedral.works cimport is_free, times_used
from clerestory.engine.core cimport NATURE, OVER

INVARIANTS = (
    "",
    "the number of seats is 2 to 4",
    "every field is in its range",
    "seats that nobody sits at are empty",
    "goods and points are in their ranges",
    "vp = 2 + vp_priory + vp_craftsmen + vp_cards - vp_lost",
    "23 cubes each of sand, wood and stone, 13 of metal: held, on the market, at court, in the supply",
    "a builder drawn is there while its owner or the redraw is asked, and only then",
    "builders wait only while builders are drawn or placed",
    "each player's builders are in the bag, set aside, drawn, waiting or on the board",
    "builders are on the board from their placing until their space is resolved, from the lowest number on",
    "the cost marker falls with every builder drawn",
    "workers are in the reserve, at the mill or on resource cards",
    "grey workers are lent two at a time, for one round",
    "resource cards are in the supply or held during the round, seven of them",
    "craftsmen are in one place: not turned up, at Shiring, in the supply, held",
    "nobody holds more craftsmen than they have room for, except while one is to be dismissed",
    "the cards at Kingsbridge and Shiring are those of the step",
    "advantages are in one place: not turned up, at Kingsbridge, held",
    "as many events and advantages are turned up as the round says",
    "an event, who is spared and who is limited fit each other",
    "choices, the die and the market's stall belong to their steps",
    "uses belong to free craftsmen that are held, up to their capacity",
    "the seat that is asked is the one that the step asks",
    "who has finished at the cathedral has kept five cubes at most",
    "a deck is wholly known or wholly unknown, and holds unseen cards of its rounds once each",
)


def check_bytes(bytes memory not None):
    """Return the number of the first invariant that arbitrary memory breaks, 0 for a sound position.

    Raises ValueError for bytes that are not as many as a position has.
    """
    cdef Cathedral s
    if len(memory) != sizeof(Cathedral):
        raise ValueError(f"memory: {len(memory)} bytes; a position has {sizeof(Cathedral)}")
    memcpy(&s, <const char *> memory, sizeof(Cathedral))
    return check(&s)


cdef int check(const void *state) noexcept nogil:
    cdef const Cathedral *s = <const Cathedral *> state
    if not 2 <= s.seats <= SEATS:
        return 1
    if not fields_in_range(s):
        return 2
    if not unused_seats_empty(s):
        return 3
    if not goods_in_range(s):
        return 4
    if not vp_accounted(s):
        return 5
    if not cubes_accounted(s):
        return 6
    return check_builders(s) or check_workers(s) or check_cards(s) or check_step(s)


cdef int check_builders(const Cathedral *s) noexcept nogil:
    if (s.drawn != 0) != (s.step == AT_REDRAW or s.step == AT_BUILDER) or (s.free_placement and s.step != AT_BUILDER):
        return 7
    if not waiting_in_order(s):
        return 8
    if not builders_accounted(s):
        return 9
    if not spaces_of_step(s):
        return 10
    return 0 if cost_fits(s) else 11


cdef int check_workers(const Cathedral *s) noexcept nogil:
    if not workers_accounted(s):
        return 12
    if not grey_lent(s):
        return 13
    return 0 if resources_in_place(s) else 14


cdef int check_cards(const Cathedral *s) noexcept nogil:
    if not craftsmen_in_place(s):
        return 15
    if not craftsmen_have_room(s):
        return 16
    if not kingsbridge_of_step(s) or not shiring_of_step(s):
        return 17
    if not advantages_in_place(s):
        return 18
    if not turned_up_by_round(s):
        return 19
    return 0 if event_fits(s) else 20


cdef int check_step(const Cathedral *s) noexcept nogil:
    if not choices_of_step(s):
        return 21
    if not uses_fit(s):
        return 22
    if not actor_fits(s):
        return 23
    if not five_kept(s):
        return 24
    return 0 if decks_fit(s) else 25


# -- ranges ----------------------------------------------------------------------------------------

cdef bint fields_in_range(const Cathedral *s) noexcept nogil:
    cdef unsigned int seats = (1u << s.seats) - 1
    cdef int i
    if not (s.step < STEPS and OVER <= s.actor < s.seats and 1 <= s.round <= ROUNDS and s.starting < s.seats):
        return False
    if s.cost > MAX_COST or s.redraw_used > 1 or s.drawn > s.seats or s.free_placement > 1 or s.stall > STALLS:
        return False
    if s.event > EVENTS or s.protection > 1 or s.die > 5 or s.die == 1 or s.floor > TYPES or s.last_used > CRAFTSMEN:
        return False
    if (s.passed | s.spared | s.limited | s.limited_next) & ~seats or s.court_metal > 1:
        return False
    if s.supply_craftsmen >> CRAFTSMEN or s.supply_resources >> RESOURCES or s.unseen_events >> EVENTS:
        return False
    for i in range(3):
        if s.stock[i] > STOCK:
            return False
    return bytes_in_range(s)


cdef bint bytes_in_range(const Cathedral *s) noexcept nogil:
    """Cards beside spaces, builders on spaces, padding."""
    cdef int i
    for i in range(2):
        if s.kingsbridge_cards[i] > ADVANTAGES or s.shiring_cards[i] > CRAFTSMEN or s.pad[i]:
            return False
    for i in range(SPACES):
        if s.spaces[i] > s.seats:
            return False
    for i in range(6):
        if s.pad2[i] or s.pad3[i]:
            return False
    return True


cdef bint unused_seats_empty(const Cathedral *s) noexcept nogil:
    cdef const uint8_t *unused = <const uint8_t *> &s.players[s.seats]
    cdef int i
    for i in range((SEATS - s.seats) * <int> sizeof(Player)):
        if unused[i]:
            return False
    return True


cdef bint goods_in_range(const Cathedral *s) noexcept nogil:
    """Far more than can be reached, and few enough for every list of actions and every byte."""
    cdef const Player *p
    cdef int seat
    for seat in range(s.seats):
        p = &s.players[seat]
        if p.gold > MAX_GOLD or p.workers >= 16 or p.mill >= 16 or not cubes_in_range(s, p):
            return False
        if p.vp_craftsmen > 6000 or p.vp_priory > 60 or p.vp_cards > 120 or p.vp_lost > 100:
            return False
        if p.craftsmen >> CRAFTSMEN or p.resources >> RESOURCES or p.bought > 7 or p.bag > 3 or p.aside > 3:
            return False
        if p.pad[0] or p.pad[1] or p.pad[2]:
            return False
    return True


cdef bint cubes_in_range(const Cathedral *s, const Player *p) noexcept nogil:
    """Five were kept from the last round; a few come before production, and production adds most."""
    cdef int type_, to_sell = 0
    for type_ in range(TYPES):
        if p.cubes[type_] > 40:
            return False
        to_sell += 0 if p.bought >> type_ & 1 else p.cubes[type_]
    if s.step <= AT_PROTECTION:
        return cubes_held(p) <= KEPT_CUBES
    return to_sell <= (33 if s.step <= AT_KINGSBRIDGE else 80)


cdef bint vp_accounted(const Cathedral *s) noexcept nogil:
    cdef const Player *p
    cdef int seat
    for seat in range(s.seats):
        p = &s.players[seat]
        if p.vp != FIRST_VP + p.vp_priory + p.vp_craftsmen + p.vp_cards - p.vp_lost:
            return False
    return True


cdef bint cubes_accounted(const Cathedral *s) noexcept nogil:
    cdef int seat, type_, count
    for type_ in range(TYPES):
        count = s.supply[type_] + (s.court_metal if type_ == METAL else s.stock[type_])
        for seat in range(s.seats):
            count += s.players[seat].cubes[type_]
        if count != (13 if type_ == METAL else 23):
            return False
    return s.supply[METAL] >= 0


# -- the step --------------------------------------------------------------------------------------

cdef bint choices_of_step(const Cathedral *s) noexcept nogil:
    if s.protection and not (s.step == AT_EVENT_CHOICE and s.spaces[ARCHBISHOP] and is_negative(s)):
        return False
    if (s.die != 0) != (s.step == AT_EXEMPTION) or (s.stall != 0) != (s.step == AT_MARKET):
        return False
    if (s.choices_left != 0) != (s.step == AT_KINGSBRIDGE) or s.passed == (1 << s.seats) - 1:
        return False
    if s.passed and s.step != AT_DRAFT or not bought_fits(s):
        return False
    if s.step == AT_KINGSBRIDGE:
        return 1 <= s.floor <= 3 and s.choices_left <= most_choices(s)
    return (s.floor != 0) == (s.step == AT_KEEP) and (s.step != AT_KEEP or can_keep(s))


cdef bint bought_fits(const Cathedral *s) noexcept nogil:
    cdef int seat, bought = 0
    for seat in range(s.seats):
        bought |= s.players[seat].bought
    return bought == 0 or s.step >= AT_MARKET


cdef bint can_keep(const Cathedral *s) noexcept nogil:
    """Owes an actor that is a seat, or says no. There is too much, and enough of it from the floor on."""
    cdef int type_, from_floor = 0
    if s.actor < 0 or s.round == ROUNDS:
        return False
    for type_ in range(s.floor - 1, TYPES):
        from_floor += s.players[s.actor].cubes[type_]
    return cubes_held(&s.players[s.actor]) > KEPT_CUBES and from_floor >= cubes_held(&s.players[s.actor]) - KEPT_CUBES


cdef bint uses_fit(const Cathedral *s) noexcept nogil:
    cdef int card, last = s.last_used - 1
    cdef uint32_t held = s.players[s.actor].craftsmen if s.actor >= 0 else 0
    if s.step != AT_CATHEDRAL:
        return not s.used[0] and not s.used[1] and not s.last_used
    for card in range(32):
        if times_used(s, card) and (card >= CRAFTSMEN or not held >> card & 1 or not is_free(card)):
            return False
        if card < CRAFTSMEN and times_used(s, card) > cards.craftsmen[card].capacity:
            return False
    if s.last_used == 0:
        return not s.used[0] and not s.used[1]
    return held >> last & 1 and (times_used(s, last) or not is_free(last))


cdef bint actor_fits(const Cathedral *s) noexcept nogil:
    """Steps of the rules' order: Nature's, those with one possible actor, those that any seat can be at."""
    cdef int step = s.step, seat = s.actor
    if step == AT_OVER:
        return seat == OVER and s.round == ROUNDS
    if step <= AT_RESOURCES or step == AT_DRAW or step == AT_EVENT or step == AT_TAX:
        return seat == NATURE
    if seat < 0:
        return False
    if step == AT_DRAFT:
        return not s.passed >> seat & 1 and can_draft(s, seat)
    if step == AT_EVENT_CHOICE:
        return has_choice(s, seat)
    if step == AT_EXEMPTION:
        return s.players[seat].advantages & cards.exemption and not seats_at_court(s) >> (seat + 1) & 1
    if step == AT_MAUD:
        return s.players[seat].advantages & cards.extra_stall
    if step == AT_KINGSBRIDGE or step == AT_SHIRING or step == AT_CATHEDRAL or step == AT_KEEP:
        return True
    return seat == asked_at(s) - 1


cdef bint can_draft(const Cathedral *s, int seat) noexcept nogil:
    return s.supply_resources or s.supply_craftsmen or too_many_craftsmen(&s.players[seat])


cdef int asked_at(const Cathedral *s) noexcept nogil:
    """Seat + 1 whose turn it must be at the other steps; 0 if nobody's."""
    if s.step == AT_REDRAW:
        return s.starting + 1
    if s.step == AT_BUILDER:
        return s.drawn
    if s.step == AT_WAITING:
        return s.waiting & 15
    if s.step == AT_PROTECTION:
        return s.spaces[ARCHBISHOP]
    if s.step == AT_ARCHBISHOP:
        return s.spaces[ARCHBISHOP] if s.stock[0] | s.stock[1] | s.stock[2] else 0
    return s.spaces[MARKET + s.stall - 1]


cdef bint five_kept(const Cathedral *s) noexcept nogil:
    """Of the seats before the actor; in round 6 the limit is skipped (R10)."""
    cdef int seat = s.starting
    if s.round == ROUNDS or not (s.step == AT_CATHEDRAL or s.step == AT_KEEP):
        return True
    while seat != s.actor:
        if cubes_held(&s.players[seat]) > KEPT_CUBES:
            return False
        seat = next_seat(s, seat)
    return True

# cython: language_level=3
"""Invariants of every position beyond its fields and their consistency (state.pyx, position.py), checked in this order.

They cover what the rules imply, as far as it can be recognized from the position alone.
"""
from libc.stdint cimport uint32_t

from clerestory.engine.cathedral.board cimport seats_at_court
from clerestory.engine.cathedral.data.effects cimport EVENT_BLESSING
from clerestory.engine.cathedral.data.state cimport *
from clerestory.engine.cathedral.data.tables cimport cards
from clerestory.engine.cathedral.draft cimport too_many_craftsmen
from clerestory.engine.cathedral.events cimport can_use_thomas, has_choice
from clerestory.engine.cathedral.invariants_of_cards cimport *
from clerestory.engine.cathedral.invariants_of_pieces cimport *
from clerestory.engine.cathedral.invariants_of_points cimport points_fit
from clerestory.engine.cathedral.works cimport is_free, times_used
from clerestory.engine.core cimport MAX_LEGAL, NATURE, OVER, Invariant, predicate

cdef enum:
    MOST_TO_SELL = MAX_LEGAL - 3 * STOCK - 1  # a list also has room for every purchase and for `leave`

cdef Invariant INVARIANTS[NUM_INVARIANTS]
INVARIANTS[:] = [
    Invariant(<predicate> drawn_fits, b"drawn", b"drawn"),
    Invariant(<predicate> waiting_in_step, b"waiting", b"waiting"),
    Invariant(<predicate> builders_complete, b"players", b"builders"),
    Invariant(<predicate> spaces_of_step, b"", b"spaces"),
    Invariant(<predicate> cost_fits, b"cost", b"cost"),
    Invariant(<predicate> workers_complete, b"players", b"workers"),
    Invariant(<predicate> grey_lent, b"players", b"grey"),
    Invariant(<predicate> resources_in_place, b"", b"resources"),
    Invariant(<predicate> craftsmen_in_place, b"", b"craftsmen"),
    Invariant(<predicate> craftsmen_have_room, b"players", b"room"),
    Invariant(<predicate> shown_in_step, b"", b"shown"),
    Invariant(<predicate> advantages_in_place, b"", b"advantages"),
    Invariant(<predicate> turned_up_by_round, b"round", b"turned_up"),
    Invariant(<predicate> event_fits, b"event", b"event"),
    Invariant(<predicate> choices_of_step, b"", b"choices"),
    Invariant(<predicate> uses_fit, b"used", b"uses"),
    Invariant(<predicate> actor_fits, b"to_act", b"actor"),
    Invariant(<predicate> five_kept, b"players", b"kept"),
    Invariant(<predicate> decks_fit, b"", b"decks"),
    Invariant(<predicate> somebody_knows, b"event_deck", b"known"),
    Invariant(<predicate> cubes_of_step, b"players", b"cubes"),
    Invariant(<predicate> points_fit, b"players", b"points"),
]


# -- consistency, as position.py explains it -------------------------------------------------------

cdef bint consistent(const Cathedral *s) noexcept nogil:
    cdef int seat
    for seat in range(s.seats):
        if not is_consistent_player(s, seat):
            return False
    return has_all_cubes(s) and not (s.event and s.unseen_events >> (s.event - 1) & 1)


cdef bint is_consistent_player(const Cathedral *s, int seat) noexcept nogil:
    """Builders, gold and points of one player."""
    cdef const Player *p = &s.players[seat]
    cdef int builders = on_board(s, seat) + (s.drawn == seat + 1) + p.bag + p.aside
    cdef int points = FIRST_VP + p.vp_priory + p.vp_craftsmen + p.vp_cards - p.vp_lost
    return builders <= BUILDERS and p.gold <= MAX_GOLD and p.vp == points


cdef bint has_all_cubes(const Cathedral *s) noexcept nogil:
    cdef int type_, seat, total
    for type_ in range(TYPES):
        total = s.supply[type_] + (s.court_metal if type_ == METAL else s.stock[type_])
        for seat in range(s.seats):
            total += s.players[seat].cubes[type_]
        if total != (METAL_CUBES if type_ == METAL else CUBES):
            return False
    return s.supply[METAL] >= 0


# -- pieces ----------------------------------------------------------------------------------------

cdef bint drawn_fits(const Cathedral *s) noexcept nogil:
    """A builder is placed free by a card, which is then gone."""
    return (s.drawn != 0) == (s.step == AT_REDRAW or s.step == AT_BUILDER) and (
        not s.free_placement or (s.step == AT_BUILDER and is_gone(s, cards.free_builder))
    )


cdef bint cubes_of_step(const Cathedral *s) noexcept nogil:
    cdef int seat
    for seat in range(s.seats):
        if s.step <= AT_ARCHBISHOP and not kept_fits(s, &s.players[seat]) or not sales_fit(s, &s.players[seat]):
            return False
    return True


cdef bint kept_fits(const Cathedral *s, const Player *p) noexcept nogil:
    """Before the market gives a cube, only an event adds to those kept, and only metal."""
    cdef int metal = cards.events[s.event - 1].metal if s.event else 0
    return cubes_held(p) - p.cubes[METAL] <= KEPT_CUBES and cubes_held(p) <= KEPT_CUBES + metal


cdef bint sales_fit(const Cathedral *s, const Player *p) noexcept nogil:
    """These limits are above what can be reached; within them, each sale has its action, and a list holds them all."""
    cdef int type_, to_sell = s.court_metal if s.step <= AT_EXEMPTION else 0  # which may still come
    for type_ in range(TYPES):
        if p.bought >> type_ & 1:
            if p.cubes[type_] + s.stock[type_] > MOST_HELD:
                return False
        elif p.cubes[type_] > MOST_SOLD:
            return False
        else:
            to_sell += p.cubes[type_]
    return to_sell <= MOST_TO_SELL


# -- the step --------------------------------------------------------------------------------------

cdef bint choices_of_step(const Cathedral *s) noexcept nogil:
    if s.protection and not (AT_THOMAS <= s.step <= AT_EVENT_CHOICE and s.spaces[ARCHBISHOP] and is_negative(s)):
        return False
    if (s.die > 1) != (s.step == AT_EXEMPTION) or s.die == 1 or (s.stall != 0) != (s.step == AT_MARKET):
        return False
    if s.passed == (1 << s.seats) - 1 or s.passed and s.step != AT_DRAFT or not bought_fits(s):
        return False
    return (s.floor != 0) == (s.step == AT_KEEP) and (s.step != AT_KEEP or can_keep(s))


cdef bint bought_fits(const Cathedral *s) noexcept nogil:
    cdef int seat, bought = 0
    for seat in range(s.seats):
        bought |= s.players[seat].bought
    return bought == 0 or s.step >= AT_MARKET


cdef bint can_keep(const Cathedral *s) noexcept nogil:
    """Whether the actor is a seat with too many cubes, and enough of them from the floor on."""
    cdef int type_, from_floor = 0
    if s.actor < 0 or s.round == ROUNDS:
        return False
    for type_ in range(s.floor - 1, TYPES):
        from_floor += s.players[s.actor].cubes[type_]
    return cubes_held(&s.players[s.actor]) > KEPT_CUBES and from_floor >= cubes_held(&s.players[s.actor]) - KEPT_CUBES


cdef bint uses_fit(const Cathedral *s) noexcept nogil:
    cdef int card, last = s.last_used - 1
    cdef uint32_t held = able(&s.players[s.actor]) if s.actor >= 0 else 0
    if s.step != AT_CATHEDRAL or s.last_used == 0:
        return not s.used[0] and not s.used[1] and not s.last_used and not s.blessing_used
    for card in range(CRAFTSMEN):
        if times_used(s, card) and (not held >> card & 1 or not is_free(card)):
            return False
    return held >> last & 1 and (times_used(s, last) or not is_free(last)) and blessing_fits(s, held)


cdef uint32_t able(const Player *p) noexcept nogil:
    """The craftsmen held that need no other, or have it."""
    cdef uint32_t found = 0
    cdef int card
    for card in range(CRAFTSMEN):
        if not cards.craftsmen[card].requires or cards.craftsmen[card].requires & p.craftsmen:
            found |= p.craftsmen & 1u << card
    return found


cdef bint blessing_fits(const Cathedral *s, uint32_t held) noexcept nogil:
    """At most one craftsman has been used once more than its capacity; for a free one the uses show it (R42)."""
    cdef int card, beyond, blessed = 0
    for card in range(CRAFTSMEN):
        beyond = times_used(s, card) - cards.craftsmen[card].capacity
        if beyond > 1 or (beyond == 1 and not cards.blessable >> card & 1):
            return False
        blessed += beyond == 1
    if blessed > 1 or (blessed and not s.blessing_used):
        return False
    if s.blessing_used and not blessed and not other_blessed(s, held):
        return False
    return not s.blessing_used or (s.event and cards.events[s.event - 1].kind == EVENT_BLESSING)


cdef bint other_blessed(const Cathedral *s, uint32_t held) noexcept nogil:
    """Whether a craftsman that is not free, up to the last used, can have been used beyond its capacity."""
    cdef uint32_t others = held & cards.blessable & ~cards.free_craftsmen
    return not is_free(s.last_used - 1) and others & (1u << s.last_used) - 1


cdef bint actor_fits(const Cathedral *s) noexcept nogil:
    """Whether the actor fits the step: Nature, the one possible seat, or any seat."""
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
    if step == AT_THOMAS:
        return can_use_thomas(s, seat)
    if step == AT_SHIRING or step == AT_CATHEDRAL or step == AT_KEEP:
        return True
    return seat == asked_at(s) - 1


cdef bint can_draft(const Cathedral *s, int seat) noexcept nogil:
    return s.supply_resources or s.supply_craftsmen or too_many_craftsmen(&s.players[seat])


cdef int asked_at(const Cathedral *s) noexcept nogil:
    """Seat + 1 that must act at the other steps; 0 if none."""
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
    """Checks the seats before the actor; in round 6 there is no limit (R10)."""
    cdef int seat = s.starting
    if s.round == ROUNDS or not (s.step == AT_CATHEDRAL or s.step == AT_KEEP):
        return True
    while seat != s.actor:
        if cubes_held(&s.players[seat]) > KEPT_CUBES:
            return False
        seat = next_seat(s, seat)
    return True

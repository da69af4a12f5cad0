# cython: language_level=3
"""Phase II: master builders are drawn and placed, or wait."""
from libc.stdint cimport uint8_t, uint16_t, uint32_t

from clerestory.engine.cathedral.data.codes cimport *
from clerestory.engine.cathedral.data.state cimport *
from clerestory.engine.cathedral.data.tables cimport cards
from clerestory.engine.core cimport NATURE

# The first and the last space of each location, in the order of actions.py. A builder takes the lowest
# free space of a location (R16), so the location is full once its last space is taken.
cdef extern from *:
    """
    static const unsigned char FIRST_SPACE[10] = {0, 1, 2, 3, 5, 9, 10, 11, 12, 16};
    static const unsigned char LAST_SPACE[10] = {0, 1, 2, 4, 8, 9, 10, 11, 15, 16};
    """
    const uint8_t *FIRST_SPACE
    const uint8_t *LAST_SPACE


cdef inline void draw_next(Cathedral *s) noexcept nogil:
    cdef int seat, left = 0
    for seat in range(s.seats):
        left += s.players[seat].bag
    if left:
        ask(s, AT_DRAW, NATURE)
    else:
        s.cost = 0  # R26: only after the last builder drawn
        wait_next(s)


cdef inline int legal_draw(const Cathedral *s, uint16_t *out) noexcept nogil:
    cdef int seat, n = 0
    for seat in range(s.seats):
        out[n] = <uint16_t> (DRAW + seat)
        n += s.players[seat].bag != 0
    return n


cdef inline void play_draw(Cathedral *s, int a) noexcept nogil:
    cdef int seat = a - DRAW
    cdef Player *p = &s.players[seat]
    p.bag -= 1
    if is_limited(s, seat) and BUILDERS - p.bag > cards.builders_left:
        p.aside += 1  # R2: at once; the marker stays, no redraw
        draw_next(s)
        return
    s.drawn = <uint8_t> (seat + 1)
    if s.redraw_used:
        ask(s, AT_BUILDER, seat)
    else:
        ask(s, AT_REDRAW, s.starting)


cdef inline int legal_redraw(const Cathedral *s, uint16_t *out) noexcept nogil:
    return list_two(REDRAW, ACCEPT, out)


cdef inline void play_redraw(Cathedral *s, int a) noexcept nogil:
    """Return the builder, which counts as not drawn (R3)."""
    if a == ACCEPT:
        ask(s, AT_BUILDER, s.drawn - 1)
        return
    s.players[s.drawn - 1].bag += 1
    s.drawn = 0
    s.redraw_used = 1
    ask(s, AT_DRAW, NATURE)


cdef inline int list_places(const Cathedral *s, uint16_t *out) noexcept nogil:
    cdef int first = PLACE + LOCATIONS * s.actor, i, n = 0
    for i in range(LOCATIONS):
        out[n] = <uint16_t> (first + i)
        n += s.spaces[LAST_SPACE[i]] == 0
    return n


cdef inline int legal_builder(const Cathedral *s, uint16_t *out) noexcept nogil:
    cdef const Player *p = &s.players[s.actor]
    cdef int n = 0
    if s.free_placement or p.gold >= s.cost:
        n = list_places(s, out)
    if s.free_placement or s.cost == 0:
        return n
    out[n] = <uint16_t> (WAIT + s.actor)
    out[n + 1] = USE_REMIGIUS  # open also to a player who could not pay (R43), in a later round (R24)
    return n + 1 + (p.advantages & ~p.fresh & cards.free_builder != 0)


cdef inline void play_builder(Cathedral *s, int a) noexcept nogil:
    cdef Player *p = &s.players[s.actor]
    if a == USE_REMIGIUS:
        use_up(p, cards.free_builder)
        s.free_placement = 1
        return
    if a >= WAIT:
        add_waiting(s)
    else:
        p.gold -= 0 if s.free_placement else s.cost
        put(s, a)
    s.drawn = 0
    s.free_placement = 0
    s.cost -= s.cost != 0
    draw_next(s)


cdef inline void put(Cathedral *s, int a) noexcept nogil:
    cdef int space = FIRST_SPACE[a - PLACE - LOCATIONS * s.actor]
    while s.spaces[space]:
        space += 1
    s.spaces[space] = <uint8_t> (s.actor + 1)


cdef inline int count_waiting(const Cathedral *s) noexcept nogil:
    return (35 - leading_zeros(s.waiting)) // 4 if s.waiting else 0


cdef inline void add_waiting(Cathedral *s) noexcept nogil:
    s.waiting |= <uint32_t> (s.actor + 1) << 4 * count_waiting(s)


cdef inline void wait_next(Cathedral *s) noexcept nogil:
    """Place waiting builders free of charge, in the order in which they passed (R1)."""
    if s.waiting:
        ask(s, AT_WAITING, <int> (s.waiting & 15) - 1)
    else:
        ask(s, AT_EVENT, NATURE)


cdef inline void play_waiting(Cathedral *s, int a) noexcept nogil:
    put(s, a)
    s.waiting >>= 4
    wait_next(s)

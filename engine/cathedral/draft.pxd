# cython: language_level=3
"""Phase I: the draft of resource cards and craftsmen."""
from libc.stdint cimport uint8_t, uint16_t

from clerestory.engine.cathedral.builders cimport draw_next
from clerestory.engine.cathedral.data.codes cimport *
from clerestory.engine.cathedral.data.state cimport *
from clerestory.engine.cathedral.data.tables cimport cards


cdef inline void begin_draft(Cathedral *s) noexcept nogil:
    ask(s, AT_DRAFT, s.starting)


cdef inline bint too_many_craftsmen(const Player *p) noexcept nogil:
    """Whether the player holds more than five craftsmen, or more than the card that raises the limit allows."""
    return popcount(p.craftsmen) > CRAFTSMEN_HELD + (cards.room_cards if p.advantages & cards.room else 0)


cdef inline int legal_draft(const Cathedral *s, uint16_t *out) noexcept nogil:
    cdef const Player *p = &s.players[s.actor]
    cdef int n
    if too_many_craftsmen(p):
        return list_set(p.craftsmen, DISMISS, out)
    n = list_set(s.supply_resources & cards.workable[p.workers], TAKE, out)
    n += list_set((s.supply_craftsmen & cards.hirable[p.gold]) >> STARTING, HIRE, out + n)
    out[n] = PASS
    return n + 1


cdef inline void play_draft(Cathedral *s, int a) noexcept nogil:
    cdef Player *p = &s.players[s.actor]
    if a == PASS:
        s.passed |= <uint8_t> (1 << s.actor)
    elif a >= DISMISS:
        p.craftsmen &= ~(1u << (a - DISMISS))
    elif a >= HIRE:
        hire(s, p, a - HIRE + STARTING)
        if too_many_craftsmen(p):
            return
    else:
        take(s, p, a - TAKE)
    draft_next(s)


cdef inline void take(Cathedral *s, Player *p, int card) noexcept nogil:
    s.supply_resources ^= <uint16_t> (1 << card)
    p.resources |= <uint16_t> (1 << card)
    p.workers -= <uint8_t> (cards.yields[1 << card] >> 24)


cdef inline void hire(Cathedral *s, Player *p, int card) noexcept nogil:
    s.supply_craftsmen ^= 1u << card
    p.craftsmen |= 1u << card
    p.gold -= cards.craftsmen[card].cost


cdef inline void draft_next(Cathedral *s) noexcept nogil:
    """Ask the next player who has not passed; the last one continues alone."""
    cdef int seat = s.actor
    if s.passed == (1 << s.seats) - 1 or not (s.supply_resources | s.supply_craftsmen):
        end_draft(s)
        return
    seat = next_seat(s, seat)
    while s.passed >> seat & 1:
        seat = next_seat(s, seat)
    s.actor = <signed char> seat


cdef inline void end_draft(Cathedral *s) noexcept nogil:
    """Send every free worker to the wool mill; discard cards that were not taken."""
    cdef int seat
    cdef Player *p
    s.supply_resources = 0
    s.supply_craftsmen = 0
    s.passed = 0
    for seat in range(s.seats):
        p = &s.players[seat]
        p.mill = p.workers
        p.workers = 0
    draw_next(s)

# cython: language_level=3
"""Phase III, steps 1 and 2: the event, and the archbishop's seat."""
from libc.stdint cimport uint8_t, uint16_t

from clerestory.engine.cathedral.board cimport pay_mill
from clerestory.engine.cathedral.data.codes cimport *
from clerestory.engine.cathedral.data.effects cimport EVENT_BUILDERS, EVENT_LOSE_CRAFTSMAN, Event, affect
from clerestory.engine.cathedral.data.state cimport *
from clerestory.engine.cathedral.data.tables cimport cards


cdef inline const Event *event_of(const Cathedral *s) noexcept nogil:
    """Return the event of the round. Precondition: an event is turned up."""
    return &cards.events[s.event - 1]


cdef inline void begin_event(Cathedral *s) noexcept nogil:
    """Ask the player at the archbishop's seat first whether to take protection, at every negative event (R4).

    A positive event affects all players (R33).
    """
    if not cards.negative >> (s.event - 1) & 1:
        act_event(s)
    elif s.spaces[ARCHBISHOP]:
        ask(s, AT_PROTECTION, s.spaces[ARCHBISHOP] - 1)
    else:
        ask_thomas(s)


cdef inline int legal_protection(const Cathedral *s, uint16_t *out) noexcept nogil:
    return list_two(PROTECT, DECLINE, out)


cdef inline void play_protection(Cathedral *s, int a) noexcept nogil:
    s.protection = a == PROTECT
    s.spared = <uint8_t> (s.protection << s.actor)
    ask_thomas(s)


cdef inline bint can_use_thomas(const Cathedral *s, int seat) noexcept nogil:
    return s.players[seat].advantages & cards.protection and not is_spared(s, seat)


cdef inline void ask_thomas(Cathedral *s) noexcept nogil:
    """Ask the holder of Thomas next, unless already protected (R4)."""
    cdef int seat
    for seat in range(s.seats):
        if can_use_thomas(s, seat):
            ask(s, AT_THOMAS, seat)
            return
    act_event(s)


cdef inline int legal_thomas(const Cathedral *s, uint16_t *out) noexcept nogil:
    return list_two(USE_THOMAS, SAVE_THOMAS, out)


cdef inline void play_thomas(Cathedral *s, int a) noexcept nogil:
    if a == USE_THOMAS:
        use_up(&s.players[s.actor], cards.protection)
        s.spared |= <uint8_t> (1 << s.actor)
    act_event(s)


cdef inline void act_event(Cathedral *s) noexcept nogil:
    """Apply the event to all players not spared, in turn order. Yields and the blessing act in later steps."""
    cdef int kind = event_of(s).kind, seat = s.starting
    if kind == EVENT_BUILDERS and s.round < ROUNDS:  # in round 6 it does nothing (R32)
        s.limited_next = <uint8_t> (((1 << s.seats) - 1) & ~s.spared)
    if kind == EVENT_LOSE_CRAFTSMAN:
        ask_event(s, seat)
        return
    while True:
        if not is_spared(s, seat):
            affect(s, &s.players[seat], event_of(s))
        seat = next_seat(s, seat)
        if seat == s.starting:
            break
    begin_archbishop(s)


cdef inline bint has_choice(const Cathedral *s, int seat) noexcept nogil:
    """Whether the player has a choice: a player with nothing to lose gets none (R25)."""
    return event_of(s).kind == EVENT_LOSE_CRAFTSMAN and s.players[seat].craftsmen and not is_spared(s, seat)


cdef inline void ask_event(Cathedral *s, int seat) noexcept nogil:
    """Ask the seat or the next affected one, in turn order up to the last before the starting player."""
    while not has_choice(s, seat):
        seat = next_seat(s, seat)
        if seat == s.starting:
            begin_archbishop(s)
            return
    ask(s, AT_EVENT_CHOICE, seat)


cdef inline int legal_event_choice(const Cathedral *s, uint16_t *out) noexcept nogil:
    return list_set(s.players[s.actor].craftsmen, DISMISS, out)


cdef inline void play_event_choice(Cathedral *s, int a) noexcept nogil:
    cdef int seat = next_seat(s, s.actor)
    s.players[s.actor].craftsmen &= ~(1u << (a - DISMISS))
    if seat == s.starting:
        begin_archbishop(s)
    else:
        ask_event(s, seat)


# -- step 2 ----------------------------------------------------------------------------------------

cdef inline void begin_archbishop(Cathedral *s) noexcept nogil:
    """Ask a player without protection, who must take a cube from the market if it has any (R17)."""
    cdef bint any_stock = (s.stock[0] | s.stock[1] | s.stock[2]) != 0
    if s.spaces[ARCHBISHOP] and not s.protection and any_stock:
        ask(s, AT_ARCHBISHOP, s.spaces[ARCHBISHOP] - 1)
    else:
        end_archbishop(s)


cdef inline int legal_archbishop(const Cathedral *s, uint16_t *out) noexcept nogil:
    cdef int type_, n = 0
    for type_ in range(3):
        out[n] = <uint16_t> (GAIN + type_)
        n += s.stock[type_] != 0
    return n


cdef inline void play_archbishop(Cathedral *s, int a) noexcept nogil:
    s.stock[a - GAIN] -= 1
    s.players[s.actor].cubes[a - GAIN] += 1
    end_archbishop(s)


cdef inline void end_archbishop(Cathedral *s) noexcept nogil:
    s.spaces[ARCHBISHOP] = 0
    s.protection = 0
    pay_mill(s)

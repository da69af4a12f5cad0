# cython: language_level=3
"""Invariants of the sources of VP: none has given more than the rounds and cards so far can. Fields are in range."""
from clerestory.engine.cathedral.data.effects cimport EVENT_LEVY, EVENT_LOSE_VP
from clerestory.engine.cathedral.data.state cimport *
from clerestory.engine.cathedral.data.tables cimport cards
from clerestory.engine.cathedral.invariants_of_cards cimport is_gone
from clerestory.engine.cathedral.works cimport is_free, times_used


cdef inline bint points_fit(const Cathedral *s) noexcept nogil:
    cdef int seat, priory = 0, by_cards = 0, lost = most_lost(s)
    for seat in range(s.seats):
        priory += s.players[seat].vp_priory
        by_cards += s.players[seat].vp_cards
        if s.players[seat].vp_lost > lost or s.players[seat].vp_craftsmen > most_crafted(s, seat):
            return False
    return priory <= (2 + 1) * produced_rounds(s) and by_cards <= most_by_cards(s)


cdef inline int produced_rounds(const Cathedral *s) noexcept nogil:
    """Rounds in which Kingsbridge, the Priory and production are over."""
    return s.round - (s.step <= AT_ARCHBISHOP)


cdef inline int most_by_cards(const Cathedral *s) noexcept nogil:
    """VP of all players' advantage cards, those at once and those at both spaces of the Priory."""
    cdef int card, vp = 0
    for card in range(ADVANTAGES):
        if is_gone(s, 1u << card):
            vp += cards.advantages[card].vp
    return vp + 2 * cards.priory_vp * produced_rounds(s)


cdef inline int most_lost(const Cathedral *s) noexcept nogil:
    """VP that a player can have lost by taxes and by events that have acted."""
    cdef int i, vp = (s.round - (s.step <= AT_EXEMPTION)) * (max(LOWEST_ROLL + ROLLS - 1, <int> cards.tax) >> 1)
    cdef unsigned int acted = ~<unsigned int> s.unseen_events
    if s.step <= AT_THOMAS and s.event:
        acted &= ~(1u << (s.event - 1))
    for i in range(EVENTS):
        if acted >> i & 1 and cards.events[i].kind == EVENT_LOSE_VP:
            vp += cards.events[i].amount
        elif acted >> i & 1 and cards.events[i].kind == EVENT_LEVY:
            vp += cards.events[i].amount >> 1
    return vp


# -- the cathedral ---------------------------------------------------------------------------------

cdef inline int most_crafted(const Cathedral *s, int seat) noexcept nogil:
    """VP that a player's craftsmen can have given in the rounds before, and so far in this one."""
    cdef int before = (s.round - 1) * most_in_round()
    if has_converted(s, seat):
        return before + most_in_round()
    return before + (most_so_far(s) if s.step == AT_CATHEDRAL and s.actor == seat and s.last_used else 0)


cdef inline bint has_converted(const Cathedral *s, int seat) noexcept nogil:
    """Whether the seat has finished its conversions in this round."""
    cdef int other = s.starting
    if s.step < AT_CATHEDRAL or s.step == AT_OVER:
        return s.step == AT_OVER
    while other != seat and other != s.actor:
        other = next_seat(s, other)
    return other != s.actor or (seat == s.actor and s.step == AT_KEEP)


cdef inline int most_vp(int card, bint blessed) noexcept nogil:
    """VP of a craftsman in one round."""
    cdef int more = cards.blessable >> card & 1 if blessed else 0
    return (cards.craftsmen[card].capacity + more) * cards.craftsmen[card].vp


cdef inline int most_in_round() noexcept nogil:
    """VP of as many craftsmen as a player can hold, each as good as the best."""
    cdef int card, best = 0
    for card in range(CRAFTSMEN):
        best = max(best, most_vp(card, True))
    return best * (CRAFTSMEN_HELD + cards.room_cards)


cdef inline int most_so_far(const Cathedral *s) noexcept nogil:
    """VP of the uses of free craftsmen, and of all that others up to the last used can give."""
    cdef int card, vp = 0
    cdef unsigned int others = s.players[s.actor].craftsmen & ~cards.free_craftsmen
    for card in range(CRAFTSMEN):
        vp += times_used(s, card) * cards.craftsmen[card].vp
        if others >> card & 1 and card < s.last_used and not is_free(s.last_used - 1):
            vp += most_vp(card, s.blessing_used)
    return vp

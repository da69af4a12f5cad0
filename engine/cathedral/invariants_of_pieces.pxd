# cython: language_level=3
"""Invariants of the pieces: builders, workers and resource cards. Fields are already in range."""
from libc.stdint cimport uint32_t

from clerestory.engine.cathedral.builders cimport count_waiting
from clerestory.engine.cathedral.data.state cimport *
from clerestory.engine.cathedral.data.tables cimport cards


cdef inline bint waiting_in_step(const Cathedral *s) noexcept nogil:
    return s.waiting == 0 or AT_DRAW <= s.step <= AT_WAITING


cdef inline int on_board(const Cathedral *s, int seat) noexcept nogil:
    """Builders of a seat that wait or stand on spaces."""
    cdef int i, count = 0
    for i in range(SPACES):
        count += s.spaces[i] == seat + 1
    for i in range(count_waiting(s)):
        count += (s.waiting >> 4 * i & 15) == <uint32_t> seat + 1
    return count


cdef inline bint builders_complete(const Cathedral *s) noexcept nogil:
    cdef const Player *p
    cdef int seat, aside, count, bags = 0
    for seat in range(s.seats):
        p = &s.players[seat]
        aside = max(BUILDERS - p.bag - <int> cards.builders_left, 0) if is_limited(s, seat) else 0
        count = p.bag + p.aside + on_board(s, seat) + (s.drawn == seat + 1)
        bags += p.bag
        if p.aside != aside or (s.step <= AT_DRAFT and p.bag != BUILDERS):
            return False
        if count > BUILDERS or (count < BUILDERS and s.step <= AT_ARCHBISHOP):
            return False
    return (bags == 0 or s.step <= AT_BUILDER) and (bags != 0 or s.step != AT_DRAW)


cdef inline bint empty(const Cathedral *s, int first, int count) noexcept nogil:
    cdef int i
    for i in range(first, first + count):
        if s.spaces[i]:
            return False
    return True


cdef inline bint from_lowest(const Cathedral *s, int first, int count) noexcept nogil:
    """No builder stands behind a free space (R16)."""
    cdef int i
    for i in range(first + 1, first + count):
        if s.spaces[i] and not s.spaces[i - 1]:
            return False
    return True


cdef inline bint spaces_of_step(const Cathedral *s) noexcept nogil:
    cdef int step = s.step
    if step <= AT_DRAFT and not empty(s, 0, SPACES):
        return False
    if not from_lowest(s, PRIORY, 2) or not from_lowest(s, COURT, COURT_SPACES):
        return False
    if step < AT_MARKET and not from_lowest(s, MARKET, STALLS):
        return False
    if step > AT_ARCHBISHOP and not empty(s, ARCHBISHOP, COURT) or step > AT_EXEMPTION and not empty(s, COURT, 4):
        return False
    if (step > AT_SHIRING and not empty(s, SHIRING, 3)) or (step > AT_MARKET and not empty(s, MARKET, STALLS)):
        return False
    return not (step == AT_OVER and s.spaces[START])


cdef inline bint cost_fits(const Cathedral *s) noexcept nogil:
    """7 minus the builders placed or waiting; 0 once the bag is empty and its last builder has been dealt with."""
    cdef int seat, done = 0
    if s.step <= AT_DRAFT:
        return s.cost == MAX_COST and not s.redraw_used
    if s.step > AT_BUILDER:
        return s.cost == 0
    for seat in range(s.seats):
        done += on_board(s, seat)
    if s.step == AT_REDRAW and s.redraw_used:
        return False
    return s.cost == max(MAX_COST - done, 0) and (s.cost or not s.free_placement)


cdef inline bint workers_complete(const Cathedral *s) noexcept nogil:
    cdef const Player *p
    cdef int seat, count
    for seat in range(s.seats):
        p = &s.players[seat]
        count = WORKERS + p.grey + (p.advantages & ~p.fresh & cards.black_worker != 0)
        if p.workers + p.mill + <int> (cards.yields[p.resources] >> 24) != count:
            return False
        if AT_DRAW <= s.step <= AT_ARCHBISHOP:
            if p.workers:
                return False
        elif p.mill:
            return False
    return True


cdef inline bint grey_lent(const Cathedral *s) noexcept nogil:
    """Lent to at most one player for a round; for the next round only from step castle on."""
    cdef int seat, now = 0, then = 0
    for seat in range(s.seats):
        now += s.players[seat].grey
        then += s.players[seat].grey_next
        if s.players[seat].grey % GREY_LENT or s.players[seat].grey_next % GREY_LENT:
            return False
    if (now and s.round == 1) or (then and s.step <= AT_SHIRING):
        return False
    return now <= GREY_LENT and then <= GREY_LENT


cdef inline bint resources_in_place(const Cathedral *s) noexcept nogil:
    cdef unsigned int held = 0
    cdef int seat
    for seat in range(s.seats):
        held |= s.players[seat].resources
    if s.step == AT_DRAFT:
        return popcount(s.supply_resources | held) == RESOURCES - 2
    if s.supply_resources or popcount(held) > RESOURCES - 2:
        return False
    return held == 0 or AT_DRAFT < s.step <= AT_ARCHBISHOP

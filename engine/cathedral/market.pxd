# cython: language_level=3
"""Phase III, step 12: the market."""
from libc.stdint cimport uint8_t, uint16_t

from clerestory.engine.cathedral.data.codes cimport *
from clerestory.engine.cathedral.data.state cimport *
from clerestory.engine.cathedral.data.tables cimport cards
from clerestory.engine.cathedral.works cimport begin_cathedral


cdef inline void next_stall(Cathedral *s) noexcept nogil:
    """Move to the next stall in space order, repeatedly; a single builder acts again and again."""
    cdef int _step, stall = s.stall
    for _step in range(STALLS):
        stall = 1 if stall == STALLS else stall + 1
        if s.spaces[MARKET + stall - 1]:
            s.stall = <uint8_t> stall
            ask(s, AT_MARKET, s.spaces[MARKET + stall - 1] - 1)
            return
    s.stall = 0
    begin_cathedral(s)


cdef inline int legal_market(const Cathedral *s, uint16_t *out) noexcept nogil:
    cdef const Player *p = &s.players[s.actor]
    cdef int n = list_run(min(<int> s.stock[SAND], p.gold // SAND_PRICE), BUY, out)
    if p.craftsmen & cards.buys_wood:  # R19
        n += list_run(min(<int> s.stock[WOOD], p.gold // WOOD_PRICE), BUY + STOCK * WOOD, out + n)
    n += list_run(min(<int> s.stock[STONE], p.gold // STONE_PRICE), BUY + STOCK * STONE, out + n)
    n += list_sales(p, out + n)
    out[n] = LEAVE
    return n + 1


cdef inline int list_sales(const Player *p, uint16_t *out) noexcept nogil:
    """List sales; a player cannot sell a type bought in the same round with any of their builders (R18)."""
    cdef int type_, n = 0
    cdef int barred = p.bought | (0 if p.craftsmen & cards.sells_stone else 1 << STONE)
    for type_ in range(TYPES):
        if not barred >> type_ & 1:
            n += list_run(min(<int> p.cubes[type_], <int> MOST_SOLD), SELL + MOST_SOLD * type_, out + n)
    return n


cdef inline void play_market(Cathedral *s, int a) noexcept nogil:
    if a == LEAVE:
        s.spaces[MARKET + s.stall - 1] = 0
    elif a >= SELL:
        sell(s, (a - SELL) // MOST_SOLD, (a - SELL) % MOST_SOLD + 1)
    else:
        buy(s, (a - BUY) // STOCK, (a - BUY) % STOCK + 1)
    next_stall(s)


cdef inline void sell(Cathedral *s, int type_, int count) noexcept nogil:
    """Sell cubes to the general supply."""
    cdef Player *p = &s.players[s.actor]
    return_cubes(s, p, type_, count)
    gain_gold(p, count * (type_ + SAND_PRICE))


cdef inline void buy(Cathedral *s, int type_, int count) noexcept nogil:
    cdef Player *p = &s.players[s.actor]
    p.cubes[type_] += <uint8_t> count
    p.gold -= <uint8_t> (count * (type_ + SAND_PRICE))
    p.bought |= <uint8_t> (1 << type_)
    s.stock[type_] -= <uint8_t> count

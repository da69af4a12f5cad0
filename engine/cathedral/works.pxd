# cython: language_level=3
"""Phase III, steps 13 and 14, and the end of the round: the cathedral, the next starting player."""
from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libc.string cimport memcpy, memset

from clerestory.engine.cathedral.data.codes cimport *
from clerestory.engine.cathedral.data.effects cimport EVENT_BLESSING
from clerestory.engine.cathedral.data.state cimport *
from clerestory.engine.cathedral.data.tables cimport Craftsman, cards
from clerestory.engine.core cimport NATURE, OVER


# -- step 13: conversions --------------------------------------------------------------------------

cdef inline void begin_cathedral(Cathedral *s) noexcept nogil:
    ask(s, AT_CATHEDRAL, s.starting)


cdef inline bint is_free(int card) noexcept nogil:
    return cards.free_craftsmen >> card & 1


cdef inline unsigned int in_order(const Cathedral *s, unsigned int craftsmen) noexcept nogil:
    """Return the craftsmen that the canonical order still allows (R21; RULES.md section 3).

    Free ones come in any order, but never the same twice in a row; then the others, ascending, each once.
    """
    cdef int last = s.last_used - 1
    if s.last_used == 0:
        return craftsmen
    if is_free(last):
        return craftsmen & ~(1u << last)
    return craftsmen & ~cards.free_craftsmen & ~((2u << last) - 1)


cdef inline int times_used(const Cathedral *s, int card) noexcept nogil:
    return s.used[card >> 4] >> 4 * (card & 15) & 15


cdef inline bint is_blessed(const Cathedral *s) noexcept nogil:
    """Whether one craftsman can still be used once more than its capacity in this round (R42)."""
    return s.event and cards.events[s.event - 1].kind == EVENT_BLESSING and not s.blessing_used


cdef inline int capacity_of(const Cathedral *s, int card) noexcept nogil:
    cdef bint more = cards.blessable >> card & 1 and is_blessed(s)
    return cards.craftsmen[card].capacity + more


cdef inline uint64_t marked() noexcept nogil:
    """Return the high bit of each byte of goods, which no count reaches."""
    return <uint64_t> 0x8080808080


cdef inline uint64_t goods_of(const Player *p) noexcept nogil:
    """Return cubes and gold in one word with the high bit of each byte set; an overdraft clears the bit."""
    cdef uint64_t goods
    memcpy(&goods, p.cubes, sizeof(goods))
    return goods & <uint64_t> 0xFFFFFFFFFF | marked()


cdef inline bint covered(uint64_t goods) noexcept nogil:
    return goods & marked() == marked()


cdef inline int legal_cathedral(const Cathedral *s, uint16_t *out) noexcept nogil:
    cdef const Player *p = &s.players[s.actor]
    cdef unsigned int craftsmen = in_order(s, p.craftsmen)
    cdef uint64_t goods = goods_of(p)
    cdef int n = 0
    while craftsmen:
        n += list_uses(s, p, lowest_bit(craftsmen), goods, out + n)
        craftsmen &= craftsmen - 1
    out[n] = FINISH
    return n + 1


cdef inline int list_uses(
    const Cathedral *s, const Player *p, int card, uint64_t goods, uint16_t *out
) noexcept nogil:
    """List each number of uses that the capacity and the goods allow; all uses are optional (R20)."""
    cdef const Craftsman *craftsman = &cards.craftsmen[card]
    cdef int n = 0, most = capacity_of(s, card) - times_used(s, card)
    if craftsman.requires and not craftsman.requires & p.craftsmen or not covered(goods - craftsman.needs):
        return 0
    goods -= craftsman.takes
    while n < most and covered(goods):
        out[n] = <uint16_t> (CONVERT + MOST_USES * card + n)
        goods -= craftsman.takes
        n += 1
    return n


cdef inline void play_cathedral(Cathedral *s, int a) noexcept nogil:
    if a == FINISH:
        finish(s)
    else:
        convert(s, (a - CONVERT) // MOST_USES, (a - CONVERT) % MOST_USES + 1)


cdef inline void convert(Cathedral *s, int card, int times) noexcept nogil:
    """Convert; used cubes go to the supply, and the gold cap applies at each step (R21)."""
    cdef Player *p = &s.players[s.actor]
    cdef const Craftsman *craftsman = &cards.craftsmen[card]
    cdef uint64_t takes = craftsman.takes * <uint64_t> times
    cdef int type_
    for type_ in range(TYPES):
        return_cubes(s, p, type_, <int> (takes >> 8 * type_ & 0xFF))
    p.gold -= <uint8_t> (takes >> 32)
    gain_gold(p, craftsman.gold * times)
    p.vp += <uint16_t> (craftsman.vp * times)
    p.vp_craftsmen += <uint16_t> (craftsman.vp * times)
    if times_used(s, card) + times > craftsman.capacity:
        s.blessing_used = 1
    if is_free(card):
        s.used[card >> 4] += <uint64_t> times << 4 * (card & 15)
    s.last_used = <uint8_t> (card + 1)


cdef inline void finish(Cathedral *s) noexcept nogil:
    """End the conversions: the player discards down to the limit, except in round 6 (R10). Clear the uses (R31)."""
    memset(s.used, 0, sizeof(s.used))
    s.last_used = 0
    s.blessing_used = 0
    if s.round < ROUNDS and cubes_held(&s.players[s.actor]) > KEPT_CUBES:
        s.floor = SAND + 1  # R30
        s.step = AT_KEEP
    else:
        cathedral_next(s)


cdef inline int legal_keep(const Cathedral *s, uint16_t *out) noexcept nogil:
    """List types in order, except those that would leave too few cubes to discard (RULES.md section 3)."""
    cdef const Player *p = &s.players[s.actor]
    cdef int excess = cubes_held(p) - KEPT_CUBES, from_here = 0, n = 0, type_
    for type_ in range(s.floor - 1, TYPES):
        from_here += p.cubes[type_]
    for type_ in range(s.floor - 1, TYPES):
        out[n] = <uint16_t> (DISCARD + type_)
        n += p.cubes[type_] != 0 and from_here >= excess
        from_here -= p.cubes[type_]
    return n


cdef inline void play_keep(Cathedral *s, int a) noexcept nogil:
    cdef Player *p = &s.players[s.actor]
    return_cubes(s, p, a - DISCARD, 1)
    s.floor = <uint8_t> (a - DISCARD + 1)
    if cubes_held(p) == KEPT_CUBES:
        s.floor = 0
        cathedral_next(s)


cdef inline void cathedral_next(Cathedral *s) noexcept nogil:
    cdef int seat = next_seat(s, s.actor)
    if seat == s.starting:
        name_start(s)
    else:
        ask(s, AT_CATHEDRAL, seat)


# -- step 14, end of the round ---------------------------------------------------------------------

cdef inline void name_start(Cathedral *s) noexcept nogil:
    """Set the new starting player: the owner of the builder at the start space, else the next seat clockwise (R22)."""
    s.starting = <uint8_t> (s.spaces[START] - 1 if s.spaces[START] else next_seat(s, s.starting))
    s.spaces[START] = 0
    if s.round == ROUNDS:
        ask(s, AT_OVER, OVER)  # R34: the end of the round is skipped
    else:
        end_round(s)


cdef inline void end_round(Cathedral *s) noexcept nogil:
    cdef int seat
    for seat in range(s.seats):
        end_round_of(&s.players[seat])
    refill(s)
    s.limited = s.limited_next
    s.limited_next = 0
    s.event = 0
    s.spared = 0
    s.round += 1
    s.cost = MAX_COST
    s.redraw_used = 0
    ask(s, AT_ADVANTAGES, NATURE)


cdef inline void end_round_of(Player *p) noexcept nogil:
    """Return grey workers, add those lent, and the black worker once (R24)."""
    p.workers += p.grey_next - p.grey + (p.fresh & cards.black_worker != 0)
    p.grey = p.grey_next
    p.grey_next = 0
    p.fresh = 0
    p.bought = 0
    p.bag = BUILDERS
    p.aside = 0


cdef inline void refill(Cathedral *s) noexcept nogil:
    """Refill the market to 4 each and the court to 1 metal, as far as the supply allows (R7)."""
    cdef int type_, count
    for type_ in range(3):
        count = max(min(<int> STOCK - s.stock[type_], <int> s.supply[type_]), 0)
        s.stock[type_] += <uint8_t> count
        s.supply[type_] -= <signed char> count
    if s.court_metal == 0 and s.supply[METAL] > 0:
        s.court_metal = 1
        s.supply[METAL] -= 1

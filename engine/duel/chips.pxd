# cython: language_level=3
"""Cards that move and turn chips: raw, craftsmen, market, Aliena, Jack, Regan, Alfred (D26 to D28)."""
from libc.stdint cimport uint8_t, uint16_t, uint32_t

from clerestory.engine.duel.data.codes cimport *
from clerestory.engine.duel.data.state cimport *
from clerestory.engine.duel.data.tables cimport Effect, cards
from clerestory.engine.duel.uses cimport end_use, leaves_use, list_inside, resume

cdef extern from *:
    """
    /* The first code of each kind at "convert KIND N": two of wood, sand and stone, four of wool, one of ore. */
    static const unsigned char FIRST_OF_KIND[5] = {0, 2, 4, 6, 10};
    static const unsigned char KIND_OF_CODE[11] = {0, 0, 1, 1, 2, 2, 3, 3, 3, 3, 4};
    """
    const uint8_t *FIRST_OF_KIND
    const uint8_t *KIND_OF_CODE


cdef inline const Effect *in_use(const Duel *s) noexcept nogil:
    """Return the effect of the card in use. Precondition: a card is in use."""
    return &cards.effects[s.card - 1]


# -- from supply to camp ---------------------------------------------------------------------------

cdef inline void take_raw(Player *p, int kind, int count) noexcept nogil:
    """Move up to `count` raw chips of a kind from the supply to the camp."""
    count = min(count, count_of(p.supply, kind))
    p.supply -= <uint32_t> count * one(kind)
    p.camp += <uint32_t> count * one(kind)


cdef inline void begin_take(Duel *s, const Effect *effect) noexcept nogil:
    """Take the full number of chips, or all that there are (D26)."""
    s.left = <uint8_t> min(<int> effect.amount, total(mover(s).supply & NOT_ORE))
    s.floor = WOOD + 1
    ask_mover(s, AT_TAKE)


cdef inline int legal_take(const Duel *s, uint16_t *out) noexcept nogil:
    """List kinds in order, except those that would leave too few chips for the number (RULES.md section 3)."""
    cdef unsigned int supply = s.players[s.actor].supply & NOT_ORE
    cdef unsigned int kinds = present(from_floor(supply, s.floor))
    cdef int n = 0, kind
    while kinds:
        kind = lowest_bit(kinds) >> 2
        if total(from_floor(supply, kind + 1)) < s.left:
            break
        out[n] = <uint16_t> (TAKE + kind)
        kinds &= kinds - 1
        n += 1
    return n


cdef inline void play_take(Duel *s, int a) noexcept nogil:
    take_raw(mover(s), a - TAKE, 1)
    s.floor = <uint8_t> (a - TAKE + 1)
    s.left -= 1
    if s.left == 0:
        resume(s)


# -- turning ---------------------------------------------------------------------------------------

cdef inline void turn_chips(Player *p, int kind, int count, int price) noexcept nogil:
    """Turn raw chips of the camp into materials, at a price each (D28)."""
    p.camp -= <uint32_t> count * one(kind)
    p.materials += <uint32_t> count * one(kind)
    p.gold -= <uint8_t> (count * price)


cdef inline int legal_craftsman(const Duel *s, uint16_t *out) noexcept nogil:
    """List each number of chips that the player can pay for."""
    cdef const Player *p = &s.players[s.actor]
    cdef const Effect *effect = in_use(s)
    cdef int count = min(count_of(p.camp, effect.chip), p.gold // effect.price)
    return list_run(count, CONVERT + FIRST_OF_KIND[effect.chip], out)


cdef inline void play_craftsman(Duel *s, int a) noexcept nogil:
    cdef const Effect *effect = in_use(s)
    turn_chips(mover(s), effect.chip, a - CONVERT - FIRST_OF_KIND[effect.chip] + 1, effect.price)
    end_use(s, 0)


cdef inline void ask_turn_chips(Duel *s) noexcept nogil:
    """Ask for a chip to turn; end when the limit is reached or nothing is left to turn (D21)."""
    cdef const Player *p = mover(s)
    if s.left and p.gold >= in_use(s).price and from_floor(p.camp & NOT_ORE, s.floor):
        ask_mover(s, AT_TURN_CHIPS)
    else:
        end_use(s, s.left)


cdef inline void ask_bonus(Duel *s) noexcept nogil:
    """Ask for section III's free turnings: none, some or all, immediately; neither ore nor wool (D13, D32)."""
    if s.left and from_floor(mover(s).camp & BONUS_KINDS, s.floor):
        ask_mover(s, AT_BONUS)
    else:
        resume(s)


cdef inline int list_turnings(const Duel *s, unsigned int kinds, uint16_t *out) noexcept nogil:
    """List one chip of each kind from the floor on, and the end."""
    cdef int n = list_done(s, out, DONE)
    kinds = present(from_floor(kinds, s.floor))
    while kinds:
        out[n] = <uint16_t> (CONVERT + FIRST_OF_KIND[lowest_bit(kinds) >> 2])
        kinds &= kinds - 1
        n += 1
    return n


cdef inline int legal_turn_chips(const Duel *s, uint16_t *out) noexcept nogil:
    cdef int n = list_turnings(s, s.players[s.actor].camp & NOT_ORE, out)
    return n + list_inside(s, out + n)


cdef inline int legal_bonus(const Duel *s, uint16_t *out) noexcept nogil:
    return list_turnings(s, s.players[s.actor].camp & BONUS_KINDS, out)


cdef inline void turn_one(Duel *s, int a, int price) noexcept nogil:
    """Turn one of a limited number of chips."""
    cdef int kind = KIND_OF_CODE[a - CONVERT]
    turn_chips(mover(s), kind, 1, price)
    s.floor = <uint8_t> (kind + 1)
    s.left -= 1
    s.may_end = 1


cdef inline void play_turn_chips(Duel *s, int a) noexcept nogil:
    if not leaves_use(s, a):
        turn_one(s, a, in_use(s).price)
        ask_turn_chips(s)


cdef inline void play_bonus(Duel *s, int a) noexcept nogil:
    if not leaves_use(s, a):
        turn_one(s, a, 0)
        ask_bonus(s)


# -- buying and selling ----------------------------------------------------------------------------

cdef inline void sell_wool(Duel *s, int count, int price) noexcept nogil:
    """Move raw wool from the camp to the supply; the bank pays as far as it can (D27, D36, D38)."""
    cdef Player *p = mover(s)
    p.camp -= <uint32_t> count * one(WOOL)
    p.supply += <uint32_t> count * one(WOOL)
    gain_gold(s, p, count * price)


cdef inline int most_wool(const Duel *s) noexcept nogil:
    """Return the limit of a sale: the card's, or the remainder of it when the use is continued."""
    return s.left if s.left else in_use(s).amount


cdef inline int legal_sell_wool(const Duel *s, uint16_t *out) noexcept nogil:
    return list_run(min(count_of(s.players[s.actor].camp, WOOL), most_wool(s)), SELL, out)


cdef inline void play_sell_wool(Duel *s, int a) noexcept nogil:
    cdef int count = a - SELL + 1
    sell_wool(s, count, in_use(s).price)
    end_use(s, most_wool(s) - count)


cdef inline unsigned int for_sale(const Player *p, const Effect *market, int left) noexcept nogil:
    """Return the chips that can be bought, as counts: those in the supply of the kinds that the card names (D14)."""
    return p.supply & market.kinds if left and p.gold >= market.price else 0


cdef inline bint can_trade_at(const Player *p, const Effect *market, int left) noexcept nogil:
    return for_sale(p, market, left) or count_of(p.camp, WOOL)


cdef inline void ask_market(Duel *s) noexcept nogil:
    if can_trade_at(mover(s), in_use(s), s.left):
        ask_mover(s, AT_MARKET)
    else:
        end_use(s, s.left)


cdef inline int legal_market(const Duel *s, uint16_t *out) noexcept nogil:
    """List sales and purchases, one by one in any order; only purchases are limited (D27)."""
    cdef const Player *p = &s.players[s.actor]
    cdef int n = list_done(s, out, DONE)
    n += list_kinds(for_sale(p, in_use(s), s.left), BUY, out + n)
    out[n] = SELL
    n += count_of(p.camp, WOOL) != 0
    return n + list_inside(s, out + n)


cdef inline void play_market(Duel *s, int a) noexcept nogil:
    if leaves_use(s, a):
        return
    if a >= SELL:
        sell_wool(s, 1, in_use(s).wool)
    else:
        take_raw(mover(s), a - BUY, 1)
        mover(s).gold -= in_use(s).price
        s.left -= 1
    s.may_end = 1
    ask_market(s)


cdef inline void ask_finish(Duel *s) noexcept nogil:
    cdef const Player *p = mover(s)
    if p.gold >= in_use(s).price and from_floor(p.supply & NOT_ORE, s.floor):
        ask_mover(s, AT_FINISH)
    else:
        end_use(s, 0)


cdef inline int legal_finish(const Duel *s, uint16_t *out) noexcept nogil:
    cdef int n = list_done(s, out, DONE)
    n += list_kinds(from_floor(s.players[s.actor].supply & NOT_ORE, s.floor), BUY, out + n)
    return n + list_inside(s, out + n)


cdef inline void play_finish(Duel *s, int a) noexcept nogil:
    """Buy and turn a chip at once, any number of times; it goes to the camp as material (D10, D28)."""
    cdef Player *p = mover(s)
    cdef int kind = a - BUY
    if leaves_use(s, a):
        return
    take_raw(p, kind, 1)
    turn_chips(p, kind, 1, in_use(s).price)
    s.floor = <uint8_t> (kind + 1)
    s.may_end = 1
    ask_finish(s)

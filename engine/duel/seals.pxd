# cython: language_level=3
"""Taking seals from the stack and returning them: influence, free seals, Maud (D24, D25)."""
from libc.stdint cimport uint8_t, uint16_t

from clerestory.engine.core cimport NATURE
from clerestory.engine.duel.data.codes cimport *
from clerestory.engine.duel.data.state cimport *
from clerestory.engine.duel.data.tables cimport EFFECT_INFLUENCE, cards
from clerestory.engine.duel.luck cimport reveal_seal
from clerestory.engine.duel.uses cimport end_use, leaves_use, list_inside, resume


# -- drawing ---------------------------------------------------------------------------------------

cdef inline void draw_seals(Duel *s, int count) noexcept nogil:
    """Draw seals from the top, as many as there are; an unseen one is a chance event (D15, D21)."""
    cdef Player *p = mover(s)
    s.seals_due = <uint8_t> min(count, in_stack(s))
    while s.seals_due:
        if s.unseen:
            ask(s, AT_DRAW, NATURE)
            return
        p.seals += <uint16_t> (1 << 4 * ((s.stack & 3) - 1))
        s.stack >>= 2
        s.seals_due -= 1
    end_drawing(s)


cdef inline void end_drawing(Duel *s) noexcept nogil:
    if s.card and cards.effects[s.card - 1].kind == EFFECT_INFLUENCE:
        ask_influence(s)
    else:
        resume(s)


cdef inline void play_draw(Duel *s, int a) noexcept nogil:
    reveal_seal(s, a - DRAW)
    mover(s).seals += <uint16_t> (1 << 4 * (a - DRAW))
    draw_seals(s, s.seals_due - 1)


# -- influence -------------------------------------------------------------------------------------

cdef inline bint can_influence(const Duel *s, const Player *p, int price) noexcept nogil:
    return p.gold >= price and any_in_stack(s)


cdef inline void ask_influence(Duel *s) noexcept nogil:
    """Ask for one seal at a time: each is paid for and seen before the next decision (D25)."""
    if can_influence(s, mover(s), cards.effects[s.card - 1].price):
        ask_mover(s, AT_INFLUENCE)
    else:
        end_use(s, 0)


cdef inline int legal_influence(const Duel *s, uint16_t *out) noexcept nogil:
    cdef int n = list_done(s, out, DONE)
    out[n] = BUY_SEAL
    return n + 1 + list_inside(s, out + n + 1)


cdef inline void play_influence(Duel *s, int a) noexcept nogil:
    if leaves_use(s, a):
        return
    mover(s).gold -= cards.effects[s.card - 1].price
    s.may_end = 1
    draw_seals(s, 1)


# -- Maud ------------------------------------------------------------------------------------------

cdef inline void pay_seal(Duel *s, Player *p, int kind) noexcept nogil:
    """Put a neutral seal paid to a card under the stack (D24)."""
    p.seals -= <uint16_t> (1 << 4 * kind)
    s.stack = append(s.stack, kind + 1)


cdef inline bint can_trade(const Player *p) noexcept nogil:
    return p.seals and p.supply & NOT_ORE


cdef inline int legal_trade_seals(const Duel *s, uint16_t *out) noexcept nogil:
    """List trades: any number, one seal for one chip each (D10, D30)."""
    cdef const Player *p = &s.players[s.actor]
    cdef int seal, n = list_done(s, out, DONE)
    for seal in range(SEALS):
        if count_of(p.seals, seal):
            n += list_kinds(p.supply & NOT_ORE, PAY + NO_ORE * seal, out + n)
    return n + list_inside(s, out + n)


cdef inline void play_trade_seals(Duel *s, int a) noexcept nogil:
    cdef Player *p = mover(s)
    cdef int kind = (a - PAY) % NO_ORE
    if leaves_use(s, a):
        return
    pay_seal(s, p, (a - PAY) // NO_ORE)
    p.supply -= one(kind)
    p.camp += one(kind)
    s.may_end = 1
    if not can_trade(p):
        end_use(s, 0)

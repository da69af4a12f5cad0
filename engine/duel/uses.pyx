# cython: language_level=3
"""Open uses (D48): which cards can interrupt a use, and when and how it continues. Rare, so not inline."""
from libc.stdint cimport uint8_t, uint16_t, uint64_t

from clerestory.engine.duel.data.codes cimport *
from clerestory.engine.duel.data.state cimport *
from clerestory.engine.duel.data.tables cimport *
from clerestory.engine.duel.effect_rules cimport ACTS, RULES


cdef uint64_t interrupting(const Duel *s, int card) noexcept nogil:
    """Return the 1x cards of the player to move that can be played inside the use of a card."""
    cdef int seat = s.mover - 1
    cdef unsigned int hand = s.players[seat].hand & cards.inside[cards.effects[card].kind]
    if bank(s) >= cards.plenty:
        hand &= ~cards.donation
    return playable(s, seat, hand)


cdef bint can_interrupt(const Duel *s, int card, int left) noexcept nogil:
    """Whether a 1x card can be played inside a use with this much of its limit left."""
    cdef int kind = cards.effects[card].kind
    if left == 0 and (kind == EFFECT_SELL_WOOL or kind == EFFECT_CONVERT):
        return False
    return interrupting(s, card) != 0


cdef bint goes_on(const Duel *s, int card, int left) noexcept nogil:
    """Whether an act of a use is possible: its card would change something within the remaining limit."""
    cdef Effect rest = cards.effects[card]
    rest.amount = <uint8_t> left
    return RULES[rest.kind].works(s, s.mover - 1, &rest)


cdef void close_use(Duel *s) noexcept nogil:
    """Close the innermost open use."""
    s.open_cards >>= 8
    s.open_left >>= 8


cdef void close_uses(Duel *s) noexcept nogil:
    """Close the innermost open uses in which nothing is possible, even with a 1x card."""
    while s.open_cards and not stays_open(s):
        close_use(s)


cdef bint stays_open(const Duel *s) noexcept nogil:
    """Whether the innermost open use stays open. Precondition: there is an open use."""
    cdef int card = (s.open_cards & 255) - 1, left = s.open_left & 255
    return goes_on(s, card, left) or can_interrupt(s, card, left)


cdef void take_up(Duel *s) noexcept nogil:
    """Resume the innermost open use; any kind can be named."""
    cdef int kind = cards.effects[(s.open_cards & 255) - 1].kind
    s.card = <uint8_t> (s.open_cards & 255)
    s.left = <uint8_t> (s.open_left & 255)
    s.step = <uint8_t> RULES[kind].step
    close_use(s)
    s.floor = WOOD + 1 if kind == EFFECT_CONVERT or kind == EFFECT_FINISH else 0


cdef int list_open(const Duel *s, uint16_t *out) noexcept nogil:
    """List the acts of the innermost open use, and its end if it is inside another one."""
    cdef int n = 0, card = (s.open_cards & 255) - 1
    cdef Duel inside
    if s.open_cards >> 8:
        out[0] = DONE
        n = 1
    if goes_on(s, card, s.open_left & 255):
        inside = s[0]
        take_up(&inside)
        n += ACTS[cards.effects[card].kind].legal(&inside, out + n)
    return n


cdef void continue_use(Duel *s, int a) noexcept nogil:
    take_up(s)
    s.may_end = 1
    if a == DONE:
        resume(s)
    else:
        ACTS[cards.effects[s.card - 1].kind].play(s, a)

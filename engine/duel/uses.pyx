# cython: language_level=3
"""Open uses (D48): what can interrupt a use, when it can be continued, and how. They are rare, so nothing is inline."""
from libc.stdint cimport uint8_t, uint16_t, uint64_t

from clerestory.engine.duel.codes cimport *
from clerestory.engine.duel.effect_rules cimport ACTS, RULES
from clerestory.engine.duel.state cimport *
from clerestory.engine.duel.tables cimport *


cdef uint64_t interrupting(const Duel *s, int card) noexcept nogil:
    """The 1x cards of the player whose turn it is that can be played inside the use of a card."""
    cdef int seat = s.mover - 1
    cdef unsigned int hand = s.players[seat].hand & cards.inside[cards.effects[card].kind]
    if bank(s) >= cards.plenty:
        hand &= ~cards.donation
    return playable(s, seat, hand)


cdef bint can_interrupt(const Duel *s, int card, int left) noexcept nogil:
    """Whether a 1x card can be played inside a use, of which its limit leaves something."""
    cdef int kind = cards.effects[card].kind
    if left == 0 and (kind == EFFECT_SELL_WOOL or kind == EFFECT_CONVERT):
        return False
    return interrupting(s, card) != 0


cdef bint goes_on(const Duel *s, int card, int left) noexcept nogil:
    """Whether an act of a use is possible: its card would change something with the limit that is left."""
    cdef Effect rest = cards.effects[card]
    rest.amount = <uint8_t> left
    return RULES[rest.kind].works(s, s.mover - 1, &rest)


cdef void close_use(Duel *s) noexcept nogil:
    """The innermost open use is over."""
    s.open_cards >>= 8
    s.open_left >>= 8


cdef void close_uses(Duel *s) noexcept nogil:
    """Innermost open uses in which nothing is possible, nor could be by a 1x card, are over."""
    while s.open_cards and not stays_open(s):
        close_use(s)


cdef bint stays_open(const Duel *s) noexcept nogil:
    """Precondition: there is an open use."""
    cdef int card = (s.open_cards & 255) - 1, left = s.open_left & 255
    return goes_on(s, card, left) or can_interrupt(s, card, left)


cdef void take_up(Duel *s) noexcept nogil:
    """The innermost open use is the one in progress again; of kinds any can be named."""
    cdef int kind = cards.effects[(s.open_cards & 255) - 1].kind
    s.card = <uint8_t> (s.open_cards & 255)
    s.left = <uint8_t> (s.open_left & 255)
    s.step = <uint8_t> RULES[kind].step
    close_use(s)
    s.floor = WOOD + 1 if kind == EFFECT_CONVERT or kind == EFFECT_FINISH else 0


cdef int list_open(const Duel *s, uint16_t *out) noexcept nogil:
    """The acts of the innermost open use, and its end if it is inside another one."""
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

# cython: language_level=3
"""Chance events and hidden information: dealing cards, faces, draws, forgetting and determinizing (D21)."""
from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy, memset

from clerestory.engine.duel.data.codes cimport *
from clerestory.engine.duel.data.state cimport *
from clerestory.engine.duel.data.tables cimport cards
from clerestory.engine.rng cimport rng_below, rng_shuffle, rng_t


# -- cards -----------------------------------------------------------------------------------------

cdef inline int legal_deal(const Duel *s, uint16_t *out) noexcept nogil:
    """List cards; equal cards are one outcome, represented by the highest remaining copy (D21)."""
    cdef unsigned int left = s.undealt & cards.last_copy[s.phase & 1]
    cdef int n = 0
    while left:
        out[n] = <uint16_t> (CARDS + 2 * (cards.cards[s.phase & 1][lowest_bit(left)] - 1))
        left &= left - 1
        n += 1
    return n


cdef inline void surprise(uint8_t *order, int place, int end, int item) noexcept nogil:
    """Swap an outcome that is not on top of a known order with the top (D44)."""
    cdef int i
    for i in range(place + 1, end):
        if order[i] == item:
            order[i] = order[place]
            return


cdef inline void play_deal(Duel *s, int a) noexcept nogil:
    cdef int card = (a - CARDS) >> 1, place = s.dealt
    cdef uint8_t *deck = s.deck[s.phase]
    cdef uint32_t copies = s.undealt & cards.copies[s.phase & 1][card]
    if deck[place] and deck[place] != card + 1:
        surprise(deck, place, DECK, card + 1)
    deck[place] = 0
    s.undealt ^= copies & (~copies + 1)
    s.grid[place - GRID * s.round] = <uint8_t> (card + 1)
    s.dealt += 1
    if s.dealt == GRID * (s.round + 1):
        ask(s, AT_CLAIM, s.first)


# -- seals -----------------------------------------------------------------------------------------

cdef inline int legal_flip(const Duel *s, uint16_t *out) noexcept nogil:
    """List both faces, which add to 5; the personal seal is a 2/3."""
    cdef int low = min(<int> s.flipping - 1, 2)
    return list_two(FACE + low, FACE + 5 - low, out)


cdef inline int legal_draw(const Duel *s, uint16_t *out) noexcept nogil:
    return list_kinds(s.unseen, DRAW, out)


cdef inline void reveal_seal(Duel *s, int kind) noexcept nogil:
    """Remove a seal from the unseen top of the stack (D25). Precondition: there is one of the kind."""
    cdef int place = FIRST_UNSEEN - total(s.unseen)
    if s.seal_order[place] and s.seal_order[place] != kind + 1:
        surprise(s.seal_order, place, FIRST_UNSEEN, kind + 1)
    s.seal_order[place] = 0
    s.unseen -= <uint16_t> (1 << 4 * kind)


# -- odds and draws --------------------------------------------------------------------------------

cdef inline void odds_of(const Duel *s, double *out) noexcept nogil:
    cdef unsigned int left
    cdef int kind, n = 0
    if s.step == AT_FLIP:
        out[0] = out[1] = 0.5
    elif s.step == AT_DEAL:
        left = s.undealt & cards.last_copy[s.phase & 1]
        while left:
            kind = cards.cards[s.phase & 1][lowest_bit(left)] - 1
            out[n] = <double> popcount(s.undealt & cards.copies[s.phase & 1][kind]) / (DECK - s.dealt)
            left &= left - 1
            n += 1
    else:
        for kind in range(SEALS):
            if count_of(s.unseen, kind):
                out[n] = <double> count_of(s.unseen, kind) / total(s.unseen)
                n += 1


cdef inline int draw_card(const Duel *s, rng_t *rng) noexcept nogil:
    """Return card + 1 on top of the deck if known, else a random remaining one."""
    cdef unsigned int left = s.undealt
    cdef int _skip
    if s.deck[s.phase][s.dealt]:
        return s.deck[s.phase][s.dealt]
    for _skip in range(<int> rng_below(rng, DECK - s.dealt)):
        left &= left - 1
    return cards.cards[s.phase & 1][lowest_bit(left)]


cdef inline int draw_seal(const Duel *s, rng_t *rng) noexcept nogil:
    """Return the seal on top if known, else a random unseen one."""
    cdef int place = FIRST_UNSEEN - total(s.unseen), kind = 0, left
    if s.seal_order[place]:
        return s.seal_order[place] - 1
    left = <int> rng_below(rng, total(s.unseen)) - count_of(s.unseen, 0)
    while left >= 0:
        kind += 1
        left -= count_of(s.unseen, kind)
    return kind


cdef inline uint16_t draw_outcome(const Duel *s, rng_t *rng) noexcept nogil:
    cdef int low
    if s.step == AT_DEAL:
        return <uint16_t> (CARDS + 2 * (draw_card(s, rng) - 1))
    if s.step == AT_FLIP:
        low = min(<int> s.flipping - 1, 2)
        return <uint16_t> (FACE + (5 - low if rng_below(rng, 2) else low))
    return <uint16_t> (DRAW + draw_seal(s, rng))


# -- forgetting and dealing ------------------------------------------------------------------------

cdef inline void forget_orders(Duel *s) noexcept nogil:
    memset(s.deck, 0, HIDDEN_BYTES)


cdef inline void deal_orders(Duel *s, rng_t *rng) noexcept nogil:
    deal_decks(s, rng)
    deal_seals(s, rng)


cdef inline bint next_known(const Duel *s) noexcept nogil:
    """Whether the order of the remaining cards is known, or there are none."""
    if s.dealt < DECK:
        return s.deck[s.phase][s.dealt] != 0
    return s.phase == PHASES - 1 or s.deck[s.phase + 1][0] != 0


cdef inline void deal_decks(Duel *s, rng_t *rng) noexcept nogil:
    """Shuffle the rest of the phase's deck, and the whole decks of the later phases."""
    cdef int phase = s.phase, place = s.dealt, n = 0
    cdef unsigned int left = s.undealt
    if next_known(s):
        return
    while left:
        s.deck[phase][place + n] = cards.cards[phase & 1][lowest_bit(left)]
        left &= left - 1
        n += 1
    rng_shuffle(rng, s.deck[phase] + place, n)
    for phase in range(phase + 1, PHASES):
        memcpy(s.deck[phase], cards.cards[phase & 1], DECK)
        rng_shuffle(rng, s.deck[phase], DECK)


cdef inline void deal_seals(Duel *s, rng_t *rng) noexcept nogil:
    cdef int kind, n = FIRST_UNSEEN - total(s.unseen), first = n
    cdef int _copy
    if n == FIRST_UNSEEN or s.seal_order[n]:
        return
    for kind in range(SEALS):
        for _copy in range(count_of(s.unseen, kind)):
            s.seal_order[n] = <uint8_t> (kind + 1)
            n += 1
    rng_shuffle(rng, s.seal_order + first, FIRST_UNSEEN - first)

# cython: language_level=3
"""A turn: which cards can be used and played, what can be built, and how a use begins (D16 to D20)."""
from libc.stdint cimport uint8_t, uint16_t, uint64_t

from clerestory.engine.duel.building cimport legal_buildings, play_building
from clerestory.engine.duel.codes cimport *
from clerestory.engine.duel.course cimport end_turn, resume
from clerestory.engine.duel.effects cimport RULES
from clerestory.engine.duel.state cimport *
from clerestory.engine.duel.tables cimport *


# -- what changes something (D16, D37) -------------------------------------------------------------

cdef inline bint works_alone(const Duel *s, int seat, int card) noexcept nogil:
    """Whether the use of a card that points at no other would change something."""
    return RULES[cards.effects[card].kind].works(s, seat, &cards.effects[card])


cdef inline uint64_t cards_at(const Duel *s, unsigned int places) noexcept nogil:
    """The set of cards in the grid at a set of places; empty places are skipped."""
    cdef uint64_t found = 0
    cdef int card
    while places:
        card = s.grid[lowest_bit(places)]
        places &= places - 1
        if card:
            found |= <uint64_t> 1 << (card - 1)
    return found


cdef inline uint64_t working(const Duel *s, int seat, uint64_t of) noexcept nogil:
    """The cards of a set, none of which points, whose use would change something."""
    cdef uint64_t found = 0, rest = of
    while rest:
        if works_alone(s, seat, lowest_of(rest)):
            found |= rest & (~rest + 1)
        rest &= rest - 1
    return found


cdef inline uint64_t in_reach(const Duel *s, int seat) noexcept nogil:
    """Cards that Remigius and Ellen can point at: usable ones in the grid that do not point themselves (D6, D18)."""
    return cards_at(s, (1 << GRID) - 1) & cards.usable[seat] & ~cards.pointing


cdef inline uint64_t targets(const Duel *s, int seat, int kind) noexcept nogil:
    """Cards that a pointing card (by its effect) can point at, whose use would change something (D7, D9)."""
    cdef unsigned int marked = s.players[seat].markers
    if kind == EFFECT_COPY_MARKED:
        return working(s, seat, cards_at(s, marked) & cards.symbols)
    if kind == EFFECT_COPY_UNMARKED:
        return usable_of(s, seat, cards_at(s, ~marked & (1 << GRID) - 1) & cards.usable[seat])
    return working(s, seat, in_reach(s, seat))


cdef inline uint64_t usable_of(const Duel *s, int seat, uint64_t of) noexcept nogil:
    """The cards of a set that the seat can use and whose use would change something.

    Pointing ones are included, which the Lord can name: a chain has at most three cards (D8, D18).
    """
    cdef uint64_t pointing = of & cards.pointing
    if pointing and not working(s, seat, in_reach(s, seat)):
        pointing = 0
    return working(s, seat, of & ~cards.pointing) | pointing


cdef inline bint can_play(const Duel *s, int seat, int card) noexcept nogil:
    """Whether a 1x card can be played: from hand, in its owner's turn, not during another use (D48)."""
    cdef int kind = cards.effects[card].kind
    if kind == EFFECT_COPY_MARKED or kind == EFFECT_COPY_UNMARKED:
        return targets(s, seat, kind) != 0
    return works_alone(s, seat, card)


cdef inline uint64_t playable(const Duel *s, int seat) noexcept nogil:
    cdef unsigned int hand = s.players[seat].hand
    cdef uint64_t found = 0
    cdef int card
    while hand:
        card = cards.card_of_once[lowest_bit(hand)]
        hand &= hand - 1
        if can_play(s, seat, card):
            found |= <uint64_t> 1 << card
    return found


# -- the turn --------------------------------------------------------------------------------------

cdef inline int list_cards(uint64_t of, uint16_t *out) noexcept nogil:
    """Write the code to use or play each card of a set, ascending."""
    cdef int n = 0
    while of:
        out[n] = <uint16_t> (CARDS + 2 * lowest_of(of) + 1)
        of &= of - 1
        n += 1
    return n


cdef inline int legal_turn(const Duel *s, uint16_t *out) noexcept nogil:
    """After building, cards under markers can no longer be used; 1x cards can, even pointing ones (D20, D41)."""
    cdef const Player *p = &s.players[s.actor]
    cdef uint64_t found = playable(s, s.actor) if p.hand else 0
    cdef int n = 0
    if not s.built:
        if p.materials:
            n = legal_buildings(s, p, out)
        found |= usable_of(s, s.actor, cards_at(s, p.markers & ~s.used) & cards.usable[s.actor])
    out[n] = END
    return n + 1 + list_cards(found, out + n + 1)


cdef inline void use_up(Duel *s, int card) noexcept nogil:
    """A 1x card leaves the hand; of equal cards under the player's markers the first in reading order is used (D19)."""
    cdef Player *p = mover(s)
    cdef unsigned int places = p.markers & ~s.used
    if cards.once >> card & 1:
        p.hand &= <uint8_t> ~(1 << cards.once_of[card])
        return
    while s.grid[lowest_bit(places)] != card + 1:
        places &= places - 1
    s.used |= <uint16_t> (1 << lowest_bit(places))


cdef inline void play_turn(Duel *s, int a) noexcept nogil:
    if a == END:
        end_turn(s)
    elif a < END:
        play_building(s, a)
    else:
        use_up(s, (a - CARDS) >> 1)
        begin_use(s, (a - CARDS) >> 1)


# -- pointing --------------------------------------------------------------------------------------

cdef inline int legal_copy(const Duel *s, uint16_t *out) noexcept nogil:
    return list_cards(targets(s, s.actor, cards.effects[s.card - 1].kind), out)


cdef inline void play_copy(Duel *s, int a) noexcept nogil:
    """Use the named card at once; if it is under the player's marker, its own use is still available (D18, D40)."""
    begin_use(s, (a - CARDS) >> 1)


# -- uses ------------------------------------------------------------------------------------------

cdef inline void begin_use(Duel *s, int card) noexcept nogil:
    """Apply the card, or ask for the choice that it needs."""
    cdef const Effect *effect = &cards.effects[card]
    s.card = <uint8_t> (card + 1)
    RULES[effect.kind].begin(s, effect)
    if RULES[effect.kind].step == STEPS:
        resume(s)

# cython: language_level=3
"""Uses of cards: whether they change something, how they begin, end, and are interrupted (D16 to D20, D48)."""
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from clerestory.engine.duel.course cimport clear_use
from clerestory.engine.duel.data.codes cimport *
from clerestory.engine.duel.data.state cimport *
from clerestory.engine.duel.data.tables cimport *
from clerestory.engine.duel.effect_rules cimport RULES


# -- whether a use changes something (D16, D37) ----------------------------------------------------

cdef inline bint works_alone(const Duel *s, int seat, int card) noexcept nogil:
    """Whether using a card that does not point would change something."""
    return RULES[cards.effects[card].kind].works(s, seat, &cards.effects[card])


cdef inline uint64_t cards_at(const Duel *s, unsigned int places) noexcept nogil:
    """Return the set of cards in the grid at a set of places; empty places are skipped."""
    cdef uint64_t found = 0
    cdef int card
    while places:
        card = s.grid[lowest_bit(places)]
        places &= places - 1
        if card:
            found |= <uint64_t> 1 << (card - 1)
    return found


cdef inline uint64_t working(const Duel *s, int seat, uint64_t of) noexcept nogil:
    """Return the cards of a set, none of them pointing, whose use would change something."""
    cdef uint64_t found = 0, rest = of
    while rest:
        if works_alone(s, seat, lowest_of(rest)):
            found |= rest & (~rest + 1)
        rest &= rest - 1
    return found


cdef inline uint64_t in_reach(const Duel *s, int seat) noexcept nogil:
    """Return the cards that Remigius and Ellen can point at: usable, not pointing, in the grid (D6, D18)."""
    return cards_at(s, (1 << GRID) - 1) & cards.usable[seat] & ~cards.pointing


cdef inline uint64_t targets(const Duel *s, int seat, int kind) noexcept nogil:
    """Return the cards that a pointing card (by its effect) can point at, whose use would change something (D7, D9)."""
    cdef unsigned int marked = s.players[seat].markers
    if kind == EFFECT_COPY_MARKED:
        return working(s, seat, cards_at(s, marked) & cards.symbols)
    if kind == EFFECT_COPY_UNMARKED:
        return usable_of(s, seat, cards_at(s, ~marked & (1 << GRID) - 1) & cards.usable[seat])
    return working(s, seat, in_reach(s, seat))


cdef inline uint64_t usable_of(const Duel *s, int seat, uint64_t of) noexcept nogil:
    """Return the cards of a set that the seat can use and whose use would change something.

    This includes pointing ones, which the Lord can name: a chain has at most three cards (D8, D18).
    """
    cdef uint64_t pointing = of & cards.pointing
    if pointing and not working(s, seat, in_reach(s, seat)):
        pointing = 0
    return working(s, seat, of & ~cards.pointing) | pointing


cdef inline bint can_play(const Duel *s, int seat, int card) noexcept nogil:
    """Whether playing a 1x card would change something, in its owner's turn (D20)."""
    cdef int kind = cards.effects[card].kind
    if kind == EFFECT_COPY_MARKED or kind == EFFECT_COPY_UNMARKED:
        return targets(s, seat, kind) != 0
    return works_alone(s, seat, card)


cdef inline uint64_t playable(const Duel *s, int seat, unsigned int hand) noexcept nogil:
    """Return the cards of a hand that the seat can play."""
    cdef uint64_t found = 0
    cdef int card
    while hand:
        card = cards.card_of_once[lowest_bit(hand)]
        hand &= hand - 1
        if can_play(s, seat, card):
            found |= <uint64_t> 1 << card
    return found


# -- beginning -------------------------------------------------------------------------------------

cdef inline int list_cards(uint64_t of, uint16_t *out) noexcept nogil:
    """Write the code to use or play each card of a set, ascending."""
    cdef int n = 0
    while of:
        out[n] = <uint16_t> (CARDS + 2 * lowest_of(of) + 1)
        of &= of - 1
        n += 1
    return n


cdef inline void use_up(Duel *s, int card) noexcept nogil:
    """Remove a 1x card from the hand, or mark the first of equal cards under markers as used (D19)."""
    cdef Player *p = mover(s)
    cdef unsigned int places = p.markers & ~s.used
    if cards.once >> card & 1:
        p.hand &= <uint8_t> ~(1 << cards.once_of[card])
        return
    while s.grid[lowest_bit(places)] != card + 1:
        places &= places - 1
    s.used |= <uint16_t> (1 << lowest_bit(places))


cdef inline void begin_use(Duel *s, int card) noexcept nogil:
    """Apply the card, or ask for the choice that it needs."""
    cdef const Effect *effect = &cards.effects[card]
    s.card = <uint8_t> (card + 1)
    RULES[effect.kind].begin(s, effect)
    if RULES[effect.kind].step == STEPS:
        resume(s)


# -- ending ----------------------------------------------------------------------------------------

cdef inline void resume(Duel *s) noexcept nogil:
    """Continue after the use of a card, or a bonus; uses around it can be continued."""
    clear_use(s)
    ask_mover(s, AT_TURN)
    if rarely(s.open_cards != 0, 0):
        close_uses(s)


cdef inline void end_use(Duel *s, int left) noexcept nogil:
    """End the use: nothing is left to choose. It stays open if a 1x card can be played inside it (D48)."""
    if mover(s).hand and can_interrupt(s, s.card - 1, left):
        open_use(s, left)
    resume(s)


cdef inline bint leaves_use(Duel *s, int a) noexcept nogil:
    """Carry out an action that ends or interrupts a use; return False for other actions."""
    if a == DONE:
        resume(s)
    elif a > CARDS:
        open_use(s, s.left)
        clear_use(s)
        use_up(s, (a - CARDS) >> 1)
        begin_use(s, (a - CARDS) >> 1)
    else:
        return False
    return True


# -- interruptions (D48), in uses.pyx ----------------------------------------------------------------

cdef uint64_t interrupting(const Duel *s, int card) noexcept nogil
cdef bint can_interrupt(const Duel *s, int card, int left) noexcept nogil
cdef bint stays_open(const Duel *s) noexcept nogil
cdef void close_uses(Duel *s) noexcept nogil
cdef int list_open(const Duel *s, uint16_t *out) noexcept nogil
cdef void continue_use(Duel *s, int a) noexcept nogil


cdef inline void open_use(Duel *s, int left) noexcept nogil:
    """Make the use of the card continuable, before the uses around it."""
    s.open_cards = s.open_cards << 8 | s.card
    s.open_left = s.open_left << 8 | <uint32_t> left


cdef inline int list_inside(const Duel *s, uint16_t *out) noexcept nogil:
    """List the 1x cards that interrupt the use; before its first act they are played before it."""
    if not s.may_end or not s.players[s.actor].hand:
        return 0
    return list_cards(interrupting(s, s.card - 1), out)

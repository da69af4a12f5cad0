# cython: language_level=3
"""Invariants of the cards: the phase's deck, the grid, players' cards, known orders. Fields are already in range."""
from libc.stdint cimport uint8_t, uint32_t

from clerestory.engine.duel.data.state cimport *
from clerestory.engine.duel.data.tables cimport cards


# -- the deck of the phase -------------------------------------------------------------------------

cdef inline bint dealt_fits(const Duel *s) noexcept nogil:
    """Nine cards a round; the grid is filled in reading order."""
    cdef int place, lying = s.dealt - GRID * s.round
    if s.step != AT_DEAL:
        return lying == GRID
    if not 0 <= lying < GRID:
        return False
    for place in range(GRID):
        if (s.grid[place] != 0) != (place < lying):
            return False
    return True


cdef inline int lying_in_grid(const Duel *s, int card) noexcept nogil:
    cdef int place, count = 0
    for place in range(GRID):
        count += s.grid[place] == card + 1
    return count


cdef inline bint copies_fit(const Duel *s) noexcept nogil:
    """The grid has no more cards than have been dealt; a 1x card is in one place."""
    cdef uint32_t copies
    cdef int card, dealt, held
    for card in range(cards.count):
        copies = cards.copies[s.phase & 1][card]
        dealt = popcount(copies & ~s.undealt)
        held = 0
        if cards.once >> card & 1:
            held = (s.players[0].hand >> cards.once_of[card] & 1) + (s.players[1].hand >> cards.once_of[card] & 1)
        if lying_in_grid(s, card) > dealt or held > 1:
            return False
        if held and (lying_in_grid(s, card) or (copies and not dealt) or (not copies and s.phase == 0)):
            return False
    return True


cdef inline bint was_played(const Duel *s, int card) noexcept nogil:
    """Whether a 1x card is in no place although it has been dealt, in this phase or the one before."""
    cdef uint32_t copies = cards.copies[s.phase & 1][card]
    if lying_in_grid(s, card) or (s.players[0].hand | s.players[1].hand) >> cards.once_of[card] & 1:
        return False
    return not copies & s.undealt if copies else s.phase > 0


cdef inline bint was_stormed(const Duel *s) noexcept nogil:
    """Whether the card that storms the castle has been played."""
    return cards.storming and was_played(s, cards.card_of_once[lowest_bit(cards.storming)])


# -- places without a card -------------------------------------------------------------------------

cdef inline unsigned int begun(const Duel *s) noexcept nogil:
    """Return the markers of the seats whose turn has begun."""
    cdef unsigned int places = s.players[s.first].markers if s.mover else 0
    return places | s.players[1 - s.first].markers if s.mover and s.mover - 1 != s.first else places


cdef inline int gone_to_owners(const Duel *s) noexcept nogil:
    """Return the number of 1x cards of the phase's deck that have been dealt and are not in the grid."""
    cdef int card, gone = 0
    for card in range(cards.count):
        if cards.once >> card & 1 and lying_in_grid(s, card) == 0:
            gone += popcount(cards.copies[s.phase & 1][card] & ~s.undealt)
    return gone


cdef inline bint place_fits(const Duel *s, int place) noexcept nogil:
    """Once a turn has begun, no 1x card is under its markers, and only there can places be empty (D17).

    This is not one comparison of the two: GCC 12 miscompiles `(card < 0) != (places >> place & 1)` at -O1.
    """
    cdef int card = s.grid[place] - 1
    if card < 0:
        return begun(s) >> place & 1
    return not (cards.once >> card & 1 and begun(s) >> place & 1)


cdef inline bint gaps_fit(const Duel *s) noexcept nogil:
    """A dealt place is empty only if its 1x card has gone to its owner at the start of a turn."""
    cdef int place, gaps = 0
    if s.step == AT_DEAL:
        return True
    for place in range(GRID):
        if s.grid[place] == 0:
            gaps += 1
        if s.step != AT_OVER and not place_fits(s, place):
            return False
    return gaps == GRID if s.step == AT_OVER else gaps <= gone_to_owners(s)


# -- known orders ----------------------------------------------------------------------------------

cdef inline bint same_cards(const uint8_t *order, int count, uint32_t copies, int deck) noexcept nogil:
    """Whether an order holds each copy of a deck once; all its entries are in range."""
    cdef int there[MOST_CARDS + 1]
    cdef int i
    for i in range(MOST_CARDS + 1):
        there[i] = 0
    for i in range(count):
        there[order[i]] += 1
    for i in range(DECK):
        if copies >> i & 1:
            there[cards.cards[deck][i]] -= 1
    for i in range(MOST_CARDS + 1):
        if there[i]:
            return False
    return True


cdef inline bint decks_fit(const Duel *s) noexcept nogil:
    """The order is completely known or completely unknown; places already dealt are empty."""
    cdef int phase, place, known = 0
    for phase in range(PHASES):
        for place in range(DECK):
            if s.deck[phase][place] and (phase < s.phase or (phase == s.phase and place < s.dealt)):
                return False
            known += s.deck[phase][place] != 0
    if known == 0:
        return True
    if not same_cards(s.deck[s.phase] + s.dealt, DECK - s.dealt, s.undealt, s.phase & 1):
        return False
    for phase in range(s.phase + 1, PHASES):
        if not same_cards(s.deck[phase], DECK, (1u << DECK) - 1, phase & 1):
            return False
    return True


cdef inline bint orders_fit(const Duel *s) noexcept nogil:
    return decks_fit(s) and seal_order_fits(s)


cdef inline bint seal_order_fits(const Duel *s) noexcept nogil:
    """Completely known or completely unknown; position.py checks that its seals are the unseen ones."""
    cdef int place
    for place in range(FIRST_UNSEEN):
        if s.seal_order[place] and place < FIRST_UNSEEN - total(s.unseen):
            return False
    return True

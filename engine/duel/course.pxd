# cython: language_level=3
"""The course of the game: rounds, turns, the end."""
from libc.stdint cimport uint8_t
from libc.string cimport memset

from clerestory.engine.core cimport NATURE, OVER
from clerestory.engine.duel.data.state cimport *
from clerestory.engine.duel.data.tables cimport cards


# -- rounds ----------------------------------------------------------------------------------------

cdef inline void clear_table(Duel *s) noexcept nogil:
    memset(s.grid, 0, GRID)
    s.players[0].markers = s.players[1].markers = 0


cdef inline void begin_phase(Duel *s) noexcept nogil:
    """Rebuild the deck: its unused 1x cards return, those of the other deck stay with their owners (D34)."""
    cdef int seat
    s.undealt = (1u << DECK) - 1
    s.dealt = 0
    for seat in range(SEATS):
        s.players[seat].hand &= ~cards.of_deck[s.phase & 1]


cdef inline void begin_round(Duel *s) noexcept nogil:
    """Begin a round with the holder of the marker of power, even if the marker moves during the round (D1, D31)."""
    s.first = s.power
    ask(s, AT_DEAL, NATURE)


cdef inline void end_round(Duel *s) noexcept nogil:
    clear_table(s)
    if s.round < ROUNDS - 1:
        s.round += 1
    elif s.phase < PHASES - 1:
        s.round = 0
        s.phase += 1
        begin_phase(s)
    else:
        ask(s, AT_OVER, OVER)
        return
    begin_round(s)


# -- turns -----------------------------------------------------------------------------------------

cdef inline void begin_turn(Duel *s, int seat) noexcept nogil:
    """Begin a turn: the 1x cards under the player's markers go to their owner (D17)."""
    cdef Player *p = &s.players[seat]
    cdef unsigned int places = p.markers
    cdef int place, card
    s.mover = <uint8_t> (seat + 1)
    while places:
        place = lowest_bit(places)
        card = s.grid[place] - 1
        places &= places - 1
        if cards.once >> card & 1:
            p.hand |= <uint8_t> (1 << cards.once_of[card])
            s.grid[place] = 0
    ask(s, AT_TURN, seat)


cdef inline void clear_use(Duel *s) noexcept nogil:
    s.card = s.left = s.floor = s.may_end = s.seals_due = 0


cdef inline void clear_turn(Duel *s) noexcept nogil:
    clear_use(s)
    s.mover = s.built = s.cheap = 0
    s.used = 0
    s.open_cards = s.open_left = 0


cdef inline void end_turn(Duel *s) noexcept nogil:
    """Begin the second player's turn after the first's, else end the round."""
    cdef int seat = s.mover - 1
    clear_turn(s)
    if seat == s.first:
        begin_turn(s, 1 - seat)
    else:
        end_round(s)


cdef inline void finish(Duel *s) noexcept nogil:
    """End the game at once because a building is complete, regardless of pending choices (D33, D45)."""
    clear_turn(s)
    clear_table(s)
    ask(s, AT_OVER, OVER)

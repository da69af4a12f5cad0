# cython: language_level=3
"""A turn: lists cards to use and play, materials to build, and uses to continue (D20, D48)."""
from libc.stdint cimport uint8_t, uint16_t, uint64_t

from clerestory.engine.duel.building cimport legal_buildings, play_building
from clerestory.engine.duel.course cimport end_turn
from clerestory.engine.duel.data.codes cimport *
from clerestory.engine.duel.data.state cimport *
from clerestory.engine.duel.data.tables cimport *
from clerestory.engine.duel.uses cimport *


# -- the turn --------------------------------------------------------------------------------------

cdef inline int legal_turn(const Duel *s, uint16_t *out) noexcept nogil:
    """List actions. After building, only 1x cards can be used, even pointing ones, not cards in the grid (D20, D41)."""
    cdef const Player *p = &s.players[s.actor]
    cdef uint64_t found = playable(s, s.actor, p.hand) if p.hand else 0
    cdef int n = 0
    if not s.built:
        if p.materials:
            n = legal_buildings(s, p, out)
        found |= usable_of(s, s.actor, cards_at(s, p.markers & ~s.used) & cards.usable[s.actor])
    out[n] = END
    n += 1
    if rarely(s.open_cards != 0, 0):
        n += list_open(s, out + n)
    return n + list_cards(found, out + n)


cdef inline void play_turn(Duel *s, int a) noexcept nogil:
    """Play an action; this ends open uses, unless it continues one or plays a 1x card (D48)."""
    cdef int card = (a - CARDS) >> 1
    if a > CARDS:
        if not cards.once >> card & 1:
            s.open_cards = s.open_left = 0
        use_up(s, card)
        begin_use(s, card)
    elif a > END:
        continue_use(s, a)
    elif a == END:
        end_turn(s)
    else:
        s.open_cards = s.open_left = 0
        play_building(s, a)


# -- pointing --------------------------------------------------------------------------------------

cdef inline int legal_copy(const Duel *s, uint16_t *out) noexcept nogil:
    return list_cards(targets(s, s.actor, cards.effects[s.card - 1].kind), out)


cdef inline void play_copy(Duel *s, int a) noexcept nogil:
    """Use the named card at once; if it is under the player's marker, its own use is still available (D18, D40)."""
    begin_use(s, (a - CARDS) >> 1)

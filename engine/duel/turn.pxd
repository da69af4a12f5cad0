# cython: language_level=3
"""A turn: which cards can be used and played, what can be built, and which uses can be continued (D20, D48)."""
from libc.stdint cimport uint8_t, uint16_t, uint64_t

from clerestory.engine.duel.building cimport legal_buildings, play_building
from clerestory.engine.duel.codes cimport *
from clerestory.engine.duel.course cimport end_turn
from clerestory.engine.duel.effect_rules cimport ACTS, RULES
from clerestory.engine.duel.state cimport *
from clerestory.engine.duel.tables cimport *
from clerestory.engine.duel.uses cimport *


# -- the turn --------------------------------------------------------------------------------------

cdef inline int legal_turn(const Duel *s, uint16_t *out) noexcept nogil:
    """After building, cards under markers can no longer be used; 1x cards can, even pointing ones (D20, D41)."""
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
    """Open uses are over, unless one goes on or a 1x card is played (D48)."""
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


# -- open uses (D48) -------------------------------------------------------------------------------

cdef inline void take_up(Duel *s) noexcept nogil:
    """The innermost open use is the one in progress again; of kinds any can be named."""
    cdef int kind = cards.effects[(s.open_cards & 255) - 1].kind
    s.card = <uint8_t> (s.open_cards & 255)
    s.left = <uint8_t> (s.open_left & 255)
    s.step = <uint8_t> RULES[kind].step
    close_use(s)
    s.floor = WOOD + 1 if kind == EFFECT_CONVERT or kind == EFFECT_FINISH else 0


cdef inline int list_open(const Duel *s, uint16_t *out) noexcept nogil:
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


cdef inline void continue_use(Duel *s, int a) noexcept nogil:
    take_up(s)
    s.may_end = 1
    if a == DONE:
        resume(s)
    else:
        ACTS[cards.effects[s.card - 1].kind].play(s, a)


# -- pointing --------------------------------------------------------------------------------------

cdef inline int legal_copy(const Duel *s, uint16_t *out) noexcept nogil:
    return list_cards(targets(s, s.actor, cards.effects[s.card - 1].kind), out)


cdef inline void play_copy(Duel *s, int a) noexcept nogil:
    """Use the named card at once; if it is under the player's marker, its own use is still available (D18, D40)."""
    begin_use(s, (a - CARDS) >> 1)

# cython: language_level=3
"""Placing materials: the turn's building, Tom, William, complete sections and their bonuses (D29 to D33)."""
from libc.stdint cimport uint8_t, uint16_t, uint32_t

from clerestory.engine.duel.chips cimport ask_bonus
from clerestory.engine.duel.course cimport finish
from clerestory.engine.duel.data.codes cimport *
from clerestory.engine.duel.data.state cimport *
from clerestory.engine.duel.data.tables cimport Build, Builds, Effect, cards
from clerestory.engine.duel.seals cimport draw_seals, pay_seal
from clerestory.engine.duel.uses cimport resume

cdef enum:
    COMPLETE = 7        # of a section
    FINISHED = 0x1FF    # of a building


# -- sections --------------------------------------------------------------------------------------

cdef inline int placed_in(const Player *p, int section) noexcept nogil:
    """Return which of the section's needs are met, as a set."""
    return p.placed >> 3 * section & 7


cdef inline int complete_sections(const Player *p) noexcept nogil:
    """Return the number of complete sections."""
    cdef unsigned int full = p.placed & p.placed >> 1 & p.placed >> 2
    return (full & 1) + (full >> 3 & 1) + (full >> 6 & 1)


cdef inline double points_of(const Player *p) noexcept nogil:
    """Return points: complete sections, then materials placed, then gold; each outweighs all later ones (D46)."""
    return SECTION_POINTS * complete_sections(p) + popcount(p.placed) + p.gold / 100.0


cdef inline unsigned int missing(const Player *p, int seat, int section) noexcept nogil:
    """Return the materials that a section still needs, as a word of counts that are 0 or 1."""
    return cards.missing[seat][section][placed_in(p, section)]


cdef inline unsigned int missing_anywhere(const Player *p, int seat) noexcept nogil:
    return missing(p, seat, 0) | missing(p, seat, 1) | missing(p, seat, 2)


cdef inline void complete(Duel *s, int section) noexcept nogil:
    """Resolve a complete section: the end of the game, the bonus for completing it first, or nothing (D33, D43)."""
    cdef Player *p = mover(s)
    s.card = 0
    if p.placed == FINISHED:
        finish(s)
    elif placed_in(p, section) != COMPLETE or placed_in(&s.players[2 - s.mover], section) == COMPLETE:
        resume(s)
    elif section == 0:
        draw_seals(s, cards.bonus_seals)
    elif section == 1:
        gain_gold(s, p, cards.bonus_gold)
        resume(s)
    else:
        s.left = cards.bonus_chips
        s.floor = WOOD + 1
        s.may_end = 1
        ask_bonus(s)


# -- the turn's building ---------------------------------------------------------------------------

cdef inline int price_of(const Duel *s, int size) noexcept nogil:
    """Return the price of the whole building action, which Toledo covers (D5)."""
    return cards.cheap_placing if s.cheap else cards.placing[size]


cdef inline int legal_buildings(const Duel *s, const Player *p, uint16_t *out) noexcept nogil:
    """List sets of missing materials of one section that the player has and can pay for; one section a turn."""
    cdef const Builds *builds
    cdef const Build *build
    cdef uint32_t i
    cdef int section, seat = s.actor, n = 0
    for section in range(SECTIONS):
        builds = &cards.builds[seat][section][placed_in(p, section)]
        for i in range(builds.count):
            build = &builds.list[i]
            if holds(p.materials, build.materials) and p.gold >= price_of(s, build.size):
                out[n] = build.code
                n += 1
    return n


cdef inline void play_building(Duel *s, int a) noexcept nogil:
    cdef Player *p = mover(s)
    cdef int section = (a - BUILD) // LOTS
    cdef const Build *build = cards.builds[s.mover - 1][section][placed_in(p, section)].list
    while build.code != a:
        build += 1
    p.gold -= <uint8_t> price_of(s, build.size)
    p.materials -= build.materials
    p.placed |= <uint16_t> (build.needs << 3 * section)
    s.built = 1
    complete(s, section)


# -- Tom and William -------------------------------------------------------------------------------

cdef inline bint can_place_one(const Player *p, int seat, const Effect *effect) noexcept nogil:
    return p.gold >= effect.price and p.seals and present(p.supply & NOT_ORE) & missing_anywhere(p, seat)


cdef inline int legal_place_one(const Duel *s, uint16_t *out) noexcept nogil:
    cdef const Player *p = &s.players[s.actor]
    cdef unsigned int kinds
    cdef int section, kind, n = 0
    for section in range(SECTIONS):
        kinds = present(p.supply & NOT_ORE) & missing(p, s.actor, section)
        while kinds:
            kind = lowest_bit(kinds) >> 2
            n += list_kinds(p.seals, PLACE + (NO_ORE * section + kind) * SEALS, out + n)
            kinds &= kinds - 1
    return n


cdef inline void play_place_one(Duel *s, int a) noexcept nogil:
    """Place at the card's own price, even with Toledo; this is not the turn's building (D29)."""
    cdef Player *p = mover(s)
    cdef int kind = (a - PLACE) // SEALS % NO_ORE, section = (a - PLACE) // SEALS // NO_ORE
    cdef const uint8_t *needs = cards.needs[s.mover - 1][section]
    cdef int i = 0
    while needs[i] != kind or placed_in(p, section) >> i & 1:
        i += 1
    p.gold -= cards.effects[s.card - 1].price
    pay_seal(s, p, (a - PLACE) % SEALS)
    p.supply -= one(kind)
    p.placed |= <uint16_t> (1 << 3 * section + i)
    complete(s, section)


cdef inline unsigned int standing(const Player *p, int seat, int section) noexcept nogil:
    """Return the materials placed in an incomplete section, as a word of counts that are 0 or 1 (D30)."""
    cdef int placed = placed_in(p, section)
    return 0 if placed == COMPLETE else cards.standing[seat][section][placed]


cdef inline bint can_lose_material(const Player *p, int seat) noexcept nogil:
    return (standing(p, seat, 0) | standing(p, seat, 1) | standing(p, seat, 2)) != 0


cdef inline int legal_return_material(const Duel *s, uint16_t *out) noexcept nogil:
    """List sections and materials for the opponent to name, in the middle of the turn (D11, D30, D42)."""
    cdef int section, n = 0
    for section in range(SECTIONS):
        n += list_kinds(standing(&s.players[s.actor], s.actor, section), RETURN + KINDS * section, out + n)
    return n


cdef inline void play_return_material(Duel *s, int a) noexcept nogil:
    cdef Player *p = &s.players[s.actor]
    cdef int section = (a - RETURN) // KINDS, kind = (a - RETURN) % KINDS, i = 2
    while cards.needs[s.actor][section][i] != kind or not placed_in(p, section) >> i & 1:
        i -= 1
    p.placed &= <uint16_t> ~(1 << 3 * section + i)
    p.supply += one(kind)
    resume(s)

# cython: language_level=3
"""The terms of the guide for a seat: the progress of its chips, and the expected gains of the cards it can use.

A chip is useful as long as a section still lacks its material: turned chips count first, then raw ones in the camp,
then those in the supply. The gains of a card are counted in goods (gold, chips to take, chips to turn, seals), each
weighted by its probability.
"""
from libc.stdint cimport uint32_t

from clerestory.engine.duel.building cimport can_lose_material, can_place_one, complete_sections, missing, placed_in
from clerestory.engine.duel.data.state cimport *
from clerestory.engine.duel.data.tables cimport *

cdef enum:              # terms
    UNCLAIMED       # 1: has not claimed in this round
    CHOOSING        # 1: claims first and has not done so
    CLAIMED         # 1: from its claim to its turn
    MOVING          # 1: in its turn
    MOVED           # 1: after its turn
    TWOS            # incomplete sections with two materials
    MATERIALS       # useful, turned
    CAMP            # useful, raw in the camp
    BELL            # 1: ore in the camp, raw or turned, that is needed
    PURSE           # gold, up to PURSE_SIZE
    SAVINGS         # gold above that
    SEALS_HELD      # neutral seals in hand
    MARKER          # 1: holds the marker of power
    HAND            # 1x cards not counted as goods
    HAND_GOLD       # gold that 1x cards would give at once
    HAND_CHIPS      # useful chips that 1x cards would give
    CARD_GOLD       # gold from cards under markers, minus the cost of the chips
    CARD_CHIPS
    CARD_TURNS      # useful raw chips that they would turn
    CARD_SEALS
    CARD_MARKER
    CARD_PLACES     # materials that they would place
    CARD_OTHERS     # cards that point, or take from the opponent
    CARD_ONCE       # 1x cards
    SPARE_WOOL      # raw wool in the camp that no section needs
    PLACEABLE       # 1: a useful material can be placed in this round
    FINISHABLE      # 1: a section can be completed in this round
    CHEAP           # 1: Toledo has been played, and a material can be placed
    TERMS

cdef enum:
    PURSE_SIZE = 12
    WINDFALL = 2        # useful number of seals from influence

cdef struct Prospects:          # state of one seat while its terms are computed
    const Duel *s
    const Player *p
    int seat
    uint32_t raw                # useful raw chips in the camp, 4 bits per kind
    uint32_t fetch              # useful chips in the supply
    double *terms


# -- chips on their way ----------------------------------------------------------------------------

cdef inline uint32_t least(uint32_t counts, uint32_t others) noexcept nogil:
    """Return the minimum of two words of counts of five kinds, kind by kind."""
    cdef uint32_t out = 0
    cdef int kind
    for kind in range(KINDS):
        out |= <uint32_t> min(count_of(counts, kind), count_of(others, kind)) << 4 * kind
    return out


cdef inline void look_at_chips(Prospects *o) noexcept nogil:
    cdef const Player *p = o.p
    cdef uint32_t need = missing(p, o.seat, 0) + missing(p, o.seat, 1) + missing(p, o.seat, 2)
    cdef uint32_t turned = least(p.materials, need)
    o.raw = least(p.camp, need - turned)
    o.fetch = least(p.supply, need - turned - o.raw)
    o.terms[MATERIALS] = total(turned)
    o.terms[CAMP] = total(o.raw)
    o.terms[BELL] = count_of(turned | o.raw, ORE)
    o.terms[SPARE_WOOL] = count_of(p.camp - o.raw, WOOL)


cdef inline void look_at_sections(Prospects *o, bint open_) noexcept nogil:
    """Find what can be placed if the turn's building is still open: one material at its price, or a section's rest."""
    cdef const Player *p = o.p
    cdef uint32_t need
    cdef int section, size
    for section in range(SECTIONS):
        need = missing(p, o.seat, section)
        size = 3 - popcount(placed_in(p, section))
        o.terms[TWOS] += size == 1
        if open_ and size:
            o.terms[PLACEABLE] += p.gold >= price_for(o, 1) and least(p.materials, need) != 0
            o.terms[FINISHABLE] += p.gold >= price_for(o, size) and holds(p.materials, need)
    o.terms[PLACEABLE] = min(o.terms[PLACEABLE], 1)
    o.terms[FINISHABLE] = min(o.terms[FINISHABLE], 1)
    if is_cheap(o):
        o.terms[CHEAP] = o.terms[PLACEABLE]


cdef inline bint is_cheap(const Prospects *o) noexcept nogil:
    return o.s.cheap and o.s.mover == o.seat + 1


cdef inline int price_for(const Prospects *o, int size) noexcept nogil:
    return cards.cheap_placing if is_cheap(o) else cards.placing[size]


# -- expected gains of cards -----------------------------------------------------------------------

cdef inline void promise_turns(Prospects *o, double chance, int count, int price) noexcept nogil:
    """Count chips to be turned, as many as the gold pays for, and subtract their price."""
    count = min(count, o.p.gold // price)
    o.terms[CARD_TURNS] += chance * count
    o.terms[CARD_GOLD] -= chance * count * price


cdef inline void promise_chips(Prospects *o, double chance, int count, int price) noexcept nogil:
    count = min(count, o.p.gold // price)
    o.terms[CARD_CHIPS] += chance * count
    o.terms[CARD_GOLD] -= chance * count * price


cdef inline void promise(Prospects *o, int card, double chance) noexcept nogil:
    """Add the gains of a card under one of the seat's markers, or in use, to the terms."""
    cdef const Effect *effect = &cards.effects[card]
    cdef int kind = effect.kind
    if not (cards.usable[o.seat] | cards.once) >> card & 1:
        return
    if cards.once >> card & 1:
        o.terms[CARD_ONCE] += chance
    elif kind == EFFECT_POWER:
        o.terms[CARD_MARKER] += chance * (o.s.power != o.seat)
    elif kind == EFFECT_INCOME:
        o.terms[CARD_GOLD] += chance * effect.amount
    elif kind == EFFECT_INFLUENCE:
        o.terms[CARD_SEALS] += 0.5 * chance * min(o.p.gold // effect.price, <int> WINDFALL)
    elif kind == EFFECT_RAW:
        o.terms[CARD_CHIPS] += chance * min(count_of(o.fetch, effect.chip), <int> effect.amount)
    elif kind == EFFECT_CRAFTSMAN:
        promise_turns(o, chance, count_of(o.raw, effect.chip), effect.price)
    elif kind == EFFECT_MARKET:
        o.terms[CARD_GOLD] += chance * o.terms[SPARE_WOOL] * effect.wool
        promise_chips(o, chance, min(total(o.fetch & effect.kinds), <int> effect.amount), effect.price)
    elif kind == EFFECT_SELL_WOOL:
        o.terms[CARD_GOLD] += chance * effect.price * min(count_of(o.p.camp, WOOL), <int> effect.amount)
    elif kind == EFFECT_TAKE:
        o.terms[CARD_CHIPS] += chance * min(total(o.fetch & NOT_ORE), <int> effect.amount)
    elif kind == EFFECT_SEALS:
        o.terms[CARD_SEALS] += chance * effect.amount
    elif kind == EFFECT_PLACE:
        o.terms[CARD_PLACES] += chance * can_place_one(o.p, o.seat, effect)
    elif kind == EFFECT_CONVERT:
        promise_turns(o, chance, min(total(o.raw & NOT_ORE), <int> effect.amount), effect.price)
    elif kind == EFFECT_FINISH:
        promise_turns(o, chance, total(o.fetch & NOT_ORE), effect.price)
    elif kind == EFFECT_COPY_ANY:
        o.terms[CARD_OTHERS] += chance
    elif kind == EFFECT_RETURN_MATERIAL:
        o.terms[CARD_OTHERS] += chance * can_lose_material(&o.s.players[1 - o.seat], 1 - o.seat)


cdef inline double chance_of_shared(const Prospects *o) noexcept nogil:
    """Return the probability of winning the conflict, by seals in hand; ties go to the first player."""
    cdef int more = total(o.p.seals) - total(o.s.players[1 - o.seat].seals)
    return min(max(0.5 + 0.08 * more + (0.05 if o.s.first == o.seat else -0.05), 0.1), 0.9)


cdef inline void look_at_markers(Prospects *o) noexcept nogil:
    """Add the unused cards under markers; the shared one may be lost."""
    cdef unsigned int places = o.p.markers, other = o.s.players[1 - o.seat].markers
    cdef int place
    cdef double shared = chance_of_shared(o)
    if o.s.mover == o.seat + 1:
        places &= ~o.s.used
    while places:
        place = lowest_bit(places)
        places &= places - 1
        if o.s.grid[place]:
            promise(o, o.s.grid[place] - 1, shared if other >> place & 1 else 1.0)


cdef inline void look_at_use(Prospects *o) noexcept nogil:
    """Add the rest of a use in progress, of a bonus, or of seals to be drawn."""
    if o.s.card:
        promise(o, o.s.card - 1, 1.0)
    elif o.s.step == AT_BONUS:
        o.terms[CARD_TURNS] += min(total(o.raw & BONUS_KINDS), <int> o.s.left)
    elif o.s.seals_due:
        o.terms[CARD_SEALS] += o.s.seals_due


cdef inline void look_at_hand(Prospects *o) noexcept nogil:
    cdef unsigned int hand = o.p.hand
    cdef const Effect *effect
    cdef int kind
    while hand:
        effect = &cards.effects[cards.card_of_once[lowest_bit(hand)]]
        hand &= hand - 1
        kind = effect.kind
        if kind == EFFECT_TAKE:
            o.terms[HAND_CHIPS] += min(total(o.fetch & NOT_ORE), <int> effect.amount)
        elif kind == EFFECT_TRADE_SEALS:
            o.terms[HAND_CHIPS] += 0.5 * min(total(o.fetch & NOT_ORE), total(o.p.seals))
        elif kind == EFFECT_DONATION:
            o.terms[HAND_GOLD] += effect.amount * complete_sections(o.p)
        elif kind == EFFECT_MATCH_GOLD:
            o.terms[HAND_GOLD] += max(<int> o.s.players[1 - o.seat].gold - o.p.gold, 0)
        else:
            o.terms[HAND] += 1


# -- all terms -------------------------------------------------------------------------------------

cdef inline int stage_of(const Duel *s, int seat) noexcept nogil:
    """Return the seat's stage in the round: UNCLAIMED, CLAIMED, MOVING or MOVED."""
    if s.step <= AT_CLAIM:
        return CLAIMED if s.players[seat].markers else UNCLAIMED
    if s.mover == 0 or (s.mover - 1 == s.first and seat != s.first):
        return CLAIMED
    return MOVING if s.mover == seat + 1 else MOVED


cdef inline void count_terms(const Duel *s, int seat, double *terms) noexcept nogil:
    """Write TERMS numbers. Precondition: the game is not over."""
    cdef Prospects o
    cdef int i, stage = stage_of(s, seat)
    for i in range(TERMS):
        terms[i] = 0
    o.s, o.p, o.seat, o.terms = s, &s.players[seat], seat, terms
    terms[stage] = 1
    terms[CHOOSING] = stage == UNCLAIMED and s.first == seat
    terms[PURSE] = min(<int> o.p.gold, <int> PURSE_SIZE)
    terms[SAVINGS] = o.p.gold - terms[PURSE]
    terms[SEALS_HELD] = total(o.p.seals)
    terms[MARKER] = s.power == seat
    look_at_chips(&o)
    look_at_sections(&o, stage != MOVED and not (stage == MOVING and s.built))
    look_at_hand(&o)
    if stage == MOVING:
        look_at_use(&o)
    if stage == CLAIMED or (stage == MOVING and not s.built):
        look_at_markers(&o)

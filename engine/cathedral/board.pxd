# cython: language_level=3
"""Phase III, steps 3 to 11: wool mill, Kingsbridge, Priory, production, King's court, Shiring, castle."""
from libc.stdint cimport uint8_t, uint16_t
from libc.string cimport memcpy, memset

from clerestory.engine.cathedral.data.codes cimport *
from clerestory.engine.cathedral.data.effects cimport EVENT_YIELD
from clerestory.engine.cathedral.data.state cimport *
from clerestory.engine.cathedral.data.tables cimport Advantage, cards
from clerestory.engine.cathedral.draft cimport too_many_craftsmen
from clerestory.engine.cathedral.market cimport next_stall
from clerestory.engine.core cimport NATURE


# -- step 3: wool mill -----------------------------------------------------------------------------

cdef inline void pay_mill(Cathedral *s) noexcept nogil:
    cdef int seat
    cdef Player *p
    for seat in range(s.seats):
        p = &s.players[seat]
        gain_gold(p, p.mill)
        p.workers += p.mill
        p.mill = 0
    visit_kingsbridge(s)


cdef inline int take_off(uint8_t *space) noexcept nogil:
    """Clear a space; return its previous content."""
    cdef int there = space[0]
    space[0] = 0
    return there


# -- step 4: Kingsbridge ---------------------------------------------------------------------------

cdef inline void visit_kingsbridge(Cathedral *s) noexcept nogil:
    """Resolve space 1, then space 2."""
    cdef int space, owner, card
    for space in range(2):
        owner = take_off(&s.spaces[KINGSBRIDGE + space])
        card = take_off(&s.kingsbridge_cards[space])
        if owner and card:
            take_advantage(s, &s.players[owner - 1], card - 1)
    visit_priory(s)


cdef inline void take_advantage(Cathedral *s, Player *p, int card) noexcept nogil:
    """Keep the card, or apply it at once (R28)."""
    if cards.kept >> card & 1:
        p.advantages |= <uint16_t> (1 << card)
        p.fresh |= <uint16_t> (1 << card)
    else:
        gain_at_once(s, p, &cards.advantages[card])


cdef inline void gain_at_once(Cathedral *s, Player *p, const Advantage *card) noexcept nogil:
    cdef int type_
    p.vp += card.vp
    p.vp_cards += card.vp
    gain_gold(p, card.gold)
    for type_ in range(TYPES):
        gain_cubes(s, p, type_, card.cubes[type_])


# -- steps 5 to 8: Priory, production --------------------------------------------------------------

cdef inline void visit_priory(Cathedral *s) noexcept nogil:
    """Pay 2 VP for space 1 and 1 VP for space 2; Prior Philip's VP belong to the card (R29)."""
    cdef int space, extra
    cdef Player *p
    for space in range(2):
        if s.spaces[PRIORY + space]:
            p = &s.players[s.spaces[PRIORY + space] - 1]
            extra = cards.priory_vp if p.advantages & cards.priory else 0
            p.vp += <uint16_t> (2 - space + extra)
            p.vp_priory += <uint8_t> (2 - space)
            p.vp_cards += <uint8_t> extra
            s.spaces[PRIORY + space] = 0
    produce(s)


cdef inline void produce(Cathedral *s) noexcept nogil:
    """Resolve forest, quarry and gravel pit, without choices in between. Workers return to the reserve.

    Extra cubes do not require a resource card of the type (R12), and come in the round in which the card was taken
    (R6).
    """
    cdef int seat, type_, cubes, changed = changed_yield(s)
    cdef Player *p
    cdef uint8_t yields[4]
    for seat in range(s.seats):
        p = &s.players[seat]
        memcpy(yields, &cards.yields[p.resources], 4)
        if changed and not is_spared(s, seat):
            change(p.resources, yields, changed)
        for type_ in range(3):
            cubes = yields[type_] + (cards.produced[type_] if p.advantages & cards.producer[type_] else 0)
            p.cubes[type_] += <uint8_t> cubes
            s.supply[type_] -= <signed char> cubes  # R7: owed cubes count as held
        p.workers += yields[3]
        p.resources = 0
    ask(s, AT_TAX, NATURE)


cdef inline int changed_yield(const Cathedral *s) noexcept nogil:
    """Return the cubes that this round's event adds to each resource card; negative if it takes some."""
    if s.event and cards.events[s.event - 1].kind == EVENT_YIELD:
        return cards.events[s.event - 1].amount
    return 0


cdef inline void change(unsigned int held, uint8_t *yields, int more) noexcept nogil:
    """Change the yield of each resource card, but never below 0 (R14)."""
    cdef uint8_t one[4]
    cdef int type_
    while held:
        memcpy(one, &cards.yields[held & -held], 4)
        for type_ in range(3):
            if one[type_]:
                yields[type_] += <uint8_t> max(more, -<int> one[type_])
        held &= held - 1


# -- step 9: King's court --------------------------------------------------------------------------

cdef inline unsigned int seats_at_court(const Cathedral *s) noexcept nogil:
    """Return the seats with a builder at court, as a set; bit 0 is none, seat i is bit i + 1."""
    cdef const uint8_t *court = &s.spaces[COURT]
    return 1u << court[0] | 1u << court[1] | 1u << court[2] | 1u << court[3]


cdef inline void play_tax(Cathedral *s, int a) noexcept nogil:
    """Ask the holder of the exemption, even without gold, unless they have a builder at court."""
    cdef int seat
    cdef unsigned int at_court = seats_at_court(s)
    s.die = <uint8_t> (a - ROLL + LOWEST_ROLL)
    for seat in range(s.seats):
        if s.players[seat].advantages & cards.exemption and not at_court >> (seat + 1) & 1:
            ask(s, AT_EXEMPTION, seat)
            return
    settle_tax(s, at_court)


cdef inline int legal_exemption(const Cathedral *s, uint16_t *out) noexcept nogil:
    return list_two(USE_EXEMPTION, SAVE_EXEMPTION, out)


cdef inline void play_exemption(Cathedral *s, int a) noexcept nogil:
    cdef unsigned int exempt = seats_at_court(s)
    if a == USE_EXEMPTION:
        use_up(&s.players[s.actor], cards.exemption)
        exempt |= 2u << s.actor
    settle_tax(s, exempt)


cdef inline void settle_tax(Cathedral *s, unsigned int exempt) noexcept nogil:
    """Collect the tax, then give the court's metal to its first space (R8)."""
    cdef int seat
    for seat in range(s.seats):
        if not exempt >> (seat + 1) & 1:
            pay_dues(&s.players[seat], cards.tax if s.players[seat].advantages & cards.fixed_tax else s.die)  # R39
    if s.spaces[COURT]:
        s.players[s.spaces[COURT] - 1].cubes[METAL] += s.court_metal
        s.court_metal = 0
    memset(&s.spaces[COURT], 0, COURT_SPACES)
    s.die = 0
    visit_shiring(s)


# -- steps 10 and 11: Shiring, castle --------------------------------------------------------------

cdef inline void visit_shiring(Cathedral *s) noexcept nogil:
    """Resolve space 1, then space 2; continue where a dismissal interrupted (R5)."""
    cdef int space, owner, card
    for space in range(2):
        owner = take_off(&s.spaces[SHIRING + space])  # R27: cleared before it takes effect
        card = take_off(&s.shiring_cards[space])
        if owner and card and take_craftsman(s, owner - 1, card - 1):
            return
    visit_castle(s)


cdef inline bint take_craftsman(Cathedral *s, int seat, int card) noexcept nogil:
    """Give the seat a craftsman; return whether it has one too many."""
    cdef Player *p = &s.players[seat]
    p.craftsmen |= 1u << card
    ask(s, AT_SHIRING, seat)
    return too_many_craftsmen(p)


cdef inline int legal_shiring(const Cathedral *s, uint16_t *out) noexcept nogil:
    return list_set(s.players[s.actor].craftsmen, DISMISS, out)


cdef inline void play_shiring(Cathedral *s, int a) noexcept nogil:
    s.players[s.actor].craftsmen &= ~(1u << (a - DISMISS))
    visit_shiring(s)


cdef inline void visit_castle(Cathedral *s) noexcept nogil:
    if s.spaces[CASTLE]:
        s.players[s.spaces[CASTLE] - 1].grey_next = GREY_LENT
        s.spaces[CASTLE] = 0
    next_stall(s)

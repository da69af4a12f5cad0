# cython: language_level=3
"""The prospects of a seat as terms that the guide's value adds up: goods, craftsmen, pending effects of builders.

Points come from craftsmen, who turn cubes into VP. Goods therefore count for what the owner's craftsmen can make of
them, a craftsman for what it makes of a typical round's cubes, and a builder for the effect of its space. The weights
of the terms are in value.toml.
"""
from libc.stdint cimport uint32_t, uint64_t

from clerestory.engine.cathedral.data.state cimport *
from clerestory.engine.cathedral.data.tables cimport Craftsman, cards

cdef enum:
    GOLD = TYPES       # goods are the four types of cubes, then gold
    GOODS

cdef enum:                      # terms of one seat
    T_ONE
    T_MADE_NOW                  # VP that this round's cathedral step can make of the goods held and due
    T_MADE_LATER                # the same for a typical round's cubes, times the rounds after this one
    T_GOLD
    T_GOLD_DUE                  # from the wool mill in this round, at most
    T_CUBES                     # sand, wood and stone held
    T_METAL
    T_CRAFTSMEN                 # number of craftsmen
    T_BAG                       # builders in the bag
    T_WAITING                   # waiting builders
    T_PRIORY                    # VP that the Priory will pay
    T_KINGSBRIDGE               # builders there
    T_CARD_VP                   # VP of the immediate card to be taken there
    T_CARD_LATER                # increase of T_MADE_LATER by the card to be taken there
    T_SHIRING_NOW               # increase of T_MADE_NOW by the craftsmen to be taken at Shiring
    T_SHIRING_LATER             # increase of T_MADE_LATER by them
    T_COURT                     # 1: a builder there, or a card that exempts; until the tax is paid
    T_COURT_METAL               # 1: this seat will get the metal
    T_CASTLE                    # 1: grey workers for the next round
    T_MARKET                    # builders there
    T_MARKET_GOLD               # gold, while a builder is there
    T_STARTING                  # 1: would start the next round as it stands
    T_ARCHBISHOP                # 1: a builder there
    T_ONCE                      # single-use cards kept
    T_LASTING                   # cards with a lasting effect, times the rounds after this one
    T_TURN                      # places after the starting player
    TERMS

cdef enum:                      # of a round; the weights are by round and stage
    IN_DRAFT
    IN_BUILDING
    ON_BOARD
    AT_STALLS
    IN_CATHEDRAL
    STAGES

# cubes per round of a player with twelve workers, from games of strong bots
cdef extern from *:
    """
    static const double TYPICAL[5] = {2.4, 2.0, 1.6, 0.3, 0.0};
    """
    const double TYPICAL[GOODS]


# -- conversions -----------------------------------------------------------------------------------

cdef inline int amount(uint64_t goods, int kind) noexcept nogil:
    return goods >> 8 * kind & 0xFF


cdef inline bint usable(unsigned int craftsmen, const Craftsman *craftsman) noexcept nogil:
    return craftsman.requires == 0 or craftsman.requires & craftsmen != 0


cdef inline void look_at_craftsmen(unsigned int held, float *use, float *room) noexcept nogil:
    """Write, by type, the VP that the best craftsman makes of a cube, and the cubes that all take in a round."""
    cdef const Craftsman *craftsman
    cdef unsigned int left = held
    cdef int kind, card
    for kind in range(TYPES):
        use[kind] = room[kind] = 0
    while left:
        card = lowest_bit(left)
        left &= left - 1
        craftsman = &cards.craftsmen[card]
        if not usable(held, craftsman):
            continue
        for kind in range(TYPES):
            if amount(craftsman.takes, kind):
                use[kind] = max(use[kind], cards.rate[card])
                room[kind] += craftsman.capacity * amount(craftsman.takes, kind)


cdef inline unsigned int ranked(unsigned int craftsmen) noexcept nogil:
    """Return the craftsmen as a set of ranks by rate, the best lowest."""
    cdef unsigned int places = 0
    while craftsmen:
        places |= 1u << cards.rank[lowest_bit(craftsmen)]
        craftsmen &= craftsmen - 1
    return places


cdef inline double make_points(unsigned int craftsmen, const double *held) noexcept nogil:
    """Return the VP of one round's conversions: the best craftsmen first, as often as capacity and goods allow."""
    cdef unsigned int places = ranked(craftsmen)
    cdef double goods[GOODS]
    cdef double points = 0
    cdef int kind
    for kind in range(GOODS):
        goods[kind] = held[kind]
    while places:
        points += use_fully(craftsmen, &cards.craftsmen[cards.by_rate[lowest_bit(places)]], goods)
        places &= places - 1
    return points


cdef inline double use_fully(unsigned int craftsmen, const Craftsman *craftsman, double *goods) noexcept nogil:
    cdef int kind
    cdef double times = craftsman.capacity
    if not usable(craftsmen, craftsman) or (amount(craftsman.needs, METAL) and goods[METAL] < 1):
        return 0
    for kind in range(GOODS):
        if amount(craftsman.takes, kind):
            times = min(times, goods[kind] / amount(craftsman.takes, kind))
    for kind in range(GOODS):
        goods[kind] -= times * amount(craftsman.takes, kind)
    goods[GOLD] += times * craftsman.gold
    return times * craftsman.vp


cdef inline void goods_now(const Cathedral *s, const Player *p, double *goods) noexcept nogil:
    """Write the cubes held and due in this round, and gold."""
    cdef uint32_t yields = cards.yields[p.resources]
    cdef int kind
    for kind in range(TYPES):
        goods[kind] = p.cubes[kind] + (yields >> 8 * kind & 0xFF if kind < METAL else 0)
        if kind < METAL and s.step <= AT_ARCHBISHOP and p.advantages & cards.producer[kind]:
            goods[kind] += cards.produced[kind]
    goods[GOLD] = p.gold + p.mill if s.step >= AT_ARCHBISHOP else 0


cdef inline void goods_later(unsigned int advantages, double *goods) noexcept nogil:
    """Write a typical round's cubes."""
    cdef int kind
    for kind in range(GOODS):
        goods[kind] = TYPICAL[kind]
        if kind < METAL and advantages & cards.producer[kind]:
            goods[kind] += cards.produced[kind]


cdef inline bint has_converted(const Cathedral *s, int seat) noexcept nogil:
    """Whether the seat has finished the cathedral step of this round."""
    cdef int done
    if s.step < AT_CATHEDRAL:
        return False
    if s.step == AT_OVER or (seat == s.actor and s.step == AT_KEEP):
        return True
    done = s.actor - s.starting + (s.seats if s.actor < s.starting else 0)
    return seat - s.starting + (s.seats if seat < s.starting else 0) < done


# -- the terms -------------------------------------------------------------------------------------

cdef inline int stage_of(const Cathedral *s) noexcept nogil:
    if s.step <= AT_DRAFT:
        return IN_DRAFT
    if s.step <= AT_WAITING:
        return IN_BUILDING
    if s.step <= AT_SHIRING:
        return ON_BOARD
    return AT_STALLS if s.step <= AT_MARKET else IN_CATHEDRAL


cdef inline int builders_at(const Cathedral *s, int seat, int first, int count) noexcept nogil:
    cdef int i, found = 0
    for i in range(first, first + count):
        found += s.spaces[i] == seat + 1
    return found


cdef inline int builders_waiting(const Cathedral *s, int seat) noexcept nogil:
    cdef uint32_t waiting = s.waiting
    cdef int found = 0
    while waiting:
        found += (waiting & 15) == seat + 1
        waiting >>= 4
    return found


cdef inline void count_terms(const Cathedral *s, int seat, double *out) noexcept nogil:
    """Write all terms of a seat."""
    cdef const Player *p = &s.players[seat]
    cdef int i, later = ROUNDS - s.round
    for i in range(TERMS):
        out[i] = 0
    out[T_ONE] = 1
    out[T_GOLD] = p.gold
    out[T_GOLD_DUE] = p.workers if s.step <= AT_DRAFT else p.mill
    out[T_CUBES] = p.cubes[SAND] + p.cubes[WOOD] + p.cubes[STONE]
    out[T_METAL] = p.cubes[METAL]
    out[T_CRAFTSMEN] = popcount(p.craftsmen)
    out[T_BAG] = p.bag
    out[T_ONCE] = popcount(p.advantages & (cards.free_builder | cards.protection | cards.exemption))
    out[T_LASTING] = later * popcount(
        p.advantages & (cards.priory | cards.fixed_tax | cards.foresight | cards.black_worker | cards.room)
    )
    out[T_TURN] = seat - s.starting + (s.seats if seat < s.starting else 0)
    out[T_CASTLE] = p.grey_next != 0
    count_conversions(s, seat, out)
    if s.step < AT_CATHEDRAL:
        count_builders(s, seat, out)


cdef inline void count_conversions(const Cathedral *s, int seat, double *out) noexcept nogil:
    """Write VP from the craftsmen, in this round and later, also with the craftsmen and the card to be taken."""
    cdef const Player *p = &s.players[seat]
    cdef double now[GOODS]
    cdef double then[GOODS]
    cdef int i, later = ROUNDS - s.round
    cdef unsigned int craftsmen = p.craftsmen
    if not has_converted(s, seat):
        goods_now(s, p, now)
        out[T_MADE_NOW] = make_points(craftsmen, now)
    if later:
        goods_later(p.advantages, then)
        out[T_MADE_LATER] = later * make_points(craftsmen, then)
    for i in range(2):
        if s.shiring_cards[i] and s.spaces[SHIRING + i] == seat + 1:
            craftsmen |= 1u << (s.shiring_cards[i] - 1)
    if craftsmen != p.craftsmen:
        out[T_SHIRING_NOW] = make_points(craftsmen, now) - out[T_MADE_NOW]
        if later:
            out[T_SHIRING_LATER] = later * make_points(craftsmen, then) - out[T_MADE_LATER]
    for i in range(2):
        if s.kingsbridge_cards[i] and s.spaces[KINGSBRIDGE + i] == seat + 1:
            count_card(s, p, s.kingsbridge_cards[i] - 1, out)


cdef inline void count_card(const Cathedral *s, const Player *p, int card, double *out) noexcept nogil:
    """Write the gains of an advantage card to be taken."""
    cdef double then[GOODS]
    cdef int later = ROUNDS - s.round
    out[T_KINGSBRIDGE] += 1
    out[T_CARD_VP] += cards.advantages[card].vp
    if later and not p.advantages >> card & 1:
        goods_later(p.advantages | 1u << card, then)
        out[T_CARD_LATER] += later * make_points(p.craftsmen, then) - out[T_MADE_LATER]


cdef inline void count_builders(const Cathedral *s, int seat, double *out) noexcept nogil:
    """Write the pending effects of builders."""
    cdef const Player *p = &s.players[seat]
    cdef int here = seat + 1, first = s.spaces[COURT]
    out[T_WAITING] = builders_waiting(s, seat)
    out[T_PRIORY] = 2 * (s.spaces[PRIORY] == here) + (s.spaces[PRIORY + 1] == here)
    if p.advantages & cards.priory:
        out[T_PRIORY] += cards.priory_vp * builders_at(s, seat, PRIORY, 2)
    if s.step <= AT_EXEMPTION:
        out[T_COURT] = builders_at(s, seat, COURT, COURT_SPACES) > 0 or p.advantages & cards.exemption != 0
        out[T_COURT_METAL] = s.court_metal and first == here
    out[T_CASTLE] += s.spaces[CASTLE] == here
    out[T_MARKET] = builders_at(s, seat, MARKET, STALLS)
    out[T_MARKET_GOLD] = p.gold if out[T_MARKET] else 0
    out[T_STARTING] = s.spaces[START] == here or (s.spaces[START] == 0 and seat == next_seat(s, s.starting))
    out[T_ARCHBISHOP] = s.spaces[ARCHBISHOP] == here

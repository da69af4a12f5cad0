# cython: language_level=3
"""What is known of good play at `cathedral`: hand-made, for bots, informed playouts and explanations.

The thought behind all of it: points come from craftsmen who turn cubes into VP, so a cube is worth what the
owner's craftsmen can still make of it, a craftsman is worth its conversions over the rounds to come, and gold
is worth the craftsmen and places it buys. The numbers were set by eye, then compared with games that followed
these weights: the shares done are those that foresaw the margins of 200 such games best.
"""
from libc.stdint cimport uint32_t, uint64_t

from clerestory.engine.cathedral.codes cimport *
from clerestory.engine.cathedral.state cimport *
from clerestory.engine.cathedral.tables cimport Craftsman, cards
from clerestory.engine.core cimport Guide, action_t

cdef enum:
    GOLD = TYPES       # goods are the four types of cubes, then gold
    GOODS
    FEATURES = 10

cdef double GOLD_WORTH = 0.15     # VP of a piece of gold, while there is a round to spend it in
cdef double CUBE_WORTH = 0.2      # VP of a cube that is kept for the next round
cdef double NOW_DONE = 0.8        # share of what could be made of the goods in hand that is made
cdef double LATER_DONE = 0.4      # the same of a typical round's goods with the craftsmen of today
cdef double NEW_CRAFTSMEN = 3.5   # VP a round from craftsmen yet to come, whoever gets them
cdef double INCOME[GOODS]
INCOME[:] = [2.4, 2.0, 1.6, 0.3, 0.0]  # cubes a round from twelve workers


# -- what goods and craftsmen are worth ------------------------------------------------------------

cdef inline int amount(uint64_t goods, int kind) noexcept nogil:
    return goods >> 8 * kind & 0xFF


cdef inline bint usable(const Player *p, const Craftsman *craftsman) noexcept nogil:
    return not craftsman.requires & ~p.craftsmen


cdef inline unsigned int ranked(unsigned int craftsmen) noexcept nogil:
    """The craftsmen as a set of places in the order of their rates, the best lowest."""
    cdef unsigned int places = 0
    while craftsmen:
        places |= 1u << cards.rank[lowest_bit(craftsmen)]
        craftsmen &= craftsmen - 1
    return places


cdef double make_points(const Player *p, double *goods) noexcept nogil:
    """VP of one round's conversions: the best craftsmen first, each as often as capacity and goods allow."""
    cdef unsigned int places = ranked(p.craftsmen)
    cdef double points = 0
    while places:
        points += use_fully(p, &cards.craftsmen[cards.by_rate[lowest_bit(places)]], goods)
        places &= places - 1
    return points


cdef inline double use_fully(const Player *p, const Craftsman *craftsman, double *goods) noexcept nogil:
    cdef int kind
    cdef double times = craftsman.capacity
    if not usable(p, craftsman) or (amount(craftsman.needs, METAL) and goods[METAL] < 1):
        return 0
    for kind in range(GOODS):
        if amount(craftsman.takes, kind):
            times = min(times, goods[kind] / amount(craftsman.takes, kind))
    for kind in range(GOODS):
        goods[kind] -= times * amount(craftsman.takes, kind)
    goods[GOLD] += times * craftsman.gold
    return times * craftsman.vp


cdef inline bint has_converted(const Cathedral *s, int seat) noexcept nogil:
    """Whether the seat is through with the cathedral step of this round."""
    cdef int done
    if s.step < AT_CATHEDRAL:
        return False
    if s.step == AT_OVER or (seat == s.actor and s.step == AT_KEEP):
        return True
    done = s.actor - s.starting + (s.seats if s.actor < s.starting else 0)
    return seat - s.starting + (s.seats if seat < s.starting else 0) < done


cdef double this_round(const Cathedral *s, const Player *p) noexcept nogil:
    """VP of the goods held and on the resource cards taken."""
    cdef uint32_t yields = cards.yields[p.resources]
    cdef double goods[GOODS]
    cdef int kind
    for kind in range(TYPES):
        goods[kind] = p.cubes[kind] + (yields >> 8 * kind & 0xFF if kind < METAL else 0)
        if kind < METAL and s.step <= AT_KINGSBRIDGE and p.advantages & cards.producer[kind]:
            goods[kind] += cards.produced[kind]
    goods[GOLD] = p.gold + p.mill if s.step >= AT_ARCHBISHOP else 0
    return NOW_DONE * make_points(p, goods)


cdef double a_later_round(const Player *p) noexcept nogil:
    """VP of a typical round's cubes with the craftsmen of today, and of the craftsmen to come."""
    cdef double goods[GOODS]
    cdef int kind
    for kind in range(GOODS):
        goods[kind] = INCOME[kind]
        if kind < METAL and p.advantages & cards.producer[kind]:
            goods[kind] += cards.produced[kind]
    return LATER_DONE * make_points(p, goods) + NEW_CRAFTSMEN


cdef void value(const void *state, double *out) noexcept nogil:
    """VP now, this round's conversions, a typical round's for each to come, and something for gold and cubes."""
    cdef const Cathedral *s = <const Cathedral *> state
    cdef const Player *p
    cdef int seat
    for seat in range(s.seats):
        p = &s.players[seat]
        out[seat] = p.vp
        if not has_converted(s, seat):
            out[seat] += this_round(s, p)
        elif s.round < ROUNDS:
            out[seat] += CUBE_WORTH * min(cubes_held(p), <int> KEPT_CUBES)
        if s.round < ROUNDS:
            out[seat] += (ROUNDS - s.round) * a_later_round(p) + GOLD_WORTH * p.gold


# -- weights of actions ----------------------------------------------------------------------------

cdef struct View:               # what the weights of one decision have in common
    const Cathedral *s
    const Player *p             # who decides
    int rounds                  # cathedral steps to come
    float use[TYPES]            # VP that the player's best craftsman makes of a cube
    float room[TYPES]           # cubes of the type that the craftsmen can take in a round


cdef void take_view(View *v, const Cathedral *s) noexcept nogil:
    v.s = s
    v.p = &s.players[s.actor]
    v.rounds = ROUNDS + 1 - s.round
    if s.step == AT_DRAFT or (s.step > AT_PROTECTION and s.step != AT_CATHEDRAL):
        look_at_craftsmen(v)


cdef void look_at_craftsmen(View *v) noexcept nogil:
    """What cubes are good for; not asked about builders and conversions."""
    cdef const Craftsman *craftsman
    cdef unsigned int held = v.p.craftsmen
    cdef int kind
    cdef float use
    for kind in range(TYPES):
        v.use[kind] = v.room[kind] = 0
    while held:
        craftsman = &cards.craftsmen[lowest_bit(held)]
        use = cards.rate[lowest_bit(held)]
        held &= held - 1
        if not usable(v.p, craftsman):
            continue
        for kind in range(TYPES):
            if amount(craftsman.takes, kind):
                v.use[kind] = max(v.use[kind], use)
                v.room[kind] += craftsman.capacity * amount(craftsman.takes, kind)


cdef inline float worth(int card, int rounds) noexcept nogil:
    """What a craftsman's conversions come to, a full round counting less than it could."""
    return cards.promise[card] * rounds


cdef float weigh_card(const View *v, int a) noexcept nogil:
    """Draft: yield and craftsmen by what they bring for what they cost; passing when little is left."""
    cdef uint32_t yields
    cdef float cubes = 0
    cdef int kind
    if a == PASS:
        return 0.5
    if a >= DISMISS:
        return 1 / (0.1 + worth(a - DISMISS, v.rounds))
    if a >= HIRE:
        return worth(a - HIRE + STARTING, v.rounds) * 2 / (2 + cards.craftsmen[a - HIRE + STARTING].cost)
    yields = cards.yields[1 << (a - TAKE)]
    for kind in range(3):
        cubes += (yields >> 8 * kind & 0xFF) * (0.5 + 2 * v.use[kind])
    return cubes


cdef float weigh_place(const View *v, int location) noexcept nogil:
    """Ten locations in the order of actions.py."""
    cdef bint last = v.s.round == ROUNDS
    if location == 0:
        return 1.5
    if location <= 2:
        return 3
    if location == 3:
        return 1.5 if v.s.spaces[PRIORY] else 3
    if location == 4:
        return 0.5 + (1.5 if v.s.spaces[COURT] == 0 and v.s.court_metal else 0.5) + (v.p.gold < 4)
    if location <= 6:
        return worth(v.s.shiring_cards[location - 5] - 1, v.rounds) if v.s.shiring_cards[location - 5] else 0.1
    if location == 8:
        return 2
    return 0.05 if last else 1.5


cdef float weigh_builder(const View *v, int a) noexcept nogil:
    """A place is worth its price until the price is high; whoever waits keeps the gold."""
    if a == REDRAW:
        return 0.3 if v.s.drawn == v.s.actor + 1 else 0.6
    if a == ACCEPT:
        return 1
    if a == USE_REMIGIUS:
        return 4 * v.s.cost
    if a >= WAIT:
        return 2 * v.s.cost * v.s.cost
    return weigh_place(v, (a - PLACE) % LOCATIONS)


cdef float weigh_once(const View *v, int a) noexcept nogil:
    """Cards used once, and protection: a high tax, the last round, a rich market."""
    if a == USE_EXEMPTION:
        return 5 if v.s.round == ROUNDS or v.s.die >= 4 else 0.5
    if a == USE_MAUD:
        return 5 if v.s.round == ROUNDS else 0.2 * v.s.round
    return 3 if a == PROTECT else 1


cdef float weigh_gain(const View *v, int a) noexcept nogil:
    """Cubes that the craftsmen can use come first, and go last."""
    cdef int kind = a - DISCARD if a >= DISCARD else a - GAIN
    cdef bint short_of = v.p.cubes[kind] < v.room[kind]
    cdef float use = 0.1 + v.use[kind] * (2 if short_of else 1) + (0.6 if kind == METAL else 0)
    return 1 / use if a >= DISCARD else use


cdef float weigh_trade(const View *v, int a) noexcept nogil:
    """Buy what can be converted this round, sell what cannot."""
    cdef int kind, count
    cdef float spare
    if a == LEAVE:
        return 1
    if a >= SELL:
        kind = (a - SELL) // MOST_SOLD
        count = (a - SELL) % MOST_SOLD + 1
        spare = v.p.cubes[kind] - v.room[kind]
        return 0.05 + (count if count <= spare else 0) + (0.3 if kind == METAL and v.use[METAL] == 0 else 0)
    kind = SAND if a < BUY_WOOD else WOOD if a < BUY_STONE else STONE
    count = a - (BUY_SAND if kind == SAND else BUY_WOOD if kind == WOOD else BUY_STONE) + 1
    if v.p.cubes[kind] + count > v.room[kind]:
        return 0.02
    return 0.05 + v.use[kind] * count * (3 if v.s.round == ROUNDS else 1)


cdef float weigh_conversion(const View *v, int a) noexcept nogil:
    """The more VP the better; gold for VP above all in the last round; finishing when nothing is left."""
    cdef int card = (a - CONVERT) // MOST_USES, times = (a - CONVERT) % MOST_USES + 1
    cdef const Craftsman *craftsman = &cards.craftsmen[card]
    if a == FINISH:
        return 0.02
    if amount(craftsman.takes, GOLD) and v.s.round < ROUNDS:
        return 0.1 * times
    if craftsman.gold and not craftsman.vp:
        return 0.01 if v.s.round == ROUNDS else 0.5 * times
    return times * times * times * cards.rate[card]


cdef float weigh_one(const View *v, int a) noexcept nogil:
    if a < REDRAW:
        return weigh_card(v, a)
    if a < USE_EXEMPTION:
        return weigh_builder(v, a)
    if a < GAIN:
        return weigh_once(v, a)
    if a < BUY_SAND:
        return weigh_gain(v, a)
    if a < CONVERT:
        return weigh_trade(v, a)
    return weigh_conversion(v, a)


cdef void weigh(const void *state, const action_t *legal, int n, float *out) noexcept nogil:
    cdef View v
    cdef int i
    if n == 0:
        return
    take_view(&v, <const Cathedral *> state)
    for i in range(n):
        out[i] = max(weigh_one(&v, legal[i]), 0.001)


# -- for statistics and explanations ---------------------------------------------------------------

cdef int phase(const void *state) noexcept nogil:
    return (<const Cathedral *> state).step


cdef const char *FEATURE_NAMES[FEATURES]
FEATURE_NAMES[:] = [
    b"vp", b"vp_priory", b"vp_craftsmen", b"vp_cards", b"vp_lost", b"gold", b"sand", b"wood", b"stone", b"metal",
]


cdef void feature(const void *state, int seat, double *out) noexcept nogil:
    cdef const Player *p = &(<const Cathedral *> state).players[seat]
    cdef int type_
    out[0] = p.vp
    out[1] = p.vp_priory
    out[2] = p.vp_craftsmen
    out[3] = p.vp_cards
    out[4] = p.vp_lost
    out[5] = p.gold
    for type_ in range(TYPES):
        out[6 + type_] = p.cubes[type_]


GUIDE = Guide(
    phases=STEPS, num_features=FEATURES, features=&FEATURE_NAMES[0], value=value, weigh=weigh, phase=phase,
    feature=feature,
)

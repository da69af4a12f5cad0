# cython: language_level=3
"""Hand-made knowledge of good play at `cathedral`, for bots, informed playouts and explanations.

Points come from craftsmen, who turn cubes into VP. A cube is therefore worth what the owner's craftsmen can still make
of it, a craftsman is worth its conversions over the rounds to come, and gold is worth the craftsmen and places it buys.
The weights of the value, in value.toml, are fitted to the margins that searches expected; those of actions are chosen
by hand.
"""
from libc.stdint cimport uint32_t

from clerestory.engine.cathedral.data.codes cimport *
from clerestory.engine.cathedral.data.state cimport *
from clerestory.engine.cathedral.data.tables cimport Craftsman, cards
from clerestory.engine.cathedral.prospects cimport *
from clerestory.engine.core cimport Guide, action_t
from clerestory.engine.shared.steps cimport with_terms

from array import array

from clerestory.engine.shared.hand_values import read_hand_values

cdef enum:
    FEATURES = 10


# -- the value -------------------------------------------------------------------------------------

cdef enum:
    WEIGHED = ROUNDS * STAGES * TERMS

cdef bint evaluate(const void *by, const void *state, double *scores, double *_shares) noexcept nogil:
    """Write VP so far plus the weighted terms of future gains (`weights_of`)."""
    cdef const Cathedral *s = <const Cathedral *> state
    cdef double terms[TERMS]
    cdef const double *weights = <const double *> by + ((s.round - 1) * STAGES + stage_of(s)) * TERMS
    cdef int seat
    for seat in range(s.seats):
        scores[seat] = s.players[seat].vp
        if s.step != AT_OVER:
            count_terms(s, seat, terms)
            scores[seat] = with_terms(scores[seat], terms, weights, TERMS)
    return False


# -- weights of actions ----------------------------------------------------------------------------

cdef struct View:               # data shared by the weights of one decision
    const Cathedral *s
    const Player *p             # the player to decide
    int rounds                  # remaining cathedral steps
    float use[TYPES]            # VP that the player's best craftsman makes of a cube
    float room[TYPES]           # cubes of the type that the craftsmen can take in a round


cdef void take_view(View *v, const Cathedral *s) noexcept nogil:
    v.s = s
    v.p = &s.players[s.actor]
    v.rounds = ROUNDS + 1 - s.round
    if s.step == AT_DRAFT or (s.step > AT_PROTECTION and s.step != AT_CATHEDRAL):  # other steps do not use these
        look_at_craftsmen(v.p.craftsmen, v.use, v.room)


cdef inline float worth(int card, int rounds) noexcept nogil:
    """Return the VP of a craftsman's conversions over the remaining rounds, at less than full capacity."""
    return cards.promise[card] * rounds


cdef float weigh_card(const View *v, int a) noexcept nogil:
    """Weigh the draft: resource cards and craftsmen by value for cost; passing when little is left."""
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
    """Weigh the ten locations, in the order of actions.py."""
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
    """Weigh placing, preferred until the price is high, and waiting, which keeps the gold."""
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
    """Weigh single-use cards and protection: against a high tax or a negative event."""
    if a == USE_EXEMPTION:
        return 5 if v.s.round == ROUNDS or v.s.die >= 4 else 0.5
    return 3 if a == PROTECT or a == USE_THOMAS else 1


cdef float weigh_gain(const View *v, int a) noexcept nogil:
    """Weigh cubes: those that the craftsmen can use are taken first and discarded last."""
    cdef int kind = a - DISCARD if a >= DISCARD else a - GAIN
    cdef bint short_of = v.p.cubes[kind] < v.room[kind]
    cdef float use = 0.1 + v.use[kind] * (2 if short_of else 1) + (0.6 if kind == METAL else 0)
    return 1 / use if a >= DISCARD else use


cdef float weigh_trade(const View *v, int a) noexcept nogil:
    """Weigh the market: buy what can be converted this round, sell what cannot."""
    cdef int kind, count
    cdef float spare
    if a == LEAVE:
        return 1
    if a >= SELL:
        kind = (a - SELL) // MOST_SOLD
        count = (a - SELL) % MOST_SOLD + 1
        spare = v.p.cubes[kind] - v.room[kind]
        return 0.05 + (count if count <= spare else 0) + (0.3 if kind == METAL and v.use[METAL] == 0 else 0)
    kind = (a - BUY) // STOCK
    count = (a - BUY) % STOCK + 1
    if v.p.cubes[kind] + count > v.room[kind]:
        return 0.02
    return 0.05 + v.use[kind] * count * (3 if v.s.round == ROUNDS else 1)


cdef float weigh_conversion(const View *v, int a) noexcept nogil:
    """Weigh conversions: the best rate first, as often as possible; finish when nothing is left."""
    cdef int card = (a - CONVERT) // MOST_USES, times = (a - CONVERT) % MOST_USES + 1
    cdef const Craftsman *craftsman
    cdef float rate
    if a == FINISH:  # no card
        return 0.002
    craftsman = &cards.craftsmen[card]
    rate = cards.rate[card]
    if craftsman.gold and not craftsman.vp:
        return 0.001 if v.s.round == ROUNDS else 2 * times
    return times * times * rate * rate * rate


cdef float weigh_one(const View *v, int a) noexcept nogil:
    if a < REDRAW:
        return weigh_card(v, a)
    if a < USE_THOMAS:
        return weigh_builder(v, a)
    if a < GAIN:
        return weigh_once(v, a)
    if a < BUY:
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


cdef int round_of(const void *state) noexcept nogil:
    return (<const Cathedral *> state).round


GUIDE = Guide(
    num_features=FEATURES, features=&FEATURE_NAMES[0], evaluate=evaluate, weigh=weigh, feature=feature,
    round=round_of,
)


# -- terms of the weights --------------------------------------------------------------------------

TERM_NAMES = (
    "one", "made_now", "made_later", "gold", "gold_due", "cubes", "metal", "craftsmen", "bag", "waiting", "priory",
    "kingsbridge", "card_vp", "card_later", "shiring_now", "shiring_later", "court", "court_metal", "castle", "market",
    "market_gold", "starting", "archbishop", "once", "lasting", "turn",
)
STAGE_NAMES = ("draft", "building", "board", "stalls", "cathedral")


def weights_of(table):
    """Return the weights in a file: VP per unit of a term, by round, stage and term; 0 for a missing term.

    Args:
        table: lists by round, by stage and term.
    """
    weights = array("d", bytes(8 * WEIGHED))
    for stage, name in enumerate(STAGE_NAMES):
        for term, by_round in table[name].items():
            place = TERM_NAMES.index(term)
            for round_ in range(ROUNDS):
                weights[(round_ * STAGES + stage) * TERMS + place] = by_round[round_]
    return weights


HAND_VALUES = read_hand_values("cathedral", weights_of)

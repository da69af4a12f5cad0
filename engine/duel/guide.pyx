# cython: language_level=3
"""Hand-made knowledge of good play at `duel`, for bots, informed playouts and explanations.

A chip is worth more the further it is on its way from the supply into a section. A card is worth the steps that it
moves chips along, and gold pays for the steps. The weights of the value, in value.toml, predicted the final points of
games between bots best; those of actions are chosen by hand.
"""
from libc.stdint cimport uint32_t

from clerestory.engine.core cimport Guide, State, action_t
from clerestory.engine.duel.building cimport COMPLETE, complete_sections, placed_in, points_of
from clerestory.engine.duel.chips cimport FIRST_OF_KIND, KIND_OF_CODE
from clerestory.engine.duel.contest cimport PLACES_OF
from clerestory.engine.duel.data.codes cimport *
from clerestory.engine.duel.data.state cimport *
from clerestory.engine.duel.data.tables cimport *
from clerestory.engine.duel.prospects cimport *
from clerestory.engine.shared.steps cimport with_terms

from array import array

from clerestory.engine.shared.hand_values import read_hand_values

cdef enum:
    FEATURES = 12
    ALL_ROUNDS = PHASES * ROUNDS


# -- the value -------------------------------------------------------------------------------------

cdef bint evaluate(const void *by, const void *state, double *scores, double *_shares) noexcept nogil:
    """Write points so far plus the weighted terms of future gains (`weights_of`)."""
    cdef const Duel *s = <const Duel *> state
    cdef double terms[TERMS]
    cdef const double *weights = <const double *> by + (ROUNDS * s.phase + s.round) * TERMS
    cdef int seat
    for seat in range(SEATS):
        scores[seat] = points_of(&s.players[seat])
        if s.step != AT_OVER:
            count_terms(s, seat, terms)
            scores[seat] = with_terms(scores[seat], terms, weights, TERMS)
    return False


# -- weights of actions ----------------------------------------------------------------------------

cdef struct View:               # data shared by the weights of one decision
    Prospects o                   # of the seat to decide
    double terms[TERMS]
    bint more                   # whether another card can be used or played


cdef void take_view(View *v, const Duel *s, action_t last) noexcept nogil:
    count_terms(s, s.actor, v.terms)
    v.o.s, v.o.p, v.o.seat, v.o.terms = s, &s.players[s.actor], s.actor, v.terms
    look_at_chips(&v.o)
    v.more = last > CARDS


cdef float worth(const View *v, int card, double chance) noexcept nogil:
    """Return the expected value of using a card, in gold."""
    cdef double terms[TERMS]
    cdef Prospects o = v.o
    cdef int i
    for i in range(TERMS):
        terms[i] = 0
    terms[SPARE_WOOL] = v.terms[SPARE_WOOL]
    o.terms = terms
    promise(&o, card, chance)
    return <float> (
        terms[CARD_GOLD] + 3 * terms[CARD_CHIPS] + 6 * terms[CARD_TURNS] + terms[CARD_SEALS] + 2 * terms[CARD_MARKER]
        + 9 * terms[CARD_PLACES] + 4 * terms[CARD_OTHERS] + 3 * terms[CARD_ONCE]
    )


cdef float weigh_claim(const View *v, int line) noexcept nogil:
    """Weigh the cards of the line; one that both players would have marked counts half."""
    cdef unsigned int other = v.o.s.players[1 - v.o.seat].markers
    cdef float sum_ = 0.5
    cdef int i, place
    for i in range(3):
        place = PLACES_OF[line][i]
        sum_ += max(worth(v, v.o.s.grid[place] - 1, 0.5 if other >> place & 1 else 1.0), 0)
    return sum_ * sum_ * sum_ * sum_


cdef float weigh_contest(const View *v, int a) noexcept nogil:
    """Weigh actions from the claims to the first turn; flipping the personal seal is free, so it is preferred."""
    if a < TAKE_BACK:
        return weigh_claim(v, a - CLAIM)
    if a < FLIP:
        return 1 / (0.2 + max(worth(v, v.o.s.grid[a - TAKE_BACK] - 1, 1), 0)) if v.o.s.grid[a - TAKE_BACK] else 5
    if a == FLIP + PERSONAL:
        return 1.5
    return 0.5 if a == STOP or a == PASS else 1


cdef float weigh_building(const View *v, int a) noexcept nogil:
    """Weigh building after the cards; complete a section first, and place only as many materials as are cheap."""
    cdef int section = (a - BUILD) // LOTS
    cdef const Builds *builds = &cards.builds[v.o.seat][section][placed_in(v.o.p, section)]
    cdef const Build *build = builds.list
    cdef bint completes
    while build.code != a:
        build += 1
    completes = (placed_in(v.o.p, section) | build.needs) == COMPLETE
    return (0.03 if v.more else 1.0) * (30 if completes else 4.0 / build.size)


cdef float weigh_play(const View *v, int card) noexcept nogil:
    """Weigh 1x cards: play those that gain something at once, and keep the others."""
    cdef int kind = cards.effects[card].kind
    if kind == EFFECT_TAKE or kind == EFFECT_TRADE_SEALS:
        return 0.1 + 3 * v.terms[HAND_CHIPS]
    if kind == EFFECT_DONATION or kind == EFFECT_MATCH_GOLD:
        return 0.1 + v.terms[HAND_GOLD]
    if kind == EFFECT_CHEAP_BUILDING:
        return 3 if v.terms[MATERIALS] else 0.02
    return 1


cdef float weigh_turn(const View *v, int a) noexcept nogil:
    cdef int card = (a - CARDS) >> 1
    if a < END:
        return weigh_building(v, a)
    if a == END:
        return 0.05
    if cards.once >> card & 1:
        return weigh_play(v, card)
    return 0.1 + 2 * worth(v, card, 1)


cdef float weigh_chip(uint32_t useful, int kind) noexcept nogil:
    return 3 if count_of(useful, kind) else 0.1


cdef float weigh_use(const View *v, int a) noexcept nogil:
    """Weigh chips: those that a section lacks come first; wool is sold if no section needs it."""
    cdef int kind, more
    if a == DONE:
        return 0.1
    if a == BUY_SEAL:
        return 0.05
    if a < BUY:
        kind = KIND_OF_CODE[a - CONVERT]
        more = a - CONVERT - FIRST_OF_KIND[kind]
        return 1 << 3 * more if more < count_of(v.o.raw, kind) else 0.1
    if a < SELL:
        return weigh_chip(v.o.fetch, a - BUY)
    if a < TAKE:
        return 3 * (a - SELL + 1) if a - SELL < v.terms[SPARE_WOOL] else 0.3
    if a < PLACE:
        return weigh_chip(v.o.fetch, a - TAKE if a < PAY else (a - PAY) % NO_ORE)
    return weigh_placing(v, a)


cdef float weigh_placing(const View *v, int a) noexcept nogil:
    """Weigh placings: Tom completes what he can; William returns what is furthest from complete."""
    cdef int section = (a - PLACE) // SEALS // NO_ORE if a < RETURN else (a - RETURN) // KINDS
    cdef int there = popcount(placed_in(v.o.p, section))
    return 1.0 / (1 + there) if a >= RETURN else 1 + there * there * there


cdef float weigh_one(const View *v, int a) noexcept nogil:
    if a < BUILD:
        return weigh_contest(v, a)
    if a <= END or a >= CARDS:
        return weigh_turn(v, a) if v.o.s.step != AT_STORM else 1
    return weigh_use(v, a)


cdef void weigh(const void *state, const action_t *legal, int n, float *out) noexcept nogil:
    cdef View v
    cdef int i
    if n == 0:
        return
    take_view(&v, <const Duel *> state, legal[n - 1])
    for i in range(n):
        out[i] = max(weigh_one(&v, legal[i]), 0.01)


# -- for statistics and explanations ---------------------------------------------------------------

cdef const char *FEATURE_NAMES[FEATURES]
FEATURE_NAMES[:] = [
    b"points", b"sections", b"placed", b"gold", b"materials", b"raw", b"useful_materials", b"useful_raw", b"seals",
    b"cards", b"markers", b"power",
]


cdef void feature(const void *state, int seat, double *out) noexcept nogil:
    cdef const Duel *s = <const Duel *> state
    cdef const Player *p = &s.players[seat]
    cdef double terms[TERMS]
    count_terms(s, seat, terms)
    out[0] = points_of(p)
    out[1] = complete_sections(p)
    out[2] = popcount(p.placed)
    out[3] = p.gold
    out[4] = total(p.materials)
    out[5] = total(p.camp)
    out[6] = terms[MATERIALS]
    out[7] = terms[CAMP]
    out[8] = total(p.seals)
    out[9] = popcount(p.hand)
    out[10] = popcount(p.markers)
    out[11] = s.power == seat


cdef int round_of(const void *state) noexcept nogil:
    """Return the number of the round in the whole game, from 1."""
    cdef const Duel *s = <const Duel *> state
    return ROUNDS * s.phase + s.round + 1


GUIDE = Guide(
    num_features=FEATURES, features=&FEATURE_NAMES[0], evaluate=evaluate, weigh=weigh, feature=feature,
    round=round_of,
)


# -- terms of the weights --------------------------------------------------------------------------

TERM_NAMES = (
    "unclaimed", "choosing", "claimed", "moving", "moved", "twos", "materials", "camp", "bell", "purse", "savings",
    "seals", "marker", "hand", "hand_gold", "hand_chips", "card_gold", "card_chips", "card_turns", "card_seals",
    "card_marker", "card_places", "card_others", "card_once", "spare_wool", "placeable", "finishable", "cheap",
)


def terms_of(State state not None, seat):
    """Return the components of a seat's value: the round (0 to 11), points now, and the terms by name."""
    cdef const Duel *s = <const Duel *> state.view()
    cdef double terms[TERMS]
    cdef int player = max(state.seat(seat), 0)
    count_terms(s, player, terms)
    named = {name: terms[i] for i, name in enumerate(TERM_NAMES)}
    return ROUNDS * s.phase + s.round, points_of(&s.players[player]), named


def weights_of(table):
    """Return the weights in a file: points per unit of a term, by round and term; 0 for a missing term.

    Args:
        table: `weights` by term: three numbers for the first, the middle and the last round, with a parabola in
        between.
    """
    cdef int round_
    cdef double x
    weights = array("d", bytes(8 * ALL_ROUNDS * TERMS))
    for term, (first, middle, last) in table["weights"].items():
        place = TERM_NAMES.index(term)
        for round_ in range(ALL_ROUNDS):
            x = 2.0 * round_ / (ALL_ROUNDS - 1) - 1
            weights[round_ * TERMS + place] = first * x * (x - 1) / 2 + middle * (1 - x * x) + last * x * (x + 1) / 2
    return weights


HAND_VALUES = read_hand_values("duel", weights_of)

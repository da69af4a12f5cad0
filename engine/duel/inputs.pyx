# cython: language_level=3
"""The input of a learned value for a position of `duel`: terms of prospects.pxd, chips, seals, cards and places.

A card of the grid counts for the player whose marker is on it, and otherwise as an open card.
"""
from clerestory.engine.duel.building cimport complete_sections, missing, points_of
from clerestory.engine.duel.data.state cimport *
from clerestory.engine.duel.data.tables cimport *
from clerestory.engine.duel.prospects cimport *
from clerestory.engine.encoding cimport Encoder, Sparse, put, put_set

from clerestory.engine.duel.data import state as fields
from clerestory.engine.duel.data.catalogue import AdvantageCard
from clerestory.engine.duel.guide import TERM_NAMES
from clerestory.engine.inputs import CardPlaces, side_of

cdef enum:                      # inputs of a seat
    O_TERMS
    O_POINTS = O_TERMS + TERMS
    O_GOLD
    O_SECTIONS                  # number of complete sections
    O_PLACED = O_SECTIONS + 1   # needs that are met, nine places
    O_SUPPLY = O_PLACED + 9     # by kind
    O_CAMP = O_SUPPLY + KINDS
    O_MATERIALS = O_CAMP + KINDS
    O_MISSING = O_MATERIALS + KINDS
    O_SEALS = O_MISSING + KINDS
    O_SUM = O_SEALS + SEALS     # sum of the faces in this conflict
    O_FLIPPED                   # neutral seals, in this conflict
    O_PERSONAL_FLIPPED
    O_TO_ACT
    O_FIRST
    O_POWER
    O_SECOND                    # 1: seat 1, which has another building and other cards
    O_MOVES
    O_MARKERS                   # places with own markers
    O_HAND                      # 1x cards
    O_MARKED = O_HAND + MOST_ONCE  # card under an own marker, by number
    OWN = O_MARKED + MOST_CARDS

cdef enum:                      # inputs of the table
    F_ROUND                     # of twelve rounds
    F_STEP = F_ROUND + PHASES * ROUNDS
    F_LEFT = F_STEP + STEPS
    F_FLOOR
    F_MAY_END
    F_SEALS_DUE
    F_BUILT
    F_CHEAP
    F_FLIPPING
    F_UNSEEN                    # unseen seals of the stack, by kind
    F_STACK = F_UNSEEN + SEALS  # number of seals in the stack, seen or not
    F_UNDEALT                   # copies of the phase's deck
    F_CARD                      # card in use, by number
    F_GRID = F_CARD + MOST_CARDS
    TABLE = F_GRID + MOST_CARDS

cdef extern from *:
    """
    static const float TERM_SCALE[28] = {
        1, 1, 1, 1, 1, 1/3.f, 1/5.f, 1/5.f, 1, 1/12.f, 1/12.f, 1/4.f, 1, 1/3.f, 1/12.f, 1/4.f, 1/12.f, 1/4.f, 1/4.f,
        1/4.f, 1, 1/2.f, 1/2.f, 1/2.f, 1/3.f, 1, 1, 1
    };
    """
    const float TERM_SCALE[28]


# -- of a seat -------------------------------------------------------------------------------------

cdef void encode_seat(const Duel *s, int seat, Sparse *out) noexcept nogil:
    cdef const Player *p = &s.players[seat]
    cdef double terms[TERMS]
    cdef int i
    count_terms(s, seat, terms)
    for i in range(TERMS):
        put(out, O_TERMS + i, <float> terms[i] * TERM_SCALE[i])
    put(out, O_POINTS, <float> points_of(p) / 40)
    put(out, O_GOLD, <float> p.gold / 20)
    put(out, O_SECTIONS, <float> complete_sections(p) / 3)
    put_set(out, O_PLACED, p.placed)
    put_counts(out, O_SUPPLY, p.supply, KINDS)
    put_counts(out, O_CAMP, p.camp, KINDS)
    put_counts(out, O_MATERIALS, p.materials, KINDS)
    put_counts(out, O_MISSING, missing(p, seat, 0) + missing(p, seat, 1) + missing(p, seat, 2), KINDS)
    put_counts(out, O_SEALS, p.seals, SEALS)
    put_contest(s, p, seat, out)
    put_set(out, O_HAND, p.hand)
    put_marked(s, seat, out)


cdef inline void put_counts(Sparse *out, int first, unsigned int counts, int kinds) noexcept nogil:
    cdef int kind
    for kind in range(kinds):
        put(out, first + kind, <float> count_of(counts, kind) / 4)


cdef inline void put_contest(const Duel *s, const Player *p, int seat, Sparse *out) noexcept nogil:
    """Write the conflict, the turn, and markers."""
    put(out, O_SUM, <float> p.sum / 10)
    put(out, O_FLIPPED, <float> length(p.flipped) / 4)
    put(out, O_PERSONAL_FLIPPED, p.personal_flipped)
    put(out, O_TO_ACT, s.actor == seat)
    put(out, O_FIRST, s.first == seat)
    put(out, O_POWER, s.power == seat)
    put(out, O_SECOND, seat == 1)
    put(out, O_MOVES, s.mover == seat + 1)
    put(out, O_MARKERS, <float> popcount(p.markers) / 4)


cdef inline void put_marked(const Duel *s, int seat, Sparse *out) noexcept nogil:
    """Write the cards under own markers that can still be used."""
    cdef unsigned int places = s.players[seat].markers
    cdef unsigned long long marked = 0
    if s.mover == seat + 1:
        places &= ~s.used
    while places:
        if s.grid[lowest_bit(places)]:
            marked |= <unsigned long long> 1 << (s.grid[lowest_bit(places)] - 1)
        places &= places - 1
    put_cards(out, O_MARKED, marked)


cdef inline void put_cards(Sparse *out, int first, unsigned long long members) noexcept nogil:
    put_set(out, first, <unsigned int> members)
    put_set(out, first + 32, <unsigned int> (members >> 32))


# -- of the table ----------------------------------------------------------------------------------

cdef void encode_table(const Duel *s, Sparse *out) noexcept nogil:
    cdef unsigned long long lying = 0
    cdef int i
    put(out, F_ROUND + ROUNDS * s.phase + s.round, 1)
    put(out, F_STEP + s.step, 1)
    put(out, F_LEFT, <float> s.left / 4)
    put(out, F_FLOOR, <float> s.floor / 5)
    put(out, F_MAY_END, s.may_end)
    put(out, F_SEALS_DUE, <float> s.seals_due / 3)
    put(out, F_BUILT, s.built)
    put(out, F_CHEAP, s.cheap)
    put(out, F_FLIPPING, s.flipping != 0)
    put_counts(out, F_UNSEEN, s.unseen, SEALS)
    put(out, F_STACK, <float> in_stack(s) / 8)
    put(out, F_UNDEALT, <float> popcount(s.undealt) / 27)
    if s.card:
        put(out, F_CARD + s.card - 1, 1)
    for i in range(GRID):
        if s.grid[i]:
            lying |= <unsigned long long> 1 << (s.grid[i] - 1)
    put_cards(out, F_GRID, lying)


cdef void encode(const void *state, Sparse *own, Sparse *table, double *points) noexcept nogil:
    cdef const Duel *s = <const Duel *> state
    cdef int seat
    table.count = 0
    encode_table(s, table)
    for seat in range(SEATS):
        points[seat] = points_of(&s.players[seat])
        own[seat].count = 0
        if s.step != AT_OVER:
            encode_seat(s, seat, &own[seat])


ENCODER = Encoder(own=OWN, table=TABLE, encode=encode)


# -- their names, in order -------------------------------------------------------------------------

CHIPS = ("wood", "sand", "stone", "wool", "ore")
SEAL_NAMES = ("0_5", "1_4", "2_3")


def numbered(name, count):
    """Return `name_1`, `name_2` and so on."""
    return [f"{name}_{number}" for number in range(1, count + 1)]


def cards_of(catalogue):
    """Return all cards by id, in the order of their numbers."""
    return catalogue.cards


def once_of(catalogue):
    """Return the 1x cards by id, in the order of a hand."""
    return {name: card for name, card in catalogue.cards.items() if card.frame == "once"}


COPIES = frozenset({"a", "b"})
OWN_PLACES = (
    *TERM_NAMES, "points", "all_gold", "sections", *numbered("placed", 9),
    *[f"{name}_{chip}" for name in ("supply", "camp", "turned", "missing") for chip in CHIPS],
    *[f"seal_{seal}" for seal in SEAL_NAMES], "sum", "flipped", "personal_flipped", "to_act", "first", "power",
    "second_seat", "moves", "markers", CardPlaces("once", AdvantageCard, once_of, MOST_ONCE, COPIES | {"frame"}),
    CardPlaces("marked", AdvantageCard, cards_of, MOST_CARDS, COPIES),
)
TABLE_PLACES = (
    *numbered("round", PHASES * ROUNDS), *[f"step_{step.name.removeprefix('AT_').lower()}" for step in fields.Step],
    "left", "floor", "may_end", "seals_due", "built", "cheap", "flipping", *[f"unseen_{seal}" for seal in SEAL_NAMES],
    "stack", "undealt", CardPlaces("using", AdvantageCard, cards_of, MOST_CARDS, COPIES),
    CardPlaces("lying", AdvantageCard, cards_of, MOST_CARDS, COPIES),
)


def inputs_of(catalogue):
    """Return the inputs of a learned value for a seat and for the table, with the cards in use."""
    own, table = (side_of(places, catalogue) for places in (OWN_PLACES, TABLE_PLACES))
    assert (len(own.rows), len(table.rows)) == (OWN, TABLE)
    return own, table

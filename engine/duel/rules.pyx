# cython: language_level=3
"""The rules of `duel` as operations of the contract, each dispatched by step to a chapter.

The chapters, in the order of a round: luck (chance events), contest (claims and conflict), turn, and for the parts of a
turn: chips, seals, building. course.pxd leads from one chapter to the next.
"""
from libc.stdint cimport uint64_t
from libc.string cimport memset

from clerestory.engine.core cimport Game, GameOps, action_t, predicate
from clerestory.engine.duel.building cimport *
from clerestory.engine.duel.chips cimport *
from clerestory.engine.duel.contest cimport *
from clerestory.engine.duel.course cimport begin_phase, begin_round
from clerestory.engine.duel.data.codes cimport *
from clerestory.engine.duel.data.state cimport *
from clerestory.engine.duel.guide cimport GUIDE
from clerestory.engine.duel.inputs cimport ENCODER
from clerestory.engine.duel.invariants cimport INVARIANTS, NUM_INVARIANTS, consistent
from clerestory.engine.duel.luck cimport *
from clerestory.engine.duel.seals cimport *
from clerestory.engine.duel.turn cimport legal_copy, legal_turn, play_copy, play_turn
from clerestory.engine.rng cimport rng_t
from clerestory.engine.shared.hash cimport hash_words
from clerestory.engine.shared.steps cimport (
    StepRule, actor_of, legal_nothing, legal_rule, play_nothing, play_rule, step_of,
)

from clerestory.engine.catalogue import take_cards
from clerestory.engine.duel.data.actions import actions
from clerestory.engine.duel.data.catalogue import DuelCatalogue
from clerestory.engine.duel.data.names import COLOURS, names_of
from clerestory.engine.duel.data.position import CONSISTENCY_CHECKS
from clerestory.engine.duel.data.state import layout_of
from clerestory.engine.duel.data.tables import fill
from clerestory.engine.duel.effects import filled
from clerestory.engine.duel.guide import HAND_VALUES
from clerestory.engine.duel.inputs import inputs_of
from clerestory.engine.duel.text import show
from clerestory.engine.duel.tuning import TUNING

cdef enum:
    RULES_REVISION = 1
    MAX_PLIES = 4096  # a round has fewer than 300: 9 deals, 30 of the conflict, 100 a turn with a chain of uses


cdef StepRule STEP_RULES[STEPS]
STEP_RULES[:] = [
    StepRule(AT_DEAL, <legal_rule> legal_deal, <play_rule> play_deal),
    StepRule(AT_CLAIM, <legal_rule> legal_claim, <play_rule> play_claim),
    StepRule(AT_STORM, <legal_rule> legal_storm, <play_rule> play_storm),
    StepRule(AT_TAKE_BACK, <legal_rule> legal_take_back, <play_rule> play_take_back),
    StepRule(AT_CONFLICT, <legal_rule> legal_conflict, <play_rule> play_conflict),
    StepRule(AT_FLIP, <legal_rule> legal_flip, <play_rule> play_flip),
    StepRule(AT_KEEP, <legal_rule> legal_keep, <play_rule> play_keep),
    StepRule(AT_TURN, <legal_rule> legal_turn, <play_rule> play_turn),
    StepRule(AT_COPY, <legal_rule> legal_copy, <play_rule> play_copy),
    StepRule(AT_INFLUENCE, <legal_rule> legal_influence, <play_rule> play_influence),
    StepRule(AT_DRAW, <legal_rule> legal_draw, <play_rule> play_draw),
    StepRule(AT_CRAFTSMAN, <legal_rule> legal_craftsman, <play_rule> play_craftsman),
    StepRule(AT_MARKET, <legal_rule> legal_market, <play_rule> play_market),
    StepRule(AT_SELL_WOOL, <legal_rule> legal_sell_wool, <play_rule> play_sell_wool),
    StepRule(AT_TAKE, <legal_rule> legal_take, <play_rule> play_take),
    StepRule(AT_TURN_CHIPS, <legal_rule> legal_turn_chips, <play_rule> play_turn_chips),
    StepRule(AT_FINISH, <legal_rule> legal_finish, <play_rule> play_finish),
    StepRule(AT_TRADE_SEALS, <legal_rule> legal_trade_seals, <play_rule> play_trade_seals),
    StepRule(AT_PLACE_ONE, <legal_rule> legal_place_one, <play_rule> play_place_one),
    StepRule(AT_RETURN_MATERIAL, <legal_rule> legal_return_material, <play_rule> play_return_material),
    StepRule(AT_BONUS, <legal_rule> legal_bonus, <play_rule> play_bonus),
    StepRule(AT_OVER, legal_nothing, play_nothing),
]
assert all(STEP_RULES[step].step == step for step in range(STEPS))
assert filled()


cdef int legal(const void *state, action_t *out) noexcept nogil:
    return STEP_RULES[step_of(state)].legal(state, out)


cdef void play(void *state, action_t a) noexcept nogil:
    STEP_RULES[step_of(state)].play(state, a)


cdef void odds(const void *state, double *out) noexcept nogil:
    odds_of(<const Duel *> state, out)


cdef action_t draw(const void *state, rng_t *rng) noexcept nogil:
    return draw_outcome(<const Duel *> state, rng)


cdef void returns(const void *state, double *out) noexcept nogil:
    """A complete building wins, else points decide (D46); if all is equal, Philip wins."""
    cdef const Duel *s = <const Duel *> state
    out[0] = points_of(&s.players[0]) > points_of(&s.players[1])
    out[1] = 1 - out[0]


cdef void scores(const void *state, double *out) noexcept nogil:
    """Points (D46)."""
    cdef const Duel *s = <const Duel *> state
    out[0] = points_of(&s.players[0])
    out[1] = points_of(&s.players[1])


cdef void observe(void *state, int seat) noexcept nogil:
    """All hidden information is hidden from both players."""
    forget_orders(<Duel *> state)


cdef void deal(void *state, rng_t *rng) noexcept nogil:
    deal_orders(<Duel *> state, rng)


cdef uint64_t key(const void *state, int seat) noexcept nogil:
    """Hidden fields come last; `observe` zeroes them."""
    return hash_words(state, (sizeof(Duel) - HIDDEN_BYTES) // 8)


cdef void setup(void *state, int seats, rng_t *rng) noexcept nogil:
    """Set up a game before its first card. Red holds the marker of power."""
    cdef Duel *s = <Duel *> state
    cdef int seat
    memset(s, 0, sizeof(Duel))
    s.seats = SEATS
    s.unseen = START_UNSEEN
    for seat in range(SEATS):
        setup_player(&s.players[seat])
    begin_phase(s)
    begin_round(s)
    deal_orders(s, rng)


cdef void setup_player(Player *p) noexcept nogil:
    p.gold = FIRST_GOLD
    p.camp = START_CAMP
    p.supply = START_SUPPLY
    p.seals = START_SEALS


OPS = GameOps(
    state_size=sizeof(Duel), num_actions=0, max_plies=MAX_PLIES, min_seats=SEATS, max_seats=SEATS, turn=actor_of,
    legal=legal, odds=odds, draw=draw, play=play, returns=returns, scores=scores, observe=observe, deal=deal, key=key,
    setup=setup, consistent=<predicate> consistent,
    num_invariants=NUM_INVARIANTS, invariants=&INVARIANTS[0],
)


# -- the checked surface ---------------------------------------------------------------------------

cdef class DuelGame(Game):
    """Builders Duel with checked operations.

    Args:
        catalogue: TOML file of its cards, or a DuelCatalogue; the shipped one if None.

    Raises BadCatalogue for an invalid one, CatalogueInUse if this process uses the cards of another.
    """

    def __cinit__(self, catalogue=None):
        self.bind(&OPS, &GUIDE, &ENCODER)

    def __init__(self, catalogue=None):
        cards = take_cards(DuelCatalogue, catalogue, fill)
        OPS.num_actions = CARDS + 2 * len(cards.cards)
        super().__init__(
            "duel", RULES_REVISION, actions(cards), layout_of(names_of(cards)), CONSISTENCY_CHECKS,
            tuning=TUNING, seat_names=COLOURS, picture=show, cards=cards,
            hand_values=HAND_VALUES, inputs=inputs_of(cards),
        )

# cython: language_level=3
"""The rules of `cathedral` as operations of the contract, each dispatched by step to a chapter.

The chapters, in the order of a round: luck (turning up cards), draft, builders, events, board, market, works.
"""
from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memset

from clerestory.engine.cathedral.board cimport *
from clerestory.engine.cathedral.builders cimport *
from clerestory.engine.cathedral.data.codes cimport *
from clerestory.engine.cathedral.data.state cimport *
from clerestory.engine.cathedral.draft cimport legal_draft, play_draft
from clerestory.engine.cathedral.events cimport *
from clerestory.engine.cathedral.guide cimport GUIDE
from clerestory.engine.cathedral.inputs cimport ENCODER
from clerestory.engine.cathedral.invariants cimport INVARIANTS, NUM_INVARIANTS, consistent
from clerestory.engine.cathedral.luck cimport *
from clerestory.engine.cathedral.market cimport legal_market, play_market
from clerestory.engine.cathedral.works cimport legal_cathedral, legal_keep, play_cathedral, play_keep
from clerestory.engine.core cimport MAX_LEGAL, NATURE, Game, GameOps, action_t, predicate
from clerestory.engine.rng cimport rng_t
from clerestory.engine.shared.hash cimport hash_words
from clerestory.engine.shared.shares cimport share_win
from clerestory.engine.shared.steps cimport (
    StepRule, actor_of, legal_nothing, legal_rule, play_nothing, play_rule, step_of,
)

from clerestory.engine.catalogue import take_cards
from clerestory.engine.cathedral.data.actions import actions
from clerestory.engine.cathedral.data.catalogue import CathedralCatalogue
from clerestory.engine.cathedral.data.names import COLOURS, names_of
from clerestory.engine.cathedral.data.position import CONSISTENCY_CHECKS
from clerestory.engine.cathedral.data.state import layout_of
from clerestory.engine.cathedral.data.tables import fill
from clerestory.engine.cathedral.guide import HAND_VALUES
from clerestory.engine.cathedral.inputs import inputs_of
from clerestory.engine.cathedral.text import show
from clerestory.engine.cathedral.tuning import TUNING

cdef enum:
    RULES_REVISION = 2
    MAX_PLIES = 4096  # a round has fewer than 450: 15 cards, 60 about builders, 160 trades, 45 a seat at the cathedral


cdef StepRule STEP_RULES[STEPS]
STEP_RULES[:] = [
    StepRule(AT_ADVANTAGES, <legal_rule> legal_advantages, <play_rule> play_advantages),
    StepRule(AT_CRAFTSMEN, <legal_rule> legal_craftsmen, <play_rule> play_craftsmen),
    StepRule(AT_RESOURCES, <legal_rule> legal_resources, <play_rule> play_resources),
    StepRule(AT_DRAFT, <legal_rule> legal_draft, <play_rule> play_draft),
    StepRule(AT_DRAW, <legal_rule> legal_draw, <play_rule> play_draw),
    StepRule(AT_REDRAW, <legal_rule> legal_redraw, <play_rule> play_redraw),
    StepRule(AT_BUILDER, <legal_rule> legal_builder, <play_rule> play_builder),
    StepRule(AT_WAITING, <legal_rule> list_places, <play_rule> play_waiting),
    StepRule(AT_EVENT, <legal_rule> legal_event, <play_rule> play_event),
    StepRule(AT_PROTECTION, <legal_rule> legal_protection, <play_rule> play_protection),
    StepRule(AT_THOMAS, <legal_rule> legal_thomas, <play_rule> play_thomas),
    StepRule(AT_EVENT_CHOICE, <legal_rule> legal_event_choice, <play_rule> play_event_choice),
    StepRule(AT_ARCHBISHOP, <legal_rule> legal_archbishop, <play_rule> play_archbishop),
    StepRule(AT_TAX, <legal_rule> legal_tax, <play_rule> play_tax),
    StepRule(AT_EXEMPTION, <legal_rule> legal_exemption, <play_rule> play_exemption),
    StepRule(AT_SHIRING, <legal_rule> legal_shiring, <play_rule> play_shiring),
    StepRule(AT_MARKET, <legal_rule> legal_market, <play_rule> play_market),
    StepRule(AT_CATHEDRAL, <legal_rule> legal_cathedral, <play_rule> play_cathedral),
    StepRule(AT_KEEP, <legal_rule> legal_keep, <play_rule> play_keep),
    StepRule(AT_OVER, legal_nothing, play_nothing),
]
assert all(STEP_RULES[step].step == step for step in range(STEPS))


cdef int legal(const void *state, action_t *out) noexcept nogil:
    return STEP_RULES[step_of(state)].legal(state, out)


cdef void play(void *state, action_t a) noexcept nogil:
    STEP_RULES[step_of(state)].play(state, a)


cdef void odds(const void *state, double *out) noexcept nogil:
    cdef const Cathedral *s = <const Cathedral *> state
    cdef action_t outcomes[MAX_LEGAL]
    cdef int i, n
    if s.step == AT_DRAW:
        weigh_builders(s, out)
    elif s.step == AT_TAX:
        weigh_die(out)
    else:
        n = legal(s, outcomes)
        for i in range(n):
            out[i] = 1.0 / n


cdef action_t draw(const void *state, rng_t *rng) noexcept nogil:
    return draw_outcome(<const Cathedral *> state, rng)


cdef void returns(const void *state, double *out) noexcept nogil:
    """Most VP wins, gold breaks ties; a tie in both is shared (R11). Leftover goods do not count (R22)."""
    cdef const Cathedral *s = <const Cathedral *> state
    cdef int seat
    for seat in range(s.seats):
        out[seat] = s.players[seat].vp * (MAX_GOLD + 1) + s.players[seat].gold
    share_win(out, s.seats)


cdef void scores(const void *state, double *out) noexcept nogil:
    """VP; gold does not count (R37)."""
    cdef const Cathedral *s = <const Cathedral *> state
    cdef int seat
    for seat in range(s.seats):
        out[seat] = s.players[seat].vp


cdef void observe(void *state, int seat) noexcept nogil:
    """Only the coming event can be hidden from one player and known to another (R40)."""
    forget_decks(<Cathedral *> state, seat)


cdef void deal(void *state, rng_t *rng) noexcept nogil:
    deal_decks(<Cathedral *> state, rng)


cdef uint64_t key(const void *state, int seat) noexcept nogil:
    """Hidden fields come last; `observe` zeroes them, except for an event that the seat has been shown."""
    cdef uint64_t public = hash_words(state, (sizeof(Cathedral) - HIDDEN_BYTES) // 8)
    cdef uint64_t coming = coming_event(<const Cathedral *> state, seat)
    return public ^ coming * <uint64_t> 0x9E3779B97F4A7C15


cdef void setup(void *state, int seats, rng_t *rng) noexcept nogil:
    """Set up a game before its first chance event. Seat 0 is the first starting player (R23)."""
    cdef Cathedral *s = <Cathedral *> state
    cdef int seat, type_
    memset(s, 0, sizeof(Cathedral))
    s.seats = <uint8_t> seats
    s.round = 1
    s.cost = MAX_COST
    s.court_metal = 1
    s.supply[METAL] = METAL_CUBES - 1
    for type_ in range(3):
        s.stock[type_] = STOCK
        s.supply[type_] = CUBES - STOCK
    s.unseen_advantages = (1 << ADVANTAGES) - 1
    s.unseen_events = (1 << EVENTS) - 1
    for seat in range(seats):
        setup_player(&s.players[seat], FIRST_GOLD + seat)
    ask(s, AT_ADVANTAGES, NATURE)
    deal_decks(s, rng)


cdef void setup_player(Player *p, int gold) noexcept nogil:
    p.vp = FIRST_VP
    p.gold = <uint8_t> gold
    p.workers = WORKERS
    p.bag = BUILDERS
    p.craftsmen = (1 << STARTING) - 1


OPS = GameOps(
    state_size=sizeof(Cathedral), num_actions=NUM_ACTIONS, max_plies=MAX_PLIES, min_seats=2, max_seats=SEATS,
    turn=actor_of, legal=legal, odds=odds, draw=draw, play=play, returns=returns, scores=scores, observe=observe,
    deal=deal, key=key, setup=setup, consistent=<predicate> consistent,
    num_invariants=NUM_INVARIANTS, invariants=&INVARIANTS[0],
)


# -- the checked surface ---------------------------------------------------------------------------

cdef class CathedralGame(Game):
    """The board game with checked operations.

    Args:
        catalogue: TOML file of its cards, or a CathedralCatalogue; the shipped one if None.

    Raises BadCatalogue for an invalid one, CatalogueInUse if this process uses the cards of another.
    """

    def __cinit__(self, catalogue=None):
        self.bind(&OPS, &GUIDE, &ENCODER)

    def __init__(self, catalogue=None):
        cards = take_cards(CathedralCatalogue, catalogue, fill)
        super().__init__(
            "cathedral", RULES_REVISION, actions(cards), layout_of(names_of(cards)), CONSISTENCY_CHECKS,
            tuning=TUNING, seat_names=COLOURS, picture=show, cards=cards,
            hand_values=HAND_VALUES, inputs=inputs_of(cards),
        )

    cdef int private_outcomes(self, const void *state, int seat, action_t *out):
        """List the events not turned up yet if the seat has been shown the coming one (R40)."""
        cdef const Cathedral *s = <const Cathedral *> state
        if not is_shown_event(s, seat) or s.event_deck[s.round - 1]:
            return 0
        return list_set(s.unseen_events, TURN_UP_EVENT, out)

    cdef void set_private_outcome(self, void *state, int seat, action_t outcome):
        cdef Cathedral *s = <Cathedral *> state
        s.event_deck[s.round - 1] = <uint8_t> (outcome - TURN_UP_EVENT + 1)

    cdef void clear_private_outcome(self, void *state, int seat):
        cdef Cathedral *s = <Cathedral *> state
        if is_shown_event(s, seat):
            memset(s.event_deck, 0, sizeof(s.event_deck))

    cdef bint foresees(self, const void *state, int seat):
        cdef const Cathedral *s = <const Cathedral *> state
        return s.step == AT_EVENT and is_shown_event(s, seat)

# cython: language_level=3
"""The rules of `cathedral` as operations of the contract, each dispatched by step to a chapter.

The chapters, in the order of a round: luck (turning up), draft, builders, events, board, market, works.
"""
from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memset

from clerestory.engine.cathedral.board cimport *
from clerestory.engine.cathedral.builders cimport *
from clerestory.engine.cathedral.codes cimport *
from clerestory.engine.cathedral.draft cimport legal_draft, play_draft
from clerestory.engine.cathedral.events cimport *
from clerestory.engine.cathedral.features cimport ENCODER
from clerestory.engine.cathedral.guide cimport GUIDE
from clerestory.engine.cathedral.luck cimport *
from clerestory.engine.cathedral.market cimport legal_market, play_market
from clerestory.engine.cathedral.sound cimport INVARIANTS, NUM_INVARIANTS
from clerestory.engine.cathedral.state cimport *
from clerestory.engine.cathedral.works cimport legal_cathedral, legal_keep, play_cathedral, play_keep
from clerestory.engine.core cimport NATURE, Game, GameOps, action_t
from clerestory.engine.hash cimport hash_words
from clerestory.engine.rng cimport rng_t
from clerestory.engine.shares cimport share_win

from clerestory.engine.cathedral.actions import actions
from clerestory.engine.cathedral.catalogue import CathedralCatalogue
from clerestory.engine.cathedral.features import FEATURE_NAMES
from clerestory.engine.cathedral.guide import HAND_VALUES
from clerestory.engine.cathedral.names import COLOURS, names_of
from clerestory.engine.cathedral.position import ACCOUNTS
from clerestory.engine.cathedral.state import layout_of
from clerestory.engine.cathedral.tables import fill
from clerestory.engine.cathedral.text import show
from clerestory.engine.cathedral.tuning import TUNING
from clerestory.engine.catalogue import take_cards

cdef enum:
    RULES_REVISION = 2
    MAX_PLIES = 4096  # a round has fewer than 450: 15 cards, 60 about builders, 160 trades, 45 a seat at the cathedral
    FIRST_GOLD = 20  # of the starting player; one more for each next (2)


cdef int turn(const void *state) noexcept nogil:
    return (<const Cathedral *> state).actor


cdef int legal(const void *state, action_t *out) noexcept nogil:
    cdef const Cathedral *s = <const Cathedral *> state
    if s.step == AT_ADVANTAGES:
        return legal_advantages(s, out)
    elif s.step == AT_CRAFTSMEN:
        return legal_craftsmen(s, out)
    elif s.step == AT_RESOURCES:
        return legal_resources(s, out)
    elif s.step == AT_DRAFT:
        return legal_draft(s, out)
    elif s.step == AT_DRAW:
        return legal_draw(s, out)
    elif s.step == AT_REDRAW:
        return legal_redraw(s, out)
    elif s.step == AT_BUILDER:
        return legal_builder(s, out)
    elif s.step == AT_WAITING:
        return list_places(s, out)
    elif s.step == AT_EVENT:
        return legal_event(s, out)
    elif s.step == AT_PROTECTION:
        return legal_protection(s, out)
    elif s.step == AT_THOMAS:
        return legal_thomas(s, out)
    elif s.step == AT_EVENT_CHOICE:
        return legal_event_choice(s, out)
    elif s.step == AT_ARCHBISHOP:
        return legal_archbishop(s, out)
    elif s.step == AT_TAX:
        return legal_tax(s, out)
    elif s.step == AT_EXEMPTION:
        return legal_exemption(s, out)
    elif s.step == AT_SHIRING:
        return legal_shiring(s, out)
    elif s.step == AT_MARKET:
        return legal_market(s, out)
    elif s.step == AT_CATHEDRAL:
        return legal_cathedral(s, out)
    elif s.step == AT_KEEP:
        return legal_keep(s, out)
    return 0


cdef void play(void *state, action_t a) noexcept nogil:
    cdef Cathedral *s = <Cathedral *> state
    if s.step == AT_ADVANTAGES:
        play_advantages(s, a)
    elif s.step == AT_CRAFTSMEN:
        play_craftsmen(s, a)
    elif s.step == AT_RESOURCES:
        play_resources(s, a)
    elif s.step == AT_DRAFT:
        play_draft(s, a)
    elif s.step == AT_DRAW:
        play_draw(s, a)
    elif s.step == AT_REDRAW:
        play_redraw(s, a)
    elif s.step == AT_BUILDER:
        play_builder(s, a)
    elif s.step == AT_WAITING:
        play_waiting(s, a)
    elif s.step == AT_EVENT:
        play_event(s, a)
    elif s.step == AT_PROTECTION:
        play_protection(s, a)
    elif s.step == AT_THOMAS:
        play_thomas(s, a)
    elif s.step == AT_EVENT_CHOICE:
        play_event_choice(s, a)
    elif s.step == AT_ARCHBISHOP:
        play_archbishop(s, a)
    elif s.step == AT_TAX:
        play_tax(s, a)
    elif s.step == AT_EXEMPTION:
        play_exemption(s, a)
    elif s.step == AT_SHIRING:
        play_shiring(s, a)
    elif s.step == AT_MARKET:
        play_market(s, a)
    elif s.step == AT_CATHEDRAL:
        play_cathedral(s, a)
    elif s.step == AT_KEEP:
        play_keep(s, a)


cdef void odds(const void *state, double *out) noexcept nogil:
    cdef const Cathedral *s = <const Cathedral *> state
    cdef action_t outcomes[64]
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
    """The most VP wins, ties are broken by gold; a tie in both is shared (R11). Leftover goods do not count (R22)."""
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
    """Only the coming event can be hidden from one player and known to another (8, R40)."""
    forget_decks(<Cathedral *> state, seat)


cdef void deal(void *state, rng_t *rng) noexcept nogil:
    deal_decks(<Cathedral *> state, rng)


cdef uint64_t key(const void *state, int seat) noexcept nogil:
    """Hidden fields come last, and observe zeroes them, except for an event that the seat has been shown."""
    cdef uint64_t public = hash_words(state, (sizeof(Cathedral) - HIDDEN_BYTES) // 8)
    cdef uint64_t coming = coming_event(<const Cathedral *> state, seat)
    return public ^ coming * <uint64_t> 0x9E3779B97F4A7C15


cdef void setup(void *state, int seats, rng_t *rng) noexcept nogil:
    """Section 2; at the first chance event. Seat 0 is the first starting player (R23)."""
    cdef Cathedral *s = <Cathedral *> state
    cdef int seat, type_
    memset(s, 0, sizeof(Cathedral))
    s.seats = <uint8_t> seats
    s.round = 1
    s.cost = MAX_COST
    s.court_metal = 1
    s.supply[METAL] = 13 - 1
    for type_ in range(3):
        s.stock[type_] = STOCK
        s.supply[type_] = 23 - STOCK
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


cdef GameOps OPS = GameOps(
    state_size=sizeof(Cathedral), num_actions=NUM_ACTIONS, max_plies=MAX_PLIES, min_seats=2, max_seats=SEATS, turn=turn,
    legal=legal, odds=odds, draw=draw, play=play, returns=returns, scores=scores, observe=observe, deal=deal, key=key,
    setup=setup, num_invariants=NUM_INVARIANTS, invariants=&INVARIANTS[0],
)


# -- the checked surface ---------------------------------------------------------------------------

cdef class CathedralGame(Game):
    """The board game, plugged into the checked surface.

    Args:
        catalogue: TOML file of its cards, or a CathedralCatalogue; the shipped one if None.

    Raises BadCatalogue for a faulty one, CatalogueInUse where this process has the cards of another.
    """

    def __cinit__(self, catalogue=None):
        self.bind(&OPS, &GUIDE, &ENCODER)

    def __init__(self, catalogue=None):
        cards = take_cards(CathedralCatalogue, catalogue, fill)
        super().__init__(
            "cathedral", RULES_REVISION, actions(cards), layout_of(names_of(cards)), ACCOUNTS,
            tuning=TUNING, seat_names=COLOURS, picture=show, cards=cards,
            hand_values=HAND_VALUES, feature_names=FEATURE_NAMES,
        )

    cdef int unsaid(self, const void *state, int seat, action_t *out):
        """If the seat has been shown the coming event: all events that have not been turned up (R40)."""
        cdef const Cathedral *s = <const Cathedral *> state
        if not is_shown_event(s, seat) or s.event_deck[s.round - 1]:
            return 0
        return list_set(s.unseen_events, TURN_UP_EVENT, out)

    cdef void say(self, void *state, int seat, action_t outcome):
        cdef Cathedral *s = <Cathedral *> state
        s.event_deck[s.round - 1] = <uint8_t> (outcome - TURN_UP_EVENT + 1)

    cdef void unsay(self, void *state, int seat):
        cdef Cathedral *s = <Cathedral *> state
        if is_shown_event(s, seat):
            memset(s.event_deck, 0, sizeof(s.event_deck))

    cdef bint foresees(self, const void *state, int seat):
        cdef const Cathedral *s = <const Cathedral *> state
        return s.step == AT_EVENT and is_shown_event(s, seat)

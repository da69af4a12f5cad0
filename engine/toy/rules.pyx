# cython: language_level=3
"""The rules of `toy`, in the order of the contract. RULES.md describes them."""
from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libc.string cimport memset

from clerestory.engine.core cimport MAX_SEATS, NATURE, OVER, Game, GameOps, Guide, action_t
from clerestory.engine.rng cimport rng_below, rng_shuffle, rng_t
from clerestory.engine.shared.bits cimport popcount
from clerestory.engine.shared.hash cimport hash_words
from clerestory.engine.shared.place cimport at
from clerestory.engine.shared.shares cimport share_win

from array import array

from clerestory.engine.positions.goods import Good, Way
from clerestory.engine.positions.kinds import Choice, Flag, Number
from clerestory.engine.positions.layout import Field, Layout
from clerestory.engine.toy.position import STEPS, Hand, PublicCards, ToCome, card_faults, course_faults, played_faults
from clerestory.engine.tuning import Tuning, ladder

cdef enum:
    MAX_CARDS = 2 * MAX_SEATS + 2
    ROUNDS = 2
    HAND = 2       # cards dealt to a seat
    UNKNOWN = 0    # an unknown card of the deck

cdef enum:         # steps of a round
    TURN_UP
    WEATHER
    PLAY
    ENDED

cdef enum:         # action codes
    PLAY_CARD = 0  # + card - 1
    FOLD = MAX_CARDS
    TURN_UP_CARD = FOLD + 1  # + card - 1
    FAIR = TURN_UP_CARD + MAX_CARDS
    FEAST
    NUM_ACTIONS

cdef double FEAST_ODDS = 0.25

cdef struct Player:
    uint16_t hand              # the known cards; bit card - 1
    uint8_t held               # cards in hand, known or not
    uint8_t played             # this round's card, 0 for none
    uint8_t points
    uint8_t pad

cdef struct Toy:
    uint8_t seats              # 2-4
    uint8_t round              # number of finished rounds, 0-2
    uint8_t step               # TURN_UP to ENDED
    uint8_t moved              # number of seats that have acted in this round
    uint8_t prize              # card turned up, 0 before
    uint8_t feast              # 1: the prize counts double
    uint16_t seen              # cards turned up or played; bit card - 1
    uint8_t deck[ROUNDS]       # by round; UNKNOWN, and UNKNOWN again once turned up
    uint8_t pad[6]
    Player players[MAX_SEATS]


# -- cards as sets ---------------------------------------------------------------------------------

cdef inline unsigned int bit(int card) noexcept nogil:
    return (1u << (card - 1)) if card else 0

cdef inline unsigned int all_cards(const Toy *s) noexcept nogil:
    return (1u << (2 * s.seats + 2)) - 1

cdef inline unsigned int placed(const Toy *s) noexcept nogil:
    """Return the cards whose place is known: seen, in a known hand, or in the known deck."""
    cdef unsigned int cards = s.seen | bit(s.deck[0]) | bit(s.deck[1])
    cdef int seat
    for seat in range(s.seats):
        cards |= s.players[seat].hand
    return cards

cdef inline int unknown_in_hand(const Toy *s, int seat) noexcept nogil:
    return s.players[seat].held - popcount(s.players[seat].hand)

cdef unsigned int may_hold(const Toy *s, int seat) noexcept nogil:
    return s.players[seat].hand | (all_cards(s) & ~placed(s) if unknown_in_hand(s, seat) else 0)

cdef int list_cards(unsigned int cards, int first_code, action_t *out) noexcept nogil:
    cdef int card, n = 0
    for card in range(MAX_CARDS):
        if cards >> card & 1:
            out[n] = <action_t> (first_code + card)
            n += 1
    return n


# -- the contract ----------------------------------------------------------------------------------

cdef int turn(const void *state) noexcept nogil:
    cdef const Toy *s = <const Toy *> state
    if s.step == ENDED:
        return OVER
    return (s.round + s.moved) % s.seats if s.step == PLAY else NATURE


cdef int legal(const void *state, action_t *out) noexcept nogil:
    cdef const Toy *s = <const Toy *> state
    cdef int seat, n
    if s.step == TURN_UP:
        return list_cards(all_cards(s) & ~s.seen, TURN_UP_CARD, out)
    if s.step == WEATHER:
        out[0] = FAIR
        out[1] = FEAST
        return 2
    seat = turn(s)
    n = list_cards(may_hold(s, seat), PLAY_CARD, out)
    out[n] = FOLD
    return n + 1


cdef void odds(const void *state, double *out) noexcept nogil:
    cdef const Toy *s = <const Toy *> state
    cdef int i, n
    if s.step == WEATHER:
        out[0] = 1 - FEAST_ODDS
        out[1] = FEAST_ODDS
        return
    n = popcount(all_cards(s) & ~s.seen)
    for i in range(n):
        out[i] = 1.0 / n


cdef action_t draw(const void *state, rng_t *rng) noexcept nogil:
    cdef const Toy *s = <const Toy *> state
    cdef Toy dealt
    if s.step == WEATHER:
        return FEAST if rng_below(rng, 4) == 0 else FAIR  # FEAST_ODDS
    if s.deck[s.round] != UNKNOWN:
        return <action_t> (TURN_UP_CARD + s.deck[s.round] - 1)
    dealt = s[0]
    deal(&dealt, rng)
    return <action_t> (TURN_UP_CARD + dealt.deck[s.round] - 1)


cdef void play(void *state, action_t a) noexcept nogil:
    cdef Toy *s = <Toy *> state
    if s.step == TURN_UP:
        turn_up(s, a - TURN_UP_CARD + 1)
    elif s.step == WEATHER:
        s.feast = a == FEAST
        s.step = PLAY
    else:
        play_card(s, turn(s), 0 if a == FOLD else a - PLAY_CARD + 1)


cdef void turn_up(Toy *s, int card) noexcept nogil:
    exchange(s, card, s.deck[s.round])
    s.deck[s.round] = UNKNOWN
    s.seen |= bit(card)
    s.prize = <uint8_t> card
    s.step = WEATHER


cdef void exchange(Toy *s, int card, int top) noexcept nogil:
    """Move the dealt top card to the place where the revealed card was dealt."""
    cdef int place
    for place in range(s.round + 1, ROUNDS):
        if s.deck[place] == card:
            s.deck[place] = <uint8_t> top
    for place in range(s.seats):
        if s.players[place].hand & bit(card):
            s.players[place].hand = s.players[place].hand & ~bit(card) | bit(top)


cdef void play_card(Toy *s, int seat, int card) noexcept nogil:
    if card:
        s.players[seat].hand &= ~bit(card)
        s.players[seat].held -= 1
        s.seen |= bit(card)
    s.players[seat].played = <uint8_t> card
    s.moved += 1
    if s.moved == s.seats:
        end_round(s)


cdef void end_round(Toy *s) noexcept nogil:
    cdef int seat, best = 0
    for seat in range(1, s.seats):
        if s.players[seat].played > s.players[best].played:
            best = seat
    if s.players[best].played:
        s.players[best].points += s.prize * (1 + s.feast)
    for seat in range(s.seats):
        s.players[seat].played = 0
    s.moved = s.prize = s.feast = 0
    s.round += 1
    s.step = TURN_UP if s.round < ROUNDS else ENDED


cdef void returns(const void *state, double *out) noexcept nogil:
    scores(state, out)
    share_win(out, (<const Toy *> state).seats)


cdef void scores(const void *state, double *out) noexcept nogil:
    cdef const Toy *s = <const Toy *> state
    cdef int seat
    for seat in range(s.seats):
        out[seat] = s.players[seat].points


cdef void observe(void *state, int observer) noexcept nogil:
    cdef Toy *s = <Toy *> state
    cdef int seat
    memset(s.deck, UNKNOWN, sizeof(s.deck))
    for seat in range(s.seats):
        if seat != observer:
            s.players[seat].hand = 0


cdef void deal(void *state, rng_t *rng) noexcept nogil:
    cdef Toy *s = <Toy *> state
    cdef uint8_t cards[MAX_CARDS]
    cdef unsigned int left = all_cards(s) & ~placed(s)
    cdef int card, seat, place, n = 0
    for card in range(1, MAX_CARDS + 1):
        if left & bit(card):
            cards[n] = <uint8_t> card
            n += 1
    if n == 0:
        return
    rng_shuffle(rng, cards, n)
    for seat in range(s.seats):
        while unknown_in_hand(s, seat):
            n -= 1
            s.players[seat].hand |= bit(cards[n])
    for place in range(s.round + (s.step != TURN_UP), ROUNDS):
        if s.deck[place] == UNKNOWN:
            n -= 1
            s.deck[place] = cards[n]


cdef uint64_t key(const void *state, int observer) noexcept nogil:
    cdef Toy seen = (<const Toy *> state)[0]
    observe(&seen, observer)
    return hash_words(&seen, sizeof(Toy) // 8)


cdef void setup(void *state, int seats, rng_t *rng) noexcept nogil:
    cdef Toy *s = <Toy *> state
    cdef int seat
    memset(s, 0, sizeof(Toy))
    s.seats = <uint8_t> seats
    for seat in range(seats):
        s.players[seat].held = HAND
    deal(s, rng)


# -- the guide -------------------------------------------------------------------------------------

cdef const char *FEATURES[2]
FEATURES[0] = b"points"
FEATURES[1] = b"cards"


cdef bint evaluate(const void *_weights, const void *state, double *scores, double *_shares) noexcept nogil:
    """Write points so far plus an equal share of the remaining prizes, with each unseen prize at the mean card."""
    cdef const Toy *s = <const Toy *> state
    cdef double mean = (2 * s.seats + 3) / 2.0 * (1 + FEAST_ODDS)
    cdef int seat
    cdef double left = (ROUNDS - s.round - (s.prize != 0)) * mean
    if s.step != ENDED:
        left += s.prize * (1 + s.feast)
    for seat in range(s.seats):
        scores[seat] = s.players[seat].points + left / s.seats
    return False


cdef void weigh(const void *state, const action_t *actions, int n, float *out) noexcept nogil:
    """Weigh high cards more for high prizes."""
    cdef const Toy *s = <const Toy *> state
    cdef int i
    for i in range(n):
        out[i] = 1 if actions[i] == FOLD else <float> (1 + (actions[i] - PLAY_CARD) * s.prize)


cdef void feature(const void *state, int seat, double *out) noexcept nogil:
    cdef const Toy *s = <const Toy *> state
    out[0] = s.players[seat].points
    out[1] = s.players[seat].held


cdef int round_of(const void *state) noexcept nogil:
    return (<const Toy *> state).round + 1


cdef GameOps OPS = GameOps(
    state_size=sizeof(Toy), num_actions=NUM_ACTIONS, max_plies=ROUNDS * (MAX_SEATS + 2), min_seats=2,
    max_seats=MAX_SEATS, turn=turn, legal=legal, odds=odds, draw=draw, play=play, returns=returns, scores=scores,
    observe=observe, deal=deal, key=key, setup=setup, consistent=NULL,
    num_invariants=0, invariants=NULL,
)
cdef Guide GUIDE = Guide(
    num_features=2, features=&FEATURES[0], evaluate=evaluate, weigh=weigh,
    feature=feature, round=round_of,
)


# -- texts and fields ------------------------------------------------------------------------------

def actions():
    """Return (text, label) of each action code, in order."""
    cards = range(1, MAX_CARDS + 1)
    return [
        *((f"play {card}", f"play card {card}") for card in cards),
        ("fold", "fold and keep both cards"),
        *((f"turn-up {card}", f"card {card} is the prize") for card in cards),
        ("fair", "fair weather: the prize counts once"),
        ("feast", "a feast: the prize counts double"),
    ]


cdef Toy s  # not a position: only the addresses of its members are used

LAYOUT = Layout(
    "toy",
    range(2, MAX_SEATS + 1),
    (<size_t> &s, sizeof(Toy)),
    (<size_t> &s.players, sizeof(Player)),
    [
        Field("round", at(&s.round), Number(1, 3, first=1), "1 or 2; 3 when the game is over"),
        Field("step", at(&s.step), Choice(STEPS), "`turn-up`, `weather`, `play` or `over`"),
        Field("moved", at(&s.moved), Number(0, 3), "seats that have acted in this round"),
        Field("prize", at(&s.prize), Number(0, MAX_CARDS), "the card turned up, 0 before"),
        Field("feast", at(&s.feast), Flag(), "whether the prize counts double"),
        Field("seen", at(&s.seen), PublicCards(), "cards turned up or played in the game so far, ascending"),
        Field("deck", at(s.deck, ROUNDS), ToCome(), "the cards not turned up, top first; 0: unknown", hidden="all"),
    ],
    [
        Field("points", at(&s.players[0].points), Number(0, 40), "won so far"),
        Field("played", at(&s.players[0].played), Number(0, MAX_CARDS), "this round's card, 0 for none"),
        Field(
            "hand",
            (at(&s.players[0].held), at(&s.players[0].hand)),
            Hand(),
            "ascending, 0 for each unknown card first",
            hidden="others",
        ),
    ],
    goods=[Good("points", (Way({"points": 1}),))],
)


SEARCH = {"reward": "margin", "selection": "puct", "exploration": 0.5, "playout": "informed", "horizon": 0}
TUNING = Tuning(
    search={2: SEARCH | {"horizon": 20}, 3: SEARCH, 4: SEARCH}, temperature=8.0, scale={2: 30.0, 3: 30.0, 4: 30.0},
    worth_naming=0.15, certainty=dict.fromkeys((2, 3, 4), (0.445, -0.049, 0.794, 0.034)),
    levels=ladder((30, 3.0), (60, 2.0), (120, 1.3), (250, 0.6), (500, 0.4), (1_000, 0.15), (4_000, 0.0), (20_000, 0.0)),
)


cdef class ToyGame(Game):
    """The game `toy` with checked operations."""

    def __cinit__(self):
        self.bind(&OPS, &GUIDE)

    def __init__(self):
        super().__init__(
            "toy", 1, actions(), LAYOUT, (card_faults, course_faults, played_faults), tuning=TUNING,
            hand_values={"hand": array("d")},
        )


TOY = ToyGame()

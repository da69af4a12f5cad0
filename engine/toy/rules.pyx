# cython: language_level=3
"""The rules of `toy`, in the order of the contract. RULES.md says them in words."""
from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libc.string cimport memset

from clerestory.engine.core cimport MAX_SEATS, NATURE, OVER, Game, GameOps, Guide, action_t
from clerestory.engine.hash cimport hash_words
from clerestory.engine.rng cimport rng_below, rng_shuffle, rng_t

from clerestory.engine.toy.position import STEPS, read_position

cdef enum:
    MAX_CARDS = 2 * MAX_SEATS + 2
    ROUNDS = 2
    HAND = 2       # cards dealt to a seat
    UNKNOWN = 0    # a card of the deck that nobody has seen

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

cdef struct Toy:
    uint8_t seats              # 2-4
    uint8_t round              # rounds finished, 0-2
    uint8_t step               # TURN_UP to ENDED
    uint8_t moved              # seats that have acted in this round
    uint8_t prize              # card turned up, 0 before
    uint8_t feast              # 1: the prize counts double
    uint16_t seen              # cards turned up or played; bit card - 1
    uint8_t deck[ROUNDS]       # by round; UNKNOWN, and UNKNOWN again once turned up
    uint8_t pad[2]
    uint8_t held[MAX_SEATS]    # cards in hand, known or not
    uint8_t played[MAX_SEATS]  # this round's card, 0 for none
    uint8_t points[MAX_SEATS]
    uint16_t hand[MAX_SEATS]   # the known ones; bit card - 1


# -- cards as sets ---------------------------------------------------------------------------------

cdef extern from *:
    int popcount "__builtin_popcount"(unsigned int) noexcept nogil

cdef inline unsigned int bit(int card) noexcept nogil:
    return (1u << (card - 1)) if card else 0

cdef inline unsigned int all_cards(const Toy *s) noexcept nogil:
    return (1u << (2 * s.seats + 2)) - 1

cdef inline unsigned int placed(const Toy *s) noexcept nogil:
    """Cards whose place is known: seen, in a known hand, or in the known deck."""
    cdef unsigned int cards = s.seen | bit(s.deck[0]) | bit(s.deck[1])
    cdef int seat
    for seat in range(s.seats):
        cards |= s.hand[seat]
    return cards

cdef inline int unknown_in_hand(const Toy *s, int seat) noexcept nogil:
    return s.held[seat] - popcount(s.hand[seat])

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
    n = list_cards(s.hand[seat] | (all_cards(s) & ~placed(s) if unknown_in_hand(s, seat) else 0), PLAY_CARD, out)
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
    """Put the dealt top card where the card that did come up was thought to be."""
    cdef int place
    for place in range(s.round + 1, ROUNDS):
        if s.deck[place] == card:
            s.deck[place] = <uint8_t> top
    for place in range(s.seats):
        if s.hand[place] & bit(card):
            s.hand[place] = s.hand[place] & ~bit(card) | bit(top)


cdef void play_card(Toy *s, int seat, int card) noexcept nogil:
    if card:
        s.hand[seat] &= ~bit(card)
        s.held[seat] -= 1
        s.seen |= bit(card)
    s.played[seat] = <uint8_t> card
    s.moved += 1
    if s.moved == s.seats:
        end_round(s)


cdef void end_round(Toy *s) noexcept nogil:
    cdef int seat, best = 0
    for seat in range(1, s.seats):
        if s.played[seat] > s.played[best]:
            best = seat
    if s.played[best]:
        s.points[best] += s.prize * (1 + s.feast)
    memset(s.played, 0, sizeof(s.played))
    s.moved = s.prize = s.feast = 0
    s.round += 1
    s.step = TURN_UP if s.round < ROUNDS else ENDED


cdef void returns(const void *state, double *out) noexcept nogil:
    cdef const Toy *s = <const Toy *> state
    cdef int seat, best = 0, winners = 0
    for seat in range(s.seats):
        best = max(best, s.points[seat])
    for seat in range(s.seats):
        winners += s.points[seat] == best
    for seat in range(s.seats):
        out[seat] = 1.0 / winners if s.points[seat] == best else 0


cdef void margins(const void *state, double *out) noexcept nogil:
    cdef const Toy *s = <const Toy *> state
    cdef int seat, other, best
    for seat in range(s.seats):
        best = 0
        for other in range(s.seats):
            if other != seat:
                best = max(best, s.points[other])
        out[seat] = s.points[seat] - best


cdef void observe(void *state, int observer) noexcept nogil:
    cdef Toy *s = <Toy *> state
    cdef int seat
    memset(s.deck, UNKNOWN, sizeof(s.deck))
    for seat in range(s.seats):
        if seat != observer:
            s.hand[seat] = 0


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
            s.hand[seat] |= bit(cards[n])
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
        s.held[seat] = HAND
    deal(s, rng)


cdef int check(const void *state) noexcept nogil:
    cdef const Toy *s = <const Toy *> state
    if not 2 <= s.seats <= MAX_SEATS:
        return 1
    if s.round > ROUNDS or s.step > ENDED or (s.step == ENDED) != (s.round == ROUNDS):
        return 2
    if s.moved >= s.seats or (s.moved and s.step != PLAY) or s.feast > (s.step == PLAY):
        return 3
    if s.pad[0] or s.pad[1] or check_unused_seats(s):
        return 4
    return check_cards(s)


cdef int check_unused_seats(const Toy *s) noexcept nogil:
    cdef int seat
    for seat in range(s.seats, MAX_SEATS):
        if s.held[seat] or s.played[seat] or s.points[seat] or s.hand[seat]:
            return 1
    return 0


cdef int check_cards(const Toy *s) noexcept nogil:
    """Each card is in one place at most, and as many are seen, held and to come as there are."""
    cdef int place, seat, to_come = ROUNDS - s.round - (s.step == WEATHER or s.step == PLAY)
    cdef int total = popcount(s.seen) + to_come, known = popcount(s.seen)
    if s.prize > MAX_CARDS or (s.prize != 0) != (s.step == WEATHER or s.step == PLAY) or bit(s.prize) & ~s.seen:
        return 5
    for place in range(ROUNDS):
        if s.deck[place] > MAX_CARDS or (s.deck[place] and place < ROUNDS - to_come):
            return 6
        known += s.deck[place] != UNKNOWN
    for seat in range(s.seats):
        if s.held[seat] > HAND or unknown_in_hand(s, seat) < 0:
            return 7
        if s.played[seat] > MAX_CARDS or bit(s.played[seat]) & ~s.seen or (s.played[seat] and not has_moved(s, seat)):
            return 8
        total += s.held[seat]
        known += popcount(s.hand[seat])
    if placed(s) & ~all_cards(s) or popcount(placed(s)) != known:
        return 9
    return 0 if total == 2 * s.seats + 2 else 10


cdef bint has_moved(const Toy *s, int seat) noexcept nogil:
    return s.step == PLAY and (seat + s.seats - s.round % s.seats) % s.seats < s.moved


# -- the guide -------------------------------------------------------------------------------------

cdef const char *FEATURES[2]
FEATURES[0] = b"points"
FEATURES[1] = b"cards"


cdef void value(const void *state, double *out) noexcept nogil:
    """Points so far, and an equal share of what is still to be won, each unseen prize at the mean card."""
    cdef const Toy *s = <const Toy *> state
    cdef double mean = (2 * s.seats + 3) / 2.0 * (1 + FEAST_ODDS)
    cdef int seat
    cdef double left = (ROUNDS - s.round - (s.prize != 0)) * mean
    if s.step != ENDED:
        left += s.prize * (1 + s.feast)
    for seat in range(s.seats):
        out[seat] = s.points[seat] + left / s.seats


cdef void weigh(const void *state, const action_t *actions, int n, float *out) noexcept nogil:
    """High cards for high prizes."""
    cdef const Toy *s = <const Toy *> state
    cdef int i
    for i in range(n):
        out[i] = 1 if actions[i] == FOLD else <float> (1 + (actions[i] - PLAY_CARD) * s.prize)


cdef int phase(const void *state) noexcept nogil:
    return (<const Toy *> state).step


cdef void feature(const void *state, int seat, double *out) noexcept nogil:
    cdef const Toy *s = <const Toy *> state
    out[0] = s.points[seat]
    out[1] = s.held[seat]


cdef int round_of(const void *state) noexcept nogil:
    return (<const Toy *> state).round


cdef GameOps OPS = GameOps(
    state_size=sizeof(Toy), num_actions=NUM_ACTIONS, max_plies=ROUNDS * (MAX_SEATS + 2), min_seats=2,
    max_seats=MAX_SEATS, turn=turn, legal=legal, odds=odds, draw=draw, play=play, returns=returns, margins=margins,
    observe=observe, deal=deal, key=key, setup=setup, check=check,
)
cdef Guide GUIDE = Guide(
    phases=ENDED + 1, num_features=2, features=&FEATURES[0], value=value, weigh=weigh, phase=phase, feature=feature,
    round=round_of,
)


# -- texts and positions ---------------------------------------------------------------------------

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


cdef class ToyGame(Game):
    """The game `toy`, plugged into the checked surface."""

    def __cinit__(self):
        self.bind(&OPS, &GUIDE)

    cdef dict unpack(self, const void *state):
        cdef const Toy *s = <const Toy *> state
        turned_up = s.round + (s.step == WEATHER or s.step == PLAY)
        return {
            "round": s.round + 1,
            "step": STEPS[s.step],
            "moved": s.moved,
            "prize": s.prize,
            "feast": bool(s.feast),
            "seen": cards_in(s.seen),
            "deck": [s.deck[place] for place in range(turned_up, ROUNDS)],
            "players": [
                {
                    "points": s.points[seat],
                    "played": s.played[seat],
                    "hand": [UNKNOWN] * unknown_in_hand(s, seat) + cards_in(s.hand[seat]),
                }
                for seat in range(s.seats)
            ],
        }

    cdef object pack(self, dict fields, void *state):
        cdef Toy *s = <Toy *> state
        position = read_position(fields)
        memset(s, 0, sizeof(Toy))
        s.seats = len(position.players)
        s.round = position.round - 1
        s.step = STEPS.index(position.step)
        s.moved = position.moved
        s.prize = position.prize
        s.feast = position.feast
        s.seen = set_of(position.seen)
        for place, card in zip(range(ROUNDS - len(position.deck), ROUNDS), position.deck):
            s.deck[<int> place] = card
        for seat, player in enumerate(position.players):
            s.points[<int> seat] = player.points
            s.played[<int> seat] = player.played
            s.held[<int> seat] = len(player.hand)
            s.hand[<int> seat] = set_of(player.hand)


def cards_in(unsigned int cards):
    """Return the cards of a set, ascending."""
    return [card for card in range(1, MAX_CARDS + 1) if cards & bit(card)]


def set_of(cards):
    """Return the set of the known ones among the cards."""
    return sum({1 << (card - 1) for card in cards if card})


TOY = ToyGame("toy", 1, actions())

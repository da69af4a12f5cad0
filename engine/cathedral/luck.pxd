# cython: language_level=3
"""Chance events and hidden information: turning up cards, odds, draws, forgetting and dealing."""
from libc.stdint cimport uint8_t, uint16_t
from libc.string cimport memset

from clerestory.engine.cathedral.data.codes cimport *
from clerestory.engine.cathedral.data.state cimport *
from clerestory.engine.cathedral.data.tables cimport cards
from clerestory.engine.cathedral.draft cimport begin_draft
from clerestory.engine.cathedral.events cimport begin_event
from clerestory.engine.core cimport NATURE
from clerestory.engine.rng cimport rng_below, rng_shuffle, rng_t

cdef enum:
    DIE_FACES = 6

cdef extern from *:
    """
    /* The tax die (R15): 2, 3, 3, 4, 4, 5. */
    static const unsigned char DIE[6] = {2, 3, 3, 4, 4, 5};
    """
    const uint8_t *DIE


# -- sets of cards ---------------------------------------------------------------------------------

cdef inline unsigned int ordinary() noexcept nogil:
    return (1u << ORDINARY) - 1

cdef inline unsigned int advantages_possible(const Cathedral *s) noexcept nogil:
    """Return the cards that can be next; the two cards of the last round lie below all others (R35)."""
    return s.unseen_advantages & (ordinary() if s.round < ROUNDS else ~ordinary())

cdef inline unsigned int craftsmen_possible(const Cathedral *s) noexcept nogil:
    return cards.of_round[s.round] & ~((1u << s.shiring_cards[0]) >> 1)

cdef inline int turned_up(const uint8_t *table_cards) noexcept nogil:
    """Return the number of this round's cards turned up beside two spaces, during the step that turns them up."""
    return (table_cards[0] != 0) + (table_cards[1] != 0)

cdef inline int advantages_gone(const Cathedral *s) noexcept nogil:
    """Return the number of cards of the deck turned up so far."""
    return 2 * (s.round - 1) + (turned_up(s.kingsbridge_cards) if s.step == AT_ADVANTAGES else 2)

cdef inline int events_gone(const Cathedral *s) noexcept nogil:
    return s.round - (s.event == 0)

cdef inline int craftsmen_gone(const Cathedral *s) noexcept nogil:
    """Return the number of craftsmen that have left the deck, all of the round's with two at Shiring (section 1)."""
    if s.step <= AT_CRAFTSMEN:
        return cards.craftsmen_before[s.round] + turned_up(s.shiring_cards)
    return cards.craftsmen_before[s.round + 1]


# -- turning up ------------------------------------------------------------------------------------

cdef inline void turn_up(uint8_t *deck, int place, int end, int card) noexcept nogil:
    """Remove the card that came up at the place from a deck, dealt or not.

    If another card is on top of the dealt deck, it takes the place of the card that came up. If that one had been
    removed from the game, the top card leaves the deck instead (R35).
    """
    cdef int i
    if deck[place] and deck[place] != card + 1:
        for i in range(place + 1, end):
            if deck[i] == card + 1:
                deck[i] = deck[place]
    deck[place] = 0


cdef inline void play_advantages(Cathedral *s, int a) noexcept nogil:
    cdef int card = a - TURN_UP_ADVANTAGE, space = s.kingsbridge_cards[0] != 0
    turn_up(s.advantage_deck, 2 * (s.round - 1) + space, ADVANTAGE_DECK, card)
    s.unseen_advantages ^= <uint16_t> (1 << card)
    s.kingsbridge_cards[space] = <uint8_t> (card + 1)
    if space == 1:
        ask(s, AT_CRAFTSMEN, NATURE)


cdef inline void play_craftsmen(Cathedral *s, int a) noexcept nogil:
    cdef int card = a - TURN_UP_CRAFTSMAN + STARTING, space = s.shiring_cards[0] != 0
    cdef int first = cards.craftsmen_before[s.round], end = cards.craftsmen_before[s.round + 1]
    turn_up(s.craftsman_deck, first + space, end, card)
    s.shiring_cards[space] = <uint8_t> (card + 1)
    if space == 1:
        s.supply_craftsmen = craftsmen_possible(s) & ~(1u << card)
        memset(s.craftsman_deck + first, 0, end - first)
        ask(s, AT_RESOURCES, NATURE)


cdef inline void play_resources(Cathedral *s, int a) noexcept nogil:
    s.supply_resources = <uint16_t> ((1 << RESOURCES) - 1 - cards.pairs[a - LEAVE_OUT])
    begin_draft(s)


cdef inline void play_event(Cathedral *s, int a) noexcept nogil:
    cdef int card = a - TURN_UP_EVENT
    turn_up(s.event_deck, s.round - 1, EVENT_DECK, card)
    s.unseen_events ^= <uint16_t> (1 << card)
    s.event = <uint8_t> (card + 1)
    begin_event(s)


cdef inline int legal_advantages(const Cathedral *s, uint16_t *out) noexcept nogil:
    return list_set(advantages_possible(s), TURN_UP_ADVANTAGE, out)

cdef inline int legal_craftsmen(const Cathedral *s, uint16_t *out) noexcept nogil:
    return list_set(craftsmen_possible(s) >> STARTING, TURN_UP_CRAFTSMAN, out)

cdef inline int legal_resources(const Cathedral *s, uint16_t *out) noexcept nogil:
    return list_run(PAIRS, LEAVE_OUT, out)

cdef inline int legal_event(const Cathedral *s, uint16_t *out) noexcept nogil:
    return list_set(s.unseen_events, TURN_UP_EVENT, out)

cdef inline int legal_tax(const Cathedral *s, uint16_t *out) noexcept nogil:
    return list_run(ROLLS, ROLL, out)


# -- odds and draws --------------------------------------------------------------------------------

cdef inline void weigh_builders(const Cathedral *s, double *out) noexcept nogil:
    """Weigh the builders in the bag, which are equally likely (R15)."""
    cdef int seat, n = 0, total = 0
    for seat in range(s.seats):
        total += s.players[seat].bag
    for seat in range(s.seats):
        if s.players[seat].bag:
            out[n] = <double> s.players[seat].bag / total
            n += 1


cdef inline void weigh_die(double *out) noexcept nogil:
    """Weigh the faces of the die, which are equally likely (R15)."""
    cdef int i
    memset(out, 0, ROLLS * sizeof(double))
    for i in range(DIE_FACES):
        out[DIE[i] - LOWEST_ROLL] += 1.0 / DIE_FACES


cdef inline uint16_t draw_card(uint8_t top, unsigned int possible, int first_code, rng_t *rng) noexcept nogil:
    """Return the dealt top card, or else a random possible one."""
    cdef int _skip
    if top == 0:
        for _skip in range(<int> rng_below(rng, popcount(possible))):
            possible &= possible - 1
        top = <uint8_t> (lowest_bit(possible) + 1)
    return <uint16_t> (first_code + top - 1)


cdef inline uint16_t draw_builder(const Cathedral *s, rng_t *rng) noexcept nogil:
    cdef int seat = 0, left = 0
    for seat in range(s.seats):
        left += s.players[seat].bag
    left = <int> rng_below(rng, left)
    for seat in range(s.seats):
        left -= s.players[seat].bag
        if left < 0:
            break
    return <uint16_t> (DRAW + seat)


cdef inline uint16_t draw_outcome(const Cathedral *s, rng_t *rng) noexcept nogil:
    cdef int place
    if s.step == AT_DRAW:
        return draw_builder(s, rng)
    if s.step == AT_ADVANTAGES:
        place = advantages_gone(s)
        return draw_card(s.advantage_deck[place], advantages_possible(s), TURN_UP_ADVANTAGE, rng)
    if s.step == AT_CRAFTSMEN:
        place = craftsmen_gone(s)
        return draw_card(s.craftsman_deck[place], craftsmen_possible(s), TURN_UP_CRAFTSMAN - STARTING, rng)
    if s.step == AT_EVENT:
        return draw_card(s.event_deck[s.round - 1], s.unseen_events, TURN_UP_EVENT, rng)
    if s.step == AT_RESOURCES:
        return <uint16_t> (LEAVE_OUT + rng_below(rng, PAIRS))
    return <uint16_t> (ROLL + DIE[rng_below(rng, DIE_FACES)] - LOWEST_ROLL)


# -- forgetting and dealing ------------------------------------------------------------------------

cdef inline bint is_shown_event(const Cathedral *s, int seat) noexcept nogil:
    """Whether the seat has been shown the coming event, which happens once the round's cards are turned up (R40).

    From then until the event, the card can only be held by a player who took it in an earlier round.
    """
    return seat >= 0 and AT_DRAFT <= s.step <= AT_EVENT and s.players[seat].advantages & cards.foresight


cdef inline int coming_event(const Cathedral *s, int seat) noexcept nogil:
    """Return card + 1 of the coming event if the seat has been shown it and it is known, else 0."""
    return s.event_deck[s.round - 1] if is_shown_event(s, seat) else 0


cdef inline void forget_decks(Cathedral *s, int seat) noexcept nogil:
    """Clear the decks except for the event that the seat has been shown."""
    cdef int coming = coming_event(s, seat)
    memset(s.advantage_deck, 0, HIDDEN_BYTES)
    if coming:
        s.event_deck[s.round - 1] = <uint8_t> coming


cdef inline void deal_cards(unsigned int from_, uint8_t *deck, int count, rng_t *rng) noexcept nogil:
    """Fill places of a deck with random cards of a set, in random order."""
    cdef uint8_t pile[32]
    cdef int i, n = 0
    while from_:
        pile[n] = <uint8_t> (lowest_bit(from_) + 1)
        from_ &= from_ - 1
        n += 1
    rng_shuffle(rng, pile, n)
    for i in range(count):
        deck[i] = pile[i]


cdef inline void deal_decks(Cathedral *s, rng_t *rng) noexcept nogil:
    deal_advantages(s, rng)
    deal_events(s, rng)
    deal_craftsmen(s, rng)


cdef inline void deal_advantages(Cathedral *s, rng_t *rng) noexcept nogil:
    """Deal ordinary cards to their places, count the others as removed, and put those of the last round below."""
    cdef int place = advantages_gone(s), last = max(place, <int> ORDINARY_DECK)
    if place == ADVANTAGE_DECK or s.advantage_deck[place]:
        return
    if place < ORDINARY_DECK:
        deal_cards(s.unseen_advantages & ordinary(), s.advantage_deck + place, ORDINARY_DECK - place, rng)
    deal_cards(s.unseen_advantages & ~ordinary(), s.advantage_deck + last, ADVANTAGE_DECK - last, rng)


cdef inline void deal_events(Cathedral *s, rng_t *rng) noexcept nogil:
    """Deal the events; the first may be known while the others are not."""
    cdef int place = events_gone(s)
    cdef unsigned int unseen = s.unseen_events
    if place < EVENT_DECK and s.event_deck[place]:
        unseen &= ~(1u << (s.event_deck[place] - 1))
        place += 1
    if place < EVENT_DECK and s.event_deck[place] == 0:
        deal_cards(unseen, s.event_deck + place, EVENT_DECK - place, rng)


cdef inline void deal_craftsmen(Cathedral *s, rng_t *rng) noexcept nogil:
    """Deal the rest of a round whose craftsmen are partly turned up, then the rounds to come."""
    cdef int place = craftsmen_gone(s), round_ = s.round + (s.step > AT_CRAFTSMEN)
    cdef const uint8_t *before = cards.craftsmen_before
    if place == CRAFTSMAN_DECK or s.craftsman_deck[place]:
        return
    if place > before[round_]:
        deal_cards(craftsmen_possible(s), s.craftsman_deck + place, before[round_ + 1] - place, rng)
        round_ += 1
    for round_ in range(round_, ROUNDS + 1):
        deal_cards(cards.of_round[round_], s.craftsman_deck + before[round_], before[round_ + 1] - before[round_], rng)

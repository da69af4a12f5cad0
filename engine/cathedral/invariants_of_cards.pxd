# cython: language_level=3
"""Invariants of the cards: each in one place, numbers that agree with the round. Fields are already in range."""
from libc.stdint cimport uint8_t

from clerestory.engine.cathedral.data.effects cimport EVENT_BUILDERS
from clerestory.engine.cathedral.data.state cimport *
from clerestory.engine.cathedral.data.tables cimport cards
from clerestory.engine.cathedral.draft cimport too_many_craftsmen
from clerestory.engine.cathedral.luck cimport *


cdef inline unsigned int as_set(int card_and_one) noexcept nogil:
    return (1u << card_and_one) >> 1

cdef inline bint craftsmen_in_place(const Cathedral *s) noexcept nogil:
    """Of this round's craftsmen, only those turned up may be in play."""
    cdef unsigned int shown = as_set(s.shiring_cards[0]) | as_set(s.shiring_cards[1])
    cdef unsigned int ahead = ~0u << (STARTING + cards.craftsmen_before[s.round + 1])
    cdef int seat
    if s.step <= AT_RESOURCES:
        ahead |= cards.of_round[s.round]
    for seat in range(s.seats):
        if s.players[seat].craftsmen & ahead:
            return False
    if (shown | s.supply_craftsmen) & ~cards.of_round[s.round]:
        return False
    if s.step == AT_RESOURCES:
        return s.supply_craftsmen == cards.of_round[s.round] & ~shown
    return s.supply_craftsmen == 0 or s.step == AT_DRAFT


cdef inline bint craftsmen_have_room(const Cathedral *s) noexcept nogil:
    cdef int seat, room
    cdef bint over
    for seat in range(s.seats):
        over = too_many_craftsmen(&s.players[seat])
        if over and not (s.actor == seat and (s.step == AT_DRAFT or s.step == AT_SHIRING)):
            return False
        room = CRAFTSMEN_HELD + (cards.room_cards if s.players[seat].advantages & cards.room else 0)
        if popcount(s.players[seat].craftsmen) > room + 1 or (s.step == AT_SHIRING and s.actor == seat and not over):
            return False
    return True


cdef inline bint kingsbridge_of_step(const Cathedral *s) noexcept nogil:
    cdef const uint8_t *c = <const uint8_t *> s.kingsbridge_cards
    if s.step == AT_ADVANTAGES:
        return c[1] == 0
    return c[0] and c[1] if s.step <= AT_ARCHBISHOP else not c[0] and not c[1]


cdef inline bint shiring_of_step(const Cathedral *s) noexcept nogil:
    cdef const uint8_t *c = <const uint8_t *> s.shiring_cards
    if s.step == AT_ADVANTAGES or s.step > AT_SHIRING:
        return not c[0] and not c[1]
    if s.step == AT_CRAFTSMEN:
        return c[1] == 0
    if s.step < AT_SHIRING:
        return c[0] and c[1]
    return not c[0] and not s.spaces[SHIRING] and (c[1] or not s.spaces[SHIRING + 1])  # R27


cdef inline bint shown_in_step(const Cathedral *s) noexcept nogil:
    return kingsbridge_of_step(s) and shiring_of_step(s)


cdef inline bint advantages_in_place(const Cathedral *s) noexcept nogil:
    cdef unsigned int here, fresh = 0
    cdef int i
    for i in range(2):
        here = as_set(s.kingsbridge_cards[i])
        if here and (here & ordinary() != 0) != (s.round < ROUNDS):
            return False
    for i in range(s.seats):
        if s.players[i].advantages & ~cards.kept or s.players[i].fresh & ~s.players[i].advantages:
            return False
        fresh |= s.players[i].fresh
    return fresh == 0 or (s.step > AT_ARCHBISHOP and popcount(fresh) <= 2)


cdef inline bint turned_up_by_round(const Cathedral *s) noexcept nogil:
    cdef int gone = advantages_gone(s)
    if popcount(s.unseen_advantages) != ADVANTAGES - gone:
        return False
    if popcount(s.unseen_advantages & ordinary()) != ORDINARY - min(gone, <int> ORDINARY_DECK):
        return False
    return popcount(s.unseen_events) == EVENTS - events_gone(s) and not as_set(s.event) & s.unseen_events


cdef inline bint is_negative(const Cathedral *s) noexcept nogil:
    return s.event and cards.negative >> (s.event - 1) & 1


cdef inline bint event_fits(const Cathedral *s) noexcept nogil:
    cdef bint negative = is_negative(s)
    cdef bint limits = s.event and cards.events[s.event - 1].kind == EVENT_BUILDERS
    cdef unsigned int everyone = (1u << s.seats) - 1, next_ = 0
    if (s.event != 0) != (s.step > AT_EVENT) or (s.spared and not (negative and s.step > AT_PROTECTION)):
        return False
    if limits and s.step > AT_THOMAS and s.round < ROUNDS:
        next_ = everyone & ~s.spared
    if s.limited_next != next_ or (s.limited and not limited_fits(s)):
        return False
    if s.step == AT_PROTECTION:
        return negative and s.spaces[ARCHBISHOP]
    return spared_fits(s)


cdef inline bint limited_fits(const Cathedral *s) noexcept nogil:
    """All are limited but those who were spared: the owner of the builder at the seat, and the user of Thomas (R4)."""
    return has_limited(s) and s.seats - popcount(s.limited) <= (2 if is_gone(s, cards.protection) else 1)


cdef inline bint has_limited(const Cathedral *s) noexcept nogil:
    """Whether an event that limits came up in an earlier round."""
    cdef unsigned int later = s.unseen_events | as_set(s.event)
    cdef int i
    for i in range(EVENTS):
        if cards.events[i].kind == EVENT_BUILDERS and not later >> i & 1:
            return True
    return False


cdef inline bint spared_fits(const Cathedral *s) noexcept nogil:
    """Spared are the owner of the builder at the archbishop's seat, if protected, and the user of Thomas (R4)."""
    cdef unsigned int by_seat = as_set(s.spaces[ARCHBISHOP]) if s.protection else 0, by_card = s.spared & ~by_seat
    if AT_PROTECTION < s.step <= AT_ARCHBISHOP and by_seat & ~s.spared:
        return False
    if s.step == AT_THOMAS:
        return by_card == 0 and is_negative(s)
    if s.step > AT_ARCHBISHOP:  # the builder at the seat is gone, so its owner is unknown
        return popcount(s.spared) <= (2 if is_gone(s, cards.protection) else 1)
    return by_card == 0 or (popcount(by_card) == 1 and is_gone(s, cards.protection))


cdef inline bint is_gone(const Cathedral *s, unsigned int card) noexcept nogil:
    """Whether an advantage, as a set, has been turned up and is neither at Kingsbridge nor held."""
    cdef unsigned int there = s.unseen_advantages | as_set(s.kingsbridge_cards[0]) | as_set(s.kingsbridge_cards[1])
    cdef int seat
    for seat in range(s.seats):
        there |= s.players[seat].advantages
    return not card & there


# -- decks -----------------------------------------------------------------------------------------

cdef inline bint deck_fits(const uint8_t *deck, int size, int gone, unsigned int possible) noexcept nogil:
    """Places already used are empty; the others are all empty, or hold different cards of the set."""
    cdef unsigned int seen = 0
    cdef int i
    for i in range(size):
        if i < gone or deck[gone] == 0:
            if deck[i]:
                return False
        elif deck[i] == 0 or deck[i] > 31 or not possible & ~seen & as_set(deck[i]):
            return False
        else:
            seen |= as_set(deck[i])
    return True


cdef inline bint decks_fit(const Cathedral *s) noexcept nogil:
    cdef int gone = advantages_gone(s), i
    if not deck_fits(s.advantage_deck, ADVANTAGE_DECK, gone, s.unseen_advantages):
        return False
    for i in range(gone, ADVANTAGE_DECK):
        if s.advantage_deck[i] and (s.advantage_deck[i] > ORDINARY) != (i >= ORDINARY_DECK):
            return False
    if not shows_event_alone(s) and not deck_fits(s.event_deck, EVENT_DECK, events_gone(s), s.unseen_events):
        return False
    gone = craftsmen_gone(s)
    if not deck_fits(s.craftsman_deck, CRAFTSMAN_DECK, gone, ~0u >> (32 - CRAFTSMEN)):
        return False
    for i in range(gone, CRAFTSMAN_DECK):
        if s.craftsman_deck[i] and not as_set(s.craftsman_deck[i]) & craftsmen_of_place(s, i):
            return False
    return True


cdef inline unsigned int craftsmen_of_place(const Cathedral *s, int place) noexcept nogil:
    cdef int round_ = s.round
    while place >= cards.craftsmen_before[round_ + 1]:
        round_ += 1
    return craftsmen_possible(s) if round_ == s.round else cards.of_round[round_]


cdef inline bint shows_event_alone(const Cathedral *s) noexcept nogil:
    """Whether the coming event is known, and none after it; in the last round that is the whole deck (R40)."""
    cdef int i, place = events_gone(s)
    if place >= EVENT_DECK - 1 or not s.event_deck[place] or not s.unseen_events & as_set(s.event_deck[place]):
        return False
    for i in range(EVENT_DECK):
        if i != place and s.event_deck[i]:
            return False
    return True


cdef inline bint somebody_knows(const Cathedral *s) noexcept nogil:
    """If only the coming event is known, some player must have been shown it (R40)."""
    cdef int seat
    if not shows_event_alone(s):
        return True
    for seat in range(s.seats):
        if coming_event(s, seat):
            return True
    return False

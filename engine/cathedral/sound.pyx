# cython: language_level=3
"""What is true of every position: numbered invariants, checked in this order.

The bytes may be anything. The first invariants bound every field, so that those after them can use fields as
indices. What follows from the rules alone is demanded as far as it can be told from the position.
"""
from libc.stdint cimport uint8_t, uint16_t, uint32_t

from clerestory.engine.cathedral.events cimport has_choice, protected_by_card
from clerestory.engine.cathedral.board cimport seats_at_court
from clerestory.engine.cathedral.builders cimport count_waiting
from clerestory.engine.cathedral.draft cimport too_many_craftsmen
from clerestory.engine.cathedral.luck cimport (
    advantages_gone,
    craftsmen_gone,
    craftsmen_possible,
    events_gone,
    of_round,
    ordinary,
)
from clerestory.engine.cathedral.state cimport *
from clerestory.engine.cathedral.tables cimport LIMIT_BUILDERS, cards
from clerestory.engine.cathedral.works cimport is_free, times_used
from clerestory.engine.core cimport NATURE, OVER

INVARIANTS = (
    "",
    "the number of seats is 2 to 4",
    "every field is in its range",
    "seats that nobody sits at are empty",
    "goods and points are in their ranges",
    "vp = 2 + vp_priory + vp_craftsmen + vp_cards - vp_lost",
    "23 cubes each of sand, wood and stone, 13 of metal: held, on the market, at court, in the supply",
    "a builder drawn is there while its owner or the redraw is asked, and only then",
    "builders wait only while builders are drawn or placed",
    "each player's builders are in the bag, set aside, drawn, waiting or on the board",
    "builders are on the board from their placing until their space is resolved, from the lowest number on",
    "the cost marker falls with every builder drawn",
    "workers are in the reserve, at the mill or on resource cards",
    "grey workers are lent two at a time, for one round",
    "resource cards are in the supply or held during the round, seven of them",
    "craftsmen are in one place: not turned up, at Shiring, in the supply, held",
    "nobody holds more craftsmen than they have room for, except while one is to be dismissed",
    "the cards at Kingsbridge and Shiring are those of the step",
    "advantages are in one place: not turned up, at Kingsbridge, held",
    "as many events and advantages are turned up as the round says",
    "an event, who is spared and who is limited fit each other",
    "choices, the die and the market's stall belong to their steps",
    "uses belong to free craftsmen that are held, up to their capacity",
    "the seat that is asked is the one that the step asks",
    "a deck is wholly known or wholly unknown, and holds unseen cards of its rounds once each",
)


cdef int check(const void *state) noexcept nogil:
    cdef const Cathedral *s = <const Cathedral *> state
    if not 2 <= s.seats <= SEATS:
        return 1
    if not fields_in_range(s):
        return 2
    if not unused_seats_empty(s):
        return 3
    if not goods_in_range(s):
        return 4
    if not vp_accounted(s):
        return 5
    if not cubes_accounted(s):
        return 6
    return check_builders(s) or check_workers(s) or check_cards(s) or check_step(s)


cdef int check_builders(const Cathedral *s) noexcept nogil:
    if (s.drawn != 0) != (s.step == AT_REDRAW or s.step == AT_BUILDER) or (s.free_placement and s.step != AT_BUILDER):
        return 7
    if not waiting_in_order(s):
        return 8
    if not builders_accounted(s):
        return 9
    if not spaces_of_step(s):
        return 10
    return 0 if cost_fits(s) else 11


cdef int check_workers(const Cathedral *s) noexcept nogil:
    if not workers_accounted(s):
        return 12
    if not grey_lent(s):
        return 13
    return 0 if resources_in_place(s) else 14


cdef int check_cards(const Cathedral *s) noexcept nogil:
    if not craftsmen_in_place(s):
        return 15
    if not craftsmen_have_room(s):
        return 16
    if not kingsbridge_of_step(s) or not shiring_of_step(s):
        return 17
    if not advantages_in_place(s):
        return 18
    if not turned_up_by_round(s):
        return 19
    return 0 if event_fits(s) else 20


cdef int check_step(const Cathedral *s) noexcept nogil:
    if not choices_of_step(s):
        return 21
    if not uses_fit(s):
        return 22
    if not actor_fits(s):
        return 23
    return 0 if decks_fit(s) else 24


# -- ranges ----------------------------------------------------------------------------------------

cdef bint fields_in_range(const Cathedral *s) noexcept nogil:
    cdef unsigned int seats = (1u << s.seats) - 1
    cdef int i
    if not (s.step < STEPS and OVER <= s.actor < s.seats and 1 <= s.round <= ROUNDS and s.starting < s.seats):
        return False
    if s.cost > MAX_COST or s.redraw_used > 1 or s.drawn > s.seats or s.free_placement > 1 or s.stall > STALLS:
        return False
    if s.event > EVENTS or s.protection > 1 or s.die > 5 or s.die == 1 or s.floor > TYPES or s.last_used > CRAFTSMEN:
        return False
    if (s.passed | s.spared | s.limited | s.limited_next) & ~seats or s.court_metal > 1:
        return False
    if s.supply_craftsmen >> CRAFTSMEN or s.supply_resources >> RESOURCES or s.unseen_events >> EVENTS:
        return False
    for i in range(3):
        if s.stock[i] > STOCK:
            return False
    return bytes_in_range(s)


cdef bint bytes_in_range(const Cathedral *s) noexcept nogil:
    """Cards beside spaces, builders on spaces, padding."""
    cdef int i
    for i in range(2):
        if s.kingsbridge_cards[i] > ADVANTAGES or s.shiring_cards[i] > CRAFTSMEN or s.pad[i]:
            return False
    for i in range(SPACES):
        if s.spaces[i] > s.seats:
            return False
    for i in range(6):
        if s.pad2[i] or s.pad3[i]:
            return False
    return True


cdef bint unused_seats_empty(const Cathedral *s) noexcept nogil:
    cdef const uint8_t *unused = <const uint8_t *> &s.players[s.seats]
    cdef int i
    for i in range((SEATS - s.seats) * <int> sizeof(Player)):
        if unused[i]:
            return False
    return True


cdef bint goods_in_range(const Cathedral *s) noexcept nogil:
    """Far more than can be reached, and few enough for every list of actions and every byte."""
    cdef const Player *p
    cdef int seat
    for seat in range(s.seats):
        p = &s.players[seat]
        if p.gold > MAX_GOLD or p.workers >= 16 or p.mill >= 16 or not cubes_in_range(s, p):
            return False
        if p.vp_craftsmen > 6000 or p.vp_priory > 60 or p.vp_cards > 120 or p.vp_lost > 100:
            return False
        if p.craftsmen >> CRAFTSMEN or p.resources >> RESOURCES or p.bought > 7 or p.bag > 3 or p.aside > 3:
            return False
        if p.pad[0] or p.pad[1] or p.pad[2]:
            return False
    return True


cdef bint cubes_in_range(const Cathedral *s, const Player *p) noexcept nogil:
    """Five were kept from the last round; a few come before production, and production adds most."""
    cdef int type_, to_sell = 0
    for type_ in range(TYPES):
        if p.cubes[type_] > 40:
            return False
        to_sell += 0 if p.bought >> type_ & 1 else p.cubes[type_]
    if s.step <= AT_PROTECTION:
        return cubes_held(p) <= KEPT_CUBES
    return to_sell <= (33 if s.step <= AT_KINGSBRIDGE else 80)


cdef bint vp_accounted(const Cathedral *s) noexcept nogil:
    cdef const Player *p
    cdef int seat
    for seat in range(s.seats):
        p = &s.players[seat]
        if p.vp != FIRST_VP + p.vp_priory + p.vp_craftsmen + p.vp_cards - p.vp_lost:
            return False
    return True


cdef bint cubes_accounted(const Cathedral *s) noexcept nogil:
    cdef int seat, type_, count
    for type_ in range(TYPES):
        count = s.supply[type_] + (s.court_metal if type_ == METAL else s.stock[type_])
        for seat in range(s.seats):
            count += s.players[seat].cubes[type_]
        if count != (13 if type_ == METAL else 23):
            return False
    return s.supply[METAL] >= 0


# -- builders and workers --------------------------------------------------------------------------

cdef bint waiting_in_order(const Cathedral *s) noexcept nogil:
    """No gaps, at most as many as can pass at cost 7 to 1."""
    cdef int i, count = count_waiting(s), seat
    if count > MAX_COST or (count and not AT_DRAW <= s.step <= AT_WAITING):
        return False
    for i in range(count):
        seat = <int> (s.waiting >> 4 * i & 15) - 1
        if not 0 <= seat < s.seats:
            return False
    return True


cdef int on_board(const Cathedral *s, int seat) noexcept nogil:
    """Builders of a seat that wait or stand on spaces; Maud's stall has none."""
    cdef int i, count = 0
    for i in range(SPACES):
        count += i != MAUDS_STALL and s.spaces[i] == seat + 1
    for i in range(count_waiting(s)):
        count += (s.waiting >> 4 * i & 15) == <uint32_t> seat + 1
    return count


cdef bint builders_accounted(const Cathedral *s) noexcept nogil:
    cdef const Player *p
    cdef int seat, aside, count, bags = 0
    for seat in range(s.seats):
        p = &s.players[seat]
        aside = max(BUILDERS - p.bag - <int> cards.builders_left, 0) if is_limited(s, seat) else 0
        count = p.bag + p.aside + on_board(s, seat) + (s.drawn == seat + 1)
        bags += p.bag
        if p.aside != aside or (s.step <= AT_DRAFT and p.bag != BUILDERS):
            return False
        if count > BUILDERS or (count < BUILDERS and s.step <= AT_ARCHBISHOP):
            return False
    return (bags == 0 or s.step <= AT_BUILDER) and (bags != 0 or s.step != AT_DRAW)


cdef bint empty(const Cathedral *s, int first, int count) noexcept nogil:
    cdef int i
    for i in range(first, first + count):
        if s.spaces[i]:
            return False
    return True


cdef bint from_lowest(const Cathedral *s, int first, int count) noexcept nogil:
    """No builder stands behind a free space (R16)."""
    cdef int i
    for i in range(first + 1, first + count):
        if s.spaces[i] and not s.spaces[i - 1]:
            return False
    return True


cdef bint spaces_of_step(const Cathedral *s) noexcept nogil:
    cdef int step = s.step
    if step <= AT_DRAFT and not empty(s, 0, SPACES):
        return False
    if not from_lowest(s, PRIORY, 2) or not from_lowest(s, COURT, COURT_SPACES):
        return False
    if step < AT_MARKET and not from_lowest(s, MARKET, STALLS - 1):
        return False
    if (step > AT_ARCHBISHOP and s.spaces[ARCHBISHOP]) or (step > AT_KINGSBRIDGE and not empty(s, KINGSBRIDGE, 2)):
        return False
    if (step > AT_KINGSBRIDGE and not empty(s, PRIORY, 2)) or (step > AT_EXEMPTION and not empty(s, COURT, 4)):
        return False
    if (step > AT_SHIRING and not empty(s, SHIRING, 3)) or (step > AT_MARKET and not empty(s, MARKET, STALLS)):
        return False
    return (step == AT_MARKET or not s.spaces[MAUDS_STALL]) and not (step == AT_OVER and s.spaces[START])


cdef bint cost_fits(const Cathedral *s) noexcept nogil:
    """7 less the builders placed or waiting; 0 once the bag is empty and its last builder has gone."""
    cdef int seat, done = 0
    if s.step <= AT_DRAFT:
        return s.cost == MAX_COST and not s.redraw_used
    if s.step > AT_BUILDER:
        return s.cost == 0
    for seat in range(s.seats):
        done += on_board(s, seat)
    if s.step == AT_REDRAW and s.redraw_used:
        return False
    return s.cost == max(MAX_COST - done, 0) and (s.cost or not s.free_placement)


cdef bint workers_accounted(const Cathedral *s) noexcept nogil:
    cdef const Player *p
    cdef int seat, count
    for seat in range(s.seats):
        p = &s.players[seat]
        count = WORKERS + p.grey + (p.advantages & ~p.fresh & cards.black_worker != 0)
        if p.workers + p.mill + <int> (cards.yields[p.resources] >> 24) != count:
            return False
        if AT_DRAW <= s.step <= AT_ARCHBISHOP:
            if p.workers:
                return False
        elif p.mill:
            return False
    return True


cdef bint grey_lent(const Cathedral *s) noexcept nogil:
    """To at most one player for a round; for the next round from the castle on."""
    cdef int seat, now = 0, then = 0
    for seat in range(s.seats):
        now += s.players[seat].grey
        then += s.players[seat].grey_next
        if s.players[seat].grey % GREY_LENT or s.players[seat].grey_next % GREY_LENT:
            return False
    if (now and s.round == 1) or (then and s.step <= AT_SHIRING):
        return False
    return now <= GREY_LENT and then <= GREY_LENT


cdef bint resources_in_place(const Cathedral *s) noexcept nogil:
    cdef unsigned int seen = s.supply_resources, held = 0
    cdef int seat
    for seat in range(s.seats):
        if s.players[seat].resources & seen:
            return False
        seen |= s.players[seat].resources
        held |= s.players[seat].resources
    if s.step == AT_DRAFT:
        return popcount(seen) == RESOURCES - 2
    if s.supply_resources or popcount(held) > RESOURCES - 2:
        return False
    return held == 0 or AT_DRAFT < s.step <= AT_KINGSBRIDGE


# -- cards -----------------------------------------------------------------------------------------

cdef inline unsigned int as_set(int card_and_one) noexcept nogil:
    return (1u << card_and_one) >> 1

cdef bint craftsmen_in_place(const Cathedral *s) noexcept nogil:
    """Of this round only what has been turned up; those of the seats are apart, except starting ones."""
    cdef unsigned int starting = (1u << STARTING) - 1, ahead = ~0u << (STARTING + OF_ROUND * s.round)
    cdef unsigned int seen = as_set(s.shiring_cards[0]), mine
    cdef int seat
    if s.step <= AT_RESOURCES:
        ahead |= of_round(s.round)
    if as_set(s.shiring_cards[1]) & seen:
        return False
    seen |= as_set(s.shiring_cards[1])
    if seen & ~of_round(s.round) or s.supply_craftsmen & (seen | ~of_round(s.round)):
        return False
    seen |= s.supply_craftsmen
    for seat in range(s.seats):
        mine = s.players[seat].craftsmen & ~starting
        if mine & (seen | ahead):
            return False
        seen |= mine
    if s.step == AT_RESOURCES:
        return s.supply_craftsmen == (of_round(s.round) & ~as_set(s.shiring_cards[0]) & ~as_set(s.shiring_cards[1]))
    return s.supply_craftsmen == 0 or s.step == AT_DRAFT


cdef bint craftsmen_have_room(const Cathedral *s) noexcept nogil:
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


cdef bint kingsbridge_of_step(const Cathedral *s) noexcept nogil:
    cdef const uint8_t *c = <const uint8_t *> s.kingsbridge_cards
    if s.step == AT_ADVANTAGES:
        return c[1] == 0
    if s.step < AT_KINGSBRIDGE:
        return c[0] and c[1]
    if s.step > AT_KINGSBRIDGE:
        return not c[0] and not c[1]
    return not c[0] and not s.spaces[KINGSBRIDGE] and (c[1] or not s.spaces[KINGSBRIDGE + 1])  # R27


cdef bint shiring_of_step(const Cathedral *s) noexcept nogil:
    cdef const uint8_t *c = <const uint8_t *> s.shiring_cards
    if s.step == AT_ADVANTAGES or s.step > AT_SHIRING:
        return not c[0] and not c[1]
    if s.step == AT_CRAFTSMEN:
        return c[1] == 0
    if s.step < AT_SHIRING:
        return c[0] and c[1]
    return not c[0] and not s.spaces[SHIRING] and (c[1] or not s.spaces[SHIRING + 1])  # R27


cdef bint advantages_in_place(const Cathedral *s) noexcept nogil:
    cdef unsigned int seen = s.unseen_advantages, here, fresh = 0
    cdef int i
    for i in range(2):
        here = as_set(s.kingsbridge_cards[i])
        if here & seen or (here and (here & ordinary() != 0) != (s.round < ROUNDS)):
            return False
        seen |= here
    for i in range(s.seats):
        here = s.players[i].advantages
        if here & seen or here & ~cards.kept or s.players[i].fresh & ~here:
            return False
        seen |= here
        fresh |= s.players[i].fresh
    return fresh == 0 or (s.step >= AT_KINGSBRIDGE and popcount(fresh) <= 2)


cdef bint turned_up_by_round(const Cathedral *s) noexcept nogil:
    if popcount(s.unseen_advantages) != ADVANTAGES - advantages_gone(s):
        return False
    if s.round < ROUNDS and s.unseen_advantages >> ORDINARY != 3:
        return False
    return popcount(s.unseen_events) == EVENTS - events_gone(s) and not as_set(s.event) & s.unseen_events


cdef bint event_fits(const Cathedral *s) noexcept nogil:
    cdef bint negative = s.event and cards.negative >> (s.event - 1) & 1
    cdef bint limits = s.event and cards.events[s.event - 1].kind == LIMIT_BUILDERS
    cdef unsigned int everyone = (1u << s.seats) - 1, next_ = 0
    if (s.event != 0) != (s.step > AT_EVENT) or (s.spared and not (negative and s.step > AT_PROTECTION)):
        return False
    if limits and s.step > AT_PROTECTION and s.round < ROUNDS:
        next_ = everyone & ~s.spared
    if s.limited_next != next_ or (s.limited and (s.round == 1 or limits)):
        return False
    if s.step == AT_PROTECTION:
        return negative and s.spaces[ARCHBISHOP]
    if s.step == AT_EVENT_CHOICE or s.step == AT_ARCHBISHOP:
        return s.spared == (spared_by(s) if negative else 0)
    return popcount(s.spared) <= 2


cdef unsigned int spared_by(const Cathedral *s) noexcept nogil:
    """The holder of Thomas, and the builder at the archbishop's seat whose owner took protection."""
    return protected_by_card(s) | (as_set(s.spaces[ARCHBISHOP]) if s.protection else 0)


# -- the step --------------------------------------------------------------------------------------

cdef bint choices_of_step(const Cathedral *s) noexcept nogil:
    if s.protection and not (s.step == AT_EVENT_CHOICE and s.spaces[ARCHBISHOP] and cards.negative >> (s.event - 1) & 1):
        return False
    if (s.die != 0) != (s.step == AT_EXEMPTION) or (s.stall != 0) != (s.step == AT_MARKET):
        return False
    if (s.choices_left != 0) != (s.step == AT_KINGSBRIDGE) or s.passed == (1 << s.seats) - 1:
        return False
    if s.passed and s.step != AT_DRAFT or not bought_fits(s):
        return False
    if s.step == AT_KINGSBRIDGE:
        return 1 <= s.floor <= 3 and s.choices_left <= most_choices(s)
    return (s.floor != 0) == (s.step == AT_KEEP) and (s.step != AT_KEEP or can_keep(s))


cdef int most_choices(const Cathedral *s) noexcept nogil:
    """Cubes of choice on the best of the cards that have been turned up and are no longer at Kingsbridge."""
    cdef unsigned int gone = ~s.unseen_advantages & ~as_set(s.kingsbridge_cards[1])
    cdef int card, most = 0
    for card in range(ADVANTAGES):
        if gone >> card & 1:
            most = max(most, <int> cards.advantages[card].choice)
    return most


cdef bint bought_fits(const Cathedral *s) noexcept nogil:
    cdef int seat, bought = 0
    for seat in range(s.seats):
        bought |= s.players[seat].bought
    return bought == 0 or s.step >= AT_MARKET


cdef bint can_keep(const Cathedral *s) noexcept nogil:
    """Owes an actor that is a seat, or says no. There is too much, and enough of it from the floor on."""
    cdef int type_, from_floor = 0
    if s.actor < 0 or s.round == ROUNDS:
        return False
    for type_ in range(s.floor - 1, TYPES):
        from_floor += s.players[s.actor].cubes[type_]
    return cubes_held(&s.players[s.actor]) > KEPT_CUBES and from_floor >= cubes_held(&s.players[s.actor]) - KEPT_CUBES


cdef bint uses_fit(const Cathedral *s) noexcept nogil:
    cdef int card, last = s.last_used - 1
    cdef uint32_t held = s.players[s.actor].craftsmen if s.actor >= 0 else 0
    if s.step != AT_CATHEDRAL:
        return not s.used[0] and not s.used[1] and not s.last_used
    for card in range(32):
        if times_used(s, card) and (card >= CRAFTSMEN or not held >> card & 1 or not is_free(card)):
            return False
        if card < CRAFTSMEN and times_used(s, card) > cards.craftsmen[card].capacity:
            return False
    if s.last_used == 0:
        return not s.used[0] and not s.used[1]
    return held >> last & 1 and (times_used(s, last) or not is_free(last))


cdef bint actor_fits(const Cathedral *s) noexcept nogil:
    """Steps of the rules' order: Nature's, those with one possible actor, those that any seat can be at."""
    cdef int step = s.step, seat = s.actor
    if step == AT_OVER:
        return seat == OVER and s.round == ROUNDS
    if step <= AT_RESOURCES or step == AT_DRAW or step == AT_EVENT or step == AT_TAX:
        return seat == NATURE
    if seat < 0:
        return False
    if step == AT_DRAFT:
        return not s.passed >> seat & 1 and (s.supply_resources or s.supply_craftsmen or too_many_craftsmen(&s.players[seat]))
    if step == AT_EVENT_CHOICE:
        return has_choice(s, seat)
    if step == AT_EXEMPTION:
        return s.players[seat].advantages & cards.exemption and not seats_at_court(s) >> (seat + 1) & 1
    if step == AT_MAUD:
        return s.players[seat].advantages & cards.extra_stall
    if step == AT_KINGSBRIDGE or step == AT_SHIRING or step == AT_CATHEDRAL or step == AT_KEEP:
        return True
    return seat == asked_at(s) - 1


cdef int asked_at(const Cathedral *s) noexcept nogil:
    """Seat + 1 whose turn it must be at the other steps; 0 if nobody's."""
    if s.step == AT_REDRAW:
        return s.starting + 1
    if s.step == AT_BUILDER:
        return s.drawn
    if s.step == AT_WAITING:
        return s.waiting & 15
    if s.step == AT_PROTECTION:
        return s.spaces[ARCHBISHOP]
    if s.step == AT_ARCHBISHOP:
        return s.spaces[ARCHBISHOP] if s.stock[0] | s.stock[1] | s.stock[2] else 0
    return s.spaces[MARKET + s.stall - 1]


# -- decks -----------------------------------------------------------------------------------------

cdef bint deck_fits(const uint8_t *deck, int size, int gone, unsigned int possible) noexcept nogil:
    """Nothing before the places to come; from there on nothing, or cards of the set, none twice."""
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


cdef bint decks_fit(const Cathedral *s) noexcept nogil:
    cdef int gone = advantages_gone(s), i
    if not deck_fits(s.advantage_deck, ADVANTAGE_DECK, gone, s.unseen_advantages):
        return False
    for i in range(gone, ADVANTAGE_DECK):
        if s.advantage_deck[i] and (s.advantage_deck[i] > ORDINARY) != (i >= ORDINARY_DECK):
            return False
    if not deck_fits(s.event_deck, EVENT_DECK, events_gone(s), s.unseen_events):
        return False
    gone = craftsmen_gone(s)
    if not deck_fits(s.craftsman_deck, CRAFTSMAN_DECK, gone, ~0u >> (32 - CRAFTSMEN)):
        return False
    for i in range(gone, CRAFTSMAN_DECK):
        if s.craftsman_deck[i] and not as_set(s.craftsman_deck[i]) & craftsmen_of_place(s, i):
            return False
    return True


cdef unsigned int craftsmen_of_place(const Cathedral *s, int place) noexcept nogil:
    return craftsmen_possible(s) if place < OF_ROUND * s.round else of_round(place // OF_ROUND + 1)

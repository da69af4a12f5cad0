# cython: language_level=3
"""What is true of every position: numbered invariants, checked in this order.

The bytes may be anything. The first invariants bound every field, so that those after them can use fields as
indices. What follows from the rules alone is demanded as far as it can be told from the position.
"""
from libc.stdint cimport uint32_t
from libc.string cimport memcpy

from clerestory.engine.core cimport NATURE, OVER
from clerestory.engine.duel.building cimport (
    COMPLETE,
    FINISHED,
    can_lose_material,
    can_place_one,
    placed_in,
)
from clerestory.engine.duel.chips cimport can_trade_at
from clerestory.engine.duel.seals cimport can_influence, can_trade
from clerestory.engine.duel.sound_cards cimport (
    copies_fit,
    dealt_fits,
    decks_fit,
    gaps_fit,
    lying_in_grid,
    seal_order_fits,
)
from clerestory.engine.duel.sound_contest cimport (
    asked_in_conflict,
    conflict_fits,
    markers_fit,
    order_in_range,
)
from clerestory.engine.duel.state cimport *
from clerestory.engine.duel.tables cimport *
from clerestory.engine.duel.turn cimport targets

INVARIANTS = (
    "",
    "there are two seats",
    "every field is in its range",
    "of each kind of chip a player has what there is: in supply, camp, materials and sections",
    "there are 74 pieces of gold",
    "there are ten neutral seals: in the stack, with the players, flipped; the unseen ones are of the first four",
    "of equal needs of a section the lowest is met first; a complete building ends the game",
    "nine cards are dealt a round, and no more of any than the deck has",
    "a 1x card is in one place, and with a player only once its deck has been in play",
    "places of the grid are empty before they are dealt and when their 1x card has gone to its owner",
    "markers lie on a line from the claim on, less what storming and the conflict took",
    "what is flipped, the seal in the air and the sums belong to the conflict and fit each other",
    "what is used, built and cheap belongs to a turn",
    "the card in use, and what is left of its use, belong to the step",
    "what the step asks can be answered",
    "the seat that is asked is the one that the step asks",
    "a deck's order is wholly known or wholly unknown, and holds the cards to come; the unseen seals' likewise",
)


def check_bytes(bytes memory not None):
    """Return the number of the first invariant that arbitrary memory breaks, 0 for a sound position.

    Raises ValueError for memory of another size.
    """
    cdef Duel s
    if len(memory) != sizeof(Duel):
        raise ValueError(f"memory: {len(memory)} bytes; a position has {sizeof(Duel)}")
    memcpy(&s, <const char *> memory, sizeof(Duel))
    return check(&s)


cdef int check(const void *state) noexcept nogil:
    cdef const Duel *s = <const Duel *> state
    if s.seats != SEATS:
        return 1
    if not fields_in_range(s):
        return 2
    if not chips_accounted(s, 0) or not chips_accounted(s, 1):
        return 3
    if s.players[0].gold + s.players[1].gold > GOLD:
        return 4
    if not seals_accounted(s):
        return 5
    if not buildings_fit(s):
        return 6
    return check_cards(s) or check_step(s)


cdef int check_cards(const Duel *s) noexcept nogil:
    if not dealt_fits(s):
        return 7
    if not copies_fit(s):
        return 8
    return 0 if gaps_fit(s) else 9


cdef int check_step(const Duel *s) noexcept nogil:
    if not markers_fit(s):
        return 10
    if not conflict_fits(s):
        return 11
    if not turn_fits(s):
        return 12
    if not use_fits(s):
        return 13
    if not answerable(s):
        return 14
    if not actor_fits(s):
        return 15
    return 0 if decks_fit(s) and seal_order_fits(s) else 16


# -- ranges ----------------------------------------------------------------------------------------

cdef bint fields_in_range(const Duel *s) noexcept nogil:
    cdef int place
    if not (s.step < STEPS and OVER <= s.actor < SEATS and s.phase < PHASES and s.round < ROUNDS):
        return False
    if s.power >= SEATS or s.first >= SEATS or s.mover > SEATS or s.card > cards.count or s.floor > KINDS:
        return False
    if s.left > 11 or s.seals_due > 11 or s.may_end > 1 or s.built > 1 or s.cheap > 1 or s.flipping > PERSONAL + 1:
        return False
    if s.dealt > DECK or s.used >> GRID or s.undealt >> DECK or s.pad[0] or s.pad[1]:
        return False
    for place in range(GRID):
        if s.grid[place] > cards.count:
            return False
    return player_in_range(&s.players[0]) and player_in_range(&s.players[1])


cdef bint player_in_range(const Player *p) noexcept nogil:
    if p.markers >> GRID or p.placed > FINISHED or p.gold > GOLD or p.personal_flipped > 1 or p.pad[0] or p.pad[1]:
        return False
    return not p.hand & ~(cards.of_deck[0] | cards.of_deck[1])


# -- chips, seals, sections ------------------------------------------------------------------------

cdef bint chips_accounted(const Duel *s, int seat) noexcept nogil:
    """By kind, the placed ones too."""
    cdef const Player *p = &s.players[seat]
    cdef int there[KINDS]
    cdef int kind, need
    if (p.supply | p.camp | p.materials) >> 4 * KINDS:
        return False
    for kind in range(KINDS):
        there[kind] = count_of(p.supply, kind) + count_of(p.camp, kind) + count_of(p.materials, kind)
    for need in range(3 * SECTIONS):
        there[cards.needs[seat][need // 3][need % 3]] += p.placed >> need & 1
    for kind in range(KINDS):
        if there[kind] != count_of(ALL_CHIPS, kind):
            return False
    return True


cdef bint seals_accounted(const Duel *s) noexcept nogil:
    cdef int there[SEALS]
    cdef int kind, seat
    if s.unseen & ~0x330u or s.players[0].seals >> 4 * SEALS or s.players[1].seals >> 4 * SEALS:
        return False
    if not order_in_range(s.stack):
        return False
    for kind in range(SEALS):
        there[kind] = count_of(s.unseen, kind)
        if there[kind] > count_of(START_UNSEEN, kind):
            return False
    count_seals(s.stack, there)
    for seat in range(SEATS):
        if not order_in_range(s.players[seat].flipped):
            return False
        count_seals(s.players[seat].flipped, there)
        for kind in range(SEALS):
            there[kind] += count_of(s.players[seat].seals, kind)
    return there[0] == 2 and there[1] == 4 and there[2] == 4


cdef void count_seals(uint32_t order, int *there) noexcept nogil:
    while order:
        there[(order & 3) - 1] += 1
        order >>= 2


cdef bint buildings_fit(const Duel *s) noexcept nogil:
    """Who has a complete building has won: one player, at the end (D33)."""
    cdef bint red = s.players[0].placed == FINISHED, blue = s.players[1].placed == FINISHED
    if not needs_in_order(&s.players[0], 0) or not needs_in_order(&s.players[1], 1) or (red and blue):
        return False
    if s.step != AT_OVER:
        return not red and not blue
    return red or blue or (s.phase == PHASES - 1 and s.round == ROUNDS - 1)


cdef bint needs_in_order(const Player *p, int seat) noexcept nogil:
    cdef int section, i
    for section in range(SECTIONS):
        for i in range(2):
            if cards.needs[seat][section][i] == cards.needs[seat][section][i + 1]:
                if placed_in(p, section) >> i + 1 & 1 and not placed_in(p, section) >> i & 1:
                    return False
    return True


# -- turns and uses --------------------------------------------------------------------------------

cdef bint turn_fits(const Duel *s) noexcept nogil:
    """Used are places of the mover with a card that the mover can use."""
    cdef unsigned int used = s.used
    cdef int card
    if not AT_TURN <= s.step <= AT_BONUS:
        return not s.mover and not s.used and not s.built and not s.cheap
    if not s.mover or s.used & ~s.players[s.mover - 1].markers:
        return False
    while used:
        card = s.grid[lowest_bit(used)] - 1
        used &= used - 1
        if card < 0 or not cards.usable[s.mover - 1] >> card & 1:
            return False
    return True


cdef int step_of(int kind) noexcept nogil:
    """The step at which a card with an effect asks something; STEPS for one that does not."""
    if kind == INFLUENCE:
        return AT_INFLUENCE
    elif kind == CRAFTSMAN:
        return AT_CRAFTSMAN
    elif kind == MARKET:
        return AT_MARKET
    elif kind == SELL_WOOL:
        return AT_ALIENA
    elif kind == TAKE_CHIPS:
        return AT_TAKE
    elif kind == GIVE_SEALS:
        return AT_DRAW
    elif kind == PLACE_ONE:
        return AT_TOM
    elif kind == TURN_CHIPS:
        return AT_REGAN
    elif kind == FINISH:
        return AT_ALFRED
    elif kind == TRADE_SEALS:
        return AT_MAUD
    elif kind == RETURN_MATERIAL:
        return AT_WILLIAM
    elif kind == COPY_ANY or kind == COPY_MARKED or kind == COPY_UNMARKED:
        return AT_COPY
    return STEPS


cdef bint card_fits(const Duel *s) noexcept nogil:
    """The card in use is one that asks at this step, and lies in the grid or was played."""
    cdef const Effect *effect
    cdef int card = s.card - 1
    if card < 0:
        return s.step <= AT_TURN or s.step == AT_DRAW or s.step >= AT_BONUS
    if not AT_TURN < s.step < AT_BONUS:
        return False
    effect = &cards.effects[card]
    if step_of(effect.kind) != s.step and not (s.step == AT_DRAW and effect.kind == INFLUENCE):
        return False
    if cards.once >> card & 1:
        return was_played(s, card)
    return cards.usable[s.mover - 1] >> card & 1 and lying_in_grid(s, card)


cdef bint was_played(const Duel *s, int card) noexcept nogil:
    """A 1x card that lies nowhere, and has been dealt in this phase or the one before."""
    cdef uint32_t copies = cards.copies[s.phase & 1][card]
    if lying_in_grid(s, card) or (s.players[0].hand | s.players[1].hand) >> cards.once_of[card] & 1:
        return False
    return not copies & s.undealt if copies else s.phase > 0


cdef bint use_fits(const Duel *s) noexcept nogil:
    cdef int step = s.step
    cdef bint limited = step == AT_TAKE or step == AT_REGAN or step == AT_BONUS or step == AT_MARKET
    cdef bint in_order = step == AT_TAKE or step == AT_REGAN or step == AT_ALFRED or step == AT_BONUS
    cdef bint optional = in_order or step == AT_INFLUENCE or step == AT_MARKET or step == AT_MAUD or step == AT_DRAW
    if not card_fits(s) or (s.seals_due != 0) != (step == AT_DRAW) or (s.floor != 0) != in_order:
        return False
    if s.may_end and (not optional or step == AT_TAKE):
        return False
    if step == AT_DRAW:
        return due_fits(s)
    if step == AT_BONUS:
        return s.may_end and 1 <= s.left <= cards.bonus_chips and placed_in(mover_of(s), 2) == COMPLETE
    if not limited:
        return s.left == 0
    return s.left <= cards.effects[s.card - 1].amount and (s.left or step == AT_MARKET)


cdef const Player *mover_of(const Duel *s) noexcept nogil:
    """Player 0 if it is nobody's turn."""
    return &s.players[s.mover - 1 if s.mover else 0]


cdef bint due_fits(const Duel *s) noexcept nogil:
    """One seal for influence, some for a card that gives them, or the bonus of section I."""
    if s.left or not s.unseen or s.seals_due > in_stack(s):
        return False
    if s.card == 0:
        return not s.may_end and s.seals_due <= cards.bonus_seals and placed_in(mover_of(s), 0) == COMPLETE
    if cards.effects[s.card - 1].kind == INFLUENCE:
        return s.may_end and s.seals_due == 1
    return not s.may_end and s.seals_due <= cards.effects[s.card - 1].amount


cdef bint answerable(const Duel *s) noexcept nogil:
    """At steps that not every position can answer."""
    cdef const Player *p = mover_of(s)
    cdef const Effect *effect = &cards.effects[s.card - 1 if s.card else 0]
    cdef int step = s.step
    if step == AT_STORM:
        return s.actor >= 0 and s.players[s.actor].hand & cards.storming
    elif step == AT_TAKE_BACK:
        return cards.storming and not (s.players[0].hand | s.players[1].hand) & cards.storming
    elif step == AT_COPY:
        return targets(s, s.mover - 1, effect.kind) != 0
    elif step == AT_INFLUENCE:
        return can_influence(s, p, effect.price)
    elif step == AT_CRAFTSMAN:
        return count_of(p.camp, effect.chip) and p.gold >= effect.price
    elif step == AT_MARKET:
        return can_trade_at(p, effect, s.left)
    elif step == AT_ALIENA:
        return count_of(p.camp, WOOL)
    elif step == AT_MAUD:
        return can_trade(p)
    elif step == AT_TOM:
        return can_place_one(p, s.mover - 1, effect)
    elif step == AT_WILLIAM:
        return can_lose_material(&s.players[2 - s.mover], 2 - s.mover)
    return answerable_in_order(s, p, effect)


cdef bint answerable_in_order(const Duel *s, const Player *p, const Effect *effect) noexcept nogil:
    """Chips are left at or after the floor."""
    if s.step == AT_TAKE:
        return total(from_floor(p.supply & NOT_ORE, s.floor)) >= s.left
    elif s.step == AT_REGAN:
        return from_floor(p.camp & NOT_ORE, s.floor) and p.gold >= effect.price
    elif s.step == AT_ALFRED:
        return from_floor(p.supply & NOT_ORE, s.floor) and p.gold >= effect.price
    elif s.step == AT_BONUS:
        return from_floor(p.camp & BONUS_KINDS, s.floor)
    return True


cdef bint actor_fits(const Duel *s) noexcept nogil:
    if s.step == AT_OVER:
        return s.actor == OVER
    if s.step == AT_DEAL or s.step == AT_FLIP or s.step == AT_DRAW:
        return s.actor == NATURE
    if s.actor < 0:
        return False
    if AT_CONFLICT <= s.step <= AT_KEEP:
        return asked_in_conflict(s)
    if s.step <= AT_TAKE_BACK:
        return True
    return s.actor == (2 - s.mover if s.step == AT_WILLIAM else s.mover - 1)

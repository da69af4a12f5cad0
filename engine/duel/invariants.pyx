# cython: language_level=3
"""Invariants of every position beyond its fields and their consistency (state.pyx, position.py), checked in this order.

They cover what the rules imply, as far as it can be recognized from the position alone.
"""
from libc.stdint cimport uint32_t

from clerestory.engine.core cimport NATURE, OVER, Invariant, predicate
from clerestory.engine.duel.building cimport COMPLETE, FINISHED, placed_in
from clerestory.engine.duel.chips cimport can_trade_at
from clerestory.engine.duel.data.state cimport *
from clerestory.engine.duel.data.tables cimport *
from clerestory.engine.duel.effect_rules cimport RULES
from clerestory.engine.duel.invariants_of_cards cimport *
from clerestory.engine.duel.invariants_of_contest cimport *
from clerestory.engine.duel.uses cimport stays_open, targets

cdef Invariant INVARIANTS[NUM_INVARIANTS]
INVARIANTS[:] = [
    Invariant(<predicate> buildings_fit, b"step", b"building"),
    Invariant(<predicate> dealt_fits, b"undealt", b"dealt"),
    Invariant(<predicate> copies_fit, b"", b"once"),
    Invariant(<predicate> gaps_fit, b"grid", b"gaps"),
    Invariant(<predicate> markers_fit, b"players", b"markers"),
    Invariant(<predicate> conflict_fits, b"", b"conflict"),
    Invariant(<predicate> turn_fits, b"", b"turn"),
    Invariant(<predicate> use_fits, b"card", b"use"),
    Invariant(<predicate> answerable, b"step", b"answer"),
    Invariant(<predicate> actor_fits, b"to_act", b"actor"),
    Invariant(<predicate> orders_fit, b"", b"orders"),
]


# -- consistency, as position.py explains it -------------------------------------------------------

cdef bint consistent(const Duel *s) noexcept nogil:
    cdef int seat, gold = 0
    for seat in range(SEATS):
        gold += s.players[seat].gold
        if not has_all_chips(&s.players[seat], seat):
            return False
    return gold <= GOLD and has_all_seals(s)


cdef bint has_all_chips(const Player *p, int seat) noexcept nogil:
    cdef int chip, count
    for chip in range(KINDS):
        count = count_of(p.supply, chip) + count_of(p.camp, chip) + count_of(p.materials, chip)
        if count + placed_of(p, seat, chip) != count_of(ALL_CHIPS, chip):
            return False
    return True


cdef int placed_of(const Player *p, int seat, int material) noexcept nogil:
    """Materials of a kind in the player's sections."""
    cdef int section, i, count = 0
    for section in range(SECTIONS):
        for i in range(SECTION_SIZE):
            if placed_in(p, section) >> i & 1 and cards.needs[seat][section][i] == material:
                count += 1
    return count


cdef bint has_all_seals(const Duel *s) noexcept nogil:
    """Whether all neutral seals are there, the unseen ones among the first four, in an order that has just them."""
    cdef unsigned int order = 0
    cdef int seal, place, count, unseen
    for place in range(FIRST_UNSEEN):
        if s.seal_order[place]:
            order += one(s.seal_order[place] - 1)
    for seal in range(SEALS):
        unseen = count_of(s.unseen, seal)
        count = unseen + in_order(s.stack, seal)
        for place in range(SEATS):
            count += count_of(s.players[place].seals, seal) + in_order(s.players[place].flipped, seal)
        if count != count_of(ALL_SEALS, seal) or unseen > count_of(START_UNSEEN, seal):
            return False
    return not order or order == s.unseen


cdef int in_order(uint32_t order, int seal) noexcept nogil:
    """Seals of a kind in an order."""
    cdef int count = 0
    while order:
        count += (order & 3) == <uint32_t> seal + 1
        order >>= 2
    return count


# -- buildings -------------------------------------------------------------------------------------

cdef bint buildings_fit(const Duel *s) noexcept nogil:
    """Only one player has a complete building, and only at the end of the game (D33)."""
    cdef bint red = s.players[0].placed == FINISHED, blue = s.players[1].placed == FINISHED
    if s.step != AT_OVER:
        return not red and not blue
    return red != blue or (not red and s.phase == PHASES - 1 and s.round == ROUNDS - 1)


# -- turns and uses --------------------------------------------------------------------------------

cdef bint turn_fits(const Duel *s) noexcept nogil:
    """Used places have a marker of the mover and a card usable by the mover; building has placed something."""
    cdef unsigned int used = s.used
    cdef int card
    if not AT_TURN <= s.step <= AT_BONUS:
        return not s.mover and not s.used and not s.built and not s.cheap and not s.open_cards
    if not s.mover or s.used & ~s.players[s.mover - 1].markers:
        return False
    if (s.built and not mover_of(s).placed) or (s.cheap and not cheapened(s)):
        return False
    while used:
        card = s.grid[lowest_bit(used)] - 1
        used &= used - 1
        if card < 0 or not cards.usable[s.mover - 1] >> card & 1:
            return False
    return True


cdef bint cheapened(const Duel *s) noexcept nogil:
    """Whether the card that makes building cheap has been played."""
    cdef int card
    for card in range(cards.count):
        if cards.effects[card].kind == EFFECT_CHEAP_BUILDING:
            return was_played(s, card)
    return False


cdef bint card_fits(const Duel *s) noexcept nogil:
    """The card in use needs a choice at this step, and is in the grid or was played."""
    cdef const Effect *effect
    cdef int card = s.card - 1
    if card < 0:
        return s.step <= AT_TURN or s.step == AT_DRAW or s.step >= AT_BONUS
    if not AT_TURN < s.step < AT_BONUS:
        return False
    effect = &cards.effects[card]
    if RULES[effect.kind].step != s.step and not (s.step == AT_DRAW and effect.kind == EFFECT_INFLUENCE):
        return False
    if cards.once >> card & 1:
        return was_played(s, card)
    return is_usable(s, card)


cdef bint use_fits(const Duel *s) noexcept nogil:
    cdef int step = s.step
    cdef bint limited = step == AT_TAKE or step == AT_TURN_CHIPS or step == AT_BONUS or step == AT_MARKET
    cdef bint in_order = step == AT_TAKE or step == AT_TURN_CHIPS or step == AT_FINISH or step == AT_BONUS
    cdef bint optional = in_order or step == AT_INFLUENCE or step == AT_MARKET or step == AT_TRADE_SEALS
    optional = optional or step == AT_DRAW
    if not card_fits(s) or not open_fits(s) or (s.seals_due != 0) != (step == AT_DRAW) or (s.floor != 0) != in_order:
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


cdef bint open_fits(const Duel *s) noexcept nogil:
    """Open uses have interruptible cards of the player, within their limits; at a turn one can continue."""
    cdef uint32_t opened = s.open_cards, left = s.open_left
    while opened:
        if not open_use_fits(s, (opened & 255) - 1, left & 255):
            return False
        opened >>= 8
        left >>= 8
    return s.step != AT_TURN or s.open_cards == 0 or stays_open(s)


cdef bint open_use_fits(const Duel *s, int card, int left) noexcept nogil:
    cdef const Effect *effect = &cards.effects[card]
    if not cards.inside[effect.kind]:
        return False
    if not (was_played(s, card) if cards.once >> card & 1 else is_usable(s, card)):
        return False
    if effect.kind == EFFECT_MARKET:
        return left <= effect.amount
    if effect.kind == EFFECT_SELL_WOOL or effect.kind == EFFECT_CONVERT:
        return 1 <= left < effect.amount
    return left == 0


cdef bint is_usable(const Duel *s, int card) noexcept nogil:
    """Whether a card of the player to move is in the grid."""
    return cards.usable[s.mover - 1] >> card & 1 and lying_in_grid(s, card)


cdef const Player *mover_of(const Duel *s) noexcept nogil:
    """Return the player to move, or player 0 if there is none."""
    return &s.players[s.mover - 1 if s.mover else 0]


cdef bint due_fits(const Duel *s) noexcept nogil:
    """Seals due: one for influence, several for a card that gives them or for the bonus of section I."""
    if s.left or not s.unseen or s.seals_due > in_stack(s):
        return False
    if s.card == 0:
        return not s.may_end and s.seals_due <= cards.bonus_seals and placed_in(mover_of(s), 0) == COMPLETE
    if cards.effects[s.card - 1].kind == EFFECT_INFLUENCE:
        return s.may_end and s.seals_due == 1
    return not s.may_end and s.seals_due <= cards.effects[s.card - 1].amount


cdef bint answerable(const Duel *s) noexcept nogil:
    """Whether there is a legal action, at the steps where a position can lack one."""
    cdef const Player *p = mover_of(s)
    cdef const Effect *effect = &cards.effects[s.card - 1 if s.card else 0]
    cdef int step = s.step
    if step == AT_STORM:
        return s.actor >= 0 and s.players[s.actor].hand & cards.storming
    elif step == AT_TAKE_BACK:
        return was_stormed(s)
    elif step == AT_COPY:
        return targets(s, s.mover - 1, effect.kind) != 0
    elif step == AT_MARKET:
        return can_trade_at(p, effect, s.left)
    elif s.card and step != AT_DRAW and not RULES[effect.kind].works(s, s.mover - 1, effect):
        return False
    return answerable_in_order(s, p, effect)


cdef bint answerable_in_order(const Duel *s, const Player *p, const Effect *effect) noexcept nogil:
    """Whether there are chips at or after the floor."""
    if s.step == AT_TAKE:
        return total(from_floor(p.supply & NOT_ORE, s.floor)) >= s.left
    elif s.step == AT_TURN_CHIPS:
        return from_floor(p.camp & NOT_ORE, s.floor) and p.gold >= effect.price
    elif s.step == AT_FINISH:
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
    return s.actor == (2 - s.mover if s.step == AT_RETURN_MATERIAL else s.mover - 1)

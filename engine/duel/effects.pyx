# cython: language_level=3
"""The effects of the cards: whether a use would change something (D16, D37), and how it begins."""
from libc.stdint cimport uint8_t

from clerestory.engine.duel.building cimport can_lose_material, can_place_one, complete_sections
from clerestory.engine.duel.chips cimport (
    ask_market, begin_take, can_trade_at, legal_craftsman, legal_finish, legal_market, legal_sell_wool,
    legal_turn_chips, play_craftsman, play_finish, play_market, play_sell_wool, play_turn_chips, take_raw,
)
from clerestory.engine.duel.effect_rules cimport ACTS, RULES, ActRule, EffectRule
from clerestory.engine.duel.seals cimport (
    can_influence, can_trade, draw_seals, legal_influence, legal_trade_seals, play_influence, play_trade_seals,
)
from clerestory.engine.duel.data.state cimport *
from clerestory.engine.duel.data.tables cimport *


# -- power and gold --------------------------------------------------------------------------------

cdef bint changes_power(const Duel *s, int seat, const Effect *effect) noexcept nogil:
    return s.power != seat

cdef void take_power(Duel *s, const Effect *effect) noexcept nogil:
    s.power = <uint8_t> (s.mover - 1)


cdef bint bank_pays(const Duel *s, int seat, const Effect *effect) noexcept nogil:
    return bank(s) > 0

cdef void take_income(Duel *s, const Effect *effect) noexcept nogil:
    gain_gold(s, mover(s), effect.amount)


cdef bint has_section(const Duel *s, int seat, const Effect *effect) noexcept nogil:
    return bank(s) > 0 and complete_sections(&s.players[seat]) > 0

cdef void take_donation(Duel *s, const Effect *effect) noexcept nogil:
    gain_gold(s, mover(s), effect.amount * complete_sections(mover(s)))


cdef bint has_less_gold(const Duel *s, int seat, const Effect *effect) noexcept nogil:
    return s.players[seat].gold < s.players[1 - seat].gold and bank(s) > 0

cdef void match_gold(Duel *s, const Effect *effect) noexcept nogil:
    """Raise the player's gold to match; it never decreases (D12)."""
    gain_gold(s, mover(s), s.players[2 - s.mover].gold - mover(s).gold)


# -- chips -----------------------------------------------------------------------------------------

cdef bint has_in_supply(const Duel *s, int seat, const Effect *effect) noexcept nogil:
    return count_of(s.players[seat].supply, effect.chip) > 0

cdef void take_kind(Duel *s, const Effect *effect) noexcept nogil:
    take_raw(mover(s), effect.chip, effect.amount)


cdef bint can_turn_kind(const Duel *s, int seat, const Effect *effect) noexcept nogil:
    return count_of(s.players[seat].camp, effect.chip) > 0 and s.players[seat].gold >= effect.price


cdef bint can_visit_market(const Duel *s, int seat, const Effect *effect) noexcept nogil:
    return can_trade_at(&s.players[seat], effect, effect.amount)

cdef void visit_market(Duel *s, const Effect *effect) noexcept nogil:
    s.left = effect.amount
    ask_market(s)


cdef bint has_wool(const Duel *s, int seat, const Effect *effect) noexcept nogil:
    return effect.amount and count_of(s.players[seat].camp, WOOL) > 0


cdef bint has_any_in_supply(const Duel *s, int seat, const Effect *effect) noexcept nogil:
    return s.players[seat].supply & NOT_ORE


cdef bint can_turn_any(const Duel *s, int seat, const Effect *effect) noexcept nogil:
    return effect.amount and s.players[seat].camp & NOT_ORE and s.players[seat].gold >= effect.price

cdef void ask_chips(Duel *s, const Effect *effect) noexcept nogil:
    """Ask for the useful chips, kind by kind, up to the limit of the card if it has one."""
    s.left = effect.amount
    s.floor = WOOD + 1
    ask_step(s, effect)


cdef bint can_buy_any(const Duel *s, int seat, const Effect *effect) noexcept nogil:
    return s.players[seat].supply & NOT_ORE and s.players[seat].gold >= effect.price


# -- seals and buildings ---------------------------------------------------------------------------

cdef bint can_buy_seal(const Duel *s, int seat, const Effect *effect) noexcept nogil:
    return can_influence(s, &s.players[seat], effect.price)


cdef bint stack_has_seals(const Duel *s, int seat, const Effect *effect) noexcept nogil:
    return any_in_stack(s)

cdef void give_seals(Duel *s, const Effect *effect) noexcept nogil:
    draw_seals(s, effect.amount)


cdef bint can_trade_seals(const Duel *s, int seat, const Effect *effect) noexcept nogil:
    return can_trade(&s.players[seat])


cdef bint can_place(const Duel *s, int seat, const Effect *effect) noexcept nogil:
    return can_place_one(&s.players[seat], seat, effect)


cdef bint other_can_lose(const Duel *s, int seat, const Effect *effect) noexcept nogil:
    return can_lose_material(&s.players[1 - seat], 1 - seat)

cdef void ask_other(Duel *s, const Effect *effect) noexcept nogil:
    ask(s, AT_RETURN_MATERIAL, 2 - s.mover)


cdef bint can_be_cheap(const Duel *s, int seat, const Effect *effect) noexcept nogil:
    return not s.built and not s.cheap

cdef void make_cheap(Duel *s, const Effect *effect) noexcept nogil:
    s.cheap = 1


# -- the table -------------------------------------------------------------------------------------

cdef bint never(const Duel *s, int seat, const Effect *effect) noexcept nogil:
    """Return False: for cards that point, or that are played at another time."""
    return False


cdef void ask_step(Duel *s, const Effect *effect) noexcept nogil:
    ask_mover(s, RULES[effect.kind].step)


cdef void nothing(Duel *s, const Effect *effect) noexcept nogil:
    pass


RULES[:] = [
    EffectRule(EFFECT_POWER, changes_power, take_power, STEPS),
    EffectRule(EFFECT_INCOME, bank_pays, take_income, STEPS),
    EffectRule(EFFECT_INFLUENCE, can_buy_seal, ask_step, AT_INFLUENCE),
    EffectRule(EFFECT_RAW, has_in_supply, take_kind, STEPS),
    EffectRule(EFFECT_CRAFTSMAN, can_turn_kind, ask_step, AT_CRAFTSMAN),
    EffectRule(EFFECT_MARKET, can_visit_market, visit_market, AT_MARKET),
    EffectRule(EFFECT_SELL_WOOL, has_wool, ask_step, AT_SELL_WOOL),
    EffectRule(EFFECT_TAKE, has_any_in_supply, begin_take, AT_TAKE),
    EffectRule(EFFECT_SEALS, stack_has_seals, give_seals, AT_DRAW),
    EffectRule(EFFECT_PLACE, can_place, ask_step, AT_PLACE_ONE),
    EffectRule(EFFECT_COPY_ANY, never, ask_step, AT_COPY),
    EffectRule(EFFECT_CONVERT, can_turn_any, ask_chips, AT_TURN_CHIPS),
    EffectRule(EFFECT_RETURN_MATERIAL, other_can_lose, ask_other, AT_RETURN_MATERIAL),
    EffectRule(EFFECT_FINISH, can_buy_any, ask_chips, AT_FINISH),
    EffectRule(EFFECT_STORM, never, nothing, STEPS),
    EffectRule(EFFECT_CHEAP_BUILDING, can_be_cheap, make_cheap, STEPS),
    EffectRule(EFFECT_COPY_MARKED, never, ask_step, AT_COPY),
    EffectRule(EFFECT_TRADE_SEALS, can_trade_seals, ask_step, AT_TRADE_SEALS),
    EffectRule(EFFECT_DONATION, has_section, take_donation, STEPS),
    EffectRule(EFFECT_COPY_UNMARKED, never, ask_step, AT_COPY),
    EffectRule(EFFECT_MATCH_GOLD, has_less_gold, match_gold, STEPS),
]
assert all(RULES[kind].kind == kind for kind in range(EFFECTS))

ACTS[<int> EFFECT_INFLUENCE] = ActRule(legal_influence, play_influence)
ACTS[<int> EFFECT_CRAFTSMAN] = ActRule(legal_craftsman, play_craftsman)
ACTS[<int> EFFECT_MARKET] = ActRule(legal_market, play_market)
ACTS[<int> EFFECT_SELL_WOOL] = ActRule(legal_sell_wool, play_sell_wool)
ACTS[<int> EFFECT_CONVERT] = ActRule(legal_turn_chips, play_turn_chips)
ACTS[<int> EFFECT_FINISH] = ActRule(legal_finish, play_finish)
ACTS[<int> EFFECT_TRADE_SEALS] = ActRule(legal_trade_seals, play_trade_seals)


def filled():
    """Whether the tables have been filled, which importing this module does."""
    return RULES[EFFECTS - 1].kind == EFFECTS - 1

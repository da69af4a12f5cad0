# cython: language_level=3
"""The effects of the cards: one row for each kind of effect."""
from clerestory.engine.duel.state cimport Duel
from clerestory.engine.duel.tables cimport EFFECT_MATCH_GOLD, Effect

cdef enum:
    NUM_EFFECTS = EFFECT_MATCH_GOLD + 1

cdef struct EffectRule:
    int kind          # EffectKind, also its row
    # whether the seat's use of the card would change something (D16, D37); pointing cards are handled elsewhere
    bint (*works)(const Duel *s, int seat, const Effect *effect) noexcept nogil
    # apply the card, or ask for the choice that it needs
    void (*begin)(Duel *s, const Effect *effect) noexcept nogil
    int step          # at which it asks for a choice, STEPS for none

cdef EffectRule RULES[NUM_EFFECTS]

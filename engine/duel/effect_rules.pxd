# cython: language_level=3
"""The rules of the cards' effects: tables with a row per kind of effect, filled by effects.pyx."""
from libc.stdint cimport uint16_t

from clerestory.engine.duel.data.state cimport Duel
from clerestory.engine.duel.data.tables cimport EFFECTS, Effect

cdef struct EffectRule:
    int kind          # EffectKind, also its row
    # whether the seat's use of the card would change something (D16, D37); pointing cards are handled elsewhere
    bint (*works)(const Duel *s, int seat, const Effect *effect) noexcept nogil
    # apply the card, or ask for the choice that it needs
    void (*begin)(Duel *s, const Effect *effect) noexcept nogil
    int step          # step at which it asks for a choice, STEPS for none

cdef struct ActRule:  # of effects that consist of several acts: the rules of their step
    int (*legal)(const Duel *s, uint16_t *out) noexcept nogil
    void (*play)(Duel *s, int a) noexcept nogil

cdef EffectRule RULES[EFFECTS]
cdef ActRule ACTS[EFFECTS]

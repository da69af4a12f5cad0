# cython: language_level=3
"""What the cards do: one row for each effect, by its kind."""
from clerestory.engine.duel.state cimport Duel
from clerestory.engine.duel.tables cimport Effect

cdef enum:
    NUM_EFFECTS = 21

cdef struct EffectRule:
    const char *name  # in a catalogue
    # whether the seat's use of the card would change something (D16, D37); the pointing ones are asked elsewhere
    bint (*works)(const Duel *s, int seat, const Effect *effect) noexcept nogil
    # do what the card does, or ask what it asks
    void (*begin)(Duel *s, const Effect *effect) noexcept nogil
    int step          # at which it asks, STEPS for an effect that asks nothing

cdef EffectRule RULES[NUM_EFFECTS]

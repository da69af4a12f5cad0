# cython: language_level=3
"""What is known of good play at `duel`: hand-made, for bots, informed playouts and explanations."""
from clerestory.engine.core cimport Guide, action_t
from clerestory.engine.duel.building cimport complete_sections
from clerestory.engine.duel.state cimport *

cdef enum:
    FEATURES = 1

cdef void value(const void *state, double *out) noexcept nogil:
    cdef const Duel *s = <const Duel *> state
    cdef int seat
    for seat in range(SEATS):
        out[seat] = 10 * complete_sections(&s.players[seat]) + popcount(s.players[seat].placed) + s.players[seat].gold / 100.0

cdef void weigh(const void *state, const action_t *legal, int n, float *out) noexcept nogil:
    cdef int i
    for i in range(n):
        out[i] = 1

cdef int phase(const void *state) noexcept nogil:
    return (<const Duel *> state).step

cdef const char *FEATURE_NAMES[FEATURES]
FEATURE_NAMES[:] = [b"gold"]

cdef void feature(const void *state, int seat, double *out) noexcept nogil:
    out[0] = (<const Duel *> state).players[seat].gold

GUIDE = Guide(
    phases=STEPS, num_features=FEATURES, features=&FEATURE_NAMES[0], value=value, weigh=weigh, phase=phase,
    feature=feature,
)

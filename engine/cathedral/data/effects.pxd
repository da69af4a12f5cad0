# cython: language_level=3
"""Effects of events on players who are not spared: for each effect a kind, its amounts and its immediate action.

The catalogue uses the same names: EVENT_MILL_GOLD is `mill_gold` there. Some effects act in later steps or require a
choice.
"""
from libc.stdint cimport int8_t, uint8_t

from clerestory.engine.cathedral.data.state cimport *

cpdef enum EventKind:
    EVENT_LEVY
    EVENT_LOSE_VP
    EVENT_BUILDERS
    EVENT_YIELD
    EVENT_LOSE_CRAFTSMAN
    EVENT_GAIN
    EVENT_MILL_GOLD
    EVENT_BLESSING

cdef struct Event:
    uint8_t kind       # EventKind
    int8_t amount      # gold of the levy, VP lost, change of cubes, maximum gold for workers at the mill
    uint8_t gold       # gained
    uint8_t metal      # gained


cdef inline void affect(Cathedral *s, Player *p, const Event *event) noexcept nogil:
    if event.kind == EVENT_LEVY:
        pay_dues(p, event.amount)
    elif event.kind == EVENT_LOSE_VP:
        lose_vp(p, event.amount)
    elif event.kind == EVENT_GAIN:
        gain_gold(p, event.gold)
        gain_cubes(s, p, METAL, event.metal)
    elif event.kind == EVENT_MILL_GOLD:
        gain_gold(p, min(<int> p.mill, <int> event.amount))  # R41

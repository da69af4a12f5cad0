# cython: language_level=3
"""One search: what it was given, its luck, its tree, and the scratch memory of an iteration."""
from libc.stdint cimport uint32_t, uint64_t

from clerestory.engine.core cimport MAX_LEGAL, MAX_SEATS, GameOps, action_t
from clerestory.engine.rng cimport rng_t
from clerestory.search.tree cimport Tree

cdef struct Search:
    # constant during the search
    const GameOps *ops
    uint64_t root[64]            # the position, as the observer knows it
    int seats
    int observer                 # the seat that decides at the root
    double exploration           # C of UCB1, in units of the reward
    # changed by every iteration
    rng_t rng
    Tree tree
    uint64_t iterations
    int depth                    # decisions from the root to the deepest node
    # scratch of one iteration
    uint64_t world[64]           # a determinization, played to its end
    action_t legal[MAX_LEGAL]
    uint32_t *path               # edges taken, max_plies at most
    int length                   # of the path
    double reward[MAX_SEATS]
    # set from outside while the search runs; atomic
    int stop

cdef void iterate(Search *search) noexcept nogil

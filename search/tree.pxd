# cython: language_level=3
"""The tree: information sets by key, and their statistics on edges, in memory that has a limit.

Paths that reach the same node meet there, so it is a graph. A node's edges lie side by side in ascending
order of action; a node that meets new actions gets a new row, and the old one is left behind. Actions lie in
an array of their own: rows of them are compared far more often than edges are read.
"""
from libc.stdint cimport uint16_t, uint32_t, uint64_t

from clerestory.engine.core cimport MAX_SEATS, action_t

cdef enum:
    NO_NODE = 0xFFFFFFFF

cdef struct Edge:                   # 64 bytes, a line of the cache
    double win[MAX_SEATS]           # sum of win shares, by seat
    float win_squares[MAX_SEATS]    # sum of their squares; exact to 2**24 visits, as is what follows
    float margin                    # sum of margins of the seat that decides, points
    float margin_squares            # sum of their squares
    uint32_t visits                 # iterations that took the action
    uint32_t available              # visits to the node in which the action was legal

cdef struct Node:                   # 16 bytes
    uint64_t key
    uint32_t first                  # its row of edges
    uint16_t count                  # edges in the row; 0: this place in the table is free

cdef struct Tree:
    Node *nodes                     # a hash table, open addressing
    Edge *edges
    action_t *actions               # of each edge
    float *priors                   # of each edge: its share of the guide's weights when it was added
    uint32_t num_nodes
    uint32_t num_edges
    uint32_t max_nodes
    uint32_t max_edges
    uint32_t mask                   # places in the table - 1
    uint32_t max_places             # that it may have, a power of two
    bint full                       # something was left out for lack of memory

cdef bint tree_open(Tree *tree, uint64_t max_bytes) noexcept nogil
cdef void tree_close(Tree *tree) noexcept nogil
cdef void tree_clear(Tree *tree) noexcept nogil
cdef uint64_t tree_bytes(const Tree *tree) noexcept nogil
cdef uint32_t tree_find(const Tree *tree, uint64_t key) noexcept nogil
cdef uint32_t tree_enter(Tree *tree, uint64_t key, const action_t *legal, int n) noexcept nogil
cdef int most_visited(const Tree *tree, uint64_t key, const action_t *legal, int n) noexcept nogil

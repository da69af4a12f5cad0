# cython: language_level=3
"""The tree: information sets by key, their statistics on edges, all in memory taken once.

Nodes that are reached in several ways meet, so it is a graph. A node's edges lie side by side in
ascending order of action; a node that meets new actions gets a new row, the old one is left behind.
"""
from libc.stdint cimport uint16_t, uint32_t, uint64_t

from clerestory.engine.core cimport MAX_SEATS, action_t

cdef enum:
    NO_NODE = 0xFFFFFFFF

cdef struct Edge:                # 48 bytes
    double value[MAX_SEATS]      # sum of rewards, by seat
    uint32_t visits              # iterations that took the action
    uint32_t available           # visits to the node in which the action was legal
    action_t action

cdef struct Node:                # 16 bytes
    uint64_t key
    uint32_t first               # its row of edges
    uint16_t count               # edges in the row

cdef struct Tree:
    Node *nodes
    Edge *edges
    uint32_t *slots              # open addressing: node + 1, 0 for an empty slot
    uint32_t num_nodes
    uint32_t num_edges
    uint32_t max_nodes
    uint32_t max_edges
    uint32_t mask                # number of slots - 1
    bint full                    # something was left out for want of memory

cdef bint tree_open(Tree *tree, uint64_t max_bytes) noexcept nogil
cdef void tree_close(Tree *tree) noexcept nogil
cdef uint64_t tree_bytes(const Tree *tree) noexcept nogil
cdef uint32_t tree_find(const Tree *tree, uint64_t key) noexcept nogil
cdef uint32_t tree_enter(Tree *tree, uint64_t key, const action_t *legal, int n) noexcept nogil

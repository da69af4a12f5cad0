# cython: language_level=3
"""The tree: information sets by key, and their statistics on edges, in memory that has a limit.

Paths that reach the same node share it, so it is a graph. A node's edges are adjacent, in ascending
order of action; a node that meets new actions gets a new row, and the old one is left behind. The data of an
edge is in three arrays, by how often it is read: actions are compared at every visit to a node, edges are
read when one of them is chosen, and records are only added to, and read at the end for the root. Most edges are never
tried and have no record.
"""
from libc.stdint cimport uint16_t, uint32_t, uint64_t

from clerestory.engine.core cimport action_t

cdef extern from "sharing.h":
    ctypedef struct span_t:         # a node's row: the end of a Node, which is read and written as one word
        uint32_t first
        uint16_t count
        uint16_t marks
    double peek_sum(const double *p) noexcept nogil
    void poke_sum(double *p, double value) noexcept nogil
    float peek_prior(const float *p) noexcept nogil
    void poke_prior(float *p, float value) noexcept nogil
    uint32_t peek_count(const uint32_t *p) noexcept nogil
    void poke_count(uint32_t *p, uint32_t value) noexcept nogil
    uint64_t peek_key(const uint64_t *p) noexcept nogil
    span_t read_span(const void *word) noexcept nogil

cdef enum:
    NO_NODE = 0xFFFFFFFF
    LINK = 0xFFFFFFFF               # instead of a row of edges: a row that only names another parent of a node
    KEPT = 0x8000                   # mark of a node, set during a compaction
    WIDENING = 0x8000               # the same mark outside of one: a thread is making a new row
    MOVED = 0x40000000              # mark of a record's place: the edge has a new place in its node's new row
    MOST_RECORDS = 0x3FFFFFFF
    PARENT_MARKS = 15               # of a node, below KEPT

cdef struct Edge:                   # 32 bytes, half a line of the cache
    double win                      # sum of the win shares of the seat that decides
    double margin                   # sum of its margins, points
    uint32_t visits                 # iterations that took the action
    uint32_t missing                # visits to the node in which the action was not legal
    uint32_t record                 # its place among the records; 0: none yet; its highest bits are marks
    float prior                     # its share of the guide's weights when it was added; below 0: proven

cdef struct Node:                   # 16 bytes
    uint64_t key                    # 0: this place in the table is free
    uint32_t first                  # its row of edges
    uint16_t count                  # edges in the row; 0: it is being made
    uint16_t marks                  # one for each parent of which there is a row, by its key; several may share one

cdef struct Row:                    # of edges, or a link; they are listed as they were added
    uint64_t key                    # of its node
    uint64_t parent                 # key of the node from which it was reached when it was added; 0: the root
    uint32_t first                  # edge; LINK: none
    uint16_t count                  # during a compaction

cdef struct Tree:
    Node *nodes                     # a hash table, open addressing
    Edge *edges
    Row *rows
    action_t *actions               # of each edge
    double *records                 # sums of win shares, by seat, and of their squares; of squares of margins
    int seats
    uint32_t max_nodes
    uint32_t max_rows
    uint32_t max_edges
    uint32_t mask                   # places in the table - 1
    uint32_t max_places             # that it may have, a power of two
    int full                        # something could not be added for lack of memory
    bint crowded                    # it has to be compacted before the first iteration
    uint32_t cleared                # how often its records were moved or removed
    char before[64]                 # what follows is in a line of the cache of its own, as all threads write it
    uint64_t reused                 # visits to the root's actions from before it was the root
    uint32_t num_edges
    uint32_t num_rows               # changed together with num_edges, in one word
    uint32_t num_nodes
    uint32_t num_records            # including the unused one at place 0
    char after[64]

cdef bint tree_open(Tree *tree, uint64_t max_bytes, int seats) noexcept
cdef void tree_close(Tree *tree) noexcept
cdef void tree_clear(Tree *tree) noexcept nogil
cdef bint tree_grow(Tree *tree) noexcept nogil
cdef uint64_t tree_bytes(const Tree *tree) noexcept nogil
cdef uint32_t place_of(const Tree *tree, uint64_t key) noexcept nogil
cdef uint32_t tree_find(const Tree *tree, uint64_t key) noexcept nogil
cdef uint32_t tree_enter(Tree *tree, uint64_t key, uint64_t parent, const action_t *legal, int n) noexcept nogil
cdef bint tree_crowded(const Tree *tree) noexcept nogil
cdef bint covers(const Tree *tree, span_t row, const action_t *legal, int n) noexcept nogil
cdef uint32_t visits_to(const Tree *tree, span_t row) noexcept nogil
cdef uint16_t mark_of(uint64_t parent) noexcept nogil
cdef double *record_of(Tree *tree, uint32_t edge) noexcept nogil
cdef uint64_t record_numbers(const Tree *tree) noexcept nogil
cdef int most_visited(const Tree *tree, uint64_t key, const action_t *legal, int n) noexcept nogil

# cython: language_level=3
"""The tree: information sets by key, with their statistics on edges, in limited memory.

Paths that reach the same node share it, so the tree is a graph. A node's edges form a row: they are adjacent, in
ascending order of action, behind a head that names the node. Heads and edges are slots of one array, which can be
walked from head to head. A node that meets new actions gets a new row. The data of an edge is in three arrays, by
frequency of access: actions are compared at every visit to a node, edges are read when one is selected, and records are
only added to, and read at the end for the root.

An edge has room for the sums of a few visits. Edges of the root, and all others from their RECORDED-th visit on, have a
record with the exact sums, of which the edge keeps rounded copies. Most edges are tried less often, or never.
"""
from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from clerestory.engine.core cimport action_t

cdef extern from "sharing.h":
    ctypedef struct node_t:         # 8 bytes, read and written as one word
        uint32_t first              # edge of its row; 0: this place in the table is free
        uint16_t tag                # of its key
        uint16_t marks              # one for each parent that has a row, by its key; several may share one
    float peek_sum(const float *p) noexcept nogil
    void poke_sum(float *p, float value) noexcept nogil
    float peek_prior(const float *p) noexcept nogil
    void poke_prior(float *p, float value) noexcept nogil
    uint32_t peek_count(const uint32_t *p) noexcept nogil
    void poke_count(uint32_t *p, uint32_t value) noexcept nogil
    uint16_t peek_action(const uint16_t *p) noexcept nogil
    void poke_action(uint16_t *p, uint16_t value) noexcept nogil
    node_t read_node(const node_t *place) noexcept nogil
    uint32_t read_state(const uint32_t *word) noexcept nogil

cdef extern from *:
    """
    #define PROVEN (-1e-30f)
    """
    const float PROVEN              # prior of a proven edge: explores nothing

cdef enum:
    NO_NODE = 0xFFFFFFFF
    KEPT = 0x8000                   # mark of a node, set during a compaction
    WIDENING = 0x8000               # the same mark outside of a compaction: a thread is making a new row
    MOVED = 0x40000000              # mark of an edge's state: it has moved to its node's new row
    RECORD = 0x20000000             # mark of an edge's state: it has a record
    MOST_RECORDS = RECORD - 1
    RECORDED = 16                   # visits from which on an edge below the root has a record
    PARENT_MARKS = 15               # of a node, below KEPT
    ROOM_BITS = 13                  # of a head's word for the number of slots; the kind is above them

cdef enum Kind:                     # of a row
    FREE                            # unused, in the list of a thread
    ROW
    PART                            # of a node with edges for its likeliest actions, or the only one taken so far
    LEFT                            # its node has a new row
    LINK                            # no row: names another parent of a node

cdef struct Edge:                   # 20 bytes
    float win                       # sum of the win shares of the deciding seat
    float margin                    # sum of its margins, points
    uint32_t visits                 # iterations that took the action
    uint32_t state                  # marks, the highest for its lock; below, the place of its record, or visits missed
    float prior                     # normalized weight of the guide when it was added; below 0: proven

cdef struct Record:                 # of an edge; followed by sums of win shares, squared win shares and squared margins
    double win                      # the edge's sum of win shares
    double margin                   # its sum of margins
    double early                    # of the margins, the part of the visits before it was made
    uint32_t missing                # visits to the node in which the action was not legal
    uint32_t before                 # number of these visits, which the sums behind it lack

cdef struct Head:                   # of a row, in the slot before its edges; as large as an Edge
    uint32_t key[2]                 # key of its node
    uint32_t parent[2]              # key of the first parent; 0: the root
    uint32_t next                   # FREE: the next row in its list; in a compaction, the next one of its parent

cdef struct span_t:                 # a node's row
    uint32_t first                  # its first edge
    int count                       # number of its edges

cdef struct Tree:
    node_t *nodes                   # a hash table, open addressing; their keys are in the heads of their rows
    Edge *edges                     # edges and heads
    action_t *actions               # of each edge; of a head, its kind and the number of slots behind it
    double *records                 # each a Record with its sums
    int seats
    uint64_t max_bytes
    uint64_t max_visits
    uint32_t max_slots              # places of `edges`, more than max_bytes allows together with the other arrays
    uint32_t max_records
    uint32_t mask                   # places in the table - 1
    bint full                       # whether an allocation failed
    bint fixed                      # whether the table of nodes has its final size
    bint late                       # whether this run has no time left to grow the table
    bint crowded                    # whether it has to be compacted before the first iteration
    uint32_t cleared                # how often its rows and records were moved or removed
    uint32_t hand                   # head at which the next sweep begins
    uint32_t least                  # most visits at which a sweep removes a node
    uint64_t freed                  # slots freed since the hand passed the first one
    uint64_t given_up               # most visits to a removed node since the root was set
    char before[64]                 # puts what follows on its own cache line, as all threads write it
    uint64_t reused                 # visits to the root's actions from before it was the root
    uint64_t visits_left            # iterations until some count may have reached max_visits. Atomic
    uint32_t num_slots              # including the unused one at place 0
    uint32_t num_records            # likewise; changed together with num_slots, in one word
    uint32_t num_nodes
    char after[64]

cdef bint tree_open(Tree *tree, uint64_t max_bytes, uint64_t max_visits, int seats) noexcept
cdef void tree_close(Tree *tree) noexcept
cdef void tree_clear(Tree *tree) noexcept nogil
cdef double growth_seconds(const Tree *tree) noexcept nogil
cdef void tree_grow(Tree *tree) noexcept nogil
cdef void tree_reset(Tree *tree) noexcept nogil
cdef uint64_t tree_bytes(const Tree *tree) noexcept nogil
cdef uint64_t bytes_of(const Tree *tree, uint64_t slots, uint64_t records) noexcept nogil
cdef bint take_memory(Tree *tree, uint32_t slots, uint32_t records, uint32_t *was) noexcept nogil
cdef uint32_t place_of(const Tree *tree, uint64_t key) noexcept nogil
cdef uint32_t tree_find(const Tree *tree, uint64_t key) noexcept nogil
cdef bint tree_crowded(const Tree *tree) noexcept nogil
cdef bint covers(const Tree *tree, span_t row, const action_t *legal, int n) noexcept nogil
cdef uint32_t visits_to(const Tree *tree, span_t row) noexcept nogil
cdef uint16_t mark_of(uint64_t parent) noexcept nogil
cdef Record *record_at(const Tree *tree, uint32_t place) noexcept nogil
cdef uint64_t record_bytes(const Tree *tree) noexcept nogil
cdef uint32_t missing_of(const Tree *tree, const Edge *edge) noexcept nogil
cdef int most_visited(const Tree *tree, uint64_t key, const action_t *legal, int n) noexcept nogil

cdef inline Head *head_at(const Tree *tree, uint32_t slot) noexcept nogil:
    return <Head *> &tree.edges[slot]

cdef inline uint64_t key_in(const uint32_t *halves) noexcept nogil:
    cdef uint64_t key
    memcpy(&key, halves, sizeof(key))
    return key

cdef inline int room_of(const Tree *tree, uint32_t slot) noexcept nogil:
    """Return the number of slots behind a head."""
    return peek_action(&tree.actions[slot]) & ((1 << ROOM_BITS) - 1)

cdef inline int kind_of(const Tree *tree, uint32_t slot) noexcept nogil:
    return peek_action(&tree.actions[slot]) >> ROOM_BITS

cdef inline void set_row(Tree *tree, uint32_t slot, int kind, int room) noexcept nogil:
    poke_action(&tree.actions[slot], <action_t> (kind << ROOM_BITS | room))

cdef inline uint64_t key_at(const Tree *tree, uint32_t first) noexcept nogil:
    """Return the key of the node whose row begins with this edge."""
    return key_in(head_at(tree, first - 1).key)

cdef inline uint16_t tag_of(uint64_t key) noexcept nogil:
    """Return bits of a key that do not decide on its place, so most other nodes have another tag."""
    return <uint16_t> (key >> 32)

cdef inline span_t row_of(const Tree *tree, node_t node) noexcept nogil:
    """Return the row of a node."""
    return span_t(node.first, room_of(tree, node.first - 1))

cdef inline span_t row_at(const Tree *tree, uint32_t place) noexcept nogil:
    """Return the row of the node at a place of the table."""
    return row_of(tree, read_node(&tree.nodes[place]))

cdef inline double *sums_in(Record *record) noexcept nogil:
    return <double *> (record + 1)

cdef inline Record *record_of(const Tree *tree, uint32_t state) noexcept nogil:
    """Return the record of an edge with a state, NULL if it has none."""
    return record_at(tree, state & MOST_RECORDS) if state & RECORD else NULL

cdef inline uint32_t place_in(uint32_t state) noexcept nogil:
    """Return the place of an edge's record, 0 if it has none."""
    return state & MOST_RECORDS if state & RECORD else 0

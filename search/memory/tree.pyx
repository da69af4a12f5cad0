# cython: language_level=3
from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp, memset

from clerestory.engine.core cimport action_t
from clerestory.search.memory.pages cimport give_back, release, reserve, take

cdef extern from "sharing.h":
    bint take_bytes(
        uint32_t *pair, uint32_t a, uint32_t b, uint32_t most_a, uint32_t most_b, uint64_t bytes_a, uint64_t bytes_b,
        uint64_t most, uint32_t *was
    ) noexcept nogil

cdef enum:
    FIRST_PLACES = 1024
    MOST_PLACES = 1 << 30
    MOST_SLOTS = 1 << 30
    SMALL_PART = 32              # fraction of the memory that a very small table fills
    SLOT_BYTES = sizeof(Edge) + sizeof(action_t)

cdef double SECONDS_A_PLACE = 0.1e-6  # highest measured, on a busy machine


cdef uint64_t record_bytes(const Tree *tree) noexcept nogil:
    return sizeof(Record) + (2 * tree.seats + 1) * sizeof(double)


cdef Record *record_at(const Tree *tree, uint32_t place) noexcept nogil:
    return <Record *> (tree.records + place * (record_bytes(tree) // sizeof(double)))


cdef uint32_t missing_of(const Tree *tree, const Edge *edge) noexcept nogil:
    """Return the visits to the node of an edge in which its action was not legal."""
    cdef uint32_t state = read_state(&edge.state)
    return peek_count(&record_of(tree, state).missing) if state & RECORD else state & MOST_RECORDS


cdef bint tree_open(Tree *tree, uint64_t max_bytes, uint64_t max_visits, int seats) noexcept:
    """Reserve addresses for max_bytes, however slots and records share them; pages are touched as the tree grows.

    Returns False without enough address space.
    """
    memset(tree, 0, sizeof(Tree))
    tree.seats = seats
    tree.max_bytes = max_bytes
    tree.max_visits = tree.visits_left = max_visits
    tree.max_slots = <uint32_t> min(max_bytes // SLOT_BYTES, <uint64_t> MOST_SLOTS)
    tree.max_records = <uint32_t> min(max_bytes // (SLOT_BYTES + record_bytes(tree)) + 1, <uint64_t> MOST_RECORDS)
    tree.mask = FIRST_PLACES - 1
    tree.nodes = <node_t *> reserve((tree.mask + 1) * sizeof(node_t))
    tree.edges = <Edge *> take(tree.max_slots * sizeof(Edge))
    tree.actions = <action_t *> take(tree.max_slots * sizeof(action_t))
    tree.records = <double *> take(tree.max_records * record_bytes(tree))
    if tree.nodes == NULL or tree.edges == NULL or tree.actions == NULL or tree.records == NULL:
        return False
    tree.num_slots = tree.num_records = 1
    tree_reset(tree)
    return True


cdef void tree_close(Tree *tree) noexcept:
    with nogil:
        release(tree.nodes, (tree.mask + 1) * sizeof(node_t))
    give_back(tree.edges, tree.max_slots * sizeof(Edge))
    give_back(tree.actions, tree.max_slots * sizeof(action_t))
    give_back(tree.records, tree.max_records * record_bytes(tree))
    memset(tree, 0, sizeof(Tree))


cdef void tree_clear(Tree *tree) noexcept nogil:
    """Remove every node and all counts; keep the memory."""
    memset(tree.nodes, 0, (tree.mask + 1) * sizeof(node_t))
    tree.num_nodes = 0
    tree.num_slots = tree.num_records = 1
    tree.visits_left = tree.max_visits
    tree_reset(tree)


cdef void tree_reset(Tree *tree) noexcept nogil:
    """Reset positions in memory and flags of memory shortage."""
    tree.cleared += 1
    tree.full = False
    tree.fixed = False
    tree.hand = 1
    tree.least = 1
    tree.freed = 0


cdef uint64_t bytes_of(const Tree *tree, uint64_t slots, uint64_t records) noexcept nogil:
    """Return the memory of a tree with these numbers of slots and records; the table of nodes counts in full."""
    return (<uint64_t> tree.mask + 1) * sizeof(node_t) + slots * SLOT_BYTES + records * record_bytes(tree)


cdef uint64_t tree_bytes(const Tree *tree) noexcept nogil:
    """Return the memory in use."""
    return bytes_of(tree, tree.num_slots, tree.num_records)


cdef bint take_memory(Tree *tree, uint32_t slots, uint32_t records, uint32_t *was) noexcept nogil:
    """Take adjacent slots and records, and write the first of each; False if there is not enough memory left."""
    cdef uint64_t most = tree.max_bytes - bytes_of(tree, 0, 0)
    return take_bytes(
        &tree.num_slots, slots, records, tree.max_slots, tree.max_records, SLOT_BYTES, record_bytes(tree), most, was
    )


cdef uint32_t place_of(const Tree *tree, uint64_t key) noexcept nogil:
    """Return the place of the node with the key, or the free place where it belongs."""
    cdef uint32_t place = <uint32_t> key & tree.mask
    cdef node_t there = read_node(&tree.nodes[place])
    while there.first and (there.tag != tag_of(key) or key_at(tree, there.first) != key):
        place = (place + 1) & tree.mask
        there = read_node(&tree.nodes[place])
    return place


cdef uint32_t tree_find(const Tree *tree, uint64_t key) noexcept nogil:
    """Return the node of a key, or NO_NODE."""
    cdef uint32_t place = place_of(tree, key)
    return place if read_node(&tree.nodes[place]).first else NO_NODE


cdef bint tree_crowded(const Tree *tree) noexcept nogil:
    """Whether more than half of the memory is taken."""
    return tree_bytes(tree) > tree.max_bytes // 2


cdef uint16_t mark_of(uint64_t parent) noexcept nogil:
    """Return the mark of a parent."""
    return <uint16_t> (1 << ((parent >> 32) * PARENT_MARKS >> 32))


cdef double growth_seconds(const Tree *tree) noexcept nogil:
    """Return an upper estimate of the seconds that growing the table takes."""
    return SECONDS_A_PLACE * tree.num_nodes


cdef void tree_grow(Tree *tree) noexcept nogil:
    """Double the table, or quadruple a very small one, if there is memory."""
    cdef node_t *old = tree.nodes
    cdef uint64_t i, places = <uint64_t> tree.mask + 1
    cdef uint64_t wanted = places * (4 if SMALL_PART * 4 * places * sizeof(node_t) <= tree.max_bytes else 2)
    cdef node_t *grown = NULL
    if wanted <= MOST_PLACES and tree_bytes(tree) + (wanted - places) * sizeof(node_t) <= tree.max_bytes:
        grown = <node_t *> reserve(wanted * sizeof(node_t))
    if grown == NULL:
        tree.fixed = True
        return
    tree.nodes = grown
    tree.mask = <uint32_t> (wanted - 1)
    for i in range(places):
        if old[i].first:
            tree.nodes[place_of(tree, key_at(tree, old[i].first))] = old[i]
    release(old, places * sizeof(node_t))


cdef bint covers(const Tree *tree, span_t row, const action_t *legal, int n) noexcept nogil:
    """Whether every legal action has an edge."""
    cdef const action_t *actions = tree.actions + row.first
    cdef int i, e = 0
    if n == row.count and memcmp(actions, legal, n * sizeof(action_t)) == 0:
        return True
    for i in range(n):
        while e < row.count and actions[e] < legal[i]:
            e += 1
        if e == row.count or actions[e] != legal[i]:
            return False
    return True


cdef uint32_t visits_to(const Tree *tree, span_t row) noexcept nogil:
    """Return the number of visits to the node of a row; each visit took one of its actions."""
    cdef uint32_t edge, visits = 0
    for edge in range(row.first, row.first + row.count):
        visits += peek_count(&tree.edges[edge].visits)
    return visits


cdef int most_visited(const Tree *tree, uint64_t key, const action_t *legal, int n) noexcept nogil:
    """Return the legal action with the most visits, -1 if none was visited."""
    cdef uint32_t place = tree_find(tree, key), edge, visits = 0
    cdef int i = 0, best = -1
    cdef span_t row
    if place == NO_NODE:
        return -1
    row = row_at(tree, place)
    for edge in range(row.first, row.first + row.count):
        while i < n and legal[i] < tree.actions[edge]:
            i += 1
        if i < n and legal[i] == tree.actions[edge] and tree.edges[edge].visits > visits:
            best = legal[i]
            visits = tree.edges[edge].visits
    return best

# cython: language_level=3
from libc.stdint cimport uint64_t
from libc.string cimport memcpy

from clerestory.engine.core cimport MAX_LEGAL, MAX_WORDS, OVER
from clerestory.search.memory.tree cimport MOVED, NO_NODE, Edge, most_visited, read_span, record_at, tree_find


cdef span_t root_row(const Search *search) noexcept nogil:
    """Return the row of the root; an empty one if the root is not in the tree."""
    cdef uint32_t root = tree_find(search.tree, search.ops.key(search.root.state, search.root.observer))
    return span_t(0, 0, 0) if root == NO_NODE else read_span(&search.tree.nodes[root].first)


cdef ActionSums sums_of(const Search *search, uint32_t place, uint32_t visits) noexcept nogil:
    """Return the sums of an edge, given the visits to its node."""
    cdef const Edge *edge = &search.tree.edges[place]
    cdef const double *record = record_at(search.tree, edge.record & (MOVED - 1))
    cdef int seats = search.seats
    return ActionSums(edge.visits, visits - edge.missing, record, record + seats, edge.margin, record[2 * seats])


cdef int write_variation(const Search *search, action_t a, action_t *out) noexcept nogil:
    """Write the principal variation from a root action on, in the observer's view; return its length."""
    cdef uint64_t view[MAX_WORDS]
    cdef int code = a, n = 0
    memcpy(view, search.root.state, sizeof(view))
    while code >= 0 and n < MOST_VARIATION:
        out[n] = <action_t> code
        n += 1
        search.ops.play(view, <action_t> code)
        code = next_code(search, view)
    return n


cdef int next_code(const Search *search, const void *view) noexcept nogil:
    """Return the only outcome of a chance event, or the most visited action; -1 if there is none."""
    cdef action_t legal[MAX_LEGAL]
    cdef int turn = search.ops.turn(view)
    cdef int n = 0 if turn == OVER else search.ops.legal(view, legal)
    if turn < 0:
        return legal[0] if n == 1 else -1
    return most_visited(search.tree, search.ops.key(view, search.root.observer), legal, n)

# cython: language_level=3
from libc.math cimport INFINITY
from libc.stdint cimport uint64_t
from libc.string cimport memcpy, memset

from clerestory.engine.core cimport MAX_LEGAL, MAX_SEATS, MAX_WORDS, OVER
from clerestory.search.memory.tree cimport (
    NO_NODE, Edge, Record, missing_of, most_visited, record_of, row_at, sums_in, tree_find,
)


cdef span_t root_row(const Search *search) noexcept nogil:
    """Return the row of the root; an empty one if the root is not in the tree."""
    cdef uint32_t root = tree_find(search.tree, search.ops.key(search.root.state, search.root.observer))
    return span_t(0, 0) if root == NO_NODE else row_at(search.tree, root)


cdef ActionSums sums_of(const Search *search, uint32_t place, uint32_t visits) noexcept nogil:
    """Return the sums of an edge, given the visits to its node.

    Those of visits before the edge had a record are estimated: only the deciding seat's win share and margin are known.
    """
    cdef const Edge *edge = &search.tree.edges[place]
    cdef Record *record = record_of(search.tree, edge.state)
    cdef ActionSums sums
    memset(&sums, 0, sizeof(sums))
    sums.visits = edge.visits
    sums.availability = visits - missing_of(search.tree, edge)
    sums.margin = edge.margin if record == NULL else record.margin
    if record != NULL and record.before == 0:
        memcpy(sums.wins, sums_in(record), search.seats * sizeof(double))
        memcpy(sums.win_squares, sums_in(record) + search.seats, search.seats * sizeof(double))
        sums.margin_squares = sums_in(record)[2 * search.seats]
    elif edge.visits:
        estimate_wins(search, edge, record, &sums)
        estimate_squares(search, edge, record, &sums)
    return sums


cdef void estimate_wins(const Search *search, const Edge *edge, Record *record, ActionSums *sums) noexcept nogil:
    """Divide the win shares that the deciding seat did not get like the recorded ones, evenly without any."""
    cdef double own = edge.win if record == NULL else record.win
    cdef double known[MAX_SEATS]
    cdef double total = 0
    cdef int i, seats = search.seats, seat = search.root.seat
    for i in range(seats):
        known[i] = 0 if record == NULL else sums_in(record)[i]
        total += known[i] if i != seat else 0
    for i in range(seats):
        sums.wins[i] = (edge.visits - own) * (known[i] / total if total > 0 else 1.0 / (seats - 1))
    sums.wins[seat] = own


cdef void estimate_squares(const Search *search, const Edge *edge, Record *record, ActionSums *sums) noexcept nogil:
    """Give all visits the variance of the recorded ones, without two of them the largest possible one."""
    cdef double visits = edge.visits, counted = 0 if record == NULL else visits - record.before
    cdef int i, seats = search.seats
    for i in range(seats):
        sums.win_squares[i] = sums.wins[i]
        if counted >= 2:
            sums.win_squares[i] = square_sum(
                visits, sums.wins[i], counted, sums_in(record)[i], sums_in(record)[seats + i]
            )
    sums.margin_squares = INFINITY
    if counted >= 2:
        sums.margin_squares = square_sum(
            visits, sums.margin, counted, record.margin - record.early, sums_in(record)[2 * seats]
        )


cdef inline double square_sum(double n, double total, double counted, double known, double squares) noexcept nogil:
    """Return the sum of squares of n numbers with the variance of those that were counted."""
    return total * total / n + n * (squares / counted - known * known / (counted * counted))


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

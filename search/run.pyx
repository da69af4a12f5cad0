# cython: language_level=3
"""A run: iterations until a limit is reached, or until the rest of them could not change the choice."""
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcpy, memset

from clerestory.engine.clock cimport monotonic
from clerestory.engine.core cimport MAX_LEGAL, NATURE, action_t
from clerestory.search.compaction cimport compaction_seconds, tree_compact
from clerestory.search.iteration cimport iterate
from clerestory.search.search cimport Speed
from clerestory.search.tree cimport NO_NODE, tree_clear, tree_find

cdef extern from *:
    """
    #define read_flag(p) __atomic_load_n((p), __ATOMIC_RELAXED)
    """
    int read_flag(int *p) noexcept nogil

cdef enum:
    LOOK_EVERY = 8               # iterations between readings of the clock and checks of the root
    ENOUGH_WINDOWS = 8           # needed before the speed is trusted: no delay fills all of them

cdef double MOST_FOR_ROOM = 0.25  # of the time left
cdef double WINDOW = 0.001       # seconds over which a speed is measured: shorter than most delays


cdef inline double read_clock(const Search *search) noexcept nogil:
    return monotonic() if search.limits.ask_clock == NULL else search.limits.ask_clock(search.limits.clock)


cdef void make_room(Search *search, double deadline) noexcept nogil:
    """Compact a crowded tree if that takes little of the time left.

    Otherwise clear a full tree that has fewer iterations of the root than the time left allows.
    """
    cdef uint64_t reused = search.statistics.reused
    cdef double left
    if not search.crowded:
        return
    search.crowded = False
    left = deadline - read_clock(search)
    if compaction_seconds(&search.tree) < MOST_FOR_ROOM * left:
        if tree_compact(&search.tree, search.ops.key(search.root.state, search.root.observer)):
            return
    if search.tree.full and (reused == 0 or reused < search.speed.fastest * left):
        tree_clear(&search.tree)
        search.statistics.reused = 0


cdef int run_until(Search *search, double pause, double deadline, uint64_t iterations, bint early) noexcept nogil:
    """Iterate at least once, until the deadline, the number of iterations, stop, pause or, if early, a decision."""
    cdef uint64_t done = search.statistics.iterations, end = done + iterations
    cdef double now
    make_room(search, deadline)
    begin_window(&search.speed, done, read_clock(search))
    while True:
        iterate(search)
        done += 1
        if read_flag(search.limits.stop):
            return BY_STOP
        if done >= end:
            return BY_ITERATIONS
        if done % LOOK_EVERY == 0 or done < LOOK_EVERY:
            now = read_clock(search)
            if now >= deadline:
                return BY_TIME
            measure(&search.speed, done, now)
            if early and decided(&search, 1, prospect(search, deadline - now, <double> (end - done))):
                return BY_DECISION
            if now >= pause:
                return BY_PAUSE


# -- speed -----------------------------------------------------------------------------------------

cdef inline void begin_window(Speed *speed, uint64_t done, double now) noexcept nogil:
    speed.begin = done
    speed.since = now


cdef inline void measure(Speed *speed, uint64_t done, double now) noexcept nogil:
    """End the window if it is long enough, and begin the next one."""
    if now - speed.since >= WINDOW:
        speed.fastest = max(speed.fastest, (done - speed.begin) / (now - speed.since))
        speed.windows += 1
        begin_window(speed, done, now)


# -- an early end ----------------------------------------------------------------------------------

cdef int list_root(const Search *search, action_t *out) noexcept nogil:
    """Write the actions of the root that may be chosen, ascending; return how many."""
    if not search.root.num_considered:
        return search.ops.legal(search.root.state, out)
    memcpy(out, search.root.considered, search.root.num_considered * sizeof(action_t))
    return search.root.num_considered


cdef double prospect(const Search *search, double seconds, double iterations) noexcept nogil:
    """Return how many more iterations a search could run in the time left, at the best speed it has reached.

    The speed is that of the fastest window of its own running time. Waiting for other threads, page faults and growing
    the table slow some windows down but say nothing about those to come.
    """
    if search.speed.windows < ENOUGH_WINDOWS:
        return iterations
    return min(iterations, search.speed.fastest * seconds + LOOK_EVERY)


cdef bint decided(Search **trees, int count, double remaining) noexcept nogil:
    """Whether no other line would be chosen even if it got every iteration that the trees have left."""
    cdef action_t legal[MAX_LEGAL]
    cdef uint64_t visits[MAX_LEGAL]
    cdef uint64_t most = 0, second = 0
    cdef int i, n
    if trees[0].ops.turn(trees[0].root.state) == NATURE:
        return False
    n = list_root(trees[0], legal)
    memset(visits, 0, n * sizeof(uint64_t))
    for i in range(count):
        add_visits(trees[i], legal, n, visits)
    for i in range(n):
        if visits[i] > most:
            second = most
            most = visits[i]
        else:
            second = max(second, visits[i])
    return n == 1 or second + remaining < trees[0].options.rival_share * most


cdef void add_visits(const Search *search, const action_t *legal, int n, uint64_t *visits) noexcept nogil:
    """Add the visits of each listed action of the root; other actions that a warm tree knows do not count."""
    cdef uint32_t root = tree_find(&search.tree, search.ops.key(search.root.state, search.root.observer))
    cdef uint32_t edge, end
    cdef int i = 0
    if root == NO_NODE:
        return
    edge = search.tree.nodes[root].first
    end = edge + search.tree.nodes[root].count
    while i < n and edge < end:
        if search.tree.actions[edge] == legal[i]:
            visits[i] += search.tree.edges[edge].visits
            i += 1
        elif search.tree.actions[edge] > legal[i]:
            i += 1
            continue
        edge += 1

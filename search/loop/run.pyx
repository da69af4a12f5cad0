# cython: language_level=3
"""A run: iterates until a limit is reached, or until the remaining iterations could not change the choice."""
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcpy, memset

from clerestory.engine.clock cimport monotonic
from clerestory.engine.core cimport MAX_LEGAL, NATURE, action_t
from clerestory.search.loop.iteration cimport is_settled, iterate, may_be_settled
from clerestory.search.loop.proof cimport is_open
from clerestory.search.loop.search cimport MOST_HELD, Root, Speed, Statistics, gate_t
from clerestory.search.loop.sharing cimport hand_in_all
from clerestory.search.memory.compaction cimport compaction_seconds, tree_compact
from clerestory.search.memory.room cimport count_nodes
from clerestory.search.memory.sweep cimport relieve
from clerestory.search.memory.tree cimport (
    NO_NODE, Tree, growth_seconds, peek_count, peek_sum, row_at, span_t, tree_clear, tree_find, tree_grow,
)

from clerestory.search.options import SETTLED_VISITS

cdef extern from "sharing.h":
    int read_flag(const int *flag) noexcept nogil
    void write_flag(int *flag, int value) noexcept nogil
    uint64_t draw_from(uint64_t *left, uint64_t most) noexcept nogil
    void put_into(uint64_t *left, uint64_t n) noexcept nogil
    uint64_t read_left(const uint64_t *left) noexcept nogil
    bint is_counted(const uint64_t *left) noexcept nogil
    bint gate_enter(gate_t *gate) noexcept nogil
    void gate_leave(gate_t *gate) noexcept nogil
    void gate_pass(gate_t *gate) noexcept nogil
    void gate_hold(gate_t *gate) noexcept nogil
    void gate_release(gate_t *gate) noexcept nogil

cdef enum:
    BATCH = 64                   # iterations that a thread claims at once
    LOOK_EVERY = 8               # iterations between readings of the clock and checks of the root
    ENOUGH_WINDOWS = 8           # required before the speed is trusted: no delay fills all of them

cdef double SETTLED_SHARE = SETTLED_VISITS
cdef double MOST_FOR_ROOM = 0.25  # of the time left
cdef double WINDOW = 0.001       # seconds over which a speed is measured: shorter than most delays


cdef inline double read_clock(const Search *search) noexcept nogil:
    return monotonic() if search.limits.ask_clock == NULL else search.limits.ask_clock(search.limits.clock)


cdef inline uint64_t root_key(const Search *search) noexcept nogil:
    return search.ops.key(search.root.state, search.root.observer)


cdef void make_room(Search *search, double deadline) noexcept nogil:
    """Compact a crowded tree if that takes little of the time left.

    Otherwise clear a tree that does not know the root, or a full one with fewer iterations of the root than the time
    left allows.
    """
    cdef uint64_t reused = search.tree.reused
    cdef double left
    if not search.tree.crowded:
        return
    search.tree.crowded = False
    left = deadline - read_clock(search)
    if compaction_seconds(search.tree) < MOST_FOR_ROOM * left:
        if tree_compact(search.tree, root_key(search)):
            return
    if reused == 0 or search.tree.full and reused < search.speed.fastest * left:
        tree_clear(search.tree)
        search.tree.reused = 0


cdef int run_until(Search *search, double pause, double deadline, bint early) noexcept nogil:
    """Iterate until the deadline, the last of the iterations, stop, pause or, if early, a decision.

    Runs at least once, unless other threads have claimed all iterations.
    """
    cdef uint64_t most = take_on(search), done
    cdef int ending = BY_ITERATIONS
    if most == 0:
        return ending
    search.shared = gate_enter(search.gate)
    if not search.shared:
        make_room(search, deadline)
    done = search.statistics.iterations
    begin_window(&search.speed, done, read_clock(search))
    most += done
    ending = iterate_until(search, &most, pause, deadline, early)
    hand_in_all(search)
    count_nodes(search.tree, &search.room)
    gate_leave(search.gate)
    put_back(search, most - search.statistics.iterations)
    return ending


cdef uint64_t take_on(Search *search) noexcept nogil:
    """Claim more iterations; return their number: 0 once all are claimed or the tree may not count more."""
    cdef uint64_t counted = draw_from(&search.tree.visits_left, BATCH)
    cdef uint64_t taken = draw_from(search.limits.left, counted)
    put_into(&search.tree.visits_left, counted - taken)
    return taken


cdef void put_back(Search *search, uint64_t n) noexcept nogil:
    """Return n claimed iterations that were not made, for other threads or later runs."""
    put_into(search.limits.left, n)
    put_into(&search.tree.visits_left, n)


cdef int iterate_until(Search *search, uint64_t *end, double pause, double deadline, bint early) noexcept nogil:
    """Iterate, claiming more iterations whenever the claimed ones are done."""
    cdef uint64_t done = search.statistics.iterations
    cdef int flag
    cdef double now
    while True:
        if search.growing or search.room.short:
            extend(search, deadline)
        iterate(search)
        done += 1
        if read_flag(&search.gate.comes):
            hand_in_all(search)
            gate_pass(search.gate)
            search.shared = True
        flag = read_flag(search.limits.stop)
        if flag:
            return flag
        if done == end[0]:
            end[0] += take_on(search)
            if done == end[0]:
                return BY_ITERATIONS
        if done % LOOK_EVERY == 0 or done < LOOK_EVERY:
            now = read_clock(search)
            if now >= deadline:
                return BY_TIME
            measure(&search.speed, done, now)
            if early and decided(search, prospect(search, deadline - now, <double> (end[0] - done))):
                write_flag(search.limits.stop, BY_DECISION)
                return BY_DECISION
            if now >= pause:
                return BY_PAUSE


cdef void extend(Search *search, double deadline) noexcept nogil:
    """Grow the table of nodes, or free memory if it is short, while the other threads wait."""
    if search.shared:
        hand_in_all(search)
        gate_hold(search.gate)
    if search.growing and not (search.tree.fixed or search.tree.late) and is_half_full(search.tree):
        grow(search, deadline)
    search.growing = False
    if search.room.short:
        relieve(search.tree, &search.room, root_key(search), search.limits.threads)
    if search.shared:
        gate_release(search.gate)


cdef inline void grow(Search *search, double deadline) noexcept nogil:
    """Grow the table, or leave it until the next run if growing would pass the deadline.

    A run limited by iterations always grows it: its result does not depend on time.
    """
    if is_counted(search.limits.left) or growth_seconds(search.tree) < deadline - read_clock(search):
        tree_grow(search.tree)
    else:
        search.tree.late = True


cdef inline bint is_half_full(const Tree *tree) noexcept nogil:
    """Whether the table is half full; another thread may have grown it meanwhile."""
    return tree.num_nodes > tree.mask / 2


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

cdef double prospect(const Search *search, double seconds, double own) noexcept nogil:
    """Return how many more iterations all threads could run in the time left, at this thread's best speed.

    That speed is measured in the fastest window of its running time. Waiting for other threads, page faults and growing
    the table slow some windows down but do not predict the next ones. `own` is the number of iterations it has claimed.
    Outcomes that threads hold back count as still to come.
    """
    cdef int threads = search.limits.threads
    cdef double held = threads * MOST_HELD if threads > 1 else 0
    cdef double iterations = own + <double> read_left(search.limits.left) + (threads - 1) * BATCH
    if search.speed.windows < ENOUGH_WINDOWS:
        return iterations + held
    return min(iterations, (search.speed.fastest * seconds + LOOK_EVERY) * threads) + held


cdef bint decided(const Search *search, double remaining) noexcept nogil:
    """Whether no other line would be chosen even if it got all remaining iterations."""
    cdef action_t legal[MAX_LEGAL]
    cdef uint64_t visits[MAX_LEGAL]
    cdef uint64_t most = 0, second = 0
    cdef int i, n
    if search.ops.turn(search.root.state) == NATURE:
        return False
    n = list_root(search, legal)
    count_visits(search, legal, n, visits)
    for i in range(n):
        if visits[i] > most:
            second = most
            most = visits[i]
        else:
            second = max(second, visits[i])
    return n == 1 or second + remaining < rival_share(search) * most


cdef double rival_share(const Search *search) noexcept nogil:
    """Return the share of the most visits that a line needs to be chosen, now or once the win is settled."""
    cdef uint32_t edges[MAX_LEGAL]
    cdef int i, n = root_edges(search, edges)
    cdef uint64_t visits = 0
    cdef double won = 0
    for i in range(n):
        visits += peek_count(&search.tree.edges[edges[i]].visits)
        won += peek_sum(&search.tree.edges[edges[i]].win)
    if search.options.by_priors and search.options.settled and may_be_settled(search, visits, won):
        return SETTLED_SHARE
    return search.options.rival_share


# -- the root --------------------------------------------------------------------------------------

cdef void begin_root(
    Search *search, const void *view, int observer, int seat, const action_t *considered, int n, bint hands
) noexcept nogil:
    """Move a search to another root of the same observer.

    Args:
        view: the position as the observer knows it.
        seat: the seat to decide; at a chance event the observer.
        considered: the only actions to search, ascending, if n is not 0.
        hands: whether players of the game have cards that the others do not see.
    """
    cdef Root *start = &search.root
    memcpy(start.state, view, search.ops.state_size)
    start.observer = observer
    start.seat = max(seat, 0)
    start.num_considered = n
    memcpy(start.considered, considered, n * sizeof(action_t))
    start.settled = not hands and is_open(search)
    start.proves = search.options.keeps_proofs and start.settled
    search.luck.turns_left = 0
    search.speed.windows = 0
    search.statistics = Statistics(iterations=0, depth=0)


cdef uint64_t root_visits(const Search *search) noexcept nogil:
    """Return the visits to the actions of the root that may be chosen."""
    cdef action_t legal[MAX_LEGAL]
    cdef uint64_t visits[MAX_LEGAL]
    cdef uint64_t total = 0
    cdef int i, n = list_root(search, legal)
    count_visits(search, legal, n, visits)
    for i in range(n):
        total += visits[i]
    return total


cdef int list_root(const Search *search, action_t *out) noexcept nogil:
    """Write the actions of the root that may be chosen, ascending; return how many."""
    if not search.root.num_considered:
        return search.ops.legal(search.root.state, out)
    memcpy(out, search.root.considered, search.root.num_considered * sizeof(action_t))
    return search.root.num_considered


cdef bint root_settled(const Search *search) noexcept nogil:
    """Whether the seat to decide surely wins or loses."""
    cdef uint32_t edges[MAX_LEGAL]
    cdef int n = root_edges(search, edges)
    return search.options.by_priors and is_settled(search, search.tree.edges, edges, n)


cdef int root_edges(const Search *search, uint32_t *out) noexcept nogil:
    """Write the edges of the actions of the root that may be chosen; return how many there are in the tree."""
    cdef action_t legal[MAX_LEGAL]
    cdef uint32_t edge, root = tree_find(search.tree, root_key(search))
    cdef span_t row
    cdef int i = 0, found = 0, n
    if root == NO_NODE or search.ops.turn(search.root.state) == NATURE:
        return 0
    n = list_root(search, legal)
    row = row_at(search.tree, root)
    for edge in range(row.first, row.first + row.count):
        while i < n and legal[i] < search.tree.actions[edge]:
            i += 1
        if i < n and legal[i] == search.tree.actions[edge]:
            out[found] = edge
            found += 1
    return found


cdef void count_visits(const Search *search, const action_t *legal, int n, uint64_t *visits) noexcept nogil:
    """Write the visits of each listed action of the root; other actions that a warm tree knows do not count."""
    cdef uint32_t root = tree_find(search.tree, root_key(search))
    cdef uint32_t edge, end
    cdef span_t row
    cdef int i = 0
    memset(visits, 0, n * sizeof(uint64_t))
    if root == NO_NODE:
        return
    row = row_at(search.tree, root)
    edge = row.first
    end = edge + row.count
    while i < n and edge < end:
        if search.tree.actions[edge] == legal[i]:
            visits[i] = peek_count(&search.tree.edges[edge].visits)
            i += 1
        elif search.tree.actions[edge] > legal[i]:
            i += 1
            continue
        edge += 1

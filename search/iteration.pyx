# cython: language_level=3
"""Single-observer information-set Monte Carlo tree search (Cowling, Powley, Whitehouse 2012, IEEE TCIAIG 4(2)).

Each iteration deals a world that is consistent with the observer's knowledge, descends the tree by UCB1 over
the actions legal in that world, adds one action, plays out, and updates every edge of its path.
"""
from libc.math cimport INFINITY, sqrt
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from clerestory.engine.clock cimport monotonic
from clerestory.engine.core cimport MAX_LEGAL, NATURE, OVER, action_t
from clerestory.engine.elementary cimport elementary_log
from clerestory.engine.rng cimport rng_below
from clerestory.search.compaction cimport compaction_seconds, tree_compact
from clerestory.search.proof cimport prove
from clerestory.search.tree cimport NO_NODE, Edge, Node, record_of, tree_clear, tree_enter, tree_find

cdef extern from *:
    """
    #define read_flag(p) __atomic_load_n((p), __ATOMIC_RELAXED)
    #define prefetch(p) __builtin_prefetch((p), 1)
    """
    int read_flag(int *p) noexcept nogil
    void prefetch(const void *p) noexcept nogil

cdef enum:
    LOOK_EVERY = 8               # iterations between readings of the clock and checks of the root
    ENOUGH_WINDOWS = 8           # needed before the speed is trusted: no delay fills all of them

cdef double GROWS_FROM = 500     # visits to a node, by which C of PUCT has grown once
cdef double MOST_FOR_ROOM = 0.25  # of the time left
cdef double WINDOW = 0.001       # seconds over which a speed is measured: shorter than most delays


# -- one iteration ---------------------------------------------------------------------------------

cdef void iterate(Search *search) noexcept nogil:
    memcpy(search.world, search.root, search.ops.state_size)
    if search.even:
        rewind(search)
    search.ops.deal(search.world, &search.rng)
    descend(search)
    search.ended = search.ops.turn(search.world) == OVER
    search.play_out(search)
    if search.by_range:
        rescale(search)
    back_up(search)
    if search.proves and search.ended:
        prove(search)
    search.iterations += 1


cdef void rewind(Search *search) noexcept nogil:
    """Restart the random numbers for each turn of a round, so that all turns use the same world."""
    if search.turns_left:
        search.rng = search.round_rng
    else:
        search.round_rng = search.rng


cdef action_t in_turn(Search *search, int n) noexcept nogil:
    """Return the one of n listed actions of the root whose turn it is."""
    if search.turns_left == 0:
        search.turns_left = n
    search.turns_left -= 1
    return search.legal[n - 1 - search.turns_left]


cdef void descend(Search *search) noexcept nogil:
    """Descend until an untried action has been played, the game is over, or memory is full."""
    cdef uint32_t node
    cdef int n, turn = search.ops.turn(search.world)
    search.length = 0
    search.path_hash = 0
    search.entered = 0
    if turn == NATURE:  # the root's own chance event has a line for each outcome
        node = enter(search, search.ops.legal(search.world, search.legal))
        if node == NO_NODE:
            return
        if not follow(search, node, outcome_edge(search, node, draw_outcome(search)), search.seat):
            return
    while True:
        turn = search.ops.turn(search.world)
        if turn == NATURE:
            search.ops.play(search.world, search.ops.draw(search.world, &search.rng))
            if search.length:
                search.path[search.length - 1].certain = False
            continue
        if turn == OVER:
            return
        n = list_actions(search)
        if n == 0:
            return
        node = enter(search, n)
        if node == NO_NODE:
            return
        if not follow(search, node, choose_edge(search, &search.tree.nodes[node], n), turn):
            return


cdef int list_actions(Search *search) noexcept nogil:
    """Write the legal actions, at the root only those considered, and return how many.

    None may be left if the observer does not know what the deciding seat holds.
    """
    cdef int n = search.ops.legal(search.world, search.legal)
    return n if search.length or not search.num_considered else keep_considered(search, n)


cdef int keep_considered(Search *search, int n) noexcept nogil:
    """Keep those of n legal actions that are considered; both lists ascend."""
    cdef int i, c = 0, kept = 0
    for i in range(n):
        while c < search.num_considered and search.considered[c] < search.legal[i]:
            c += 1
        if c < search.num_considered and search.considered[c] == search.legal[i]:
            search.legal[kept] = search.legal[i]
            kept += 1
    return kept


cdef int list_root(const Search *search, action_t *out) noexcept nogil:
    """Write the actions of the root that may be chosen, ascending; return how many."""
    if not search.num_considered:
        return search.ops.legal(search.root, out)
    memcpy(out, search.considered, search.num_considered * sizeof(action_t))
    return search.num_considered


cdef uint32_t enter(Search *search, int n) noexcept nogil:
    """Return the world's node, with an edge for each of the n listed actions; NO_NODE if memory is full."""
    cdef uint64_t key = search.path_hash
    if search.length == 0 or search.identity != BY_ACTIONS:
        key = search.ops.key(search.world, search.observer)
    if search.identity == BY_PATH:
        key = mixed(search.path_hash, key)
    cdef uint32_t met = search.tree.num_edges
    cdef uint32_t node = tree_enter(&search.tree, key, search.entered, search.legal, n)
    search.entered = key
    if search.by_priors and search.tree.num_edges != met and search.ops.turn(search.world) != NATURE:
        set_priors(search, &search.tree.nodes[node], n)
    return node


cdef void set_priors(Search *search, const Node *node, int n) noexcept nogil:
    """Give the listed actions of a new row their priors."""
    cdef const action_t *actions = search.tree.actions + node.first
    cdef float weights[MAX_LEGAL]
    cdef double total = 0, even = search.prior_floor / n
    cdef int i, e = 0
    search.guide.weigh(search.world, search.legal, n, weights)
    if search.priors.factors != NULL:
        apply_factors(search, weights, n)
    for i in range(n):
        total += weights[i]
    for i in range(n):
        while actions[e] != search.legal[i]:
            e += 1
        search.tree.edges[node.first + e].prior = <float> (even + (1 - search.prior_floor) * weights[i] / total)


cdef void apply_factors(Search *search, float *weights, int n) noexcept nogil:
    """Multiply the weights of the listed actions by the learned factors, which depend on round and action alone."""
    cdef int row = min(search.guide.round(search.world), search.priors.rounds) - 1
    cdef const float *factors = search.priors.factors + row * search.ops.num_actions
    cdef int i
    for i in range(n):
        weights[i] *= factors[search.legal[i]]


cdef bint follow(Search *search, uint32_t place, uint32_t edge, int seat) noexcept nogil:
    """Play the action of a node's edge and put it on the path; return whether it had been tried before."""
    cdef const Node *node = &search.tree.nodes[place]
    search.ops.play(search.world, search.tree.actions[edge])
    search.path[search.length] = PathStep(edge, node.first, node.count, seat, True)
    search.length += 1
    search.depth = max(search.depth, search.length)
    prefetch(record_of(&search.tree, edge))  # so that it is in the cache when the path is backed up
    if search.identity != BY_KEY:
        search.path_hash = mixed(search.path_hash, search.tree.actions[edge] + 1)
    return search.tree.edges[edge].visits != 0


cdef inline uint64_t mixed(uint64_t a, uint64_t b) noexcept nogil:
    """A hash of two numbers; b alone if a is 0, so that paths begin at the root's own key."""
    if a == 0:
        return b
    a = (a ^ b) * <uint64_t> 0x9E3779B97F4A7C15
    return (a ^ a >> 29) * <uint64_t> 0xBF58476D1CE4E5B9


cdef action_t draw_outcome(Search *search) noexcept nogil:
    """Draw the outcome of the root's chance event, one of the listed outcomes."""
    if search.even:
        return in_turn(search, search.ops.legal(search.world, search.legal))
    return search.ops.draw(search.world, &search.rng)


cdef uint32_t outcome_edge(Search *search, uint32_t place, action_t outcome) noexcept nogil:
    """Return the edge of the outcome that was drawn; every outcome counts as available."""
    cdef const Node *node = &search.tree.nodes[place]
    cdef uint32_t edge, found = node.first
    for edge in range(node.first, node.first + node.count):
        search.tree.edges[edge].available += 1
        if search.tree.actions[edge] == outcome:
            found = edge
    return found


cdef inline uint32_t choose_edge(Search *search, const Node *node, int n) noexcept nogil:
    if search.even and search.length == 0:
        return edge_in_turn(search, node, n)
    return select_by_priors(search, node, n) if search.by_priors else select(search, node, n)


cdef uint32_t edge_in_turn(Search *search, const Node *node, int n) noexcept nogil:
    """Return the edge of the action whose turn it is; all that are listed count as available."""
    cdef const action_t *actions = search.tree.actions + node.first
    cdef action_t action = in_turn(search, n)
    cdef uint32_t e = 0, found = 0
    cdef int i
    for i in range(n):
        while actions[e] != search.legal[i]:
            e += 1
        search.tree.edges[node.first + e].available += 1
        if actions[e] == action:
            found = e
    return node.first + found


cdef uint32_t select(Search *search, const Node *node, int n) noexcept nogil:
    """Return an edge of a legal action: a random untried one, else the best by UCB1 with availability."""
    cdef Edge *row = search.tree.edges + node.first
    cdef const action_t *actions = search.tree.actions + node.first
    cdef uint32_t untried[MAX_LEGAL]
    cdef uint32_t counted = 0    # log_counted is its logarithm: edges of one node mostly have one availability
    cdef int e = 0, i, tries = 0, best = -1
    cdef double score, best_score = 0, log_counted = 0
    for i in range(n):
        while actions[e] != search.legal[i]:
            e += 1
        row[e].available += 1
        if row[e].visits == 0:
            untried[tries] = e
            tries += 1
        elif tries == 0:
            if row[e].available != counted:
                counted = row[e].available
                log_counted = elementary_log(<double> counted)
            score = mean(search, &row[e]) + search.exploration * sqrt(log_counted / row[e].visits)
            if best < 0 or score > best_score:
                best = e
                best_score = score
    if tries:
        return node.first + untried[rng_below(&search.rng, tries)]
    return node.first + best


cdef uint32_t select_by_priors(Search *search, const Node *node, int n) noexcept nogil:
    """Return an edge of a legal action by PUCT with availability; an untried one has the mean value of the others.

    Silver et al. 2017, Nature 550, with the action's own availability in place of the visits to the node. C grows with
    the logarithm of those visits (Silver et al. 2018, Science 362), in the form that KataGo gave it.
    """
    cdef Edge *row = search.tree.edges + node.first
    cdef const action_t *actions = search.tree.actions + node.first
    cdef uint32_t legal[MAX_LEGAL]
    cdef int e = 0, i, best = 0
    cdef uint64_t visits = 0
    cdef double score, best_score = -INFINITY, rewards = 0, exploration = search.exploration
    for i in range(n):
        while actions[e] != search.legal[i]:
            e += 1
        legal[i] = e
        row[e].available += 1
        visits += row[e].visits
        rewards += reward_sum(search, &row[e])
    if search.growth:
        exploration += search.growth * doublings(1 + visits / GROWS_FROM)
    for i in range(n):
        e = legal[i]
        if search.length and wins(search, &row[e]):
            return node.first + e
        score = mean(search, &row[e]) if row[e].visits else rewards / max(visits, 1)
        score += exploration * row[e].prior * sqrt(<double> row[e].available) / (1 + row[e].visits)
        if score > best_score:
            best = e
            best_score = score
    return node.first + best


cdef inline double doublings(double x) noexcept nogil:
    """Return the binary logarithm of a normal number, linear between powers of two.

    It is read from the bits: the C library's logarithm takes longer, and depends on the processor in its last bit.
    """
    cdef int64_t bits
    memcpy(&bits, &x, 8)
    return (bits - (<int64_t> 1023 << 52)) * (1.0 / (<int64_t> 1 << 52))


cdef void rescale(Search *search) noexcept nogil:
    """Widen the range of margins. Edges keep points, so the rewards of all iterations move to the new scale."""
    cdef int seat
    for seat in range(search.seats):
        search.lowest = min(search.lowest, search.margin[seat])
        search.highest = max(search.highest, search.margin[seat])
    if search.highest > search.lowest:
        search.margin_scale = search.margin_weight / (search.highest - search.lowest)


cdef void back_up(Search *search) noexcept nogil:
    cdef Edge *edge
    cdef double margin
    cdef int i, decides
    for i in range(search.length):
        decides = search.path[i].seat
        margin = search.margin[decides]
        edge = &search.tree.edges[search.path[i].edge]
        edge.visits += 1
        edge.win += search.win[decides]
        edge.margin += margin
        record(search, record_of(&search.tree, search.path[i].edge), margin)


cdef inline void record(const Search *search, double *sums, double margin) noexcept nogil:
    cdef int seat, seats = search.seats
    for seat in range(seats):
        sums[seat] += search.win[seat]
        sums[seats + seat] += search.win[seat] * search.win[seat]
    sums[2 * seats] += margin * margin


# -- many ------------------------------------------------------------------------------------------

cdef inline double read_clock(const Search *search) noexcept nogil:
    return monotonic() if search.ask_clock == NULL else search.ask_clock(search.clock)


cdef void make_room(Search *search, double deadline) noexcept nogil:
    """Compact a crowded tree if that takes little of the time left.

    Otherwise clear a full tree that has fewer iterations of the root than the time left allows.
    """
    cdef double left
    if not search.crowded:
        return
    search.crowded = False
    left = deadline - read_clock(search)
    if compaction_seconds(&search.tree) < MOST_FOR_ROOM * left:
        if tree_compact(&search.tree, search.ops.key(search.root, search.observer)):
            return
    if search.tree.full and (search.reused == 0 or search.reused < search.fastest * left):
        tree_clear(&search.tree)
        search.reused = 0


cdef int run_until(Search *search, double pause, double deadline, uint64_t iterations, bint early) noexcept nogil:
    """Iterate at least once, until the deadline, the number of iterations, stop, pause or, if early, a decision."""
    cdef uint64_t end = search.iterations + iterations, window_begin = search.iterations
    cdef double now, window_start
    make_room(search, deadline)
    window_start = read_clock(search)
    while True:
        iterate(search)
        if read_flag(search.stop):
            return BY_STOP
        if search.iterations >= end:
            return BY_ITERATIONS
        if search.iterations % LOOK_EVERY == 0 or search.iterations < LOOK_EVERY:
            now = read_clock(search)
            if now >= deadline:
                return BY_TIME
            if now - window_start >= WINDOW:
                search.fastest = max(search.fastest, (search.iterations - window_begin) / (now - window_start))
                search.windows += 1
                window_begin = search.iterations
                window_start = now
            if early and decided(&search, 1, prospect(search, deadline - now, <double> (end - search.iterations))):
                return BY_DECISION
            if now >= pause:
                return BY_PAUSE


# -- an early end ----------------------------------------------------------------------------------

cdef double prospect(const Search *search, double seconds, double iterations) noexcept nogil:
    """Return how many more iterations a search could run in the time left, at the best speed it has reached.

    The speed is that of the fastest window of its own running time. Waiting for other threads, page faults and growing
    the table slow some windows down but say nothing about those to come.
    """
    if search.windows < ENOUGH_WINDOWS:
        return iterations
    return min(iterations, search.fastest * seconds + LOOK_EVERY)


cdef bint decided(Search **trees, int count, double remaining) noexcept nogil:
    """Whether no other line would be chosen even if it got every iteration that the trees have left."""
    cdef action_t legal[MAX_LEGAL]
    cdef uint64_t visits[MAX_LEGAL]
    cdef uint64_t most = 0, second = 0
    cdef int i, n
    if trees[0].ops.turn(trees[0].root) == NATURE:
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
    return n == 1 or second + remaining < trees[0].rival_share * most


cdef void add_visits(const Search *search, const action_t *legal, int n, uint64_t *visits) noexcept nogil:
    """Add the visits of each listed action of the root; other actions that a warm tree knows do not count."""
    cdef uint32_t root = tree_find(&search.tree, search.ops.key(search.root, search.observer))
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

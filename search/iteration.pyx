# cython: language_level=3
"""Single-observer information-set Monte Carlo tree search (Cowling, Powley, Whitehouse 2012, IEEE TCIAIG 4(2)).

Each iteration deals a world that is consistent with the observer's knowledge, descends the tree by UCB1 over
the actions legal in that world, adds one action, plays out, and updates every edge of its path.
"""
from libc.math cimport INFINITY, sqrt
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcpy

from clerestory.engine.core cimport MAX_LEGAL, NATURE, OVER, action_t
from clerestory.engine.elementary cimport elementary_log
from clerestory.engine.rng cimport rng_below
from clerestory.search.proof cimport prove
from clerestory.search.search cimport BY_ACTIONS, BY_KEY, BY_PATH, PathStep, mean, reward_sum, wins
from clerestory.search.tree cimport NO_NODE, Edge, Node, record_of, tree_enter

cdef extern from *:
    """
    #define prefetch(p) __builtin_prefetch((p), 1)
    """
    void prefetch(const void *p) noexcept nogil

cdef double GROWS_FROM = 500     # visits to a node, by which C of PUCT has grown once


cdef void iterate(Search *search) noexcept nogil:
    memcpy(search.world, search.root.state, search.ops.state_size)
    if search.options.even:
        rewind(search)
    search.ops.deal(search.world, &search.luck.rng)
    descend(search)
    search.path.ended = search.ops.turn(search.world) == OVER
    search.play_out(search)
    if search.options.by_range:
        rescale(search)
    back_up(search)
    if search.root.proves and search.path.ended:
        prove(search)
    search.statistics.iterations += 1


cdef void rewind(Search *search) noexcept nogil:
    """Restart the random numbers for each turn of a round, so that all turns use the same world."""
    if search.luck.turns_left:
        search.luck.rng = search.luck.round_rng
    else:
        search.luck.round_rng = search.luck.rng


cdef action_t in_turn(Search *search, int n) noexcept nogil:
    """Return the one of n listed actions of the root whose turn it is."""
    if search.luck.turns_left == 0:
        search.luck.turns_left = n
    search.luck.turns_left -= 1
    return search.legal[n - 1 - search.luck.turns_left]


cdef void descend(Search *search) noexcept nogil:
    """Descend until an untried action has been played, the game is over, or memory is full."""
    cdef uint32_t node
    cdef int n, turn = search.ops.turn(search.world)
    search.path.length = 0
    search.path.hash = 0
    search.path.entered = 0
    if turn == NATURE:  # the root's own chance event has a line for each outcome
        node = enter(search, search.ops.legal(search.world, search.legal))
        if node == NO_NODE:
            return
        if not follow(search, node, outcome_edge(search, node, draw_outcome(search)), search.root.seat):
            return
    while True:
        turn = search.ops.turn(search.world)
        if turn == NATURE:
            search.ops.play(search.world, search.ops.draw(search.world, &search.luck.rng))
            if search.path.length:
                search.path.steps[search.path.length - 1].certain = False
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
    return n if search.path.length or not search.root.num_considered else keep_considered(search, n)


cdef int keep_considered(Search *search, int n) noexcept nogil:
    """Keep those of n legal actions that are considered; both lists ascend."""
    cdef int i, c = 0, kept = 0
    for i in range(n):
        while c < search.root.num_considered and search.root.considered[c] < search.legal[i]:
            c += 1
        if c < search.root.num_considered and search.root.considered[c] == search.legal[i]:
            search.legal[kept] = search.legal[i]
            kept += 1
    return kept


cdef uint32_t enter(Search *search, int n) noexcept nogil:
    """Return the world's node, with an edge for each of the n listed actions; NO_NODE if memory is full."""
    cdef uint64_t key = search.path.hash
    if search.path.length == 0 or search.options.identity != BY_ACTIONS:
        key = search.ops.key(search.world, search.root.observer)
    if search.options.identity == BY_PATH:
        key = mixed(search.path.hash, key)
    cdef uint32_t met = search.tree.num_edges
    cdef uint32_t node = tree_enter(&search.tree, key, search.path.entered, search.legal, n)
    search.path.entered = key
    if search.options.by_priors and search.tree.num_edges != met and search.ops.turn(search.world) != NATURE:
        set_priors(search, &search.tree.nodes[node], n)
    return node


cdef void set_priors(Search *search, const Node *node, int n) noexcept nogil:
    """Give the listed actions of a new row their priors."""
    cdef const action_t *actions = search.tree.actions + node.first
    cdef float weights[MAX_LEGAL]
    cdef double total = 0, even = search.options.prior_floor / n
    cdef int i, e = 0
    search.guide.weigh(search.world, search.legal, n, weights)
    if search.options.priors.factors != NULL:
        apply_factors(search, weights, n)
    for i in range(n):
        total += weights[i]
    for i in range(n):
        while actions[e] != search.legal[i]:
            e += 1
        search.tree.edges[node.first + e].prior = <float> (even + (1 - search.options.prior_floor) * weights[i] / total)


cdef void apply_factors(Search *search, float *weights, int n) noexcept nogil:
    """Multiply the weights of the listed actions by the learned factors, which depend on round and action alone."""
    cdef int row = min(search.guide.round(search.world), search.options.priors.rounds) - 1
    cdef const float *factors = search.options.priors.factors + row * search.ops.num_actions
    cdef int i
    for i in range(n):
        weights[i] *= factors[search.legal[i]]


cdef bint follow(Search *search, uint32_t place, uint32_t edge, int seat) noexcept nogil:
    """Play the action of a node's edge and put it on the path; return whether it had been tried before."""
    cdef const Node *node = &search.tree.nodes[place]
    search.ops.play(search.world, search.tree.actions[edge])
    search.path.steps[search.path.length] = PathStep(edge, node.first, node.count, seat, True)
    search.path.length += 1
    search.statistics.depth = max(search.statistics.depth, search.path.length)
    prefetch(record_of(&search.tree, edge))  # so that it is in the cache when the path is backed up
    if search.options.identity != BY_KEY:
        search.path.hash = mixed(search.path.hash, search.tree.actions[edge] + 1)
    return search.tree.edges[edge].visits != 0


cdef inline uint64_t mixed(uint64_t a, uint64_t b) noexcept nogil:
    """A hash of two numbers; b alone if a is 0, so that paths begin at the root's own key."""
    if a == 0:
        return b
    a = (a ^ b) * <uint64_t> 0x9E3779B97F4A7C15
    return (a ^ a >> 29) * <uint64_t> 0xBF58476D1CE4E5B9


cdef action_t draw_outcome(Search *search) noexcept nogil:
    """Draw the outcome of the root's chance event, one of the listed outcomes."""
    if search.options.even:
        return in_turn(search, search.ops.legal(search.world, search.legal))
    return search.ops.draw(search.world, &search.luck.rng)


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
    if search.options.even and search.path.length == 0:
        return edge_in_turn(search, node, n)
    return select_by_priors(search, node, n) if search.options.by_priors else select(search, node, n)


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
            score = mean(search, &row[e]) + search.options.exploration * sqrt(log_counted / row[e].visits)
            if best < 0 or score > best_score:
                best = e
                best_score = score
    if tries:
        return node.first + untried[rng_below(&search.luck.rng, tries)]
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
    cdef double score, best_score = -INFINITY, rewards = 0, exploration = search.options.exploration
    for i in range(n):
        while actions[e] != search.legal[i]:
            e += 1
        legal[i] = e
        row[e].available += 1
        visits += row[e].visits
        rewards += reward_sum(search, &row[e])
    if search.options.growth:
        exploration += search.options.growth * doublings(1 + visits / GROWS_FROM)
    for i in range(n):
        e = legal[i]
        if search.path.length and wins(search, &row[e]):
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
        search.scale.lowest = min(search.scale.lowest, search.outcome.margin[seat])
        search.scale.highest = max(search.scale.highest, search.outcome.margin[seat])
    if search.scale.highest > search.scale.lowest:
        search.scale.weight = search.options.margin_weight / (search.scale.highest - search.scale.lowest)


cdef void back_up(Search *search) noexcept nogil:
    cdef Edge *edge
    cdef double margin
    cdef int i, decides
    for i in range(search.path.length):
        decides = search.path.steps[i].seat
        margin = search.outcome.margin[decides]
        edge = &search.tree.edges[search.path.steps[i].edge]
        edge.visits += 1
        edge.win += search.outcome.win[decides]
        edge.margin += margin
        record(search, record_of(&search.tree, search.path.steps[i].edge), margin)


cdef inline void record(const Search *search, double *sums, double margin) noexcept nogil:
    cdef int seat, seats = search.seats
    for seat in range(seats):
        sums[seat] += search.outcome.win[seat]
        sums[seats + seat] += search.outcome.win[seat] * search.outcome.win[seat]
    sums[2 * seats] += margin * margin

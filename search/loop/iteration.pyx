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
from clerestory.search.loop.nodes cimport lookup_or_make_node
from clerestory.search.loop.proof cimport prove
from clerestory.search.loop.search cimport PathStep, add_outcome, mean, reward_sum, settled_sum, wins
from clerestory.search.loop.sharing cimport add_shared_outcome
from clerestory.search.memory.room cimport free_left, with_record
from clerestory.search.memory.tree cimport (
    MOST_RECORDS, NO_NODE, PROVEN, RECORDED, Edge, Record, missing_of, peek_count, peek_prior, peek_sum, place_in,
    poke_count, poke_prior, record_at, record_of, row_at, span_t, visits_to,
)

cdef extern from "sharing.h":
    uint32_t lock_edge(uint32_t *word) noexcept nogil
    void unlock_edge(uint32_t *word, uint32_t value) noexcept nogil

cdef extern from *:
    """
    #define prefetch(p) __builtin_prefetch((p), 1)
    """
    void prefetch(const void *p) noexcept nogil

cdef enum:
    SETTLED_FROM = 16            # visits to a node before its win may count as settled
    FARTHEST = 16                # maximum ratio of the mean distance from 1 of all edges to that of the best
    PART = 64                    # an edge needs one in PART of the visits to count as the best

cdef double GROWS_FROM = 500     # visits to a node after which C of PUCT has grown once


cdef void iterate(Search *search) noexcept nogil:
    """Run one iteration: determinize, select and expand, simulate, and back up. Does not block."""
    memcpy(search.world, search.root.state, search.ops.state_size)
    if search.options.even:
        rewind(search)
    search.ops.deal(search.world, &search.luck.rng)
    descend(search)
    search.path.ended = search.ops.turn(search.world) == OVER
    search.play_out(search)
    back_up(search)
    if search.root.proves and search.path.ended:
        prove(search)
    if search.room.left:
        free_left(search.tree, &search.room)
    search.statistics.iterations += 1


cdef void rewind(Search *search) noexcept nogil:
    """Restart the random numbers for each turn of a round, so that all turns use the same world."""
    if search.luck.turns_left:
        search.luck.rng = search.luck.round_rng
    else:
        search.luck.round_rng = search.luck.rng


cdef action_t in_turn(Search *search, int n) noexcept nogil:
    """Return the one of the root's n listed actions whose turn it is."""
    if search.luck.turns_left == 0:
        search.luck.turns_left = n
    search.luck.turns_left -= 1
    return search.legal[n - 1 - search.luck.turns_left]


cdef void descend(Search *search) noexcept nogil:
    """Descend until an untried action has been played, the game is over, or memory is full."""
    cdef uint32_t node
    cdef span_t row
    cdef int n, turn = search.ops.turn(search.world)
    search.path.length = 0
    search.path.entered = 0
    search.settled = False
    if turn == NATURE:  # the root's own chance event has a line for each outcome
        node = lookup_node(search, search.ops.legal(search.world, search.legal))
        if node == NO_NODE:
            return
        row = row_at(search.tree, node)
        if not traverse(search, node, row, 0, outcome_edge(search, row, draw_outcome(search)), search.root.seat):
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
        node = lookup_node(search, n)
        if node == NO_NODE:
            return
        row = row_at(search.tree, node)
        if not traverse(search, node, row, n, choose_edge(search, row, n), turn):
            return


cdef int list_actions(Search *search) noexcept nogil:
    """Write the legal actions (at the root only those considered) and return their number.

    There may be none if the observer does not know the deciding seat's hand.
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


cdef uint32_t lookup_node(Search *search, int n) noexcept nogil:
    """Return the node of the world, with an edge for each action that can be the next to try; NO_NODE if none."""
    cdef uint64_t key = search.ops.key(search.world, search.root.observer)
    cdef uint64_t parent = search.path.entered
    search.path.entered = key
    search.path.fresh = False
    return lookup_or_make_node(search, key, parent, n)


cdef bint traverse(Search *search, uint32_t node, span_t row, int n, uint32_t edge, int seat) noexcept nogil:
    """Play the action of an edge and append it to the path; return whether it had been tried before.

    `n` is the number of listed actions of the node.
    """
    cdef int count = row.count if row.count >= n else 0
    cdef uint32_t record = place_in(peek_count(&search.tree.edges[edge].state))
    search.ops.play(search.world, search.tree.actions[edge])
    search.path.steps[search.path.length] = PathStep(node, edge, row.first, count, seat, True)
    search.path.length += 1
    search.statistics.depth = max(search.statistics.depth, search.path.length)
    if record:
        prefetch(record_at(search.tree, record))  # prefetch for the backup of the path
    return peek_count(&search.tree.edges[edge].visits) != 0


cdef action_t draw_outcome(Search *search) noexcept nogil:
    """Draw the outcome of the root's chance event, one of the listed outcomes."""
    if search.options.even:
        return in_turn(search, search.ops.legal(search.world, search.legal))
    return search.ops.draw(search.world, &search.luck.rng)


cdef uint32_t outcome_edge(Search *search, span_t row, action_t outcome) noexcept nogil:
    """Return the edge of the outcome that was drawn; every outcome counts as available."""
    cdef uint32_t edge, found = row.first
    for edge in range(row.first, row.first + row.count):
        if search.tree.actions[edge] == outcome:
            found = edge
    return found


cdef inline uint32_t choose_edge(Search *search, span_t row, int n) noexcept nogil:
    """Return the edge to descend: the only one of a new node, in turn at an even root, else by the selection rule."""
    if search.path.fresh:
        return row.first
    if search.options.even and search.path.length == 0:
        return edge_in_turn(search, row, n)
    return select_by_priors(search, row, n) if search.options.by_priors else select(search, row, n)


cdef inline void count_unavailable(const Search *search, Edge *edge) noexcept nogil:
    """Count a visit in which the action of an edge is not legal."""
    cdef uint32_t state = lock_edge(&edge.state) if search.shared else edge.state
    cdef Record *record = record_of(search.tree, state)
    if record != NULL:
        poke_count(&record.missing, record.missing + 1)
    else:
        state += (state & MOST_RECORDS) != MOST_RECORDS
    if search.shared:
        unlock_edge(&edge.state, state)
    else:
        edge.state = state


cdef inline bint may_miss(const Search *search) noexcept nogil:
    """Whether an action of the node may not have been legal, or considered, at some visit."""
    return search.path.length == 0 or not search.root.settled


cdef inline uint32_t availability_of(const Search *search, uint64_t visits, const Edge *edge) noexcept nogil:
    """Return in how many of the visits to its node an action was legal, including this visit.

    Visits of other threads may be missing from the counts.
    """
    cdef uint32_t missing = missing_of(search.tree, edge)
    return <uint32_t> (visits - missing) if visits > missing else 1


cdef uint32_t edge_in_turn(Search *search, span_t row, int n) noexcept nogil:
    """Return the edge of the action whose turn it is; all listed actions count as available."""
    cdef action_t action = in_turn(search, n)
    cdef uint32_t legal[MAX_LEGAL]
    cdef uint32_t edge, found = row.first
    cdef int i = 0
    for edge in range(row.first, row.first + row.count):
        if search.tree.actions[edge] == action:
            found = edge
        if i < n and search.tree.actions[edge] == search.legal[i]:
            legal[i] = edge
            i += 1
        else:
            count_unavailable(search, &search.tree.edges[edge])
    search.settled = search.options.by_priors and is_settled(search, search.tree.edges, legal, n)
    return found


cdef uint32_t select(Search *search, span_t span, int n) noexcept nogil:
    """Select an edge of a legal action: a random untried one, else the best by UCB1 with availability counts."""
    cdef Edge *row = search.tree.edges + span.first
    cdef const action_t *actions = search.tree.actions + span.first
    cdef uint32_t untried[MAX_LEGAL]
    cdef uint32_t counted = 0    # log_counted is its logarithm: edges of a node mostly share one availability
    cdef uint64_t visits = 1 + visits_to(search.tree, span)
    cdef int e, i = 0, tries = 0, best = -1
    cdef double score, best_score = 0, log_counted = 0
    for e in range(span.count):
        if i == n or actions[e] != search.legal[i]:
            count_unavailable(search, &row[e])
            continue
        i += 1
        if peek_count(&row[e].visits) == 0:
            untried[tries] = e
            tries += 1
        elif tries == 0:
            if availability_of(search, visits, &row[e]) != counted:
                counted = availability_of(search, visits, &row[e])
                log_counted = elementary_log(<double> counted)
            score = mean(search, &row[e]) + search.options.exploration * sqrt(log_counted / peek_count(&row[e].visits))
            if best < 0 or score > best_score:
                best = e
                best_score = score
    if tries:
        return span.first + untried[rng_below(&search.luck.rng, tries)]
    return span.first + best


cdef struct RowSums:             # of the edges of a row
    int found                    # edges of legal actions
    uint64_t visits, missed      # of edges of legal actions, and of others
    double rewards, won          # of edges of legal actions


cdef inline RowSums sum_legal(Search *search, span_t span, int n, uint32_t *legal) noexcept nogil:
    """List the edges of the n legal actions of a row, and return their sums; count that the others are unavailable."""
    cdef Edge *row = search.tree.edges + span.first
    cdef const action_t *actions = search.tree.actions + span.first
    cdef bint whole = span.count == n  # the row lacks no listed action: it has only those
    cdef RowSums sums = RowSums(0, 0, 0, 0, 0)
    cdef uint32_t tried
    cdef int e, i = 0
    for e in range(span.count):
        tried = peek_count(&row[e].visits)
        while not whole and i < n and search.legal[i] < actions[e]:
            i += 1  # without an edge, as others come first
        if whole or i < n and actions[e] == search.legal[i]:
            legal[sums.found] = e
            sums.found += 1
            i += 1
            sums.visits += tried
            sums.rewards += reward_sum(search, &row[e])
            sums.won += peek_sum(&row[e].win)
        else:
            sums.missed += tried
            count_unavailable(search, &row[e])
    return sums


cdef uint32_t select_by_priors(Search *search, span_t span, int n) noexcept nogil:
    """Select an edge of a legal action by PUCT with availability; an untried one has the mean value of the others.

    Silver et al. 2017, Nature 550, with the action's own availability instead of the visits to the node. C grows with
    the logarithm of those visits (Silver et al. 2018, Science 362), in KataGo's form.
    """
    cdef Edge *row = search.tree.edges + span.first
    cdef uint32_t legal[MAX_LEGAL]
    cdef RowSums sums = sum_legal(search, span, n, legal)
    cdef uint64_t visits = 1 + sums.visits + sums.missed  # including this one
    cdef uint32_t tried, counted = 0  # root_counted is its square root: edges of a node mostly share one availability
    cdef int e, i, best = 0
    cdef double score, best_score = -INFINITY, exploration = search.options.exploration, root_counted = 0
    cdef bint missing = may_miss(search)
    if search.options.growth:
        exploration += search.options.growth * doublings(1 + sums.visits / GROWS_FROM)
    if search.path.length == 0:
        search.settled = is_settled(search, row, legal, sums.found)
    if search.settled and may_be_settled(search, sums.visits, sums.won) and is_settled(search, row, legal, sums.found):
        return span.first + select_settled(search, row, legal, n, sums.found, visits, exploration)
    if not missing:
        root_counted = sqrt(<double> visits)
    for i in range(sums.found):
        e = legal[i]
        if search.path.length and wins(search, &row[e]):
            return span.first + e
        tried = peek_count(&row[e].visits)
        score = mean(search, &row[e]) if tried else sums.rewards / max(sums.visits, 1)
        if missing and availability_of(search, visits, &row[e]) != counted:
            counted = availability_of(search, visits, &row[e])
            root_counted = sqrt(<double> counted)
        score += exploration * max(peek_prior(&row[e].prior), 0) * root_counted / (1 + tried)
        if score > best_score:
            best = e
            best_score = score
    return span.first + best


cdef inline double doublings(double x) noexcept nogil:
    """Return the binary logarithm of a normal number, linear between powers of two.

    It is read from the bits: the C library's logarithm is slower, and its last bit depends on the processor.
    """
    cdef int64_t bits
    memcpy(&bits, &x, 8)
    return (bits - (<int64_t> 1023 << 52)) * (1.0 / (<int64_t> 1 << 52))


# -- settled wins ----------------------------------------------------------------------------------

cdef bint may_be_settled(const Search *search, uint64_t visits, double won) noexcept nogil:
    """Whether checking every edge of a node is worth its time, given the visits to all and the sum of their wins."""
    cdef double far = FARTHEST * search.options.settled * visits
    return visits >= SETTLED_FROM and (won <= far or won >= visits - far)


cdef bint is_settled(const Search *search, const Edge *row, const uint32_t *legal, int n) noexcept nogil:
    """Whether the best of n edges surely wins, or all together surely lose."""
    cdef double won = 0
    cdef uint64_t visits = 0
    cdef int i
    for i in range(n):
        visits += peek_count(&row[legal[i]].visits)
        won += peek_sum(&row[legal[i]].win)
    if not search.options.settled or not may_be_settled(search, visits, won):
        return False
    return won <= search.options.settled * visits or wins_surely(search, row, legal, n, visits)


cdef bint wins_surely(
    const Search *search, const Edge *row, const uint32_t *legal, int n, uint64_t visits
) noexcept nogil:
    """Whether an edge with its part of the visits surely wins."""
    cdef uint32_t tried
    cdef int i
    for i in range(n):
        tried = peek_count(&row[legal[i]].visits)
        if <uint64_t> tried * PART >= visits and peek_sum(&row[legal[i]].win) >= (1 - search.options.settled) * tried:
            return True
    return False


cdef uint32_t select_settled(
    Search *search, Edge *row, const uint32_t *legal, int n, int found, uint64_t visits, double exploration
) noexcept nogil:
    """Select one of the edges found like `select_by_priors`, but with points counting besides the win.

    Args:
        n: number of legal actions.
        found: number of edges of legal actions.
        visits: visits to the node, including this one.
        exploration: C for rewards that are win shares.
    """
    cdef double floor = search.options.settled_floor / n, unknown = settled_mean(search, row, legal, found)
    cdef double score, best_score = -INFINITY, prior
    cdef uint32_t tried
    cdef int i, best = 0
    exploration *= search.options.settled_exploration
    for i in range(found):
        tried = peek_count(&row[legal[i]].visits)
        score = settled_sum(search, &row[legal[i]]) / tried if tried else unknown
        prior = reopened(&row[legal[i]])
        if prior >= 0:
            prior = (1 - search.options.settled_floor) * prior + floor
            score += exploration * prior * sqrt(<double> availability_of(search, visits, &row[legal[i]])) / (1 + tried)
        if score > best_score:
            best = legal[i]
            best_score = score
    return best


cdef double settled_mean(const Search *search, const Edge *row, const uint32_t *legal, int n) noexcept nogil:
    """Return the mean reward over n edges."""
    cdef double rewards = 0
    cdef uint64_t visits = 0
    cdef int i
    for i in range(n):
        rewards += settled_sum(search, &row[legal[i]])
        visits += peek_count(&row[legal[i]].visits)
    return rewards / max(visits, <uint64_t> 1)


cdef inline double reopened(Edge *edge) noexcept nogil:
    """Return the prior of an edge, negative if it is proven; an edge with only its win proven is open again."""
    cdef float prior = peek_prior(&edge.prior)
    if prior < PROVEN:
        prior = -prior
        poke_prior(&edge.prior, prior)
    return prior


# -- the end of an iteration -----------------------------------------------------------------------

cdef void back_up(Search *search) noexcept nogil:
    """Back up the outcome of an iteration: add it to every edge of the path."""
    cdef PathStep *step
    cdef uint32_t recorded = 1  # edges of the root have records from the first visit on
    cdef int i
    for i in range(search.path.length):
        step = &search.path.steps[i]
        if search.shared:
            add_shared_outcome(search, step, recorded)
        else:
            add_own_outcome(search, step, &search.tree.edges[step.edge], recorded)
        recorded = RECORDED


cdef inline void add_own_outcome(
    Search *search, const PathStep *step, Edge *edge, uint32_t recorded
) noexcept nogil:
    """Add the outcome to an edge that no other thread can change meanwhile."""
    edge.state = with_record(search.tree, &search.room, edge, edge.state, recorded)
    add_outcome(search, step, edge, record_of(search.tree, edge.state))

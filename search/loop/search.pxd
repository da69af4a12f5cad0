# cython: language_level=3
"""A thread's search of a tree: one struct for each reason to change, and together the memory of its iterations."""
from libc.stdint cimport uint32_t, uint64_t

from clerestory.engine.core cimport MAX_LEGAL, MAX_SEATS, MAX_WORDS, GameOps, Guide, Priors, Value, action_t
from clerestory.engine.rng cimport rng_t
from clerestory.search.loop.loop_options cimport LoopOptions
from clerestory.search.memory.room cimport Room
from clerestory.search.memory.tree cimport (
    PROVEN, Edge, Record, Tree, peek_count, peek_prior, peek_sum, poke_count, poke_sum, sums_in,
)

cdef extern from "sharing.h":
    ctypedef struct gate_t:      # every thread enters and leaves a tree through it
        int comes                # atomic; whether a thread wants to enter, or needs exclusive access

cdef struct Root:                # start of every iteration; constant until the next root
    int observer                 # seat whose knowledge is used; NATURE: an onlooker
    int seat                     # seat whose margins and features count at the root: that to decide, else the observer
    bint settled                 # whether no seat has hidden cards, so a node's actions are the same in all worlds
    bint proves                  # whether proofs are kept, because hidden information only appears in chance events
    int num_considered           # 0: all legal actions
    action_t considered[MAX_LEGAL]  # ascending
    uint64_t state[MAX_WORDS]    # the position, as the observer knows it

cdef struct Limits:              # what ends a run, besides its arguments
    double (*ask_clock)(void *clock) noexcept nogil  # seconds; NULL: the system's
    void *clock
    int *stop                    # shared with the owner and the other threads; an EndOfRun, or 0; atomic
    uint64_t *left               # iterations not claimed by any thread; likewise
    int threads                  # maximum number of threads that search the tree at once

cdef struct Statistics:          # since the root was set
    uint64_t iterations
    int depth                    # decisions from the root to the deepest node

cdef struct Speed:
    uint64_t begin               # iterations before the current window
    double since                 # start of the current window, seconds
    double fastest               # iterations per second in the fastest window so far
    int windows                  # measured since the root was set

cdef struct Luck:
    rng_t rng
    rng_t round_rng              # start of the random numbers of each turn of a round
    int turns_left               # of the current round, in which every action of the root has one turn

cdef struct PathStep:
    uint32_t node                # its place in the table
    uint32_t edge
    uint32_t first               # edge of the row
    int count                    # edges of the row; 0: it lacks some legal actions
    int seat                     # seat whose margin counts: the seat that decided; at a chance root, the observer
    bint certain                 # whether no chance event comes before the next step or the end of the game

cdef struct Path:                # path of an iteration through the tree
    PathStep *steps              # at most max_plies
    int length
    bint ended                   # whether the game was over at its end
    uint64_t entered             # key of its last node; 0: none yet
    bint fresh                   # whether this iteration created that node, with one edge

cdef struct Outcome:             # outcome of an iteration, by seat
    double win[MAX_SEATS]        # win shares
    double margin[MAX_SEATS]     # points

cdef enum:
    BATCHES = 512                # a power of two
    MOST_HELD = 32               # outcomes in a batch

cdef struct Batch:               # outcomes of an edge that this thread has not added to it yet
    PathStep step
    uint32_t visits              # 0: none
    double win                   # sums, like those of a record
    double margin
    double sums[2 * MAX_SEATS + 1]

cdef struct Search:
    const GameOps *ops
    const Guide *guide           # NULL if the game has none
    int seats
    bint shared                  # whether other threads are searching the tree
    bint growing                 # whether the table of nodes has become rather full
    bint settled                 # whether the seat to decide at the root surely wins or loses, so that points count
    void (*play_out)(Search *search) noexcept nogil
    Tree *tree
    gate_t *gate                 # of the tree
    Room room
    Path path
    LoopOptions options          # constant
    Priors priors                # learned factors of the guide's weights
    Value value                  # evaluates a position where a playout stops
    Limits limits
    Statistics statistics
    Speed speed
    Luck luck
    Outcome outcome
    Batch batches[BATCHES]       # batches of often visited edges, by their place
    action_t legal[MAX_LEGAL]    # in the world
    uint64_t world[MAX_WORDS]    # a determinization, played to its end
    Root root

cdef inline double reward_sum(const Search *search, const Edge *edge) noexcept nogil:
    """Return the sum of rewards, minus a constant per visit that is the same for all edges."""
    cdef double reward = search.options.win_weight * peek_sum(&edge.win)
    if search.options.point_weight == 0:  # as with a learned value
        return reward
    return reward + search.options.point_weight * peek_sum(&edge.margin)

cdef inline double mean(const Search *search, const Edge *edge) noexcept nogil:
    """Return the mean reward, minus the same constant."""
    return reward_sum(search, edge) / peek_count(&edge.visits)

cdef inline double settled_sum(const Search *search, const Edge *edge) noexcept nogil:
    """Return the sum of rewards once the win is settled, minus a similar constant."""
    return peek_sum(&edge.win) + search.options.settled_point * peek_sum(&edge.margin)

cdef inline bint wins(const Search *search, const Edge *edge) noexcept nogil:
    """Whether a proven edge cannot be improved on: it wins for certain, and points do not count."""
    if peek_prior(&edge.prior) >= 0 or search.options.point_weight != 0:
        return False
    return peek_sum(&edge.win) == peek_count(&edge.visits)

cdef inline void add_outcome(const Search *search, const PathStep *step, Edge *edge, Record *record) noexcept nogil:
    """Count a visit to an edge, and add the outcome to its sums, and to its record unless that is NULL."""
    cdef double win = search.outcome.win[step.seat], margin = search.outcome.margin[step.seat]
    if search.settled and edge.prior < PROVEN:
        add_margin(search, step, edge, record)
        return
    poke_count(&edge.visits, edge.visits + 1)
    if record == NULL:
        poke_sum(&edge.win, <float> (edge.win + win))
        poke_sum(&edge.margin, <float> (edge.margin + margin))
    else:
        set_sums(edge, record, record.win + win, record.margin + margin)
        add_to_sums(search, step, sums_in(record))

cdef inline void set_sums(Edge *edge, Record *record, double win, double margin) noexcept nogil:
    """Set the sums of an edge, which rounds them, and of its record."""
    record.win = win
    record.margin = margin
    poke_sum(&edge.win, <float> win)
    poke_sum(&edge.margin, <float> margin)

cdef inline void add_margin(const Search *search, const PathStep *step, Edge *edge, Record *record) noexcept nogil:
    """Count a visit to an edge whose win is proven: its win share is kept, regardless of results below."""
    cdef double visits = edge.visits, margin = search.outcome.margin[step.seat]
    cdef double *sums
    cdef int i
    poke_count(&edge.visits, edge.visits + 1)
    if record == NULL:
        poke_sum(&edge.win, <float> (edge.win + edge.win / visits))
        poke_sum(&edge.margin, <float> (edge.margin + margin))
        return
    set_sums(edge, record, record.win + record.win / visits, record.margin + margin)
    visits -= record.before
    if visits == 0:
        record.before += 1
        record.early = record.margin
        return
    sums = sums_in(record)
    for i in range(2 * search.seats):
        sums[i] += sums[i] / visits
    sums[2 * search.seats] += margin * margin

cdef inline void add_to_sums(const Search *search, const PathStep *step, double *sums) noexcept nogil:
    """Add the outcome to the sums behind a record."""
    cdef double win, margin = search.outcome.margin[step.seat]
    cdef int seat, seats = search.seats
    for seat in range(seats):
        win = search.outcome.win[seat]
        sums[seat] += win
        sums[seats + seat] += win * win
    sums[2 * seats] += margin * margin

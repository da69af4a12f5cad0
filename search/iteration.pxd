# cython: language_level=3
"""One tree's search: its settings, its random numbers, its tree, and the scratch memory of an iteration."""
from libc.stdint cimport uint32_t, uint64_t

from clerestory.engine.core cimport MAX_LEGAL, MAX_SEATS, GameOps, Guide, Priors, Value, action_t
from clerestory.engine.rng cimport rng_t
from clerestory.search.tree cimport Edge, Tree

cdef enum EndOfRun:              # why a run ended, the strongest reason last
    BY_PAUSE
    BY_ITERATIONS
    BY_DECISION
    BY_TIME
    BY_STOP

cdef enum Identity:              # what makes two places in the tree one node
    BY_KEY                       # the information set: a graph, in which paths meet
    BY_PATH                      # the information set and the path to it: a tree
    BY_ACTIONS                   # the seats' actions alone, whatever the chance events: open loop

cdef struct PathStep:
    uint32_t edge
    uint32_t first               # edge of the row
    int count                    # edges of the row
    int seat                     # whose margin counts: the seat that decided; at a root of chance, the observer
    bint certain                 # no chance event before the next step or the end of the game

cdef struct MastStep:            # of a playout
    int action                   # place in the MAST statistics
    int seat                     # that decided

cdef struct MastStatistics:      # of an action in a phase, wherever in the game it was played
    double reward                # sum
    double visits

cdef struct Search:
    # constant during the search
    const GameOps *ops
    const Guide *guide           # NULL: the game has none
    uint64_t root[64]            # the position, as the observer knows it
    int seats
    int observer                 # seat whose knowledge is used; NATURE: an onlooker
    int seat                     # whose margins and features count at the root: the seat to decide, else the observer
    int identity
    action_t considered[MAX_LEGAL]  # of the root, ascending
    int num_considered           # 0: every legal one
    bint even                    # the root's actions, or its outcomes, come in turn
    double exploration           # C of UCB1 or of PUCT, in rewards
    double growth                # of C of PUCT, for each doubling of a node's visits
    bint by_priors               # PUCT
    double prior_floor           # share of the priors that is divided evenly
    Priors priors                # learned factors of the guide's weights
    double win_weight            # of the win share in the reward, 0 to 1
    double margin_weight         # of the margin, scaled, in the reward
    bint by_range                # the scale is the range of margins met so far
    void (*play_out)(Search *search) noexcept nogil
    double (*ask_clock)(void *clock) noexcept nogil  # seconds; NULL: the system's
    void *clock
    int horizon                  # plies of a playout
    Value value                  # of a position where a playout stops
    double temperature           # lead in points that multiplies the odds of winning by e, without win shares
    MastStatistics *mast         # by phase and action; NULL: not kept
    bint keeps_proofs            # as the options have it
    bint proves                  # and no seat knows more of the root than an onlooker
    double rival_share           # of the most visits, below which a line cannot become the best
    double fastest               # iterations per second in the fastest window so far
    int windows                  # measured since the root was set
    # changed by every iteration
    rng_t rng
    rng_t round_rng              # where the random numbers of each turn of a round begin
    int turns_left               # of the current round, in which every action of the root has one turn
    Tree tree
    bint crowded                 # the tree has to be compacted before the first iteration
    uint64_t reused              # visits to the root's actions from before the root was set
    uint64_t iterations          # since the root was set
    int depth                    # decisions from the root to the deepest node
    double lowest, highest       # margins that are rewards of 0 and of 1, points
    double margin_scale          # margin_weight / (highest - lowest), 0 while they are one
    # scratch of one iteration
    uint64_t world[64]           # a determinization, played to its end
    action_t legal[MAX_LEGAL]
    PathStep *path               # max_plies at most
    int length                   # of the path
    bint ended                   # the game was over at the end of the path
    uint64_t path_hash           # of what was played on the path
    uint64_t entered             # key of the last node on the path; 0: none yet
    MastStep *played             # of the playout; max_plies at most
    double win[MAX_SEATS]        # win shares, by seat
    double margin[MAX_SEATS]     # points, by seat
    # shared with the owner and with the other searches of one run; atomic
    int *stop

cdef inline double reward_sum(const Search *search, const Edge *edge) noexcept nogil:
    """Return the sum of rewards, less a constant for each visit, the same for all edges."""
    return search.win_weight * edge.win + search.margin_scale * edge.margin

cdef inline double mean(const Search *search, const Edge *edge) noexcept nogil:
    """Return the mean reward, less the same constant."""
    return reward_sum(search, edge) / edge.visits

cdef inline bint wins(const Search *search, const Edge *edge) noexcept nogil:
    """Whether a proven edge cannot be bettered: it wins for certain, and points do not count."""
    return edge.prior < 0 and edge.win == edge.visits and search.margin_weight == 0

cdef int run_until(Search *search, double pause, double deadline, uint64_t iterations, bint early) noexcept nogil
cdef bint decided(Search **trees, int count, double remaining) noexcept nogil
cdef double prospect(const Search *search, double seconds, double iterations) noexcept nogil

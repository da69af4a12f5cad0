# cython: language_level=3
"""One tree's search: one struct for each reason to change, and together the memory of every iteration."""
from libc.stdint cimport uint32_t, uint64_t

from clerestory.engine.core cimport MAX_LEGAL, MAX_SEATS, MAX_WORDS, GameOps, Guide, Priors, Value, action_t
from clerestory.engine.rng cimport rng_t
from clerestory.search.tree cimport Edge, Tree

cdef enum Identity:              # what makes two places in the tree one node
    BY_KEY                       # the information set: a graph, in which paths meet
    BY_PATH                      # the information set and the path to it: a tree
    BY_ACTIONS                   # the seats' actions alone, whatever the chance events: open loop

cdef struct Options:             # how to search, as options.py has it; constant
    int identity
    bint even                    # the root's actions, or its outcomes, come in turn
    bint by_priors               # PUCT
    double exploration           # C of UCB1 or of PUCT, in rewards
    double growth                # of C of PUCT, for each doubling of a node's visits
    double prior_floor           # share of the priors that is divided evenly
    Priors priors                # learned factors of the guide's weights
    double win_weight            # of the win share in the reward, 0 to 1
    double margin_weight         # of the margin, scaled, in the reward
    bint by_range                # the scale is the range of margins met so far
    int horizon                  # plies of a playout
    Value value                  # of a position where a playout stops
    double temperature           # lead in points that multiplies the odds of winning by e, without win shares
    bint keeps_proofs
    double rival_share           # of the most visits, below which a line cannot become the best

cdef struct Root:                # where every iteration begins; constant until the next root
    int observer                 # seat whose knowledge is used; NATURE: an onlooker
    int seat                     # whose margins and features count at the root: the seat to decide, else the observer
    bint proves                  # proofs are kept, and no seat knows more of the root than an onlooker
    int num_considered           # 0: every legal action
    action_t considered[MAX_LEGAL]  # ascending
    uint64_t state[MAX_WORDS]    # the position, as the observer knows it

cdef struct Limits:              # what ends a run besides the numbers that it is given
    double (*ask_clock)(void *clock) noexcept nogil  # seconds; NULL: the system's
    void *clock
    int *stop                    # shared with the owner and with the other searches of one run; atomic

cdef struct Statistics:          # since the root was set
    uint64_t iterations
    uint64_t reused              # visits to the root's actions from before
    int depth                    # decisions from the root to the deepest node

cdef struct Speed:
    uint64_t begin               # iterations before the present window
    double since                 # when it began, seconds
    double fastest               # iterations per second in the fastest window so far
    int windows                  # measured since the root was set

cdef struct Scale:               # from margins to rewards
    double lowest, highest       # margins that are rewards of 0 and of 1, points
    double weight                # margin_weight / (highest - lowest), 0 while they are one

cdef struct Luck:
    rng_t rng
    rng_t round_rng              # where the random numbers of each turn of a round begin
    int turns_left               # of the current round, in which every action of the root has one turn

cdef struct PathStep:
    uint32_t edge
    uint32_t first               # edge of the row
    int count                    # edges of the row
    int seat                     # whose margin counts: the seat that decided; at a root of chance, the observer
    bint certain                 # no chance event before the next step or the end of the game

cdef struct Path:                # of an iteration, through the tree
    PathStep *steps              # max_plies at most
    int length
    bint ended                   # the game was over at its end
    uint64_t hash                # of what was played on it
    uint64_t entered             # key of its last node; 0: none yet

cdef struct Outcome:             # of an iteration, by seat
    double win[MAX_SEATS]        # win shares
    double margin[MAX_SEATS]     # points

cdef struct MastStep:            # of a playout
    int action                   # place in the MAST statistics
    int seat                     # that decided

cdef struct MastStatistics:      # of an action in a phase, wherever in the game it was played
    double reward                # sum
    double visits

cdef struct Mast:
    MastStatistics *actions      # by phase and action; NULL: not kept
    MastStep *played             # in this playout; max_plies at most

cdef struct Search:
    const GameOps *ops
    const Guide *guide           # NULL: the game has none
    int seats
    bint crowded                 # the tree has to be compacted before the first iteration
    void (*play_out)(Search *search) noexcept nogil
    Tree tree
    Path path
    Options options
    Limits limits
    Statistics statistics
    Speed speed
    Scale scale
    Luck luck
    Mast mast
    Outcome outcome
    action_t legal[MAX_LEGAL]    # in the world
    uint64_t world[MAX_WORDS]    # a determinization, played to its end
    Root root

cdef inline double reward_sum(const Search *search, const Edge *edge) noexcept nogil:
    """Return the sum of rewards, less a constant for each visit, the same for all edges."""
    return search.options.win_weight * edge.win + search.scale.weight * edge.margin

cdef inline double mean(const Search *search, const Edge *edge) noexcept nogil:
    """Return the mean reward, less the same constant."""
    return reward_sum(search, edge) / edge.visits

cdef inline bint wins(const Search *search, const Edge *edge) noexcept nogil:
    """Whether a proven edge cannot be bettered: it wins for certain, and points do not count."""
    return edge.prior < 0 and edge.win == edge.visits and search.options.margin_weight == 0

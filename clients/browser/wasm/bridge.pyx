# cython: language_level=3
"""The functions of the engine that JavaScript calls: positions of one game, and one search at a time.

Everything is in the engine's own C code; only memory is passed. A module has one game, the tables of its cards and one
search, so two searches at once need two instances of it.
"""
from libc.math cimport INFINITY
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport malloc
from libc.string cimport memset

from clerestory.bench.loops cimport play_out
from clerestory.engine.core cimport MAX_SEATS, MAX_WORDS, GameOps, Guide, Priors, action_t
from clerestory.engine.elementary cimport elementary_exp, elementary_log
from clerestory.engine.encoding cimport Encoder
from clerestory.engine.rng cimport rng_seed, rng_t, rng_unit
from clerestory.engine.values.net cimport Net, evaluate, net_begin
from clerestory.search.estimates cimport ActionSums, Shares, average, score_of, sharpen, standard_error
from clerestory.search.loop.playout cimport play_informed
from clerestory.search.loop.run cimport begin_root, root_settled, run_until
from clerestory.search.loop.search cimport PathStep, Search, gate_t
from clerestory.search.loop.loop_options cimport LoopOptions
from clerestory.search.memory.tree cimport Tree, span_t, tree_bytes, tree_close, tree_open, visits_to
from clerestory.search.table cimport root_row, sums_of, write_variation

cdef extern from "sharing.h":
    void gate_open(gate_t *gate) noexcept nogil
    void write_flag(int *flag, int value) noexcept nogil
    void write_left(uint64_t *left, uint64_t n) noexcept nogil
    uint64_t ANY_NUMBER

cdef extern from *:          # of the game that is linked (translate.py)
    """
    void *game_ops(void);
    void *game_guide(void);
    void *game_encoder(void);
    void *game_tables(void);
    int game_tables_size(void);
    """
    void *game_ops() noexcept nogil
    void *game_guide() noexcept nogil
    void *game_encoder() noexcept nogil
    void *game_tables() noexcept nogil
    int game_tables_size() noexcept nogil

cdef enum:
    HIDDEN = 32                  # units of the first layer of a net
    NUMBERS = 7 + 2 * MAX_SEATS  # of a line

cdef GameOps *ops
cdef const Guide *guide
cdef const Encoder *encoder
cdef Net net
cdef LoopOptions options         # of the next search
cdef Priors priors
cdef Search search
cdef Tree tree
cdef gate_t gate
cdef int stop
cdef uint64_t left


# -- the game --------------------------------------------------------------------------------------

cdef public int engine_begin(int actions) noexcept nogil:
    """Set the number of action codes; return the bytes of a position."""
    global ops, guide, encoder
    ops, guide, encoder = <GameOps *> game_ops(), <const Guide *> game_guide(), <const Encoder *> game_encoder()
    ops.num_actions = actions
    return ops.state_size


cdef public void *engine_tables() noexcept nogil:
    """Return the memory for the tables of the cards."""
    return game_tables()


cdef public int engine_tables_size() noexcept nogil:
    return game_tables_size()


cdef public void *engine_options() noexcept nogil:
    """Return the memory for the options of the next search."""
    return &options


cdef public int engine_options_size() noexcept nogil:
    return sizeof(LoopOptions)


cdef public void *engine_weights(const float *rows) noexcept nogil:
    """Use a net with these rows; return the memory for its other weights."""
    net_begin(&net, ops, encoder, True)
    net.weights.own, net.weights.table = rows, rows + 2 * encoder.own * HIDDEN
    return net.weights.bias


cdef public void engine_priors(const float *factors, int rounds) noexcept nogil:
    """Use factors of the priors in the next search, for its number of seats."""
    priors.factors, priors.rounds = factors, rounds


cdef public void *engine_memory(int size) noexcept nogil:
    """Return zeroed memory, aligned to 16 bytes."""
    cdef void *memory = malloc(size)
    if memory != NULL:
        memset(memory, 0, size)
    return memory


cdef public double portable_exp(double x) noexcept nogil:
    return elementary_exp(x)


cdef public double portable_log(double x) noexcept nogil:
    return elementary_log(x)


# -- random numbers --------------------------------------------------------------------------------

cdef public void luck_seed(rng_t *luck, uint64_t seed) noexcept nogil:
    rng_seed(luck, seed)


cdef public double luck_unit(rng_t *luck) noexcept nogil:
    return rng_unit(luck)


# -- positions -------------------------------------------------------------------------------------

cdef public void state_setup(void *s, int seats, rng_t *luck) noexcept nogil:
    ops.setup(s, seats, luck)


cdef public int state_turn(const void *s) noexcept nogil:
    return ops.turn(s)


cdef public int state_legal(const void *s, action_t *out) noexcept nogil:
    return ops.legal(s, out)


cdef public void state_odds(const void *s, double *out) noexcept nogil:
    ops.odds(s, out)


cdef public int state_draw(const void *s, rng_t *luck) noexcept nogil:
    return ops.draw(s, luck)


cdef public void state_play(void *s, int action) noexcept nogil:
    ops.play(s, <action_t> action)


cdef public void state_returns(const void *s, double *out) noexcept nogil:
    ops.returns(s, out)


cdef public void state_scores(const void *s, double *out) noexcept nogil:
    ops.scores(s, out)


cdef public void state_observe(void *s, int seat) noexcept nogil:
    ops.observe(s, seat)


cdef public void state_deal(void *s, rng_t *luck) noexcept nogil:
    ops.deal(s, luck)


cdef public uint64_t state_key(const void *s, int seat) noexcept nogil:
    return ops.key(s, seat)


cdef public int state_round(const void *s) noexcept nogil:
    return guide.round(s)


cdef public int state_broken(const void *s) noexcept nogil:
    """Return the index of the first broken invariant, -1 for none."""
    cdef int i
    for i in range(ops.num_invariants):
        if not ops.invariants[i].holds(s):
            return i
    return -1


cdef public const char *broken_field(int invariant) noexcept nogil:
    return ops.invariants[invariant].field


cdef public double random_games(int seats, int games, uint64_t seed) noexcept nogil:
    """Play games at random, and return the number of plies."""
    cdef uint64_t world[MAX_WORDS]
    cdef uint64_t plies = 0
    cdef rng_t luck
    cdef int _game
    rng_seed(&luck, seed)
    for _game in range(games):
        ops.setup(world, seats, &luck)
        plies += play_out(ops, world, &luck)
    return <double> plies


# -- a search --------------------------------------------------------------------------------------

cdef public int search_open(const void *view, int seat, uint64_t seed, double max_bytes, double max_visits) noexcept:
    """Begin a search for a seat to decide, from what it knows; return whether there is memory."""
    cdef PathStep *steps = search.path.steps
    cdef int seats = (<const unsigned char *> view)[0]
    tree_close(&tree)
    if steps == NULL:
        steps = <PathStep *> malloc(ops.max_plies * sizeof(PathStep))
    memset(&search, 0, sizeof(Search))
    search.path.steps = steps
    if steps == NULL or not tree_open(&tree, <uint64_t> max_bytes, <uint64_t> max_visits, seats):
        return False
    gate_open(&gate)
    search.ops, search.guide, search.seats = ops, guide, seats
    search.tree, search.gate = &tree, &gate
    search.limits.stop, search.limits.left, search.limits.threads = &stop, &left, 1
    search.options, search.priors, search.play_out = options, priors, play_informed
    search.value.weights, search.value.evaluate = &net, evaluate
    rng_seed(&search.luck.rng, seed)
    begin_root(&search, view, seat, seat, NULL, 0, False)
    return True


cdef public void search_allow(double iterations) noexcept nogil:
    """Set the number of iterations of all further runs together; infinity for no limit."""
    tree.late = False
    write_left(&left, ANY_NUMBER if iterations == INFINITY else <uint64_t> iterations)


cdef public int search_run(double pause, double deadline, int early) noexcept nogil:
    """Search until a clock reading, the deadline or the last iteration; return why it ended, an EndOfRun."""
    cdef int ending = run_until(&search, pause, deadline, early)
    write_flag(&stop, 0)
    return ending


cdef public double search_iterations() noexcept nogil:
    return <double> search.statistics.iterations


cdef public void search_figures(double *out) noexcept nogil:
    """Write nodes, bytes and depth of the tree, whether it is full, the visits of removed nodes, and settledness."""
    out[0] = tree.num_nodes
    out[1] = <double> tree_bytes(&tree)
    out[2] = search.statistics.depth
    out[3] = tree.full
    out[4] = <double> tree.given_up
    out[5] = root_settled(&search)


cdef public int search_lines(
    double exponent, double lead, double margin_share, double scale, double *out
) noexcept nogil:
    """Write NUMBERS for each action of the root, ascending; return the number of actions.

    They are its code, visits and availability, by seat the reported win shares and their errors (places for MAX_SEATS
    each), the margin and its error, the score and its error.
    """
    cdef span_t row = root_row(&search)
    cdef uint32_t visits = visits_to(&tree, row), place
    cdef int n = 0
    for place in range(row.first, row.first + row.count):
        write_line(place, visits, exponent, lead, margin_share, scale, out + n * NUMBERS)
        n += 1
    return n


cdef void write_line(
    uint32_t place, uint32_t visits, double exponent, double lead, double margin_share, double scale, double *out
) noexcept nogil:
    cdef ActionSums sums = sums_of(&search, place, visits)
    cdef Shares shares
    cdef int i, seats = search.seats, seat = search.root.seat
    cdef double error
    average(&sums, seats, &shares)
    sharpen(&shares, seats, exponent, lead)
    error = shares.error[seat]
    out[0], out[1], out[2] = tree.actions[place], sums.visits, sums.availability
    for i in range(seats):
        out[3 + i] = shares.sharp[i]
        out[3 + MAX_SEATS + i] = shares.sharp_error[i]
    out += 3 + 2 * MAX_SEATS
    out[0] = sums.margin / max(sums.visits, <uint32_t> 1)
    out[1] = standard_error(sums.visits, sums.margin, sums.margin_squares) if sums.visits > 1 else INFINITY
    out[2] = score_of(&sums, margin_share, scale, shares.mean[seat], &error)
    out[3] = error


cdef public int search_variation(int action, action_t *out) noexcept nogil:
    """Write the principal variation from an action of the root on; return its length."""
    return write_variation(&search, <action_t> action, out)

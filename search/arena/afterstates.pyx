# cython: language_level=3
"""Plays whole games one ply deep: every seat plays the action after which a net gives it the highest win share.

No tree is built, so a core plays hundreds of these games per second. They train a net as TD-Gammon did (Tesauro 1995,
CACM 38(3)). The targets of a position are the TD(lambda) return of the rest of its game (Sutton 1988, Machine
Learning 3), cut off at random moves.
"""
from libc.math cimport INFINITY
from libc.stdint cimport INT32_MAX, int16_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from clerestory.engine.core cimport (
    MAX_LEGAL, MAX_SEATS, MAX_WORDS, NATURE, OVER, Game, GameOps, Guide, Value, action_t,
)
from clerestory.engine.integers cimport as_seed, whole
from clerestory.engine.rng cimport rng_below, rng_next, rng_seed, rng_t, rng_unit
from clerestory.engine.values.net cimport NetMemory

cdef struct Moment:
    uint64_t view[MAX_WORDS]  # the position, as the deciding seat sees it
    double scores[MAX_SEATS]  # expected, points
    double shares[MAX_SEATS]  # expected
    int seat                  # the seat that decided
    int round
    bint strayed              # whether it played a random move

cdef struct Table:
    const GameOps *ops
    const Guide *guide
    Value value
    int seats
    double straying, noise, trace
    rng_t nature, luck


# -- one move --------------------------------------------------------------------------------------

cdef void settle(Table *table, void *s, rng_t *rng) noexcept nogil:
    """Play chance events until a seat is to decide or the game is over."""
    while table.ops.turn(s) == NATURE:
        table.ops.play(s, table.ops.draw(s, rng))


cdef double worth_after(Table *table, const Moment *moment, action_t action, uint64_t luck) noexcept nogil:
    """Return the seat's win share at the next decision after an action; noise is added to its log odds."""
    cdef uint64_t after[MAX_WORDS]
    cdef double scores[MAX_SEATS]
    cdef double shares[MAX_SEATS]
    cdef rng_t stream
    cdef double share
    memcpy(after, moment.view, table.ops.state_size)
    table.ops.play(after, action)
    rng_seed(&stream, luck)
    settle(table, after, &stream)
    table.value.evaluate(table.value.weights, after, scores, shares)
    share = shares[moment.seat]
    return share + table.noise * share * (1 - share) * (rng_unit(&table.luck) - 0.5)


cdef action_t best_of(Table *table, const Moment *moment, const action_t *legal, int n) noexcept nogil:
    """Return the action with the highest value; all actions are tried with the same luck."""
    cdef uint64_t luck = rng_next(&table.luck)
    cdef double worth, most = -INFINITY
    cdef int i, best = 0
    for i in range(n):
        worth = worth_after(table, moment, legal[i], luck)
        if worth > most:
            best, most = i, worth
    return legal[best]


cdef int decide(Table *table, void *world, Moment *moment) noexcept nogil:
    """Play the move of the seat to decide and record the moment; return 1 if the seat had a choice, else 0."""
    cdef action_t legal[MAX_LEGAL]
    cdef int seat = table.ops.turn(world), n = table.ops.legal(world, legal)
    if n == 1:
        table.ops.play(world, legal[0])
        return 0
    memcpy(moment.view, world, table.ops.state_size)
    table.ops.observe(moment.view, seat)
    moment.seat, moment.round = seat, table.guide.round(moment.view)
    table.value.evaluate(table.value.weights, moment.view, moment.scores, moment.shares)
    moment.strayed = rng_unit(&table.luck) < table.straying
    if moment.strayed:
        table.ops.play(world, legal[rng_below(&table.luck, n)])
    else:
        table.ops.play(world, best_of(table, moment, legal, n))
    return 1


# -- one game --------------------------------------------------------------------------------------

cdef int play(Table *table, uint64_t seed, void *world, Moment *moments) noexcept nogil:
    """Play a game to its end; return the number of moments recorded."""
    cdef int count = 0
    rng_seed(&table.nature, seed)
    rng_seed(&table.luck, ~seed)
    table.ops.setup(world, table.seats, &table.nature)
    settle(table, world, &table.nature)
    while table.ops.turn(world) != OVER:
        count += decide(table, world, &moments[count])
        settle(table, world, &table.nature)
    return count


cdef void look_back(
    Table *table, const double *scores, const double *shares, Moment *moments, int count
) noexcept nogil:
    """Replace the expectations of every moment by its TD(lambda) return."""
    cdef double next_scores[MAX_SEATS]
    cdef double next_shares[MAX_SEATS]
    cdef double kept
    cdef int i, seat
    memcpy(next_scores, scores, sizeof(next_scores))
    memcpy(next_shares, shares, sizeof(next_shares))
    for i in range(count - 1, -1, -1):
        kept = 0 if moments[i].strayed else table.trace
        for seat in range(table.seats):
            next_scores[seat], moments[i].scores[seat] = (
                kept * next_scores[seat] + (1 - kept) * moments[i].scores[seat], next_scores[seat]
            )
            next_shares[seat], moments[i].shares[seat] = (
                kept * next_shares[seat] + (1 - kept) * moments[i].shares[seat], next_shares[seat]
            )


cdef double lead_of(const Moment *moment, int seats) noexcept nogil:
    """Return the expected score of the seat that decided minus the mean of the others."""
    cdef double total = 0
    cdef int seat
    for seat in range(seats):
        total += moment.scores[seat]
    return moment.scores[moment.seat] - (total - moment.scores[moment.seat]) / (seats - 1)


# -- for Python ------------------------------------------------------------------------------------

cdef class OnePlyGames:
    """Plays games one ply deep with one net in all seats.

    Args:
        game: the game, which must have a guide.
        net: evaluates positions.
        seats: number of players.
        straying: share of moves that are a uniformly random legal action.
        noise: largest difference in log odds that noise makes between two actions.
        trace: lambda of TD(lambda); 1 learns from results only.
    """
    cdef Table table
    cdef Moment *moments
    cdef NetMemory net  # keeps alive what the table points to
    cdef Game game

    def __cinit__(
        self, Game game not None, NetMemory net not None, seats, *, double straying, double noise, double trace
    ):
        self.game, self.net = game, net
        self.table.ops, self.table.guide, self.table.value = game.ops, game.guide, net.value()
        self.table.seats = game.new(seats, 0).seats
        self.table.straying, self.table.noise, self.table.trace = straying, noise, trace
        self.moments = <Moment *> malloc(game.ops.max_plies * sizeof(Moment))
        if self.moments == NULL:
            raise MemoryError("no memory for a game")

    def __dealloc__(self):
        free(self.moments)

    def play(self, seed, double share, dict rows not None, first):
        """Play the game of a seed and write some of its positions with a choice.

        Args:
            seed: seed of all random choices.
            share: share of positions to keep, chosen at random, above 0.
            rows: NumPy arrays by name, with the columns of PositionRows and these types: uint8 states, int16 seats and
                rounds, float32 others.
            first: row of the first position; there must be room for `max_plies` rows from it.

        Returns the row after the last position.
        """
        cdef uint8_t[:, ::1] state = rows["state"]
        cdef int16_t[::1] seat = rows["seat"]
        cdef int16_t[::1] round_ = rows["round"]
        cdef float[::1] lead = rows["lead"]
        cdef float[:, ::1] scores = rows["scores"]
        cdef float[:, ::1] returns = rows["returns"]
        cdef float[:, ::1] shares = rows["shares"]
        cdef uint64_t world[MAX_WORDS]
        cdef double final_scores[MAX_SEATS]
        cdef double final_shares[MAX_SEATS]
        cdef Moment *moment
        cdef int i, j, count, row = whole("first", first, 0, INT32_MAX)
        cdef uint64_t luck = as_seed(seed)
        if row + self.game.ops.max_plies > state.shape[0]:
            raise ValueError(f"first: {first} leaves no room for {self.game.ops.max_plies} rows")
        with nogil:
            count = play(&self.table, luck, world, self.moments)
            self.table.ops.scores(world, final_scores)
            self.table.ops.returns(world, final_shares)
            look_back(&self.table, final_scores, final_shares, self.moments, count)
            for i in range(count):
                if rng_unit(&self.table.luck) >= share:
                    continue
                moment = &self.moments[i]
                memcpy(&state[row, 0], moment.view, self.table.ops.state_size)
                seat[row], round_[row] = moment.seat, moment.round
                lead[row] = lead_of(moment, self.table.seats)
                for j in range(self.table.seats):
                    scores[row, j], returns[row, j] = final_scores[j], final_shares[j]
                    shares[row, j] = moment.shares[j]
                row += 1
        return row

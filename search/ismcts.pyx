# cython: language_level=3
"""Single-observer information-set Monte Carlo tree search (Cowling, Powley, Whitehouse 2012, IEEE TCIAIG 4(2)).

Each iteration deals a world that agrees with what the observer knows, walks down the tree by UCB1 over
the actions legal in that world, adds one action, plays on at random, and credits every edge of its path.
"""
import math

from libc.math cimport log, sqrt
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec

from clerestory.engine.core cimport MAX_LEGAL, NATURE, OVER, State, action_t
from clerestory.engine.rng cimport Rng, rng_below
from clerestory.search.tree cimport (
    NO_NODE, Edge, Node, tree_bytes, tree_close, tree_enter, tree_find, tree_open,
)

from clerestory.search.errors import BadLimit, HiddenFromSeat, NothingToDecide, WrongSeat
from clerestory.search.result import Line, Result, StopReason

cdef extern from *:
    """
    #define atomic_load(p) __atomic_load_n((p), __ATOMIC_RELAXED)
    #define atomic_store(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
    """
    int atomic_load(int *p) noexcept nogil
    void atomic_store(int *p, int value) noexcept nogil

cdef enum:
    CLOCK_EVERY = 8              # iterations between looks at the clock

PLAIN_EXPLORATION = 0.7
DEFAULT_MAX_BYTES = 256 << 20
MIN_BYTES = 1 << 16


# -- one iteration ---------------------------------------------------------------------------------

cdef void iterate(Search *search) noexcept nogil:
    memcpy(search.world, search.root, search.ops.state_size)
    search.ops.deal(search.world, &search.rng)
    descend(search)
    play_out(search)
    search.ops.returns(search.world, search.reward)
    back_up(search)
    search.iterations += 1


cdef void descend(Search *search) noexcept nogil:
    """Walk down until an action that was never tried has been played, or the game or the memory is at its end."""
    cdef uint32_t node, edge
    cdef int turn, n
    search.length = 0
    while True:
        turn = search.ops.turn(search.world)
        if turn == NATURE:
            search.ops.play(search.world, search.ops.draw(search.world, &search.rng))
            continue
        if turn == OVER:
            return
        n = search.ops.legal(search.world, search.legal)
        node = tree_enter(&search.tree, search.ops.key(search.world, search.observer), search.legal, n)
        if node == NO_NODE:
            return
        edge = select(search, &search.tree.nodes[node], turn, n)
        search.ops.play(search.world, search.tree.edges[edge].action)
        search.path[search.length] = edge
        search.length += 1
        search.depth = max(search.depth, search.length)
        if search.tree.edges[edge].visits == 0:
            return


cdef uint32_t select(Search *search, const Node *node, int turn, int n) noexcept nogil:
    """Return an edge of a legal action: one never tried, at random, else the best by UCB1 with availability."""
    cdef Edge *row = search.tree.edges + node.first
    cdef uint32_t untried[MAX_LEGAL]
    cdef int e = 0, i, tries = 0, best = -1
    cdef double score, best_score = 0
    for i in range(n):
        while row[e].action != search.legal[i]:
            e += 1
        row[e].available += 1
        if row[e].visits == 0:
            untried[tries] = e
            tries += 1
        elif tries == 0:
            score = ucb(&row[e], turn, search.exploration)
            if best < 0 or score > best_score:
                best = e
                best_score = score
    if tries:
        return node.first + untried[rng_below(&search.rng, tries)]
    return node.first + best


cdef inline double ucb(const Edge *edge, int turn, double exploration) noexcept nogil:
    return edge.value[turn] / edge.visits + exploration * sqrt(log(<double> edge.available) / edge.visits)


cdef void play_out(Search *search) noexcept nogil:
    """Play at random to the end of the game."""
    cdef int turn = search.ops.turn(search.world)
    cdef action_t a
    while turn != OVER:
        if turn == NATURE:
            a = search.ops.draw(search.world, &search.rng)
        else:
            a = search.legal[rng_below(&search.rng, search.ops.legal(search.world, search.legal))]
        search.ops.play(search.world, a)
        turn = search.ops.turn(search.world)


cdef void back_up(Search *search) noexcept nogil:
    cdef Edge *edge
    cdef int i, seat
    for i in range(search.length):
        edge = &search.tree.edges[search.path[i]]
        edge.visits += 1
        for seat in range(search.seats):
            edge.value[seat] += search.reward[seat]


# -- many ------------------------------------------------------------------------------------------

cdef double monotonic() noexcept nogil:
    """The clock of Python's time.monotonic, in seconds."""
    cdef timespec now
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec + 1e-9 * now.tv_nsec


cdef object run_until(Search *search, double deadline, uint64_t iterations):
    """Iterate, once at least, until the deadline, the number of iterations, or a stop. Return why it ended."""
    cdef uint64_t end = search.iterations + iterations
    cdef bint stopped = False, late = False
    with nogil:
        while True:
            iterate(search)
            stopped = atomic_load(&search.stop)
            if search.iterations % CLOCK_EVERY == 0 or search.iterations < CLOCK_EVERY:
                late = monotonic() >= deadline
            if stopped or late or search.iterations >= end:
                break
    atomic_store(&search.stop, 0)
    if stopped:
        return StopReason.STOPPED
    return StopReason.TIME if late else StopReason.ITERATIONS


# -- the handle ------------------------------------------------------------------------------------

cdef class Searcher:
    """A resumable search of one position for the seat that is to decide, `ismcts-plain`.

    Uniform playouts to the end, win share as reward, UCB1 with availability, most visits first. Equal
    seeds and iterations give equal results to the last bit, whether run at once or in slices.

    Args:
        position: the position; what the seat cannot know is forgotten before anything else.
        seat: the seat to decide; None takes the one whose turn it is.
        seed: 0 to 2**64 - 1, of all the search's luck.
        exploration: C of UCB1, in win shares, 0 or more.
        max_bytes: memory of the tree; when it is full the search goes on with what it has.

    Raises NothingToDecide, WrongSeat, HiddenFromSeat, or BadLimit for an option out of its range.
    """
    cdef Search search
    cdef State position
    cdef object seed, reason
    cdef double elapsed
    cdef bint running

    def __cinit__(self, State position not None, seat=None, *, seed, exploration=PLAIN_EXPLORATION,
                  max_bytes=DEFAULT_MAX_BYTES):
        turn = owed_turn(position, seat)
        if not isinstance(exploration, (int, float)) or not 0 <= exploration < math.inf:
            raise BadLimit("exploration", f"{exploration!r} is not a number of 0 or more")
        if not isinstance(max_bytes, int) or max_bytes < MIN_BYTES:
            raise BadLimit("max_bytes", f"{max_bytes!r} is not a whole number of at least {MIN_BYTES}")
        self.position = position.observe(turn)
        self.seed = seed
        self.search.ops = position.game.ops
        self.search.seats = position.seats
        self.search.observer = turn
        self.search.exploration = exploration
        self.search.rng = luck(seed).c
        memcpy(self.search.root, self.position.data, sizeof(self.search.root))
        owe_knowledge(self.position, turn)
        self.search.path = <uint32_t *> malloc(position.game.max_plies * sizeof(uint32_t))
        if not tree_open(&self.search.tree, max_bytes) or self.search.path == NULL:
            raise MemoryError(f"no memory for a tree of {max_bytes} bytes")

    def __dealloc__(self):
        tree_close(&self.search.tree)
        free(self.search.path)

    @property
    def iterations(self):
        """Iterations run so far."""
        return self.search.iterations

    def run(self, *, seconds=None, deadline=None, iterations=None):
        """Search on, for at least one iteration, and return the Result so far; the GIL is released.

        Args:
            seconds: time from now, above 0.
            deadline: the same as a reading of time.monotonic; the earlier of the two holds.
            iterations: how many more, above 0.

        Raises BadLimit for a limit out of its range or when there is none, RuntimeError if already running.
        """
        cdef double started = monotonic()
        until = check_time(seconds, deadline, started)
        if iterations is not None and (type(iterations) is not int or not 0 < iterations < 1 << 63):
            raise BadLimit("iterations", f"{iterations!r} is not a whole number above 0")
        if until == math.inf and iterations is None:
            raise BadLimit("limits", "none is given: a time or a number of iterations is needed")
        self._owe_rest()
        self.running = True
        try:
            self.reason = run_until(&self.search, until, (1 << 63) if iterations is None else iterations)
        finally:
            self.elapsed += monotonic() - started
            self.running = False
        return self.result()

    def stop(self):
        """End the run that is under way, or else the next one, after its present iteration. Any thread may call it."""
        atomic_store(&self.search.stop, 1)

    def result(self):
        """Return what is known so far. Raises RuntimeError before the first run and while one is under way."""
        self._owe_rest()
        if self.reason is None:
            raise RuntimeError("the search has not run")
        return Result(
            seat=self.search.observer,
            lines=self._lines(),
            iterations=self.search.iterations,
            nodes=self.search.tree.num_nodes,
            bytes=tree_bytes(&self.search.tree),
            depth=self.search.depth,
            elapsed=self.elapsed,
            stopped=self.reason,
            memory_full=self.search.tree.full,
            seed=self.seed,
        )

    def _owe_rest(self):
        if self.running:
            raise RuntimeError("the search is running")

    def _lines(self):
        """The root's actions: most visits first, then the lower code."""
        cdef uint32_t root = tree_find(&self.search.tree, self.search.ops.key(self.search.root, self.search.observer))
        cdef Node node = self.search.tree.nodes[root]
        lines = [self._line(&self.search.tree.edges[node.first + i]) for i in range(node.count)]
        return tuple(sorted(lines, key=lambda line: -line.visits))

    cdef object _line(self, const Edge *edge):
        action = self.position.game.action(edge.action)
        visits = max(edge.visits, 1)
        values = tuple(edge.value[seat] / visits for seat in range(self.search.seats))
        return Line(action.text, action.label, edge.visits, edge.available, values)


cdef Rng luck(object seed):
    try:
        return Rng(seed)
    except ValueError as error:
        raise BadLimit("seed", str(error).removeprefix("seed: ")) from None


def owed_turn(State position, seat):
    """Return the seat to decide. Raises NothingToDecide or WrongSeat."""
    turn = position.turn
    if turn == OVER:
        raise NothingToDecide("the game is over")
    if turn == NATURE:
        raise NothingToDecide("a chance event is due")
    if seat is not None and seat != turn:
        raise WrongSeat(f"seat {seat} is not to decide: it is {position.game.seat_name(turn)}'s turn")
    return turn


cdef object owe_knowledge(State observed, int seat):
    """Raise HiddenFromSeat unless dealing leaves the seat's own knowledge as it is."""
    if observed.deal(0).observe(seat) != observed:
        raise HiddenFromSeat(f"the position hides what {observed.game.seat_name(seat)} knows")


def check_time(seconds, deadline, started):
    """Return the earlier end as a clock reading, infinity for none. Raises BadLimit."""
    until = math.inf
    if seconds is not None:
        if not isinstance(seconds, (int, float)) or not 0 < seconds < math.inf:
            raise BadLimit("seconds", f"{seconds!r} is not a number above 0")
        until = started + seconds
    if deadline is not None:
        if not isinstance(deadline, (int, float)) or math.isnan(deadline):
            raise BadLimit("deadline", f"{deadline!r} is not a clock reading")
        until = min(until, deadline)
    return until

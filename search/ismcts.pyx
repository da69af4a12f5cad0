# cython: language_level=3
"""The handle of a search: options, limits, threads, results. What is done in an iteration is in iteration.pyx."""
import math
from concurrent.futures import ThreadPoolExecutor
from itertools import product

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

from clerestory.engine.core cimport MAX_LEGAL, NATURE, OVER, State, action_t
from clerestory.engine.rng cimport Rng
from clerestory.search.iteration cimport (
    BY_DECISION, BY_ITERATIONS, BY_PAUSE, BY_STOP, BY_TIME, Habit, Search, Step,
    decided, monotonic, prospect, run_until,
)
from clerestory.search.outlook cimport Foreseen, look_ahead
from clerestory.search.playout cimport play_by_habit, play_informed, play_uniformly
from clerestory.search.tree cimport (
    NO_NODE, Edge, Node, most_visited, tree_bytes, tree_clear, tree_close, tree_find, tree_open,
)

from clerestory.search.errors import BadLimit
from clerestory.search.limits import check_threads, check_time, shares
from clerestory.search.options import IDENTITIES, REWARDS, Options
from clerestory.search.reasons import explained, gain
from clerestory.search.result import Outlook, Result, StopReason
from clerestory.search.root import considered_codes, known, owed_seat, owed_watcher
from clerestory.search.lines import NOTHING, ActionStatistics, LineBuilder

cdef extern from *:
    """
    #define atomic_store(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
    """
    void atomic_store(int *p, int value) noexcept nogil

cdef enum:
    MOST_TREES = 256             # as in limits.py

DEFAULT_MAX_BYTES = 256 << 20
MIN_BYTES = 1 << 16
EXPLAINED_WORLDS = 100
MANY_PLIES = 1 << 40
SLICE_SECONDS = 0.02             # between two looks of several threads at an early end
SLICE_ITERATIONS = 2000          # of each thread; the same, where there is no time
REASONS = {
    BY_PAUSE: StopReason.PAUSED,
    BY_ITERATIONS: StopReason.ITERATIONS,
    BY_DECISION: StopReason.DECIDED,
    BY_TIME: StopReason.TIME,
    BY_STOP: StopReason.STOPPED,
}


# -- one tree --------------------------------------------------------------------------------------

cdef class Worker:
    """One tree and its luck."""
    cdef Search search
    cdef object clock            # that the search reads, where it is not the system's

    def __dealloc__(self):
        tree_close(&self.search.tree)
        free(self.search.path)
        free(self.search.played)
        free(self.search.habits)

    cdef object open(self, State root, object seed, object options, uint64_t max_bytes, int *stop, object clock):
        """Take the memory. Raises BadLimit for the seed, MemoryError."""
        self.clock = clock
        if clock is not None:
            self.search.clock = <void *> clock
            self.search.ask_clock = ask_clock
        self.search.ops = root.game.ops
        self.search.guide = root.game.guide
        self.search.seats = root.seats
        self.search.rng = luck(seed).c
        self.search.stop = stop
        self.choose(options)
        self.search.path = <Step *> malloc(root.game.max_plies * sizeof(Step))
        if not tree_open(&self.search.tree, max_bytes) or self.search.path == NULL or not self.open_habits(options):
            raise MemoryError(f"no memory for a tree of {max_bytes} bytes")

    cdef bint open_habits(self, object options):
        """Take the memory that this playout needs."""
        if options.playout != "habit":
            return True
        self.search.played = <Step *> malloc(self.search.ops.max_plies * sizeof(Step))
        self.search.habits = <Habit *> calloc(self.search.guide.phases * self.search.ops.num_actions, sizeof(Habit))
        return self.search.played != NULL and self.search.habits != NULL

    cdef object choose(self, object options):
        """Set what the hot loop goes by."""
        share = REWARDS[options.reward]
        self.search.exploration = options.exploration
        self.search.by_priors = options.selection == "puct"
        self.search.win_weight = 1 - share
        self.search.margin_weight = share
        self.search.identity = IDENTITIES.index(options.nodes)
        if options.playout == "uniform":
            self.search.play_out = play_uniformly
        else:
            self.search.play_out = play_informed if options.playout == "informed" else play_by_habit
        self.search.horizon = self.search.ops.max_plies if options.horizon is None else options.horizon
        self.search.temper = options.temper
        self.search.rival_share = options.rival_share
        self.search.lowest = math.inf
        self.search.highest = -math.inf

    cdef object set_root(self, State root, int seat, int observer, object considered):
        """Move to a position of the observer; a tree that fills more than half of its memory is forgotten."""
        memcpy(self.search.root, root.data, sizeof(self.search.root))
        self.search.observer = observer
        self.search.seat = max(seat, 0)
        self.search.num_considered = len(considered)
        for i in range(len(considered)):
            self.search.considered[i] = considered[i]
        self.search.iterations = 0
        self.search.windows = 0
        self.search.depth = 0
        if self.search.tree.num_edges > self.search.tree.max_edges // 2 or (
            self.search.tree.num_nodes > self.search.tree.max_nodes // 2
        ):
            tree_clear(&self.search.tree)

    def run(self, double pause, double deadline, uint64_t iterations, bint early):
        """Search without the GIL; return the number of the reason why it ended."""
        cdef int ending
        with nogil:
            ending = run_until(&self.search, pause, deadline, iterations, early)
        return ending

    cdef uint32_t root(self):
        return tree_find(&self.search.tree, self.search.ops.key(self.search.root, self.search.observer))

    cdef dict tallies(self):
        """What was counted, by action code; {} for a position that the tree has not met."""
        cdef uint32_t root = self.root()
        cdef const Node *node = &self.search.tree.nodes[root]
        if root == NO_NODE:
            return {}
        return {
            self.search.tree.actions[node.first + i]: self.tally(&self.search.tree.edges[node.first + i])
            for i in range(node.count)
        }

    cdef object tally(self, const Edge *edge):
        return ActionStatistics(
            edge.visits,
            edge.available,
            tuple(edge.win[seat] for seat in range(self.search.seats)),
            tuple(edge.win_squares[seat] for seat in range(self.search.seats)),
            edge.margin,
            edge.margin_squares,
        )

    cdef list variation(self, action_t a):
        """The codes from a root action on, in the observer's own view: nothing hidden is ever needed."""
        cdef uint64_t view[64]
        cdef int code = a
        found = []
        memcpy(view, self.search.root, sizeof(view))
        while code >= 0:
            found.append(code)
            self.search.ops.play(view, <action_t> code)
            code = self.next_code(view)
        return found

    cdef int next_code(self, const void *view):
        """The only outcome of a chance event, or the most visited action; -1 where there is none."""
        cdef action_t legal[MAX_LEGAL]
        cdef int turn = self.search.ops.turn(view)
        cdef int n = 0 if turn == OVER else self.search.ops.legal(view, legal)
        if turn < 0:
            return legal[0] if n == 1 else -1
        return most_visited(&self.search.tree, self.search.ops.key(view, self.search.observer), legal, n)


cdef double ask_clock(void *clock) noexcept with gil:
    return (<object> clock)()


# -- the handle ------------------------------------------------------------------------------------

cdef class Searcher:
    """A resumable search for the seat that is to decide, or of a chance event; its defaults are `ismcts-plain`.

    Equal seeds, iterations and threads give equal results to the last bit; with one thread, whether run at
    once or in slices.

    Args:
        position: the position; what the seat cannot know is forgotten before anything else.
        seat: the seat to decide; None takes the one whose turn it is. At a chance event the seat whose knowledge
            is to be used, None for an onlooker; the lines are then its outcomes.
        observer: whose knowledge is used, if not that of `seat`: any seat, or NATURE for an onlooker. The lines are
            still those of the seat to decide; the observer may not know which of them it really has.
        actions: texts of the only actions of the root to search, each legal; None for all.
        seed: 0 to 2**64 - 1, of all the search's luck.
        max_bytes: memory of the tree, for each thread; when it is full the search goes on with what it has.
        threads: trees to make at once, 1 to 256; `run` makes more when it needs them, `step` does not.
        clock: a function that tells the time in seconds, for simulations; None takes time.monotonic.
        options: the fields of Options.

    Raises NothingToDecide, WrongSeat, HiddenFromSeat, or BadLimit for an option out of its range.
    """
    cdef list workers
    cdef State position
    cdef object seed, seeds, options, reason, considered, clock
    cdef int seat                # to decide, or the observer at a chance event
    cdef int observer
    cdef bint watches            # the observer was named: any seat may be the one to decide
    cdef uint64_t max_bytes, reused
    cdef double elapsed
    cdef int running             # trees
    cdef int stopping            # atomic

    def __cinit__(
        self,
        State position not None,
        seat=None,
        *,
        seed,
        observer=None,
        max_bytes=DEFAULT_MAX_BYTES,
        actions=None,
        threads=1,
        clock=None,
        **options,
    ):
        self.clock = clock
        self.watches = observer is not None
        self.seat = owed_seat(position, seat)
        self.observer = owed_watcher(position, observer) if self.watches else self.seat
        if position.turn == NATURE:
            self.seat = self.observer
        self.options = Options(**options)
        needy = self.options.guide_needed_by
        if needy is not None and position.game.guide == NULL:
            raise BadLimit(needy, f"{getattr(self.options, needy)!r} needs a guide, and {position.game.name} has none")
        if not isinstance(max_bytes, int) or max_bytes < MIN_BYTES:
            raise BadLimit("max_bytes", f"{max_bytes!r} is not a whole number of at least {MIN_BYTES}")
        self.position = known(position, self.observer)
        self.considered = considered_codes(self.position, actions)
        self.seed = seed
        self.seeds = luck(seed)
        self.max_bytes = max_bytes
        check_threads(threads)
        self.workers = []
        self._add_worker(seed)
        for _ in range(1, threads):
            self._add_worker(self.seeds.next())

    def _add_worker(self, seed):
        cdef Worker worker = Worker()
        worker.open(self.position, seed, self.options, self.max_bytes, &self.stopping, self.clock)
        worker.set_root(self.position, self.seat, self.observer, self.considered)
        self.workers.append(worker)

    @property
    def iterations(self):
        """Iterations run so far from this position."""
        return sum([(<Worker> worker).search.iterations for worker in self.workers])

    def run(self, *, seconds=None, deadline=None, iterations=None, threads=1, early=False):
        """Search on, for at least one iteration, and return the Result so far; the GIL is released.

        Args:
            seconds: time from now, above 0.
            deadline: the same as a reading of time.monotonic; the earlier of the two holds.
            iterations: how many more, above 0, all threads together.
            threads: 1 to 256 independent trees, searched side by side and added up; each takes its own memory.
            early: end as soon as what is left (of the time, as many iterations as it could bring at the best rate
                so far) cannot change which line is the best: run on to its limits, the search would name the same.
                Several trees are looked at together, between slices. A chance event is not decided: its lines are
                all wanted.

        Raises BadLimit for a limit out of its range or when there is none, RuntimeError if already running.
        """
        cdef double started = self._now()
        until = check_time(seconds, deadline, started)
        if iterations is not None and (type(iterations) is not int or not 0 < iterations < 1 << 63):
            raise BadLimit("iterations", f"{iterations!r} is not a whole number above 0")
        if until == math.inf and iterations is None:
            raise BadLimit("limits", "none is given: a time or a number of iterations is needed")
        check_threads(threads)
        self._owe_rest()
        self.running = 1
        try:
            self.reason = self._run_slices(until, iterations, threads, early)
        finally:
            atomic_store(&self.stopping, 0)
            self.elapsed += self._now() - started
            self.running = 0
        return self.result()

    def step(self, double pause, *, double deadline, uint64_t iterations, int thread=0, bint early=False):
        """Run one tree for a slice; return why the slice ended (`paused`: it can go on) and its iterations.

        For a caller that shares its threads among many searches, and takes the result when it wants one. The trees
        of one search may step at the same time.

        Args:
            pause: the end of the slice, a reading of time.monotonic.
            deadline: that of the search, likewise; infinity for none.
            iterations: how many more this tree may run, above 0.
            thread: whose tree, counted from 0.
            early: as in `run`; of no effect where there are several trees.

        Raises IndexError for a tree that there is not.
        """
        cdef Worker worker = self.workers[thread]
        cdef double started = self._now()
        cdef uint64_t before = worker.search.iterations
        self.running += 1
        try:
            self.reason = REASONS[worker.run(pause, deadline, iterations, early and len(self.workers) == 1)]
            return self.reason, worker.search.iterations - before
        finally:
            self.elapsed += (self._now() - started) / len(self.workers)
            self.running -= 1
            if not self.running:
                atomic_store(&self.stopping, 0)

    def _run_slices(self, until, iterations, threads, early):
        """Run trees side by side; in slices where several are to end early, for then all are looked at together."""
        while len(self.workers) < threads:
            self._add_worker(self.seeds.next())
        cdef bint together = early and len(self.workers) > 1
        end = math.inf if iterations is None else self.iterations + iterations
        while True:
            left = end - self.iterations
            most = min(left, SLICE_ITERATIONS * threads) if together else left
            pause = self._now() + SLICE_SECONDS if together and until < math.inf else math.inf
            parts = shares(None if most == math.inf else most, threads)
            ending = self._run_workers(pause, until, parts, early and not together)
            if not together or ending in (BY_STOP, BY_TIME) or self.iterations >= end:
                return REASONS[ending]
            if self._decided(until, end - self.iterations, threads):
                return StopReason.DECIDED

    def _run_workers(self, pause, until, parts, early):
        """Run a tree for each part, the first one in this thread. Return the strongest reason why they ended."""
        if len(parts) == 1:
            return self.workers[0].run(pause, until, parts[0], early)
        with ThreadPoolExecutor(len(parts) - 1, "search") as pool:
            others = [pool.submit(self.workers[i].run, pause, until, parts[i], early) for i in range(1, len(parts))]
            first = self.workers[0].run(pause, until, parts[0], early)
        return max(first, *(other.result() for other in others))

    def _decided(self, double until, double left, int threads):
        """Whether what so many of the trees can still get, together, cannot change the choice of all of them."""
        cdef Search *trees[MOST_TREES]
        cdef double remaining = 0, now = self._now()
        for i in range(len(self.workers)):
            trees[i] = &(<Worker> self.workers[i]).search
            if i < threads:
                remaining += prospect(trees[i], until - now, left)
        return decided(trees, len(self.workers), min(remaining, left))

    cdef double _now(self):
        return monotonic() if self.clock is None else self.clock()

    def stop(self):
        """End the run that is under way, or else the next one, after its present iteration. Any thread may call it."""
        atomic_store(&self.stopping, 1)

    def advance(self, State position not None, *, actions=None):
        """Go on from another position of the same game and seat, with what the tree knows of it already.

        Nodes are information sets by key, so whatever the earlier searches have met is found again, however it
        was reached, and nothing that has become impossible is. All nodes stay, unless they fill more than
        half of the memory: then all are forgotten. The luck goes on where it was.

        Args:
            position: usually a later position of the game, at the seat's next decision.
            actions: as for a new search.

        Raises NothingToDecide, WrongSeat if another seat is to decide and no observer was named, HiddenFromSeat,
        ValueError for another game or number of players, RuntimeError while a run is under way.
        """
        self._owe_rest()
        if position.game is not self.position.game or position.seats != self.position.seats:
            raise ValueError(f"the tree is of {self.position.game.name} for {self.position.seats} players")
        seat = owed_seat(position, None if self.watches or self.observer < 0 else self.observer)
        self.position = known(position, self.observer)
        self.seat = self.observer if position.turn == NATURE else seat
        self.considered = considered_codes(self.position, actions)
        for worker in self.workers:
            (<Worker> worker).set_root(self.position, self.seat, self.observer, self.considered)
        self.reused = sum(
            [tally.visits for worker in self.workers for tally in (<Worker> worker).tallies().values()]
        )
        self.reason = None
        self.elapsed = 0

    def result(self):
        """Return what is known so far. Raises RuntimeError before the first run and while one is under way."""
        cdef Worker worker
        self._owe_rest()
        if self.reason is None:
            raise RuntimeError("the search has not run")
        ran = [worker for worker in self.workers if worker.search.iterations]
        return Result(
            seat=self.seat,
            observer=self.observer,
            lines=self._lines(),
            iterations=self.iterations,
            reused_iterations=self.reused,
            threads=len(ran),
            nodes=sum([worker.search.tree.num_nodes for worker in self.workers]),
            tree_bytes=sum([tree_bytes(&worker.search.tree) for worker in self.workers]),
            depth=max([worker.search.depth for worker in self.workers]),
            elapsed=self.elapsed,
            stop_reason=self.reason,
            memory_full=any([worker.search.tree.full for worker in self.workers]),
            seed=self.seed,
        )

    def explain(self, result, *, lines=5, worlds=EXPLAINED_WORLDS, int64_t plies=MANY_PLIES):
        """Return the result with an outlook on each of its first lines, and the reason for the best one.

        Each world is played to its end once for each line, with the same cards and luck: by what the tree plays
        most, then by the guide's weights. Takes some 10 us a world and line, and 40 early in a game. The result
        is as it was where the game has no guide.

        Args:
            result: of this search, from its present position.
            lines: how many to explain, 1 at least; more than there are is all.
            worlds: determinizations, above 0.
            plies: for each line, after which no world begins: a limit to the time, a tenth of a microsecond each.
        """
        if self.position.game.guide == NULL:
            return result
        actions = [line.action for line in result.lines[:lines]]
        return explained(result, *self.foresee(actions, worlds=worlds, plies=plies))

    def foresee(self, actions, *, int worlds=EXPLAINED_WORLDS, int64_t plies=MANY_PLIES):
        """Return the outlook of each action, and the gains of the first one over the second, feature by feature.

        Args:
            actions: texts, one at least, of actions that are legal in the position. The game must have a guide.
            worlds: as in `explain`.
            plies: as in `explain`.
        """
        self._owe_rest()
        codes = [self.position.game.parse_action(text).code for text in actions]
        cdef Worker worker = self.workers[0]
        cdef action_t firsts[MAX_LEGAL]
        cdef uint64_t seed = self.seed
        cdef int i, lived, n = len(codes)
        for i in range(n):
            firsts[i] = codes[i]
        cdef Foreseen *lines = <Foreseen *> malloc(n * sizeof(Foreseen))
        if lines == NULL:
            raise MemoryError(f"no memory for the outlook of {n} lines")
        try:
            with nogil:
                lived = look_ahead(&worker.search, firsts, n, worlds, plies, seed, lines)
            return [self._outlook(&lines[i], lived) for i in range(n)], self._gains(&lines[1], lived) if n > 1 else ()
        finally:
            free(lines)

    cdef tuple _outlook(self, const Foreseen *line, int worlds):
        now = self._features()
        return tuple([
            Outlook(name, value, line.total[i] / worlds, line.total[len(now) + i] / worlds)
            for i, (name, value) in enumerate(now.items())
        ])

    cdef tuple _gains(self, const Foreseen *line, int worlds):
        return tuple([
            gain(feature, worlds, line.gain[i], line.gain_squares[i], at_game_end=at_end)
            for i, (at_end, feature) in enumerate(product((False, True), self._features()))
        ])

    def _features(self):
        """Those of the seat whose lines they are, by name, as they are now."""
        cdef Worker worker = self.workers[0]
        return self.position.features(worker.search.seat)

    def _owe_rest(self):
        if self.running:
            raise RuntimeError("the search is running")

    def _lines(self):
        cdef Worker worker
        tables = [worker.tallies() for worker in self.workers]
        builder = LineBuilder(
            self.options,
            max(self.seat, 0),
            min([worker.search.lowest for worker in self.workers]),
            max([worker.search.highest for worker in self.workers]),
        )
        codes = set().union(*tables).intersection(self.considered or self.position.legal_codes())
        lines = [self._line(builder, code, tables) for code in sorted(codes)]
        return builder.rank(lines) if self.position.turn != NATURE else builder.list_outcomes(lines, self._odds())

    def _odds(self):
        """The probability of each outcome of the chance event, by its text."""
        return {
            self.position.game.texts[code]: chance
            for code, chance in zip(self.position.legal_codes(), self.position.odds(), strict=True)
        }

    def _line(self, builder, int code, tables):
        """A line, with its variation out of the tree that visited it most."""
        counted = [table.get(code, NOTHING) for table in tables]
        knows = max(range(len(counted)), key=lambda i: counted[i].visits)
        codes = (<Worker> self.workers[knows]).variation(<action_t> code)
        action = self.position.game.action(code)
        return builder.line(
            action.text, action.label, sum(counted, NOTHING), tuple(self.position.game.texts[ply] for ply in codes)
        )


cdef Rng luck(object seed):
    try:
        return Rng(seed)
    except ValueError as error:
        raise BadLimit("seed", str(error).removeprefix("seed: ")) from None

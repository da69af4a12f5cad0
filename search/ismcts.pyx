# cython: language_level=3
"""The handle of a search: limits, threads, results. One tree is in tree_search.pyx, its runs in run.pyx."""
import math
from concurrent.futures import ThreadPoolExecutor
from itertools import product

from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc

from clerestory.engine.clock cimport monotonic
from clerestory.engine.core cimport MAX_LEGAL, NATURE, State, action_t
from clerestory.search.outlook cimport OutlookSums, look_ahead
from clerestory.search.run cimport BY_DECISION, BY_ITERATIONS, BY_PAUSE, BY_STOP, BY_TIME, decided, prospect
from clerestory.search.search cimport Search
from clerestory.search.tree cimport tree_bytes
from clerestory.search.tree_search cimport TreeSearch, stream
from clerestory.search.turns cimport Worker

from clerestory.search.certainty import certainty
from clerestory.search.errors import BadLimit, WrongSeat
from clerestory.search.limits import end_of_run, require_threads, shares
from clerestory.search.lines import NOTHING, LineBuilder
from clerestory.search.options import Options
from clerestory.search.reasons import explained, gain
from clerestory.search.lines import Outlook
from clerestory.search.result import Result, StopReason

cdef extern from *:
    """
    #define write_flag(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
    """
    void write_flag(int *p, int value) noexcept nogil

cdef enum:
    MOST_TREES = 256             # as in limits.py

DEFAULT_MAX_BYTES = 256 << 20
MIN_BYTES = 1 << 16
EXPLAINED_WORLDS = 100
MANY_PLIES = 1 << 40
SLICE_SECONDS = 0.02             # between two checks of several threads for an early end
SLICE_ITERATIONS = 2000          # of each thread; the same without a time limit
REASONS = {
    BY_PAUSE: StopReason.PAUSED,
    BY_ITERATIONS: StopReason.ITERATIONS,
    BY_DECISION: StopReason.DECIDED,
    BY_TIME: StopReason.TIME,
    BY_STOP: StopReason.STOPPED,
}


cdef class Searcher:
    """A resumable search; its defaults are those of `ismcts-plain`.

    Equal seeds, iterations and threads give results equal to the last bit; with one thread, whether run at once or
    in slices.

    Args:
        root: the position to search, from `observe`.
        seed: 0 to 2**64 - 1, of all random choices.
        max_bytes: memory of the tree, for each thread; once it is full the search continues without growing it.
        threads: trees to make at once, 1 to 256; `run` makes more when it needs them, `step` does not.
        clock: a function that returns the time in seconds, for simulations; by default time.monotonic.
        options: the fields of Options.

    Raises BadLimit for an option out of its range.
    """
    cdef list trees
    cdef object root, seed, seeds, options, reason, clock
    cdef State view
    cdef uint64_t max_bytes
    cdef double elapsed
    cdef int running             # trees
    cdef int stopping            # atomic

    def __cinit__(self, root not None, *, seed, max_bytes=DEFAULT_MAX_BYTES, threads=1, clock=None, **options):
        self.clock = clock
        self.root = root
        self.view = root.view
        tuning = self.view.game.tuning
        of_game = {"temperature": tuning.temperature, "scale": tuning.scale[self.view.seats]}
        self.options = Options(**{**of_game, **options})
        self._require_guide()
        if not isinstance(max_bytes, int) or max_bytes < MIN_BYTES:
            raise BadLimit("max_bytes", f"{max_bytes!r} is not a whole number of at least {MIN_BYTES}")
        self.seed = seed
        self.seeds = stream(seed)
        self.max_bytes = max_bytes
        require_threads(threads)
        self.trees = []
        self._add_tree(seed)
        for _ in range(1, threads):
            self._add_tree(self.seeds.next())

    def _require_guide(self):
        needy = self.options.guide_needed_by
        if needy is not None and self.view.game.guide == NULL:
            raise BadLimit(needy, f"{getattr(self.options, needy)!r} needs a guide, and {self.view.game.name} has none")

    def _add_tree(self, seed):
        cdef TreeSearch tree = TreeSearch()
        tree.open(self.view, seed, self.options, self.max_bytes, &self.stopping, self.clock)
        tree.set_root(self.root)
        self.trees.append(tree)

    @property
    def iterations(self):
        """Iterations run so far from this position."""
        return sum([(<TreeSearch> tree).search.statistics.iterations for tree in self.trees])

    def run(self, *, seconds=None, deadline=None, iterations=None, threads=1, early=False):
        """Search for at least one more iteration, and return the Result so far; the GIL is released.

        Args:
            seconds: time from now, above 0.
            deadline: the same as a reading of time.monotonic; the earlier of the two holds.
            iterations: how many more, above 0, all threads together.
            threads: 1 to 256 independent trees, searched side by side and added up; each takes its own memory.
            early: end as soon as the rest of the limits cannot change the best line (remaining time counts as the
                iterations possible at the best speed so far). Several trees are judged together, between slices. A
                search of a chance event never ends early, because all of its lines are needed.

        Raises BadLimit for a limit out of its range or when there is none, RuntimeError if already running.
        """
        cdef double started = self._now()
        until = end_of_run(seconds, deadline, started)
        if iterations is not None and (type(iterations) is not int or not 0 < iterations < 1 << 63):
            raise BadLimit("iterations", f"{iterations!r} is not a whole number above 0")
        if until == math.inf and iterations is None:
            raise BadLimit("limits", "none is given: a time or a number of iterations is needed")
        require_threads(threads)
        self._require_rest()
        self.running = 1
        try:
            self.reason = self._run_slices(until, iterations, threads, early)
        finally:
            write_flag(&self.stopping, 0)
            self.elapsed += self._now() - started
            self.running = 0
        return self.result()

    def step(
        self, double pause, *, double deadline, uint64_t iterations, int thread=0, bint early=False, Worker worker=None
    ):
        """Run one tree for a slice; return why the slice ended (`paused`: it can go on) and its iterations.

        For callers that share threads among many searches and take the result when they want it. The trees of one
        search may step at the same time.

        Args:
            pause: the end of the slice, a reading of time.monotonic.
            deadline: that of the search, likewise; infinity for none.
            iterations: how many more this tree may run, above 0.
            thread: whose tree, counted from 0.
            early: as in `run`; no effect with several trees.
            worker: whose thread searches while this one waits; None for this thread.

        Raises IndexError for a tree that does not exist.
        """
        cdef TreeSearch tree = self.trees[thread]
        cdef double started = self._now()
        cdef uint64_t before = tree.search.statistics.iterations
        self.running += 1
        try:
            self.reason = REASONS[tree.run(pause, deadline, iterations, early and len(self.trees) == 1, worker)]
            return self.reason, tree.search.statistics.iterations - before
        finally:
            self.elapsed += (self._now() - started) / len(self.trees)
            self.running -= 1
            if not self.running:
                write_flag(&self.stopping, 0)

    def _run_slices(self, until, iterations, threads, early):
        """Run trees side by side. Several that may end early run in slices and are judged together after each."""
        while len(self.trees) < threads:
            self._add_tree(self.seeds.next())
        cdef bint together = early and len(self.trees) > 1
        end = math.inf if iterations is None else self.iterations + iterations
        while True:
            left = end - self.iterations
            most = min(left, SLICE_ITERATIONS * threads) if together else left
            pause = self._now() + SLICE_SECONDS if together and until < math.inf else math.inf
            parts = shares(None if most == math.inf else most, threads)
            ending = self._run_trees(pause, until, parts, early and not together)
            if not together or ending in (BY_STOP, BY_TIME) or self.iterations >= end:
                return REASONS[ending]
            if self._decided(until, end - self.iterations, threads):
                return StopReason.DECIDED

    def _run_trees(self, pause, until, parts, early):
        """Run a tree for each part, the first one in this thread. Return the strongest reason why they ended."""
        if len(parts) == 1:
            return self.trees[0].run(pause, until, parts[0], early)
        with ThreadPoolExecutor(len(parts) - 1, "search") as pool:
            others = [pool.submit(self.trees[i].run, pause, until, parts[i], early) for i in range(1, len(parts))]
            first = self.trees[0].run(pause, until, parts[0], early)
        return max(first, *(other.result() for other in others))

    def _decided(self, double until, double left, int threads):
        """Whether the iterations that the first `threads` trees have left could not change the choice of all trees."""
        cdef Search *searches[MOST_TREES]
        cdef double remaining = 0, now = self._now()
        for i in range(len(self.trees)):
            searches[i] = &(<TreeSearch> self.trees[i]).search
            if i < threads:
                remaining += prospect(searches[i], until - now, left)
        return decided(searches, len(self.trees), min(remaining, left))

    cdef double _now(self):
        return monotonic() if self.clock is None else self.clock()

    def stop(self):
        """End the current run, or else the next one, after its current iteration. Any thread may call this."""
        write_flag(&self.stopping, 1)

    def advance(self, root not None):
        """Continue from another root of the same game and observer, with the statistics that the tree already has.

        Nodes are information sets found by key, so every node that earlier searches met is found again, however it
        was reached, and none that has become impossible. All nodes stay, unless they fill more than half of the
        memory: then the next run begins by keeping only the nodes reached from the new root, the most visited first,
        in at most half of the memory. It skips this if it would take more than a quarter of its time (some
        milliseconds for 50,000 nodes); a tree that is full is then cleared, unless it has more iterations of the root
        than the run could make. The stream of random numbers continues.

        Args:
            root: from `observe`; usually a later position of the game, at the seat's next decision.

        Raises WrongSeat for another observer, ValueError for another game or number of players, RuntimeError during
        a run.
        """
        self._require_rest()
        if root.view.game is not self.view.game or root.view.seats != self.view.seats:
            raise ValueError(f"the tree is of {self.view.game.name} for {self.view.seats} players")
        if root.observer != self.root.observer:
            name = self.view.game.seat_name
            raise WrongSeat(f"the tree holds what {name(self.root.observer)} knows, not {name(root.observer)}")
        self.root = root
        self.view = root.view
        for tree in self.trees:
            (<TreeSearch> tree).set_root(root)
        self.reason = None
        self.elapsed = 0

    def result(self):
        """Return the result so far. Raises RuntimeError before the first run and during a run."""
        cdef TreeSearch tree
        self._require_rest()
        if self.reason is None:
            raise RuntimeError("the search has not run")
        lines = self._lines()
        ran = [tree for tree in self.trees if tree.search.statistics.iterations]
        return Result(
            seat=self.root.seat,
            observer=self.root.observer,
            lines=lines,
            iterations=self.iterations,
            reused_iterations=sum([(<TreeSearch> tree).search.statistics.reused for tree in self.trees]),
            threads=len(ran),
            nodes=sum([tree.search.tree.num_nodes for tree in self.trees]),
            tree_bytes=sum([tree_bytes(&tree.search.tree) for tree in self.trees]),
            depth=max([tree.search.statistics.depth for tree in self.trees]),
            elapsed=self.elapsed,
            stop_reason=self.reason,
            memory_full=any([tree.search.tree.full for tree in self.trees]),
            seed=self.seed,
            certainty=certainty(lines, self.view.game.tuning.certainty),
        )

    def explain(self, result, *, lines=5, worlds=EXPLAINED_WORLDS, int64_t plies=MANY_PLIES):
        """Return the result with an outlook on each of its first lines, and the reason for the best one.

        Each world is played to its end once for each line, with the same cards and luck: by the most visited actions
        of the tree, then by the guide's weights. Takes about 10 us per world and line, and 40 early in a game.
        Without a guide the result is returned unchanged.

        Args:
            result: of this search, from its present position.
            lines: number of lines to explain, at least 1; at most all are explained.
            worlds: determinizations, above 0.
            plies: limit for each line after which no new world begins; a ply takes about a tenth of a microsecond.
        """
        if self.view.game.guide == NULL:
            return result
        actions = [line.action for line in result.lines[:lines]]
        return explained(
            result, *self.foresee(actions, worlds=worlds, plies=plies), self.view.game.tuning.worth_naming
        )

    def foresee(self, actions, *, int worlds=EXPLAINED_WORLDS, int64_t plies=MANY_PLIES):
        """Return the outlook of each action, and the gains of the first one over the second, feature by feature.

        Args:
            actions: texts of at least one action, all legal in the position. The game must have a guide.
            worlds: as in `explain`.
            plies: as in `explain`.
        """
        self._require_rest()
        codes = [self.view.game.parse_action(text).code for text in actions]
        cdef TreeSearch tree = self.trees[0]
        cdef action_t firsts[MAX_LEGAL]
        cdef uint64_t seed = self.seed
        cdef int i, lived, n = len(codes)
        for i in range(n):
            firsts[i] = codes[i]
        cdef OutlookSums *lines = <OutlookSums *> malloc(n * sizeof(OutlookSums))
        if lines == NULL:
            raise MemoryError(f"no memory for the outlook of {n} lines")
        try:
            with nogil:
                lived = look_ahead(&tree.search, firsts, n, worlds, plies, seed, lines)
            return [self._outlook(&lines[i], lived) for i in range(n)], self._gains(&lines[1], lived) if n > 1 else ()
        finally:
            free(lines)

    cdef tuple _outlook(self, const OutlookSums *line, int worlds):
        now = self._features()
        return tuple([
            Outlook(name, value, line.total[i] / worlds, line.total[len(now) + i] / worlds)
            for i, (name, value) in enumerate(now.items())
        ])

    cdef tuple _gains(self, const OutlookSums *line, int worlds):
        return tuple([
            gain(feature, worlds, line.gain[i], line.gain_squares[i], at_game_end=at_end)
            for i, (at_end, feature) in enumerate(product((False, True), self._features()))
        ])

    def _features(self):
        """Return the current features of the seat to decide, by name."""
        cdef TreeSearch tree = self.trees[0]
        return self.view.features(tree.search.root.seat)

    def _require_rest(self):
        if self.running:
            raise RuntimeError("the search is running")

    def _lines(self):
        cdef TreeSearch tree
        tables = [tree.statistics() for tree in self.trees]
        builder = LineBuilder(
            self.options,
            max(self.root.seat, 0),
            min([tree.search.scale.lowest for tree in self.trees]),
            max([tree.search.scale.highest for tree in self.trees]),
        )
        codes = set().union(*tables).intersection(self.root.codes or self.view.legal_codes())
        lines = [self._line(builder, code, tables) for code in sorted(codes)]
        return builder.rank(lines) if self.view.turn != NATURE else builder.list_outcomes(lines, self._odds())

    def _odds(self):
        """The probability of each outcome of the chance event, by its text."""
        return {
            self.view.game.texts[code]: chance
            for code, chance in zip(self.view.legal_codes(), self.view.odds(), strict=True)
        }

    def _line(self, builder, int code, tables):
        """Return the line of an action, with the principal variation of the tree that visited it most."""
        counted = [table.get(code, NOTHING) for table in tables]
        knows = max(range(len(counted)), key=lambda i: counted[i].visits)
        codes = (<TreeSearch> self.trees[knows]).variation(<action_t> code)
        action = self.view.game.action(code)
        return builder.line(
            action.text, action.label, sum(counted, NOTHING), tuple(self.view.game.texts[ply] for ply in codes)
        )

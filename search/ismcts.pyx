# cython: language_level=3
"""The searcher: limits, threads, results. One thread's search is in tree_search.pyx, runs are in run.pyx."""
import math
from concurrent.futures import ThreadPoolExecutor
from itertools import product

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from clerestory.engine.clock cimport monotonic
from clerestory.engine.core cimport MAX_LEGAL, NATURE, State, action_t
from clerestory.engine.integers cimport is_integer, whole
from clerestory.search.estimates cimport ActionSums
from clerestory.search.lines cimport LineBuilder
from clerestory.search.loop.run cimport BY_DECISION, BY_ITERATIONS, BY_PAUSE, BY_STOP, BY_TIME
from clerestory.search.memory.tree cimport span_t, tree_bytes, visits_to
from clerestory.search.outlook cimport OutlookSums, look_ahead
from clerestory.search.tree_search cimport SharedTree, TreeSearch, stream
from clerestory.search.turns cimport Worker

from clerestory.search.certainty import certainty
from clerestory.search.errors import BadLimit, WrongSeat
from clerestory.search.limits import (
    DEFAULT_MAX_BYTES, MAX_THREADS, MAX_VISITS, MIN_BYTES, end_of_run, require_threads,
)
from clerestory.figures import Outlook
from clerestory.search.lines import likeliest, ranked
from clerestory.search.options import options_of
from clerestory.search.reasons import explained, gain
from clerestory.search.result import Result, StopReason

cdef extern from "sharing.h":
    void write_flag(int *flag, int value) noexcept nogil
    void write_left(uint64_t *left, uint64_t n) noexcept nogil
    uint64_t ANY_NUMBER

EXPLAINED_WORLDS = 100
MAX_WORLDS = (1 << 31) - 1
MANY_PLIES = 1 << 40
REASONS = {
    BY_PAUSE: StopReason.PAUSED,
    BY_ITERATIONS: StopReason.ITERATIONS,
    BY_DECISION: StopReason.DECIDED,
    BY_TIME: StopReason.TIME,
    BY_STOP: StopReason.STOPPED,
}


cdef class Searcher:
    """A resumable search; its defaults are those of `ismcts-plain`.

    Equal seeds and iterations give bit-identical results with one thread, whether run at once or in slices. Several
    threads search one tree, and their order differs from run to run.

    Args:
        root: the position to search, from `observe`.
        seed: seed of all random choices, 0 to 2**64 - 1.
        max_bytes: memory of the tree; once it is full, its least visited nodes make room for new ones.
        max_visits: maximum number of iterations counted in the tree, including those from earlier roots. A run makes no
        more, except up to 64 per thread if it begins by clearing the tree.
        clock: a function that returns the time in seconds, for simulations; by default time.monotonic. An exception
        that it raises ends the run and is raised there.
        options: the fields of Options.

    Raises BadLimit for an option out of its range.
    """
    cdef list searches           # one per thread
    cdef SharedTree tree
    cdef object root, seeds, options, reason, clock
    cdef readonly object seed    # of all random choices
    cdef State view
    cdef double elapsed          # while any thread searched, seconds
    cdef double began            # when the first of the running threads began
    cdef bint advanced           # whether it has moved on from its first root
    cdef int running             # threads
    cdef int threads             # maximum number in a run
    cdef int held                # number of holds by other threads that are about to use the tree

    def __cinit__(
        self, root not None, *, seed, max_bytes=DEFAULT_MAX_BYTES, max_visits=MAX_VISITS, clock=None, **options
    ):
        self.clock = clock
        self.root = root
        self.view = root.view
        tuning = self.view.game.tuning
        of_game = {"temperature": tuning.temperature, "scale": tuning.scale[self.view.seats]}
        self.options = options_of(**{**of_game, **options})
        self._require_guide()
        if not is_integer(max_bytes) or max_bytes < MIN_BYTES:
            raise BadLimit("max_bytes", f"{max_bytes!r} is not a whole number of at least {MIN_BYTES}")
        self.seed = seed
        self.seeds = stream(seed)
        if not is_integer(max_visits) or not 0 < max_visits <= MAX_VISITS:
            raise BadLimit("max_visits", f"{max_visits!r} is not a whole number from 1 to {MAX_VISITS}")
        self.tree = SharedTree(max_bytes, max_visits, self.view.seats)
        self.searches = []
        self._add_thread(seed)

    def _require_guide(self):
        needy = self.options.guide_needed_by
        if needy is not None and self.view.game.guide == NULL:
            raise BadLimit(needy, f"{getattr(self.options, needy)!r} needs a guide, and {self.view.game.name} has none")

    def _add_thread(self, seed):
        cdef TreeSearch search = TreeSearch()
        search.open(self.tree, self.view, seed, self.options, self.clock)
        search.set_root(self.root)
        self.searches.append(search)

    cdef TreeSearch _search_of(self, int thread):
        """Return the search of a thread, counted from 0."""
        while len(self.searches) <= thread:
            self._add_thread(self.seeds.next())
        return self.searches[thread]

    @property
    def iterations(self):
        """Number of iterations run so far from this position; may be read during a run."""
        return sum([(<TreeSearch> search).search.statistics.iterations for search in self.searches])

    @property
    def nodes(self):
        """Number of information sets in memory; may be read during a run."""
        return self.tree.tree.num_nodes

    def run(self, *, seconds=None, deadline=None, iterations=None, threads=1, early=False):
        """Search for at least one more iteration, and return the Result so far. Blocks until then, without the GIL.

        Once the tree's counts are full, the run ends as if it had reached its last iteration, possibly without one.

        Args:
            seconds: time from now, above 0.
            deadline: the same as a reading of time.monotonic; the earlier of the two applies.
            iterations: number of additional iterations of all threads together, above 0.
            threads: number of threads that search the tree, 1 to 256; with several, results are not reproducible.
            early: end once the remaining limits cannot change the best line. Remaining time counts as the iterations
            possible at the best speed so far. A search of a chance event never ends early, because all of its lines
            are needed.

        Raises BadLimit for a limit out of its range or if there is none, RuntimeError if already running.
        """
        cdef double started = self._now()
        until = end_of_run(seconds, deadline, started)
        if iterations is None and until == math.inf:
            raise BadLimit("limits", "none is given: a time or a number of iterations is needed")
        require_threads(threads)
        self._require_rest()
        self.allow(iterations)
        self.threads = max(self.threads, threads)
        self.running = 1
        try:
            self.reason = REASONS[self._run_threads(until, threads, early)]
        finally:
            write_flag(&self.tree.stop, 0)
            self.running = 0
            self.elapsed += self._now() - started
        return self.result()

    def allow(self, iterations):
        """Set the number of further iterations for all threads together; None for no limit. Does not block.

        Raises BadLimit for a number out of its range.
        """
        if iterations is not None and not (is_integer(iterations) and 0 < iterations < 1 << 63):
            raise BadLimit("iterations", f"{iterations!r} is not a whole number above 0")
        self.tree.tree.late = False
        write_left(&self.tree.left, ANY_NUMBER if iterations is None else iterations)

    def step(
        self, double pause, *, double deadline, thread=0, threads=1, bint early=False, Worker worker=None
    ):
        """Search in one thread for a slice; return why it ended (`paused`: it can continue) and its iterations.

        Blocks until the end of the slice, without the GIL.

        For callers that share threads among many searches and read the result when they want it. Several threads may
        step at once. Call `allow` first.

        Args:
            pause: end of the slice, as a reading of time.monotonic.
            deadline: deadline of the search, likewise; infinity for none.
            thread: number of the thread in this search, from 0; concurrent calls must use different numbers.
            threads: maximum number of threads of this search until its end, at least 1.
            early: as in `run`.
            worker: worker whose system thread searches while this one waits; None for this thread.
        """
        cdef TreeSearch search = self._search_of(whole("thread", thread, 0, MAX_THREADS - 1))
        cdef uint64_t before = search.search.statistics.iterations
        require_threads(threads)
        self.threads = max(self.threads, threads)
        if not self.running:
            self.began = self._now()
        self.running += 1
        try:
            self.reason = REASONS[search.run(pause, deadline, early, threads, worker)]
            return self.reason, search.search.statistics.iterations - before
        finally:
            self.running -= 1
            if not self.running:
                write_flag(&self.tree.stop, 0)
                self.elapsed += self._now() - self.began

    def _run_threads(self, until, threads, early):
        """Run `threads` threads, including this one. Return the strongest reason why they ended."""
        if threads == 1:
            return self._search_of(0).run(math.inf, until, early, 1)
        searches = [self._search_of(i) for i in range(threads)]
        with ThreadPoolExecutor(threads - 1, "search") as pool:
            others = [pool.submit(search.run, math.inf, until, early, threads) for search in searches[1:]]
            first = searches[0].run(math.inf, until, early, threads)
        return max(first, *(other.result() for other in others))

    cdef double _now(self):
        return monotonic() if self.clock is None else self.clock()

    def stop(self):
        """End the current run, or else the next one, after its current iteration. Thread-safe; does not block."""
        write_flag(&self.tree.stop, BY_STOP)

    def hold(self):
        """Make `advance` fail until `release`: another thread is about to use the root and its tree. Does not block."""
        self.held += 1

    def release(self):
        """Undo one `hold`. Does not block."""
        self.held -= 1

    def advance(self, root not None):
        """Continue from another root of the same game and observer, keeping the statistics of the tree. Does not block.

        Nodes are information sets found by key. Every node from earlier searches is found again, however it was
        reached, and none that has become impossible. All nodes stay unless they fill more than half of the memory. In
        that case the next run begins by keeping only the nodes reachable from the new root, most visited first, in
        about half of the memory. It skips this if it would take more than a quarter of its time (some milliseconds for
        50,000 nodes). It then clears a tree that does not know the root, or a full one with fewer iterations of the
        root than the run could make. A tree that has counted more than half of `max_visits` is cleared at once. The
        stream of random numbers continues.

        Args:
            root: from `observe`; usually a later position of the game, at the seat's next decision.

        Raises WrongSeat for another observer, ValueError for another game or number of players, RuntimeError during
        a run, or while the tree is held or read.
        """
        self._require_rest()
        if self.held:
            raise RuntimeError("the search is held")
        if root.view.game is not self.view.game or root.view.seats != self.view.seats:
            raise ValueError(f"the tree is of {self.view.game.name} for {self.view.seats} players")
        if root.observer != self.root.observer:
            name = self.view.game.seat_name
            raise WrongSeat(f"the tree holds what {name(self.root.observer)} knows, not {name(root.observer)}")
        self.root = root
        self.view = root.view
        for search in self.searches:
            (<TreeSearch> search).set_root(root)
        self._search_of(0).begin()
        self.advanced = True
        self.reason = None
        self.elapsed = 0

    def result(self, stop_reason=None):
        """Return the result so far, in time proportional to its lines. Does not wait for a run.

        Raises RuntimeError before the first run and during a run.

        Args:
            stop_reason: why the search ended, if the caller knows; None for the reason of the latest run.
        """
        cdef TreeSearch search
        self._require_rest()
        if self.reason is None:
            raise RuntimeError("the search has not run")
        lines = self._lines()
        return Result(
            seat=self.root.seat,
            observer=self.root.observer,
            lines=lines,
            iterations=self.iterations,
            reused_iterations=self.tree.tree.reused,
            threads=sum([search.search.statistics.iterations > 0 for search in self.searches]),
            nodes=self.tree.tree.num_nodes,
            tree_bytes=tree_bytes(&self.tree.tree),
            depth=max([search.search.statistics.depth for search in self.searches]),
            elapsed=self.elapsed,
            stop_reason=self.reason if stop_reason is None else stop_reason,
            memory_full=bool(self.tree.tree.full),
            given_up=self.tree.tree.given_up,
            seed=self.seed,
            certainty=certainty(lines, self.view.game.tuning.certainty[self.view.seats]),
            reproducible=self._is_reproducible(),
        )

    def _is_reproducible(self):
        """Whether the first thread made all iterations from the first root, in an unshared tree.

        A full tree frees less at a time if there may be more threads.
        """
        cdef TreeSearch first = self._search_of(0)
        alone = first.search.statistics.iterations == self.iterations
        return bool(alone and not self.advanced and (self.threads == 1 or not self.tree.tree.full))

    def explain(self, result, *, lines=5, worlds=EXPLAINED_WORLDS, plies=MANY_PLIES):
        """Return the result with an outlook on each of its first lines, and the reason for the best one.

        Blocks while it plays, without the GIL.

        Each world is played to its end once per line, with the same cards and luck: first by the most visited actions
        of the tree, then by the guide's weights. Takes about 10 us per world and line, 40 us early in a game. Without a
        guide the result is returned unchanged.

        Args:
            result: result of this search, from its present position.
            lines: number of lines to explain, at least 1; if there are fewer, all are explained.
            worlds: number of determinizations, above 0.
            plies: number of plies per line after which no new world begins; a ply takes about a tenth of a microsecond.

        Raises ValueError for a number that is not an integer or out of its range.
        """
        if self.view.game.guide == NULL:
            return result
        actions = [line.action for line in result.lines[:lines]]
        return explained(
            result, *self.foresee(actions, worlds=worlds, plies=plies), self.view.game.tuning.worth_naming
        )

    def foresee(self, actions, *, worlds=EXPLAINED_WORLDS, plies=MANY_PLIES):
        """Return the outlook of each action, and the gains of the first over the second, feature by feature.

        Blocks while it plays, without the GIL.

        Args:
            actions: texts of at least one action, all legal in the position. The game must have a guide.
            worlds: as in `explain`.
            plies: as in `explain`.
        """
        self._require_rest()
        codes = [self.view.game.parse_action(text).code for text in actions]
        cdef TreeSearch search = self.searches[0]
        cdef action_t firsts[MAX_LEGAL]
        cdef uint64_t seed = self.seed
        cdef int i, lived, n = len(codes), most = whole("worlds", worlds, 1, MAX_WORLDS)
        cdef int64_t left = whole("plies", plies, 0, MANY_PLIES)
        for i in range(n):
            firsts[i] = codes[i]
        cdef OutlookSums *lines = <OutlookSums *> malloc(n * sizeof(OutlookSums))
        if lines == NULL:
            raise MemoryError(f"no memory for the outlook of {n} lines")
        self.running += 1  # the tree must not move meanwhile
        try:
            with nogil:
                lived = look_ahead(&search.search, firsts, n, most, left, seed, lines)
            return [self._outlook(&lines[i], lived) for i in range(n)], self._gains(&lines[1], lived) if n > 1 else ()
        finally:
            self.running -= 1
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
        cdef TreeSearch search = self.searches[0]
        return self.view.features(search.search.root.seat)

    def _require_rest(self):
        if self.running:
            raise RuntimeError("the search is running")

    def _lines(self):
        cdef TreeSearch search = self._search_of(0)
        exponent, lead = self.options.calibration(self.view, self.iterations + self.tree.tree.reused)
        builder = LineBuilder(self.options, max(self.root.seat, 0), self.view.seats, exponent, lead)
        cdef span_t row = search.row()
        places = {self.tree.tree.actions[place]: place for place in range(row.first, row.first + row.count)}
        codes = set(places).intersection(self.root.codes or self.view.legal_codes())
        visits = visits_to(&self.tree.tree, row)
        lines = [self._line(builder, code, places[code], visits) for code in sorted(codes)]
        if self.view.turn == NATURE:
            return likeliest(lines, self._odds())
        options = self.options
        return ranked(lines, options.choice, settled=search.settled(), deviations=options.deviations)

    def _odds(self):
        """Return the probability of each outcome of the chance event, by its text."""
        return {
            self.view.game.texts[code]: chance
            for code, chance in zip(self.view.legal_codes(), self.view.odds(), strict=True)
        }

    cdef object _line(self, LineBuilder builder, int code, uint32_t place, uint32_t visits):
        """Return the line of an action with its principal variation; `visits` are those of the root."""
        cdef TreeSearch search = self.searches[0]
        cdef ActionSums sums = search.sums(place, visits)
        game = self.view.game
        return builder.line(game.texts[code], game.labels[code], &sums, search.variation(<action_t> code, game.texts))

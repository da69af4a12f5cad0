# cython: language_level=3
from libc.math cimport INFINITY
from libc.stdint cimport uint32_t
from libc.stdlib cimport free, malloc

from clerestory.engine.core cimport MAX_LEGAL, State, action_t
from clerestory.engine.rng cimport Rng
from clerestory.engine.values.value cimport Valuation
from clerestory.search.estimates cimport ActionSums
from clerestory.search.loop.playout cimport play_informed, play_uniformly
from clerestory.search.loop.run cimport BY_STOP, begin_root, root_settled, root_visits, run_until
from clerestory.search.loop.search cimport PathStep, Search
from clerestory.search.memory.tree cimport span_t, tree_clear, tree_close, tree_crowded, tree_open
from clerestory.search.table cimport MOST_VARIATION, root_row, sums_of, write_variation
from clerestory.search.turns cimport Worker, worker_run, worker_t

cdef extern from "sharing.h":
    void gate_open(gate_t *gate)
    void gate_close(gate_t *gate)
    void write_flag(int *flag, int value) noexcept nogil

from clerestory.engine.errors import BadWeights
from clerestory.engine.values.value import value_of
from clerestory.search.errors import BadLimit
from clerestory.sizes import spoken_size


cdef class SharedTree:
    """A tree that any number of threads search. Raises MemoryError.

    Args:
        max_bytes: maximum size of the tree.
        max_visits: maximum number of iterations that it counts.
        seats: number of players.
    """

    def __cinit__(self, max_bytes, max_visits, seats):
        gate_open(&self.gate)
        if not tree_open(&self.tree, max_bytes, max_visits, seats):
            raise MemoryError(f"no memory for a tree of {spoken_size(max_bytes)}")

    def __dealloc__(self):
        tree_close(&self.tree)
        gate_close(&self.gate)


cdef class TreeSearch:
    """The search of one thread: its random numbers and its working memory."""

    def __dealloc__(self):
        free(self.search.path.steps)

    cdef object open(self, SharedTree tree, State view, object seed, object options, object clock):
        """Allocate the memory. Raises BadLimit for the seed or the value, MemoryError."""
        self.shared = tree
        self.search.tree = &tree.tree
        self.search.gate = &tree.gate
        self.search.limits.stop = &tree.stop
        self.search.limits.left = &tree.left
        self.clock = clock
        if clock is not None:
            self.search.limits.clock = <void *> self
            self.search.limits.ask_clock = ask_clock
        self.search.ops = view.game.ops
        self.search.guide = view.game.guide
        self.search.seats = view.seats
        self.search.luck.rng = stream(seed).c
        self.search.options = options.in_loop(self.search.ops.max_plies)
        self.search.play_out = play_informed if options.playout == "informed" else play_uniformly
        if view.game.guide != NULL:
            self.valuation = require_value(view.game, options.value)
            self.search.value = self.valuation.c
            if options.priors == "learned" and self.valuation.has_priors:
                self.search.priors = self.valuation.priors(view)
        self.search.path.steps = <PathStep *> malloc(view.game.max_plies * sizeof(PathStep))
        if self.search.path.steps == NULL:
            raise MemoryError("no memory for another thread of a search")

    cdef object set_root(self, object root):
        """Move to another root of the same observer."""
        cdef State view = root.view
        cdef action_t considered[MAX_LEGAL]
        cdef int n = len(root.codes)
        for i, code in enumerate(root.codes):
            considered[i] = code
        begin_root(
            &self.search, view.data, root.observer, root.seat, considered, n, view.game.layout.has_hands
        )

    cdef object begin(self):
        """Count the tree's visits to its new root. A crowded tree is compacted when the next run begins.

        A tree whose counts are more than half full is cleared.
        """
        if self.search.tree.visits_left < self.search.tree.max_visits // 2:
            tree_clear(self.search.tree)
        self.search.tree.crowded = tree_crowded(self.search.tree)
        self.search.tree.given_up = 0
        self.search.tree.fixed = False
        self.search.tree.reused = root_visits(&self.search)

    def run(self, double pause, double deadline, bint early, threads, Worker worker=None):
        """Search without the GIL, in the thread of a worker if given; return why it ended, an EndOfRun.

        Raises the exception of the clock.
        """
        cdef Run run = Run(&self.search, pause, deadline, early, 0)
        self.search.limits.threads = threads
        cdef worker_t *thread = NULL if worker is None else &worker.c
        with nogil:
            if thread == NULL:
                run_task(&run)
            else:
                worker_run(thread, run_task, &run)
        error, self.error = self.error, None
        if error is not None:
            raise error
        return run.ending

    cdef span_t row(self):
        """Return the row of the root; an empty one if the root is not in the tree."""
        return root_row(&self.search)

    cdef bint settled(self):
        """Whether the seat to decide surely wins or loses."""
        return root_settled(&self.search)

    cdef ActionSums sums(self, uint32_t place, uint32_t visits):
        """Return the sums of an edge, given the visits to its node."""
        return sums_of(&self.search, place, visits)

    cdef list variation(self, action_t a):
        """Return the principal variation from a root action on, as codes, in the observer's view."""
        cdef action_t found[MOST_VARIATION]
        cdef int i, n = write_variation(&self.search, a, found)
        return [found[i] for i in range(n)]


cdef struct Run:                 # arguments and result of run_until
    Search *search
    double pause
    double deadline
    bint early
    int ending


cdef void run_task(void *of) noexcept nogil:
    cdef Run *run = <Run *> of
    run.ending = run_until(run.search, run.pause, run.deadline, run.early)


cdef double ask_clock(void *asking) noexcept with gil:
    """Return the time by the clock of a TreeSearch. On an exception, keep it and end the run of all threads."""
    cdef TreeSearch search = <TreeSearch> asking
    try:
        return search.clock()
    except BaseException as error:
        search.error = error
        write_flag(search.search.limits.stop, BY_STOP)
        return INFINITY


cdef Valuation require_value(object game, object name):
    """Return a value of a game. Raises BadLimit."""
    try:
        return value_of(game, name)
    except BadWeights as error:
        raise BadLimit("value", str(error)) from None


cdef Rng stream(object seed):
    """Return the random number generator of a seed. Raises BadLimit."""
    try:
        return Rng(seed)
    except ValueError as error:
        raise BadLimit("seed", str(error).removeprefix("seed: ")) from None

# cython: language_level=3
"""Many games of one kind, stepped together without the GIL, in the conventions of gymnasium's vector environments."""
from libc.stdint cimport UINT64_MAX, int8_t, int64_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memcpy, memset

import secrets

import numpy as np

from clerestory.engine.core cimport MAX_LEGAL, MAX_WORDS, NATURE, OVER, Game, GameOps, State, action_t
from clerestory.engine.integers cimport as_seed, whole
from clerestory.engine.rng cimport rng_below, rng_seed, rng_t
from clerestory.envs.observing cimport Observer

from clerestory.engine.errors import IllegalAction
from clerestory.engine.games import game as game_named

MOST_GAMES = 1 << 20
SAMPLING = 0x9E3779B97F4A7C15  # added to the seed of the games, for the actions of `sample`


cdef class VectorGame:
    """N games that are stepped at once, each by an action of its seat to decide. Chance events are played for you.

    The conventions are those of a `gymnasium.vector.VectorEnv` with autoreset mode SAME_STEP: in the step that ends a
    game, its row has the final rewards and a termination, while its observation, mask and turn are those of the next
    game, which has begun. There are no truncations. Unlike there, a row of rewards has one for each seat.

    Methods release the GIL, so each thread may step its own VectorGame; one object serves one thread at a time.

    Args:
        game: a name of clerestory.engine.GAMES, or a Game.
        num_envs: N, the number of games.
        seats: number of players of each.
        observation: as in Observer: `features`, `view` or `none`, of the seat to decide.
        copy: whether results are new arrays. If not, the next call overwrites them.

    Attributes:
        game, num_envs, seats: as given.
        observer: writes the observations.

    Raises the errors of Observer, KeyError for an unknown game, ValueError for another argument out of range.
    """
    cdef readonly Game game
    cdef readonly Observer observer
    cdef readonly Py_ssize_t num_envs
    cdef readonly int seats
    cdef bint copy, started, busy
    cdef rng_t policy                   # of `sample`
    cdef uint64_t[:, ::1] states
    cdef uint64_t[:, ::1] finals        # how the last game of each row ended; zeros before that
    cdef uint64_t[:, ::1] luck          # an rng_t for each game
    cdef uint16_t[:, ::1] legal         # the legal actions of each game
    cdef int64_t[::1] counts            # their number
    cdef uint8_t[:, ::1] observed
    cdef int8_t[:, ::1] masks
    cdef int64_t[::1] turns
    cdef double[:, ::1] rewards
    cdef double[:, ::1] scores
    cdef uint8_t[::1] ended
    cdef tuple results                  # arrays of observed, masks, turns, rewards, scores, ended, and truncations

    def __init__(self, game, num_envs, *, seats=2, observation="features", bint copy=True):
        self.game = game if isinstance(game, Game) else game_named(game)
        self.num_envs = whole("num_envs", num_envs, 1, MOST_GAMES)
        self.observer = Observer(self.game, seats, observation)
        self.seats, self.copy = self.observer.seats, copy
        self._allocate(self.num_envs, self.game.num_actions)

    def _allocate(self, n, num_actions):
        self.states = np.zeros((n, self.game.ops.state_size // 8), np.uint64)
        self.finals = np.zeros_like(self.states)
        self.luck = np.zeros((n, sizeof(rng_t) // 8), np.uint64)
        self.legal, self.counts = np.zeros((n, MAX_LEGAL), np.uint16), np.zeros(n, np.int64)
        observed = np.zeros((n, self.observer.size), self.observer.dtype)
        masks, turns = np.zeros((n, num_actions), np.int8), np.zeros(n, np.int64)
        rewards, scores = np.zeros((n, self.seats)), np.zeros((n, self.seats))
        ended, truncations = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
        self.observed, self.ended = observed.view(np.uint8), ended.view(np.uint8)
        self.masks, self.turns, self.rewards, self.scores = masks, turns, rewards, scores
        self.results = observed, masks, turns, rewards, scores, ended, truncations

    # -- spaces, which need gymnasium --------------------------------------------------------------

    @property
    def metadata(self):
        """The autoreset mode, SAME_STEP."""
        from gymnasium.vector import AutoresetMode
        return {"name": self.game.name, "autoreset_mode": AutoresetMode.SAME_STEP}

    @property
    def single_observation_space(self):
        """The space of the observation of one game."""
        from clerestory.envs.spaces import box_of
        return box_of(self.observer)

    @property
    def single_action_space(self):
        """The space of the action codes of one game."""
        from gymnasium.spaces import Discrete
        return Discrete(self.game.num_actions)

    @property
    def observation_space(self):
        """The space of the observations of all games."""
        from gymnasium.vector.utils import batch_space
        return batch_space(self.single_observation_space, self.num_envs)

    @property
    def action_space(self):
        """The space of the actions of all games."""
        from gymnasium.vector.utils import batch_space
        return batch_space(self.single_action_space, self.num_envs)

    # -- games ---------------------------------------------------------------------------------------

    def reset(self, *, seed=None, options=None):
        """Begin N new games; return the observations and the infos.

        Args:
            seed: game i has the random numbers of `Rng(seed + i)`, for all games that it plays from now on. None
                continues these numbers; at the first call, it takes a random seed.
            options: ignored.

        Returns observations (N, observer.size), and infos with `action_mask`, int8 (N, num_actions), and `turn`, int64
        (N,), the seat to decide. Raises ValueError for a seed that is not from 0 to 2**64 - N.
        """
        if seed is None and not self.started:
            seed = secrets.randbits(63)
        self._enter()
        cdef Py_ssize_t i
        try:
            if seed is not None:
                self._seed(as_seed(seed))
            with nogil:
                for i in range(self.num_envs):
                    self.begin(i)
                    self.clear(i)
                    self.show(i)
        finally:
            self.busy = False
        self.started = True
        observed, *_, infos = self._results()
        return observed, infos

    def _seed(self, uint64_t seed):
        if seed > UINT64_MAX - <uint64_t> self.num_envs + 1:
            raise ValueError(f"seed: {seed} is above 2**64 - {self.num_envs}, the number of games")
        cdef Py_ssize_t i
        for i in range(self.num_envs):
            rng_seed(<rng_t *> &self.luck[i, 0], seed + <uint64_t> i)
        rng_seed(&self.policy, seed + <uint64_t> SAMPLING)

    def step(self, actions, *, only=None):
        """Play an action in each game, and the chance events that follow.

        Args:
            actions: integers (N,): a legal action code of each game, where its mask is 1.
            only: bools (N,): the games to step. The others stay as they are, and their actions are ignored.

        Returns observations, rewards, terminations, truncations and infos: those of `reset`, and float64 rewards
        (N, seats), which are win shares in the step that ends a game, and otherwise 0; bools (N,). In a step that ends
        a game, infos also have its `final_scores`, float64 (N, seats), valid where `_final_scores` is True.

        Raises IllegalAction, which names the game, or ValueError for another shape or type; nothing is played then.
        """
        cdef const int64_t[::1] codes = self._codes(actions)
        cdef const uint8_t[::1] stepped = self._stepped(only)
        cdef Py_ssize_t i, wrong
        self._enter()
        try:
            with nogil:
                wrong = self.first_illegal(codes, stepped)
                if wrong < 0:
                    for i in range(self.num_envs):
                        self.clear(i)
                        if stepped[i]:
                            self.play(i, <action_t> codes[i])
        finally:
            self.busy = False
        if wrong >= 0:
            raise self._illegal(wrong, np.asarray(actions)[wrong])
        return self._results()

    def afterstates(self):
        """Return what the seats to decide would observe after each of their legal actions, before any chance event.

        Returns observations (M, observer.size) for all M legal actions of all games, the index of the game of each,
        ascending, and the action, ascending within a game; both int64 (M,). Raises ValueError before `reset`.
        """
        self._require_reset()
        self._enter()
        cdef Py_ssize_t i, row = 0, total = np.sum(self.counts)
        observed = np.zeros((total, self.observer.size), self.observer.dtype)
        games, actions = np.zeros(total, np.int64), np.zeros(total, np.int64)
        cdef uint8_t[:, ::1] rows = observed.view(np.uint8)
        cdef int64_t[::1] indices = games
        cdef int64_t[::1] codes = actions
        try:
            with nogil:
                for i in range(self.num_envs):
                    self.look_ahead(i, rows[row:row + self.counts[i]], codes[row:row + self.counts[i]])
                    indices[row:row + self.counts[i]] = i
                    row += self.counts[i]
        finally:
            self.busy = False
        return observed, games, actions

    def sample(self):
        """Return a uniformly random legal action of each game, int64 (N,). Does not change their luck."""
        self._require_reset()
        self._enter()
        found = np.empty(self.num_envs, np.int64)
        cdef int64_t[::1] codes = found
        cdef Py_ssize_t i
        try:
            with nogil:
                for i in range(self.num_envs):
                    codes[i] = self.legal[i, rng_below(&self.policy, <unsigned int> self.counts[i])]
        finally:
            self.busy = False
        return found

    def state(self, index):
        """Return a copy of the position of a game, with everything that is hidden. `observe` gives what a seat sees.

        Raises ValueError before `reset`, or for an index that is not from 0 to N - 1.
        """
        self._require_reset()
        return self._copied(self.states, whole("index", index, 0, self.num_envs - 1))

    def final_state(self, index):
        """Return a copy of the position in which the last finished game of a row ended.

        Raises ValueError for an index that is not from 0 to N - 1, or if no game of this row has ended.
        """
        row = whole("index", index, 0, self.num_envs - 1)
        if not np.any(self.finals[row]):
            raise ValueError(f"index: no game of row {row} has ended")
        return self._copied(self.finals, row)

    def _copied(self, const uint64_t[:, ::1] rows, Py_ssize_t i):
        """Return a row as a position."""
        cdef State state = State.__new__(State, self.game)
        memcpy(state.data, &rows[i, 0], self.game.ops.state_size)
        return state

    def close(self):
        """Do nothing: there is nothing to release."""

    # -- one game, without the GIL -------------------------------------------------------------------

    cdef void begin(self, Py_ssize_t i) noexcept nogil:
        """Set a game up, and play the chance events before its first decision."""
        self.game.ops.setup(&self.states[i, 0], self.seats, <rng_t *> &self.luck[i, 0])
        self.draw(i)

    cdef void draw(self, Py_ssize_t i) noexcept nogil:
        """Play the chance events that are due."""
        cdef const GameOps *ops = self.game.ops
        cdef void *s = &self.states[i, 0]
        while ops.turn(s) == NATURE:
            ops.play(s, ops.draw(s, <rng_t *> &self.luck[i, 0]))

    cdef void clear(self, Py_ssize_t i) noexcept nogil:
        """Forget the results of the step before."""
        self.ended[i] = False
        memset(&self.rewards[i, 0], 0, self.seats * sizeof(double))

    cdef void play(self, Py_ssize_t i, action_t action) noexcept nogil:
        """Play an action in a game, and begin the next one if it ends."""
        cdef void *s = &self.states[i, 0]
        self.game.ops.play(s, action)
        self.draw(i)
        self.ended[i] = self.game.ops.turn(s) == OVER
        if self.ended[i]:
            self.game.ops.returns(s, &self.rewards[i, 0])
            self.game.ops.scores(s, &self.scores[i, 0])
            memcpy(&self.finals[i, 0], s, self.game.ops.state_size)
            self.begin(i)
        self.show(i)

    cdef void show(self, Py_ssize_t i) noexcept nogil:
        """Write the turn, the mask and the observation of a game."""
        cdef void *s = &self.states[i, 0]
        cdef Py_ssize_t k
        cdef int seat = self.game.ops.turn(s)
        self.turns[i] = seat
        for k in range(self.counts[i]):
            self.masks[i, self.legal[i, k]] = 0
        self.counts[i] = self.game.ops.legal(s, &self.legal[i, 0])
        for k in range(self.counts[i]):
            self.masks[i, self.legal[i, k]] = 1
        if self.observer.size:
            self.observer.write(s, seat, &self.observed[i, 0])

    cdef void look_ahead(self, Py_ssize_t i, uint8_t[:, ::1] rows, int64_t[::1] codes) noexcept nogil:
        """Write the legal actions of a game, and what its seat to decide would observe after each."""
        cdef uint64_t after[MAX_WORDS]
        cdef int seat = self.game.ops.turn(&self.states[i, 0])
        cdef Py_ssize_t k
        for k in range(self.counts[i]):
            memcpy(after, &self.states[i, 0], self.game.ops.state_size)
            self.game.ops.play(after, <action_t> self.legal[i, k])
            codes[k] = self.legal[i, k]
            if self.observer.size:
                self.observer.write(after, seat, &rows[k, 0])

    cdef Py_ssize_t first_illegal(self, const int64_t[::1] codes, const uint8_t[::1] stepped) noexcept nogil:
        """Return the first game to step in which a code is no legal action, -1 if there is none."""
        cdef Py_ssize_t i
        for i in range(self.num_envs):
            if stepped[i] and not self.is_legal(i, codes[i]):
                return i
        return -1

    cdef bint is_legal(self, Py_ssize_t i, int64_t code) noexcept nogil:
        """Whether a code is legal in a game. The masks are not asked, since the caller may have changed them."""
        cdef Py_ssize_t k
        for k in range(self.counts[i]):
            if self.legal[i, k] == code:
                return True
        return False

    # -- checks and results ----------------------------------------------------------------------------

    def _codes(self, actions):
        """Return a copy of actions, which other threads cannot change, as an array of int64. Raises ValueError."""
        self._require_reset()
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            raise ValueError(f"actions: {given.dtype} {given.shape}; needed: integers of shape ({self.num_envs},)")
        return np.array(given, np.int64, order="C")

    def _stepped(self, only):
        """Return a copy of `only`, by default of ones, as an array of bytes. Raises ValueError."""
        if only is None:
            return np.ones(self.num_envs, np.uint8)
        given = np.asarray(only)
        if given.shape != (self.num_envs,) or given.dtype != np.bool_:
            raise ValueError(f"only: {given.dtype} {given.shape}; needed: bools of shape ({self.num_envs},)")
        return given.astype(np.uint8)

    def _require_reset(self):
        if not self.started:
            raise ValueError("no game has begun: call reset first")

    def _enter(self):
        if self.busy:
            raise RuntimeError("this VectorGame is in use by another thread; give each thread its own")
        self.busy = True

    def _illegal(self, Py_ssize_t i, code):
        legal = [self.game.texts[self.legal[i, k]] for k in range(self.counts[i])]
        known = self.game.texts[code] if 0 <= code < self.game.num_actions else "no action code"
        return IllegalAction(f"actions[{i}]: {code} ({known}) is not legal; legal there: {', '.join(legal)}", legal)

    def _results(self):
        """Return what `step` returns."""
        arrays = [array.copy() for array in self.results] if self.copy else self.results
        observed, masks, turns, rewards, scores, ended, truncations = arrays
        infos = {"action_mask": masks, "turn": turns}
        if ended.any():
            infos |= {"final_scores": scores, "_final_scores": ended}
        return observed, rewards, ended, truncations, infos

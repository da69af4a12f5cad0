# cython: language_level=3
"""A game whose hidden cards are visible, to measure the strength of a search that sees them. For measurements only.

It has the rules of the given game with two functions replaced, so that `observe` removes nothing and `deal` changes
nothing, and every iteration of a search is played in the true world. No option of the package can do this.
"""
from libc.string cimport memcpy

from clerestory.engine.core cimport Game, GameOps, State
from clerestory.engine.rng cimport rng_t


cdef void keep_all(void *s, int seat) noexcept nogil:
    """Observe: forget nothing."""


cdef void keep_dealt(void *s, rng_t *rng) noexcept nogil:
    """Deal: leave the cards as they are."""


cdef class Unveiled(Game):
    """A game with its hidden cards visible.

    Args:
        game: the game itself.
    """
    cdef Game covered
    cdef GameOps open_ops

    def __init__(self, Game game not None):
        self.covered = game
        self.open_ops = game.ops[0]
        self.open_ops.observe = keep_all
        self.open_ops.deal = keep_dealt
        self.bind(&self.open_ops, game.guide, game.encoder)
        texts = list(zip(game.texts, game.labels))
        super().__init__(
            game.name, game.rules_revision, texts, game.layout, game.consistency_checks,
            tuning=game.tuning, hand_values=game.hand_values, input_names=game.input_names,
        )
        self.catalogue = game.catalogue

    def unveil(self, State truth not None):
        """Return a position of the game itself, dealt, as one of this game: every seat sees all of it."""
        if truth.game is not self.covered:
            raise ValueError(f"the position is of {truth.game.name}, not of {self.covered.name}")
        cdef State seen = State.__new__(State, self)
        memcpy(seen.data, truth.data, sizeof(seen.data))
        return seen

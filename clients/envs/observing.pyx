# cython: language_level=3
"""Observations of positions as NumPy arrays. They hold nothing that the observing seat cannot see."""
from libc.stdint cimport int8_t, uint8_t
from libc.string cimport memcpy, memset

import numpy as np

from clerestory.engine.core cimport MAX_LEGAL, MAX_SEATS, OVER, Game, State, action_t
from clerestory.engine.encoding cimport Encoder, Sparse, scatter

from clerestory.engine.errors import GameError

KINDS = {"features": np.float32, "view": np.uint8, "none": np.uint8}


cdef class Observer:
    """Writes what a seat observes of positions of one game.

    Args:
        game: the game.
        seats: number of players.
        kind: `features`: float32, scaled to about 0..1: the encoder's places of the seat, of the following seats in
            turn order, and of the table. They are public, so they lack the event that Ellen's owner was shown (R40).
            `view`: uint8, the memory of the position as the seat knows it, in which seats have their numbers.
            `none`: nothing.

    Attributes:
        size: numbers in an observation.
        dtype: their type.

    Raises BadPosition for a player count the game does not have, ValueError for another kind, GameError for features
    of a game that has none.
    """

    def __init__(self, Game game not None, seats, kind="features"):
        if kind not in KINDS:
            raise ValueError(f"observation: {kind!r} is not one of {', '.join(KINDS)}")
        self.game, self.seats, self.kind = game, game.new(seats, 0).seats, kind
        self.dtype, self.has_features = np.dtype(KINDS[kind]), kind == "features"
        if kind == "view":
            self.size = game.ops.state_size
        elif self.has_features:
            if game.encoder == NULL:
                raise GameError(f"{game.name} has no features to learn from; its observation can be view")
            self.size = self.seats * game.encoder.own + game.encoder.table

    def __reduce__(self):
        """Support pickling."""
        return type(self), (self.game, self.seats, self.kind)

    cdef void write(self, const void *s, int seat, void *out) noexcept nogil:
        if self.has_features:
            write_features(self.game.encoder, s, self.seats, seat, <float *> out)
        elif self.size:
            memcpy(out, s, self.size)
            self.game.ops.observe(out, seat)

    def observe(self, State state not None, seat):
        """Return what a seat observes of a position: an array of `size` numbers.

        Raises ValueError for a position of another game or number of players, or a seat that does not exist.
        """
        cdef int observer = self._seat(state, seat)
        cdef float[::1] features
        cdef uint8_t[::1] view
        found = np.empty(self.size, self.dtype)
        if self.has_features:
            features = found
            self.write(state.data, observer, &features[0])
        elif self.size:
            view = found
            self.write(state.data, observer, &view[0])
        return found

    def _seat(self, State state, seat):
        if state.game is not self.game or state.seats != self.seats:
            raise ValueError(f"state: not a position of {self.game.name} with {self.seats} players")
        cdef int number = state.seat(seat)
        if number < 0:
            raise ValueError(f"seat: {seat!r} is not a number from 0 to {self.seats - 1}")
        return number


def action_mask(State state not None):
    """Return an int8 array (num_actions,): 1 for the legal actions of the seat to decide, or Nature's outcomes."""
    cdef action_t legal[MAX_LEGAL]
    mask = np.zeros(state.game.num_actions, np.int8)
    cdef int8_t[::1] marks = mask
    cdef int i, n = 0 if state.game.ops.turn(state.data) == OVER else state.game.ops.legal(state.data, legal)
    for i in range(n):
        marks[legal[i]] = 1
    return mask


cdef void write_features(const Encoder *encoder, const void *s, int seats, int seat, float *out) noexcept nogil:
    cdef Sparse own[MAX_SEATS]
    cdef Sparse table
    cdef double points[MAX_SEATS]
    cdef int i
    memset(out, 0, (seats * encoder.own + encoder.table) * sizeof(float))
    encoder.encode(s, own, &table, points)
    for i in range(seats):
        scatter(&own[(seat + i) % seats], out + i * encoder.own)
    scatter(&table, out + seats * encoder.own)

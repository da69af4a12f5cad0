# cython: language_level=3
"""Win shares from ranks; inline, for the rules of games."""


cdef inline void share_win(double *out, int seats) noexcept nogil:
    """Convert ranks, whole numbers, to win shares: the highest wins, a tie is shared."""
    cdef int seat, winners = 0
    cdef double best = out[0]
    for seat in range(1, seats):
        best = max(best, out[seat])
    for seat in range(seats):
        winners += out[seat] == best
    for seat in range(seats):
        out[seat] = 1.0 / winners if out[seat] == best else 0

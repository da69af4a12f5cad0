# cython: language_level=3
from clerestory.engine.bounds cimport MAX_SEATS


cdef void write_inputs(
    const Encoder *encoder, const unsigned char[:, ::1] states, float[:, :, ::1] own, float[:, ::1] table,
    float[:, ::1] points
) noexcept nogil:
    """Write the features of positions with the same number of seats into zeroed arrays: by seat, and for the table.

    Also writes each seat's points so far. Precondition: the memory holds valid positions.
    """
    cdef Sparse of_seats[MAX_SEATS]
    cdef Sparse of_table
    cdef double so_far[MAX_SEATS]
    cdef Py_ssize_t i, seat
    for i in range(states.shape[0]):
        encoder.encode(&states[i, 0], of_seats, &of_table, so_far)
        scatter(&of_table, &table[i, 0])
        for seat in range(own.shape[1]):
            points[i, seat] = <float> so_far[seat]
            scatter(&of_seats[seat], &own[i, seat, 0])

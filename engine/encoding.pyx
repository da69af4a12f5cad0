# cython: language_level=3
from clerestory.engine.bounds cimport MAX_SEATS


cdef void write_inputs(
    const Encoder *encoder, const unsigned char[:, ::1] states, float[:, :, ::1] own, float[:, ::1] table,
    float[:, ::1] points
) noexcept nogil:
    """Write the features of positions with the same number of seats into zeroed arrays: by seat, and for the table.

    Also writes each seat's points so far. Precondition: the memory holds valid positions.
    """
    cdef Sparse features
    cdef double so_far[MAX_SEATS]
    cdef Py_ssize_t i
    cdef int seat
    for i in range(states.shape[0]):
        features.count = 0
        encoder.encode_table(&states[i, 0], &features, so_far)
        scatter(&features, &table[i, 0])
        for seat in range(<int> own.shape[1]):
            points[i, seat] = <float> so_far[seat]
            encode_own(encoder, &states[i, 0], seat, &features)
            scatter(&features, &own[i, seat, 0])

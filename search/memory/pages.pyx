# cython: language_level=3
"""Memory for trees.

The first write to a page can be slow: if the host of a virtual machine has reclaimed a huge page, an iteration waits
tens of milliseconds for another. The arrays of a finished tree are therefore kept, with their pages, for later trees.
"""
from libc.string cimport memmove

cdef extern from *:
    """
    #include <stdint.h>
    #include <stdlib.h>
    #ifndef __wasm__
    #include <sys/mman.h>
    #endif

    #define HUGE_PAGE ((size_t) 2 << 20)
    #define HUGE_FROM (2 * HUGE_PAGE)  /* smallest array with huge pages, in bytes; part of the last page is lost */
    #define MAPPED_FROM (1 << 16)      /* smallest array that has pages of its own, which can be kept, in bytes */

    #ifdef MAP_NORESERVE
    #define UNCOUNTED MAP_NORESERVE    /* more is reserved than will be touched */
    #else
    #define UNCOUNTED 0
    #endif

    #if defined(__SANITIZE_ADDRESS__) || defined(__wasm__)  /* watches its own allocations; has no system below it */
    enum { CAN_KEEP = 0 };
    static void *map_zeros(size_t bytes) { return calloc(1, bytes); }
    #ifdef __wasm__
    static void *map_any(size_t bytes) { return malloc(bytes); }
    #else
    #define map_any map_zeros
    #endif
    static void unmap(void *array, size_t bytes) { free(array); }
    static void cut(void *array, size_t bytes, size_t kept) {}
    #else
    enum { CAN_KEEP = 1 };
    #define map_any map_zeros  /* pages of the system are zeroed anyway */
    /* In huge pages where the system has them: thousands of small ones take milliseconds to touch and to give back. */
    static void *map_zeros(size_t bytes) {
        if (bytes < MAPPED_FROM) return calloc(1, bytes);
        void *array = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | UNCOUNTED, -1, 0);
        if (array == MAP_FAILED) return NULL;
    #ifdef MADV_HUGEPAGE
        if (bytes >= HUGE_FROM) madvise(array, bytes, MADV_HUGEPAGE);
    #endif
        return array;
    }
    static void unmap(void *array, size_t bytes) {
        if (bytes < MAPPED_FROM) free(array);
        else if (array != NULL) munmap(array, bytes);
    }
    /* Give back the pages beyond the first `kept` bytes, whole huge pages only. */
    static void cut(void *array, size_t bytes, size_t kept) {
    #ifdef MADV_DONTNEED
        uintptr_t end = (uintptr_t) array + bytes;
        uintptr_t from = ((uintptr_t) array + kept + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
        if (from < end) madvise((void *) from, end - from, MADV_DONTNEED);
    #endif
    }
    #endif
    """
    bint CAN_KEEP
    size_t HUGE_FROM, MAPPED_FROM
    void *map_zeros(size_t bytes) noexcept nogil
    void *map_any(size_t bytes) noexcept nogil
    void unmap(void *array, size_t bytes) noexcept nogil
    void cut(void *array, size_t bytes, size_t kept) noexcept nogil

cdef enum:
    MOST_SPARES = 24      # arrays; a tree has three
    KEPT_BYTES = 8 << 20  # of each array

cdef struct Spare:
    void *array
    size_t bytes

cdef Spare spares[MOST_SPARES]  # the most recently returned one is last
cdef int num_spares = 0

SPARES = MOST_SPARES if CAN_KEEP else 0


cdef void *reserve(size_t bytes) noexcept nogil:
    """Return `bytes` zeroed bytes from the system; NULL if there is no memory."""
    return map_zeros(bytes)


cdef void release(void *array, size_t bytes) noexcept nogil:
    """Release what `reserve` returned."""
    unmap(array, bytes)


cdef void *take(size_t bytes) noexcept:
    """Return uninitialized memory, or NULL if there is none; pass it to `give_back` with the same number of bytes."""
    cdef size_t size = rounded(bytes)
    cdef void *array = NULL
    cdef int i
    for i in range(num_spares - 1, -1, -1):
        if spares[i].bytes == size:
            array = spares[i].array
            strike(i)
            return array
    with nogil:  # the system call may take milliseconds
        array = map_any(size)
    if array == NULL:
        release_all()
        with nogil:
            array = map_any(size)
    return array


cdef void give_back(void *array, size_t bytes) noexcept:
    """Keep an array for another tree; if the list is full, the oldest spare is released."""
    global num_spares
    cdef size_t size = rounded(bytes)
    cdef Spare oldest = Spare(array=NULL, bytes=0)
    if array == NULL or not CAN_KEEP or size < MAPPED_FROM:
        with nogil:
            unmap(array, size)
        return
    with nogil:
        cut(array, size, KEPT_BYTES)
    if num_spares == MOST_SPARES:
        oldest = spares[0]
        strike(0)
    spares[num_spares].array, spares[num_spares].bytes = array, size
    num_spares += 1
    with nogil:
        unmap(oldest.array, oldest.bytes)


cdef void strike(int i) noexcept:
    """Remove a spare from the list."""
    global num_spares
    num_spares -= 1
    memmove(&spares[i], &spares[i + 1], (num_spares - i) * sizeof(Spare))


cdef size_t rounded(size_t bytes) noexcept:
    """Return the bytes to allocate for an array: a power of two for large ones, as untouched memory costs nothing."""
    cdef size_t size = MAPPED_FROM
    if not CAN_KEEP or bytes < MAPPED_FROM:
        return bytes
    while size < bytes:
        size *= 2
    return size


def count_spares():
    """Return the number of kept arrays, at most MOST_SPARES; 0 in builds with a sanitizer."""
    return num_spares


def release_spares():
    """Return all kept arrays to the system."""
    release_all()


cdef void release_all() noexcept:
    global num_spares
    cdef Spare last
    while num_spares:
        num_spares -= 1
        last = spares[num_spares]
        with nogil:
            unmap(last.array, last.bytes)

# cython: language_level=3
"""Processor time: threads that answer calls get it soon in short slices; searching threads use the rest."""
import os

from clerestory.search.turns cimport ask_for_turns, worker_begin, worker_end


def take_turns(seconds):
    """Request time slices of a given length for this thread and those it starts later.

    From Linux 6.12 on, a thread that requests shorter slices is scheduled sooner (EEVDF; Stoica and Abdel-Wahab 1995,
    TR 95-22 of Old Dominion University). The length does not change a thread's share of the processor.

    Args:
        seconds: length of a slice; the system accepts 0.0001 to 0.1.

    Returns False, and changes nothing, if the system does not support this.
    """
    return bool(ask_for_turns(round(seconds * 1e9), 0))


cdef class Worker:
    """A system thread that searches at a lower priority for a waiting Python thread.

    It never holds the GIL. The system may delay a low-priority thread for long, and every thread that needs a lock
    it holds would wait as long (priority inversion: Lampson and Redell 1980, CACM 23(2)). One search at a time.

    Args:
        seconds: length of its time slices, as for `take_turns`.
        niceness: added to the niceness of the creating thread, up to 19; ignored on systems without niceness.

    Raises OSError if the system cannot create a thread.
    """

    def __cinit__(self, double seconds, niceness):
        self.c.nanoseconds = round(seconds * 1e9)
        self.c.niceness = niceness
        cdef int error = worker_begin(&self.c)
        if error:
            raise OSError(error, os.strerror(error))
        self.begun = True

    def __dealloc__(self):
        if self.begun:
            with nogil:
                worker_end(&self.c)

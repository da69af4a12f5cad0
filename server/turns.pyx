# cython: language_level=3
"""Processor time: threads that answer calls get it soon in short slices, searching threads when nothing else runs."""
from libc.stdint cimport uint64_t

cdef extern from *:
    """
    #include <stdint.h>
    #include <unistd.h>
    #ifdef __linux__
    #include <sys/resource.h>
    #include <sys/syscall.h>
    #endif

    /* The attributes of sched_setattr(2), which C libraries have no function for until glibc 2.41. */
    struct clerestory_turns {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    };

    static int ask_for_turns(uint64_t nanoseconds, int niceness) {
    #ifdef SYS_sched_setattr
        struct clerestory_turns wanted = {sizeof(wanted)};
        int nice = getpriority(PRIO_PROCESS, 0) + niceness;
        wanted.nice = nice < 19 ? nice : 19;
        wanted.runtime = nanoseconds;
        return syscall(SYS_sched_setattr, 0, &wanted, 0) == 0 || setpriority(PRIO_PROCESS, 0, wanted.nice) == 0;
    #else
        return 0;
    #endif
    }
    """
    bint ask_for_turns(uint64_t nanoseconds, int niceness) nogil


def take_turns(seconds, niceness=0):
    """Ask the system for time slices of a given length, for this thread and those it starts later.

    From Linux 6.12 on, a thread that asks for shorter slices is scheduled sooner (EEVDF; Stoica and Abdel-Wahab 1995,
    TR 95-22 of Old Dominion University). On older systems, or without permission, only the niceness takes effect. The
    length does not change a thread's share of the processor.

    Args:
        seconds: length of a slice; the system accepts 0.0001 to 0.1.
        niceness: added to that of the thread, 0 to 19.

    Returns False, and changes nothing, if the system does not support this.
    """
    return bool(ask_for_turns(round(seconds * 1e9), niceness))

/* What the engine needs of a system: a clock. Threads do not exist here, so nothing waits for another. */
#include <time.h>

__attribute__((import_module("env"), import_name("now"))) double now(void); /* seconds */

int clock_gettime(clockid_t clock, struct timespec *time) {
    double seconds = now();
    (void) clock;
    time->tv_sec = (time_t) seconds;
    time->tv_nsec = (long) ((seconds - (double) time->tv_sec) * 1e9);
    return 0;
}

int yield_nothing(void) { return 0; }

/* Around blocks without the GIL, which does not exist either. */
void *PyEval_SaveThread(void) { return 0; }
void PyEval_RestoreThread(void *state) { (void) state; }

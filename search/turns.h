/* Processor time: how soon a thread gets it, and threads that work for others at a lower priority. */
#ifndef CLERESTORY_TURNS_H
#define CLERESTORY_TURNS_H

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/resource.h>
#include <sys/syscall.h>
#endif

#define STACK_BYTES (8 << 20) /* of a worker; the C library's default can be 128 KiB */

/* The attributes of sched_setattr(2), which has no function in C libraries before glibc 2.41. */
struct clerestory_turns {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

/* Request time slices and more niceness; return whether the system has slices. Niceness applies either way. */
static int ask_for_turns(uint64_t nanoseconds, int niceness) {
#ifdef SYS_sched_setattr
    struct clerestory_turns wanted = {sizeof(wanted)};
    int nice = getpriority(PRIO_PROCESS, 0) + niceness;
    wanted.nice = nice < 19 ? nice : 19;
    wanted.runtime = nanoseconds;
    if (syscall(SYS_sched_setattr, 0, &wanted, 0) == 0)
        return 1;
    if (niceness != 0)
        setpriority(PRIO_PROCESS, 0, wanted.nice);
#endif
    return 0;
}

/* A thread that runs one task at a time for another thread, which waits. */
typedef struct {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    void (*task)(void *); /* NULL: none */
    void *subject;        /* argument of the task */
    uint64_t nanoseconds; /* of a slice */
    int niceness;
    int ending;
} worker_t;

static void *worker_main(void *given) {
    worker_t *worker = given;
    ask_for_turns(worker->nanoseconds, worker->niceness);
    pthread_mutex_lock(&worker->lock);
    while (!worker->ending) {
        if (worker->task == NULL) {
            pthread_cond_wait(&worker->changed, &worker->lock);
            continue;
        }
        pthread_mutex_unlock(&worker->lock);
        worker->task(worker->subject);
        pthread_mutex_lock(&worker->lock);
        worker->task = NULL;
        pthread_cond_signal(&worker->changed);
    }
    pthread_mutex_unlock(&worker->lock);
    return NULL;
}

/* Start the thread, with signals blocked; return 0, or the error. */
static int worker_begin(worker_t *worker) {
    sigset_t all, before;
    pthread_attr_t attributes;
    pthread_mutex_init(&worker->lock, NULL);
    pthread_cond_init(&worker->changed, NULL);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&worker->thread, &attributes, worker_main, worker);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}

/* Run a task in the thread, and wait until it is done. */
static void worker_run(worker_t *worker, void (*task)(void *), void *subject) {
    pthread_mutex_lock(&worker->lock);
    worker->subject = subject;
    worker->task = task;
    pthread_cond_signal(&worker->changed);
    while (worker->task != NULL)
        pthread_cond_wait(&worker->changed, &worker->lock);
    pthread_mutex_unlock(&worker->lock);
}

/* End the thread. */
static void worker_end(worker_t *worker) {
    pthread_mutex_lock(&worker->lock);
    worker->ending = 1;
    pthread_cond_signal(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
    pthread_join(worker->thread, NULL);
    pthread_cond_destroy(&worker->changed);
    pthread_mutex_destroy(&worker->lock);
}

#endif

/*
 * Work that is taken up in order by the caller's thread and finished by several: reading beside what is done with what was read.
 *
 *   begin(0) ▸ begin(1) ▸ begin(2) ▸ ...          the caller's thread alone, in order; then it helps
 *       └─▶ finish(0)  └─▶ finish(1)  ...         any thread, in any order
 *
 * Threads sleep while they wait: OpenMP's may not, and the cores are the readers' too.
 */
#ifndef SST_STATE_SIDE_WORK_H
#define SST_STATE_SIDE_WORK_H

#include <stdbool.h>
#include <stddef.h>

enum { SST_SIDE_MOST_THREADS = 4 };

struct sst_side_work {
    size_t n_items;
    bool (*begin)(void *user,
                  size_t item); /* false: neither this one is finished nor a later one begun; NULL: nothing to do */
    void (*finish)(void *user, size_t item, int thread); /* thread: 0 .. n_threads - 1 */
    void *user;
};

/* As many as cores are granted, 1 .. SST_SIDE_MOST_THREADS. */
int sst_side_threads(void);

/*
 * Does all work; returns when nothing is at work any more. Where the system gives fewer threads it is done by those there are. With
 * one thread each item is finished before the next is begun.
 */
void sst_side_work_do(const struct sst_side_work *work, int n_threads);

#endif

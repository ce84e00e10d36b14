/*
 * One piece of work beside the caller's thread, which goes on meanwhile: waiting for a disk, above all.
 *
 *   begin ─┬─▶ what the caller does ─┬─▶ end: how the work went
 *          └─▶ work, in a thread ────┘
 */
#ifndef SST_CORE_ASIDE_H
#define SST_CORE_ASIDE_H

#include <pthread.h>
#include <stdbool.h>

#include "core/status.h"

/* Start from zeros: nothing is begun. */
struct sst_aside {
    enum sst_status (*work)(void *user, struct sst_error *err);
    void *user;
    bool is_begun, is_thread;
    pthread_t thread;
    enum sst_status rc;
    struct sst_error err;
};

/*
 * Begins work while none is; where the system gives no thread, it is done when this returns. Signals stay the program's own
 * thread's. `aside` stays where it is until the work has ended.
 */
void sst_aside_begin(struct sst_aside *aside, enum sst_status (*work)(void *user, struct sst_error *err), void *user);

/* Waits for the work and gives its status and message; SST_OK where none was begun. Zeros again. */
SST_MUST_CHECK enum sst_status sst_aside_end(struct sst_aside *aside, struct sst_error *err);

#endif

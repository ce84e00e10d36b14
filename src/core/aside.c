/* See the header. */
#include "core/aside.h"

#include <signal.h>
#include <stddef.h>

static void *do_work(void *user)
{
    struct sst_aside *aside = user;
    aside->rc = aside->work(aside->user, &aside->err);
    return NULL;
}

void sst_aside_begin(struct sst_aside *aside, enum sst_status (*work)(void *user, struct sst_error *err), void *user)
{
    sigset_t all, before;
    *aside = (struct sst_aside){.work = work, .user = user, .is_begun = true};
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    aside->is_thread = pthread_create(&aside->thread, NULL, do_work, aside) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!aside->is_thread)
        (void)do_work(aside);
}

enum sst_status sst_aside_end(struct sst_aside *aside, struct sst_error *err)
{
    if (!aside->is_begun)
        return SST_OK;
    if (aside->is_thread)
        (void)pthread_join(aside->thread, NULL);
    const enum sst_status rc = aside->rc;
    if (rc != SST_OK && err)
        *err = aside->err;
    *aside = (struct sst_aside){0};
    return rc;
}

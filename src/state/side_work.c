/* See the header. */
#include "state/side_work.h"

#include <pthread.h>
#include <signal.h>

#include "core/resources.h"

struct crowd {
    const struct sst_side_work *work;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t news;
    size_t n_begun, n_taken;
    bool is_over; /* nothing more will be begun */
};

struct helper {
    struct crowd *crowd;
    pthread_t thread;
    int number;
};

int sst_side_threads(void)
{
    const int granted = sst_usable_cores(0);
    return granted < SST_SIDE_MOST_THREADS ? granted : SST_SIDE_MOST_THREADS;
}

/* Finishes what was begun until nothing more will be; the lock is held before and after, not meanwhile. */
static void finish_all(struct crowd *crowd, int thread)
{
    for (;;) {
        while (crowd->n_taken == crowd->n_begun && !crowd->is_over)
            (void)pthread_cond_wait(&crowd->news, &crowd->lock);
        if (crowd->n_taken == crowd->n_begun)
            return;
        const size_t item = crowd->n_taken++;
        (void)pthread_mutex_unlock(&crowd->lock);
        crowd->work->finish(crowd->work->user, item, thread);
        (void)pthread_mutex_lock(&crowd->lock);
    }
}

static void *help(void *user)
{
    const struct helper *helper = user;
    (void)pthread_mutex_lock(&helper->crowd->lock);
    finish_all(helper->crowd, helper->number);
    (void)pthread_mutex_unlock(&helper->crowd->lock);
    return NULL;
}

/* Signals are the program's own thread's. Returns how many there are. */
static int start_helpers(struct crowd *crowd, struct helper *helpers, int n_wanted)
{
    sigset_t all, before;
    int n = 0;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    while (n < n_wanted) {
        helpers[n] = (struct helper){.crowd = crowd, .number = n + 1};
        if (pthread_create(&helpers[n].thread, NULL, help, &helpers[n]) != 0)
            break;
        ++n;
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return n;
}

static bool begin(const struct sst_side_work *work, size_t item)
{
    return !work->begin || work->begin(work->user, item);
}

static void do_alone(const struct sst_side_work *work)
{
    for (size_t item = 0; item < work->n_items && begin(work, item); ++item)
        work->finish(work->user, item, 0);
}

void sst_side_work_do(const struct sst_side_work *work, int n_threads)
{
    struct crowd crowd = {.work = work, .lock = PTHREAD_MUTEX_INITIALIZER, .news = PTHREAD_COND_INITIALIZER};
    struct helper helpers[SST_SIDE_MOST_THREADS];
    if (n_threads < 2) {
        do_alone(work);
        return;
    }
    const int n_helpers =
        start_helpers(&crowd, helpers, (n_threads < SST_SIDE_MOST_THREADS ? n_threads : SST_SIDE_MOST_THREADS) - 1);
    for (size_t item = 0; item < work->n_items && begin(work, item); ++item) {
        (void)pthread_mutex_lock(&crowd.lock);
        ++crowd.n_begun;
        (void)pthread_cond_signal(&crowd.news);
        (void)pthread_mutex_unlock(&crowd.lock);
    }
    (void)pthread_mutex_lock(&crowd.lock);
    crowd.is_over = true;
    (void)pthread_cond_broadcast(&crowd.news);
    finish_all(&crowd, 0);
    (void)pthread_mutex_unlock(&crowd.lock);
    for (int i = 0; i < n_helpers; ++i)
        (void)pthread_join(helpers[i].thread, NULL);
    (void)pthread_cond_destroy(&crowd.news);
    (void)pthread_mutex_destroy(&crowd.lock);
}

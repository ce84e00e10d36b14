/* See the header. */
#include "write/deflate_team.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>

#include "core/mem.h"

struct member {
    struct sst_deflate_team *team;
    struct sst_deflater *deflater;
    pthread_t thread;
};

struct sst_deflate_team {
    struct member *members; /* the owner is the last one */
    size_t n_members, n_threads;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t work, progress;
    struct sst_deflate_chunk *chunks;
    size_t n_chunks, n_begun;
    bool is_leaving;
};

/* Deflates the next chunk that none has begun; the lock is held before and after, not meanwhile. */
static void deflate_next(struct sst_deflate_team *team, struct sst_deflater *deflater)
{
    struct sst_deflate_chunk *chunk = &team->chunks[team->n_begun++];
    (void)pthread_mutex_unlock(&team->lock);
    const size_t n_bytes = sst_deflate(deflater, chunk->values, chunk->n_values, chunk->value_bytes);
    (void)pthread_mutex_lock(&team->lock);
    chunk->n_bytes = n_bytes;
    (void)pthread_cond_signal(&team->progress);
}

static void *work(void *user)
{
    struct member *member = user;
    struct sst_deflate_team *team = member->team;
    (void)pthread_mutex_lock(&team->lock);
    while (!team->is_leaving) {
        if (team->n_begun < team->n_chunks)
            deflate_next(team, member->deflater);
        else
            (void)pthread_cond_wait(&team->work, &team->lock);
    }
    (void)pthread_mutex_unlock(&team->lock);
    return NULL;
}

/* Signals are the program's own thread's. */
static void start_threads(struct sst_deflate_team *team)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    while (team->n_threads < team->n_members - 1) {
        struct member *member = &team->members[team->n_threads];
        if (pthread_create(&member->thread, NULL, work, member) != 0)
            break;
        ++team->n_threads;
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

enum sst_status sst_deflate_team_create(int level, size_t most_bytes, size_t n_threads, struct sst_deflate_team **out,
                                        struct sst_error *err)
{
    struct sst_deflate_team *team = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_alloc(1, sizeof *team, "threads that compress", &team, err));
    (void)pthread_mutex_init(&team->lock, NULL); /* neither can fail on the systems that there are */
    (void)pthread_cond_init(&team->work, NULL);
    (void)pthread_cond_init(&team->progress, NULL);
    SST_TRY_GOTO(sst_alloc(n_threads + 1, sizeof *team->members, "threads that compress", &team->members, err));
    for (team->n_members = 0; team->n_members < n_threads + 1; ++team->n_members) {
        struct member *member = &team->members[team->n_members];
        member->team = team;
        SST_TRY_GOTO(sst_deflater_create(level, most_bytes, &member->deflater, err));
    }
    start_threads(team);
    *out = team;
    team = NULL;
done:
    sst_deflate_team_destroy(&team);
    return rc;
}

void sst_deflate_team_destroy(struct sst_deflate_team **handle)
{
    struct sst_deflate_team *team = *handle;
    if (!team)
        return;
    (void)pthread_mutex_lock(&team->lock);
    team->is_leaving = true;
    (void)pthread_cond_broadcast(&team->work);
    (void)pthread_mutex_unlock(&team->lock);
    for (size_t i = 0; i < team->n_threads; ++i)
        (void)pthread_join(team->members[i].thread, NULL);
    for (size_t i = 0; i < team->n_members; ++i)
        sst_deflater_destroy(&team->members[i].deflater);
    (void)pthread_cond_destroy(&team->progress);
    (void)pthread_cond_destroy(&team->work);
    (void)pthread_mutex_destroy(&team->lock);
    sst_free(team->members);
    sst_free(team);
    *handle = NULL;
}

uint64_t sst_deflate_team_bytes(size_t most_bytes, size_t n_threads)
{
    return (n_threads + 1) * sst_deflater_bytes(most_bytes);
}

void sst_deflate_team_start(struct sst_deflate_team *team, struct sst_deflate_chunk *chunks, size_t n_chunks)
{
    for (size_t i = 0; i < n_chunks; ++i)
        chunks[i].n_bytes = 0;
    (void)pthread_mutex_lock(&team->lock);
    assert(team->n_begun == team->n_chunks);
    team->chunks = chunks;
    team->n_chunks = n_chunks;
    team->n_begun = 0;
    (void)pthread_cond_broadcast(&team->work);
    (void)pthread_mutex_unlock(&team->lock);
}

size_t sst_deflate_team_take(struct sst_deflate_team *team, size_t index, bool wait)
{
    const struct member *owner = &team->members[team->n_members - 1];
    (void)pthread_mutex_lock(&team->lock);
    while (team->chunks[index].n_bytes == 0 && wait) {
        if (team->n_begun < team->n_chunks)
            deflate_next(team, owner->deflater);
        else
            (void)pthread_cond_wait(&team->progress, &team->lock);
    }
    const size_t n_bytes = team->chunks[index].n_bytes;
    (void)pthread_mutex_unlock(&team->lock);
    return n_bytes;
}

/* The program's side of a crew: its launcher, its start and its end, and tasks as they are given. */
#include "stream/crew.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/mem.h"
#include "core/timings.h"
#include "stream/crew_private.h"

enum sst_status sst_crew_launch(const struct sst_crew_service *service, struct sst_crew **out, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct sst_crew *crew = NULL;
    int theirs = -1;
    SST_TRY(sst_alloc(1, sizeof *crew, "readers", &crew, err));
    crew->service = service;
    crew->orders = -1;
    crew->memory_fd = -1;
    for (int reader = 0; reader < SST_CREW_MAX_READERS; ++reader)
        crew->seats[reader].fd = -1;
    const pid_t self = getpid();
    int failed = sst_crew_pair(&crew->orders, &theirs);
    if (!failed) {
        crew->launcher = fork();
        failed = crew->launcher < 0 ? errno : 0;
        if (crew->launcher == 0)
            sst_crew_launcher(service, theirs, self);
    }
    sst_crew_close(&theirs);
    if (failed) {
        rc = sst_fail(err, SST_ERR_NOMEM, "no process can be started to read files: %s", strerror(failed));
        sst_crew_close(&crew->orders);
        sst_free(crew);
        return rc;
    }
    *out = crew;
    return SST_OK;
}

/* Idle readers find their sockets closed and leave; those at work, perhaps for long, are killed. */
static enum sst_status end_readers(struct sst_crew *crew, struct sst_error *err)
{
    enum sst_crew_report_kind kind = SST_CREW_STARTED;
    bool is_there = true;
    for (int reader = 0; reader < SST_CREW_MAX_READERS; ++reader) {
        struct sst_crew_seat *seat = &crew->seats[reader];
        if (seat->has_process && seat->n_sent > 0)
            SST_TRY(sst_crew_tell(crew, SST_CREW_ORDER_KILL, reader, err));
        sst_crew_close(&seat->fd);
    }
    SST_TRY(sst_crew_tell(crew, SST_CREW_ORDER_END, SST_CREW_NONE, err));
    /* A reader that could not be started is an earlier call's failure. */
    while (kind != SST_CREW_ALL_ENDED) {
        struct sst_error of_start = {SST_OK, ""};
        const enum sst_status rc = sst_crew_hear_launcher(crew, 0, &is_there, &kind, &of_start);
        if (rc != SST_OK && rc != SST_ERR_NOMEM)
            return sst_fail(err, rc, "%s", of_start.text);
    }
    return SST_OK;
}

/* Frees tasks and slots of a start. */
static void forget_tasks(struct sst_crew *crew)
{
    for (size_t i = 0; crew->hands && i < crew->options.n_slots; ++i)
        sst_free(crew->hands[i].request);
    sst_free(crew->hands);
    sst_free(crew->free_slots);
    crew->hands = NULL;
    crew->free_slots = NULL;
    crew->n_free = crew->n_in_hand = 0;
    crew->common = (struct sst_crew_queue){SST_CREW_NONE, SST_CREW_NONE};
    sst_crew_memory_free(&crew->layout, &crew->memory_fd, &crew->memory);
    crew->is_started = false;
}

/* Frees what a start made; its readers are gone, or else the launcher is. */
static void forget_start(struct sst_crew *crew)
{
    for (int reader = 0; reader < SST_CREW_MAX_READERS; ++reader) {
        struct sst_crew_seat *seat = &crew->seats[reader];
        sst_crew_close(&seat->fd);
        *seat = (struct sst_crew_seat){.queue = {SST_CREW_NONE, SST_CREW_NONE}, .fd = -1};
    }
    forget_tasks(crew);
}

void sst_crew_destroy(struct sst_crew **crew)
{
    struct sst_crew *old = *crew;
    if (!old)
        return;
    (void)end_readers(old, NULL); /* fails where the launcher is gone, and its readers with it */
    forget_start(old);
    sst_crew_close(&old->orders);
    while (waitpid(old->launcher, NULL, 0) < 0 && errno == EINTR)
        continue;
    sst_free(old);
    *crew = NULL;
}

static enum sst_status make_hands(struct sst_crew *crew, struct sst_error *err)
{
    const size_t n_slots = crew->options.n_slots;
    SST_TRY(sst_alloc(n_slots, sizeof *crew->hands, "tasks of the readers", &crew->hands, err));
    SST_TRY(sst_alloc(n_slots, sizeof *crew->free_slots, "slots of the readers", &crew->free_slots, err));
    crew->n_free = n_slots;
    for (size_t i = 0; i < n_slots; ++i)
        crew->free_slots[i] = (int)(n_slots - 1 - i);
    return SST_OK;
}

/* Starts all readers, then waits until all are there. */
static enum sst_status start_readers(struct sst_crew *crew, struct sst_error *err)
{
    for (int reader = 0; reader < crew->options.n_readers; ++reader)
        SST_TRY(sst_crew_seat_start(crew, reader, err));
    for (int n_started = 0; n_started < crew->options.n_readers;) {
        enum sst_crew_report_kind kind = SST_CREW_ENDED;
        bool is_there = true;
        SST_TRY(sst_crew_hear_launcher(crew, 0, &is_there, &kind, err));
        n_started += kind == SST_CREW_STARTED;
    }
    return SST_OK;
}

/* Whether the readers of the start before have nothing to do and are as many as are wanted now. */
static bool can_stay(const struct sst_crew *crew, const struct sst_crew_options *options)
{
    bool can = crew->is_started && !crew->options.is_short && !options->is_short && crew->n_in_hand == 0 &&
               crew->options.n_readers == options->n_readers;
    for (int reader = 0; reader < options->n_readers; ++reader)
        can = can && crew->seats[reader].has_process && crew->seats[reader].stop == SST_CREW_NOT_STOPPED;
    return can;
}

/* A process that is gone is found out by the next task, and replaced; one that cannot be told is replaced here. */
static enum sst_status renew_readers(struct sst_crew *crew, struct sst_error *err)
{
    for (int reader = 0; reader < crew->options.n_readers; ++reader) {
        if (sst_crew_seat_renew(crew, reader))
            continue;
        SST_TRY(end_readers(crew, err));
        for (int other = 0; other < SST_CREW_MAX_READERS; ++other)
            crew->seats[other] = (struct sst_crew_seat){.queue = {SST_CREW_NONE, SST_CREW_NONE}, .fd = -1};
        return start_readers(crew, err);
    }
    return SST_OK;
}

enum sst_status sst_crew_start(struct sst_crew *crew, const struct sst_crew_options *options, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    if (options->n_readers < 1 || options->n_readers > SST_CREW_MAX_READERS || options->n_slots < 1 ||
        options->n_slots > INT_MAX || !(options->task_seconds > 0))
        return sst_fail(err, SST_ERR_INTERNAL, "readers cannot be started with %d readers, %zu slots, %g s a task",
                        options->n_readers, options->n_slots, options->task_seconds);
    const bool may_stay = can_stay(crew, options);
    if (may_stay) {
        forget_tasks(crew);
    } else {
        SST_TRY(end_readers(crew, err));
        forget_start(crew);
    }
    crew->options = *options;
    crew->options.setup = NULL;
    crew->looked_at = sst_timings_now();
    SST_TRY_GOTO(sst_crew_memory_make(options, &crew->layout, &crew->memory_fd, &crew->memory, err));
    SST_TRY_GOTO(make_hands(crew, err));
    if (!options->is_short)
        SST_TRY_GOTO(may_stay ? renew_readers(crew, err) : start_readers(crew, err));
    crew->is_started = true;
done:
    if (rc != SST_OK) {
        (void)end_readers(crew, NULL);
        forget_start(crew);
    }
    return rc;
}

bool sst_crew_is_started(const struct sst_crew *crew) { return crew->is_started; }

int sst_crew_n_readers(const struct sst_crew *crew) { return crew->is_started ? crew->options.n_readers : 0; }

size_t sst_crew_n_free(const struct sst_crew *crew) { return crew->n_free; }

size_t sst_crew_n_in_hand(const struct sst_crew *crew) { return crew->n_in_hand; }

void *sst_crew_memory(const struct sst_crew *crew, size_t *n_bytes)
{
    *n_bytes = crew->memory ? crew->layout.slots_bytes : 0;
    return crew->memory;
}

int sst_crew_pids(const struct sst_crew *crew, int *pids, int room)
{
    int n = 0;
    for (int reader = 0; reader < SST_CREW_MAX_READERS && n < room; ++reader)
        if (crew->seats[reader].has_process && !crew->seats[reader].is_ended && crew->seats[reader].pid > 0)
            pids[n++] = crew->seats[reader].pid;
    return n;
}

void sst_crew_queue_push(struct sst_crew *crew, struct sst_crew_queue *queue, int slot)
{
    crew->hands[slot].next = SST_CREW_NONE;
    if (queue->first == SST_CREW_NONE)
        queue->first = slot;
    else
        crew->hands[queue->last].next = slot;
    queue->last = slot;
}

enum sst_status sst_crew_give(struct sst_crew *crew, uint64_t tag, int reader, const void *request,
                              size_t request_bytes, struct sst_error *err)
{
    if (request_bytes > SST_CREW_MAX_REQUEST)
        return sst_fail(err, SST_ERR_INTERNAL, "a request of %zu bytes is too long for a reader, which takes %d",
                        request_bytes, (int)SST_CREW_MAX_REQUEST);
    if (crew->n_free == 0)
        return sst_fail(err, SST_ERR_INTERNAL, "no slot is free for another task of the readers");
    const int slot = crew->free_slots[crew->n_free - 1];
    struct sst_crew_hand *hand = &crew->hands[slot];
    SST_TRY(sst_grow(&hand->request, &hand->request_room, request_bytes, 1, "a reader's request", err));
    --crew->n_free;
    ++crew->n_in_hand;
    if (request_bytes > 0)
        memcpy(hand->request, request, request_bytes);
    hand->request_bytes = request_bytes;
    hand->tag = tag;
    hand->serial = ++crew->last_serial;
    hand->n_deaths = 0;
    hand->is_held = true;
    struct sst_crew_queue *queue = &crew->common;
    if (reader != SST_CREW_ANY_READER)
        queue = &crew->seats[(unsigned)reader % (unsigned)crew->options.n_readers].queue;
    sst_crew_queue_push(crew, queue, slot);
    sst_crew_look(crew);
    return sst_crew_hand_out(crew, err);
}

void sst_crew_release(struct sst_crew *crew, size_t slot)
{
    if (!crew->is_started || slot >= crew->options.n_slots || !crew->hands[slot].is_held)
        return;
    crew->hands[slot].is_held = false;
    crew->free_slots[crew->n_free++] = (int)slot;
}

/*
 * Processes that work for this one, so that a file which crashes, hangs or bloats its reader never harms the run.
 *
 *   program ──fork first of all──▶ launcher (one thread, no library touched) ──fork──▶ reader 1 .. n
 *      │  requests, replies: one SOCK_SEQPACKET pair for each reader                       │
 *      └──────────────── slots of shared memory: [slot 0 | slot 1 | ... ] ◀── values ──────┘
 *
 * What the readers do is a service: three functions, known before the launcher is forked. The crew knows nothing of files.
 * A task whose reader dies is done once more, by a fresh reader; the second death, and every timeout, is its result. Only
 * the process that launched the crew uses it, from one thread; readers die with it, whatever happens to it.
 */
#ifndef SST_STREAM_CREW_H
#define SST_STREAM_CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

enum {
    SST_CREW_MAX_READERS = 64,
    SST_CREW_MAX_REQUEST = 32768, /* [B] */
    SST_CREW_MAX_REPLY = 4096 /* [B] beside what is in the slot */
};

/* A task as a reader sees it. */
struct sst_crew_task {
    const void *request;
    size_t request_bytes;
    void *slot; /* shared memory for values, of slot_bytes; as the last task left it */
    size_t slot_bytes;
    void *reply; /* room for SST_CREW_MAX_REPLY */
    size_t reply_bytes; /* set by the service */
};

struct sst_crew_service {
    /* In a fresh reader. setup: what sst_crew_start was given. Errors: any; they become those of its tasks. */
    enum sst_status (*open)(const void *setup, size_t setup_bytes, void **state, struct sst_error *err);
    /* Errors: any; they are the task's result and no fault of the reader. */
    enum sst_status (*serve)(void *state, struct sst_crew_task *task, struct sst_error *err);
    void (*close)(void *state); /* NULL is accepted */
};

struct sst_crew;

/*
 * Forks the launcher. To be called by the main thread, while the process has no other and no library holds locks, files or
 * device contexts. Standard error stays open in launcher and readers, for last words; nothing else that is open does.
 *
 * service  borrowed for ever (static).
 * Owner    the caller; sst_crew_destroy.
 * Errors   SST_ERR_NOMEM where the system gives no process, socket or memory.
 */
SST_MUST_CHECK enum sst_status sst_crew_launch(const struct sst_crew_service *service, struct sst_crew **out,
                                               struct sst_error *err);
void sst_crew_destroy(struct sst_crew **crew); /* NULL inside is accepted; ends all readers and the launcher */

struct sst_crew_options {
    int n_readers; /* 1..SST_CREW_MAX_READERS */
    bool is_short; /* every task has a process of its own: for schedulers that count long-lived ones */
    double task_seconds; /* > 0; the most that a task may take before its reader is killed */
    uint64_t memory_bytes; /* address space of a reader beyond the slots and what it has at its start; 0: no limit */
    size_t n_slots, slot_bytes; /* untouched pages cost nothing */
    bool prefault; /* touch all slots now, in huge pages where the system gives them */
    const void *setup; /* handed to every reader's open, replacements included; copied */
    size_t setup_bytes;
};

/*
 * Starts the readers, in place of those of an earlier start, whose tasks are forgotten. Where as many as before are wanted and
 * all of them are idle, they stay, with what libraries have learnt in them, and change setup and slots.
 *
 * Errors   SST_ERR_NOMEM; SST_ERR_INTERNAL where the launcher is gone or an option is out of range. Then none is started, and
 *          after SST_ERR_NOMEM a smaller start may be tried.
 */
SST_MUST_CHECK enum sst_status sst_crew_start(struct sst_crew *crew, const struct sst_crew_options *options,
                                              struct sst_error *err);
bool sst_crew_is_started(const struct sst_crew *crew);
int sst_crew_n_readers(const struct sst_crew *crew);

/* Slots that neither a task in hand nor a result holds. */
size_t sst_crew_n_free(const struct sst_crew *crew);

enum { SST_CREW_ANY_READER = -1 };

/*
 * Gives a task to a reader; there must be a free slot.
 *
 * tag      the caller's; comes back with the result.
 * reader   SST_CREW_ANY_READER, or a number (taken modulo n_readers): tasks of one reader are done in the order in which they
 *          were given, and what it remembers of one helps the next.
 * Errors   SST_ERR_INTERNAL where the request is too long, no slot is free or the launcher is gone; SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_crew_give(struct sst_crew *crew, uint64_t tag, int reader, const void *request,
                                             size_t request_bytes, struct sst_error *err);

enum sst_crew_fate {
    SST_CREW_DONE, /* the service returned; `status` and `error` are its own */
    SST_CREW_DIED, /* two readers died of it; `status` is SST_ERR_INPUT */
    SST_CREW_TIMED_OUT /* SST_ERR_INPUT too */
};

struct sst_crew_result {
    uint64_t tag;
    enum sst_crew_fate fate;
    enum sst_status status;
    struct sst_error error; /* of the service, or: "its reader was killed by signal 11 (Segmentation fault), twice" */
    int n_deaths; /* readers that it cost */
    size_t slot; /* held until sst_crew_release */
    void *values; /* the slot's memory */
    uint8_t reply[SST_CREW_MAX_REPLY];
    size_t reply_bytes;
};

/*
 * Waits for the next result, of whichever task; there must be one in hand. Readers that died are replaced here. Time in which
 * the program itself was stopped, or busy for long, counts against a task in part only.
 *
 * Errors   SST_ERR_NOMEM; SST_ERR_INTERRUPTED where `cancelled` (may be NULL; asked at least twice a second) says so;
 *          SST_ERR_INTERNAL where the launcher is gone.
 */
SST_MUST_CHECK enum sst_status sst_crew_next(struct sst_crew *crew, struct sst_crew_result *out,
                                             bool (*cancelled)(void *user), void *user, struct sst_error *err);
size_t sst_crew_n_in_hand(const struct sst_crew *crew);

void sst_crew_release(struct sst_crew *crew, size_t slot);

/* Whole memory of the slots, for a device runtime to page-lock; NULL before a start. */
void *sst_crew_memory(const struct sst_crew *crew, size_t *n_bytes);

/* The processes at work, whose memory is told of, and which tests kill; returns their number, at most `room`. */
int sst_crew_pids(const struct sst_crew *crew, int *pids, int room);

#endif

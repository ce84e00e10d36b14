/*
 * What the crew_*.c files share; nobody else but a test of the packets includes it.
 *
 *   crew.c           program: launch, start, give, release, end
 *   crew_next.c      program: hands tasks out, hears replies, replaces readers
 *   crew_memory.c    program: slots and setup in one memfd; reader: the same, mapped
 *   crew_wire.c      packets, with files beside them
 *   crew_launcher.c  launcher: forks, kills and reaps readers, and is the only one who does
 *   crew_reader.c    reader: request, service, reply
 *
 *   program                                     launcher                          reader
 *      │ ── order {START, reader, generation} ────▶ │ ──────────── fork ────────────▶ │
 *      │      beside it: socket, memfd              │                                 │
 *      │ ◀── report {STARTED, pid} ──────────────── │                                 │
 *      │ ── request {serial, slot} + bytes ────────────────────────────────────────▶  │
 *      │ ◀── reply {serial, status} + text + bytes ─────────────────────────────────  │
 *      │ ── request {SERIAL_RENEWED} + order, memfd beside it: another start ─────────▶  │
 *      │ ── order {KILL, reader, generation} ─────▶ │ ─────────── SIGKILL ──────────▶ │
 *      │ ◀── report {ENDED, wait status} ────────── │ ◀──────────── reaped ────────── │
 *      │ ── order {END} (idle readers' sockets are closed before: they leave by themselves)
 *      │ ◀── report {ALL_ENDED} ─────────────────── │
 *
 * A generation is one process: reports of earlier ones are recognised. An end of the order socket ends the launcher.
 */
#ifndef SST_STREAM_CREW_PRIVATE_H
#define SST_STREAM_CREW_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "stream/crew.h"

enum sst_crew_order_kind { SST_CREW_ORDER_START, SST_CREW_ORDER_KILL, SST_CREW_ORDER_END };

/* Sizes of the shared memory: slots from 0 on, `stride` apart, then setup. All but setup_bytes are whole pages. */
struct sst_crew_layout {
    size_t slot_bytes, stride, slots_bytes;
    size_t setup_bytes;
};

struct sst_crew_order {
    enum sst_crew_order_kind kind;
    int reader;
    uint64_t generation;
    struct sst_crew_layout layout; /* from here on: START only */
    uint64_t memory_bytes;
    bool is_short, prefault;
};

enum sst_crew_report_kind { SST_CREW_STARTED, SST_CREW_NOT_STARTED, SST_CREW_ENDED, SST_CREW_ALL_ENDED };

struct sst_crew_report {
    enum sst_crew_report_kind kind;
    int reader;
    uint64_t generation;
    int value; /* STARTED: pid; NOT_STARTED: errno; ENDED: wait status */
};

/* No task has it: behind it is the order of another start, which is not answered. */
#define SST_CREW_SERIAL_RENEWED UINT64_C(0)

struct sst_crew_request {
    uint64_t serial;
    size_t slot;
};

struct sst_crew_reply {
    uint64_t serial;
    enum sst_status status;
    size_t text_bytes; /* of the error, without its end */
    size_t reply_bytes;
};

enum {
    SST_CREW_LARGEST_REQUEST = sizeof(struct sst_crew_request) + SST_CREW_MAX_REQUEST,
    SST_CREW_LARGEST_REPLY = sizeof(struct sst_crew_reply) + SST_ERROR_TEXT_SIZE + SST_CREW_MAX_REPLY
};

/* crew_wire.c */

enum { SST_CREW_MAX_FILES = 2 };

/* Files that travel beside a packet. */
struct sst_crew_files {
    int n;
    int fds[SST_CREW_MAX_FILES];
};

/* One piece of a packet. */
struct sst_crew_piece {
    const void *bytes;
    size_t n_bytes;
};

enum { SST_CREW_MAX_PIECES = 3 };

/* Sends pieces as one packet; files may be NULL. MSG_DONTWAIT as a flag where it must not wait. 0 or an errno value. */
int sst_crew_send(int fd, const struct sst_crew_piece *pieces, int n_pieces, const struct sst_crew_files *files,
                  int flags);

/* One packet; files may be NULL. Returns its length, 0 at the end of the socket, or minus an errno value. */
ssize_t sst_crew_receive(int fd, void *packet, size_t room, struct sst_crew_files *files, int flags);

/* A pair of sockets for packets of the largest kind. 0 or an errno value. */
int sst_crew_pair(int *mine, int *theirs);

/* Closes a file and forgets it; less than 0 is none. */
void sst_crew_close(int *fd);

/* crew_memory.c */

/* Makes the memory and puts the setup into it. Errors: SST_ERR_NOMEM; *fd and *memory are then as before. */
SST_MUST_CHECK enum sst_status sst_crew_memory_make(const struct sst_crew_options *options,
                                                    struct sst_crew_layout *layout, int *fd, void **memory,
                                                    struct sst_error *err);
void sst_crew_memory_free(const struct sst_crew_layout *layout, int *fd, void **memory);

/* A reader's view: slots to write to, the setup to read. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_crew_memory_map(const struct sst_crew_layout *layout, int fd, bool prefault,
                                                   uint8_t **slots, const void **setup, struct sst_error *err);
void sst_crew_memory_unmap(const struct sst_crew_layout *layout, uint8_t **slots, const void **setup);

/* The processes' whole lives. */

_Noreturn void sst_crew_launcher(const struct sst_crew_service *service, int orders, pid_t program);
_Noreturn void sst_crew_reader(const struct sst_crew_service *service, const struct sst_crew_order *order, int requests,
                               int memory);

/* The program's side. */

enum {
    SST_CREW_NONE = -1,
    /* One in work and one waiting in the socket, so that a reader need not wait for the program. */
    SST_CREW_SENT_AHEAD = 2,
    SST_CREW_END_TEXT_SIZE = 160
};

/* A chain of tasks, linked by their slots. */
struct sst_crew_queue {
    int first, last; /* SST_CREW_NONE: empty */
};

/* What a slot is used for. */
struct sst_crew_hand {
    uint64_t tag, serial;
    int next; /* in its queue */
    uint8_t *request; /* grown when needed, kept from task to task */
    size_t request_bytes, request_room;
    int n_deaths;
    char first_end[SST_CREW_END_TEXT_SIZE]; /* of the first reader that it cost */
    bool is_held; /* by a task or by a result */
};

enum sst_crew_stop { SST_CREW_NOT_STOPPED, SST_CREW_STOPPED_LATE, SST_CREW_STOPPED_SENSELESS };

/* A reader: a number that stays, and the process that has it just now. */
struct sst_crew_seat {
    struct sst_crew_queue queue; /* its tasks, oldest first */
    int n_sent; /* how many of them the process has */
    int fd; /* -1: none, or at its end */
    bool has_process; /* until its end is dealt with */
    bool is_ended; /* so the launcher reports; replies may still stand in the socket */
    uint64_t generation;
    int pid; /* 0: not known */
    double since; /* watched time from which its oldest task, or else its end, is due */
    enum sst_crew_stop stop; /* why the program had it killed */
    uint64_t stopped_serial; /* the task that was too slow */
    int wait_status;
};

struct sst_crew {
    const struct sst_crew_service *service;
    pid_t launcher;
    int orders; /* socket to the launcher */
    bool is_started;
    struct sst_crew_options options; /* setup is not kept */
    struct sst_crew_layout layout;
    int memory_fd;
    void *memory;
    struct sst_crew_hand *hands; /* one for each slot */
    int *free_slots; /* the last freed is used first: it may still be in a cache */
    size_t n_free, n_in_hand;
    struct sst_crew_queue common; /* tasks of no reader yet */
    struct sst_crew_seat seats[SST_CREW_MAX_READERS];
    int first_heard; /* the seat that is listened to first, in turn */
    uint64_t last_serial, last_generation;
    double watched, looked_at; /* [s] see sst_crew_look */
};

/* Puts a task at the end of a queue. */
void sst_crew_queue_push(struct sst_crew *crew, struct sst_crew_queue *queue, int slot);

/* Time by which tasks are judged: a stretch in which the program itself stood still or was busy counts in part only. */
void sst_crew_look(struct sst_crew *crew);

/* Sends what can be sent and starts the readers that are wanted. Errors: SST_ERR_NOMEM, SST_ERR_INTERNAL. */
SST_MUST_CHECK enum sst_status sst_crew_hand_out(struct sst_crew *crew, struct sst_error *err);

/* Hands the start at hand to a seat's idle process; false where it is none or cannot be told. */
bool sst_crew_seat_renew(struct sst_crew *crew, int reader);

/* Has a process started for a seat. Errors: SST_ERR_NOMEM, SST_ERR_INTERNAL. */
SST_MUST_CHECK enum sst_status sst_crew_seat_start(struct sst_crew *crew, int reader, struct sst_error *err);

/* Takes one report; *kind says which. flags: MSG_DONTWAIT, then *is_there says whether there was one. */
SST_MUST_CHECK enum sst_status sst_crew_hear_launcher(struct sst_crew *crew, int flags, bool *is_there,
                                                      enum sst_crew_report_kind *kind, struct sst_error *err);

/* Sends an order about a seat's process, or about none (END). Errors: SST_ERR_INTERNAL. */
SST_MUST_CHECK enum sst_status sst_crew_tell(struct sst_crew *crew, enum sst_crew_order_kind kind, int reader,
                                             struct sst_error *err);

#endif

/*
 * Programs of the user's that are told of what happens: one message a run, JSON on standard input.
 *
 *   send ─▶ queue ─▶ started ─▶ exits │ is given up after the time limit: SIGTERM, a little later SIGKILL ─▶ told
 *
 * Nothing here waits, apart from sst_hook_finish: the service calls sst_hook_turn whenever it comes by. One program runs at a
 * time, in the order of the messages, without a shell, in a process group of its own, and with no file of ours but standard
 * error, where what it prints goes. The message is whole in a file in memory before it starts, so it may read it or not.
 */
#ifndef SST_MONITOR_HOOK_H
#define SST_MONITOR_HOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "core/status.h"

/* Messages that wait; more are dropped, and told of. */
enum { SST_HOOK_MAX_WAITING = 64 };

struct sst_hook_options {
    const char *command; /* program and arguments, blanks between; looked for in PATH where it holds no "/" */
    char *const *environment; /* of the program; borrowed while the hook lives */
    double limit_seconds; /* a run may take */
    double (*now)(void *user); /* [s] of a clock that is never set */
    /* Told how runs end, in words: `is_failure` where one could not be started, failed, or was given up. */
    void (*tell)(void *user, bool is_failure, const char *text);
    void *user; /* of these two */
};

struct sst_hook;

/*
 * Splits a command at blanks; there is no quoting, so an argument that holds one needs a script of its own.
 *
 * Owner    the caller; sst_hook_close, which accepts NULL inside and ends at once what still runs.
 * Errors   SST_ERR_USAGE: no word in it; SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_hook_open(const struct sst_hook_options *options, struct sst_hook **out,
                                             struct sst_error *err);
void sst_hook_close(struct sst_hook **hook);

/* Takes a copy of a message and starts what can be started. Never fails: what cannot be done is told. */
void sst_hook_send(struct sst_hook *hook, const char *message);

/* Looks after what runs, and starts what is next. Returns whether anything runs or waits. */
bool sst_hook_turn(struct sst_hook *hook);

/* Waits until all messages are delivered, in all no longer than a run may take; then gives up what is left. */
void sst_hook_finish(struct sst_hook *hook);

#endif

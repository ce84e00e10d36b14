/* posix_spawn, so that no code of ours runs in a copy of a process that has threads. */
#include "monitor/hook.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/mem.h"

/* Between SIGTERM and SIGKILL. [s] */
#define GRACE_SECONDS 2.0

enum { TEXT_SIZE = 256, LOOK_EVERY_NS = 10000000, FIRST_FD_OF_OURS = 3 };

struct sst_hook {
    struct sst_hook_options options;
    char *words; /* the command, cut into its words */
    char **arguments; /* NULL at the end */
    char *waiting[SST_HOOK_MAX_WAITING]; /* a ring */
    size_t first, n_waiting;
    size_t n_dropped; /* since the last that was taken */
    pid_t child; /* 0: none */
    double started;
    bool was_terminated, was_killed;
};

/* --- opening ------------------------------------------------------------------------------------------------------ */

static enum sst_status split(struct sst_hook *hook, const char *command, struct sst_error *err)
{
    static const char blanks[] = " \t";
    char *rest = NULL;
    size_t n = 0;
    SST_TRY(sst_strdup(command, &hook->words, err));
    SST_TRY(sst_alloc(strlen(command) / 2 + 2, sizeof *hook->arguments, "a command", &hook->arguments, err));
    for (char *word = strtok_r(hook->words, blanks, &rest); word; word = strtok_r(NULL, blanks, &rest))
        hook->arguments[n++] = word;
    return n > 0 ? SST_OK : sst_fail(err, SST_ERR_USAGE, "'%s': no command. Give a program and its arguments", command);
}

enum sst_status sst_hook_open(const struct sst_hook_options *options, struct sst_hook **out, struct sst_error *err)
{
    struct sst_hook *hook = NULL;
    SST_TRY(sst_alloc(1, sizeof *hook, "a hook", &hook, err));
    hook->options = *options;
    const enum sst_status rc = split(hook, options->command, err);
    if (rc == SST_OK)
        *out = hook;
    else
        sst_hook_close(&hook);
    return rc;
}

/* --- one run ------------------------------------------------------------------------------------------------------ */

SST_PRINTF(3, 4)
static void tell(const struct sst_hook *hook, bool is_failure, const char *format, ...)
{
    char text[TEXT_SIZE];
    const int n = snprintf(text, sizeof text, "%.100s: ", hook->arguments[0]);
    va_list args;
    va_start(args, format);
    if (n > 0)
        (void)vsnprintf(text + n, sizeof text - (size_t)n, format, args);
    va_end(args);
    hook->options.tell(hook->options.user, is_failure, text);
}

/* A file in memory that holds the message and stands at its beginning; -1 and errno. */
static int message_file(const char *message)
{
    const int fd = memfd_create("message", MFD_CLOEXEC);
    size_t done = 0;
    const size_t n_bytes = strlen(message);
    while (fd >= 0 && done < n_bytes) {
        const ssize_t n = write(fd, message + done, n_bytes - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            const int reason = n < 0 ? errno : ENOSPC;
            (void)close(fd);
            errno = reason;
            return -1;
        }
        done += (size_t)n;
    }
    if (fd >= 0)
        (void)lseek(fd, 0, SEEK_SET);
    return fd;
}

/* Files and signals as a program expects them, whatever ours are. Returns an error number. */
static int spawn(struct sst_hook *hook, int message)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    (void)sigemptyset(&none);
    (void)sigfillset(&all);
    int reason = posix_spawn_file_actions_init(&files);
    if (reason)
        return reason;
    reason = posix_spawnattr_init(&attributes);
    if (reason) {
        (void)posix_spawn_file_actions_destroy(&files);
        return reason;
    }
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    (void)posix_spawnattr_setpgroup(&attributes, 0);
    (void)posix_spawnattr_setsigmask(&attributes, &none);
    (void)posix_spawnattr_setsigdefault(&attributes, &all);
    reason = posix_spawn_file_actions_adddup2(&files, message, STDIN_FILENO);
    if (!reason)
        reason = posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
    if (!reason)
        reason = posix_spawn_file_actions_addclosefrom_np(&files, FIRST_FD_OF_OURS);
    if (!reason)
        reason = posix_spawnp(&hook->child, hook->arguments[0], &files, &attributes, hook->arguments,
                              hook->options.environment);
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&files);
    return reason;
}

static void start(struct sst_hook *hook, const char *message)
{
    const int fd = message_file(message);
    const int reason = fd < 0 ? errno : spawn(hook, fd);
    if (fd >= 0)
        (void)close(fd);
    if (reason) {
        hook->child = 0;
        tell(hook, true, "cannot be started: %s. Check its path and rights", strerror(reason));
        return;
    }
    hook->started = hook->options.now(hook->options.user);
    hook->was_terminated = hook->was_killed = false;
}

static void tell_end(const struct sst_hook *hook, int status)
{
    if (hook->was_terminated)
        tell(hook, true, "given up: it was not done after %g s", hook->options.limit_seconds);
    else if (WIFSIGNALED(status))
        tell(hook, true, "ended by signal %d", WTERMSIG(status));
    else
        tell(hook, WEXITSTATUS(status) != 0, "exit status %d", WEXITSTATUS(status));
}

/* What it started goes with it, where it is given up. */
static void signal_group(const struct sst_hook *hook, int number) { (void)kill(-hook->child, number); }

static void look_after(struct sst_hook *hook)
{
    int status = 0;
    const double age = hook->options.now(hook->options.user) - hook->started;
    const pid_t ended = waitpid(hook->child, &status, WNOHANG);
    if (ended == hook->child) {
        if (hook->was_terminated)
            signal_group(hook, SIGKILL);
        tell_end(hook, status);
        hook->child = 0;
    } else if (ended < 0 && errno != EINTR) {
        tell(hook, true, "how it ended is not known: %s", strerror(errno));
        hook->child = 0;
    } else if (!hook->was_terminated && age >= hook->options.limit_seconds) {
        signal_group(hook, SIGTERM);
        hook->was_terminated = true;
    } else if (hook->was_terminated && !hook->was_killed && age >= hook->options.limit_seconds + GRACE_SECONDS) {
        signal_group(hook, SIGKILL);
        hook->was_killed = true;
    }
}

/* --- the queue ---------------------------------------------------------------------------------------------------- */

bool sst_hook_turn(struct sst_hook *hook)
{
    if (hook->child)
        look_after(hook);
    while (!hook->child && hook->n_waiting > 0) {
        char *message = hook->waiting[hook->first];
        hook->first = (hook->first + 1) % SST_HOOK_MAX_WAITING;
        --hook->n_waiting;
        start(hook, message);
        sst_free(message);
    }
    return hook->child != 0;
}

void sst_hook_send(struct sst_hook *hook, const char *message)
{
    char *copy = NULL;
    if (hook->n_waiting == SST_HOOK_MAX_WAITING || sst_strdup(message, &copy, NULL) != SST_OK) {
        if (++hook->n_dropped == 1)
            tell(hook, true, "a message is dropped, since %zu wait already; it takes too long", hook->n_waiting);
        return;
    }
    if (hook->n_dropped > 1)
        tell(hook, true, "%zu messages were dropped", hook->n_dropped);
    hook->n_dropped = 0;
    hook->waiting[(hook->first + hook->n_waiting++) % SST_HOOK_MAX_WAITING] = copy;
    (void)sst_hook_turn(hook);
}

static void sleep_a_little(void)
{
    const struct timespec pause = {.tv_nsec = LOOK_EVERY_NS};
    (void)nanosleep(&pause, NULL);
}

void sst_hook_finish(struct sst_hook *hook)
{
    const double begun = hook->options.now(hook->options.user);
    while (sst_hook_turn(hook)) {
        if (hook->options.now(hook->options.user) - begun >= hook->options.limit_seconds && hook->n_waiting > 0) {
            tell(hook, true, "%zu messages are left undelivered at the end", hook->n_waiting);
            for (; hook->n_waiting > 0; --hook->n_waiting, hook->first = (hook->first + 1) % SST_HOOK_MAX_WAITING)
                sst_free(hook->waiting[hook->first]);
        }
        sleep_a_little();
    }
}

void sst_hook_close(struct sst_hook **hook)
{
    struct sst_hook *gone = *hook;
    if (!gone)
        return;
    if (gone->child) {
        signal_group(gone, SIGKILL);
        (void)waitpid(gone->child, NULL, 0);
    }
    for (; gone->n_waiting > 0; --gone->n_waiting, gone->first = (gone->first + 1) % SST_HOOK_MAX_WAITING)
        sst_free(gone->waiting[gone->first]);
    sst_free(gone->arguments);
    sst_free(gone->words);
    sst_free(gone);
    *hook = NULL;
}

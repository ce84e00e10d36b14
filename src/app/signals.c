/* Signal handlers may only set flags; these are the program's two, and wake who waits. */
#include "app/signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static volatile sig_atomic_t status_wanted;
static volatile sig_atomic_t cancelling_signal;
static volatile sig_atomic_t cancel_fd =
    -1; /* an eventfd: a signal that comes just before a wait is not slept through */

static void want_status(int signal_number)
{
    (void)signal_number;
    status_wanted = 1;
}

static void cancel(int signal_number)
{
    const int reason = errno;
    const uint64_t one = 1;
    cancelling_signal = signal_number;
    if (cancel_fd >= 0 && write(cancel_fd, &one, sizeof one) < 0)
        cancel_fd = -1;
    errno = reason;
}

static void handle(int signal_number, void (*handler)(int), int flags)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(signal_number, &action, NULL);
}

/* A signal that the parent had ignored (nohup, a background job of a plain shell) stays ignored. */
static void handle_unless_ignored(int signal_number, void (*handler)(int), int flags)
{
    struct sigaction before;
    if (sigaction(signal_number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        handle(signal_number, handler, flags);
}

void sst_signals_install(void)
{
    if (cancel_fd < 0)
        cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    handle(SIGUSR1, want_status, SA_RESTART);
    handle_unless_ignored(SIGINT, cancel, SA_RESTART | (int)SA_RESETHAND);
    handle_unless_ignored(SIGTERM, cancel, SA_RESTART | (int)SA_RESETHAND);
}

bool sst_signals_take_status_request(void)
{
    if (!status_wanted)
        return false;
    status_wanted = 0;
    return true;
}

int sst_signals_cancel_fd(void) { return cancel_fd; }

bool sst_signals_cancelled(void *user)
{
    (void)user;
    return cancelling_signal != 0;
}

void sst_signals_die_if_cancelled(void)
{
    const int signal_number = cancelling_signal;
    if (signal_number == 0)
        return;
    handle(signal_number, SIG_DFL, 0);
    (void)raise(signal_number);
}

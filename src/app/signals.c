/* Signal handlers may only set flags; these are the program's two. */
#include "app/signals.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>

static volatile sig_atomic_t status_wanted;
static volatile sig_atomic_t cancelling_signal;

static void want_status(int signal_number)
{
    (void)signal_number;
    status_wanted = 1;
}

static void cancel(int signal_number) { cancelling_signal = signal_number; }

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

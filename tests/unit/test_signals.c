/* app/signals: signals are taken note of, and the second of a kind is not. */
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/signals.h"
#include "test_main.h"

/* How a child that runs `body` ends: the signal that killed it, or minus its exit code. */
static int end_of(void (*body)(void))
{
    int status = 0;
    const pid_t child = fork();
    ck_assert_int_ne(child, -1);
    if (child == 0) {
        sst_signals_install();
        body();
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

static void ask_for_status(void)
{
    if (sst_signals_take_status_request())
        _exit(1);
    (void)raise(SIGUSR1);
    if (!sst_signals_take_status_request() || sst_signals_take_status_request() || sst_signals_cancelled(NULL))
        _exit(2);
}

static void cancel_once(void)
{
    if (sst_signals_cancelled(NULL))
        _exit(1);
    sst_signals_die_if_cancelled();
    (void)raise(SIGTERM);
    if (!sst_signals_cancelled(NULL))
        _exit(2);
}

/* 1 where the descriptor for who waits can be read. */
static int is_woken(void)
{
    struct pollfd source = {.fd = sst_signals_cancel_fd(), .events = POLLIN};
    return source.fd < 0 ? -1 : poll(&source, 1, 0);
}

static void cancel_who_waits(void)
{
    if (is_woken() != 0)
        _exit(1);
    (void)raise(SIGUSR1);
    if (is_woken() != 0)
        _exit(2);
    (void)raise(SIGTERM);
    if (is_woken() != 1 || is_woken() != 1)
        _exit(3);
}

static void cancel_twice(void)
{
    (void)raise(SIGINT);
    (void)raise(SIGINT);
    _exit(3);
}

static void cancel_and_die(void)
{
    (void)raise(SIGINT);
    sst_signals_die_if_cancelled();
    _exit(3);
}

START_TEST(a_status_request_is_seen_once) { ck_assert_int_eq(end_of(ask_for_status), 0); }
END_TEST

START_TEST(the_first_signal_is_only_taken_note_of) { ck_assert_int_eq(end_of(cancel_once), 0); }
END_TEST

START_TEST(who_waits_is_woken) { ck_assert_int_eq(end_of(cancel_who_waits), 0); }
END_TEST

START_TEST(the_second_signal_ends_the_process) { ck_assert_int_eq(end_of(cancel_twice), SIGINT); }
END_TEST

START_TEST(a_cancelled_process_ends_by_its_signal) { ck_assert_int_eq(end_of(cancel_and_die), SIGINT); }
END_TEST

START_TEST(an_ignored_signal_stays_ignored)
{
    (void)signal(SIGINT, SIG_IGN);
    ck_assert_int_eq(end_of(cancel_twice), -3);
    (void)signal(SIGINT, SIG_DFL);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("signals");
    TCase *tc = tcase_create("all");
    tcase_add_test(tc, a_status_request_is_seen_once);
    tcase_add_test(tc, the_first_signal_is_only_taken_note_of);
    tcase_add_test(tc, who_waits_is_woken);
    tcase_add_test(tc, the_second_signal_ends_the_process);
    tcase_add_test(tc, a_cancelled_process_ends_by_its_signal);
    tcase_add_test(tc, an_ignored_signal_stays_ignored);
    suite_add_tcase(suite, tc);
    return suite;
}

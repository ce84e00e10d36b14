/* monitor/hook and monitor/readiness: programs that do as they please disturb nothing; a manager hears what it has to. */
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "monitor/hook.h"
#include "monitor/readiness.h"
#include "test_main.h"

struct ears {
    int n_ok, n_failed;
    char last[512];
};

static void tell(void *user, bool is_failure, const char *text)
{
    struct ears *ears = user;
    ears->n_ok += !is_failure;
    ears->n_failed += is_failure;
    (void)snprintf(ears->last, sizeof ears->last, "%s", text);
}

static double now(void *user)
{
    struct timespec time;
    (void)user;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* A script named NAME in the scratch folder, with what is to stand in it. */
static const char *script(const char *name, const char *body)
{
    const char *path = test_path("%s/%s", test_scratch_dir(), name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    (void)fprintf(file, "#!/bin/sh\n%s\n", body);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(chmod(path, 0755), 0);
    return path;
}

static struct sst_hook *open_hook(const char *command, double limit, struct ears *ears)
{
    static char folder[4096];
    static char *environment[] = {folder, NULL, NULL};
    static char path[4096];
    (void)snprintf(folder, sizeof folder, "OUT=%s", test_scratch_dir());
    (void)snprintf(path, sizeof path, "PATH=%s", getenv("PATH"));
    environment[1] = path;
    const struct sst_hook_options options = {
        .command = command, .environment = environment, .limit_seconds = limit, .now = now, .tell = tell, .user = ears};
    struct sst_hook *hook = NULL;
    struct sst_error err = {SST_OK, ""};
    ck_assert_msg(sst_hook_open(&options, &hook, &err) == SST_OK, "%s", err.text);
    return hook;
}

/* One message, to the end. */
static struct ears run(const char *command, double limit, const char *message)
{
    struct ears ears = {0};
    struct sst_hook *hook = open_hook(command, limit, &ears);
    sst_hook_send(hook, message);
    sst_hook_finish(hook);
    sst_hook_close(&hook);
    ck_assert_ptr_null(hook);
    return ears;
}

static const char *content_of(const char *name)
{
    static char text[4096];
    FILE *file = fopen(test_path("%s/%s", test_scratch_dir(), name), "r");
    ck_assert_ptr_nonnull(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    (void)fclose(file);
    return text;
}

START_TEST(it_gets_its_arguments_and_the_message)
{
    const char *path = script("plain", "cat >$OUT/message; printf '%s|' \"$0\" \"$@\" >$OUT/arguments");
    const char *command = test_path("%s  a\t$HOME;b 'c  d'  ", path);
    const struct ears ears = run(command, 10.0, "{\"a\": 1}");
    ck_assert_int_eq(ears.n_ok, 1);
    ck_assert_int_eq(ears.n_failed, 0);
    ck_assert_str_eq(content_of("message"), "{\"a\": 1}");
    ck_assert_str_eq(content_of("arguments"), test_path("%s|a|$HOME;b|'c|d'|", path)); /* no shell, no quotes */
}
END_TEST

START_TEST(it_has_no_file_of_ours_and_its_own_group)
{
    enum { OPEN_ONE = 50 }; /* above those that a shell opens for itself; without close-on-exec */
    ck_assert_int_eq(fcntl(STDERR_FILENO, F_DUPFD, OPEN_ONE), OPEN_ONE);
    const char *path = script("files", "ls /proc/$$/fd | sort -n | tr '\\n' ' ' >$OUT/files; cut -d' ' -f5 "
                                       "/proc/$$/stat >$OUT/group; echo $$ >$OUT/self");
    (void)run(path, 10.0, "x");
    const char *files = content_of("files");
    ck_assert_msg(!strstr(files, test_path(" %d ", OPEN_ONE)), "%s", files);
    ck_assert_ptr_nonnull(strstr(files, "0 1 2"));
    char group[32];
    (void)snprintf(group, sizeof group, "%s", content_of("group"));
    ck_assert_str_eq(group, content_of("self"));
    (void)close(OPEN_ONE);
}
END_TEST

START_TEST(how_it_fails_is_told)
{
    struct ears ears = run(script("fails", "exit 7"), 10.0, "x");
    ck_assert_int_eq(ears.n_failed, 1);
    ck_assert_ptr_nonnull(strstr(ears.last, "fails: exit status 7"));
    ears = run(script("killed", "kill -9 $$"), 10.0, "x");
    ck_assert_ptr_nonnull(strstr(ears.last, "ended by signal 9"));
    ears = run("/nowhere/at-all", 10.0, "x");
    ck_assert_int_eq(ears.n_failed, 1);
    ck_assert_str_eq(ears.last,
                     "/nowhere/at-all: cannot be started: No such file or directory. Check its path and rights");
}
END_TEST

START_TEST(closing_standard_input_harms_nobody)
{
    static char message[1 << 20]; /* more than a pipe holds */
    memset(message, 'x', sizeof message - 1);
    const struct ears ears = run(script("closes", "exec <&-; exit 0"), 10.0, message);
    ck_assert_int_eq(ears.n_ok, 1);
}
END_TEST

START_TEST(what_hangs_is_given_up_with_what_it_started)
{
    const double begun = now(NULL);
    struct ears ears = run(script("hangs", "sleep 600 & echo $! >$OUT/pid; wait; sleep 600"), 0.2, "x");
    ck_assert_int_eq(ears.n_failed, 1);
    ck_assert_ptr_nonnull(strstr(ears.last, "given up: it was not done after 0.2 s"));
    ck_assert_double_lt(now(NULL) - begun, 30.0);
    const int started = atoi(content_of("pid"));
    ck_assert_int_gt(started, 1);
    for (int i = 0; i < 500 && kill(started, 0) == 0; ++i) /* until whoever adopted it has buried it */
        (void)usleep(10000);
    ck_assert_int_eq(kill(started, 0), -1);
    ears = run(script("deaf", "trap '' TERM; while :; do sleep 0.05; done"), 0.2, "x");
    ck_assert_ptr_nonnull(strstr(ears.last, "given up"));
    ck_assert_double_lt(now(NULL) - begun, 60.0);
}
END_TEST

START_TEST(messages_wait_in_order_and_not_without_end)
{
    struct ears ears = {0};
    const char *release = test_path("%s/release", test_scratch_dir());
    struct sst_hook *hook =
        open_hook(script("waits", "cat >>$OUT/order; while [ ! -e $OUT/release ]; do sleep 0.01; done"), 30.0, &ears);
    char message[16];
    for (int i = 0; i < SST_HOOK_MAX_WAITING + 4; ++i) {
        (void)snprintf(message, sizeof message, "%d ", i);
        sst_hook_send(hook, message); /* returns at once, though the first is not done */
    }
    ck_assert_int_eq(ears.n_failed, 1);
    ck_assert_ptr_nonnull(strstr(ears.last, "a message is dropped, since 64 wait already"));
    ck_assert(sst_hook_turn(hook));
    FILE *file = fopen(release, "w");
    ck_assert_ptr_nonnull(file);
    (void)fclose(file);
    sst_hook_finish(hook);
    ck_assert_int_eq(ears.n_ok, SST_HOOK_MAX_WAITING + 1);
    ck_assert_int_eq(strncmp(content_of("order"), "0 1 2 3 4 5 ", 12), 0);
    ck_assert_ptr_nonnull(strstr(content_of("order"), " 63 64 "));
    ck_assert_ptr_null(strstr(content_of("order"), "65"));
    sst_hook_send(hook, "last");
    ck_assert_ptr_nonnull(strstr(ears.last, "3 messages were dropped"));
    sst_hook_close(&hook); /* ends at once what still runs */
}
END_TEST

START_TEST(a_command_has_a_word)
{
    struct ears ears = {0};
    const struct sst_hook_options options = {.command = " \t ", .now = now, .tell = tell, .user = &ears};
    struct sst_hook *hook = NULL;
    struct sst_error err = {SST_OK, ""};
    ck_assert_int_eq(sst_hook_open(&options, &hook, &err), SST_ERR_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "no command. Give a program and its arguments"));
    ck_assert_ptr_null(hook);
}
END_TEST

/* --- readiness ---------------------------------------------------------------------------------------------------- */

/* A manager's socket at an address as NOTIFY_SOCKET gives it. */
static int listen_at(const char *address)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    const size_t n = strlen(address);
    memcpy(at.sun_path, address, n);
    if (address[0] == '@')
        at.sun_path[0] = '\0';
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(bind(fd, (const struct sockaddr *)&at, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n)),
                     0);
    return fd;
}

static const char *heard(int fd)
{
    static char text[256];
    const ssize_t n = recv(fd, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    return text;
}

static void check_manager(const char *address)
{
    struct sst_readiness readiness;
    struct sst_error err = {SST_OK, ""};
    const int fd = listen_at(address);
    ck_assert_msg(sst_readiness_open(address, 20.0, &readiness, &err) == SST_OK, "%s", err.text);
    sst_readiness_say(&readiness, "READY=1");
    ck_assert_str_eq(heard(fd), "READY=1");
    sst_readiness_alive(&readiness, 100.0);
    ck_assert_str_eq(heard(fd), "WATCHDOG=1");
    sst_readiness_alive(&readiness, 104.0);
    ck_assert_str_eq(heard(fd), "");
    sst_readiness_alive(&readiness, 105.0);
    ck_assert_str_eq(heard(fd), "WATCHDOG=1");
    ck_assert_double_eq(sst_readiness_most_wait(&readiness, 30.0), 5.0);
    ck_assert_double_eq(sst_readiness_most_wait(&readiness, 1.0), 1.0);
    (void)close(fd);
    sst_readiness_say(&readiness, "STOPPING=1"); /* nobody hears it, and nothing comes of that */
    sst_readiness_close(&readiness);
}

START_TEST(a_manager_hears_what_is_said)
{
    check_manager(test_path("%s/notify", test_scratch_dir()));
    check_manager(test_path("@sststream-test-%ld", (long)getpid()));
}
END_TEST

START_TEST(without_a_manager_nothing_is_said)
{
    struct sst_readiness readiness;
    struct sst_error err = {SST_OK, ""};
    ck_assert_int_eq(sst_readiness_open(NULL, 0.0, &readiness, &err), SST_OK);
    sst_readiness_say(&readiness, "READY=1");
    sst_readiness_alive(&readiness, 5.0);
    ck_assert_double_eq(sst_readiness_most_wait(&readiness, 30.0), 30.0);
    sst_readiness_close(&readiness);
    ck_assert_int_eq(sst_readiness_open("vsock:2:1234", 0.0, &readiness, &err), SST_ERR_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "NOTIFY_SOCKET vsock:2:1234: not the address of a service manager"));
    char longest[200];
    memset(longest, 'x', sizeof longest);
    longest[0] = '/';
    longest[sizeof longest - 1] = '\0';
    ck_assert_int_eq(sst_readiness_open(longest, 0.0, &readiness, NULL), SST_ERR_USAGE);
    sst_readiness_close(&readiness);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("hook");
    TCase *tc = tcase_create("all");
    tcase_add_test(tc, it_gets_its_arguments_and_the_message);
    tcase_add_test(tc, it_has_no_file_of_ours_and_its_own_group);
    tcase_add_test(tc, how_it_fails_is_told);
    tcase_add_test(tc, closing_standard_input_harms_nobody);
    tcase_add_test(tc, what_hangs_is_given_up_with_what_it_started);
    tcase_add_test(tc, messages_wait_in_order_and_not_without_end);
    tcase_add_test(tc, a_command_has_a_word);
    tcase_add_test(tc, a_manager_hears_what_is_said);
    tcase_add_test(tc, without_a_manager_nothing_is_said);
    suite_add_tcase(suite, tc);
    return suite;
}

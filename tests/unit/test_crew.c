/*
 * stream/crew: tasks of readers that live.
 * ctest-labels: threads
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/timings.h"
#include "crew_fixture.h"
#include "stream/crew_private.h"
#include "test_main.h"

START_TEST(every_task_comes_back_once_and_right)
{
    static const int n_readers[] = {1, 2, 5};
    struct sst_crew *crew = fake_launch();
    ck_assert(!sst_crew_is_started(crew));
    for (int i = 0; i < 3; ++i) {
        const struct sst_crew_options options = fake_options(n_readers[i], 3 * (size_t)n_readers[i]);
        fake_start(crew, &options);
        ck_assert(sst_crew_is_started(crew));
        ck_assert_int_eq(sst_crew_n_readers(crew), n_readers[i]);
        fake_work(crew, 3000, 0, NULL);
        ck_assert_uint_eq(sst_crew_n_free(crew), options.n_slots);
    }
    sst_crew_destroy(&crew);
    ck_assert_ptr_null(crew);
    ck_assert_int_eq(atomic_load(&fake_board->n_opened), 8);
    ck_assert_int_eq(atomic_load(&fake_board->n_closed), 8);
    sst_crew_destroy(&crew);
}
END_TEST

START_TEST(tasks_of_a_reader_keep_reader_and_order)
{
    enum { N_READERS = 3, N_TASKS = 30 };
    struct sst_crew *crew = fake_launch();
    const struct sst_crew_options options = fake_options(N_READERS, N_TASKS);
    struct sst_crew_result result;
    int pids[N_READERS] = {0};
    uint64_t next[N_READERS] = {0, 1, 2};
    fake_start(crew, &options);
    for (int i = 0; i < N_TASKS; ++i)
        fake_give(crew, (uint64_t)i, i + 2 * N_READERS, (struct fake_request){FAKE_ADD, i, 0, (i * 7) % 5});
    for (int i = 0; i < N_TASKS; ++i) {
        fake_next(crew, &result);
        const struct fake_reply reply = fake_reply(&result);
        const size_t reader = result.tag % N_READERS;
        ck_assert_uint_eq(result.tag, next[reader]);
        ck_assert_int_eq(reply.n_served, (int)(result.tag / N_READERS) + 1);
        ck_assert(pids[reader] == 0 || pids[reader] == reply.pid);
        pids[reader] = reply.pid;
        next[reader] += N_READERS;
    }
    ck_assert(pids[0] != pids[1] && pids[1] != pids[2] && pids[0] != pids[2]);
    ck_assert_uint_eq(sst_crew_n_free(crew), 0); /* none was released */
    sst_crew_destroy(&crew);
}
END_TEST

START_TEST(any_reader_is_whichever_has_time)
{
    struct sst_crew *crew = fake_launch();
    const struct sst_crew_options options = fake_options(2, 40);
    struct sst_crew_result result;
    int n_of_slow = 0;
    fake_start(crew, &options);
    for (int i = 0; i < 40; ++i)
        fake_give(crew, (uint64_t)i, SST_CREW_ANY_READER, (struct fake_request){FAKE_ADD, i, 0, i == 0 ? 500 : 2});
    int last_tag = 0;
    for (int i = 0; i < 40; ++i) {
        fake_next(crew, &result);
        n_of_slow += fake_reply(&result).n_served > 1 && last_tag == 0 && i > 30;
        last_tag = (int)result.tag;
    }
    ck_assert_int_le(n_of_slow, 2);
    ck_assert_int_le(last_tag, 2); /* at most the task that stood behind the slow one came later */
    sst_crew_destroy(&crew);
}
END_TEST

START_TEST(a_reader_need_not_wait_for_the_program)
{
    struct sst_crew *crew = fake_launch();
    const struct sst_crew_options options = fake_options(1, 3);
    const double start = sst_timings_now();
    int pid = 0;
    fake_start(crew, &options);
    ck_assert_int_eq(sst_crew_pids(crew, &pid, 1), 1);
    for (int i = 0; i < 3; ++i)
        fake_give(crew, (uint64_t)i, 0, (struct fake_request){FAKE_ADD, i, 0, 10});
    while (atomic_load(&fake_board->n_served[pid % FAKE_N_PIDS]) < 2 && sst_timings_now() - start < 10)
        fake_sleep(0.01);
    ck_assert_int_eq(atomic_load(&fake_board->n_served[pid % FAKE_N_PIDS]), 2);
    sst_crew_destroy(&crew);
}
END_TEST

START_TEST(replies_of_a_dead_reader_are_still_heard)
{
    int mine = -1, theirs = -1;
    char packet[8];
    const struct sst_crew_piece piece = {"abc", 3};
    ck_assert_int_eq(sst_crew_pair(&mine, &theirs), 0);
    ck_assert_int_eq(sst_crew_send(theirs, &piece, 1, NULL, 0), 0);
    ck_assert_int_eq(sst_crew_send(mine, &piece, 1, NULL, 0), 0); /* never read: the connection is reset */
    sst_crew_close(&theirs);
    ck_assert_int_eq(theirs, -1);
    ck_assert_int_eq(sst_crew_receive(mine, packet, sizeof packet, NULL, 0), 3);
    ck_assert_mem_eq(packet, "abc", 3);
    ck_assert_int_eq(sst_crew_receive(mine, packet, sizeof packet, NULL, 0), 0);
    ck_assert_int_eq(sst_crew_send(mine, &piece, 1, NULL, 0), EPIPE);
    sst_crew_close(&mine);
}
END_TEST

START_TEST(errors_and_large_replies_of_the_service_come_back)
{
    struct sst_crew *crew = fake_launch();
    const struct sst_crew_options options = fake_options(1, 2);
    struct sst_crew_result result;
    fake_start(crew, &options);
    fake_give(crew, 7, 0, (struct fake_request){.kind = FAKE_FAIL, .a = 5});
    fake_give(crew, 8, 0, (struct fake_request){.kind = FAKE_LARGE_REPLY, .a = 0x5A});
    fake_next(crew, &result);
    ck_assert_int_eq(result.fate, SST_CREW_DONE);
    ck_assert_int_eq(result.status, SST_ERR_GRID);
    ck_assert_int_eq(result.error.code, SST_ERR_GRID);
    ck_assert_str_eq(result.error.text, "the grid of task 5 is wrong");
    ck_assert_int_eq(result.n_deaths, 0);
    ck_assert_int_eq(fake_reply(&result).n_served, 1);
    fake_next(crew, &result);
    ck_assert_int_eq(result.status, SST_OK);
    ck_assert_str_eq(result.error.text, "");
    ck_assert_uint_eq(result.reply_bytes, SST_CREW_MAX_REPLY);
    for (size_t i = 0; i < SST_CREW_MAX_REPLY; ++i)
        ck_assert_uint_eq(result.reply[i], 0x5A);
    sst_crew_destroy(&crew);
}
END_TEST

START_TEST(wrong_calls_are_refused)
{
    static const uint8_t request[SST_CREW_MAX_REQUEST + 1];
    struct sst_crew *crew = fake_launch();
    struct sst_crew_options options = fake_options(1, 1);
    struct sst_crew_result result;
    struct sst_error err = {SST_OK, ""};
    fake_start(crew, &options);
    ck_assert_int_eq(sst_crew_next(crew, &result, NULL, NULL, &err), SST_ERR_INTERNAL);
    ck_assert_ptr_nonnull(strstr(err.text, "in hand"));
    sst_error_clear(&err);
    ck_assert_int_eq(sst_crew_give(crew, 1, 0, request, sizeof request, &err), SST_ERR_INTERNAL);
    ck_assert_ptr_nonnull(strstr(err.text, "32769 bytes is too long"));
    sst_error_clear(&err);
    ck_assert_int_eq(sst_crew_give(crew, 1, 0, request, sizeof request - 1, &err), SST_OK);
    ck_assert_int_eq(sst_crew_give(crew, 2, 0, request, 1, &err), SST_ERR_INTERNAL);
    ck_assert_ptr_nonnull(strstr(err.text, "no slot is free"));
    sst_error_clear(&err);
    fake_next(crew, &result); /* all of it arrived, as the service says of its size */
    ck_assert_str_eq(result.error.text, "a task of another size came");
    options.n_readers = SST_CREW_MAX_READERS + 1;
    ck_assert_int_eq(sst_crew_start(crew, &options, &err), SST_ERR_INTERNAL);
    sst_error_clear(&err);
    options = fake_options(1, (size_t)1 << 30);
    options.slot_bytes = SIZE_MAX / 4;
    ck_assert_int_eq(sst_crew_start(crew, &options, &err), SST_ERR_NOMEM);
    ck_assert_ptr_nonnull(strstr(err.text, "overflow the address space"));
    ck_assert(!sst_crew_is_started(crew));
    ck_assert_uint_eq(sst_crew_n_free(crew), 0);
    options = fake_options(1, 1);
    fake_start(crew, &options);
    fake_work(crew, 10, 0, NULL);
    sst_crew_destroy(&crew);
}
END_TEST

START_TEST(the_setup_is_copied_and_cannot_be_changed)
{
    enum { N_BYTES = 3000001 };
    struct sst_crew *crew = fake_launch();
    struct sst_crew_options options = fake_options(2, 2);
    struct sst_crew_result result;
    uint64_t sum = 0;
    uint8_t *setup = malloc(N_BYTES);
    ck_assert_ptr_nonnull(setup);
    for (size_t i = 0; i < N_BYTES; ++i)
        sum += (setup[i] = (uint8_t)(i % 251)) * (i % 7 + 1);
    options.setup = setup;
    options.setup_bytes = N_BYTES;
    fake_start(crew, &options);
    memset(setup, 0xFF, N_BYTES);
    free(setup);
    fake_give(crew, 1, 0, (struct fake_request){.kind = FAKE_WRITE_SETUP});
    fake_next(crew, &result);
    ck_assert_int_eq(result.fate, SST_CREW_DIED);
    fake_give(crew, 2, 0, (struct fake_request){.kind = FAKE_ADD}); /* to a replacement */
    fake_next(crew, &result);
    ck_assert_uint_eq(fake_reply(&result).setup_sum, sum);
    sst_crew_destroy(&crew);
}
END_TEST

START_TEST(a_service_that_cannot_open_says_so_for_each_task)
{
    const uint8_t setup = FAKE_OPEN_FAILS;
    struct sst_crew *crew = fake_launch();
    struct sst_crew_options options = fake_options(2, 6);
    struct sst_crew_result result;
    options.setup = &setup;
    options.setup_bytes = 1;
    fake_start(crew, &options);
    for (int i = 0; i < 6; ++i)
        fake_give(crew, (uint64_t)i, i, (struct fake_request){.kind = FAKE_ADD});
    for (int i = 0; i < 6; ++i) {
        fake_next(crew, &result);
        ck_assert_int_eq(result.fate, SST_CREW_DONE);
        ck_assert_int_eq(result.status, SST_ERR_USAGE);
        ck_assert_str_eq(result.error.text, "the service cannot be opened");
        ck_assert_int_eq(result.n_deaths, 0);
    }
    sst_crew_destroy(&crew);
    ck_assert_int_eq(atomic_load(&fake_board->n_closed), 0);
}
END_TEST

START_TEST(short_readers_have_one_task_each)
{
    enum { N_TASKS = 30, N_READERS = 3 };
    struct sst_crew *crew = fake_launch();
    struct sst_crew_options options = fake_options(N_READERS, 8);
    int pids[N_READERS];
    options.is_short = true;
    fake_start(crew, &options);
    ck_assert_int_eq(sst_crew_pids(crew, pids, N_READERS), 0);
    fake_work(crew, N_TASKS, 50, NULL);
    ck_assert_int_eq(atomic_load(&fake_board->n_opened), N_TASKS);
    ck_assert_int_le(atomic_load(&fake_board->most_at_work), N_READERS);
    ck_assert_int_ge(atomic_load(&fake_board->most_at_work), 2);
    sst_crew_destroy(&crew);
    ck_assert_int_eq(atomic_load(&fake_board->n_closed), N_TASKS);
}
END_TEST

static int n_resident(void *memory, size_t n_bytes)
{
    unsigned char pages[1024];
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int n = 0;
    ck_assert_uint_le(n_bytes / page, sizeof pages);
    ck_assert_int_eq(mincore(memory, n_bytes, pages), 0);
    for (size_t i = 0; i < n_bytes / page; ++i)
        n += pages[i] & 1;
    return n;
}

START_TEST(slots_are_touched_when_asked_to_be)
{
    struct sst_crew *crew = fake_launch();
    struct sst_crew_options options = fake_options(2, 4);
    size_t n_bytes = 1;
    ck_assert_ptr_null(sst_crew_memory(crew, &n_bytes));
    ck_assert_uint_eq(n_bytes, 0);
    for (int prefault = 0; prefault < 2; ++prefault) {
        options.prefault = prefault != 0;
        fake_start(crew, &options);
        void *memory = sst_crew_memory(crew, &n_bytes);
        const size_t page = (size_t)sysconf(_SC_PAGESIZE);
        const size_t stride = (FAKE_SLOT_BYTES + page - 1) / page * page;
        ck_assert_uint_eq(n_bytes, 4 * stride);
        ck_assert_int_eq(n_resident(memory, n_bytes), options.prefault ? (int)(n_bytes / page) : 0);
        fake_work(crew, 100, 0, NULL);
    }
    options.is_short = true; /* no reader is there to touch them */
    fake_start(crew, &options);
    void *memory = sst_crew_memory(crew, &n_bytes);
    ck_assert_int_eq(n_resident(memory, n_bytes), (int)(n_bytes / (size_t)sysconf(_SC_PAGESIZE)));
    sst_crew_destroy(&crew);
}
END_TEST

START_TEST(a_start_takes_the_place_of_another)
{
    struct sst_crew *crew = fake_launch();
    struct sst_crew_options options = fake_options(2, 4);
    int old[4], fresh[4];
    fake_start(crew, &options);
    ck_assert_int_eq(sst_crew_pids(crew, old, 4), 2);
    fake_give(crew, 1, 0, (struct fake_request){.kind = FAKE_HANG});
    fake_give(crew, 2, 0, (struct fake_request){.kind = FAKE_ADD});
    options = fake_options(3, 6);
    const double start = sst_timings_now();
    fake_start(crew, &options);
    ck_assert_double_lt(sst_timings_now() - start, 5.0);
    ck_assert(!fake_is_alive(old[0]) && !fake_is_alive(old[1]));
    ck_assert_int_eq(sst_crew_pids(crew, fresh, 4), 3);
    ck_assert_uint_eq(sst_crew_n_free(crew), 6);
    ck_assert_uint_eq(sst_crew_n_in_hand(crew), 0);
    fake_work(crew, 100, 0, NULL);
    sst_crew_destroy(&crew);
    for (int i = 0; i < 3; ++i)
        ck_assert(!fake_is_alive(fresh[i]));
}
END_TEST

/* What a reader replies to an addition. */
static struct fake_reply ask(struct sst_crew *crew, int reader)
{
    struct sst_crew_result result;
    fake_give(crew, 1, reader, (struct fake_request){.kind = FAKE_ADD});
    fake_next(crew, &result);
    ck_assert_int_eq(result.fate, SST_CREW_DONE);
    ck_assert_int_eq(result.status, SST_OK);
    sst_crew_release(crew, result.slot);
    return fake_reply(&result);
}

START_TEST(idle_readers_stay_and_change_setup_and_slots)
{
    enum { N_STARTS = 5, N_READERS = 2 };
    uint8_t setup[N_STARTS] = {FAKE_OPENS, 10, 20, 30, 40};
    struct sst_crew *crew = fake_launch();
    struct sst_crew_options options = fake_options(N_READERS, 4);
    int pids[N_READERS];
    uint64_t sum = 0;
    options.setup = setup;
    for (int i = 0; i < N_STARTS; ++i) {
        sum += setup[i] * ((uint64_t)i % 7 + 1); /* as the service adds them */
        options.setup_bytes = (size_t)i + 1;
        options.n_slots = 4 + (size_t)i;
        fake_start(crew, &options);
        ck_assert_uint_eq(sst_crew_n_free(crew), options.n_slots);
        for (int reader = 0; reader < N_READERS; ++reader) {
            const struct fake_reply reply = ask(crew, reader);
            pids[reader] = i == 0 ? reply.pid : pids[reader];
            ck_assert_int_eq(reply.pid, pids[reader]);
            ck_assert_uint_eq(reply.setup_sum, sum);
        }
        fake_work(crew, 50, 0, NULL);
    }
    ck_assert_int_eq(atomic_load(&fake_board->n_opened), N_STARTS * N_READERS);
    sst_crew_destroy(&crew);
    ck_assert_int_eq(atomic_load(&fake_board->n_closed), N_STARTS * N_READERS);
}
END_TEST

START_TEST(a_reader_that_died_idle_does_not_stay)
{
    struct sst_crew *crew = fake_launch();
    const struct sst_crew_options options = fake_options(2, 4);
    int old[2];
    fake_start(crew, &options);
    fake_work(crew, 10, 0, NULL);
    ck_assert_int_eq(sst_crew_pids(crew, old, 2), 2);
    ck_assert_int_eq(kill(old[1], SIGKILL), 0);
    ck_assert(fake_is_gone_within(old[1], 10));
    fake_start(crew, &options);
    for (int reader = 0; reader < 2; ++reader)
        ck_assert_int_ne(ask(crew, reader).pid, old[1]);
    fake_work(crew, 50, 0, NULL);
    sst_crew_destroy(&crew);
}
END_TEST

START_TEST(a_start_without_files_left_is_an_error_and_can_be_repeated)
{
    struct sst_crew *crew = fake_launch();
    const struct sst_crew_options options = fake_options(3, 3);
    struct sst_error err = {SST_OK, ""};
    struct rlimit whole, tight;
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &whole), 0);
    const int next = dup(STDOUT_FILENO);
    ck_assert_int_ge(next, 0);
    (void)close(next);
    tight = whole;
    tight.rlim_cur = (rlim_t)next + 3; /* the memory and one pair */
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &tight), 0);
    ck_assert_int_eq(sst_crew_start(crew, &options, &err), SST_ERR_NOMEM);
    ck_assert_str_eq(err.text, "no socket for reader 2: Too many open files");
    ck_assert(!sst_crew_is_started(crew));
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &whole), 0);
    fake_start(crew, &options);
    fake_work(crew, 20, 0, NULL);
    sst_crew_destroy(&crew);
}
END_TEST

START_TEST(files_neither_grow_nor_are_handed_on)
{
    const int output = open("/dev/null", O_WRONLY); /* not closed on exec, as a library may leave it */
    const int before = fake_count_files("/proc/self/fd");
    struct sst_crew *crew = fake_launch();
    struct sst_crew_options options = fake_options(2, 4);
    struct sst_crew_result result;
    int n_of_program = 0, n_of_launcher = 0;
    for (int i = 0; i < 50; ++i) {
        options.is_short = i % 5 == 4;
        fake_start(crew, &options);
        fake_work(crew, 10, 0, NULL);
    }
    options.is_short = false;
    for (int i = 0; i < 2; ++i) {
        fake_start(crew, &options);
        fake_give(crew, 1, 1, (struct fake_request){.kind = FAKE_COUNT_FILES});
        fake_next(crew, &result);
        ck_assert_int_eq(fake_sum(&result), 5); /* three streams, a socket, the folder that is being counted */
        const int of_program = fake_count_files("/proc/self/fd");
        const int of_launcher = fake_count_files(test_path("/proc/%d/fd", fake_reply(&result).parent));
        ck_assert_int_eq(of_launcher, 5); /* three streams, its orders, the signals of its children */
        ck_assert(i == 0 || (of_program == n_of_program && of_launcher == n_of_launcher));
        n_of_program = of_program;
        n_of_launcher = of_launcher;
    }
    ck_assert_int_eq(n_of_program - before, 4); /* orders, memory, two readers */
    sst_crew_destroy(&crew);
    ck_assert_int_eq(fake_count_files("/proc/self/fd"), before);
    ck_assert(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
    (void)close(output);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("crew");
    TCase *tests = tcase_create("readers that live");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, every_task_comes_back_once_and_right);
    tcase_add_test(tests, tasks_of_a_reader_keep_reader_and_order);
    tcase_add_test(tests, any_reader_is_whichever_has_time);
    tcase_add_test(tests, a_reader_need_not_wait_for_the_program);
    tcase_add_test(tests, replies_of_a_dead_reader_are_still_heard);
    tcase_add_test(tests, errors_and_large_replies_of_the_service_come_back);
    tcase_add_test(tests, wrong_calls_are_refused);
    tcase_add_test(tests, the_setup_is_copied_and_cannot_be_changed);
    tcase_add_test(tests, a_service_that_cannot_open_says_so_for_each_task);
    tcase_add_test(tests, short_readers_have_one_task_each);
    tcase_add_test(tests, slots_are_touched_when_asked_to_be);
    tcase_add_test(tests, a_start_takes_the_place_of_another);
    tcase_add_test(tests, idle_readers_stay_and_change_setup_and_slots);
    tcase_add_test(tests, a_reader_that_died_idle_does_not_stay);
    tcase_add_test(tests, a_start_without_files_left_is_an_error_and_can_be_repeated);
    tcase_add_test(tests, files_neither_grow_nor_are_handed_on);
    suite_add_tcase(suite, tests);
    return suite;
}

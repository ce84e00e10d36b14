/*
 * Processes that are gone in front of any call of the system while they replace a day, note files, merge states or retire a
 * year, and again in front of any call of taking it up: on real files.
 */
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crash_scale.h"
#include "fake_os.h"
#include "state_deeds.h"
#include "test_main.h"

/* ctest-labels: crash */

enum { EXIT_FAILED = 9 };

static struct deed_world world;
static struct fake_faults
    unsynced; /* the system but for fsync: a process that dies takes nothing of what it wrote with it */
static void *memory;
static volatile int *shared; /* in it: acknowledged, by whichever child */

static void open_world(enum state_deed deed)
{
    fake_faults_start(&unsynced, NULL);
    unsynced.omissions = FAKE_OMIT_FILE_SYNC | FAKE_OMIT_FOLDER_SYNC;
    deed_world_open(&world, deed);
    memory = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(memory, MAP_FAILED);
    shared = memory;
}

static void close_world(void)
{
    deed_world_close(&world);
    ck_assert_int_eq(munmap(memory, sizeof *shared), 0);
}

/* A folder with the states that the deed is done to. */
static void make_folder(char *folder, size_t room)
{
    static int n;
    const char *path = test_path("%s/%d", test_scratch_dir(), n++);
    ck_assert_int_eq(unsynced.inner->make_folder(unsynced.inner->user, AT_FDCWD, path, 0777), 0);
    (void)snprintf(folder, room, "%s/", path);
    deed_prepare(&world, &unsynced.table, folder);
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status;
    (void)kind;
    (void)place;
    return remove(path);
}

/* Thousands of states would fill a small /tmp. */
static void remove_folder(const char *folder)
{
    ck_assert_int_eq(nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

/* Whether nothing was made yet: the states that it is made of are only read. */
static bool is_untouched(const char *folder)
{
    static const char *const made[STATE_N_DEEDS] = {NULL, NULL, "BOTH", "YOUNGER"};
    const char *name = made[world.deed];
    return name && access(test_path("%s%s", folder, name), F_OK) != 0 &&
           access(test_path("%s%s.part", folder, name), F_OK) != 0;
}

/* A process that is gone in front of call `at`, with one more thing left out; its exit code. */
static int do_and_die(const char *folder, long at, unsigned omission)
{
    (void)fflush(NULL);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        static struct fake_faults faults;
        fake_faults_start(&faults, NULL);
        faults.at = at;
        faults.fault = FAKE_EXIT;
        faults.omissions = FAKE_OMIT_FILE_SYNC | FAKE_OMIT_FOLDER_SYNC | omission;
        _exit(deed_do(&world, &faults.table, folder, shared, NULL) == SST_OK ? 0 : EXIT_FAILED);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

START_TEST(a_process_that_dies_at_any_call_leaves_no_half)
{
    const long step = crash_size((struct crash_sizes){23, 1, 1, 1});
    char folder[256], why[SST_ERROR_TEXT_SIZE];
    long n_kills = 0;
    int code = FAKE_EXIT_CODE;
    open_world((enum state_deed)_i);
    make_folder(folder, sizeof folder);
    for (long at = 1; code != 0; at += step) {
        *shared = 0;
        code = do_and_die(folder, at, FAKE_OMIT_NOTHING);
        ck_assert_msg(code == 0 || code == FAKE_EXIT_CODE, "call %ld: exit code %d", at, code);
        n_kills += code != 0;
        if (code != 0 && *shared == 0 && is_untouched(folder))
            continue;
        const enum state_outcome outcome = deed_judge_and_finish(&world, &unsynced.table, folder, *shared, why);
        ck_assert_msg(outcome == STATE_SOUND, "call %ld: %s: %s", at, state_outcome_text(outcome), why);
        remove_folder(folder);
        make_folder(folder, sizeof folder);
    }
    crash_count("T2", "%ld processes gone in front of a call of %s", n_kills, deed_name(world.deed));
    ck_assert_int_gt(n_kills, 1);
    close_world();
}
END_TEST

/* Dies, and again each time a call further into taking up what the one before left. */
START_TEST(a_process_that_dies_while_it_recovers_leaves_no_half)
{
    const long n_firsts = crash_size((struct crash_sizes){1, 2, 12, 40});
    char folder[256], why[SST_ERROR_TEXT_SIZE];
    long n_kills = 0, n_calls = 0;
    open_world((enum state_deed)_i);
    make_folder(folder, sizeof folder);
    struct fake_faults counting = unsynced;
    counting.n_calls = 0;
    counting.table.user = &counting;
    ck_assert_int_eq(deed_do(&world, &counting.table, folder, shared, NULL), SST_OK);
    remove_folder(folder);
    for (long k = 1; k <= n_firsts; ++k) { /* late in it, where something is half done */
        n_calls = counting.n_calls - (counting.n_calls / 4) * k / (n_firsts + 1) - 1;
        int acknowledged = 0, code = FAKE_EXIT_CODE;
        make_folder(folder, sizeof folder);
        *shared = 0;
        ck_assert_int_eq(do_and_die(folder, n_calls, FAKE_OMIT_NOTHING), FAKE_EXIT_CODE);
        const bool is_long = counting.n_calls > 200;
        const long step = crash_size((struct crash_sizes){is_long ? 29 : 5, is_long ? 5 : 1, 1, 1});
        for (long at = 1; code != 0; at += step, ++n_kills) {
            acknowledged = *shared || acknowledged;
            code = do_and_die(folder, at, FAKE_OMIT_NOTHING);
            acknowledged = *shared || acknowledged;
            ck_assert_msg(code == 0 || code == FAKE_EXIT_CODE, "calls %ld, %ld: exit code %d", n_calls, at, code);
            const enum state_outcome outcome = deed_judge(&world, &unsynced.table, folder, acknowledged, why);
            ck_assert_msg(outcome == STATE_SOUND, "calls %ld, %ld: %s: %s", n_calls, at, state_outcome_text(outcome),
                          why);
        }
        ck_assert_int_eq(deed_judge(&world, &unsynced.table, folder, 1, why), STATE_SOUND);
        remove_folder(folder);
    }
    crash_count("T2", "%ld processes gone while they took up %s", n_kills, deed_name(world.deed));
    ck_assert_int_gt(n_kills, 1);
    close_world();
}
END_TEST

/* A state under its own name from the start is a half one when its maker dies. */
START_TEST(a_state_that_is_made_in_its_place_is_found)
{
    char folder[256], why[SST_ERROR_TEXT_SIZE];
    int code = FAKE_EXIT_CODE;
    long n_bad = 0;
    open_world((enum state_deed)_i);
    for (long at = 1; code != 0; at += crash_size((struct crash_sizes){40, 10, 3, 1})) {
        make_folder(folder, sizeof folder);
        *shared = 0;
        code = do_and_die(folder, at, FAKE_OMIT_STATE_RENAME);
        n_bad += deed_judge_and_finish(&world, &unsynced.table, folder, *shared, why) != STATE_SOUND;
        remove_folder(folder);
    }
    ck_assert_int_gt(n_bad, 0);
    crash_count("T18", "kills of %s without the state's rename: found, %ld", deed_name(world.deed), n_bad);
    close_world();
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("deed_kills");
    TCase *tcase = tcase_create("kills");
    tcase_set_timeout(tcase, 3000);
    tcase_add_loop_test(tcase, a_process_that_dies_at_any_call_leaves_no_half, 0, STATE_N_DEEDS);
    tcase_add_loop_test(tcase, a_process_that_dies_while_it_recovers_leaves_no_half, 0, STATE_N_DEEDS);
    tcase_add_loop_test(tcase, a_state_that_is_made_in_its_place_is_found, DEED_MERGE, STATE_N_DEEDS);
    suite_add_tcase(suite, tcase);
    return suite;
}

/*
 * Work beside the caller's thread.
 *
 * ctest-labels: threads
 */
#include <unistd.h>

#include "core/aside.h"
#include "test_main.h"

START_TEST(nothing_begun_is_no_failure)
{
    struct sst_aside aside = {0};
    struct sst_error err = {SST_OK, ""};
    ck_assert_int_eq(sst_aside_end(&aside, &err), SST_OK);
    ck_assert_str_eq(err.text, "");
}
END_TEST

/* Ends only when the caller, who has gone on, sends a byte. */
static enum sst_status wait_for_a_byte(void *user, struct sst_error *err)
{
    const int *ends = user;
    char byte = 0;
    return read(ends[0], &byte, 1) == 1 && byte == 'x' ? SST_OK : sst_fail(err, SST_ERR_INTERNAL, "no byte");
}

START_TEST(the_caller_goes_on_meanwhile)
{
    struct sst_aside aside = {0};
    struct sst_error err = {SST_OK, ""};
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    for (int i = 0; i < 3; ++i) {
        sst_aside_begin(&aside, wait_for_a_byte, ends);
        ck_assert_int_eq(write(ends[1], "x", 1), 1);
        ck_assert_int_eq(sst_aside_end(&aside, &err), SST_OK);
        ck_assert(!aside.is_begun);
    }
    (void)close(ends[0]);
    (void)close(ends[1]);
}
END_TEST

static enum sst_status no_room(void *user, struct sst_error *err)
{
    return sst_fail(err, SST_ERR_OUTPUT, "%s: no room", (const char *)user);
}

START_TEST(a_failure_comes_with_its_message_once)
{
    struct sst_aside aside = {0};
    struct sst_error err = {SST_OK, ""};
    char name[] = "feed/index.json";
    sst_aside_begin(&aside, no_room, name);
    ck_assert_int_eq(sst_aside_end(&aside, &err), SST_ERR_OUTPUT);
    ck_assert_str_eq(err.text, "feed/index.json: no room");
    ck_assert_int_eq(sst_aside_end(&aside, &err), SST_OK);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("aside");
    TCase *all = tcase_create("all");
    tcase_add_test(all, nothing_begun_is_no_failure);
    tcase_add_test(all, the_caller_goes_on_meanwhile);
    tcase_add_test(all, a_failure_comes_with_its_message_once);
    suite_add_tcase(suite, all);
    return suite;
}

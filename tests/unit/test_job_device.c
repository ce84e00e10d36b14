/* app/job_device: which devices --device means, and where plugins are looked for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/job_device.h"
#include "test_main.h"

static struct sst_error err;
static struct sst_gpu_devices devices;
static char said[1024], why[SST_DEVICE_WHY_SIZE];

static const char *no_text(int code)
{
    (void)code;
    return "?";
}

static const struct gpu_api played = {.version = 1, .kind = "emulated", .error_text = no_text},
                            real = {.version = 1, .kind = "hip", .error_text = no_text};
static char reasons[] = "cuda: no device\nhip: no driver\n", no_reasons[] = "";
static const struct sst_gpu_found nothing = {.reasons = reasons},
                                  only_played = {{{{&played, 0, 0, {.name = "P"}}}, 1}, no_reasons, 1},
                                  both = {{{{&played, 0, 0, {.name = "P"}}, {&real, 0, 1, {.name = "R"}}}, 2},
                                          no_reasons,
                                          2};

/* Chooses, and keeps in `said` what a detailed log says of it. */
static enum sst_status choose(char *wish, const struct sst_gpu_found *found, bool may_play)
{
    struct sst_log log;
    struct sst_options options;
    memset(&options, 0, sizeof options);
    memset(said, 0, sizeof said);
    sst_error_clear(&err);
    FILE *stream = fmemopen(said, sizeof said, "w");
    ck_assert_ptr_nonnull(stream);
    sst_log_init(&log, stream);
    log.level = SST_LOG_DEBUG;
    options.log = &log;
    options.device = wish;
    const enum sst_status rc = sst_job_choose_devices(&options, found, may_play, &devices, why, &err);
    ck_assert_int_eq(fclose(stream), 0);
    return rc;
}

START_TEST(the_cpu_takes_no_device)
{
    char cpu[] = "cpu";
    ck_assert_int_eq(choose(cpu, &both, true), SST_OK);
    ck_assert_str_eq(why, "");
    ck_assert_uint_eq(devices.n, 0);
}
END_TEST

START_TEST(auto_without_a_device_says_why_on_one_line_and_goes_on)
{
    char word[] = "auto";
    ck_assert_int_eq(choose(NULL, &nothing, false), SST_OK);
    ck_assert_uint_eq(devices.n, 0);
    ck_assert_str_eq(said, "sststream: debug: no device is used: cuda: no device; hip: no driver\n");
    ck_assert_str_eq(why, "cuda: no device; hip: no driver");
    ck_assert_int_eq(choose(word, &nothing, false), SST_OK);
    ck_assert_uint_eq(devices.n, 0);
}
END_TEST

START_TEST(auto_takes_a_played_device_only_from_a_folder_that_was_named)
{
    ck_assert_int_eq(choose(NULL, &only_played, false), SST_OK);
    ck_assert_uint_eq(devices.n, 0);
    ck_assert_int_eq(choose(NULL, &only_played, true), SST_OK);
    ck_assert_uint_eq(devices.n, 1);
    ck_assert_int_eq(choose(NULL, &both, false), SST_OK);
    ck_assert_uint_eq(devices.n, 1);
    ck_assert_str_eq(devices.list[0].info.name, "R");
}
END_TEST

START_TEST(a_device_that_is_named_is_taken_or_the_wish_is_refused)
{
    char gpu[] = "gpu", first[] = "gpu:0", second[] = "gpu:1", third[] = "gpu:2";
    ck_assert_int_eq(choose(gpu, &nothing, false), SST_ERR_USAGE);
    ck_assert_str_eq(err.text,
                     "--device gpu: no device can be used. Reasons: cuda: no device; hip: no driver. Use --device "
                     "cpu, or see what 'sststream devices' shows");
    ck_assert_int_eq(choose(first, &both, false), SST_OK);
    ck_assert_str_eq(devices.list[0].info.name, "P");
    ck_assert_int_eq(choose(second, &both, false), SST_OK);
    ck_assert_str_eq(devices.list[0].info.name, "R");
    ck_assert_int_eq(choose(third, &both, false), SST_ERR_USAGE);
    ck_assert_uint_eq(devices.n, 0);
}
END_TEST

START_TEST(plugins_are_looked_for_in_the_folder_that_is_named)
{
    struct sst_options options;
    struct sst_gpu_found found;
    char gpu[] = "gpu";
    bool may_play = false;
    memset(&options, 0, sizeof options);
    sst_error_clear(&err);
    ck_assert_int_eq(unsetenv("SST_DEVICE_PLUGINS"), 0);
    ck_assert_int_eq(sst_job_find_devices(&found, &may_play, &err), SST_OK);
    ck_assert(!may_play);
    ck_assert_uint_eq(found.devices.n, 0);
    sst_gpu_found_clear(&found);
    ck_assert_int_eq(setenv("SST_DEVICE_PLUGINS", test_path("%s/emulated", getenv("SST_BUILD_DIR")), 1), 0);
    ck_assert_int_eq(sst_job_devices(&options, &devices, why, &err), SST_OK);
    ck_assert_uint_eq(devices.n, 2);
    ck_assert_int_eq(setenv("SST_DEVICE_PLUGINS", test_scratch_dir(), 1), 0);
    ck_assert_int_eq(sst_job_devices(&options, &devices, why, &err), SST_OK);
    ck_assert_uint_eq(devices.n, 0);
    options.device = gpu;
    ck_assert_int_eq(sst_job_devices(&options, &devices, why, &err), SST_ERR_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "no plugin: there is none in "));
    ck_assert_int_eq(unsetenv("SST_DEVICE_PLUGINS"), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("job_device");
    TCase *all = tcase_create("all");
    const char *build = getenv("SST_BUILD_DIR");
    tcase_add_test(all, the_cpu_takes_no_device);
    tcase_add_test(all, auto_without_a_device_says_why_on_one_line_and_goes_on);
    tcase_add_test(all, auto_takes_a_played_device_only_from_a_folder_that_was_named);
    tcase_add_test(all, a_device_that_is_named_is_taken_or_the_wish_is_refused);
    if (build && sst_gpu_has_plugins(test_path("%s/emulated", build))) /* else there is no C++ compiler here */
        tcase_add_test(all, plugins_are_looked_for_in_the_folder_that_is_named);
    suite_add_tcase(suite, all);
    return suite;
}

/*
 * app/device_plan: what devices have room for, and what becomes of a run for which they have too little.
 * ctest-labels: figures
 */
#include <stdio.h>
#include <string.h>

#include "app/job_memory.h"
#include "job_fixture.h"
#include "test_main.h"

enum { N_LAT = 720 };

static struct job_fixture made;

/* Asked only which forms it has. */
static int no_form(uint32_t n_members, uint32_t n_window, uint32_t depth, uint32_t n_cells, int *is_built,
                   size_t *scratch_bytes)
{
    (void)n_members;
    (void)n_window;
    (void)depth;
    (void)n_cells;
    *is_built = 0;
    *scratch_bytes = 0;
    return 0;
}
static int as_it_is(int device)
{
    (void)device;
    return 0;
}
static const struct gpu_api nobody = {.kind = "cuda", .select = as_it_is, .sorted_form = no_form};

#define GIB (UINT64_C(1) << 30)

struct machine {
    size_t n_devices;
    uint64_t free_bytes; /* of each */
    bool is_named;
};

/* A job of "sststream in.nc LINE" on a global grid of a quarter of a degree. */
static enum sst_status settle(const char *line, struct machine with)
{
    job_fixture_make(&made, line, 64 * GIB, N_LAT);
    made.job.device.is_named = with.is_named;
    made.job.device.devices.n = with.n_devices;
    for (size_t i = 0; i < with.n_devices; ++i) {
        struct sst_gpu_device *device = &made.job.device.devices.list[i];
        *device = (struct sst_gpu_device){.api = &nobody, .index = (int)i, .info = {.free_bytes = with.free_bytes}};
        (void)snprintf(device->info.name, sizeof device->info.name, "Device %zu", i);
    }
    return sst_job_settle_memory(&made.job, &made.err);
}

static void forget(void) { job_fixture_forget(&made); }

static uint64_t bytes_of(size_t n_ahead, bool is_resident)
{
    return sst_device_plan_bytes(&made.job, made.job.pass_rows, n_ahead, is_resident);
}

START_TEST(a_large_device_holds_the_whole_run)
{
    ck_assert_int_eq(settle("--approx cf --memory 32G", (struct machine){1, 128 * GIB, false}), SST_OK);
    ck_assert_uint_eq(made.job.device.devices.n, 1);
    ck_assert(made.job.device.is_resident);
    ck_assert_uint_eq(made.job.device.n_ahead, SST_DEVICE_MOST_AHEAD);
    ck_assert_uint_eq(made.job.device.n_pools, 365);
    ck_assert_uint_eq(made.job.n_passes, 1);
    ck_assert_str_eq(made.job.device.why, "");
    /* 365 slots and the edge terms of hobday, 30 bytes a place. */
    ck_assert_uint_gt(made.job.device.bytes, UINT64_C(375) * 30 * 1440 * 720);
    ck_assert_uint_lt(made.job.device.bytes, UINT64_C(500) * 30 * 1440 * 720);
    forget();
}
END_TEST

START_TEST(two_devices_share)
{
    ck_assert_int_eq(settle("--approx cf --memory 32G", (struct machine){1, 128 * GIB, false}), SST_OK);
    const uint64_t one = made.job.device.bytes, peak = made.job.peak_bytes;
    ck_assert_int_eq(settle("--approx cf --memory 32G", (struct machine){2, 128 * GIB, false}), SST_OK);
    ck_assert_uint_gt(made.job.device.bytes, one / 2);
    ck_assert_uint_lt(made.job.device.bytes, one * 6 / 10);
    ck_assert_uint_ge(made.job.peak_bytes, peak); /* each page-locks memory of the host for its own results */
    forget();
}
END_TEST

static const char *const kinds[] = {"--memory 32G --approx cf", "--memory 32G", "--memory 32G --approx tail --smooth 0",
                                    "--memory 32G --approx maxent --days 0601-0630"};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

/* From resident to streaming, to smaller groups, to passes; never more than there is. */
START_TEST(less_memory_is_less_at_a_time)
{
    size_t n_ahead = SST_N_SLOTS, n_passes = 1;
    bool is_resident = true, has_streamed = false;
    uint64_t free_bytes = 40 * GIB;
    while (settle(kinds[_i], (struct machine){1, free_bytes, true}) == SST_OK) {
        ck_assert_uint_eq(made.job.device.devices.n, 1);
        ck_assert_uint_le(made.job.device.bytes, free_bytes - free_bytes / 32);
        ck_assert_uint_eq(made.job.device.bytes, bytes_of(made.job.device.n_ahead, made.job.device.is_resident));
        ck_assert_uint_ge(made.job.n_passes, n_passes);
        if (made.job.n_passes == n_passes) {
            ck_assert_uint_le(made.job.device.n_ahead, n_ahead);
            ck_assert(is_resident || !made.job.device.is_resident || made.job.device.n_ahead < n_ahead);
        }
        ck_assert_int_eq(*made.job.device.why != '\0', !made.job.device.is_resident || made.job.n_passes > 1);
        has_streamed = has_streamed || (!made.job.device.is_resident && made.job.n_passes == 1);
        n_ahead = made.job.device.n_ahead;
        n_passes = made.job.n_passes;
        is_resident = made.job.device.is_resident;
        free_bytes -= free_bytes / 3;
    }
    ck_assert(has_streamed);
    ck_assert_uint_gt(n_passes, 1);
    ck_assert_msg(strstr(made.err.text, "--device: even one row of cells at a time needs ") != NULL, "%s",
                  made.err.text);
    ck_assert_msg(strstr(made.err.text, "Device 0, and ") != NULL, "%s", made.err.text);
    ck_assert_int_eq(made.err.code, SST_ERR_USAGE);
    forget();
}
END_TEST

START_TEST(the_cpu_takes_over_where_devices_were_not_named)
{
    ck_assert_int_eq(settle("--approx cf --memory 32G", (struct machine){2, 1000, false}), SST_OK);
    ck_assert_uint_eq(made.job.device.devices.n, 0);
    ck_assert_uint_eq(made.job.device.n_ahead, 0);
    ck_assert_str_eq(made.job.device.why, "no device has enough memory");
    const uint64_t peak = made.job.peak_bytes;
    ck_assert_int_eq(settle("--approx cf --memory 32G", (struct machine){0, 0, false}), SST_OK);
    ck_assert_uint_eq(made.job.peak_bytes, peak);
    ck_assert_str_eq(made.job.device.why, "");
    forget();
}
END_TEST

/* Plans anew with a byte less than was planned. */
static void settle_with_less(void)
{
    const uint64_t most = made.job.peak_bytes;
    char line[128];
    (void)snprintf(line, sizeof line, "--approx cf --smooth 0 --memory %llu", (unsigned long long)(most - 1));
    ck_assert_int_eq(settle(line, (struct machine){1, 128 * GIB, true}), SST_OK);
    ck_assert_uint_lt(made.job.peak_bytes, most);
}

/* What devices copy out is page-locked on the host, and counts there. */
START_TEST(memory_of_the_host_bounds_groups)
{
    ck_assert_int_eq(settle("--approx cf --smooth 0 --memory 32G", (struct machine){1, 128 * GIB, true}), SST_OK);
    ck_assert(made.job.device.is_resident && made.job.keeps_slots);
    settle_with_less();
    ck_assert(made.job.device.is_resident &&
              !made.job.keeps_slots); /* slots wait on the disk before devices have to do with less */
    ck_assert_str_eq(made.job.device.why, "");
    for (int less = 0; less < 2; ++less) { /* first no slots are read ahead of a group, then groups are smaller */
        settle_with_less();
        ck_assert_int_eq(made.job.device.n_ahead < SST_DEVICE_MOST_AHEAD, less);
        ck_assert(!made.job.device.is_resident || less);
        ck_assert_str_eq(made.job.device.why, "more at a time would pass --memory on the host");
    }
    forget();
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("device_plan");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_large_device_holds_the_whole_run);
    tcase_add_test(tc, two_devices_share);
    tcase_add_loop_test(tc, less_memory_is_less_at_a_time, 0, N_KINDS);
    tcase_add_test(tc, the_cpu_takes_over_where_devices_were_not_named);
    tcase_add_test(tc, memory_of_the_host_bounds_groups);
    suite_add_tcase(suite, tc);
    return suite;
}

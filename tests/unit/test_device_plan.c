/* app/device_plan: what devices have room for, and what becomes of a run for which they have too little. */
#include <stdio.h>
#include <string.h>

#include "app/environment.h"
#include "app/job_memory.h"
#include "regular_grid.h"
#include "test_main.h"

enum { MAX_WORDS = 16, N_LAT = 720 };

static struct sst_options options;
static struct sst_catalog catalog;
static struct sst_job job;
static struct sst_error err;
static char no_ice[] = "";

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
    const struct sst_machine machine = {.n_cores = 4, .memory_bytes = 64 * GIB};
    const double step = 180.0 / N_LAT;
    char text[512], program[] = "sststream", input[] = "in.nc";
    char *words[MAX_WORDS] = {program, input};
    char *state = NULL;
    int n = 2;
    (void)snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok_r(text, " ", &state); word && n < MAX_WORDS; word = strtok_r(NULL, " ", &state))
        words[n++] = word;
    sst_error_clear(&err);
    sst_options_clear(&options);
    ck_assert_msg(sst_options_parse(n, words, &options, &err) == SST_OK, "%s", err.text);
    ck_assert_int_eq(sst_options_settle(&options, &machine, &err), SST_OK);
    sst_grid_destroy(&catalog.grid);
    catalog.ice_source = no_ice;
    catalog.grid = regular_grid((struct even_axis){-90.0 + step / 2.0, step, N_LAT},
                                (struct even_axis){step / 2.0, step, 2 * (size_t)N_LAT});
    memset(&job, 0, sizeof job);
    job.options = &options;
    job.catalog = &catalog;
    sst_domain_all(catalog.grid, &job.domain);
    job.n_places = job.domain.n_cells * 7 / 10; /* sea */
    job.coverage.n_present = 30 * 365;
    ck_assert_int_eq(sst_options_policy(&options, SST_CALENDAR_STANDARD, SST_LATTICE_CENTI, &job.policy, &err), SST_OK);
    if (job.policy.approx != SST_APPROX_NONE)
        job.n_probes = job.domain.n_cells / 100;
    job.device.is_named = with.is_named;
    job.device.devices.n = with.n_devices;
    for (size_t i = 0; i < with.n_devices; ++i) {
        struct sst_gpu_device *device = &job.device.devices.list[i];
        *device = (struct sst_gpu_device){.api = &nobody, .index = (int)i, .info = {.free_bytes = with.free_bytes}};
        (void)snprintf(device->info.name, sizeof device->info.name, "Device %zu", i);
    }
    return sst_job_settle_memory(&job, &err);
}

static void forget(void)
{
    sst_options_clear(&options);
    sst_grid_destroy(&catalog.grid);
}

static uint64_t bytes_of(size_t n_ahead, bool is_resident)
{
    return sst_device_plan_bytes(&job, job.pass_rows, n_ahead, is_resident);
}

START_TEST(a_large_device_holds_the_whole_run)
{
    ck_assert_int_eq(settle("--approx cf --memory 32G", (struct machine){1, 128 * GIB, false}), SST_OK);
    ck_assert_uint_eq(job.device.devices.n, 1);
    ck_assert(job.device.is_resident);
    ck_assert_uint_eq(job.device.n_ahead, SST_DEVICE_MOST_AHEAD);
    ck_assert_uint_eq(job.device.n_pools, 365);
    ck_assert_uint_eq(job.n_passes, 1);
    ck_assert_str_eq(job.device.why, "");
    /* 365 slots and the edge terms of hobday, 30 bytes a place. */
    ck_assert_uint_gt(job.device.bytes, UINT64_C(375) * 30 * 1440 * 720);
    ck_assert_uint_lt(job.device.bytes, UINT64_C(500) * 30 * 1440 * 720);
    forget();
}
END_TEST

START_TEST(two_devices_share)
{
    ck_assert_int_eq(settle("--approx cf --memory 32G", (struct machine){1, 128 * GIB, false}), SST_OK);
    const uint64_t one = job.device.bytes, peak = job.peak_bytes;
    ck_assert_int_eq(settle("--approx cf --memory 32G", (struct machine){2, 128 * GIB, false}), SST_OK);
    ck_assert_uint_gt(job.device.bytes, one / 2);
    ck_assert_uint_lt(job.device.bytes, one * 6 / 10);
    ck_assert_uint_ge(job.peak_bytes, peak); /* each page-locks memory of the host for its own results */
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
        ck_assert_uint_eq(job.device.devices.n, 1);
        ck_assert_uint_le(job.device.bytes, free_bytes - free_bytes / 32);
        ck_assert_uint_eq(job.device.bytes, bytes_of(job.device.n_ahead, job.device.is_resident));
        ck_assert_uint_ge(job.n_passes, n_passes);
        if (job.n_passes == n_passes) {
            ck_assert_uint_le(job.device.n_ahead, n_ahead);
            ck_assert(is_resident || !job.device.is_resident || job.device.n_ahead < n_ahead);
        }
        ck_assert_int_eq(*job.device.why != '\0', !job.device.is_resident || job.n_passes > 1);
        has_streamed = has_streamed || (!job.device.is_resident && job.n_passes == 1);
        n_ahead = job.device.n_ahead;
        n_passes = job.n_passes;
        is_resident = job.device.is_resident;
        free_bytes -= free_bytes / 3;
    }
    ck_assert(has_streamed);
    ck_assert_uint_gt(n_passes, 1);
    ck_assert_msg(strstr(err.text, "--device: even one row of cells at a time needs ") != NULL, "%s", err.text);
    ck_assert_msg(strstr(err.text, "Device 0, and ") != NULL, "%s", err.text);
    ck_assert_int_eq(err.code, SST_ERR_USAGE);
    forget();
}
END_TEST

START_TEST(the_cpu_takes_over_where_devices_were_not_named)
{
    ck_assert_int_eq(settle("--approx cf --memory 32G", (struct machine){2, 1000, false}), SST_OK);
    ck_assert_uint_eq(job.device.devices.n, 0);
    ck_assert_uint_eq(job.device.n_ahead, 0);
    ck_assert_str_eq(job.device.why, "no device has enough memory");
    const uint64_t peak = job.peak_bytes;
    ck_assert_int_eq(settle("--approx cf --memory 32G", (struct machine){0, 0, false}), SST_OK);
    ck_assert_uint_eq(job.peak_bytes, peak);
    ck_assert_str_eq(job.device.why, "");
    forget();
}
END_TEST

/* Plans anew with a byte less than was planned. */
static void settle_with_less(void)
{
    const uint64_t most = job.peak_bytes;
    char line[128];
    (void)snprintf(line, sizeof line, "--approx cf --smooth 0 --memory %llu", (unsigned long long)(most - 1));
    ck_assert_int_eq(settle(line, (struct machine){1, 128 * GIB, true}), SST_OK);
    ck_assert_uint_lt(job.peak_bytes, most);
}

/* What devices copy out is page-locked on the host, and counts there. */
START_TEST(memory_of_the_host_bounds_groups)
{
    ck_assert_int_eq(settle("--approx cf --smooth 0 --memory 32G", (struct machine){1, 128 * GIB, true}), SST_OK);
    ck_assert(job.device.is_resident && job.keeps_slots);
    settle_with_less();
    ck_assert(job.device.is_resident &&
              !job.keeps_slots); /* slots wait on the disk before devices have to do with less */
    ck_assert_str_eq(job.device.why, "");
    for (int less = 0; less < 2; ++less) { /* first no slots are read ahead of a group, then groups are smaller */
        settle_with_less();
        ck_assert_int_eq(job.device.n_ahead < SST_DEVICE_MOST_AHEAD, less);
        ck_assert(!job.device.is_resident || less);
        ck_assert_str_eq(job.device.why, "more at a time would pass --memory on the host");
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

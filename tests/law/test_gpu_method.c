/*
 * The engine on devices, which the processor plays: the bits of the CPU's methods for every estimator, leap rule, size of groups
 * and number of devices, whether all days stay there or make room; late cells and days without a file included.
 */
#include <stdlib.h>
#include <string.h>

#include "backend/gpu_private.h"
#include "core/cells.h"
#include "engine_setup.h"
#include "stream/tiles.h"
#include "test_main.h"

static const struct made_up small_seas = {.n_rows = 9,
                                          .n_cols = 31,
                                          .first_land_row = 2,
                                          .n_land_rows = 3,
                                          .first_year = 2000,
                                          .last_year = 2004,
                                          .gaps_percent = 10,
                                          .bad_percent = 10,
                                          .missing_percent = 10,
                                          .has_ice = true,
                                          .has_late_cells = true,
                                          .n_most_held = 5,
                                          .seed = 1};

/* More sea than two stripes of places, so that two devices have some each. */
static const struct made_up large_seas = {.n_rows = 60,
                                          .n_cols = 200,
                                          .first_land_row = 2,
                                          .n_land_rows = 3,
                                          .first_year = 2001,
                                          .last_year = 2003,
                                          .gaps_percent = 10,
                                          .missing_percent = 10,
                                          .has_ice = true,
                                          .has_late_cells = true,
                                          .n_most_held = 5,
                                          .seed = 2};

/* Rows 2 to 4 are land. */
static const size_t probes[] = {0, 12, 13, 14, 25, 40, 52, 60, 170, 177};
enum { N_PROBES = sizeof probes / sizeof probes[0] };

static const struct engine_setup setups[] = {
    {SST_APPROX_NONE, SST_LEAP_HOBDAY, 5, 1, 340, 30, false, false, false, false, true},
    {SST_APPROX_NONE, SST_LEAP_OWN, 2, 31, 100, 140, false, false, true, false, false},
    {SST_APPROX_CF, SST_LEAP_HOBDAY, 5, 31, 40, 130, true, true, false, false, false},
    {SST_APPROX_CF, SST_LEAP_SKIP, 29, 1, 50, 130, true, false, true, false, false},
    {SST_APPROX_CF, SST_LEAP_OWN, 0, 5, 100, 130, false, true, false, false, false},
    {SST_APPROX_MAXENT, SST_LEAP_HOBDAY, 5, 5, 350, 70, true, true, true, false, false},
    {SST_APPROX_TAIL, SST_LEAP_HOBDAY, 5, 31, 40, 130, true, false, false, false, false},
    {SST_APPROX_TAIL, SST_LEAP_OWN, 1, 1, 110, 140, true, false, true, false, false},
    {SST_APPROX_TAIL, SST_LEAP_SKIP, 5, 5, 355, 15, false, false, false, false, true},
};
enum { N_SETUPS = sizeof setups / sizeof setups[0] };

struct way {
    size_t n_devices, n_ahead, rows;
    bool is_resident;
};
static const struct way ways[] = {{1, 1, 9, false},  {1, 7, 9, false},   {2, 1, 9, false}, {2, 3, 9, true},
                                  {1, 400, 9, true}, {2, 400, 9, false}, {2, 5, 4, false}, {1, 40, 1, true}};
enum { N_WAYS = sizeof ways / sizeof ways[0] };

static struct sst_gpu_devices played(size_t n)
{
    struct sst_gpu_devices devices = {.n = n};
    for (size_t i = 0; i < n; ++i) {
        struct sst_gpu_device *device = &devices.list[i];
        device->api = sst_gpu_api();
        device->index = device->number = (int)i;
        ck_assert_int_eq(device->api->info(device->index, &device->info), 0);
    }
    return devices;
}

struct taker {
    struct given given;
    size_t n_percentiles;
};

static enum sst_status put(void *user, const struct sst_slot_result *result, struct sst_error *err)
{
    (void)err;
    struct taker *taker = user;
    given_append_result(&taker->given, result, taker->n_percentiles);
    return SST_OK;
}

static struct given run(const struct made_up *like, const struct engine_setup *setup, const struct way *way,
                        struct sst_gpu_times *times)
{
    struct sst_error err = {0};
    struct made_up seas = *like;
    const struct sst_policy policy = engine_policy(setup);
    struct taker taker = {.n_percentiles = policy.n_percentiles};
    const struct sst_gpu_devices devices = played(way->n_devices);
    const struct sst_domain domain = made_up_domain(&seas);
    const struct sst_tiles tiles = {(domain.n_rows + way->rows - 1) / way->rows, way->rows};
    seas.is_milli = setup->is_milli;
    made_up_open(&seas);
    const struct sst_climatology_job job = {.policy = &policy,
                                            .backend = sst_backend_cpu(),
                                            .source = &seas.source,
                                            .n_cells = domain.n_cells,
                                            .probes = probes,
                                            .n_probes = setup->has_probes ? N_PROBES : 0,
                                            .wants_shape = setup->wants_shape,
                                            .devices = &devices,
                                            .n_ahead = way->n_ahead,
                                            .is_resident = way->is_resident,
                                            .device_times = times};
    const struct sst_slot_sink sink = {.user = &taker, .put = put};
    ck_assert_msg(sst_tiles_run(&job, &domain, tiles, test_scratch_dir(), &sink, &err) == SST_OK, "%s", err.text);
    made_up_close(&seas);
    return taker.given;
}

START_TEST(devices_give_the_bits_of_the_cpu)
{
    static const struct way cpu = {.rows = 9};
    const struct engine_setup *setup = &setups[_i];
    struct given want = run(&small_seas, setup, &cpu, NULL);
    ck_assert_uint_gt(want.n_bytes, 0);
    for (int w = 0; w < N_WAYS; ++w) {
        struct sst_gpu_times times = {0};
        struct given got = run(&small_seas, setup, &ways[w], &times);
        given_check_same(&got, &want, test_path("way %d", w));
        ck_assert(times.add > 0.0 && times.finish > 0.0);
        free(got.bytes);
    }
    free(want.bytes);
}
END_TEST

static const struct engine_setup large_setups[] = {
    {SST_APPROX_NONE, SST_LEAP_HOBDAY, 1, 1, 100, 106, false, false, true, false, false},
    {SST_APPROX_CF, SST_LEAP_HOBDAY, 1, 3, 100, 106, true, true, false, false, false},
    {SST_APPROX_TAIL, SST_LEAP_HOBDAY, 1, 1, 100, 106, true, false, true, false, false},
};
enum { N_LARGE_SETUPS = sizeof large_setups / sizeof large_setups[0] };

START_TEST(each_of_two_devices_has_places)
{
    static const struct way cpu = {.rows = 60}, devices[] = {{2, 3, 60, true}, {2, 4, 60, false}, {2, 2, 45, true}};
    const struct engine_setup *setup = &large_setups[_i];
    const size_t n_sea = (45 - large_seas.n_land_rows) * large_seas.n_cols; /* of the first 45 rows, which are a pass */
    ck_assert_uint_gt(n_sea, 2 * SST_GPU_STRIPE);
    struct given want = run(&large_seas, setup, &cpu, NULL);
    for (int w = 0; w < (int)(sizeof devices / sizeof devices[0]); ++w) {
        struct given got = run(&large_seas, setup, &devices[w], NULL);
        given_check_same(&got, &want, test_path("way %d", w));
        free(got.bytes);
    }
    free(want.bytes);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("gpu_method");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, devices_give_the_bits_of_the_cpu, 0, N_SETUPS);
    tcase_add_loop_test(tc, each_of_two_devices_has_places, 0, N_LARGE_SETUPS);
    suite_add_tcase(suite, tc);
    return suite;
}

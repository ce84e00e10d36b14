/*
 * A run on devices gives the CPU's bits, for one device and for several, in any order that streams and events allow.
 * ctest-labels: figures
 */
#include <string.h>

#include "backend/gpu_private.h"
#include "backend/gpu_selftest.h"
#include "gpu_double.h"
#include "gpu_scenario.h"
#include "test_main.h"

/* More than two stripes of places in the end, so that three devices have some each; and one stripe that is not full. */
enum { LARGE = 20011, SMALL = 1003 };

static const struct gpu_scenario kinds[] = {
    {.store = SST_GPU_MOMENTS, .fit = SST_FIT_CF, .lattice = SST_LATTICE_CENTI},
    {.store = SST_GPU_MOMENTS, .fit = SST_FIT_MAXENT, .lattice = SST_LATTICE_MILLI},
    {.store = SST_GPU_EXACT, .lattice = SST_LATTICE_CENTI},
    {.store = SST_GPU_EXACT, .lattice = SST_LATTICE_MILLI},
    {.store = SST_GPU_TAIL, .lattice = SST_LATTICE_CENTI},
    {.store = SST_GPU_TAIL, .lattice = SST_LATTICE_MILLI},
};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

static struct gpu_scenario_seen run(int kind, size_t n_devices, size_t n_domain, int n_groups, uint64_t order)
{
    const struct gpu_api *api = gpu_double(sst_gpu_api(), (struct gpu_double_plan){.seed = order});
    const struct sst_gpu_devices devices = gpu_double_devices(api, n_devices);
    struct gpu_scenario scenario = kinds[kind];
    struct gpu_scenario_seen seen;
    struct sst_error err = {0};
    scenario.devices = &devices;
    scenario.n_domain = n_domain;
    scenario.n_groups = n_groups;
    scenario.seed = 5 + (uint64_t)kind;
    ck_assert_msg(gpu_scenario_run(&scenario, &seen, &err) == SST_OK, "%s", err.text);
    ck_assert_int_eq(gpu_double_held(), 0);
    return seen;
}

START_TEST(one_two_and_three_devices_give_the_cpus_bits)
{
    const struct gpu_scenario_seen one = run(_i, 1, LARGE, 2, 0);
    ck_assert_uint_gt(one.n_results, 10);
    ck_assert_uint_gt(one.n_places, 2 * SST_GPU_STRIPE);
    for (size_t n_devices = 2; n_devices <= 3; ++n_devices)
        ck_assert(run(_i, n_devices, LARGE, 2, 0).digest == one.digest);
}
END_TEST

START_TEST(any_order_that_streams_allow_gives_the_same_bits)
{
    const struct gpu_scenario_seen at_once = run(_i, 1, SMALL, 6, 0);
    ck_assert_uint_gt(at_once.n_emptied_while_computed, 5);
    ck_assert_uint_gt(at_once.n_grown, 2);
    for (uint64_t order = 1; order <= 4; ++order)
        ck_assert(run(_i, 1 + order % 2, SMALL, 6, order).digest == at_once.digest);
}
END_TEST

START_TEST(any_order_gives_the_same_bits_where_each_device_has_places)
{
    const struct gpu_scenario_seen at_once = run(_i, 1, LARGE, 2, 0);
    ck_assert_uint_gt(at_once.n_places, 2 * SST_GPU_STRIPE);
    ck_assert(run(_i, 2, LARGE, 2, 5).digest == at_once.digest);
}
END_TEST

START_TEST(what_does_not_fit_is_refused_with_what_is_needed_and_free)
{
    const struct gpu_api *api = gpu_double(sst_gpu_api(), (struct gpu_double_plan){0});
    const struct sst_gpu_devices devices = gpu_double_devices(api, 2);
    const double z = 1.25;
    const struct sst_moments_fit fit = {SST_FIT_CF, 1, &z, NULL, NULL};
    struct sst_cells cells;
    struct sst_gpu *gpu = NULL;
    struct sst_error err = {0};
    ck_assert_int_eq(sst_cells_init(&cells, 1440 * 720, NULL), SST_OK);
    struct sst_gpu_setup setup = {.devices = &devices,
                                  .store = SST_GPU_MOMENTS,
                                  .cells = &cells,
                                  .n_most_places = sst_cells_most(cells.n_domain),
                                  .n_bins = 102,
                                  .n_terms = 11,
                                  .n_results = 1,
                                  .fit = &fit};
    const uint64_t sums = (uint64_t)102 * 1440 * 720 * 30;
    const struct sst_gpu_bytes one = sst_gpu_bytes(&setup, 1), two = sst_gpu_bytes(&setup, 2);
    ck_assert_uint_ge(one.device, sums);
    ck_assert_uint_lt(one.device, sums + sums / 10);
    ck_assert_uint_lt(two.device, one.device * 3 / 5);
    struct sst_gpu_setup huge = setup;
    huge.n_most_places = (size_t)1 << 33;
    ck_assert_uint_eq(sst_gpu_bytes(&huge, 1).device, UINT64_MAX);
    ck_assert_int_eq(sst_gpu_open(&huge, &gpu, &err), SST_ERR_DEVICE);
    ck_assert_ptr_nonnull(strstr(err.text, "cells are too many for a device. Use --bbox"));
    sst_error_clear(&err);
    ck_assert_int_eq(sst_gpu_open(&setup, &gpu, &err), SST_ERR_DEVICE);
    ck_assert_ptr_null(gpu);
    ck_assert_ptr_nonnull(strstr(err.text, "GB of its memory are needed"));
    ck_assert_ptr_nonnull(strstr(err.text, "1.0 GB of 1.0 GB are free"));
    ck_assert_int_eq(gpu_double_held(), 0);
    sst_cells_clear(&cells);
}
END_TEST

/* --- the self-test ------------------------------------------------------------------------------------------------ */

static const struct gpu_api *honest;

static int moments_add_wrong(const struct gpu_moments_add *args, void *stream)
{
    const int code = honest->moments_add(args, stream);
    args->store.s4[6] += 1;
    return code;
}

static int keep_wrong(const struct gpu_keep *args, void *stream)
{
    const int code = honest->keep(args, stream);
    args->planes[args->tasks[0].plane * (size_t)args->places.pitch + 6] ^= 1;
    return code;
}

static int tail_wrong(const struct gpu_tail *args, void *stream)
{
    const int code = honest->tail(args, stream);
    args->results.bound[2][args->places.pitch + 6] += 0.001;
    return code;
}

START_TEST(the_self_test_passes_launches_every_kernel_and_keeps_nothing)
{
    const struct gpu_api *api = gpu_double(sst_gpu_api(), (struct gpu_double_plan){.seed = 1});
    const struct sst_gpu_devices devices = gpu_double_devices(api, 2);
    struct sst_error err = {0};
    ck_assert_msg(sst_gpu_selftest(&devices, &err) == SST_OK, "%s", err.text);
    ck_assert(gpu_double_launched_all());
    ck_assert_int_eq(gpu_double_held(), 0);
}
END_TEST

START_TEST(the_self_test_tells_which_kernel_of_which_device_is_wrong)
{
    static const char *const expected[] = {"the window kernel (cf)", "the exact kernels", "the tail kernels"};
    honest = sst_gpu_api();
    struct gpu_api wrong = *honest;
    if (_i == 0)
        wrong.moments_add = moments_add_wrong;
    if (_i == 1)
        wrong.keep = keep_wrong;
    if (_i == 2)
        wrong.tail = tail_wrong;
    struct sst_gpu_devices devices = gpu_double_devices(gpu_double(honest, (struct gpu_double_plan){0}), 2);
    struct sst_error err = {0};
    devices.list[0].api = honest;
    devices.list[1].api = &wrong;
    ck_assert_int_eq(sst_gpu_selftest(&devices, &err), SST_ERR_DEVICE);
    ck_assert_ptr_eq(strstr(err.text, "self-test: device 1 (emulated 1): "), err.text);
    ck_assert_msg(strstr(err.text, expected[_i]) != NULL, "%s", err.text);
    ck_assert_ptr_nonnull(strstr(err.text, "Do not use it"));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("gpu_store");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, one_two_and_three_devices_give_the_cpus_bits, 0, N_KINDS);
    tcase_add_loop_test(tc, any_order_that_streams_allow_gives_the_same_bits, 0, N_KINDS);
    tcase_add_loop_test(tc, any_order_gives_the_same_bits_where_each_device_has_places, 0, N_KINDS);
    tcase_add_test(tc, what_does_not_fit_is_refused_with_what_is_needed_and_free);
    tcase_add_test(tc, the_self_test_passes_launches_every_kernel_and_keeps_nothing);
    tcase_add_loop_test(tc, the_self_test_tells_which_kernel_of_which_device_is_wrong, 0, 3);
    suite_add_tcase(suite, tc);
    return suite;
}

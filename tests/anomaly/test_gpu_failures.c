/* Each call of a device's runtime fails once: it is told with the device's name, nothing is kept, nothing goes on. */
#include <string.h>

#include "backend/gpu_selftest.h"
#include "gpu_double.h"
#include "gpu_scenario.h"
#include "test_main.h"

enum { N_DOMAIN = 203 };

static const enum sst_gpu_store stores[] = {SST_GPU_MOMENTS, SST_GPU_EXACT, SST_GPU_TAIL};

/* Returns the status of a run whose n-th call fails. */
static enum sst_status run(enum sst_gpu_store store, long failing_call, struct sst_error *err)
{
    const struct gpu_double_plan plan = {.seed = 3, .failing_call = failing_call};
    const struct gpu_api *api = gpu_double(sst_gpu_api(), plan);
    const struct sst_gpu_devices devices = gpu_double_devices(api, 2);
    const struct gpu_scenario scenario = {.devices = &devices,
                                          .store = store,
                                          .fit = SST_FIT_MAXENT,
                                          .lattice = SST_LATTICE_MILLI,
                                          .n_domain = N_DOMAIN,
                                          .n_groups = 1,
                                          .seed = 9};
    struct gpu_scenario_seen seen;
    const enum sst_status rc = gpu_scenario_run(&scenario, &seen, err);
    ck_assert_int_eq(gpu_double_held(), 0);
    return rc;
}

START_TEST(each_call_that_fails_is_told_and_leaves_nothing)
{
    struct sst_error err = {0};
    ck_assert_int_eq(run(stores[_i], 0, &err), SST_OK);
    const long n_calls = gpu_double_calls();
    ck_assert_int_gt(n_calls, 300);
    long n_told = 0;
    for (long call = 1; call <= n_calls; ++call) {
        sst_error_clear(&err);
        const enum sst_status rc = run(stores[_i], call, &err);
        if (rc == SST_OK)
            continue; /* of closing, and of times, which no result depends on */
        ck_assert_int_eq(rc, SST_ERR_DEVICE);
        ck_assert_ptr_eq(strstr(err.text, "device "), err.text);
        ck_assert_msg(strstr(err.text, "emulated ") && strstr(err.text, "planted (code 700)"), "%s", err.text);
        ++n_told;
    }
    ck_assert_int_gt(n_told, n_calls * 9 / 10);
}
END_TEST

START_TEST(a_self_test_that_fails_leaves_nothing)
{
    for (long call = 1; call < 2000; call += 37) {
        const struct gpu_api *api = gpu_double(sst_gpu_api(), (struct gpu_double_plan){.failing_call = call});
        const struct sst_gpu_devices devices = gpu_double_devices(api, 1);
        struct sst_error err = {0};
        const enum sst_status rc = sst_gpu_selftest(&devices, &err);
        ck_assert(rc == SST_OK || (rc == SST_ERR_DEVICE && strstr(err.text, "planted")));
        ck_assert_int_eq(gpu_double_held(), 0);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("gpu_failures");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, each_call_that_fails_is_told_and_leaves_nothing, 0,
                        (int)(sizeof stores / sizeof stores[0]));
    tcase_add_test(tc, a_self_test_that_fails_leaves_nothing);
    suite_add_tcase(suite, tc);
    return suite;
}

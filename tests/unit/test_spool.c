/* Slots that wait, in memory or on the disk, come back as they went, and leave nothing behind. */
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "test_main.h"
#include "write/spool.h"

enum { N_CELLS = 9000, N_PROBES = 3, N_PERCENTILES = 2, N_PLACES = 5 };

static struct sst_error err;

/* Some of the first block of cells, all of the second, none of the last. */
static bool is_land(size_t i) { return (i > 2000 && i < 3000) || (i >= 4096 && i < 8192); }

static double value(size_t field, size_t place, size_t i)
{
    return i == 2 || is_land(i) ? NAN : (double)(100 * field + 10 * place) + 0.1 * (double)i;
}

/* What is put at a place; static arrays, filled anew by each call. */
static struct sst_spool_in values_of(size_t place)
{
    static double mean[N_CELLS], quantile[N_PERCENTILES][N_CELLS], exact[N_PERCENTILES][N_PROBES];
    static const double *quantiles[N_PERCENTILES], *exacts[N_PERCENTILES];
    static float shape[3][N_CELLS];
    static uint16_t n_obs[N_CELLS], flags[N_CELLS];
    for (size_t i = 0; i < N_CELLS; ++i) {
        mean[i] = value(0, place, i);
        for (size_t q = 0; q < N_PERCENTILES; ++q)
            quantile[q][i] = value(1 + q, place, i);
        for (size_t s = 0; s < 3; ++s)
            shape[s][i] = (float)value(5 + s, place, i);
        n_obs[i] = is_land(i) ? 0 : (uint16_t)(300 + place + i);
        flags[i] = (uint16_t)(is_land(i) && i != 2500 ? 1U : 1U << ((place + i) % 15));
    }
    for (size_t q = 0; q < N_PERCENTILES; ++q) {
        for (size_t i = 0; i < N_PROBES; ++i)
            exact[q][i] = value(3 + q, place, i);
        quantiles[q] = quantile[q];
        exacts[q] = exact[q];
    }
    return (struct sst_spool_in){mean, quantiles, exacts, {shape[0], shape[1], shape[2]}, n_obs, flags};
}

static void check_rounded(const double *got, const double *expected, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const double wanted = (double)(float)expected[i];
        ck_assert_mem_eq(&got[i], &wanted, sizeof wanted);
    }
}

/* Arrays for what is got, each full of what was there before. */
static struct sst_spool_out room(void)
{
    static double mean[N_CELLS], quantile[N_PERCENTILES][N_CELLS], exact[N_PERCENTILES][N_PROBES];
    static double *quantiles[N_PERCENTILES] = {quantile[0], quantile[1]}, *exacts[N_PERCENTILES] = {exact[0], exact[1]};
    static float shape[3][N_CELLS];
    static uint16_t n_obs[N_CELLS], flags[N_CELLS];
    memset(mean, 1, sizeof mean);
    memset(quantile, 1, sizeof quantile);
    memset(exact, 1, sizeof exact);
    memset(shape, 1, sizeof shape);
    memset(n_obs, 1, sizeof n_obs);
    memset(flags, 1, sizeof flags);
    return (struct sst_spool_out){mean, quantiles, exacts, {shape[0], shape[1], shape[2]}, n_obs, flags};
}

static void check_place(struct sst_spool *spool, size_t place, bool has_shape)
{
    const struct sst_spool_out got = room();
    ck_assert_int_eq(sst_spool_get(spool, place, &got, &err), SST_OK);
    const struct sst_spool_in put = values_of(place);
    check_rounded(got.mean, put.mean, N_CELLS);
    for (size_t q = 0; q < N_PERCENTILES; ++q) {
        check_rounded(got.quantile[q], put.quantile[q], N_CELLS);
        check_rounded(got.probe_quantile[q], put.probe_quantile[q], N_PROBES);
    }
    if (has_shape) {
        ck_assert_mem_eq(got.shape.sd, put.shape.sd, N_CELLS * sizeof(float));
        ck_assert_mem_eq(got.shape.skew, put.shape.skew, N_CELLS * sizeof(float));
        ck_assert_mem_eq(got.shape.kurt, put.shape.kurt, N_CELLS * sizeof(float));
    }
    ck_assert_mem_eq(got.n_obs, put.n_obs, N_CELLS * sizeof(uint16_t));
    ck_assert_mem_eq(got.flags, put.flags, N_CELLS * sizeof(uint16_t));
}

static struct sst_spool_spec spec_in(const char *folder, bool has_shape, bool is_in_memory)
{
    return (struct sst_spool_spec){
        test_path("%s/clim.nc", folder), N_CELLS, N_PROBES, N_PERCENTILES, N_PLACES, has_shape, is_in_memory, N_CELLS};
}

/* A new folder of the scratch directory. */
static const char *fresh_folder(const char *name)
{
    const char *folder = test_path("%s/%s", test_scratch_dir(), name);
    ck_assert_int_eq(mkdir(folder, 0777), 0);
    return folder;
}

static size_t files_in(const char *folder)
{
    size_t n = 0;
    DIR *dir = opendir(folder);
    ck_assert_ptr_nonnull(dir);
    for (const struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
        n += entry->d_name[0] != '.';
    (void)closedir(dir);
    return n;
}

START_TEST(slots_come_back_in_any_order_and_no_file_is_seen)
{
    const bool has_shape = _i & 1, is_in_memory = _i & 2;
    const char *folder = is_in_memory ? "absent" : fresh_folder(has_shape ? "with" : "without");
    const struct sst_spool_spec spec = spec_in(folder, has_shape, is_in_memory);
    static const size_t order[N_PLACES] = {3, 4, 0, 1, 2};
    struct sst_spool *spool = NULL;
    ck_assert_int_eq(sst_spool_create(&spec, &spool, &err), SST_OK);
    for (size_t i = 0; i < N_PLACES; ++i) {
        const struct sst_spool_in values = values_of(order[i]);
        ck_assert_int_eq(sst_spool_put(spool, order[i], &values, &err), SST_OK);
    }
    if (!is_in_memory)
        ck_assert_uint_eq(files_in(folder), 0);
    for (size_t place = 0; place < N_PLACES; ++place)
        check_place(spool, place, has_shape);
    check_place(spool, 1, has_shape);
    sst_spool_destroy(&spool);
    ck_assert_ptr_null(spool);
}
END_TEST

START_TEST(a_place_that_was_never_put_is_an_error)
{
    const struct sst_spool_spec spec = spec_in(fresh_folder("hole"), true, false);
    struct sst_spool *spool = NULL;
    const struct sst_spool_out got = room();
    ck_assert_int_eq(sst_spool_create(&spec, &spool, &err), SST_OK);
    const struct sst_spool_in values = values_of(1);
    ck_assert_int_eq(sst_spool_put(spool, N_PLACES, &values, &err), SST_ERR_INTERNAL);
    ck_assert_int_eq(sst_spool_put(spool, 1, &values, &err), SST_OK);
    ck_assert_int_eq(sst_spool_put(spool, 1, &values, &err), SST_ERR_INTERNAL);
    ck_assert_int_eq(sst_spool_get(spool, 0, &got, &err), SST_ERR_INTERNAL);
    ck_assert_int_eq(sst_spool_get(spool, N_PLACES, &got, &err), SST_ERR_INTERNAL);
    sst_spool_destroy(&spool);
}
END_TEST

START_TEST(a_full_disk_is_told_with_the_space_that_is_needed)
{
    const struct sst_spool_spec spec = spec_in(fresh_folder("full"), true, false);
    struct sst_spool *spool = NULL;
    (void)signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(sst_spool_create(&spec, &spool, &err), SST_OK);
    struct rlimit before;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit limit = {64, before.rlim_max}; /* bytes of a file: less than a record */
    const struct sst_spool_in values = values_of(0);
    (void)setrlimit(RLIMIT_FSIZE, &limit);
    const enum sst_status rc = sst_spool_put(spool, 0, &values, &err);
    (void)setrlimit(RLIMIT_FSIZE, &before); /* Check writes files of its own */
    ck_assert_int_eq(rc, SST_ERR_OUTPUT);
    ck_assert_msg(strstr(err.text, "clim.nc: the scratch file beside it") != NULL, "%s", err.text);
    ck_assert_ptr_nonnull(strstr(err.text, "cannot be written"));
    sst_spool_destroy(&spool);
}
END_TEST

START_TEST(a_folder_that_is_not_there_is_told)
{
    const struct sst_spool_spec spec = spec_in(test_path("%s/absent", test_scratch_dir()), true, false);
    struct sst_spool *spool = NULL;
    ck_assert_int_eq(sst_spool_create(&spec, &spool, &err), SST_ERR_OUTPUT);
    ck_assert_ptr_null(spool);
}
END_TEST

START_TEST(the_space_it_takes_is_known_before)
{
    const struct sst_spool_spec with = {"x", 1000, 100, 1, 366, true, false, 900},
                                without = {"x", 1000, 100, 1, 366, false, false, 900},
                                held = {"x", 1000, 100, 1, 366, true, true, 900};
    const uint64_t head = 16 * 8 + 8 + 100 * 4; /* marks, flags, probes */
    ck_assert_uint_eq(sst_spool_disk_bytes(&with), 366 * (head + 1000 * (5 * 4 + 2 * 2)));
    ck_assert_uint_eq(sst_spool_disk_bytes(&without), 366 * (head + 1000 * (2 * 4 + 2 * 2)));
    ck_assert_uint_eq(sst_spool_disk_bytes(&held), 0);
    ck_assert_uint_eq(sst_spool_memory_bytes(&held) - sst_spool_memory_bytes(&with), 365 * (head + 900 * 24));
}
END_TEST

static void forget_errors(void) { err = (struct sst_error){0}; }

Suite *test_suite(void)
{
    Suite *suite = suite_create("spool");
    TCase *tc = tcase_create("all");
    tcase_add_checked_fixture(tc, forget_errors, NULL);
    tcase_add_loop_test(tc, slots_come_back_in_any_order_and_no_file_is_seen, 0, 4);
    tcase_add_test(tc, a_place_that_was_never_put_is_an_error);
    tcase_add_test(tc, a_full_disk_is_told_with_the_space_that_is_needed);
    tcase_add_test(tc, a_folder_that_is_not_there_is_told);
    tcase_add_test(tc, the_space_it_takes_is_known_before);
    suite_add_tcase(suite, tc);
    return suite;
}

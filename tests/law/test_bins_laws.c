/*
 * Bins are an algebra: any order, any number of threads, add and take away, all to the bit.
 * ctest-labels: threads
 */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "all_cells.h"
#include "random.h"
#include "stream/bins.h"
#include "test_main.h"

enum { N_CELLS = 10007, N_DAYS = 60 };

static int16_t *fields[N_DAYS];
static struct sst_cells cells;

static void make_fields(void)
{
    cells = all_cells(N_CELLS);
    struct test_random random = {2026};
    for (int day = 0; day < N_DAYS; ++day) {
        fields[day] = malloc(N_CELLS * sizeof *fields[day]);
        for (int cell = 0; cell < N_CELLS; ++cell)
            fields[day][cell] =
                test_random_below(&random, 9) == 0
                    ? SST_CODE_MISSING
                    : (int16_t)(test_random_below(&random, 2 * SST_MAX_HUNDREDTHS + 1) - SST_MAX_HUNDREDTHS);
    }
}

static void free_fields(void)
{
    sst_cells_clear(&cells);
    for (int day = 0; day < N_DAYS; ++day)
        free(fields[day]);
}

static struct sst_bin new_bin(void)
{
    struct sst_bin bin;
    ck_assert_int_eq(sst_bin_init(&bin, sst_estimator_moments(), N_CELLS, NULL), SST_OK);
    return bin;
}

static void add_days(struct sst_bin *bin, const int *order, int first, int last)
{
    for (int i = first; i < last;) {
        const int16_t *batch[SST_MAX_BATCH];
        size_t n = 0;
        while (n < 1 + (size_t)first % SST_MAX_BATCH && i < last) {
            batch[n++] = fields[order ? order[i] : i];
            ++i;
        }
        sst_backend_cpu()->moments_add_fields(sst_bin_moments(bin), &cells, batch, n);
    }
}

static bool bins_equal(const struct sst_bin *a, const struct sst_bin *b)
{
    for (size_t plane = 0; plane < a->estimator->n_planes; ++plane)
        if (memcmp(a->planes[plane], b->planes[plane],
                   N_CELLS * sst_plane_type_size(a->estimator->planes[plane].type)) != 0)
            return false;
    return true;
}

START_TEST(any_order_and_number_of_threads_gives_the_same_bytes)
{
    struct sst_bin whole = new_bin();
    omp_set_num_threads(1);
    add_days(&whole, NULL, 0, N_DAYS);
    struct test_random random = {(uint64_t)_i};
    int order[N_DAYS];
    for (int i = 0; i < N_DAYS; ++i)
        order[i] = i;
    for (int i = N_DAYS - 1; i > 0; --i) {
        const int j = test_random_below(&random, i + 1), keep = order[i];
        order[i] = order[j];
        order[j] = keep;
    }
    omp_set_num_threads(_i % 2 ? 4 : 1);
    struct sst_bin shuffled = new_bin();
    add_days(&shuffled, order, 0, N_DAYS);
    ck_assert(bins_equal(&whole, &shuffled));
    sst_bin_clear(&whole);
    sst_bin_clear(&shuffled);
}
END_TEST

START_TEST(parts_split_anywhere_add_up_to_the_whole)
{
    struct sst_bin whole = new_bin();
    add_days(&whole, NULL, 0, N_DAYS);
    for (int cut = 0; cut <= N_DAYS; cut += 7) {
        struct sst_bin left = new_bin(), right = new_bin(), other = new_bin();
        add_days(&left, NULL, 0, cut);
        add_days(&right, NULL, cut, N_DAYS);
        sst_bin_add(sst_backend_cpu(), &other, &right); /* identity, then the other way round */
        sst_bin_add(sst_backend_cpu(), &other, &left);
        sst_bin_add(sst_backend_cpu(), &left, &right);
        ck_assert(bins_equal(&left, &whole));
        ck_assert(bins_equal(&other, &whole));
        sst_bin_clear(&left);
        sst_bin_clear(&right);
        sst_bin_clear(&other);
    }
    sst_bin_clear(&whole);
}
END_TEST

START_TEST(a_window_that_moves_for_ever_never_drifts)
{
    struct sst_bin days[N_DAYS], window = new_bin(), fresh = new_bin();
    for (int day = 0; day < N_DAYS; ++day) {
        days[day] = new_bin();
        add_days(&days[day], NULL, day, day + 1);
    }
    for (int day = 0; day < 11; ++day)
        sst_bin_add(sst_backend_cpu(), &window, &days[day]);
    memcpy(fresh.planes[0], window.planes[0], N_CELLS * sizeof(uint16_t));
    for (size_t plane = 1; plane < 5; ++plane)
        memcpy(fresh.planes[plane], window.planes[plane],
               N_CELLS * sst_plane_type_size(window.estimator->planes[plane].type));
    for (int step = 0; step < 3 * N_DAYS; ++step) {
        sst_bin_subtract(sst_backend_cpu(), &window, &days[step % N_DAYS]);
        sst_bin_add(sst_backend_cpu(), &window, &days[(step + 11) % N_DAYS]);
    }
    ck_assert(bins_equal(&window, &fresh));
    for (int day = 0; day < N_DAYS; ++day)
        sst_bin_clear(&days[day]);
    sst_bin_clear(&window);
    sst_bin_clear(&fresh);
}
END_TEST

START_TEST(missing_values_leave_every_plane_as_it_was)
{
    int16_t *nothing = malloc(N_CELLS * sizeof *nothing);
    for (int cell = 0; cell < N_CELLS; ++cell)
        nothing[cell] = SST_CODE_MISSING;
    struct sst_bin one = new_bin(), other = new_bin();
    add_days(&one, NULL, 0, 3);
    add_days(&other, NULL, 0, 3);
    const int16_t *const batch[] = {nothing};
    sst_backend_cpu()->moments_add_fields(sst_bin_moments(&other), &cells, batch, 1);
    ck_assert(bins_equal(&one, &other));
    free(nothing);
    sst_bin_clear(&one);
    sst_bin_clear(&other);
}
END_TEST

START_TEST(a_planted_fault_is_seen)
{
    struct sst_bin one = new_bin(), other = new_bin();
    add_days(&one, NULL, 0, 3);
    add_days(&other, NULL, 0, 3);
    ((int64_t *)other.planes[SST_MOMENTS_S3])[N_CELLS - 1] ^= 1;
    ck_assert(!bins_equal(&one, &other));
    sst_bin_clear(&one);
    sst_bin_clear(&other);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("bins_laws");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, make_fields, free_fields);
    tcase_add_loop_test(tc, any_order_and_number_of_threads_gives_the_same_bytes, 0, 8);
    tcase_add_test(tc, parts_split_anywhere_add_up_to_the_whole);
    tcase_add_test(tc, a_window_that_moves_for_ever_never_drifts);
    tcase_add_test(tc, missing_values_leave_every_plane_as_it_was);
    tcase_add_test(tc, a_planted_fault_is_seen);
    suite_add_tcase(suite, tc);
    return suite;
}

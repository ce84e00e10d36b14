/*
 * Lists are an algebra without inverse: any order of fields, any split and merge, any number of threads give the same bytes.
 * ctest-labels: threads figures
 */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "all_cells.h"
#include "random.h"
#include "stream/bins.h"
#include "test_main.h"

enum { N_CELLS = 32779, N_DAYS = 16 }; /* cells enough for loops to be shared among threads */

static int16_t *fields[N_DAYS];
static struct sst_cells cells;
static struct sst_tail_estimator tail;

static void make_fields(void)
{
    cells = all_cells(N_CELLS);
    struct test_random random = {2027};
    for (int day = 0; day < N_DAYS; ++day) {
        fields[day] = malloc(N_CELLS * sizeof *fields[day]);
        for (int cell = 0; cell < N_CELLS; ++cell)
            fields[day][cell] =
                cell % 5 == 0 || test_random_below(&random, 9) == 0
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
    ck_assert_int_eq(sst_bin_init(&bin, &tail.estimator, N_CELLS, NULL), SST_OK);
    return bin;
}

static void add_days(struct sst_bin *bin, const int *order, int first, int last)
{
    for (int i = first; i < last; ++i) {
        int16_t *codes = fields[order ? order[i] : i];
        const struct sst_field field = {N_CELLS, codes, codes, NULL, false, NULL};
        const struct sst_field *const batch[] = {&field};
        sst_backend_cpu()->tail_add_fields(sst_bin_tail(bin), &cells, batch, 1);
    }
}

static bool bins_equal(const struct sst_bin *a, const struct sst_bin *b)
{
    for (size_t i = 0; i < a->estimator->n_planes; ++i) {
        const struct sst_plane *plane = &a->estimator->planes[i];
        if (memcmp(a->planes[i], b->planes[i], N_CELLS * plane->count * sst_plane_type_size(plane->type)) != 0)
            return false;
    }
    return true;
}

static const struct sst_tail_k lengths[] = {{1, 1}, {6, 3}, {16, 16}, {16, 0}, {0, 5}, {N_DAYS, N_DAYS}};
enum { N_LENGTHS = 6 };

START_TEST(any_order_and_number_of_threads_gives_the_same_bytes)
{
    sst_tail_estimator_init(&tail, lengths[_i]);
    struct sst_bin whole = new_bin(), shuffled = new_bin();
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
    omp_set_num_threads(4);
    add_days(&shuffled, order, 0, N_DAYS);
    ck_assert(bins_equal(&whole, &shuffled));
    sst_bin_clear(&whole);
    sst_bin_clear(&shuffled);
}
END_TEST

START_TEST(parts_split_anywhere_join_to_the_whole)
{
    sst_tail_estimator_init(&tail, lengths[_i]);
    struct sst_bin whole = new_bin();
    add_days(&whole, NULL, 0, N_DAYS);
    for (int cut = 0; cut <= N_DAYS; cut += 8) {
        omp_set_num_threads(cut % 30 ? 1 : 4);
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

static int compare_codes(const void *a, const void *b) { return *(const int16_t *)b - *(const int16_t *)a; }

START_TEST(a_list_is_the_end_of_the_sorted_values)
{
    sst_tail_estimator_init(&tail, lengths[_i]);
    struct sst_bin bin = new_bin();
    const struct sst_tail_view view = sst_bin_tail(&bin);
    add_days(&bin, NULL, 0, N_DAYS);
    for (size_t cell = 0; cell < N_CELLS; ++cell) {
        int16_t up[N_DAYS], down[N_DAYS];
        int n = 0;
        for (int day = 0; day < N_DAYS; ++day) {
            up[day] = fields[day][cell];
            down[day] = (int16_t)(up[day] == SST_CODE_MISSING ? SST_CODE_MISSING : -up[day]);
            n += up[day] != SST_CODE_MISSING;
        }
        qsort(up, N_DAYS, sizeof *up, compare_codes);
        qsort(down, N_DAYS, sizeof *down, compare_codes);
        ck_assert_int_eq(view.n[cell], n);
        for (size_t r = 0; r < view.k_top; ++r)
            ck_assert_int_eq(view.top[r * N_CELLS + cell], up[r]);
        for (size_t r = 0; r < view.k_bottom; ++r)
            ck_assert_int_eq(view.bottom[r * N_CELLS + cell], down[r]);
    }
    sst_bin_clear(&bin);
}
END_TEST

START_TEST(a_planted_fault_is_seen)
{
    sst_tail_estimator_init(&tail, lengths[1]);
    struct sst_bin one = new_bin(), other = new_bin();
    add_days(&one, NULL, 0, N_DAYS);
    add_days(&other, NULL, 0, N_DAYS - 1); /* a day is lost */
    ck_assert(!bins_equal(&one, &other));
    sst_bin_clear(&one);
    sst_bin_clear(&other);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("tail_laws");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, make_fields, free_fields);
    tcase_add_loop_test(tc, any_order_and_number_of_threads_gives_the_same_bytes, 0, N_LENGTHS);
    tcase_add_loop_test(tc, parts_split_anywhere_join_to_the_whole, 0, N_LENGTHS);
    tcase_add_loop_test(tc, a_list_is_the_end_of_the_sorted_values, 0, N_LENGTHS);
    tcase_add_test(tc, a_planted_fault_is_seen);
    suite_add_tcase(suite, tc);
    return suite;
}

/* What the engine tells beside its values: the shape of each slot's own pool, and each day's field once. */
#include <math.h>
#include <stdlib.h>

#include "plain_climatology.h"
#include "test_main.h"

/* Float32 of moments from exact integer sums, against two passes in long double. */
static const double TOLERANCE = 1e-6;

static const struct plain_setup setups[] = {
    {SST_LEAP_HOBDAY, 5, 31, 2000, 2004, true, 20, 1, 366, SST_APPROX_CF},
    {SST_LEAP_HOBDAY, 29, 1, 2000, 2003, true, 10, 1, 366, SST_APPROX_MAXENT},
    {SST_LEAP_SKIP, 5, 1, 2001, 2004, false, 60, 1, 366, SST_APPROX_CF},
    {SST_LEAP_OWN, 1, 5, 2000, 2004, true, 80, 1, 366, SST_APPROX_CF},
    {SST_LEAP_SKIP, 5, 1, 2000, 2004, true, 3, 50, 60, SST_APPROX_MAXENT},
    {SST_LEAP_HOBDAY, 5, 31, 2000, 2004, true, 3, 336, 60, SST_APPROX_CF},
};

enum { N_SETUPS = sizeof setups / sizeof setups[0] };

struct plain_shape {
    double sd, skew, kurt;
};

static struct plain_shape two_pass(const int *x, int n)
{
    long double mean = 0, m2 = 0, m3 = 0, m4 = 0;
    if (n == 0)
        return (struct plain_shape){NAN, NAN, NAN};
    for (int i = 0; i < n; ++i)
        mean += (long double)x[i] / n;
    for (int i = 0; i < n; ++i) {
        const long double d = x[i] - mean;
        m2 += d * d / n;
        m3 += d * d * d / n;
        m4 += d * d * d * d / n;
    }
    if (m2 < 1e-12L) /* values are whole numbers: all are equal */
        return (struct plain_shape){0, 0, 0};
    return (struct plain_shape){(double)(sqrtl(m2) / 100), (double)(m3 / (m2 * sqrtl(m2))),
                                (double)(m4 / (m2 * m2) - 3)};
}

static struct plain_shape plain_of(const struct plain_setup *setup, const struct plain_archive *archive, int slot,
                                   int cell)
{
    int pool[2048];
    if (slot == 60 && setup->leap != SST_LEAP_OWN) {
        const struct plain_shape a = plain_of(setup, archive, 59, cell), b = plain_of(setup, archive, 61, cell);
        return (struct plain_shape){(a.sd + b.sd) / 2, (a.skew + b.skew) / 2, (a.kurt + b.kurt) / 2};
    }
    const int n = plain_gather(setup, archive, slot, cell, pool);
    return two_pass(pool, n);
}

static bool is_near(float got, double want)
{
    return isnan(want) ? isnan(got) : fabs((double)got - want) <= TOLERANCE * (1 + fabs(want));
}

static int count_wrong(const struct plain_setup *setup, const struct plain_archive *archive,
                       const struct plain_values *got)
{
    int n = 0;
    for (int slot = 1; slot <= 366; ++slot) {
        for (int cell = 0; got->is_there[slot] && cell < PLAIN_N_CELLS; ++cell) {
            const struct plain_shape want = plain_of(setup, archive, slot, cell);
            n += !got->has_shape[slot] || !is_near(got->sd[slot][cell], want.sd) ||
                 !is_near(got->skew[slot][cell], want.skew) || !is_near(got->kurt[slot][cell], want.kurt);
        }
    }
    return n;
}

START_TEST(shapes_are_two_passes_over_the_slots_own_pool)
{
    struct plain_archive *archive = plain_archive_make(&setups[_i], (uint64_t)_i + 40);
    struct plain_values *got = calloc(1, sizeof *got);
    got->wants_shape = true;
    plain_run_engine(&setups[_i], 0, plain_archive_write(archive), got);
    ck_assert_int_eq(count_wrong(&setups[_i], archive, got), 0);
    ck_assert(got->is_there[60]);
    ck_assert(isnan(got->sd[60][5])); /* the cell without a value */
    archive->code[400][0] = (int16_t)(archive->code[400][0] + 40); /* a planted fault: one value of one cell */
    archive->is_present[400] = true;
    struct plain_setup whole = setups[_i];
    if (whole.first_slot == 1)
        ck_assert_int_gt(count_wrong(&whole, archive, got), 0);
    free(got);
    free(archive);
}
END_TEST

START_TEST(shapes_change_nothing_else_and_are_absent_where_no_one_wants_them)
{
    struct plain_archive *archive = plain_archive_make(&setups[_i], 9);
    const char *path = plain_archive_write(archive);
    struct plain_values *with = calloc(1, sizeof *with), *without = calloc(1, sizeof *without);
    with->wants_shape = true;
    plain_run_engine(&setups[_i], 0, path, with);
    plain_run_engine(&setups[_i], 0, path, without);
    ck_assert_mem_eq(with, without, offsetof(struct plain_values, wants_shape));
    for (int slot = 1; slot <= 366; ++slot)
        ck_assert(!without->has_shape[slot] && with->has_shape[slot] == with->is_there[slot]);
    free(with);
    free(without);
    free(archive);
}
END_TEST

START_TEST(methods_without_moments_have_no_shape)
{
    struct plain_setup setup = setups[0];
    setup.approx = _i ? SST_APPROX_TAIL : SST_APPROX_NONE;
    struct plain_archive *archive = plain_archive_make(&setup, 9);
    struct plain_values *got = calloc(1, sizeof *got);
    got->wants_shape = true;
    plain_run_engine(&setup, 0, plain_archive_write(archive), got);
    ck_assert(got->is_there[1]);
    for (int slot = 1; slot <= 366; ++slot)
        ck_assert(!got->has_shape[slot]);
    free(got);
    free(archive);
}
END_TEST

/* Whether a day may be in some pool of the setup: within the baseline, or as far beside it as a window reaches. */
static bool can_matter(const struct plain_setup *setup, int serial)
{
    const int reach = setup->leap == SST_LEAP_HOBDAY ? setup->half : 0;
    return serial >= plain_serial_of(setup->y0, 1) - reach && serial <= plain_serial_of(setup->y1, 366) + reach;
}

START_TEST(each_day_that_enters_is_seen_once_with_its_values)
{
    const struct plain_setup *setup = &setups[_i];
    struct plain_archive *archive = plain_archive_make(setup, 77);
    struct plain_values *got = calloc(1, sizeof *got);
    plain_run_engine(setup, 0, plain_archive_write(archive), got);
    int n_seen = 0;
    const bool is_whole = setup->first_slot == 1 && setup->last_slot == 366;
    for (int year = setup->y0 - 1; year <= setup->y1 + 1; ++year) {
        for (int slot = 1; slot <= 366; ++slot) {
            const int n = got->n_seen[year - got->first_year][slot], serial = plain_serial_of(year, slot);
            const int day = serial - archive->first_serial;
            const bool is_there = plain_has_day(year, slot) && day >= 0 && day < archive->n_days &&
                                  archive->is_present[day] && can_matter(setup, serial) &&
                                  (slot != 60 || setup->leap != SST_LEAP_SKIP);
            ck_assert_int_le(n, is_there);
            if (is_whole)
                ck_assert_int_eq(n, is_there);
            if (n > 0)
                ck_assert_mem_eq(got->seen[year - got->first_year][slot], archive->code[day], sizeof got->seen[0][0]);
            n_seen += n;
        }
    }
    ck_assert_int_gt(n_seen, 50);
    free(got);
    free(archive);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("shape_and_days");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, shapes_are_two_passes_over_the_slots_own_pool, 0, N_SETUPS);
    tcase_add_loop_test(tc, shapes_change_nothing_else_and_are_absent_where_no_one_wants_them, 0, 2);
    tcase_add_loop_test(tc, methods_without_moments_have_no_shape, 0, 2);
    tcase_add_loop_test(tc, each_day_that_enters_is_seen_once_with_its_values, 0, N_SETUPS);
    suite_add_tcase(suite, tc);
    return suite;
}

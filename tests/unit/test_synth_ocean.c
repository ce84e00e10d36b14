/*
 * The synthetic ocean is what synth_ocean.h says: the same for a seed, and hard where it should be.
 * ctest-labels: figures
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/synth_ocean.h"
#include "core/calendar.h"
#include "core/mem.h"
#include "test_main.h"

enum { N_LON = 72, N_LAT = 36, N_CELLS = N_LON * N_LAT, SEED = 1, FIRST_YEAR = 1991, N_YEARS = 30, N_WINDOW = 11 };
static const struct sst_synth_grid GRID = {N_LON, N_LAT, -90.0, 90.0};

static int64_t day_number(int year, int month, int day)
{
    const int slot = sst_calendar_slot(SST_CALENDAR_STANDARD, month, day);
    return sst_calendar_days_since_1970(SST_CALENDAR_STANDARD, (struct sst_day){year, slot});
}

static struct sst_synth_ocean *make_ocean(const struct sst_synth_grid *grid, uint64_t seed)
{
    struct sst_error err = {0};
    struct sst_synth_ocean *ocean = NULL;
    ck_assert_int_eq(sst_synth_ocean_create(grid, seed, &ocean, &err), SST_OK);
    return ocean;
}

START_TEST(a_day_is_the_same_whatever_was_made_before)
{
    struct sst_synth_ocean *one = make_ocean(&GRID, SEED), *other = make_ocean(&GRID, SEED);
    (void)sst_synth_ocean_day(one, day_number(2010, 3, 1));
    const struct sst_synth_fields *a = sst_synth_ocean_day(one, day_number(1999, 7, 4));
    const struct sst_synth_fields *b = sst_synth_ocean_day(other, day_number(1999, 7, 4));
    ck_assert_mem_eq(a->sst, b->sst, N_CELLS * sizeof *a->sst);
    ck_assert_mem_eq(a->anom, b->anom, N_CELLS * sizeof *a->anom);
    ck_assert_mem_eq(a->err, b->err, N_CELLS * sizeof *a->err);
    ck_assert_mem_eq(a->ice, b->ice, N_CELLS * sizeof *a->ice);
    sst_synth_ocean_destroy(&one);
    sst_synth_ocean_destroy(&other);
}
END_TEST

/* FNV-1a; a changed number here is a changed archive, and belongs into the change log. */
static uint64_t digest(const int16_t *values)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (size_t cell = 0; cell < N_CELLS; ++cell)
        hash = (hash ^ (uint16_t)values[cell]) * UINT64_C(0x100000001B3);
    return hash;
}

START_TEST(values_are_those_of_every_machine)
{
    struct sst_synth_ocean *ocean = make_ocean(&GRID, SEED);
    const struct sst_synth_fields *day = sst_synth_ocean_day(ocean, day_number(2000, 2, 29));
    ck_assert_uint_eq(digest(day->sst), UINT64_C(5273610677049535277));
    sst_synth_ocean_destroy(&ocean);
}
END_TEST

START_TEST(another_seed_is_another_planet)
{
    struct sst_synth_ocean *one = make_ocean(&GRID, 1), *other = make_ocean(&GRID, 2);
    const int16_t *a = sst_synth_ocean_day(one, 0)->sst, *b = sst_synth_ocean_day(other, 0)->sst;
    size_t n_equal = 0, n_other_land = 0;
    for (size_t cell = 0; cell < N_CELLS; ++cell) {
        const bool is_wet = a[cell] != SST_SYNTH_FILL && b[cell] != SST_SYNTH_FILL && a[cell] > -180;
        n_equal += is_wet && a[cell] == b[cell];
        n_other_land += (a[cell] == SST_SYNTH_FILL) != (b[cell] == SST_SYNTH_FILL);
    }
    ck_assert_uint_lt(n_equal, N_CELLS / 50);
    ck_assert_uint_gt(n_other_land, N_CELLS / 10);
    sst_synth_ocean_destroy(&one);
    sst_synth_ocean_destroy(&other);
}
END_TEST

START_TEST(a_third_of_the_cells_is_land_for_any_seed_and_grid)
{
    const struct sst_synth_grid fine = {360, 180, -90.0, 90.0};
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        struct sst_synth_ocean *ocean = make_ocean(seed % 2 ? &fine : &GRID, seed);
        const struct sst_synth_grid *grid = sst_synth_ocean_grid(ocean);
        const uint8_t *regions = sst_synth_ocean_regions(ocean);
        const int16_t *sst = sst_synth_ocean_day(ocean, 0)->sst;
        size_t n_land = 0;
        for (size_t cell = 0; cell < grid->n_lon * grid->n_lat; ++cell) {
            n_land += regions[cell] == SST_SYNTH_LAND;
            ck_assert_int_eq(regions[cell] == SST_SYNTH_LAND, sst[cell] == SST_SYNTH_FILL);
        }
        const double share = (double)n_land / (double)(grid->n_lon * grid->n_lat);
        ck_assert_double_gt(share, 0.30);
        ck_assert_double_lt(share, 0.37);
        sst_synth_ocean_destroy(&ocean);
    }
}
END_TEST

START_TEST(every_region_has_cells_where_the_header_puts_it)
{
    struct sst_synth_ocean *ocean = make_ocean(&GRID, SEED);
    size_t n_cells[SST_SYNTH_N_REGIONS] = {0};
    for (size_t cell = 0; cell < N_CELLS; ++cell) {
        const int region = sst_synth_ocean_regions(ocean)[cell];
        const double lat = sst_synth_grid_lat(&GRID, cell / N_LON), lon = sst_synth_grid_lon(&GRID, cell % N_LON);
        ck_assert_int_lt(region, SST_SYNTH_N_REGIONS);
        ++n_cells[region];
        if (region == SST_SYNTH_UPWELLING)
            ck_assert(lat > -28.0 && lat < -6.0 && lon > 276.0 && lon < 288.0);
        if (region == SST_SYNTH_FRONT)
            ck_assert(lat > 34.0 && lat < 46.0 && lon > 146.0 && lon < 178.0);
        if (region == SST_SYNTH_ENSO)
            ck_assert(fabs(lat) < 8.0 && lon > 190.0 && lon < 270.0);
    }
    for (int region = 0; region < SST_SYNTH_N_REGIONS; ++region)
        ck_assert_msg(n_cells[region] > 5, "%s: %zu cells", sst_synth_region_name((enum sst_synth_region)region),
                      n_cells[region]);
    sst_synth_ocean_destroy(&ocean);
}
END_TEST

START_TEST(ice_stands_only_in_cold_water_and_values_stay_in_range)
{
    struct sst_synth_ocean *ocean = make_ocean(&GRID, SEED);
    size_t n_ice = 0, n_frozen = 0, n_days = 0;
    for (int64_t day = day_number(1991, 1, 1); day < day_number(2020, 12, 31); day += 73, ++n_days) {
        const struct sst_synth_fields *fields = sst_synth_ocean_day(ocean, day);
        for (size_t cell = 0; cell < N_CELLS; ++cell) {
            const int sst = fields->sst[cell], ice = fields->ice[cell], error = fields->err[cell];
            if (sst == SST_SYNTH_FILL) {
                ck_assert_int_eq(ice, SST_SYNTH_FILL);
                ck_assert_int_eq(error, SST_SYNTH_FILL);
                ck_assert_int_eq(fields->anom[cell], SST_SYNTH_FILL);
                continue;
            }
            ck_assert_int_ge(sst, -180);
            ck_assert_int_le(sst, 3600);
            ck_assert(error >= 5 && error <= 300);
            ck_assert_int_le(abs(fields->anom[cell]), 1500);
            ck_assert(ice == SST_SYNTH_FILL || (ice >= 15 && ice <= 100));
            ck_assert_msg(ice == SST_SYNTH_FILL || sst <= -139, "ice %d in water of %d", ice, sst);
            ck_assert_msg(sst > -180 || ice >= 30, "open water at freezing: ice %d", ice);
            n_ice += ice != SST_SYNTH_FILL;
            n_frozen += sst == -180;
        }
    }
    /* OISST's granule of 1 January 2005 has ice in 12 % of all cells. */
    const double share = (double)n_ice / (double)(n_days * N_CELLS);
    ck_assert_double_gt(share, 0.06);
    ck_assert_double_lt(share, 0.16);
    ck_assert_uint_gt(n_frozen, n_ice / 2);
    sst_synth_ocean_destroy(&ocean);
}
END_TEST

static const double NO_VARIANCE = 1e-20; /* [degC^2] what rounding of a mean of equal values leaves */

/* Pools of 30 years x 11 days round 15 April, as moments by cell. */
struct pools {
    double mean[N_CELLS], variance[N_CELLS], skewness[N_CELLS], kurtosis[N_CELLS];
};

static int16_t *collect_pools(struct sst_synth_ocean *ocean)
{
    int16_t *values = NULL, *next;
    struct sst_error err = {0};
    ck_assert_int_eq(sst_alloc((size_t)N_YEARS * N_WINDOW, N_CELLS * sizeof *values, "pools", &values, &err), SST_OK);
    next = values;
    for (int year = 0; year < N_YEARS; ++year)
        for (int k = 0; k < N_WINDOW; ++k, next += N_CELLS)
            memcpy(next, sst_synth_ocean_day(ocean, day_number(FIRST_YEAR + year, 4, 10) + k)->sst,
                   N_CELLS * sizeof *next);
    return values;
}

static void moments_of_pools(struct sst_synth_ocean *ocean, struct pools *pools)
{
    int16_t *values = collect_pools(ocean);
    const double n = (double)N_YEARS * N_WINDOW;
    for (size_t cell = 0; cell < N_CELLS; ++cell) {
        double sum = 0.0, m2 = 0.0, m3 = 0.0, m4 = 0.0;
        for (size_t k = 0; k < (size_t)N_YEARS * N_WINDOW; ++k)
            sum += values[k * N_CELLS + cell] / 100.0;
        for (size_t k = 0; k < (size_t)N_YEARS * N_WINDOW; ++k) {
            const double off = values[k * N_CELLS + cell] / 100.0 - sum / n;
            m2 += off * off / n;
            m3 += off * off * off / n;
            m4 += off * off * off * off / n;
        }
        pools->mean[cell] = sum / n;
        pools->variance[cell] = m2;
        pools->skewness[cell] = m2 > 0.0 ? m3 / pow(m2, 1.5) : 0.0;
        pools->kurtosis[cell] = m2 > 0.0 ? m4 / (m2 * m2) - 3.0 : 0.0;
    }
    sst_free(values);
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Quantile of a figure over the cells of a region. */
static double over_region(const struct sst_synth_ocean *ocean, enum sst_synth_region region, const double *figure,
                          double quantile)
{
    double found[N_CELLS];
    size_t n_found = 0;
    for (size_t cell = 0; cell < N_CELLS; ++cell)
        if (sst_synth_ocean_regions(ocean)[cell] == region)
            found[n_found++] = figure[cell];
    ck_assert_uint_gt(n_found, 0);
    qsort(found, n_found, sizeof *found, compare_doubles);
    return found[(size_t)(quantile * (double)(n_found - 1))];
}

START_TEST(pools_are_skewed_two_peaked_or_near_normal_by_region)
{
    for (uint64_t seed = 1; seed <= 2; ++seed) {
        struct sst_synth_ocean *ocean = make_ocean(&GRID, seed);
        struct pools *pools = malloc(sizeof *pools);
        ck_assert_ptr_nonnull(pools);
        moments_of_pools(ocean, pools);
        ck_assert_double_lt(over_region(ocean, SST_SYNTH_UPWELLING, pools->skewness, 0.9), -0.8);
        ck_assert_double_lt(over_region(ocean, SST_SYNTH_FRONT, pools->kurtosis, 0.8), -1.2);
        ck_assert_double_gt(over_region(ocean, SST_SYNTH_FRONT, pools->variance, 0.1), 2.0);
        ck_assert_double_lt(fabs(over_region(ocean, SST_SYNTH_OPEN, pools->skewness, 0.5)), 0.3);
        ck_assert_double_lt(fabs(over_region(ocean, SST_SYNTH_OPEN, pools->kurtosis, 0.5)), 0.6);
        const double spread = sqrt(over_region(ocean, SST_SYNTH_OPEN, pools->variance, 0.5));
        ck_assert(spread > 0.4 && spread < 1.2);
        ck_assert_double_gt(over_region(ocean, SST_SYNTH_ENSO, pools->variance, 0.5), 0.7);
        /* Ice that never melts: the whole pool is one value. */
        ck_assert_double_lt(over_region(ocean, SST_SYNTH_ICE, pools->variance, 0.1), NO_VARIANCE);
        free(pools);
        sst_synth_ocean_destroy(&ocean);
    }
}
END_TEST

/* Mean over open-ocean cells of a band of latitudes, over 30 years, of one month's 15th. [degC] */
static double band_mean(struct sst_synth_ocean *ocean, int month, double south, double north)
{
    double sum = 0.0;
    size_t n_values = 0;
    for (int year = FIRST_YEAR; year < FIRST_YEAR + N_YEARS; ++year) {
        const int16_t *sst = sst_synth_ocean_day(ocean, day_number(year, month, 15))->sst;
        for (size_t cell = 0; cell < N_CELLS; ++cell) {
            const double lat = sst_synth_grid_lat(&GRID, cell / N_LON);
            if (lat < south || lat > north || sst_synth_ocean_regions(ocean)[cell] != SST_SYNTH_OPEN)
                continue;
            sum += sst[cell] / 100.0;
            ++n_values;
        }
    }
    return sum / (double)n_values;
}

START_TEST(summer_is_in_august_in_the_north_and_in_february_in_the_south)
{
    struct sst_synth_ocean *ocean = make_ocean(&GRID, SEED);
    const double north = band_mean(ocean, 8, 30.0, 50.0) - band_mean(ocean, 2, 30.0, 50.0);
    const double south = band_mean(ocean, 2, -50.0, -30.0) - band_mean(ocean, 8, -50.0, -30.0);
    const double tropics = band_mean(ocean, 8, -5.0, 5.0) - band_mean(ocean, 2, -5.0, 5.0);
    ck_assert(north > 5.0 && north < 11.0);
    ck_assert(south > 3.0 && south < 7.0);
    ck_assert_double_lt(fabs(tropics), 1.5);
    ck_assert_double_gt(band_mean(ocean, 4, -10.0, 10.0), 25.0);
    ck_assert_double_lt(band_mean(ocean, 4, 55.0, 65.0), 10.0);
    sst_synth_ocean_destroy(&ocean);
}
END_TEST

START_TEST(neighbouring_days_are_alike_and_distant_ones_are_not)
{
    struct sst_synth_ocean *ocean = make_ocean(&GRID, SEED);
    double apart[3] = {0.0, 0.0, 0.0};
    const int64_t lags[3] = {1, 10, 60};
    static int16_t today[N_CELLS];
    for (int year = FIRST_YEAR; year < FIRST_YEAR + N_YEARS; ++year) {
        memcpy(today, sst_synth_ocean_day(ocean, day_number(year, 6, 1))->anom, sizeof today);
        for (int k = 0; k < 3; ++k) {
            const int16_t *later = sst_synth_ocean_day(ocean, day_number(year, 6, 1) + lags[k])->anom;
            for (size_t cell = 0; cell < N_CELLS; ++cell)
                if (sst_synth_ocean_regions(ocean)[cell] == SST_SYNTH_OPEN)
                    apart[k] += pow(later[cell] - today[cell], 2.0);
        }
    }
    /* Of a mean over 5 degrees; single 0.25 degree cells change faster. */
    ck_assert_double_lt(apart[0], 0.1 * apart[1]);
    ck_assert_double_lt(apart[1], 0.8 * apart[2]);
    sst_synth_ocean_destroy(&ocean);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("synth_ocean");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300.0);
    tcase_add_test(tc, a_day_is_the_same_whatever_was_made_before);
    tcase_add_test(tc, values_are_those_of_every_machine);
    tcase_add_test(tc, another_seed_is_another_planet);
    tcase_add_test(tc, a_third_of_the_cells_is_land_for_any_seed_and_grid);
    tcase_add_test(tc, every_region_has_cells_where_the_header_puts_it);
    tcase_add_test(tc, ice_stands_only_in_cold_water_and_values_stay_in_range);
    tcase_add_test(tc, pools_are_skewed_two_peaked_or_near_normal_by_region);
    tcase_add_test(tc, summer_is_in_august_in_the_north_and_in_february_in_the_south);
    tcase_add_test(tc, neighbouring_days_are_alike_and_distant_ones_are_not);
    suite_add_tcase(suite, tc);
    return suite;
}

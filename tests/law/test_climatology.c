/*
 * The whole engine, from a file to finished slots, against pools gathered by plain date arithmetic: every leap rule, with
 * gaps, with and without the years beside the baseline, windows of 3, 11 and 59 days, smoothing, parts of the year.
 * ctest-labels: threads
 */
#include <math.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#include "core/flags.h"
#include "exact/quantile.h"
#include "kernels/cell_maxent.h"
#include "moments/fit.h"
#include "moments/maxent.h"
#include "random.h"
#include "stream/climatology.h"
#include "test_main.h"

enum { N_LAT = 3, N_LON = 4, N_CELLS = N_LAT * N_LON, FIRST_YEAR = 1999, LAST_YEAR = 2005, MAX_DAYS = 7 * 366 };

struct archive {
    int first_serial; /* days since 1970 of day 0 */
    int n_days;
    bool is_present[MAX_DAYS];
    int16_t code[MAX_DAYS][N_CELLS];
};

struct setup {
    enum sst_leap_rule leap;
    int half, smooth;
    int y0, y1;
    bool beside; /* files reach beyond the baseline */
    int gaps_percent;
    int first_slot, last_slot;
    enum sst_approx approx;
};

/* --- dates without the calendar module ------------------------------------------------------------------------- */

static bool is_leap(int year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

static int serial_of(int year, int slot)
{
    int serial = 0;
    for (int y = 1970; y < year; ++y)
        serial += is_leap(y) ? 366 : 365;
    return serial + slot - 1 - (slot > 60 && !is_leap(year));
}

static bool has_day(int year, int slot) { return slot != 60 || is_leap(year); }

/* --- the archive ------------------------------------------------------------------------------------------------ */

static struct archive *make_archive(const struct setup *setup, uint64_t seed)
{
    struct archive *archive = calloc(1, sizeof *archive);
    struct test_random random = {seed};
    const int first_year = setup->beside ? setup->y0 - 1 : setup->y0,
              last_year = setup->beside ? setup->y1 + 1 : setup->y1;
    archive->first_serial = serial_of(first_year, 1);
    archive->n_days = serial_of(last_year, 366) + 1 - archive->first_serial;
    for (int day = 0; day < archive->n_days; ++day) {
        archive->is_present[day] = test_random_below(&random, 100) >= setup->gaps_percent;
        for (int cell = 0; cell < N_CELLS; ++cell) {
            const double season = 600.0 * sin(6.283185307 * (archive->first_serial + day) / 365.25 + cell);
            archive->code[day][cell] = cell == 5 || (cell == 6 && test_random_below(&random, 3))
                                           ? SST_CODE_MISSING
                                           : (int16_t)(1500 + (int)season + test_random_below(&random, 400));
        }
    }
    return archive;
}

static void ok(int status) { ck_assert_msg(status == NC_NOERR, "%s", nc_strerror(status)); }

static const char *write_archive(const struct archive *archive)
{
    const char *path = test_path("%s/archive.nc", test_scratch_dir());
    int nc = 0, dims[3], ids[4];
    ok(nc_create(path, NC_CLOBBER, &nc));
    ok(nc_def_dim(nc, "time", NC_UNLIMITED, &dims[0]));
    ok(nc_def_dim(nc, "lat", N_LAT, &dims[1]));
    ok(nc_def_dim(nc, "lon", N_LON, &dims[2]));
    ok(nc_def_var(nc, "time", NC_INT, 1, &dims[0], &ids[0]));
    ok(nc_def_var(nc, "lat", NC_DOUBLE, 1, &dims[1], &ids[1]));
    ok(nc_def_var(nc, "lon", NC_DOUBLE, 1, &dims[2], &ids[2]));
    ok(nc_def_var(nc, "sst", NC_SHORT, 3, dims, &ids[3]));
    ok(nc_put_att_text(nc, ids[0], "units", 21, "days since 1970-01-01"));
    ok(nc_put_att_text(nc, ids[1], "units", 13, "degrees_north"));
    ok(nc_put_att_text(nc, ids[2], "units", 12, "degrees_east"));
    ok(nc_put_att_text(nc, ids[3], "units", 7, "Celsius"));
    const float scale = 0.01f;
    const short fill = SST_CODE_MISSING;
    ok(nc_put_att_float(nc, ids[3], "scale_factor", NC_FLOAT, 1, &scale));
    ok(nc_put_att_short(nc, ids[3], "_FillValue", NC_SHORT, 1, &fill));
    ok(nc_enddef(nc));
    const double lat[] = {-40.5, -39.5, -38.5}, lon[] = {150.5, 151.5, 152.5, 153.5};
    ok(nc_put_var_double(nc, ids[1], lat));
    ok(nc_put_var_double(nc, ids[2], lon));
    size_t step = 0;
    for (int day = 0; day < archive->n_days; ++day) {
        if (!archive->is_present[day])
            continue;
        const size_t start[] = {step++, 0, 0}, count[] = {1, N_LAT, N_LON};
        const int time = archive->first_serial + day;
        ok(nc_put_var1_int(nc, ids[0], start, &time));
        ok(nc_put_vara_short(nc, ids[3], start, count, archive->code[day]));
    }
    ok(nc_close(nc));
    return path;
}

/* --- the plain answer ------------------------------------------------------------------------------------------- */

struct answer {
    double mean[367][N_CELLS], q[2][367][N_CELLS], probe[2][367][N_CELLS];
    double lower[2][367][N_CELLS], upper[2][367][N_CELLS]; /* of the program alone, where it has bounds */
    int n_obs[367][N_CELLS];
    unsigned flags[367][N_CELLS];
    bool is_there[367];
};

/* Adds day `serial` to the pool of a cell if there is a value. */
static void pool_add(const struct archive *archive, int serial, int cell, int *pool, int *n)
{
    const int day = serial - archive->first_serial;
    if (day >= 0 && day < archive->n_days && archive->is_present[day] && archive->code[day][cell] != SST_CODE_MISSING)
        pool[(*n)++] = archive->code[day][cell];
}

static bool in_window(int slot, int centre, int half, bool with_feb29)
{
    int distance = 0, ring = with_feb29 ? 366 : 365;
    const int a = !with_feb29 && slot > 60 ? slot - 1 : slot, b = !with_feb29 && centre > 60 ? centre - 1 : centre;
    distance = abs(a - b);
    distance = distance < ring - distance ? distance : ring - distance;
    return distance <= half && (with_feb29 || slot != 60);
}

static int gather(const struct setup *setup, const struct archive *archive, int centre, int cell, int *pool)
{
    int n = 0;
    for (int year = setup->y0; year <= setup->y1; ++year) {
        if (setup->leap == SST_LEAP_HOBDAY) {
            for (int k = -setup->half; k <= setup->half; ++k)
                pool_add(archive, serial_of(year, centre) + k, cell, pool, &n);
            continue;
        }
        for (int slot = 1; slot <= 366; ++slot)
            if (has_day(year, slot) && in_window(slot, centre, setup->half, setup->leap == SST_LEAP_OWN))
                pool_add(archive, serial_of(year, slot), cell, pool, &n);
    }
    return n;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static const double percentiles[] = {90.0, 10.0};

static double fitted(enum sst_approx approx, struct cell_shape shape, double percentile)
{
    if (approx == SST_APPROX_CF)
        return cell_cf_quantile(shape, sst_fit_normal_quantile(percentile / 100.0));
    return cell_maxent_quantile(shape, cell_maxent_place_of(shape, sst_maxent_v_limit()), sst_maxent_table(percentile));
}

static void plain_slot(const struct setup *setup, const struct archive *archive, int slot, struct answer *out)
{
    for (int cell = 0; cell < N_CELLS; ++cell) {
        int pool[2048];
        double sorted[2048];
        const int n = gather(setup, archive, slot, cell, pool);
        struct cell_moments sums = {0};
        for (int i = 0; i < n; ++i) {
            sorted[i] = pool[i] / 100.0;
            cell_moments_add(&sums, pool[i]);
        }
        qsort(sorted, (size_t)n, sizeof *sorted, compare_doubles);
        out->n_obs[slot][cell] = n;
        out->mean[slot][cell] = n ? (double)sums.s1 / n / 100.0 : NAN;
        for (int q = 0; q < 2; ++q) {
            out->probe[q][slot][cell] = sst_quantile_sorted(sorted, (size_t)n, percentiles[q] / 100.0, 7);
            out->q[q][slot][cell] = out->probe[q][slot][cell];
            if (sst_approx_has_moments(setup->approx))
                out->q[q][slot][cell] =
                    n ? fitted(setup->approx, cell_moments_shape(sums), percentiles[q]) / 100.0 : NAN;
        }
    }
}

static void derive_60(double values[367][N_CELLS])
{
    for (int cell = 0; cell < N_CELLS; ++cell)
        values[60][cell] = (values[59][cell] + values[61][cell]) / 2.0;
}

static void smooth(double values[367][N_CELLS], int width)
{
    double(*raw)[N_CELLS] = malloc(367 * sizeof *raw);
    memcpy(raw, values, 367 * sizeof *raw);
    for (int slot = 1; slot <= 366; ++slot) {
        for (int cell = 0; cell < N_CELLS; ++cell) {
            double sum = 0;
            int n = 0;
            for (int k = -(width / 2); k <= width / 2; ++k) {
                const double value = raw[(slot - 1 + k + 366) % 366 + 1][cell];
                sum += isnan(value) ? 0 : value;
                n += !isnan(value);
            }
            values[slot][cell] = 2 * n >= width ? sum / n : NAN;
        }
    }
    free(raw);
}

static void plain_answer(const struct setup *setup, const struct archive *archive, struct answer *out)
{
    for (int slot = 1; slot <= 366; ++slot)
        if (slot != 60 || setup->leap == SST_LEAP_OWN)
            plain_slot(setup, archive, slot, out);
    double(*const fields[])[N_CELLS] = {out->mean, out->q[0], out->q[1], out->probe[0], out->probe[1]};
    for (int f = 0; f < 5; ++f) {
        if (setup->leap != SST_LEAP_OWN)
            derive_60(fields[f]);
        if (setup->smooth > 1)
            smooth(fields[f], setup->smooth);
    }
}

/* --- the program's answer --------------------------------------------------------------------------------------- */

static const size_t probes[] = {0, 2, 6, 11};
enum { N_PROBES = 4 };

static enum sst_status collect(void *user, const struct sst_slot_result *result, struct sst_error *err)
{
    (void)err;
    struct answer *out = user;
    ck_assert(!out->is_there[result->slot]);
    out->is_there[result->slot] = true;
    for (int cell = 0; cell < N_CELLS; ++cell) {
        out->mean[result->slot][cell] = result->mean[cell];
        out->n_obs[result->slot][cell] = result->n_obs[cell];
        out->flags[result->slot][cell] = result->flags[cell];
        for (int q = 0; q < 2; ++q)
            out->q[q][result->slot][cell] = result->quantile[q][cell];
        for (int q = 0; q < 2 && result->has_bounds; ++q) {
            out->lower[q][result->slot][cell] = result->quantile[2 + q][cell];
            out->upper[q][result->slot][cell] = result->quantile[4 + q][cell];
        }
    }
    for (size_t i = 0; i < result->n_probes; ++i)
        for (int q = 0; q < 2; ++q)
            out->probe[q][result->slot][probes[i]] = result->probe_quantile[q][i];
    return SST_OK;
}

static void run_engine_with(const struct setup *setup, int tail_k, const char *path, struct answer *out)
{
    struct sst_error err = {0};
    struct sst_catalog *catalog = NULL;
    struct sst_reader *reader = NULL;
    struct sst_domain domain;
    const struct sst_catalog_options catalog_options = {.stop_on_bad = true};
    const struct sst_reader_options reader_options = {.stop_on_bad = true};
    const struct sst_policy policy = {
        .pools = {SST_CALENDAR_STANDARD, setup->leap, setup->y0, setup->y1, setup->half},
        .approx = setup->approx,
        .percentiles = {90.0, 10.0},
        .n_percentiles = 2,
        .quantile_type = 7,
        .smooth_days = setup->smooth,
        .min_samples = 1,
        .first_slot = setup->first_slot,
        .last_slot = setup->last_slot,
        .tail_k = tail_k,
        .lattice = SST_LATTICE_CENTI,
    };
    ck_assert_msg(sst_catalog_scan(&path, 1, &catalog_options, &catalog, &err) == SST_OK, "%s", err.text);
    sst_domain_all(catalog->grid, &domain);
    ck_assert_msg(sst_reader_create(catalog, &domain, &reader_options, &reader, &err) == SST_OK, "%s", err.text);
    const struct sst_climatology_job job = {
        .policy = &policy,
        .backend = sst_backend_cpu(),
        .reader = reader,
        .catalog = catalog,
        .n_cells = N_CELLS,
        .probes = probes,
        .n_probes = setup->approx != SST_APPROX_NONE ? N_PROBES : 0,
    };
    const struct sst_slot_sink sink = {.user = out, .put = collect};
    ck_assert_msg(sst_climatology_run(&job, &sink, &err) == SST_OK, "%s", err.text);
    sst_reader_destroy(&reader);
    sst_catalog_destroy(&catalog);
}

static void run_engine(const struct setup *setup, const char *path, struct answer *out)
{
    run_engine_with(setup, 0, path, out);
}

/* --- comparison ------------------------------------------------------------------------------------------------- */

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* Cell-days in which the two differ; bits must be equal. */
static int count_differences(const struct setup *setup, const struct answer *got, const struct answer *want)
{
    int n = 0;
    for (int slot = 1; slot <= 366; ++slot) {
        if (!got->is_there[slot])
            continue;
        for (int cell = 0; cell < N_CELLS; ++cell)
            n += !same(got->mean[slot][cell], want->mean[slot][cell]) ||
                 !same(got->q[0][slot][cell], want->q[0][slot][cell]) ||
                 !same(got->q[1][slot][cell], want->q[1][slot][cell]) ||
                 got->n_obs[slot][cell] != want->n_obs[slot][cell];
        for (int i = 0; i < N_PROBES && setup->approx != SST_APPROX_NONE; ++i)
            n += !same(got->probe[0][slot][probes[i]], want->probe[0][slot][probes[i]]) ||
                 !same(got->probe[1][slot][probes[i]], want->probe[1][slot][probes[i]]);
    }
    return n;
}

static const struct setup setups[] = {
    {SST_LEAP_HOBDAY, 5, 1, 2000, 2004, true, 0, 1, 366, SST_APPROX_NONE},
    {SST_LEAP_HOBDAY, 5, 1, 2000, 2004, false, 0, 1, 366, SST_APPROX_CF},
    {SST_LEAP_HOBDAY, 5, 31, 2000, 2004, true, 20, 1, 366, SST_APPROX_CF},
    {SST_LEAP_HOBDAY, 1, 1, 2001, 2004, true, 15, 1, 366, SST_APPROX_CF},
    {SST_LEAP_HOBDAY, 29, 1, 2000, 2003, true, 10, 1, 366, SST_APPROX_CF},
    {SST_LEAP_HOBDAY, 29, 5, 2000, 2002, false, 10, 1, 366, SST_APPROX_NONE},
    {SST_LEAP_HOBDAY, 5, 1, 2004, 2004, true, 5, 1, 366, SST_APPROX_CF},
    {SST_LEAP_HOBDAY, 0, 1, 2000, 2004, true, 5, 1, 366, SST_APPROX_NONE},
    {SST_LEAP_SKIP, 5, 1, 2000, 2004, true, 10, 1, 366, SST_APPROX_CF},
    {SST_LEAP_SKIP, 29, 31, 2001, 2004, false, 0, 1, 366, SST_APPROX_NONE},
    {SST_LEAP_OWN, 5, 1, 2000, 2004, true, 10, 1, 366, SST_APPROX_CF},
    {SST_LEAP_OWN, 5, 31, 2000, 2004, true, 50, 1, 366, SST_APPROX_CF},
    {SST_LEAP_HOBDAY, 5, 31, 2000, 2004, true, 0, 153, 244, SST_APPROX_CF},
    {SST_LEAP_HOBDAY, 5, 31, 2000, 2004, true, 3, 336, 60, SST_APPROX_CF},
    {SST_LEAP_HOBDAY, 5, 1, 2000, 2004, true, 3, 60, 60, SST_APPROX_NONE},
    {SST_LEAP_SKIP, 5, 1, 2000, 2004, true, 3, 50, 60, SST_APPROX_CF},
    {SST_LEAP_OWN, 5, 1, 2000, 2004, true, 3, 60, 49, SST_APPROX_CF},
    {SST_LEAP_HOBDAY, 5, 1, 2000, 2004, true, 10, 1, 366, SST_APPROX_MAXENT},
    {SST_LEAP_SKIP, 5, 31, 2000, 2004, false, 20, 1, 366, SST_APPROX_MAXENT},
};

START_TEST(the_engine_gives_what_plain_date_arithmetic_gives)
{
    const struct setup *setup = &setups[_i];
    struct archive *archive = make_archive(setup, (uint64_t)_i + 1);
    struct answer *got = calloc(1, sizeof *got), *want = calloc(1, sizeof *want);
    run_engine(setup, write_archive(archive), got);
    plain_answer(setup, archive, want);
    int n_there = 0;
    for (int slot = 1; slot <= 366; ++slot)
        n_there += got->is_there[slot];
    ck_assert_int_eq(n_there, (setup->last_slot - setup->first_slot + 366) % 366 + 1);
    ck_assert_int_eq(count_differences(setup, got, want), 0);
    free(got);
    free(want);
    free(archive);
}
END_TEST

START_TEST(a_planted_fault_is_seen)
{
    const struct setup *setup = &setups[0];
    struct archive *archive = make_archive(setup, 1);
    struct answer *got = calloc(1, sizeof *got), *want = calloc(1, sizeof *want);
    run_engine(setup, write_archive(archive), got);
    const struct setup narrower = {SST_LEAP_SKIP, 5, 1, 2000, 2004, true, 0, 1, 366, SST_APPROX_NONE};
    plain_answer(&narrower, archive, want); /* another leap rule: only a few slots differ */
    ck_assert_int_gt(count_differences(setup, got, want), 0);
    free(got);
    free(want);
    free(archive);
}
END_TEST

START_TEST(flags_say_what_the_pool_tells)
{
    struct setup setup = setups[0];
    setup.gaps_percent = 50;
    struct archive *archive = make_archive(&setup, 3);
    struct answer *got = calloc(1, sizeof *got);
    run_engine(&setup, write_archive(archive), got);
    for (int slot = 1; slot <= 366; ++slot) {
        ck_assert_uint_eq(got->flags[slot][5],
                          (unsigned)SST_FLAG_MISSING | (slot == 60 ? SST_FLAG_DERIVED_LEAP_DAY : 0));
        ck_assert(got->flags[slot][0] & SST_FLAG_FEW_SAMPLES);
        ck_assert_uint_eq((got->flags[slot][0] & SST_FLAG_DERIVED_LEAP_DAY) != 0, slot == 60);
        ck_assert_int_eq(got->flags[slot][0] & SST_FLAG_ICE_OR_NO_VARIANCE, 0);
    }
    ck_assert_int_eq(got->n_obs[60][0], 0);
    ck_assert(!isnan(got->q[0][60][0]));
    free(got);
    free(archive);
}
END_TEST

static const struct {
    struct setup setup;
    int k; /* 0 = the default */
    bool all_certified;
} tail_setups[] = {
    {{SST_LEAP_HOBDAY, 5, 1, 2000, 2004, true, 0, 1, 366, SST_APPROX_TAIL}, 0, false},
    {{SST_LEAP_HOBDAY, 5, 1, 2000, 2004, true, 20, 1, 366, SST_APPROX_TAIL}, 5, true},
    {{SST_LEAP_HOBDAY, 5, 31, 2000, 2004, true, 20, 1, 366, SST_APPROX_TAIL}, 2, false},
    {{SST_LEAP_HOBDAY, 29, 1, 2000, 2003, true, 10, 1, 366, SST_APPROX_TAIL}, 1, false},
    {{SST_LEAP_HOBDAY, 29, 1, 2000, 2003, false, 10, 1, 366, SST_APPROX_TAIL}, 64, true},
    {{SST_LEAP_SKIP, 5, 1, 2000, 2004, true, 10, 1, 366, SST_APPROX_TAIL}, 2, false},
    {{SST_LEAP_OWN, 5, 31, 2000, 2004, true, 50, 1, 366, SST_APPROX_TAIL}, 3, false},
    {{SST_LEAP_OWN, 0, 5, 2000, 2004, true, 30, 300, 61, SST_APPROX_TAIL}, 2, false},
    {{SST_LEAP_HOBDAY, 5, 1, 2000, 2004, true, 60, 60, 60, SST_APPROX_TAIL}, 1, false},
};

enum { N_TAIL_SETUPS = sizeof tail_setups / sizeof tail_setups[0] };

struct tail_tally {
    int n_certified, n_uncertified, n_wrong;
};

/* A cell-day of the tail estimator against the exact answer: equal where certified, bounded where not. */
static void tally_tail(const struct answer *got, const struct answer *want, int slot, int cell,
                       struct tail_tally *tally)
{
    const bool is_uncertified = got->flags[slot][cell] & SST_FLAG_UNCERTIFIED;
    tally->n_uncertified += is_uncertified;
    tally->n_certified += !is_uncertified;
    tally->n_wrong +=
        !same(got->mean[slot][cell], want->mean[slot][cell]) || got->n_obs[slot][cell] != want->n_obs[slot][cell];
    for (int q = 0; q < 2; ++q) {
        const double value = got->q[q][slot][cell], exact = want->q[q][slot][cell];
        const double lower = got->lower[q][slot][cell], upper = got->upper[q][slot][cell];
        if (is_uncertified) /* a bound that is missing says nothing */
            tally->n_wrong += lower > exact || upper < exact || !same(value, q == 0 ? lower : upper);
        else
            tally->n_wrong += !same(value, exact) || !same(lower, value) || !same(upper, value);
    }
}

static struct tail_tally tally_all(const struct answer *got, const struct answer *want)
{
    struct tail_tally tally = {0};
    for (int slot = 1; slot <= 366; ++slot)
        for (int cell = 0; got->is_there[slot] && cell < N_CELLS; ++cell)
            tally_tail(got, want, slot, cell, &tally);
    return tally;
}

START_TEST(tail_is_exact_where_certified_and_bounded_where_not)
{
    const struct setup *setup = &tail_setups[_i].setup;
    struct archive *archive = make_archive(setup, (uint64_t)_i + 100);
    struct answer *got = calloc(1, sizeof *got), *want = calloc(1, sizeof *want);
    run_engine_with(setup, tail_setups[_i].k, write_archive(archive), got);
    plain_answer(setup, archive, want);
    const struct tail_tally tally = tally_all(got, want);
    ck_assert_int_eq(tally.n_wrong, 0);
    ck_assert_int_gt(tally.n_certified, 0);
    if (tail_setups[_i].all_certified)
        ck_assert_int_eq(tally.n_uncertified, 0);
    for (int slot = 1; slot <= 366; ++slot) /* the probes' path is the exact one */
        for (int i = 0; i < N_PROBES && got->is_there[slot]; ++i)
            ck_assert(same(got->probe[0][slot][probes[i]], want->probe[0][slot][probes[i]]));
    free(got);
    free(want);
    free(archive);
}
END_TEST

START_TEST(short_lists_leave_values_uncertified_and_that_is_seen)
{
    const struct setup *setup = &tail_setups[2].setup;
    struct archive *archive = make_archive(setup, 7);
    struct answer *got = calloc(1, sizeof *got), *want = calloc(1, sizeof *want);
    run_engine_with(setup, 2, write_archive(archive), got);
    plain_answer(setup, archive, want);
    ck_assert_int_gt(tally_all(got, want).n_uncertified, 0);
    for (int slot = 1; slot <= 366; ++slot) /* as if every certificate were given */
        for (int cell = 0; cell < N_CELLS; ++cell)
            got->flags[slot][cell] &= ~(unsigned)SST_FLAG_UNCERTIFIED;
    ck_assert_int_gt(tally_all(got, want).n_wrong, 0);
    free(got);
    free(want);
    free(archive);
}
END_TEST

/*
 * Nothing varies in the pool of 28 February, but it does in that of 1 March, where two days without values make the one that
 * differs count enough to lift the high percentile above the mean: what 29 February says must not depend on the
 * part.
 */
START_TEST(a_part_of_the_year_has_the_flags_of_the_whole)
{
    enum { CELL = 7, FIRST_CALM = 45, LAST_CALM = 65, FIRST_GAP = 57, LAST_GAP = 58 };
    struct setup setup = setups[0];
    struct archive *archive = make_archive(&setup, 4);
    for (int year = setup.y0 - 1; year <= setup.y1 + 1; ++year)
        for (int slot = FIRST_CALM; slot <= LAST_CALM + 1; ++slot) {
            const bool is_gap = slot >= FIRST_GAP && slot <= LAST_GAP;
            const int16_t code = is_gap ? SST_CODE_MISSING : slot <= LAST_CALM ? 1000 : 3000;
            if (has_day(year, slot))
                archive->code[serial_of(year, slot) - archive->first_serial][CELL] = code;
        }
    const char *path = write_archive(archive);
    struct answer *whole = calloc(1, sizeof *whole), *part = calloc(1, sizeof *part);
    run_engine(&setup, path, whole);
    setup.first_slot = setup.last_slot = 60;
    run_engine(&setup, path, part);
    ck_assert_uint_eq(whole->flags[59][CELL], SST_FLAG_ICE_OR_NO_VARIANCE);
    for (int q = 0; q < 2; ++q)
        ck_assert_double_gt(fabs(whole->q[q][60][CELL] - whole->mean[60][CELL]), SST_NO_VARIANCE_DEGC);
    ck_assert_uint_eq(whole->flags[60][CELL], SST_FLAG_DERIVED_LEAP_DAY);
    for (int cell = 0; cell < N_CELLS; ++cell)
        ck_assert_uint_eq(part->flags[60][cell], whole->flags[60][cell]);
    free(whole);
    free(part);
    free(archive);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("climatology");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, the_engine_gives_what_plain_date_arithmetic_gives, 0,
                        (int)(sizeof setups / sizeof setups[0]));
    tcase_add_test(tc, a_planted_fault_is_seen);
    tcase_add_test(tc, flags_say_what_the_pool_tells);
    tcase_add_loop_test(tc, tail_is_exact_where_certified_and_bounded_where_not, 0, N_TAIL_SETUPS);
    tcase_add_test(tc, short_lists_leave_values_uncertified_and_that_is_seen);
    tcase_add_test(tc, a_part_of_the_year_has_the_flags_of_the_whole);
    suite_add_tcase(suite, tc);
    return suite;
}

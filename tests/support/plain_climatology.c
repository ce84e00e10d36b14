/* Plain answers: pools gathered day by day, sorted, fitted, smoothed; and one run of the engine. */
#include "plain_climatology.h"

#include <math.h>
#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#include "exact/quantile.h"
#include "kernels/cell_maxent.h"
#include "moments/fit.h"
#include "moments/maxent.h"
#include "random.h"
#include "stream/reader.h"
#include "test_main.h"

enum { N_LAT = 3, N_LON = 4 };

/* --- dates without the calendar module ------------------------------------------------------------------------- */

static bool is_leap(int year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

int plain_serial_of(int year, int slot)
{
    int serial = 0;
    for (int y = 1970; y < year; ++y)
        serial += is_leap(y) ? 366 : 365;
    return serial + slot - 1 - (slot > 60 && !is_leap(year));
}

bool plain_has_day(int year, int slot) { return slot != 60 || is_leap(year); }

/* --- the archive ------------------------------------------------------------------------------------------------ */

struct plain_archive *plain_archive_make(const struct plain_setup *setup, uint64_t seed)
{
    struct plain_archive *archive = calloc(1, sizeof *archive);
    struct test_random random = {seed};
    const int first_year = setup->beside ? setup->y0 - 1 : setup->y0,
              last_year = setup->beside ? setup->y1 + 1 : setup->y1;
    archive->first_serial = plain_serial_of(first_year, 1);
    archive->n_days = plain_serial_of(last_year, 366) + 1 - archive->first_serial;
    for (int day = 0; day < archive->n_days; ++day) {
        archive->is_present[day] = test_random_below(&random, 100) >= setup->gaps_percent;
        for (int cell = 0; cell < PLAIN_N_CELLS; ++cell) {
            const double season = 600.0 * sin(6.283185307 * (archive->first_serial + day) / 365.25 + cell);
            archive->code[day][cell] = cell == 5 || (cell == 6 && test_random_below(&random, 3))
                                           ? SST_CODE_MISSING
                                           : (int16_t)(1500 + (int)season + test_random_below(&random, 400));
        }
    }
    return archive;
}

static void ok(int status) { ck_assert_msg(status == NC_NOERR, "%s", nc_strerror(status)); }

const char *plain_archive_write(const struct plain_archive *archive)
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

/* Adds day `serial` to the pool of a cell if there is a value. */
static void pool_add(const struct plain_archive *archive, int serial, int cell, int *pool, int *n)
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

int plain_gather(const struct plain_setup *setup, const struct plain_archive *archive, int centre, int cell, int *pool)
{
    int n = 0;
    for (int year = setup->y0; year <= setup->y1; ++year) {
        if (setup->leap == SST_LEAP_HOBDAY) {
            for (int k = -setup->half; k <= setup->half; ++k)
                pool_add(archive, plain_serial_of(year, centre) + k, cell, pool, &n);
            continue;
        }
        for (int slot = 1; slot <= 366; ++slot)
            if (plain_has_day(year, slot) && in_window(slot, centre, setup->half, setup->leap == SST_LEAP_OWN))
                pool_add(archive, plain_serial_of(year, slot), cell, pool, &n);
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

static void plain_slot(const struct plain_setup *setup, const struct plain_archive *archive, int slot,
                       struct plain_values *out)
{
    for (int cell = 0; cell < PLAIN_N_CELLS; ++cell) {
        int pool[2048];
        double sorted[2048];
        const int n = plain_gather(setup, archive, slot, cell, pool);
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

static void derive_60(double values[367][PLAIN_N_CELLS])
{
    for (int cell = 0; cell < PLAIN_N_CELLS; ++cell)
        values[60][cell] = (values[59][cell] + values[61][cell]) / 2.0;
}

static void smooth(double values[367][PLAIN_N_CELLS], int width)
{
    double(*raw)[PLAIN_N_CELLS] = malloc(367 * sizeof *raw);
    memcpy(raw, values, 367 * sizeof *raw);
    for (int slot = 1; slot <= 366; ++slot) {
        for (int cell = 0; cell < PLAIN_N_CELLS; ++cell) {
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

void plain_answer(const struct plain_setup *setup, const struct plain_archive *archive, struct plain_values *out)
{
    for (int slot = 1; slot <= 366; ++slot)
        if (slot != 60 || setup->leap == SST_LEAP_OWN)
            plain_slot(setup, archive, slot, out);
    double(*const fields[])[PLAIN_N_CELLS] = {out->mean, out->q[0], out->q[1], out->probe[0], out->probe[1]};
    for (int f = 0; f < 5; ++f) {
        if (setup->leap != SST_LEAP_OWN)
            derive_60(fields[f]);
        if (setup->smooth > 1)
            smooth(fields[f], setup->smooth);
    }
}

/* --- the program's answer --------------------------------------------------------------------------------------- */

const size_t plain_probes[PLAIN_N_PROBES] = {0, 2, 6, 11};

static enum sst_status collect(void *user, const struct sst_slot_result *result, struct sst_error *err)
{
    (void)err;
    struct plain_values *out = user;
    ck_assert(!out->is_there[result->slot]);
    out->is_there[result->slot] = true;
    for (int cell = 0; cell < PLAIN_N_CELLS; ++cell) {
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
    out->has_shape[result->slot] = result->shape.sd != NULL;
    ck_assert((result->shape.sd != NULL) == (result->shape.skew != NULL));
    ck_assert((result->shape.sd != NULL) == (result->shape.kurt != NULL));
    if (result->shape.sd) {
        memcpy(out->sd[result->slot], result->shape.sd, sizeof out->sd[0]);
        memcpy(out->skew[result->slot], result->shape.skew, sizeof out->skew[0]);
        memcpy(out->kurt[result->slot], result->shape.kurt, sizeof out->kurt[0]);
    }
    for (size_t i = 0; i < result->n_probes; ++i)
        for (int q = 0; q < 2; ++q)
            out->probe[q][result->slot][plain_probes[i]] = result->probe_quantile[q][i];
    return SST_OK;
}

static void see_field(void *user, struct sst_day day, const struct sst_field *field)
{
    struct plain_values *out = user;
    const int year = day.year - out->first_year;
    ck_assert_uint_eq(field->n_cells, PLAIN_N_CELLS);
    ck_assert(year >= 0 && year < PLAIN_MAX_YEARS);
    ++out->n_seen[year][day.slot];
    memcpy(out->seen[year][day.slot], field->hundredths, sizeof out->seen[0][0]);
}

void plain_run_engine(const struct plain_setup *setup, int tail_k, const char *path, struct plain_values *out)
{
    struct sst_error err = {0};
    struct sst_catalog *catalog = NULL;
    struct sst_reader *reader = NULL;
    struct sst_domain domain;
    const struct sst_catalog_options catalog_options = {.crew = out->crew, .stop_on_bad = true};
    const struct sst_reader_options reader_options = {.crew = out->crew, .stop_on_bad = true};
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
        .source = sst_reader_source(reader),
        .n_cells = PLAIN_N_CELLS,
        .probes = plain_probes,
        .n_probes = setup->approx != SST_APPROX_NONE ? PLAIN_N_PROBES : 0,
        .wants_shape = out->wants_shape,
    };
    const struct sst_slot_sink sink = {.user = out, .put = collect, .field = see_field};
    out->first_year = setup->y0 - 1;
    ck_assert_msg(sst_climatology_run(&job, &sink, &err) == SST_OK, "%s", err.text);
    sst_reader_destroy(&reader);
    sst_catalog_destroy(&catalog);
}

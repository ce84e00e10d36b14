/* Fields: a box of one step is read, masked and brought to codes, row by row, in domain order. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "stream/decode_direct.h"

/* [1] Share of the valid cells that may be implausible before the whole field is refused. */
#define MAX_IMPLAUSIBLE_SHARE 0.001

/* One decode: where it goes, and what it met. */
struct decoder {
    const struct sst_file *file;
    const struct sst_domain *domain;
    struct sst_loop_rule rule;
    const struct sst_decode_codes *kept; /* NULL: by way of doubles */
    const uint8_t *classes; /* of the mask, in domain order; NULL: none */
    struct sst_field *out;
    struct sst_decode_stats stats;
    struct sst_loop_tally tally;
};

static void widen_stored_range(struct sst_decode_stats *stats, double low, double high)
{
    stats->raw_min = fmin(stats->raw_min, low);
    stats->raw_max = fmax(stats->raw_max, high);
}

/* While a row's codes are in the nearest cache. */
static void finish_row(struct decoder *decoder, size_t row, size_t col, size_t n)
{
    const struct sst_field *out = decoder->out;
    const size_t first = row * decoder->domain->n_cols + col;
    if (decoder->classes)
        sst_loop_leave_out_land(decoder->classes + first, n, out->codes + first, &decoder->tally);
    sst_loop_count(out->codes + first, out->has_ice ? out->ice + first : NULL, n, &decoder->tally);
}

static bool is_packed(const struct decoder *decoder) { return sst_decode_is_integer(decoder->file->sst.type); }

static void take_values(void *user, size_t row, size_t col, size_t n, const double *values)
{
    struct decoder *decoder = user;
    const size_t first = row * decoder->domain->n_cols + col;
    int16_t *codes = decoder->out->codes + first;
    double low = INFINITY, high = -INFINITY;
    if (is_packed(decoder)) {
        sst_loop_codes(&decoder->rule, values, n, codes);
    } else {
        decoder->stats.n_off_lattice += sst_loop_codes_off_lattice(&decoder->rule, values, n, codes);
        if (decoder->out->degc)
            sst_loop_degc(&decoder->rule, values, n, decoder->out->degc + first);
    }
    sst_loop_widen_range(values, n, &low, &high);
    widen_stored_range(&decoder->stats, low, high);
    finish_row(decoder, row, col, n);
}

static void take_shorts(void *user, const struct sst_decode_raw_row *row)
{
    struct decoder *decoder = user;
    int16_t *codes = decoder->out->codes + row->row * decoder->domain->n_cols + row->col;
    struct sst_loop_range range = {INT32_MAX, INT32_MIN};
    sst_loop_short_codes(&decoder->kept->plain, decoder->kept->table, (const uint16_t *)(const void *)row->first,
                         row->n, codes, &range);
    if (range.low <= range.high)
        widen_stored_range(&decoder->stats, range.low, range.high);
    finish_row(decoder, row->row, row->col, row->n);
}

static enum sst_status decode_sst(struct decoder *decoder, struct sst_file *file, const struct sst_decode_box *box,
                                  enum sst_lattice_kind lattice, struct sst_error *err)
{
    SST_TRY(sst_decode_find_codes(file, lattice, box, &decoder->kept, err));
    if (!decoder->kept)
        return sst_decode_read_rows(file, &file->sst, box, take_values, decoder, err);
    return sst_decode_read_raw_rows(file, &file->sst, box, take_shorts, decoder, err);
}

/* Before the SST, so that each row of it can be finished at once. */
static enum sst_status read_ice_and_mask(struct decoder *decoder, struct sst_file *file,
                                         const struct sst_decode_box *box, struct sst_error *err)
{
    const size_t n_cells = decoder->domain->n_cells;
    uint8_t *ice = decoder->out->ice;
    decoder->out->has_ice = file->info.ice_source[0] != '\0';
    if (file->ice.id >= 0)
        SST_TRY(sst_decode_read_ice(file, box, ice, err));
    if (file->mask.id >= 0) {
        SST_TRY(sst_grow(&file->classes, &file->classes_capacity, n_cells, sizeof *file->classes, "mask", err));
        SST_TRY(sst_decode_read_mask(file, box, file->classes, err));
        decoder->classes = file->classes;
    }
    if (file->ice.id < 0 && decoder->classes)
        sst_loop_ice_of_mask(decoder->classes, n_cells, ice);
    else if (file->ice.id < 0)
        memset(ice, 0, n_cells * sizeof *ice);
    return SST_OK;
}

/* The first cell that got a mark, for a message: where it is and what is stored there. */
static void describe_cell(struct sst_file *file, const struct sst_decode_box *box, size_t cell, char *text, size_t size)
{
    const struct sst_decode_variable *sst = &file->sst;
    const struct sst_domain *domain = box->domain;
    const size_t row = domain->row0 + cell / domain->n_cols, n_lon = domain->grid->n_lon;
    size_t at[SST_DECODE_MAX_RANK] = {0};
    double stored = NAN;
    struct sst_error ignored = {0};
    if (sst->time_at >= 0)
        at[sst->time_at] = box->step;
    at[sst->lat_at] = box->map->flip_lat ? domain->grid->n_lat - 1 - row : row;
    at[sst->lon_at] = (domain->col0 + cell % domain->n_cols + box->map->shift_lon) % n_lon;
    if (sst_decode_need_library(file, &ignored) == SST_OK)
        (void)nc_get_var1_double(file->ncid, sst->id, at, &stored);
    (void)snprintf(text, size, "%.6g degC (stored as %.6g) at latitude %.6g, longitude %.6g",
                   sst_decode_degc(sst, &file->to_degc, stored), stored, sst_domain_lat(domain, cell / domain->n_cols),
                   sst_domain_lon(domain, cell % domain->n_cols));
}

/* Turns marks into missing and counts them; `first_bad` is the first cell with a mark of a bad value. */
static void clean(struct decoder *decoder, size_t *n_off_range, size_t *first_bad)
{
    int16_t *codes = decoder->out->codes;
    const size_t n_cells = decoder->domain->n_cells;
    for (size_t cell = 0; cell < n_cells; ++cell) {
        if (codes[cell] == SST_CODE_MISSING || codes[cell] >= SST_DECODE_LOWEST_CODE)
            continue;
        if (codes[cell] == SST_DECODE_ICE_CODE) {
            decoder->out->ice[cell] = 1;
        } else {
            decoder->stats.n_implausible += codes[cell] == SST_DECODE_IMPLAUSIBLE;
            *n_off_range += codes[cell] == SST_DECODE_OFF_RANGE;
            *first_bad = *first_bad == n_cells ? cell : *first_bad;
        }
        codes[cell] = SST_CODE_MISSING;
    }
}

static void count_and_clean(struct decoder *decoder, size_t *n_off_range, size_t *first_bad)
{
    const size_t n_cells = decoder->domain->n_cells;
    const struct sst_loop_tally *tally = &decoder->tally;
    struct sst_decode_stats *stats = &decoder->stats;
    *n_off_range = 0;
    *first_bad = n_cells;
    if (tally->n_marks > 0)
        clean(decoder, n_off_range, first_bad);
    stats->n_land = tally->n_land;
    stats->n_lake = tally->n_lake;
    stats->n_ice = tally->n_ice;
    stats->n_valid = tally->n_values;
    stats->n_missing = n_cells - stats->n_valid - stats->n_land - stats->n_lake - stats->n_implausible - *n_off_range;
}

static enum sst_status check_values(struct decoder *decoder, struct sst_file *file, const struct sst_decode_box *box,
                                    struct sst_error *err)
{
    size_t n_off_range = 0, first_bad = 0;
    char place[SST_DECODE_TEXT_SIZE];
    const struct sst_decode_stats *stats = &decoder->stats;
    count_and_clean(decoder, &n_off_range, &first_bad);
    if (first_bad == decoder->domain->n_cells)
        return SST_OK;
    describe_cell(file, box, first_bad, place, sizeof place);
    if (n_off_range > 0)
        return sst_fail(
            err, SST_ERR_INPUT,
            "variable '%s': step %zu: %zu values do not fit steps of %g degC, among them %s. Repair the file",
            file->sst.name, box->step, n_off_range, 1.0 / decoder->rule.lattice.steps_per_degree, place);
    const size_t n_seen = stats->n_valid + stats->n_implausible;
    if ((double)stats->n_implausible > MAX_IMPLAUSIBLE_SHARE * (double)n_seen)
        return sst_fail(err, SST_ERR_INPUT,
                        "variable '%s': step %zu: %zu of %zu values are outside %g..%g degC, the first %s. Its units, "
                        "packing or fill value are declared wrongly: repair its attributes (ncatted), or use --units",
                        file->sst.name, box->step, stats->n_implausible, n_seen, SST_DECODE_MIN_DEGC,
                        SST_DECODE_MAX_DEGC, place);
    return SST_OK;
}

/* Hundredths of a degree: the codes themselves, or from thousandths to the nearest, ties to even. */
static void fill_hundredths(const struct sst_field *field, size_t n, enum sst_lattice_kind kind)
{
    if (kind == SST_LATTICE_CENTI)
        memcpy(field->hundredths, field->codes, n * sizeof *field->hundredths);
    else
        sst_loop_hundredths(sst_lattice_of(kind), field->codes, n, field->hundredths);
}

/* Missing where codes are; of packed numbers what their codes stand for, which no rounding of an offset has blurred. */
static void finish_degc(const struct decoder *decoder)
{
    const struct sst_field *out = decoder->out;
    if (is_packed(decoder))
        sst_loop_degc_of_codes(decoder->rule.lattice, out->codes, decoder->domain->n_cells, out->degc);
    else
        sst_loop_leave_out_degc(out->codes, decoder->domain->n_cells, out->degc);
}

enum sst_status sst_file_decode(struct sst_file *file, size_t step, const struct sst_domain *domain,
                                const struct sst_grid_map *map, enum sst_lattice_kind lattice, struct sst_field *out,
                                struct sst_decode_stats *stats, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    const struct sst_decode_box box = {.domain = domain, .map = map, .step = step};
    struct decoder decoder = {.file = file,
                              .domain = domain,
                              .rule = {&file->sst, &file->to_degc, sst_lattice_of(lattice), file->ice_code_degc},
                              .out = out,
                              .stats = {.raw_min = INFINITY, .raw_max = -INFINITY}};
    if (step >= file->info.n_steps) {
        rc = sst_fail(err, SST_ERR_INPUT, "step %zu of %zu is not there", step, file->info.n_steps);
        goto done;
    }
    SST_TRY_GOTO(read_ice_and_mask(&decoder, file, &box, err));
    SST_TRY_GOTO(decode_sst(&decoder, file, &box, lattice, err));
    SST_TRY_GOTO(check_values(&decoder, file, &box, err));
    if (out->hundredths && out->hundredths != out->codes)
        fill_hundredths(out, domain->n_cells, lattice);
    if (out->degc)
        finish_degc(&decoder);
    if (decoder.stats.raw_min > decoder.stats.raw_max)
        decoder.stats.raw_min = decoder.stats.raw_max = NAN;
    if (stats)
        *stats = decoder.stats;
done:
    if (rc != SST_OK)
        sst_error_prefix(err, "%s", file->path);
    return rc;
}

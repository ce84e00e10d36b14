/* Fields: a box of one step is read, masked and brought to codes, row by row, in domain order. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "stream/decode_private.h"

/* [1] Share of the valid cells that may be implausible before the whole field is refused. */
#define MAX_IMPLAUSIBLE_SHARE 0.001

/* Adding and taking away 1.5 x 2^52 rounds a double to the nearest integer, ties to even, without a call. */
#define ROUNDING_MAGIC 6755399441055744.0

/* [steps] Rounding of the arithmetic itself, beside that of the stored number. */
#define ARITHMETIC_NOISE 1e-9

enum {
    TABLE_PIECE = 4096 /* values decoded at a time when the table is made */
};

/* One decode: where it goes, and what it met. */
struct decoder {
    const struct sst_file *file;
    const struct sst_domain *domain;
    struct sst_lattice lattice;
    struct sst_field *out;
    struct sst_decode_stats stats;
};

static double round_to_even(double value) { return (value + ROUNDING_MAGIC) - ROUNDING_MAGIC; }

/* Codes of stored numbers; NaN is missing. What is no code becomes one of the marks below SST_DECODE_LOWEST_CODE. */
static void codes_of(const struct sst_file *file, struct sst_lattice lattice, const double *stored, size_t n,
                     int16_t *codes)
{
    const double steps = lattice.steps_per_degree, reference = lattice.reference_steps;
    /* Plausible is asked of the nearest step: an offset of 273.15 as float32 is 6e-6 degC away from it. */
    const double lowest = SST_DECODE_MIN_DEGC * steps, highest = SST_DECODE_MAX_DEGC * steps;
    const double ice_degc = file->ice_code_degc;
    for (size_t i = 0; i < n; ++i) {
        const double degc = sst_decode_degc(&file->sst, &file->to_degc, stored[i]);
        const double nearest = round_to_even(degc * steps);
        const double code = nearest - reference;
        const bool is_plausible = (nearest >= lowest) & (nearest <= highest);
        const bool fits = (code >= SST_DECODE_LOWEST_CODE) & (code <= INT16_MAX);
        /* Selections of doubles, not branches: where the cells of a coast are missing is not to be foreseen. */
        double mark = is_plausible ? SST_DECODE_OFF_RANGE : SST_DECODE_IMPLAUSIBLE;
        mark = degc == ice_degc ? SST_DECODE_ICE_CODE : mark;
        mark = isnan(degc) ? SST_CODE_MISSING : mark;
        codes[i] = (int16_t)(int)((is_plausible & fits) ? code : mark);
    }
}

static void widen_stored_range(struct sst_decode_stats *stats, double low, double high)
{
    stats->raw_min = fmin(stats->raw_min, low);
    stats->raw_max = fmax(stats->raw_max, high);
}

/* Floating-point values further from the lattice than one unit in the last place of what is stored. */
static size_t count_off_lattice(const struct decoder *decoder, const double *stored, const int16_t *codes, size_t n)
{
    const struct sst_decode_variable *sst = &decoder->file->sst;
    const double steps = decoder->lattice.steps_per_degree;
    const double ulp = sst->type == NC_FLOAT ? FLT_EPSILON : DBL_EPSILON;
    const double slope = fabs(sst->scale * decoder->file->to_degc.slope * steps) * ulp;
    size_t n_off = 0;
    for (size_t i = 0; i < n; ++i) {
        const double at = sst_decode_degc(sst, &decoder->file->to_degc, stored[i]) * steps;
        const double off = fabs(at - round_to_even(at));
        n_off += (codes[i] >= SST_DECODE_LOWEST_CODE) & (off > fabs(stored[i]) * slope + ARITHMETIC_NOISE);
    }
    return n_off;
}

static void take_values(void *user, size_t row, size_t col, size_t n, const double *values)
{
    struct decoder *decoder = user;
    int16_t *codes = decoder->out->codes + row * decoder->domain->n_cols + col;
    codes_of(decoder->file, decoder->lattice, values, n, codes);
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; ++i) {
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    widen_stored_range(&decoder->stats, low, high);
    if (!sst_decode_is_integer(decoder->file->sst.type))
        decoder->stats.n_off_lattice += count_off_lattice(decoder, values, codes, n);
}

/* Codes and the stored range of a row of 16-bit numbers; inlined for stride 1, where both loops have plain bodies. */
static inline void look_up(const int16_t *table, int sign_bit, const struct sst_decode_raw_row *row, size_t stride,
                           int16_t *codes, int *low, int *high)
{
    const uint16_t *values = (const uint16_t *)(const void *)row->first;
    for (size_t i = 0; i < row->n; ++i)
        codes[i] = table[values[i * stride]];
    for (size_t i = 0; i < row->n; ++i) {
        const int stored = (values[i * stride] ^ sign_bit) - sign_bit;
        const bool is_value = codes[i] != SST_CODE_MISSING;
        *low = is_value && stored < *low ? stored : *low;
        *high = is_value && stored > *high ? stored : *high;
    }
}

static void take_shorts(void *user, const struct sst_decode_raw_row *row)
{
    struct decoder *decoder = user;
    const int16_t *table = decoder->file->table;
    int16_t *codes = decoder->out->codes + row->row * decoder->domain->n_cols + row->col;
    const int sign_bit = decoder->file->sst.type == NC_SHORT ? 0x8000 : 0;
    int low = INT32_MAX, high = INT32_MIN;
    if (row->stride == 1)
        look_up(table, sign_bit, row, 1, codes, &low, &high);
    else
        look_up(table, sign_bit, row, row->stride, codes, &low, &high);
    if (low <= high)
        widen_stored_range(&decoder->stats, low, high);
}

/* The code of every 16-bit number, made by the same function that decodes other types. */
static enum sst_status make_table(struct sst_file *file, enum sst_lattice_kind lattice, struct sst_error *err)
{
    if (file->table && file->table_lattice == lattice)
        return SST_OK;
    if (!file->table)
        SST_TRY(sst_alloc(SST_DECODE_TABLE_SIZE, sizeof *file->table, "decode table", &file->table, err));
    SST_TRY(sst_decode_need_row(file, TABLE_PIECE, err));
    for (int first = 0; first < SST_DECODE_TABLE_SIZE; first += TABLE_PIECE) {
        for (int i = 0; i < TABLE_PIECE; ++i) {
            const uint16_t bits = (uint16_t)(first + i);
            file->row[i] = file->sst.type == NC_SHORT ? (double)(int16_t)bits : (double)bits;
        }
        sst_decode_blank_missing(&file->sst, file->row, TABLE_PIECE);
        codes_of(file, sst_lattice_of(lattice), file->row, TABLE_PIECE, file->table + first);
    }
    file->table_lattice = lattice;
    return SST_OK;
}

static enum sst_status decode_sst(struct decoder *decoder, struct sst_file *file, const struct sst_decode_box *box,
                                  enum sst_lattice_kind lattice, struct sst_error *err)
{
    const bool is_short = file->sst.type == NC_SHORT || file->sst.type == NC_USHORT;
    if (!is_short || !sst_decode_table_pays(file, box))
        return sst_decode_read_rows(file, &file->sst, box, take_values, decoder, err);
    SST_TRY(make_table(file, lattice, err));
    return sst_decode_read_raw_rows(file, &file->sst, box, take_shorts, decoder, err);
}

/* Land and lakes are left out; what a mask says of cells without a value does not count. */
static void leave_out_land(struct decoder *decoder, const uint8_t *classes)
{
    int16_t *codes = decoder->out->codes;
    uint32_t n_land = 0, n_lake = 0;
    for (size_t cell = 0; cell < decoder->domain->n_cells; ++cell) {
        /* Bits, not branches: coasts make these unpredictable. */
        const unsigned has_value = codes[cell] != SST_CODE_MISSING;
        const unsigned is_land = has_value & (classes[cell] / SST_MASK_LAND);
        const unsigned is_lake = has_value & (classes[cell] / SST_MASK_LAKE) & (is_land ^ 1U);
        n_land += is_land;
        n_lake += is_lake;
        codes[cell] = is_land | is_lake ? SST_CODE_MISSING : codes[cell];
    }
    decoder->stats.n_land = n_land;
    decoder->stats.n_lake = n_lake;
}

static enum sst_status read_ice_and_mask(struct decoder *decoder, struct sst_file *file,
                                         const struct sst_decode_box *box, struct sst_error *err)
{
    const size_t n_cells = decoder->domain->n_cells;
    uint8_t *ice = decoder->out->ice;
    memset(ice, 0, n_cells * sizeof *ice);
    decoder->out->has_ice = file->info.ice_source[0] != '\0';
    if (file->ice.id >= 0)
        SST_TRY(sst_decode_read_ice(file, box, ice, err));
    if (file->mask.id < 0)
        return SST_OK;
    SST_TRY(sst_grow(&file->classes, &file->classes_capacity, n_cells, sizeof *file->classes, "mask", err));
    SST_TRY(sst_decode_read_mask(file, box, file->classes, err));
    leave_out_land(decoder, file->classes);
    if (file->ice.id >= 0)
        return SST_OK;
    for (size_t cell = 0; cell < n_cells; ++cell)
        ice[cell] = (file->classes[cell] & SST_MASK_ICE) != 0;
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

/* Turns marks into missing and counts; `first_bad` is the first cell with a mark of a bad value. */
static void count_and_clean(struct decoder *decoder, size_t *n_off_range, size_t *first_bad)
{
    int16_t *codes = decoder->out->codes;
    const size_t n_cells = decoder->domain->n_cells;
    struct sst_decode_stats *stats = &decoder->stats;
    uint32_t n_values = 0, n_marks = 0, n_ice = 0;
    for (size_t cell = 0; cell < n_cells; ++cell) {
        n_values += codes[cell] >= SST_DECODE_LOWEST_CODE;
        n_marks += codes[cell] > SST_CODE_MISSING && codes[cell] < SST_DECODE_LOWEST_CODE;
    }
    *n_off_range = 0;
    *first_bad = n_cells;
    for (size_t cell = 0; cell < n_cells && n_marks > 0; ++cell) {
        if (codes[cell] == SST_CODE_MISSING || codes[cell] >= SST_DECODE_LOWEST_CODE)
            continue;
        if (codes[cell] == SST_DECODE_ICE_CODE) {
            decoder->out->ice[cell] = 1;
        } else {
            stats->n_implausible += codes[cell] == SST_DECODE_IMPLAUSIBLE;
            *n_off_range += codes[cell] == SST_DECODE_OFF_RANGE;
            *first_bad = *first_bad == n_cells ? cell : *first_bad;
        }
        codes[cell] = SST_CODE_MISSING;
    }
    for (size_t cell = 0; cell < n_cells; ++cell)
        n_ice += (decoder->out->ice[cell] != 0) & (codes[cell] != SST_CODE_MISSING);
    stats->n_ice = n_ice;
    stats->n_valid = n_values;
    stats->n_missing = n_cells - n_values - stats->n_land - stats->n_lake - stats->n_implausible - *n_off_range;
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
            file->sst.name, box->step, n_off_range, 1.0 / decoder->lattice.steps_per_degree, place);
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
    if (kind == SST_LATTICE_CENTI) {
        memcpy(field->hundredths, field->codes, n * sizeof *field->hundredths);
        return;
    }
    const struct sst_lattice lattice = sst_lattice_of(kind);
    const double per_hundredth = lattice.steps_per_degree / 100.0;
    for (size_t i = 0; i < n; ++i) {
        const int rounded = (int)round_to_even((field->codes[i] + lattice.reference_steps) / per_hundredth);
        field->hundredths[i] = (int16_t)(field->codes[i] == SST_CODE_MISSING ? SST_CODE_MISSING : rounded);
    }
}

enum sst_status sst_file_decode(struct sst_file *file, size_t step, const struct sst_domain *domain,
                                const struct sst_grid_map *map, enum sst_lattice_kind lattice, struct sst_field *out,
                                struct sst_decode_stats *stats, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    const struct sst_decode_box box = {.domain = domain, .map = map, .step = step};
    struct decoder decoder = {.file = file,
                              .domain = domain,
                              .lattice = sst_lattice_of(lattice),
                              .out = out,
                              .stats = {.raw_min = INFINITY, .raw_max = -INFINITY}};
    if (step >= file->info.n_steps) {
        rc = sst_fail(err, SST_ERR_INPUT, "step %zu of %zu is not there", step, file->info.n_steps);
        goto done;
    }
    SST_TRY_GOTO(decode_sst(&decoder, file, &box, lattice, err));
    SST_TRY_GOTO(read_ice_and_mask(&decoder, file, &box, err));
    SST_TRY_GOTO(check_values(&decoder, file, &box, err));
    if (out->hundredths && out->hundredths != out->codes)
        fill_hundredths(out, domain->n_cells, lattice);
    if (decoder.stats.raw_min > decoder.stats.raw_max)
        decoder.stats.raw_min = decoder.stats.raw_max = NAN;
    if (stats)
        *stats = decoder.stats;
done:
    if (rc != SST_OK)
        sst_error_prefix(err, "%s", file->path);
    return rc;
}

/* Fields: a box of one step is read, masked and brought to codes, row by row, in domain order. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "stream/decode_private.h"

/* [1] Share of the valid cells that may be implausible before the whole field is refused. */
#define MAX_IMPLAUSIBLE_SHARE 0.001

/* [1] Concentration from which a cell counts as ice, less what 15 * 0.01f falls short of it. */
#define ICE_FRACTION (0.15 - 1e-6)

/* Adding and taking away 1.5 x 2^52 rounds a double to the nearest integer, ties to even, without a call. */
#define ROUNDING_MAGIC 6755399441055744.0

/* [steps] Rounding of the arithmetic itself, beside that of the stored number. */
#define ARITHMETIC_NOISE 1e-9

enum {
    TABLE_SIZE = 65536,
    TABLE_PIECE = 4096, /* values decoded at a time when the table is made */
    TABLE_PAYS_FROM = 4 * TABLE_SIZE /* cells still to decode: below, making the table costs more than it saves */
};

/* A rectangle of the file that is contiguous in rows and columns. A box across the file's seam has two. */
struct segment {
    size_t row0, n_rows, col0, n_cols; /* in the file */
    size_t domain_col; /* where its first column goes */
};

struct raw_row {
    const unsigned char *first;
    size_t stride; /* [items] from one column to the next */
    size_t row, col, n; /* domain row, first domain column, columns */
};

typedef void raw_row_fn(void *user, const struct raw_row *row);

static size_t split_at_seam(const struct sst_decode_box *box, struct segment *segments)
{
    const struct sst_domain *domain = box->domain;
    const size_t n_lat = domain->grid->n_lat, n_lon = domain->grid->n_lon;
    const size_t first_col = (domain->col0 + box->map->shift_lon) % n_lon;
    const size_t before_seam = n_lon - first_col < domain->n_cols ? n_lon - first_col : domain->n_cols;
    segments[0] = (struct segment){
        .row0 = box->map->flip_lat ? n_lat - domain->row0 - domain->n_rows : domain->row0,
        .n_rows = domain->n_rows,
        .col0 = first_col,
        .n_cols = before_seam,
    };
    if (before_seam == domain->n_cols)
        return 1;
    segments[1] = segments[0];
    segments[1].col0 = 0;
    segments[1].n_cols = domain->n_cols - before_seam;
    segments[1].domain_col = before_seam;
    return 2;
}

static enum sst_status read_segment(struct sst_file *file, const struct sst_decode_variable *variable, size_t step,
                                    const struct segment *segment, struct sst_error *err)
{
    size_t start[SST_DECODE_MAX_RANK] = {0}, count[SST_DECODE_MAX_RANK];
    for (int i = 0; i < variable->rank; ++i)
        count[i] = 1;
    if (variable->time_at >= 0)
        start[variable->time_at] = step;
    start[variable->lat_at] = segment->row0;
    count[variable->lat_at] = segment->n_rows;
    start[variable->lon_at] = segment->col0;
    count[variable->lon_at] = segment->n_cols;
    const size_t bytes = segment->n_rows * segment->n_cols * sst_decode_type_size(variable->type);
    SST_TRY(sst_grow(&file->raw, &file->raw_capacity, bytes, 1, "field as stored", err));
    const int status = nc_get_vara(file->ncid, variable->id, start, count, file->raw);
    if (status != NC_NOERR)
        return sst_fail(err, SST_ERR_INPUT,
                        "variable '%s': step %zu cannot be read: %s. The file is damaged; fetch it again",
                        variable->name, step, nc_strerror(status));
    return SST_OK;
}

static enum sst_status for_each_raw_row(struct sst_file *file, const struct sst_decode_variable *variable,
                                        const struct sst_decode_box *box, raw_row_fn *take, void *user,
                                        struct sst_error *err)
{
    struct segment segments[2];
    const size_t n_segments = split_at_seam(box, segments);
    const size_t item = sst_decode_type_size(variable->type);
    const bool lon_is_fastest = variable->lat_at < variable->lon_at;
    for (size_t i = 0; i < n_segments; ++i) {
        const struct segment *segment = &segments[i];
        SST_TRY(read_segment(file, variable, box->step, segment, err));
        for (size_t r = 0; r < segment->n_rows; ++r) {
            const struct raw_row row = {
                .first = file->raw + (lon_is_fastest ? r * segment->n_cols : r) * item,
                .stride = lon_is_fastest ? 1 : segment->n_rows,
                .row = box->map->flip_lat ? segment->n_rows - 1 - r : r,
                .col = segment->domain_col,
                .n = segment->n_cols,
            };
            take(user, &row);
        }
    }
    return SST_OK;
}

#define WIDEN(type)                                                                                                    \
    do {                                                                                                               \
        const type *values = (const type *)(const void *)row->first;                                                   \
        for (size_t i = 0; i < row->n; ++i)                                                                            \
            out[i] = (double)values[i * row->stride];                                                                  \
    } while (0)

static void widen(nc_type type, const struct raw_row *row, double *out)
{
    switch (type) {
    case NC_BYTE:
        WIDEN(int8_t);
        break;
    case NC_UBYTE:
        WIDEN(uint8_t);
        break;
    case NC_SHORT:
        WIDEN(int16_t);
        break;
    case NC_USHORT:
        WIDEN(uint16_t);
        break;
    case NC_INT:
        WIDEN(int32_t);
        break;
    case NC_UINT:
        WIDEN(uint32_t);
        break;
    case NC_INT64:
        WIDEN(int64_t);
        break;
    case NC_UINT64:
        WIDEN(uint64_t);
        break;
    case NC_FLOAT:
        WIDEN(float);
        break;
    default:
        WIDEN(double);
        break;
    }
}

/* Missing becomes NaN: fills, infinities, and what the valid range leaves out. */
static void blank_missing(const struct sst_decode_variable *variable, double *values, size_t n)
{
    for (size_t k = 0; k < variable->n_fills; ++k) {
        const double fill = variable->fills[k];
        for (size_t i = 0; i < n; ++i)
            values[i] = values[i] == fill ? NAN : values[i];
    }
    const double low = variable->valid_min, high = variable->valid_max;
    for (size_t i = 0; i < n; ++i)
        values[i] = values[i] >= low && values[i] <= high ? values[i] : NAN;
}

struct row_reader {
    struct sst_file *file;
    const struct sst_decode_variable *variable;
    sst_decode_row_fn *take;
    void *user;
};

static void widen_and_take(void *user, const struct raw_row *row)
{
    const struct row_reader *reader = user;
    double *values = reader->file->row;
    widen(reader->variable->type, row, values);
    blank_missing(reader->variable, values, row->n);
    reader->take(reader->user, row->row, row->col, row->n, values);
}

static enum sst_status need_row(struct sst_file *file, size_t n, struct sst_error *err)
{
    return sst_grow(&file->row, &file->row_capacity, n, sizeof *file->row, "row", err);
}

enum sst_status sst_decode_read_rows(struct sst_file *file, const struct sst_decode_variable *variable,
                                     const struct sst_decode_box *box, sst_decode_row_fn *take, void *user,
                                     struct sst_error *err)
{
    struct row_reader reader = {.file = file, .variable = variable, .take = take, .user = user};
    SST_TRY(need_row(file, box->domain->n_cols, err));
    return for_each_raw_row(file, variable, box, widen_and_take, &reader, err);
}

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
        const bool is_plausible = nearest >= lowest && nearest <= highest;
        const bool fits = code >= SST_DECODE_LOWEST_CODE && code <= INT16_MAX;
        const int mark = isnan(degc)        ? SST_CODE_MISSING
                         : degc == ice_degc ? SST_DECODE_ICE_CODE
                         : is_plausible     ? SST_DECODE_OFF_RANGE
                                            : SST_DECODE_IMPLAUSIBLE;
        codes[i] = (int16_t)(is_plausible && fits ? (int)code : mark);
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
        n_off += codes[i] >= SST_DECODE_LOWEST_CODE && off > fabs(stored[i]) * slope + ARITHMETIC_NOISE;
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

static void take_shorts(void *user, const struct raw_row *row)
{
    struct decoder *decoder = user;
    const int16_t *table = decoder->file->table;
    const uint16_t *values = (const uint16_t *)(const void *)row->first;
    int16_t *codes = decoder->out->codes + row->row * decoder->domain->n_cols + row->col;
    const int sign_bit = decoder->file->sst.type == NC_SHORT ? 0x8000 : 0;
    int low = INT32_MAX, high = INT32_MIN;
    for (size_t i = 0; i < row->n; ++i)
        codes[i] = table[values[i * row->stride]];
    for (size_t i = 0; i < row->n; ++i) {
        const int stored = (values[i * row->stride] ^ sign_bit) - sign_bit;
        const bool is_value = codes[i] != SST_CODE_MISSING;
        low = is_value && stored < low ? stored : low;
        high = is_value && stored > high ? stored : high;
    }
    if (low <= high)
        widen_stored_range(&decoder->stats, low, high);
}

/* The code of every 16-bit number, made by the same function that decodes other types. */
static enum sst_status make_table(struct sst_file *file, enum sst_lattice_kind lattice, struct sst_error *err)
{
    if (file->table && file->table_lattice == lattice)
        return SST_OK;
    if (!file->table)
        SST_TRY(sst_alloc(TABLE_SIZE, sizeof *file->table, "decode table", &file->table, err));
    SST_TRY(need_row(file, TABLE_PIECE, err));
    for (int first = 0; first < TABLE_SIZE; first += TABLE_PIECE) {
        for (int i = 0; i < TABLE_PIECE; ++i) {
            const uint16_t bits = (uint16_t)(first + i);
            file->row[i] = file->sst.type == NC_SHORT ? (double)(int16_t)bits : (double)bits;
        }
        blank_missing(&file->sst, file->row, TABLE_PIECE);
        codes_of(file, sst_lattice_of(lattice), file->row, TABLE_PIECE, file->table + first);
    }
    file->table_lattice = lattice;
    return SST_OK;
}

static enum sst_status decode_sst(struct decoder *decoder, struct sst_file *file, const struct sst_decode_box *box,
                                  enum sst_lattice_kind lattice, struct sst_error *err)
{
    const bool is_short = file->sst.type == NC_SHORT || file->sst.type == NC_USHORT;
    if (!is_short || box->domain->n_cells * file->info.n_steps < TABLE_PAYS_FROM)
        return sst_decode_read_rows(file, &file->sst, box, take_values, decoder, err);
    SST_TRY(make_table(file, lattice, err));
    return for_each_raw_row(file, &file->sst, box, take_shorts, decoder, err);
}

/* Land and lakes are left out; ice flags are taken where no concentration is at hand. */
static void take_mask(void *user, size_t row, size_t col, size_t n, const double *values)
{
    struct decoder *decoder = user;
    int16_t *codes = decoder->out->codes + row * decoder->domain->n_cols + col;
    uint8_t *ice = decoder->out->ice + row * decoder->domain->n_cols + col;
    const bool sets_ice = decoder->file->ice.id < 0;
    for (size_t i = 0; i < n; ++i) {
        const uint8_t class = isnan(values[i]) ? 0 : sst_decode_mask_class(decoder->file, values[i]);
        if (sets_ice)
            ice[i] = (class & SST_MASK_ICE) != 0;
        if (!(class & (SST_MASK_LAND | SST_MASK_LAKE)) || codes[i] == SST_CODE_MISSING)
            continue;
        codes[i] = SST_CODE_MISSING;
        if (class & SST_MASK_LAND)
            ++decoder->stats.n_land;
        else
            ++decoder->stats.n_lake;
    }
}

static void take_ice(void *user, size_t row, size_t col, size_t n, const double *values)
{
    struct decoder *decoder = user;
    const struct sst_decode_variable *variable = &decoder->file->ice;
    uint8_t *ice = decoder->out->ice + row * decoder->domain->n_cols + col;
    for (size_t i = 0; i < n; ++i)
        ice[i] = (values[i] * variable->scale + variable->offset) * decoder->file->ice_scale >= ICE_FRACTION;
}

static enum sst_status read_ice_and_mask(struct decoder *decoder, struct sst_file *file,
                                         const struct sst_decode_box *box, struct sst_error *err)
{
    memset(decoder->out->ice, 0, decoder->domain->n_cells * sizeof *decoder->out->ice);
    if (file->ice.id >= 0)
        SST_TRY(sst_decode_read_rows(file, &file->ice, box, take_ice, decoder, err));
    if (file->mask.id >= 0)
        SST_TRY(sst_decode_read_rows(file, &file->mask, box, take_mask, decoder, err));
    decoder->out->has_ice = file->info.ice_source[0] != '\0';
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
    if (sst->time_at >= 0)
        at[sst->time_at] = box->step;
    at[sst->lat_at] = box->map->flip_lat ? domain->grid->n_lat - 1 - row : row;
    at[sst->lon_at] = (domain->col0 + cell % domain->n_cols + box->map->shift_lon) % n_lon;
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
    size_t n_values = 0, n_marks = 0;
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
        stats->n_ice += decoder->out->ice[cell] && codes[cell] != SST_CODE_MISSING;
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

/* Hundredths of a degree from thousandths, to the nearest, ties to even. */
static void fill_hundredths(const struct sst_field *field, size_t n, struct sst_lattice lattice)
{
    const double per_hundredth = lattice.steps_per_degree / 100.0;
    for (size_t i = 0; i < n; ++i) {
        const double rounded = round_to_even((field->codes[i] + lattice.reference_steps) / per_hundredth);
        field->hundredths[i] = (int16_t)(field->codes[i] == SST_CODE_MISSING ? SST_CODE_MISSING : (int)rounded);
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
        fill_hundredths(out, domain->n_cells, decoder.lattice);
    if (decoder.stats.raw_min > decoder.stats.raw_max)
        decoder.stats.raw_min = decoder.stats.raw_max = NAN;
    if (stats)
        *stats = decoder.stats;
done:
    if (rc != SST_OK)
        sst_error_prefix(err, "%s", file->path);
    return rc;
}

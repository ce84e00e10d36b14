/* Rows of a box as they are stored: which rectangles of the file hold them, and stored numbers as doubles. */
#include <math.h>

#include "core/mem.h"
#include "stream/decode_direct.h"

/* [cells] Below as many cells still to decode, making a table of 65,536 entries costs more than it saves. */
enum { TABLE_PAYS_FROM = 4 * SST_DECODE_TABLE_SIZE };

bool sst_decode_table_pays(const struct sst_file *file, const struct sst_decode_box *box)
{
    return box->domain->n_cells * file->info.n_steps >= TABLE_PAYS_FROM;
}

/* A rectangle of the file that is contiguous in rows and columns. A box across the file's seam has two. */
struct segment {
    size_t row0, n_rows, col0, n_cols; /* in the file */
    size_t domain_col; /* where its first column goes */
};

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
    struct sst_decode_scratch *scratch = file->scratch;
    struct sst_direct_box box = {.start = {0}};
    bool was_read = false;
    for (int i = 0; i < variable->rank; ++i)
        box.count[i] = 1;
    if (variable->time_at >= 0)
        box.start[variable->time_at] = step;
    box.start[variable->lat_at] = segment->row0;
    box.count[variable->lat_at] = segment->n_rows;
    box.start[variable->lon_at] = segment->col0;
    box.count[variable->lon_at] = segment->n_cols;
    const size_t bytes = segment->n_rows * segment->n_cols * sst_decode_type_size(variable->type);
    SST_TRY(sst_grow(&scratch->raw, &scratch->raw_capacity, bytes, 1, "field as stored", err));
    SST_TRY(sst_direct_read(file, variable, &box, scratch->raw, &was_read, err));
    if (was_read)
        return SST_OK;
    SST_TRY(sst_decode_need_library(file, err));
    const int status = nc_get_vara(file->ncid, variable->id, box.start, box.count, scratch->raw);
    if (status != NC_NOERR)
        return sst_fail(err, SST_ERR_INPUT,
                        "variable '%s': step %zu cannot be read: %s. The file is damaged; fetch it again",
                        variable->name, step, nc_strerror(status));
    return SST_OK;
}

enum sst_status sst_decode_read_raw_rows(struct sst_file *file, const struct sst_decode_variable *variable,
                                         const struct sst_decode_box *box, sst_decode_raw_row_fn *take, void *user,
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
            const struct sst_decode_raw_row row = {
                .first = file->scratch->raw + (lon_is_fastest ? r * segment->n_cols : r) * item,
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

static void widen(nc_type type, const struct sst_decode_raw_row *row, double *out)
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

void sst_decode_blank_missing(const struct sst_decode_variable *variable, double *values, size_t n)
{
    for (size_t k = 0; k < variable->n_fills; ++k) {
        const double fill = variable->fills[k];
        for (size_t i = 0; i < n; ++i)
            values[i] = values[i] == fill ? NAN : values[i];
    }
    const double low = variable->valid_min, high = variable->valid_max;
    for (size_t i = 0; i < n; ++i)
        values[i] = ((values[i] >= low) & (values[i] <= high)) ? values[i] : NAN;
}

struct row_reader {
    struct sst_file *file;
    const struct sst_decode_variable *variable;
    sst_decode_row_fn *take;
    void *user;
};

static void widen_and_take(void *user, const struct sst_decode_raw_row *row)
{
    const struct row_reader *reader = user;
    double *values = reader->file->row;
    widen(reader->variable->type, row, values);
    sst_decode_blank_missing(reader->variable, values, row->n);
    reader->take(reader->user, row->row, row->col, row->n, values);
}

enum sst_status sst_decode_need_row(struct sst_file *file, size_t n, struct sst_error *err)
{
    return sst_grow(&file->row, &file->row_capacity, n, sizeof *file->row, "row", err);
}

enum sst_status sst_decode_read_rows(struct sst_file *file, const struct sst_decode_variable *variable,
                                     const struct sst_decode_box *box, sst_decode_row_fn *take, void *user,
                                     struct sst_error *err)
{
    struct row_reader reader = {.file = file, .variable = variable, .take = take, .user = user};
    SST_TRY(sst_decode_need_row(file, box->domain->n_cols, err));
    return sst_decode_read_raw_rows(file, variable, box, widen_and_take, &reader, err);
}

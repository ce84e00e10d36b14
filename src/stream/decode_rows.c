/* Rows of a box as they are stored: which rectangles of the file hold them, and stored numbers as doubles. */
#include "core/mem.h"
#include "stream/decode_direct.h"

/* Short rows go together until they are so many numbers: what is called for each of them costs as much as 100 do. */
enum { NUMBERS_AT_ONCE = 4096 };

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
                                    const struct segment *segment, struct sst_direct_out *out, struct sst_error *err)
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
    *out = (struct sst_direct_out){.numbers = scratch->raw, .takes_planes = variable->lat_at < variable->lon_at};
    SST_TRY(sst_direct_read(file, variable, &box, out, &was_read, err));
    if (was_read)
        return SST_OK;
    out->planes[0] = NULL;
    SST_TRY(sst_decode_need_library(file, err));
    const int status = nc_get_vara(file->ncid, variable->id, box.start, box.count, scratch->raw);
    if (status != NC_NOERR)
        return sst_fail(err, SST_ERR_INPUT,
                        "variable '%s': step %zu cannot be read: %s. The file is damaged; fetch it again",
                        variable->name, step, nc_strerror(status));
    return SST_OK;
}

#define GATHER(type)                                                                                                   \
    do {                                                                                                               \
        const type *items = (const type *)(const void *)first;                                                         \
        type *line = (type *)(void *)out;                                                                              \
        for (size_t i = 0; i < n; ++i)                                                                                 \
            line[i] = items[i * stride];                                                                               \
    } while (0)

/* Items that stand `stride` items apart, side by side. */
static void gather(const unsigned char *first, size_t stride, size_t n, size_t item, unsigned char *out)
{
    switch (item) {
    case 1:
        GATHER(uint8_t);
        break;
    case 2:
        GATHER(uint16_t);
        break;
    case 4:
        GATHER(uint32_t);
        break;
    default:
        GATHER(uint64_t);
        break;
    }
}

/* Rows that lie side by side in the file and in the domain, in the same order. */
static size_t rows_at_once(const struct sst_decode_box *box, const struct segment *segment, bool lon_is_fastest)
{
    if (!lon_is_fastest || box->map->flip_lat || segment->n_cols != box->domain->n_cols)
        return 1;
    return segment->n_cols < NUMBERS_AT_ONCE ? NUMBERS_AT_ONCE / segment->n_cols : 1;
}

static size_t most_at_once(size_t n_cols) { return n_cols > NUMBERS_AT_ONCE ? n_cols : NUMBERS_AT_ONCE; }

/* Where n numbers of rows from the given one on are side by side: as they were read, or brought together in `line`. */
static const unsigned char *bring_together(const struct sst_direct_out *read, const struct segment *segment,
                                           const struct sst_decode_variable *variable, size_t row, size_t n,
                                           unsigned char *line)
{
    const size_t item = sst_decode_type_size(variable->type);
    if (variable->lat_at > variable->lon_at) {
        gather(read->numbers + row * item, segment->n_rows, n, item, line);
        return line;
    }
    if (!read->planes[0])
        return read->numbers + row * segment->n_cols * item;
    sst_direct_join(read->planes, row * segment->n_cols, n, item, line);
    return line;
}

enum sst_status sst_decode_read_raw_rows(struct sst_file *file, const struct sst_decode_variable *variable,
                                         const struct sst_decode_box *box, sst_decode_raw_row_fn *take, void *user,
                                         struct sst_error *err)
{
    struct segment segments[2];
    struct sst_direct_out read;
    struct sst_decode_scratch *scratch = file->scratch;
    const size_t n_segments = split_at_seam(box, segments);
    SST_TRY(sst_grow(&scratch->line, &scratch->line_capacity,
                     most_at_once(box->domain->n_cols) * sst_decode_type_size(variable->type), 1, "rows", err));
    for (size_t i = 0; i < n_segments; ++i) {
        const struct segment *segment = &segments[i];
        const size_t at_once = rows_at_once(box, segment, variable->lat_at < variable->lon_at);
        SST_TRY(read_segment(file, variable, box->step, segment, &read, err));
        for (size_t r = 0; r < segment->n_rows; r += at_once) {
            const size_t n_rows = segment->n_rows - r < at_once ? segment->n_rows - r : at_once;
            const size_t n = n_rows * segment->n_cols;
            const struct sst_decode_raw_row row = {
                .first = bring_together(&read, segment, variable, r, n, scratch->line),
                .row = box->map->flip_lat ? segment->n_rows - 1 - r : r,
                .col = segment->domain_col,
                .n = n,
            };
            take(user, &row);
        }
    }
    return SST_OK;
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
    sst_loop_widen(reader->variable, row->first, row->n, values);
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
    SST_TRY(sst_decode_need_row(file, most_at_once(box->domain->n_cols), err));
    return sst_decode_read_raw_rows(file, variable, box, widen_and_take, &reader, err);
}

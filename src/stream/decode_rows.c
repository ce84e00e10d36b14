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

static void give_rows(const struct sst_decode_box *box, const struct segment *segment, size_t item, bool lon_is_fastest,
                      struct sst_decode_scratch *scratch, sst_decode_raw_row_fn *take, void *user)
{
    const size_t at_once = rows_at_once(box, segment, lon_is_fastest);
    for (size_t r = 0; r < segment->n_rows; r += at_once) {
        const size_t n_rows = segment->n_rows - r < at_once ? segment->n_rows - r : at_once;
        const struct sst_decode_raw_row row = {
            .first = lon_is_fastest ? scratch->raw + r * segment->n_cols * item : scratch->line,
            .row = box->map->flip_lat ? segment->n_rows - 1 - r : r,
            .col = segment->domain_col,
            .n = n_rows * segment->n_cols,
        };
        if (!lon_is_fastest)
            gather(scratch->raw + r * item, segment->n_rows, row.n, item, scratch->line);
        take(user, &row);
    }
}

enum sst_status sst_decode_read_raw_rows(struct sst_file *file, const struct sst_decode_variable *variable,
                                         const struct sst_decode_box *box, sst_decode_raw_row_fn *take, void *user,
                                         struct sst_error *err)
{
    struct segment segments[2];
    struct sst_decode_scratch *scratch = file->scratch;
    const size_t n_segments = split_at_seam(box, segments);
    const size_t item = sst_decode_type_size(variable->type);
    const bool lon_is_fastest = variable->lat_at < variable->lon_at;
    if (!lon_is_fastest)
        SST_TRY(sst_grow(&scratch->line, &scratch->line_capacity, box->domain->n_cols * item, 1, "a row", err));
    for (size_t i = 0; i < n_segments; ++i) {
        const struct segment *segment = &segments[i];
        SST_TRY(read_segment(file, variable, box->step, segment, err));
        give_rows(box, segment, item, lon_is_fastest, scratch, take, user);
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
    const size_t n_cols = box->domain->n_cols;
    SST_TRY(sst_decode_need_row(file, n_cols > NUMBERS_AT_ONCE ? n_cols : NUMBERS_AT_ONCE, err));
    return sst_decode_read_raw_rows(file, variable, box, widen_and_take, &reader, err);
}

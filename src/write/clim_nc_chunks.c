/* See the header. */
#include "write/clim_nc_chunks.h"

#include <assert.h>
#include <math.h>
#include <netcdf.h>

#include "core/mem.h"
#include "write/deflate.h"

enum {
    CHUNK_SLOTS = 12, /* at most; 12 x 80 x 80 floats are 300 kB, a read of use to maps and to series */
    CHUNK_CELLS = 80, /* at most, in each direction */
    N_COUNTS = 2
};

/* Below this many cells a map is put sooner than a second thread is woken. */
enum { PARALLEL_CELLS = 65536 };

/* Rows of chunks are gathered in memory before they are written, up to three at a time. [bytes] */
#define MAX_ROW_BYTES ((size_t)1 << 30)

static size_t n_parts(size_t length, size_t part) { return (length + part - 1) / part; }

/* The equal parts, of at most `most`, into which a length falls. */
static size_t even_chunk(size_t length, size_t most)
{
    return length <= most ? length : n_parts(length, n_parts(length, most));
}

size_t sst_clim_n_sst(const struct sst_clim_spec *spec)
{
    return 1 + spec->n_percentiles * ((spec->has_bounds ? 3 : 1) + spec->n_coverages);
}

size_t sst_clim_chunk_slots(const struct sst_clim_spec *spec)
{
    if (spec->split)
        return 1;
    const size_t slot_bytes =
        spec->domain->n_cells * (sst_clim_n_sst(spec) * sizeof(float) + N_COUNTS * sizeof(int16_t));
    size_t most = CHUNK_SLOTS;
    while (most > 1 && most * slot_bytes > MAX_ROW_BYTES)
        most /= 2;
    return even_chunk((size_t)spec->n_slots, most);
}

void sst_clim_chunks_of(const struct sst_clim_spec *spec, struct sst_clim_chunks *out)
{
    const struct sst_domain *domain = spec->domain;
    *out = (struct sst_clim_chunks){.n_slots = sst_clim_chunk_slots(spec),
                                    .n_rows = even_chunk(domain->n_rows, CHUNK_CELLS),
                                    .n_cols = even_chunk(domain->n_cols, CHUNK_CELLS),
                                    .map_rows = domain->n_rows,
                                    .map_cols = domain->n_cols,
                                    .n_sst = sst_clim_n_sst(spec)};
    out->n_down = n_parts(out->map_rows, out->n_rows);
    out->n_across = n_parts(out->map_cols, out->n_cols);
}

size_t sst_clim_chunks_per_row(const struct sst_clim_chunks *chunks)
{
    return (chunks->n_sst + N_COUNTS) * chunks->n_down * chunks->n_across;
}

static size_t values_of(const struct sst_clim_chunks *chunks)
{
    return chunks->n_slots * chunks->n_rows * chunks->n_cols;
}

/* From one chunk in memory to the next, [values]: whole cache lines, so that no two threads share one. */
static size_t stride_of(const struct sst_clim_chunks *chunks, size_t value_bytes)
{
    return n_parts(sst_deflate_room(values_of(chunks) * value_bytes), SST_ALIGNMENT) * SST_ALIGNMENT / value_bytes;
}

static size_t row_values(const struct sst_clim_chunks *chunks, size_t n_variables, size_t value_bytes)
{
    return n_variables * chunks->n_down * chunks->n_across * stride_of(chunks, value_bytes);
}

enum sst_status sst_clim_row_alloc(const struct sst_clim_chunks *chunks, struct sst_clim_row *out,
                                   struct sst_error *err)
{
    /* The variables are few, and a map's cells are in memory already: neither product overflows. */
    struct sst_clim_row row = {0};
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_alloc_large(row_values(chunks, chunks->n_sst, sizeof *row.sst), sizeof *row.sst,
                                 "a row of the output's chunks", &row.sst, err));
    SST_TRY_GOTO(sst_alloc_large(row_values(chunks, N_COUNTS, sizeof *row.counts), sizeof *row.counts,
                                 "a row of the output's chunks", &row.counts, err));
    *out = row;
    row = (struct sst_clim_row){0};
done:
    sst_clim_row_free(&row);
    return rc;
}

void sst_clim_row_free(struct sst_clim_row *row)
{
    sst_free(row->sst);
    sst_free(row->counts);
    *row = (struct sst_clim_row){0};
}

uint64_t sst_clim_row_bytes(const struct sst_clim_chunks *chunks)
{
    return (uint64_t)row_values(chunks, chunks->n_sst, sizeof(float)) * sizeof(float) +
           (uint64_t)row_values(chunks, N_COUNTS, sizeof(int16_t)) * sizeof(int16_t);
}

void sst_clim_row_clear(const struct sst_clim_chunks *chunks, size_t n_slots, float fill, struct sst_clim_row *row)
{
    if (n_slots == chunks->n_slots && chunks->n_down * chunks->n_rows == chunks->map_rows &&
        chunks->n_across * chunks->n_cols == chunks->map_cols)
        return; /* every value is put */
    const size_t n_sst = row_values(chunks, chunks->n_sst, sizeof(float));
    const size_t n_counts = row_values(chunks, N_COUNTS, sizeof(int16_t));
    for (size_t i = 0; i < n_sst; ++i)
        row->sst[i] = fill;
    for (size_t i = 0; i < n_counts; ++i)
        row->counts[i] = NC_FILL_SHORT;
}

/* Successive cells of a map that are successive in a chunk too. */
struct run_of_cells {
    size_t from, n; /* on the map */
    size_t to; /* in the row's memory, from the variable's first value on */
};

/* A row of the map has n_across of them. */
static struct run_of_cells find_run(const struct sst_clim_chunks *chunks, size_t slot, size_t index, size_t stride)
{
    const size_t map_row = index / chunks->n_across, across = index % chunks->n_across;
    const size_t down = map_row / chunks->n_rows, row = map_row % chunks->n_rows;
    const size_t first_col = across * chunks->n_cols, left = chunks->map_cols - first_col;
    return (struct run_of_cells){.from = map_row * chunks->map_cols + first_col,
                                 .n = left < chunks->n_cols ? left : chunks->n_cols,
                                 .to = (down * chunks->n_across + across) * stride +
                                       (slot * chunks->n_rows + row) * chunks->n_cols};
}

void sst_clim_row_put_double(const struct sst_clim_chunks *chunks, struct sst_clim_row *row, size_t variable,
                             size_t slot, const double *map, float fill)
{
    const size_t stride = stride_of(chunks, sizeof(float));
    float *to = row->sst + variable * chunks->n_down * chunks->n_across * stride;
    const size_t n_runs = chunks->map_rows * chunks->n_across;
#pragma omp parallel for schedule(static) if (chunks->map_rows * chunks->map_cols >= PARALLEL_CELLS)
    for (size_t i = 0; i < n_runs; ++i) {
        const struct run_of_cells run = find_run(chunks, slot, i, stride);
        for (size_t cell = 0; cell < run.n; ++cell)
            to[run.to + cell] = isnan(map[run.from + cell]) ? fill : (float)map[run.from + cell];
    }
}

void sst_clim_row_put_float(const struct sst_clim_chunks *chunks, struct sst_clim_row *row, size_t variable,
                            size_t slot, const float *map, float fill)
{
    const size_t stride = stride_of(chunks, sizeof(float));
    float *to = row->sst + variable * chunks->n_down * chunks->n_across * stride;
    const size_t n_runs = chunks->map_rows * chunks->n_across;
#pragma omp parallel for schedule(static) if (chunks->map_rows * chunks->map_cols >= PARALLEL_CELLS)
    for (size_t i = 0; i < n_runs; ++i) {
        const struct run_of_cells run = find_run(chunks, slot, i, stride);
        for (size_t cell = 0; cell < run.n; ++cell)
            to[run.to + cell] = isnan(map[run.from + cell]) ? fill : map[run.from + cell];
    }
}

void sst_clim_row_put_count(const struct sst_clim_chunks *chunks, struct sst_clim_row *row, size_t variable,
                            size_t slot, const uint16_t *map)
{
    const size_t stride = stride_of(chunks, sizeof(int16_t));
    int16_t *to = row->counts + variable * chunks->n_down * chunks->n_across * stride;
    const size_t n_runs = chunks->map_rows * chunks->n_across;
#pragma omp parallel for schedule(static) if (chunks->map_rows * chunks->map_cols >= PARALLEL_CELLS)
    for (size_t i = 0; i < n_runs; ++i) {
        const struct run_of_cells run = find_run(chunks, slot, i, stride);
        for (size_t cell = 0; cell < run.n; ++cell) {
            assert(map[run.from + cell] <= INT16_MAX); /* SST_MAX_POOL, and fewer than 15 flags */
            to[run.to + cell] = (int16_t)map[run.from + cell];
        }
    }
}

struct sst_clim_chunk sst_clim_row_chunk(const struct sst_clim_chunks *chunks, const struct sst_clim_row *row,
                                         size_t index)
{
    const size_t n_map = chunks->n_down * chunks->n_across, on_map = index % n_map, n_sst = chunks->n_sst * n_map;
    struct sst_clim_chunk chunk = {.variable = index / n_map,
                                   .first_row = on_map / chunks->n_across * chunks->n_rows,
                                   .first_col = on_map % chunks->n_across * chunks->n_cols,
                                   .n_values = values_of(chunks)};
    if (index < n_sst) {
        chunk.value_bytes = sizeof *row->sst;
        chunk.values = row->sst + index * stride_of(chunks, sizeof *row->sst);
    } else {
        chunk.value_bytes = sizeof *row->counts;
        chunk.values = row->counts + (index - n_sst) * stride_of(chunks, sizeof *row->counts);
    }
    return chunk;
}

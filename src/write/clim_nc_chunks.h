/* How the fields of the climatology file fall into chunks, and their values in memory in the order of the chunks. */
#ifndef SST_WRITE_CLIM_NC_CHUNKS_H
#define SST_WRITE_CLIM_NC_CHUNKS_H

#include <stddef.h>
#include <stdint.h>

#include "core/status.h"
#include "write/clim_nc.h"

/* Variables that hold temperatures. */
size_t sst_clim_n_sst(const struct sst_clim_spec *spec);

/* Slots of one row of chunks: balanced between whole maps and whole series, fewer where a row would take too much memory. */
size_t sst_clim_chunk_slots(const struct sst_clim_spec *spec);

/* The shape of chunks, the same for all fields. */
struct sst_clim_chunks {
    size_t n_slots, n_rows, n_cols; /* of one chunk */
    size_t map_rows, map_cols;
    size_t n_down, n_across; /* chunks over the map */
    size_t n_sst; /* variables of float32; behind them stand two of int16 */
};

void sst_clim_chunks_of(const struct sst_clim_spec *spec, struct sst_clim_chunks *out);

/* Variables times chunks over the map: what one row of chunks has. */
size_t sst_clim_chunks_per_row(const struct sst_clim_chunks *chunks);

/* Values of a row of chunks: by variable, by chunk, [slot][row][column] of the whole chunk and room to deflate it in place. */
struct sst_clim_row {
    float *sst; /* NULL: none */
    int16_t *counts; /* n_obs, flags */
};

/* What is in it is not known. Owner: the caller, sst_clim_row_free. Errors: SST_ERR_NOMEM, and nothing is left allocated. */
SST_MUST_CHECK enum sst_status sst_clim_row_alloc(const struct sst_clim_chunks *chunks, struct sst_clim_row *out,
                                                  struct sst_error *err);
void sst_clim_row_free(struct sst_clim_row *row);
uint64_t sst_clim_row_bytes(const struct sst_clim_chunks *chunks);

/* Readies a row for n_slots slots: what of its chunks lies outside the file's fields gets the fill, as HDF5 gives it. */
void sst_clim_row_clear(const struct sst_clim_chunks *chunks, size_t n_slots, float fill, struct sst_clim_row *row);

/* Puts the map of one slot into a variable, 0 .. n_sst - 1 or (counts) 0 .. 1; NaN becomes the fill. */
void sst_clim_row_put_double(const struct sst_clim_chunks *chunks, struct sst_clim_row *row, size_t variable,
                             size_t slot, const double *map, float fill);
void sst_clim_row_put_float(const struct sst_clim_chunks *chunks, struct sst_clim_row *row, size_t variable,
                            size_t slot, const float *map, float fill);
void sst_clim_row_put_count(const struct sst_clim_chunks *chunks, struct sst_clim_row *row, size_t variable,
                            size_t slot, const uint16_t *map);

/* One chunk of a row. */
struct sst_clim_chunk {
    size_t variable; /* 0 .. n_sst + 1 */
    size_t first_row, first_col; /* on the map */
    void *values;
    size_t n_values, value_bytes;
};

/* The chunk of that index, 0 .. sst_clim_chunks_per_row - 1. */
struct sst_clim_chunk sst_clim_row_chunk(const struct sst_clim_chunks *chunks, const struct sst_clim_row *row,
                                         size_t index);

#endif
